"""Own errors of language: what is to be said right, and when it is mastered."""

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from client.audio.files import read_audio
from client.core.settings import ClientSettings
from client.practice.drills.drill_session import drill_hearing
from client.practice.drills.items import load_items, phrase_items, with_errors
from client.practice.drills.phrases import LONGEST_PROMPT, OwnError, collocations, own_errors
from pronunciation.clip import Clip
from server.contract import Language, LanguageNote, Report, Transcript
from tests.client.practice.drills.test_drill_hearing import flite

Answer = Callable[..., Report]
SUNDAY = datetime(2026, 3, 1, tzinfo=UTC)
DEPENDS = LanguageNote(
    kind="preposition",
    said="depends of the load",
    better="depends on the load",
    why='"Depend" takes "on".',
    sentence="The number of replicas depends on the load, and on the model.",
)


@pytest.fixture
def answer(make: SimpleNamespace) -> Answer:
    base: Report = make.report(make.submission(created_at=SUNDAY))

    def answered(day: int, text: str, *notes: LanguageNote, engine: str = "text") -> Report:
        changed = {
            "created_at": SUNDAY + timedelta(days=day),
            "transcript": Transcript(text=text, engine=engine),
            "language": Language(notes=notes),
        }
        return base.model_copy(update=changed)

    return answered


def right(errors: list[OwnError]) -> list[tuple[str, int, bool]]:
    return [(each.note.said, each.right, each.is_mastered) for each in errors]


def test_an_error_comes_back_until_two_later_answers_have_it_right(answer: Answer) -> None:
    wrong = answer(0, "It depends of the load.", DEPENDS)
    assert right(own_errors([wrong])) == [("depends of the load", 0, False)]
    other = answer(1, "We scale it by hand.")
    once = answer(2, "That would depend on the model.")
    assert right(own_errors([other, once, wrong])) == [("depends of the load", 1, False)]
    rough = answer(2, "It depends on the load.", engine="pocketsphinx")
    assert right(own_errors([wrong, once, rough])) == [("depends of the load", 1, False)]
    twice = answer(3, "Depending on traffic, we add two.")
    assert right(own_errors([wrong, other, once, twice])) == [("depends of the load", 2, True)]
    again = answer(4, "It depends on cost and depends of the load.", DEPENDS)
    (error,) = own_errors([wrong, once, twice, again])
    assert (error.times, error.right, error.is_mastered) == (2, 0, False)


@pytest.mark.parametrize(
    ("said", "better", "proves", "proves_not"),
    [
        ("as developer for", "as a developer for", "I was a developer", "I was developer"),
        ("the Kubernetes is", "Kubernetes is", "we run Kubernetes", "we run the Kubernetes"),
        ("discuss about the", "discuss the", "we discussed the plan", "we discuss about the plan"),
        ("he go to", "he goes to", "and he goes home", "he go home"),
        ("did a mistake", "made a mistake", "I made a mistake", "I made a plan and did it"),
        ("much servers", "many servers", "many people", "much people"),
    ],
)
def test_what_proves_that_it_is_said_right(
    answer: Answer, said: str, better: str, proves: str, proves_not: str
) -> None:
    note = DEPENDS.model_copy(update={"said": said, "better": better})
    first = answer(0, said, note)
    (found,) = own_errors([first, answer(1, proves)])
    assert found.right == 1
    (found,) = own_errors([first, answer(1, proves_not)])
    assert found.right == 0


def test_what_is_said_of_a_long_sentence_is_the_clause_around_the_repair(answer: Answer) -> None:
    long = (
        "so when we look at all of this in the end, the number of replicas depends on the load, "
        "which nobody knows before the day of the sale itself"
    )
    (error,) = own_errors([answer(0, "x", DEPENDS.model_copy(update={"sentence": long}))])
    assert error.phrase.prompt == "the number of replicas depends on the load"
    assert len(error.phrase.prompt.split()) <= LONGEST_PROMPT
    (whole,) = own_errors([answer(0, "x", DEPENDS)])
    assert whole.phrase.prompt == DEPENDS.sentence


def test_a_drill_has_the_errors_that_are_not_mastered(answer: Answer, tmp_path: Path) -> None:
    sets = load_items(ClientSettings(home=tmp_path))
    assert sets.of("language") == ()
    errors = own_errors([answer(0, "It depends of the load.", DEPENDS)])
    (item,) = with_errors(sets, [each.phrase for each in errors]).of("language")
    assert (item.term, item.sentence) == (DEPENDS.better, "You said “depends of the load”.")
    assert item.respelling(item.readings[0]) == DEPENDS.better
    assert item.respelling(item.mistakes[0].phones) == DEPENDS.said
    assert item.tip(item.mistakes[0].phones) == DEPENDS.why
    right = [answer(day, "That depends on cost.") for day in (1, 2)]
    mastered = own_errors([answer(0, "It depends of the load.", DEPENDS), *right])
    assert with_errors(sets, [each.phrase for each in mastered]).of("language") == ()


def spoken(folder: Path, text: str) -> Clip:
    flite(folder, "pau")  # skips where it is missing
    path = folder / "text.wav"
    subprocess.run(["flite", "-voice", "rms", "-t", text, "-o", str(path)], check=True)
    return read_audio(path)


def test_the_repair_and_the_error_are_told_apart_by_their_sound(
    answer: Answer, tmp_path: Path
) -> None:
    sentence, said, better = "I made a mistake there.", "I did a mistake", "I made a mistake"
    note = DEPENDS.model_copy(update={"said": said, "better": better, "sentence": sentence})
    (error,) = own_errors([answer(0, "x", note)])
    (item,) = phrase_items([error.phrase])
    hear = drill_hearing()
    right = hear(spoken(tmp_path, sentence), item)
    assert (right.verdict, item.respelling(right.phones or "")) == ("correct", better)
    wrong = hear(spoken(tmp_path, "I did a mistake there."), item)
    assert (wrong.verdict, item.respelling(wrong.phones or "")) == ("mispronounced", said)
    other = hear(spoken(tmp_path, "I had eggs for breakfast this morning."), item)
    assert other.verdict == "something_else"


def test_collocations_are_asked_without_their_verb_and_heard_against_wrong_ones(
    tmp_path: Path,
) -> None:
    phrases = collocations()
    assert len(phrases) == 60
    for each in phrases:
        assert each.right in each.prompt and each.right not in each.ask and "…" in each.ask
        assert all(wrong != each.right for wrong, _ in each.wrong)
    items = phrase_items(phrases)
    assert len({item.id for item in items}) == 60
    (item,) = (each for each in items if each.term == "make a decision")
    hear = drill_hearing()
    assert hear(spoken(tmp_path, item.prompt), item).verdict == "correct"
    wrong = hear(spoken(tmp_path, item.prompt.replace("make", "do")), item)
    assert (wrong.verdict, item.respelling(wrong.phones or "")) == (
        "mispronounced",
        "do a decision",
    )
