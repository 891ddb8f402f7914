import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from server.contract import Word
from server.grading.language import tongue_of
from server.language.acceptor import acceptor
from server.language.notes import Checker

DATA = Path(__file__).parents[2] / "data" / "language"


def words(text: str, confidence: float = 0.9) -> list[Word]:
    return [
        Word(text=each, start_s=float(at), end_s=at + 0.5, confidence=confidence)
        for at, each in enumerate(text.split())
    ]


@pytest.mark.parametrize("line", (DATA / "repaired.txt").read_text("utf-8").splitlines())
def test_rules_alone_repair_the_whole_phrase(line: str) -> None:
    text, better = line.split(" > ")
    assert better in " | ".join(note.better for note in Checker().notes(words(text)))


@pytest.mark.parametrize("line", (DATA / "good.txt").read_text("utf-8").splitlines())
def test_good_english_gets_no_note_whatever_the_mother_tongue(line: str) -> None:
    tongue, _, text = line.rpartition(": ")
    assert Checker().notes(words(text), tongue or None) == []


def test_what_the_engine_is_unsure_of_is_no_error() -> None:
    unsure = words("It depends of the load.")
    unsure[2] = unsure[2].model_copy(update={"confidence": 0.3})
    assert Checker().notes(unsure) == []


def test_only_what_was_typed_can_be_spelled_wrong() -> None:
    weights = replace(acceptor(), rules_alone={"spelling": 1.0})
    spoken = words("We left becouse it failed.")
    typed = [each.model_copy(update={"start_s": None, "end_s": None}) for each in spoken]
    (note,) = Checker(weights=weights).notes(typed)
    assert (note.kind, note.better, note.sentence) == ("spelling", "left because it", "")
    assert Checker(weights=weights).notes(spoken) == []


def test_repairs_of_one_phrase_are_one_note() -> None:
    text = "We discussed about many informations and it depends of many softwares."
    one, two = Checker().notes(words(text))
    assert (one.said, one.better) == (text[3:36], "discussed a lot of information")
    assert one.sentence.endswith("a lot of information and it depends on a lot of software.")
    assert one.last <= two.first
    assert (two.better, len(two.why.split(". "))) == ("depends on a lot of software", 2)


def test_the_same_repair_is_likelier_the_more_its_speaker_errs() -> None:
    def chance(others: list[float], text: str = "word " * 30, tongue: str | None = None) -> float:
        return acceptor().chances([2.0, *others], text.split(), tongue)[0]

    assert chance([], "word " * 600) < chance([]) < chance([3.0, 3.0])
    assert chance([], tongue="en") < chance([]) < chance([], "becouse " + "word " * 29)
    assert chance([]) < chance([], tongue="de")


@pytest.mark.parametrize("line", (DATA / "tongues.txt").read_text("utf-8").splitlines())
def test_each_tongue_has_its_own_false_friends(line: str) -> None:
    tongue, text, better = re.split(": | > ", line)
    (note,) = Checker().notes(words(text), tongue_of(tongue))
    assert better in note.better
    assert Checker().notes(words(text), tongue_of("British English")) == []


@pytest.mark.parametrize("line", (DATA / "tongue_names.txt").read_text("utf-8").splitlines())
def test_a_tongue_is_known_as_people_write_it(line: str) -> None:
    code, names = line.split(": ")
    forms = [unicodedata.normalize(form, names) for form in ("NFC", "NFD")]
    found = {tongue_of(name) for each in forms for name in each.split(", ")}
    assert found == {code} and tongue_of(" ") is None
