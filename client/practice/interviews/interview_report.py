"""The report of an interview: its answers together and one by one, and all of it as Markdown."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from client.backend.protocol import Backend, RejectedError
from client.practice.interviews.debrief import debrief_of, sections_of
from client.practice.interviews.models import AnswerLine, InterviewReport, Place, TermOverAll
from client.practice.interviews.record import AskedQuestion, InterviewRecord
from server.contract import (
    MAX_POINTS,
    Attempt,
    Delivery,
    HistoryQuery,
    Language,
    LanguageRequest,
    Report,
    SummaryPoint,
    band,
    pace_text,
)
from server.ui.exports.markdown import plain_text, points_lines
from server.ui.verdict_words import graded_text, note_lines

STRONG_SCORE: Final = 0.7
"""Most of what a listener waits for was said."""
WEAK_SCORE: Final = 0.5
"""Less than half of it was."""
_OFTEN: Final = 2
"""Said right once may be luck."""
_WORDS_WITHOUT: Final = 200
"""Two minutes without an error that the model finds tell something; less may be luck."""

_Ranked = tuple[float, str, SummaryPoint]
"""Weight, kind, point."""


def strongest(
    answers: Sequence[AnswerLine],
    always_right: Mapping[str, Sequence[int]],
    words_per_minute: float | None,
    language: Language,
) -> tuple[SummaryPoint, ...]:
    """Up to three points; ``always_right``: terms → numbers of the answers they were said in."""
    points: list[_Ranked] = []
    for at, line in enumerate(answers):
        if line.score is not None and line.score >= STRONG_SCORE:
            text = f"Question {line.number}, {line.topic}: {_share(line)}."
            points.append((5 + line.score, "coverage", _point(text, f"answers[{at}].score")))
    if len(answers) > 1 and all(line.state == "answered" for line in answers):
        text = f"You answered all {len(answers)} questions."
        points.append((4.0, "answered", _point(text, "answered")))
    if words_per_minute is not None and not pace_text(words_per_minute):
        text = (
            f"Your pace was comfortable: {words_per_minute:.0f} words per minute over all answers."
        )
        points.append((4.5, "pace", _point(text, "words_per_minute")))
    for term, numbers in always_right.items():
        if len(numbers) >= _OFTEN:
            text = f"You said “{term}” right every time ({len(numbers)})."
            weight = 4.2 + min(len(numbers), 9) / 100
            points.append((weight, "terms", _point(text, f"answers[{numbers[0] - 1}]")))
    words = sum(line.words or 0 for line in answers)
    errors = any(note.sentence for note in language.notes)
    if language.by == "model" and not (language.pending or errors) and words >= _WORDS_WITHOUT:
        text = f"No errors were noted in your English, in {words} words."
        points.append((4.4, "language", _point(text, "language")))
    return _mixed(points)


def weakest(
    answers: Sequence[AnswerLine],
    terms: Sequence[TermOverAll],
    words_per_minute: float | None,
    language: Language,
) -> tuple[SummaryPoint, ...]:
    """Up to three points; ``terms``: those said wrong, the most often first."""
    points: list[_Ranked] = []
    silent = [line for line in answers if line.state not in ("answered", "given")]
    if silent:
        named = _numbers([line.number for line in silent])
        text = f"{named[0].upper()}{named[1:]} got no answer: say at least what you would try."
        points.append((9.0, "answered", _point(text, f"answers[{answers.index(silent[0])}]")))
    for at, line in enumerate(answers):
        if line.score is not None and line.score < WEAK_SCORE:
            missing = f" Start with “{line.missing[0]}”." if line.missing else ""
            some = line.covered or line.when_asked
            few = f"only {_share(line)}" if some else f"none of {line.phrases} key phrases"
            text = f"Question {line.number}, {line.topic}: {few}.{missing}"
            points.append((8 - line.score, "coverage", _point(text, f"answers[{at}].score")))
    for at, term in enumerate(terms):
        times = "once" if term.mispronounced == 1 else f"{term.mispronounced} times"
        text = f"Practice “{term.term}”: you mispronounced it {times}. Say {term.expected}."
        weight = 6.5 + min(term.mispronounced, 5) * 0.3
        points.append((weight, "terms", _point(text, f"terms[{at}]")))
    for group in language.groups():
        if group.first.sentence:
            often = f", {group.count} times" if group.count > 1 else ""
            said, better = group.first.said, group.first.better
            text = f"In your English ({group.name}{often}), say “{better}”, not “{said}”."
            weight = 6.0 + min(group.weight, 10) * 0.2
            points.append((weight, "language", _point(text, f"language.notes[{group.at}]")))
    return _mixed([*points, *_delivery(answers, words_per_minute)], always="pace")


def _delivery(answers: Sequence[AnswerLine], words_per_minute: float | None) -> list[_Ranked]:
    points: list[_Ranked] = []
    if text := pace_text(words_per_minute, " over all answers"):
        points.append((6.6, "pace", _point(text, "words_per_minute")))
    paused = [line for line in answers if (line.longest_pause_s or 0.0) >= band("long_pause")]
    if paused:
        worst = max(paused, key=lambda line: line.longest_pause_s or 0.0)
        text = (
            f"Your longest pause lasted {worst.longest_pause_s:.1f} s, in question {worst.number}: "
            "say that you are thinking."
        )
        at = answers.index(worst)
        points.append((6.4, "pauses", _point(text, f"answers[{at}].longest_pause_s")))
    timed = [line for line in answers if line.answer_s]
    total_s = sum(line.answer_s or 0.0 for line in timed)
    fillers = sum(line.fillers or 0 for line in timed)
    if total_s and fillers / total_s * 60.0 >= band("fillers"):
        text = f"Replace fillers with a short silence: at least {fillers} were heard."
        points.append((6.8, "fillers", _point(text, "fillers")))
    points += _lengths(timed, answers)
    return points


def _lengths(timed: Sequence[AnswerLine], answers: Sequence[AnswerLine]) -> list[_Ranked]:
    points: list[_Ranked] = []
    shares = {line.number: (line.answer_s or 0.0) / line.target_s for line in timed}
    short = [line for line in timed if shares[line.number] < band("short_answer")]
    long = [line for line in timed if shares[line.number] > band("long_answer")]
    for lines, text in (
        (short, "Say more: you used less than half of the time, in {}."),
        (long, "Be briefer: you took half as long again as expected, in {}."),
    ):
        if lines:
            evidence = f"answers[{answers.index(lines[0])}].answer_s"
            point = _point(text.format(_numbers([line.number for line in lines])), evidence)
            points.append((6.3, "length", point))
    return points


def _numbers(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"question {numbers[0]}"
    *first, last = map(str, numbers)
    return f"questions {', '.join(first)} and {last}"


def _share(line: AnswerLine) -> str:
    asked = f", {line.when_asked} when asked" if line.when_asked else ""
    return f"{line.covered} of {line.phrases} key phrases{asked}"


def _point(text: str, evidence: str) -> SummaryPoint:
    return SummaryPoint(text=text, evidence=evidence)


def _mixed(points: Sequence[_Ranked], always: str = "") -> tuple[SummaryPoint, ...]:
    """The weightiest points, at most two of one kind while others wait; one kind ``always``."""
    ranked = sorted(points, key=lambda each: -each[0])
    chosen = [each for each in ranked if each[1] == always]
    for limit in (2, MAX_POINTS):
        for each in ranked:
            alike = sum(other[1] == each[1] for other in chosen)
            if len(chosen) < MAX_POINTS and each not in chosen and alike < limit:
                chosen.append(each)
    return tuple(point for _, _, point in sorted(chosen, key=lambda each: -each[0]))


_PAGE: Final = 500


@dataclass(frozen=True)
class KeptAnswer:
    """What is stored of an answer; ``problem``: why its report is not there."""

    attempt: Attempt | None
    problem: str = ""


def find_answers(
    backend: Backend, record: InterviewRecord, language: LanguageRequest | None = None
) -> dict[str, KeptAnswer]:
    """The stored answers of an interview by question id.

    With ``language``, the English of those that wait for it is looked at: some seconds each.

    Raises:
        UnavailableError: the server is away.
    """
    return {
        each.question_id: _find(backend, record, each, language)
        for each in record.asked
        if each.state == "answered"
    }


def _find(
    backend: Backend, record: InterviewRecord, asked: AskedQuestion, look: LanguageRequest | None
) -> KeptAnswer:
    wanted = [asked.attempt_id] if asked.attempt_id else _candidates(backend, record, asked)
    for attempt_id in wanted:
        try:
            attempt = backend.attempt(attempt_id)
            if look and attempt.report.language.waits_for(look.mother_tongue):
                attempt = backend.language(attempt_id, look)
        except RejectedError as error:
            if error.code != "not-found":
                return KeptAnswer(None, str(error))
            continue
        if attempt.submission.submission_id == asked.submission_id:
            return KeptAnswer(attempt)
    if asked.attempt_id:
        return KeptAnswer(None, "this answer was deleted from the history")
    return KeptAnswer(None, "this answer waits for the server, or was deleted")


def _candidates(backend: Backend, record: InterviewRecord, asked: AskedQuestion) -> list[int]:
    """Answers to the question since the interview began: one that waited has its number now."""
    query = HistoryQuery(question_id=asked.question_id, since=record.started_at, limit=_PAGE)
    return [each.id for each in backend.history(query).attempts]


def report_interview(record: InterviewRecord, answers: Mapping[str, KeptAnswer]) -> InterviewReport:
    """The report; ``answers`` as ``find_answers`` gives them."""
    lines: list[AnswerLine] = []
    reports: dict[int, tuple[int, Report]] = {}
    for number, asked in enumerate(record.asked, start=1):
        kept = answers.get(asked.question_id, KeptAnswer(None))
        lines.append(_line(number, asked, kept))
        if kept.attempt is not None:
            reports[number] = (kept.attempt.id, kept.attempt.report)
    terms = _terms(reports)
    graded = [report for _, report in reports.values()]
    scores = [report.overall for report in graded]
    asked_scores = [
        line.score or 0.0
        for line in lines
        if line.score is not None or line.state not in ("given", "answered")
    ]
    rate = _rate([each.delivery for each in graded])
    language = _language(graded)
    longest = [s for each in graded if (s := each.delivery.longest_pause_s) is not None]
    return InterviewReport(
        id=record.id, role=record.role, role_title=record.role_title, round=record.round,
        round_title=record.round_title, minutes=record.minutes, started_at=record.started_at,
        ended_at=record.ended_at, asked=len(lines), transcribing=len(record.transcribing),
        answered=sum(line.state in ("given", "answered") for line in lines),
        coverage=_mean(scores), coverage_of_asked=_mean(asked_scores),
        answer_s=round(sum(each.delivery.answer_s or 0.0 for each in graded), 3),
        words=sum(each.delivery.words for each in graded), words_per_minute=rate,
        pauses=sum(len(each.delivery.pauses) for each in graded) if longest else None,
        longest_pause_s=max(longest, default=None),
        fillers=sum(len(each.delivery.fillers) for each in graded),
        notices=tuple(dict.fromkeys(notice for each in graded for notice in each.notices)),
        strongest=strongest(lines, _always_right(reports), rate, language),
        weakest=weakest(lines, terms, rate, language), terms=terms, language=language,
        note_places=tuple(
            Place(number=number, attempt_id=attempt_id, evidence=f"language.notes[{at}]")
            for number, (attempt_id, report) in reports.items()
            for at in range(len(report.language.notes))
        ),
        answers=tuple(lines),
        debrief=debrief_of(record, lines, reports, _mean(asked_scores) if scores else None),
    )  # fmt: skip


def _line(number: int, asked: AskedQuestion, kept: KeptAnswer) -> AnswerLine:
    line = AnswerLine(
        number=number,
        question_id=asked.question_id,
        prompt=asked.prompt,
        topic=asked.topic,
        role=asked.role,
        state=asked.state,
        problem=kept.problem or asked.problem,
        target_s=float(asked.answer_seconds),
    )
    if kept.attempt is None:
        return line
    report = kept.attempt.report
    phrases, delivery = report.coverage.phrases, report.delivery
    missing = sorted(
        (each for each in phrases if each.status == "missing" and not each.when_asked),
        key=lambda each: -each.weight,
    )
    wrong = [each.term for each in report.pronunciation.terms if each.verdict == "mispronounced"]
    parts = report.structure.parts if report.structure else ()
    lacking = (each for each in parts if each.status == "missing" and not each.when_asked)
    return line.model_copy(update={
        "attempt_id": kept.attempt.id, "score": report.overall,
        "graded_score": report.overall_graded, "phrases": len(phrases),
        "covered": sum(each.is_said for each in phrases), "answer_s": delivery.answer_s,
        "target_s": delivery.target_s, "words": delivery.words,
        "words_per_minute": delivery.words_per_minute,
        "pauses": len(delivery.pauses) if delivery.longest_pause_s is not None else None,
        "longest_pause_s": delivery.longest_pause_s, "fillers": len(delivery.fillers),
        "missing": tuple(each.phrase for each in missing),
        "mispronounced": tuple(dict.fromkeys(wrong)),
        "missing_parts": tuple(each.name for each in lacking),
        "follow_ups": len(report.follow_ups),
        "when_asked": sum(each.when_asked is not None for each in phrases),
    })  # fmt: skip


def _terms(reports: Mapping[int, tuple[int, Report]]) -> tuple[TermOverAll, ...]:
    """The terms said wrong, the most often first; only what was heard counts."""
    said: dict[str, int] = defaultdict(int)
    places: dict[str, list[Place]] = defaultdict(list)
    taught: dict[str, tuple[str, str]] = {}
    for number, (attempt_id, report) in reports.items():
        for at, term in enumerate(report.pronunciation.terms):
            if not term.is_clear:
                continue
            said[term.term] += 1
            if term.verdict != "mispronounced":
                continue
            expected, tip = taught.get(term.term, ("", ""))
            taught[term.term] = (expected or term.expected, tip or term.tip)
            places[term.term].append(
                Place(
                    number=number,
                    attempt_id=attempt_id,
                    evidence=f"pronunciation.terms[{at}]",
                    heard=term.heard or "",
                    start_s=term.start_s,
                )
            )
    found = [
        TermOverAll(
            term=name,
            expected=taught[name][0],
            tip=taught[name][1],
            mispronounced=len(where),
            said=said[name],
            places=tuple(where),
        )
        for name, where in places.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.mispronounced, each.said, each.term)))


def _language(reports: Sequence[Report]) -> Language:
    """The remarks on all answers."""
    known = [each.language for each in reports]
    return Language(
        notes=tuple(note for each in known for note in each.notes),
        pending=any(each.pending for each in known),
        by=max((each.by for each in known if each.by), key=("rules", "model").index, default=None),
    )


def _always_right(reports: Mapping[int, tuple[int, Report]]) -> dict[str, list[int]]:
    """Term → numbers of the answers in which it was said, where it was never said wrong."""
    places: dict[str, list[int]] = defaultdict(list)
    wrong: set[str] = set()
    for number, (_, report) in reports.items():
        for term in report.pronunciation.terms:
            if term.is_clear and term.verdict == "correct":
                places[term.term].append(number)
            elif term.verdict == "mispronounced":
                wrong.add(term.term)
    return {name: numbers for name, numbers in places.items() if name not in wrong}


def _rate(deliveries: Sequence[Delivery]) -> float | None:
    """Words per minute over all answers whose own rate could be measured."""
    timed = [each for each in deliveries if each.words_per_minute is not None and each.answer_s]
    total_s = sum(each.answer_s or 0.0 for each in timed)
    return round(sum(each.words for each in timed) / total_s * 60.0, 1) if timed else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


_NO_ANSWER: Final = {
    "skipped": "skipped",
    "unanswered": "cut off by the end",
    "open": "being asked",
}


def interview_to_markdown(report: InterviewReport) -> str:
    """The report, for a person to read or to send."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: InterviewReport) -> Iterator[str]:
    yield f"# Mock interview: {plain_text(report.role_title)}, {plain_text(report.round_title)}"
    yield ""
    yield f"{report.started_at:%Y-%m-%d %H:%M %Z} · {report.minutes} min"
    yield ""
    for notice in report.notices:
        yield f"> **Note:** {plain_text(notice)}"
        yield ""
    yield from (f"- {each}" for each in _figures(report))
    yield ""
    yield from _debrief(report)
    yield from points_lines("What was strongest", report.strongest)
    yield from points_lines("What to work on", report.weakest)
    yield from _answers(report.answers)
    if report.language.notes:
        yield from ("## Language", "")
        yield from (
            f"- {plain_text(each)}" for each in note_lines(report.language, report.note_questions)
        )
        yield ""
    yield from _term_lines(report.terms)


def _debrief(report: InterviewReport) -> Iterator[str]:
    debrief = report.debrief
    if debrief.verdict:
        yield f"**Verdict: {debrief.verdict}.** {plain_text(debrief.verdict_evidence)}"
        yield ""
    for title, lines in sections_of(debrief):
        yield from (f"## {title}", "")
        yield from (f"- {plain_text(each)}" for each in lines)
        yield ""


def _figures(report: InterviewReport) -> Iterator[str]:
    yield f"{report.answered} of {report.asked} questions answered"
    if report.coverage is not None:
        yield f"score {report.coverage:.0%}, mean of the answers"
    if report.coverage_of_asked is not None and report.coverage_of_asked != report.coverage:
        yield f"score {report.coverage_of_asked:.0%} counting unanswered questions as 0"
    if report.words_per_minute is not None:
        yield f"{report.words_per_minute:.0f} words per minute"
    if report.pauses is not None and report.longest_pause_s is not None:
        yield f"{report.pauses} pauses, the longest {report.longest_pause_s:.1f} s"
    yield f"at least {report.fillers} filler words"


def _answers(answers: Sequence[AnswerLine]) -> Iterator[str]:
    yield "## Questions"
    yield ""
    yield (
        "| # | Question | Topic | Score | Length | Words per minute | Not said | Structure "
        "| Mispronounced |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for line in answers:
        yield f"| {' | '.join(_cells(line))} |"
    yield ""


def _cells(line: AnswerLine) -> list[str]:
    if line.state == "given":
        outcome = plain_text(line.problem) or "being transcribed"
    elif line.state != "answered":
        outcome = f"no answer ({_NO_ANSWER.get(line.state, line.state)})"
    elif line.score is None:
        outcome = plain_text(line.problem)
    else:
        graded = graded_text(line.graded_score, line.score)
        asked = f", {line.when_asked} when asked" if line.when_asked else ""
        outcome = f"{line.score:.0%} ({line.covered} of {line.phrases}{asked})"
        outcome += f", {graded}" if graded else ""
    length = "" if line.answer_s is None else f"{line.answer_s:.0f} s of {line.target_s:.0f} s"
    rate = "" if line.words_per_minute is None else f"{line.words_per_minute:.0f}"
    return [
        str(line.number),
        plain_text(line.prompt),
        plain_text(line.topic),
        outcome,
        length,
        rate,
        plain_text(", ".join(line.missing)),
        plain_text(", ".join(line.missing_parts)),
        plain_text(", ".join(line.mispronounced)),
    ]


def _term_lines(terms: Sequence[TermOverAll]) -> Iterator[str]:
    if not terms:
        return
    yield from ("## Mispronounced terms", "")
    yield "| Term | Wrong | Heard | Expected | In question | Tip |"
    yield "|---|---|---|---|---|---|"
    for term in terms:
        heard = ", ".join(dict.fromkeys(place.heard for place in term.places if place.heard))
        numbers = ", ".join(dict.fromkeys(str(place.number) for place in term.places))
        heard, wrong = plain_text(heard), f"{term.mispronounced} of {term.said}"
        cells = [plain_text(term.term), wrong, heard, plain_text(term.expected), numbers]
        yield f"| {' | '.join([*cells, plain_text(term.tip)])} |"
    yield ""
