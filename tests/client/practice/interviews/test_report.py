import random
import re
from collections.abc import Mapping
from typing import cast

import pytest
from rich.console import Console

from client.backend.protocol import Backend, RejectedError
from client.practice.interviews import (
    InterviewRecord,
    InterviewReport,
    Interviews,
    KeptAnswer,
    find_answers,
    interview_to_markdown,
    plan_interview,
    report_interview,
)
from client.terminal.report import print_debrief
from server.contract import (
    Attempt,
    AttemptSummary,
    CorrectedVerdict,
    HistoryPage,
    HistoryQuery,
    Language,
    LanguageRequest,
)
from tests.client.practice.interviews.conftest import (
    ROLE,
    ROUND,
    START,
    attempt,
    bank_of,
    question,
    verdict,
)

SUBMISSIONS = tuple(f"{n:032x}" for n in range(9))


def held(interviews: Interviews, *outcomes: str | int | None, minutes: int = 45) -> InterviewRecord:
    """An interview; an outcome is an attempt's number, ``None`` (it waits) or a step's name."""
    bank = [question(f"q-{n}", topic=f"T{n}") for n in range(len(outcomes) + 1)]
    plan = plan_interview(bank_of(*bank), ROLE.id, ROUND.id, minutes, {}, random.Random(1))
    record = interviews.start(ROLE, ROUND, minutes, plan)
    for number, outcome in enumerate(outcomes):
        name = record.questions[number].question_id
        if outcome == "skip":
            record = interviews.skip(record.id, name)
        else:
            number_kept = None if outcome is None else int(outcome)
            record = interviews.answer(record.id, name, SUBMISSIONS[number], number_kept)
    return interviews.end(record.id)


def kept(record: InterviewRecord, *attempts: Attempt | str) -> dict[str, KeptAnswer]:
    answered = [each for each in record.asked if each.state == "answered"]
    return {
        asked.question_id: KeptAnswer(None, each) if isinstance(each, str) else KeptAnswer(each)
        for asked, each in zip(answered, attempts, strict=True)
    }


def texts(points: object) -> list[str]:
    return [point.text for point in cast("tuple[object, ...]", points)]  # type: ignore[attr-defined]


def resolves(report: InterviewReport, path: str) -> bool:
    """Whether a point's evidence is really there in the report."""
    found: object = report
    for part in path.replace("[", ".").replace("]", "").split("."):
        found = found[int(part)] if part.isdigit() else getattr(found, part)  # type: ignore[index]
    return found is not None


def test_numbers_over_all_answers(interviews: Interviews) -> None:
    record = held(interviews, 1, 2, "skip")
    given = [
        attempt(1, "q", SUBMISSIONS[0], statuses=("covered", "covered"), words=100,
                words_per_minute=100.0, answer_s=60.0, longest_pause_s=2.0),
        attempt(2, "q", SUBMISSIONS[1], statuses=("covered", "missing"), words=540,
                words_per_minute=180.0, answer_s=180.0, longest_pause_s=0.4),
    ]  # fmt: skip
    report = report_interview(record, kept(record, *given))
    assert (report.asked, report.answered) == (4, 2)
    assert report.coverage == pytest.approx(0.75)
    assert report.coverage_of_asked == pytest.approx(1.5 / 4)
    assert report.words_per_minute == pytest.approx(640 / 4)
    assert (report.words, report.answer_s, report.longest_pause_s) == (640, 240, 2.0)
    assert [line.state for line in report.answers] == [
        "answered", "answered", "skipped", "unanswered",
    ]  # fmt: skip
    assert [line.number for line in report.without_answer] == [3, 4]
    assert report.answers[1].missing == ("b",)


def test_terms_are_taken_together_over_all_answers(interviews: Interviews) -> None:
    record = held(interviews, 1, 2)
    wrong, right = verdict("RoCE", "mispronounced"), verdict("RoCE", "correct")
    first = [verdict("etcd", "correct"), wrong, right]
    second = [wrong, first[0], verdict("NCCL", "mispronounced"), verdict("NCCL", "unclear")]
    second.insert(3, verdict("CUDA", "mispronounced", source="transcript"))
    given = [
        attempt(number, "q", SUBMISSIONS[number - 1], statuses=("partial",), terms=terms)
        for number, terms in ((1, first), (2, second))
    ]
    report = report_interview(record, kept(record, *given))
    assert [(term.term, term.mispronounced, term.said) for term in report.terms] == [
        ("RoCE", 2, 3),
        ("NCCL", 1, 1),
    ]
    assert [(each.attempt_id, each.evidence) for each in report.terms[0].places] == [
        (1, "pronunciation.terms[1]"),
        (2, "pronunciation.terms[0]"),
    ]
    assert "You said “etcd” right every time (2)." in texts(report.strongest)
    assert "Practice “RoCE”: you mispronounced it 2 times. Say ROCK-ee." in texts(report.weakest)


def test_the_strongest_and_weakest_follow_the_rules(interviews: Interviews) -> None:
    record = held(interviews, 1, 2, 3)
    answers = kept(
        record,
        attempt(1, "q", SUBMISSIONS[0], statuses=("covered",) * 4),
        attempt(2, "q", SUBMISSIONS[1], statuses=("covered", "missing", "missing"), answer_s=30.0,
                words=60),
        attempt(3, "q", SUBMISSIONS[2], statuses=("covered", "missing"), longest_pause_s=4.2),
    )  # fmt: skip
    report = report_interview(record, answers)
    assert texts(report.strongest) == [
        f"Question 1, {report.answers[0].topic}: 4 of 4 key phrases.",
        "Your pace was comfortable: 120 words per minute over all answers.",
    ]
    assert texts(report.weakest) == [
        "Question 4 got no answer: say at least what you would try.",
        f"Question 2, {report.answers[1].topic}: only 1 of 3 key phrases. Start with “c”.",
        "Your longest pause lasted 4.2 s, in question 3: say that you are thinking.",
    ]


def test_an_answer_without_any_phrase_is_told_so(interviews: Interviews) -> None:
    record = held(interviews, 1)
    given = attempt(1, "q", SUBMISSIONS[0], statuses=("missing",) * 3)
    report = report_interview(record, kept(record, given))
    assert any("none of 3 key phrases. Start with" in each for each in texts(report.weakest))


@pytest.mark.parametrize(
    ("delivery", "text"),
    [
        ({"words_per_minute": 200.0, "words": 400}, "Slow down: you spoke 200 words per minute"),
        ({"words_per_minute": 90.0, "words": 180}, "faster: you spoke 90 words per minute"),
        ({"answer_s": 59.0, "words": 118}, "you used less than half of the time, in questions 1"),
        ({"answer_s": 181.0, "words": 362}, "Be briefer: you took half as long again as expected"),
    ],
)
def test_delivery_that_stands_out_is_told(
    interviews: Interviews, delivery: Mapping[str, object], text: str
) -> None:
    record = held(interviews, 1, 2)
    attempts = [attempt(n, "q", SUBMISSIONS[n - 1], **delivery) for n in (1, 2)]
    report = report_interview(record, kept(record, *attempts))
    assert any(text in each for each in texts(report.weakest))


def test_a_pace_outside_its_band_is_named_whatever_else_there_is(interviews: Interviews) -> None:
    record = held(interviews, 1, 2)
    quick = {"words_per_minute": 192.0, "words": 384, "statuses": ("missing",)}
    attempts = [attempt(n, "q", SUBMISSIONS[n - 1], **quick) for n in (1, 2)]  # type: ignore[arg-type]
    worst, second, pace = texts(report_interview(record, kept(record, *attempts)).weakest)
    assert "got no answer" in worst and "none of 1 key phrases" in second
    assert "192 words per minute over all answers; native speakers average 190" in pace


def test_every_point_rests_on_something_that_is_there(interviews: Interviews) -> None:
    record = held(interviews, 1, 2, "skip", 4)
    given = [
        attempt(1, "q", SUBMISSIONS[0], terms=[verdict("RoCE", "mispronounced")]),
        attempt(2, "q", SUBMISSIONS[1], statuses=("missing",), longest_pause_s=9.0),
        attempt(4, "q", SUBMISSIONS[3], terms=[verdict("etcd", "correct")] * 2),
    ]
    report = report_interview(record, kept(record, *given))
    assert len(points := [*report.strongest, *report.weakest]) > 4
    assert all(resolves(report, point.evidence) for point in points)


def test_an_answer_without_a_report_counts_neither_way(interviews: Interviews) -> None:
    record = held(interviews, 1, 2, minutes=1)
    answers = kept(record, attempt(1, "q", SUBMISSIONS[0]), "this answer was deleted")
    report = report_interview(record, answers)
    assert report.coverage == 1
    assert report.coverage_of_asked == 0.5, "the question cut off at the end counts, no other"
    assert report.answers[1].problem == "this answer was deleted"


def with_language(kept: Attempt, language: Language) -> Attempt:
    report = kept.report.model_copy(update={"language": language})
    return kept.model_copy(update={"report": report})


class StoredAttempts:
    """A backend that knows these attempts."""

    def __init__(self, *attempts: Attempt) -> None:
        self.attempts = {each.id: each for each in attempts}
        self.asked: list[HistoryQuery] = []

    def attempt(self, attempt_id: int) -> Attempt:
        if attempt_id not in self.attempts:
            raise RejectedError("no such attempt", "not-found")
        return self.attempts[attempt_id]

    def language(self, attempt_id: int, request: LanguageRequest) -> Attempt:
        return with_language(self.attempts[attempt_id], Language(by="rules"))

    def history(self, query: HistoryQuery) -> HistoryPage:
        self.asked.append(query)
        lines = [
            AttemptSummary(
                id=each.id, question_id=each.submission.question_id, created_at=START, role=None,
                round=None, topic=None, score=0, words=1, answer_s=None, engine="fake",
            )
            for each in self.attempts.values()
            if each.submission.question_id == query.question_id
        ]  # fmt: skip
        return HistoryPage(total=len(lines), attempts=tuple(lines))


def test_answers_are_found_by_number_or_by_what_was_sent(interviews: Interviews) -> None:
    record = held(interviews, 5, None, 8, None)
    names = [each.question_id for each in record.asked]
    stored = StoredAttempts(
        attempt(5, names[0], SUBMISSIONS[0]),
        attempt(6, names[1], "f" * 32),
        attempt(7, names[1], SUBMISSIONS[1]),
    )
    found = find_answers(cast("Backend", stored), record)
    numbers = [each.attempt.id if each.attempt else each.problem for each in found.values()]
    assert numbers[:2] == [5, 7]
    assert numbers[2] == "this answer was deleted from the history"
    assert numbers[3] == "this answer waits for the server, or was deleted"
    assert {query.since for query in stored.asked} == {record.started_at}
    stored.attempts[5] = with_language(stored.attempts[5], Language(pending=True))
    looked_at = find_answers(cast("Backend", stored), record, LanguageRequest())[names[0]].attempt
    assert looked_at is not None and looked_at.report.language.by == "rules", "not left pending"


def test_markdown_tells_all_and_what_was_said_is_no_markup(interviews: Interviews) -> None:
    record = held(interviews, 1, "skip", None)
    terms = [verdict("Ro|CE*", "mispronounced")]
    first = attempt(1, "q", SUBMISSIONS[0], statuses=("covered", "missing"), terms=terms)
    markdown = interview_to_markdown(report_interview(record, kept(record, first, "it | waits")))
    lines = markdown.splitlines()
    assert lines[0] == "# Mock interview: ML Engineer, Coding"
    assert "- 2 of 4 questions answered" in lines
    assert "no answer (skipped)" in markdown
    assert "no answer (cut off by the end)" in markdown
    assert r"it \| waits" in markdown
    assert r"| Ro\|CE\* | 1 of 1 | ROHSS | ROCK-ee | 1 |" in markdown
    assert next(line for line in lines if line.startswith("| 1 |")).count(" | ") == 8


def test_remarks_on_all_answers_are_grouped_the_worst_first_and_five_at_most(
    interviews: Interviews,
) -> None:
    def noted(number: int, **weights: float) -> Attempt:
        notes = [
            {"kind": kind, "said": f"{kind} {number}", "better": "b", "why": "so", "weight": weight,
             "sentence": "a b" if kind != "hedging" else ""}
            for kind, weight in weights.items()
        ]  # fmt: skip
        graded = attempt(number, "q", SUBMISSIONS[number - 1])
        return with_language(graded, Language.model_validate({"notes": notes, "by": "rules"}))

    record = held(interviews, 1, 2)
    first = noted(1, hedging=0.5, article=1, tense=2, pronoun=4, spelling=0.1, adverb=3)
    report = report_interview(record, kept(record, first, noted(2, article=6)))
    console = Console(width=120)
    with console.capture() as shown:
        print_debrief(console, report)
    for text in (interview_to_markdown(report), shown.get()):
        remarks = text.partition("Language\n")[2]
        kinds = re.findall(r"(article|pronoun|adverb|tense|hedging|spelling) \d", remarks)
        assert kinds == ["article", "pronoun", "adverb", "tense", "hedging"]
        assert "so (article, 2 times)" in text and len(re.findall(r"\bso\b", remarks)) == 5
        assert "In your English (article, 2 times), say “b”, not “article 2”." in text
    assert "Not shown: 1 more remark, of less weight." in shown.get()
    markdown = interview_to_markdown(report)
    assert "- Question 2: “article 2” → “b”" in markdown and "Not shown: 1 more remark," in markdown
    assert [each.evidence for each in report.weakest][1:] == [
        "language.notes[6]",
        "language.notes[3]",
    ]


def test_english_without_an_error_is_a_strength_where_the_model_looked(
    interviews: Interviews,
) -> None:
    record = held(interviews, 1, minutes=1)
    for by, words, is_told in (("model", 240, True), ("rules", 240, False), ("model", 90, False)):
        given = attempt(1, "q", SUBMISSIONS[0], words=words)
        looked_at = with_language(given, Language.model_validate({"by": by}))
        report = report_interview(record, kept(record, looked_at))
        told = "No errors were noted in your English, in 240 words." in texts(report.strongest)
        assert told == is_told


def test_a_score_that_a_coach_corrected_says_what_the_grader_gave(interviews: Interviews) -> None:
    record = held(interviews, 1)
    graded = attempt(1, "q", SUBMISSIONS[0], statuses=("covered", "covered"))
    coverage = graded.report.coverage.model_copy(update={"graded_score": 0.5})
    corrected = graded.report.model_copy(update={"coverage": coverage})
    read = graded.model_copy(update={"report": corrected})
    report = report_interview(record, kept(record, read))
    assert (report.answers[0].score, report.answers[0].graded_score) == (1.0, 0.5)
    assert "100% (2 of 2), corrected, graded 50%" in interview_to_markdown(report)
    same = report.answers[0].model_copy(update={"graded_score": 1.0})
    report = report.model_copy(update={"answers": (same, *report.answers[1:])})
    assert "100% (2 of 2), corrected, same score" in interview_to_markdown(report)
    uncorrected = report_interview(record, kept(record, graded))
    assert "corrected" not in interview_to_markdown(uncorrected)


def test_a_term_that_a_coach_heard_said_wrong_counts_whatever_its_source(
    interviews: Interviews,
) -> None:
    record = held(interviews, 1)
    said = verdict("CUDA", "mispronounced", source="transcript")
    by_coach = CorrectedVerdict(by="Cleo", at=START, was="unclear")
    terms = [said, said.model_copy(update={"corrected": by_coach})]
    report = report_interview(record, kept(record, attempt(1, "q", SUBMISSIONS[0], terms=terms)))
    assert [(each.term, each.mispronounced) for each in report.terms] == [("CUDA", 1)]
