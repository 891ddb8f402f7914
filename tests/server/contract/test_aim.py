"""The aim of a report: one thing, the gravest, and the next take is compared on it."""

import pytest

from server.contract import (
    CoverageEvidence,
    Filler,
    Language,
    LanguageNote,
    Report,
    StructurePart,
    Transcript,
    aim_of,
    aim_result,
)
from tests.server.contract.test_interviewer import ACTIONS, RESULT, SAID, phrase, report


def test_content_comes_first_and_the_next_take_is_compared_on_it() -> None:
    before = report([SAID, phrase("eviction", weight=3)])
    aim = aim_of(before)
    assert (aim.kind, aim.name) == ("content", "eviction")
    assert aim.evidence == "coverage.phrases[1]"
    said = phrase("eviction").model_copy(update={"status": "covered"})
    assert aim_result(aim, report([SAID, said])).met
    assert aim_result(aim, before).text == "“eviction” is still not said"


def test_a_phrase_that_was_perhaps_said_gets_its_name_in_the_speakers_words() -> None:
    perhaps = phrase("free list", weight=3).model_copy(
        update={
            "status": "possible",
            "confidence": 0.5,
            "evidence": CoverageEvidence(text="we keep the empty blocks"),
        }
    )
    assert aim_of(report([SAID, perhaps])).model == (
        "We keep the empty blocks, in other words: free list."
    )


def test_a_single_word_is_no_sentence_to_add_a_name_to() -> None:
    perhaps = phrase("billing outage", weight=3).model_copy(
        update={"status": "partial", "evidence": CoverageEvidence(text="billing")}
    )
    assert aim_of(report([SAID, perhaps])).model == ""


@pytest.mark.parametrize(
    ("part", "text", "model"),
    [
        (
            ACTIONS,
            "We were slow. We measured each step and we cut two. Our team was glad.",
            "I measured each step and we cut two.",
        ),
        (RESULT, "I looked at it. It went faster.", "It went faster, from … to …."),
    ],
)
def test_a_story_gets_a_model_sentence(part: StructurePart, text: str, model: str) -> None:
    assert aim_of(report([SAID], [part], kind="story", text=text)).model == model


def whole(**changes: object) -> Report:
    return report([SAID]).model_copy(update=changes)


def test_language_comes_before_delivery_where_the_content_is_there() -> None:
    note = LanguageNote(kind="collocation", said="make a photo", better="take a photo", why="so")
    light, note = note, note.model_copy(update={"kind": "article", "weight": 9.0})
    aim = aim_of(whole(language=Language(notes=(light, note))))
    assert aim.evidence == "language.notes[1]", "the weightiest, which the report shows first"
    assert (aim.kind, aim.model) == ("language", "take a photo")
    assert aim_result(aim, whole()).met


def test_fillers_are_taken_out_of_the_speakers_own_sentence() -> None:
    text = "So um I um looked at it."
    fillers = (Filler(text="um", word_index=1), Filler(text="um", word_index=3))
    delivery = report([SAID]).delivery.model_copy(update={"fillers": fillers, "answer_s": 10.0})
    aim = aim_of(whole(delivery=delivery, transcript=Transcript(text=text)))
    assert (aim.kind, aim.model) == ("delivery", "So I looked at it.")


def test_an_answer_with_everything_gets_an_aim_too() -> None:
    assert aim_of(report([SAID])).name == "brief"
