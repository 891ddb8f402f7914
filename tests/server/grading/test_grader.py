"""A question and a submission in, a report out."""

from dataclasses import replace
from pathlib import Path

import pytest

from pronunciation.hearing.spotting import TermSpotter
from pronunciation.terms import Lexicon, Mistake, Term
from question_bank.models import KeyPhrase
from server.contract import Evidence, HeardTerm, Language, Pause, Report, Stretch, Word, are_like
from server.core.errors import GradingError, ServerError
from server.grading import GRADER_VERSION, grade, prepare
from server.grading.answer import read_answer
from server.grading.delivery import find_fillers, find_repeated_starts, syllables
from server.grading.grader import term_index
from server.grading.language import find_errors, remark, style_rules
from server.language.acceptor import acceptor
from server.language.notes import Checker

TAKEN_BACK = Path(__file__).parents[2] / "data" / "said_twice" / "taken_back.txt"
ROCE = Term(
    term="RoCE",
    kind="word",
    say="ROCK-ee",
    readings=("R AA1 K IY0",),
    mistakes=(Mistake(phones="R OW1 S", tip="Two syllables."),),
    written_as=("rocky",),
)
SMALL = Lexicon(version="small", terms=(ROCE,))


def test_a_report_carries_everything(question, submit, lexicon):
    submission = submit("We use continuous batching and a KV cache.", times=True)

    report = grade(question, submission, lexicon, "bank-1")

    assert report.question_id == "planted"
    assert report.created_at == submission.created_at
    assert (report.grader_version, report.bank_version) == (GRADER_VERSION, "bank-1")
    assert [phrase.status for phrase in report.coverage.phrases][:2] == ["covered", "covered"]
    assert report.coverage.phrases[2].status != "covered"
    assert 3 / 4 <= report.coverage.score < 1
    assert report.coverage.phrases[0].why == "It fills the GPU."
    assert report == Report.model_validate_json(report.model_dump_json())


def test_the_same_answer_gives_the_same_report(question, submit, lexicon):
    submission = submit("Continuous batching over rocky.", times=True)

    assert grade(question, submission, lexicon, "b") == grade(question, submission, lexicon, "b")


@pytest.mark.parametrize("text", ["", "   ", "… ?!"])
def test_no_speech_is_refused(question, submit, lexicon, text):
    with pytest.raises(GradingError, match="no speech detected: there is nothing to grade"):
        grade(question, submit(text), lexicon, "b")
    assert issubclass(GradingError, ServerError)


def test_a_question_is_prepared_by_its_model_answer(question, lexicon):
    prepare(question, lexicon)


def test_an_answer_to_another_question_is_refused(question, submit, lexicon):
    other = question.model_copy(update={"id": "other"})

    with pytest.raises(GradingError, match="'planted', not to 'other'"):
        grade(other, submit("KV cache"), lexicon, "b")


def test_a_rough_transcript_is_said_to_be_one(question, submit, lexicon):
    report = grade(question, submit("rocky", engine="pocketsphinx"), lexicon, "b")

    assert "rough transcript" in report.notices[0]
    assert report.coverage.score == 0.0
    assert grade(question, submit("rocky"), lexicon, "b").notices == ()


def test_terms_by_transcript_are_unclear_with_a_tip(question, submit):
    report = grade(question, submit("So rocky here, and RoCE there.", times=True), SMALL, "b")

    verdicts = report.pronunciation.terms
    assert [(v.term, v.verdict, v.source, v.word_indices) for v in verdicts] == [
        ("RoCE", "unclear", "transcript", (1,)),
        ("RoCE", "unclear", "transcript", (4,)),
    ]
    assert verdicts[0].expected == "ROCK-ee"
    assert "“rocky”" in verdicts[0].tip
    assert (verdicts[0].start_s, verdicts[0].end_s) == (0.5, 1.0)


def test_what_was_heard_wins_and_the_worst_comes_first(question, submit):
    heard = [
        HeardTerm(term="RoCE", word_index=0, verdict="correct", phones="R AA1 K IY0",
                  confidence=0.9, start_s=0.0, end_s=0.5),
        HeardTerm(term="RoCE", word_index=2, verdict="mispronounced", phones="R OW1 S",
                  confidence=0.8, start_s=1.0, end_s=1.5),
    ]  # fmt: skip
    submission = submit("RoCE and RoCE or RoCE", times=True, evidence=Evidence(heard=tuple(heard)))

    verdicts = grade(question, submission, SMALL, "b").pronunciation.terms

    assert [(v.verdict, v.source) for v in verdicts] == [
        ("mispronounced", "acoustic"),
        ("unclear", "transcript"),
        ("correct", "acoustic"),
    ]
    assert verdicts[0].tip == "Two syllables."


def test_a_word_derived_from_a_term_is_not_the_term(question, submit, lexicon):
    text = "We scheduled two jobs in parallel, and routes were compiled. Both schedulers agreed."
    terms = grade(question, submit(text), lexicon, "b").pronunciation.terms
    assert [(each.term, each.word_indices) for each in terms] == [("scheduler", (11,))]


FAIR = Term(term="FAIR", kind="word", say="FAIR", readings=("F EH1 R",))
AI = Term(term="AI", kind="letters", say="ay-EYE", readings=("EY2 AY1",))


def test_an_everyday_word_in_lower_case_is_no_name(question, submit):
    lexicon = Lexicon(version="names", terms=(FAIR, AI, ROCE))
    heard = HeardTerm(term="FAIR", word_index=7, verdict="correct", phones="F EH1 R",
                      confidence=0.9, start_s=3.0, end_s=3.5)  # fmt: skip
    submission = submit(
        "A fair share, so FAIR says, is fair. We use ai over roce.",
        times=True,
        evidence=Evidence(heard=(heard,)),
    )

    verdicts = grade(question, submission, lexicon, "b").pronunciation.terms

    assert {(each.term, each.word_indices) for each in verdicts} == {
        ("FAIR", (4,)), ("AI", (10,)), ("RoCE", (12,)),
    }  # fmt: skip


ZERO = Term(term="ZeRO", kind="word", say="ZEER-oh", readings=("Z IH1 R OW0",))
ZERO_HEARD = HeardTerm(term="ZeRO", word_index=2, verdict="mispronounced", phones="Z EH1 R OW0",
                       confidence=0.9, start_s=1.0, end_s=1.5)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "prompt", "sources"),
    [
        ("We use zero stage 3 here.", "How?", ["acoustic"]),
        ("We start zero new jobs here.", "How?", []),
        ("We start zero new jobs here.", "What does ZeRO shard?", ["acoustic"]),
        ("we use zero " + "on all of our nodes " * 3, "How?", ["acoustic"]),
    ],
)
def test_the_hearing_and_the_report_have_one_rule_for_everyday_words(
    question, submit, text, prompt, sources
):
    asked = question.model_copy(update={"prompt": prompt})
    lexicon = Lexicon(version="zero", terms=(ZERO,))
    spots = TermSpotter(lexicon).spot(
        text.split(), expected=TermSpotter(lexicon).named(asked.full_text)
    )
    submission = submit(text, times=True, evidence=Evidence(heard=(ZERO_HEARD,)))

    verdicts = grade(asked, submission, lexicon, "b").pronunciation.terms

    assert [each.source for each in verdicts] == sources
    assert [spot.word_index for spot in spots] == [2] * len(sources)


def test_a_typed_text_without_capitals_names_an_everyday_word_only_with_evidence(question, submit):
    lexicon = Lexicon(version="zero", terms=(ZERO,))
    text = "we start zero new jobs and " + "so on and so forth " * 3 + "then zero stage 3"

    verdicts = grade(question, submit(text), lexicon, "b").pronunciation.terms

    assert [each.word_indices for each in verdicts] == [(22,)]


NODE = Term(
    term="compute node",
    kind="word",
    say="kum-PYOOT NOHD",
    readings=("K AH0 M P Y UW1 T N OW1 D",),
    mistakes=(Mistake(phones="K AH0 M P Y UW1 T N AA1 D", tip="Say kum-PYOOT NOHD, with an oh."),),
)


def test_what_was_heard_is_respelt_and_takes_all_its_words(question, submit):
    heard = HeardTerm(term="compute node", word_index=1, word_count=2, verdict="mispronounced",
                      phones="R OW1 K IY0", confidence=0.8, start_s=0.5, end_s=1.5)  # fmt: skip
    submission = submit("a compute node", times=True, evidence=Evidence(heard=(heard,)))
    lexicon = Lexicon(version="two", terms=(NODE,))

    verdicts = grade(question, submission, lexicon, "b").pronunciation.terms

    assert [(v.term, v.word_indices, v.heard) for v in verdicts] == [
        ("compute node", (1, 2), "ROH-kee")
    ]


def test_phones_that_are_none_leave_heard_empty(question, submit):
    heard = HeardTerm(term="RoCE", word_index=0, verdict="unclear", phones="",
                      confidence=0.0, start_s=0.0, end_s=0.5)  # fmt: skip
    submission = submit("RoCE", times=True, evidence=Evidence(heard=(heard,)))

    verdict = grade(question, submission, SMALL, "b").pronunciation.terms[0]

    assert (verdict.heard, verdict.phones) == (None, None)


def test_a_tip_says_a_reading_once(question, submit):
    lexicon = Lexicon(version="three", terms=(NODE, ROCE))

    report = grade(question, submit("RoCE on a compute node"), lexicon, "b")

    assert {v.term: v.tip for v in report.pronunciation.terms} == {
        "RoCE": "Say ROCK-ee. Two syllables.",
        "compute node": "Say kum-PYOOT NOHD, with an oh.",
    }


def test_a_problem_of_the_hearing_is_a_notice(question, submit, lexicon):
    submission = submit("RoCE", evidence=Evidence(hearing_problem="the model is missing."))

    assert grade(question, submission, lexicon, "b").notices == (
        "How terms were said could not be judged: the model is missing.",
    )


def test_speech_that_could_not_be_understood_is_a_notice(question, submit, lexicon):
    stretches = (Stretch(start_s=12.4, end_s=20.0), Stretch(start_s=61.0, end_s=125.9))
    submission = submit("RoCE", evidence=Evidence(unintelligible=stretches))

    assert grade(question, submission, lexicon, "b").notices == (
        "Speech at 0:12 to 0:20, 1:01 to 2:05 could not be understood; it is not graded.",
    )


def test_delivery_is_measured_from_times_and_pauses(question, submit, lexicon):
    evidence = Evidence(
        answer_start_s=1.0, answer_end_s=11.0, pauses=(Pause(start_s=3.0, end_s=6.0),)
    )
    text = "we cache every token of the model and we never lose it now"

    delivery = grade(question, submit(text, times=True, evidence=evidence), lexicon, "b").delivery

    assert delivery.words == 13
    assert delivery.answer_s == 10.0
    assert delivery.target_s == 60.0
    assert delivery.words_per_minute == pytest.approx(13 / 10 * 60)
    assert delivery.longest_pause_s == 3.0
    # we cache ev-ery to-ken of the mod-el and we nev-er lose it now: 17 syllables in 7 s
    assert delivery.articulation_rate == pytest.approx(17 / 7, abs=0.3)


def test_when_it_began_came_to_the_point_and_paused(question, submit, lexicon):
    text = "well, I mean this is it, and the KV cache holds keys and values"
    sent = submit(text, times=True)
    words = sent.transcript.words
    between = words[text.split().index("and")].start_s
    inside = words[text.split().index("holds")].start_s
    pauses = tuple(Pause(start_s=at - 0.2, end_s=at - 0.1) for at in (between, inside))
    evidence = Evidence(answer_start_s=1.5, answer_end_s=14.0, pauses=pauses)
    sent = submit(text, times=True, evidence=evidence)

    delivery = grade(question, sent, lexicon, "b").delivery

    assert delivery.first_word_s == 1.5
    assert delivery.first_point_s == pytest.approx(
        words[text.split().index("KV")].start_s - words[0].start_s, abs=0.1
    )
    assert (delivery.pauses_between, delivery.pauses_inside) == (1, 1)
    # well I mean this is it and the K-V cache holds keys and val-ues: 17 syllables, three runs
    assert delivery.mean_run == pytest.approx(17 / 3, abs=0.7)
    assert delivery.self_corrections == 0  # "I mean" fills, and takes nothing back


def test_a_typed_answer_has_no_rates(question, submit, lexicon):
    delivery = grade(question, submit("KV cache"), lexicon, "b").delivery

    assert delivery.words_per_minute is None
    assert delivery.articulation_rate is None
    assert delivery.longest_pause_s is None
    assert delivery.answer_s is None
    assert delivery.first_word_s is delivery.first_point_s is delivery.mean_run is None
    assert delivery.pauses_inside is delivery.pauses_between is None


@pytest.mark.parametrize(
    ("word", "count"),
    [("cache", 1), ("model", 2), ("latency", 3), ("scheduled", 2), ("table", 2),
     ("serialization", 6), ("GPU".lower(), 1), ("nccl", 4), ("radio", 3), ("boxes", 2)],
)  # fmt: skip
def test_syllables(word, count):
    assert syllables(word) == count


def said(text, lexicon):
    return read_answer(text.split(), term_index(lexicon))


def test_fillers_are_counted_where_they_fill(lexicon):
    answer = said(
        "Um, so, uh, we, you know, use it, like, daily. Do you know what kind of cache? "
        "It's sort of slow. I like it.",
        lexicon,
    )

    assert [filler.text for filler in find_fillers(answer, ())] == [
        "um", "uh", "you know", "like", "sort of",
    ]  # fmt: skip


def test_repeated_starts(lexicon):
    answer = said("We we use the model the model. That that is very very good. Two two.", lexicon)

    assert [start.text for start in find_repeated_starts(answer, ())] == ["we", "the model"]


def test_style_is_noted_at_once_and_errors_are_looked_for_later(lexicon):
    text = "it sucks and it depends of the load"
    words = [Word(text=word, start_s=i, confidence=0.9) for i, word in enumerate(text.split())]
    rough = read_answer(text.split(), term_index(lexicon), strict=True)

    language = remark(said(text, lexicon), words)

    assert [(note.kind, note.start_s) for note in language.notes] == [("register", 0)]
    assert language.pending
    assert remark(rough, words) == Language()
    for rule in style_rules():
        assert [note.why for note in remark(said(rule.wrong, lexicon), ()).notes] == [rule.why]
        assert remark(said(rule.right, lexicon), ()).notes == ()
    spoken = [Word(text=w, start_s=i) for i, w in enumerate(style_rules()[0].wrong.split())]
    assert remark(said(style_rules()[0].wrong, lexicon), spoken).notes == ()


@pytest.mark.parametrize("line", TAKEN_BACK.read_text("utf-8").splitlines())
def test_what_the_speaker_takes_back_gets_no_note(question, submit, lexicon, line):
    text, count, repairs = (part.strip() for part in line.split(" |"))
    report = grade(question, submit(text, times=True), lexicon, "b")
    assert ", ".join(note.better for note in find_errors(None, report).notes) == repairs
    assert report.delivery.self_corrections == int(count)


def test_terms_get_no_note_within_them_but_of_their_forms(question, submit, lexicon, monkeypatch):
    kinds = ("false-friend", "agreement", "number", "article-choice")
    model = replace(acceptor(), rules_alone=dict.fromkeys(kinds, 0.7))
    monkeypatch.setattr("server.grading.language.checker", lambda _: Checker(weights=model))
    text = (
        "The fabric drops data, in the actual state. My uncle works in a fabric. One of the "
        "straggler was slow, and the batch size are small. It was a accelerator, and it cache the "
        "results."
    )
    phrases = (KeyPhrase(phrase="actual state"),)
    asked = question.model_copy(update={"key_phrases": phrases})
    report = grade(asked, submit(text, times=True), lexicon, "b")
    notes = find_errors(None, report, "Russian").notes
    assert [note.better for note in notes] == [
        *("in a factory", "of the stragglers", "size is small"),
        *("was an accelerator", "caches the results"),
    ]


def test_the_summary_points_at_its_evidence(question, submit, lexicon):
    report = grade(
        question, submit("We use continuous batching but we never used RoCE."), lexicon, "b"
    )

    well, work = report.summary.went_well, report.summary.work_on
    assert well[0].evidence == "coverage.phrases[0]"
    assert "continuous batching" in well[0].text
    assert "coverage.phrases[2]" in {point.evidence for point in work}
    for point in (*well, *work):
        assert eval(f"report.{point.evidence}", {"report": report}) is not None
    assert len(well) <= 3 and len(work) <= 3


def test_with_the_vectors_of_the_answer_its_structure_and_score_are_there(
    question, submit, lexicon
):
    submission = submit("I'd use continuous batching, because eight requests then share one step.")

    report = grade(question, submission, lexicon, "bank-1")

    assert report.structure is not None
    assert report.structure.kind == question.kind
    assert report.score == pytest.approx(
        sum(part.share * part.value for part in report.score_parts)
    )
    assert report == Report.model_validate_json(report.model_dump_json())


def test_a_rough_transcripts_structure_is_not_judged(question, submit, lexicon):
    submission = submit("I'd use continuous batching.", engine="pocketsphinx")
    report = grade(question, submission, lexicon, "bank-1")
    assert report.structure is not None
    assert (report.structure.parts, report.structure.is_judged) == ((), False)
    assert [(part.name, part.value > 0) for part in report.score_parts][1] == ("structure", False)


@pytest.mark.parametrize("said", ["I'd use it.", "I'd use continuous batching and sharding."])
def test_the_same_words_by_a_better_engine_never_score_less(question, submit, lexicon, said):
    rough, better = (submit(said, engine=engine) for engine in ("pocketsphinx", "faster-whisper"))
    before = grade(question, rough, lexicon, "bank-1")
    after = grade(question, better, lexicon, "bank-1")
    assert before.score is not None and after.score is not None
    assert before.score <= after.score
    assert are_like(before, after)
    assert "score is the least" in before.notices[0]


def test_a_term_said_again_and_again_has_its_worst_places_only(question, submit):
    heard = [
        HeardTerm(
            term="RoCE",
            word_index=2 * place,
            verdict="mispronounced" if place >= 20 else "correct",
            phones="R OW1 S",
            confidence=0.9,
            start_s=place,
            end_s=place + 0.5,
        )
        for place in range(25)
    ]
    submission = submit("RoCE works " * 25, evidence=Evidence(heard=tuple(heard)))
    terms = grade(question, submission, SMALL, "bank-1").pronunciation.terms
    assert [each.verdict for each in terms] == ["mispronounced"] * 5 + ["correct"] * 15
