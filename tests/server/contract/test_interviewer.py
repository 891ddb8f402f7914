"""What is asked after an answer: the gravest gap, never what was said, two questions at most."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import pytest

from question_bank.models import Kind, Probe
from server.contract import (
    Coverage,
    CoverageEvidence,
    Delivery,
    FollowUp,
    FollowUpReport,
    PhraseCoverage,
    Pronunciation,
    Report,
    ScorePart,
    Structure,
    StructurePart,
    Transcript,
    aim_of,
)
from server.contract.interviewer import next_follow_up

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def report(
    phrases: Sequence[PhraseCoverage] = (),
    parts: Sequence[StructurePart] = (),
    *,
    kind: Kind = "explain",
    text: str = "I would look at it, for example on one card",
    score: float = 0.5,
    off: float = 0.0,
    asked: Sequence[FollowUp] = (),
    probes: Sequence[Probe] = (),
) -> Report:
    said = CoverageEvidence(text="the cache is never larger than the prompt")
    return Report(
        question_id="kv-cache",
        created_at=NOW,
        grader_version="5",
        bank_version="1",
        transcript=Transcript(text=text),
        score=score,
        score_parts=(ScorePart(name="sounds wrong", share=off, value=-1.0),) if off else (),
        doubted=said if off else None,
        coverage=Coverage(score=0.5, phrases=tuple(phrases)),
        structure=Structure(kind=kind, parts=tuple(parts), score=0.0),
        pronunciation=Pronunciation(),
        delivery=Delivery(words=9, target_s=60),
        probes=tuple(probes),
        follow_ups=tuple(
            FollowUpReport(submission_id="0", asked=each, transcript=Transcript(text="so"))
            for each in asked
        ),
    )


def follow_up(of: Report, prompt: str = "", perhaps: Collection[str] = ()) -> FollowUp:
    found = next_follow_up(of, prompt, perhaps=perhaps)
    assert found is not None
    return found


def phrase(name: str, *, weight: float = 1.0, chance: float = 0.0) -> PhraseCoverage:
    return PhraseCoverage(phrase=name, status="missing", confidence=chance, weight=weight)


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("The invoice is empty. What now?", "I would parse it"),
        ("Why is it even worse with GPUs?", "I would apply it"),
        ("How do you decide in the end?", "What decides is the team"),
    ],
)
def test_a_question_that_follows_nothing_said_or_was_answered_comes_later(
    first: str, text: str
) -> None:
    asks = [phrase(each).model_copy(update={"follow_up": each}) for each in (first, "How?")]
    assert follow_up(report(asks, text=text), "This is the plan.").ask == "How?"


SAID = PhraseCoverage(phrase="paged attention", status="covered", weight=3.0)
KEPT = StructurePart(name="reason", status="said")
ACTIONS = StructurePart(name="own actions", status="missing", ask="What did you do?", weight=3)
RESULT = StructurePart(name="result", status="missing", ask="What came of it?", weight=3)


def test_the_heaviest_phrase_that_is_missing_is_asked_about() -> None:
    found = next_follow_up(report([SAID, phrase("batching"), phrase("eviction", weight=2)]))
    assert found == FollowUp(
        kind="phrase", about="eviction", ask="What about eviction? How does that come in here?"
    )
    gap = phrase("eviction").model_copy(update={"follow_up": "Who loses their place?"})
    assert follow_up(report([SAID, gap])).ask == "Who loses their place?"


def test_nothing_is_asked_that_was_said_or_perhaps_said() -> None:
    assert next_follow_up(report([SAID, phrase("eviction", chance=0.3)])) is None
    denied = phrase("eviction").model_copy(update={"negated": True})
    assert next_follow_up(report([SAID, denied])) is None
    told = phrase("eviction").model_copy(update={"when_asked": CoverageEvidence(text="evict")})
    assert next_follow_up(report([SAID, told])) is None


def test_no_phrase_is_asked_about_that_may_yet_be_heard_in_the_sound() -> None:
    gaps = [SAID, phrase("batching"), phrase("eviction", weight=2)]
    assert follow_up(report(gaps), perhaps={"eviction"}).about == "batching"


def test_a_phrase_of_which_no_word_was_said_is_asked_about_sooner() -> None:
    gap = phrase("eviction of blocks", chance=0.2)
    assert follow_up(report([SAID, gap])).about == "eviction of blocks"
    for text in ("I would evict a block", "the blocks are thrown out"):
        assert next_follow_up(report([SAID, gap], text=text)) is None


def test_after_an_answer_to_another_question_it_is_asked_again() -> None:
    off = report([phrase("eviction")]).model_copy(update={"off_topic": True})
    ask = follow_up(off, "Memory runs out. Who loses their place?").ask
    assert ask.endswith("my question. Who loses their place?")


def test_nothing_is_asked_about_a_story_that_was_not_told() -> None:
    begin = StructurePart(name="situation", status="missing", ask="When was it?")
    gaps = [phrase("measured result", weight=3)]
    assert follow_up(report(gaps, [begin], kind="story")).ask == "When was it?"


def test_whoever_says_we_is_asked_what_they_did() -> None:
    text = "We had a slow job and we measured it and then we fixed it in our team"
    found = follow_up(report([SAID], [ACTIONS], kind="story", text=text))
    assert found.kind == "own_part" and found.ask.startswith("You said “we”.")
    for text in ("I looked at it", "For us our login was down, so our users called us in our team"):
        found = follow_up(report([SAID], [ACTIONS], kind="story", text=text))
        assert found.ask == "What did you do?"


def test_a_number_or_an_example_is_asked_for_where_there_is_none() -> None:
    assert follow_up(report([SAID], [RESULT], kind="story")).kind == "number"
    part = StructurePart(name="example or number", status="missing", ask="Can you give an example?")
    assert follow_up(report([SAID], [part], text="it moves the data around")).kind == "example"


def test_what_sounds_wrong_is_challenged_with_its_words() -> None:
    found = follow_up(report([SAID], score=0.3, off=0.6))
    assert found.kind == "challenge" and "“the cache is never larger than the prompt”" in found.ask
    told = report([SAID], kind="story", score=0.3, off=0.6)
    assert next_follow_up(told) is None, "who else can know?"
    for score, off in ((0.5, 0.6), (0.3, 0.4)):  # mostly right, or only vague
        right = report([SAID, phrase("eviction")], score=score, off=off)
        assert follow_up(right).about == aim_of(right).name == "eviction"


def test_after_a_good_answer_an_expert_digs_deeper() -> None:
    probes = [Probe(ask=f"Why {each}?", expects=f"{each}.") for each in ("A", "B")]
    limit = StructurePart(name="limit", status="missing", ask="When would it fail?")
    cost = StructurePart(name="cost", status="missing", ask="What does it cost?")
    stock = StructurePart(name="trade-off", status="missing", ask="Which other option?")
    cases: list[tuple[float, Kind, list[StructurePart], str]] = [
        (0.9, "explain", [limit, *[KEPT] * 4], "Why A?"),
        (0.5, "explain", [limit, *[KEPT] * 4], "Why A?"),
        (0.3, "explain", [limit, *[KEPT] * 4], "When would it fail?"),
        (0.8, "design", [cost, *[KEPT] * 4], "What does it cost?"),
        (0.8, "design", [stock, *[KEPT] * 4], "Why A?"),
        (0.3, "explain", [KEPT], "Why A?"),
    ]
    for score, kind, parts, ask in cases:
        assert follow_up(report([SAID], parts, kind=kind, score=score, probes=probes)).ask == ask
    gap = report([*[SAID] * 4, phrase("eviction")], [limit, *[KEPT] * 4], score=0.9, probes=probes)
    assert follow_up(gap).about == "eviction"
    first = FollowUp(kind="probe", ask="In the model's words: why A?", about="A.", by_model=True)
    small = [limit, *[KEPT] * 20]
    found = next_follow_up(report([SAID], small, score=0.9, probes=probes, asked=[first]))
    assert found == FollowUp(kind="probe", ask="Why B?", about="B.")
    assert next_follow_up(report([SAID], small, score=0.3, probes=probes, asked=[first])) is None


def test_a_phrase_of_a_weak_answer_that_is_named_is_not_asked_about() -> None:
    gap = phrase("unique and null tests", chance=0.4).model_copy(update={"status": "possible"})
    for text, asked in (("We test unique keys and null values", False), ("We test", True)):
        found = next_follow_up(report([gap], score=0.1, off=0.4, text=text))
        assert (found is not None and found.about == gap.phrase) == asked


def test_two_are_asked_and_the_second_about_something_else() -> None:
    gaps = [SAID, phrase("batching", weight=2), phrase("eviction", weight=2)]
    first = follow_up(report(gaps))
    second = follow_up(report(gaps, asked=[first]))
    assert second.about != first.about
    assert next_follow_up(report(gaps, asked=[first, second])) is None
