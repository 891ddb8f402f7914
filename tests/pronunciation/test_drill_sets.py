"""The drill sets: large enough, consistent, decidable, and strict about your own."""

import re
from pathlib import Path

import pytest

from pronunciation.drill_sets import SET_NAMES, load_drills, stressed_syllable
from pronunciation.lexicon_loader import LexiconError, load_lexicon
from pronunciation.phones import VOWELS, base_phone

DRILLS = load_drills()
ITEMS = [item for drill in DRILLS.values() for item in drill]

OWN = """\
set: silent-letters
items:
  - id: silent-letters-tsunami
    term: tsunami
    say: soo-NAH-mee
    readings: [S UW0 N AA1 M IY0]
    mistakes:
      - {phones: T UW0 S UW0 N AA1 M IY0, tip: "The t is silent."}
    sentence: A tsunami of alerts.
"""
OWN_STRESS = """\
set: word-stress
items:
  - id: word-stress-latency
    term: latency
    stress: 1
    say: LAY-tun-see
    readings: [L EY1 T AH0 N S IY0]
    mistakes:
      - {phones: L AH0 T EH1 N S IY0, tip: "The stress is on LAY."}
    sentence: Latency doubled.
"""


def weakened(phones: str) -> str:
    return re.sub(r"\b(?:IH|UH|ER)0", "AH0", phones)


def faults(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LexiconError) as error:
        load_drills(extra=[path])
    return str(error.value)


def test_there_are_four_sets_of_at_least_45() -> None:
    assert tuple(DRILLS) == SET_NAMES
    for name, drill in DRILLS.items():
        assert drill.name == name
        assert len(drill) >= 45
        assert all(item.set == name for item in drill)


def test_every_mistake_can_be_told_from_every_reading() -> None:
    for item in ITEMS:
        accepted = {weakened(reading) for reading in item.readings}
        assert accepted.isdisjoint(weakened(mistake.phones) for mistake in item.mistakes), item


def test_the_respelling_is_that_of_the_first_reading() -> None:
    for item in ITEMS:
        syllables = re.split(r"[\s-]+", re.split(r",? or |, | \(|;", item.say)[0])
        digits = [p[-1] for p in item.readings[0].split() if base_phone(p) in VOWELS]
        assert len(syllables) == len(digits), item
        loud = [place for place, syllable in enumerate(syllables) if syllable.isupper()]
        assert loud == [place for place, digit in enumerate(digits) if digit == "1"], item


def test_the_sentence_uses_the_word() -> None:
    for item in ITEMS:
        assert re.search(rf"(?<!\w){re.escape(item.term)}(?!\w)", item.sentence, re.I), item


def test_acronyms_take_their_readings_from_the_lexicon() -> None:
    lexicon = load_lexicon()
    for item in DRILLS["acronyms"]:
        term = lexicon.get(item.term)
        assert term is not None
        assert (item.readings, item.mistakes, item.say) == (term.readings, term.mistakes, term.say)


def test_a_replaced_term_changes_its_drill(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "- {term: RoCE, kind: word, say: ROHSS, readings: [R OW1 S], "
        "mistakes: [{phones: R AA1 K IY0, tip: Our team says ROHSS.}]}\n",
        encoding="utf-8",
    )
    item = load_drills(load_lexicon([own]))["acronyms"].get("acronyms-roce")
    assert item is not None
    assert item.readings == ("R OW1 S",)


def test_stress_items_are_stressed_elsewhere_in_the_mistake() -> None:
    for item in DRILLS["word-stress"]:
        assert item.stress == stressed_syllable(item.readings[0])
        for mistake in item.mistakes:
            assert stressed_syllable(mistake.phones) != item.stress


def test_noun_and_verb_are_each_other_s_mistake() -> None:
    pairs = 0
    drill = DRILLS["word-stress"]
    for item in drill:
        if not item.partner:
            continue
        partner = drill.get(item.partner)
        assert partner is not None
        assert (partner.term, partner.partner) == (item.term, item.id)
        assert {item.word_class, partner.word_class} & {"verb", "adjective"}
        assert item.word_class != partner.word_class
        assert item.stress != partner.stress or item.readings != partner.readings
        assert weakened(item.mistakes[0].phones) in {weakened(r) for r in partner.readings}
        pairs += 1
    assert pairs >= 30


def test_a_minimal_pair_names_its_other_word() -> None:
    for item in DRILLS["minimal-pairs"]:
        assert item.partner != item.term
        assert re.search(rf"\b{item.partner}\b", item.mistakes[0].tip), "the tip compares the two"


@pytest.mark.parametrize(
    ("phones", "syllable"), [("R IH0 K AO1 R D", 2), ("R EH1 K ER0 D", 1), ("AH0", None)]
)
def test_stressed_syllable(phones: str, syllable: int | None) -> None:
    assert stressed_syllable(phones) == syllable


def test_own_items_are_added_and_replace_by_id(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        OWN + OWN.split("items:\n")[1].replace("tsunami", "debt").replace("soo-NAH", "see-NAH"),
        encoding="utf-8",
    )
    drill = load_drills(extra=[own])["silent-letters"]
    assert len(drill) == len(DRILLS["silent-letters"]) + 1
    replaced = drill.get("silent-letters-debt")
    assert replaced is not None
    assert replaced.say == "see-NAH-mee"
    assert drill.title == DRILLS["silent-letters"].title
    added = drill.get("silent-letters-tsunami")
    assert added is not None
    assert added.prompt == "tsunami", "the term itself is shown where no prompt is given"


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "named"),
    [
        (OWN, "S UW0 N AA1 M IY0]", "S QQ1]", 6, "readings[0]: 'QQ1' is not an ARPAbet phone"),
        (OWN, "S UW0 N AA1 M IY0]", "S UW N AA1]", 6, "readings[0]: the vowel UW in"),
        (OWN, "T UW0 S UW0", "S UW0", 8, "mistakes[0].phones: 'S UW0 N AA1 M IY0' is also"),
        (OWN, "    sentence: A tsunami of alerts.\n", "", 3, "sentence: is required"),
        (OWN, "    term: tsunami\n", "    term: tsunami\n    loud: 1\n", 5, "loud: unknown field"),
        (
            OWN,
            "    term: tsunami\n",
            "    term: tsunami\n    prompt: wave\n",
            5,
            "prompt: does not",
        ),
        (OWN, "    term: tsunami\n", "    term: tsunami\n    stress: 2\n", 5, "stress: belongs to"),
        (OWN, "set: silent-letters", "set: minimal-pairs", 3, "partner: a minimal pair needs"),
        (OWN_STRESS, "stress: 1", "stress: 2", 5, "stress: the first reading is stressed on 1"),
    ],
)
def test_a_fault_names_file_line_item_and_field(
    tmp_path: Path, text: str, old: str, new: str, line: int, named: str
) -> None:
    assert old in text
    item = re.findall(r"id: (\S+)", text)[0]
    message = faults(tmp_path / "own.yaml", text.replace(old, new))
    assert f"own.yaml:{line}: {item}: {named}" in message
