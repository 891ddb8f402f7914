"""Reading lexicon files: what is refused; each error names file, entry and field."""

import re
from pathlib import Path

import pytest

from pronunciation.lexicon_loader import LexiconError, load_lexicon, read_terms

GOOD = """\
- term: Frobnix
  kind: word
  say: FROB-niks
  readings: [F R AA1 B N IH0 K S]
  mistakes:
    - {phones: F R OW1 B N IH0 K S, tip: "A short o."}
  written_as: [frobnix, frob nix]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.yaml"


def faults(file: Path, text: str) -> str:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LexiconError) as error:
        read_terms(file)
    return str(error.value)


def test_a_good_file(file: Path) -> None:
    file.write_text(GOOD, encoding="utf-8")
    (term,) = read_terms(file)
    assert term.term == "Frobnix"
    assert term.readings == ("F R AA1 B N IH0 K S",)
    assert term.mistakes[0].tip == "A short o."
    assert term.written_as == ("frobnix", "frob nix")


def test_phones_are_normalized(file: Path) -> None:
    file.write_text(GOOD.replace("F R AA1 B", "f  r aa1 b"), encoding="utf-8")
    assert read_terms(file)[0].readings == ("F R AA1 B N IH0 K S",)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("F R AA1 B N", "F R QQ1 B N", "readings[0]: 'QQ1' is not an ARPAbet phone"),
        ("F R OW1 B", "F R OW9 B", "mistakes[0].phones: 'OW9' is not an ARPAbet phone"),
        ("F R AA1 B N", "F1 R AA1 B N", "readings[0]: the consonant F carries no stress digit"),
        ("F R AA1 B N", "F R AA B N", "readings[0]: the vowel AA in"),
        ("F R AA1 B N", "F R AA2 B N", "readings[0]: no vowel in"),
        ("F R AA1 B N IH0 K S", "F R B N K S", "readings[0]: 'F R B N K S' has no vowel"),
        ("F R OW1 B", "F R OW0 B", "mistakes[0].phones: no vowel in"),
        ("[F R AA1 B N IH0 K S]", "[]", "readings: needs at least 1"),
        ("kind: word", "kind: wurd", "kind: "),
        ("say: FROB-niks", "say: ''", "say: "),
        ("say: FROB-niks", "say: 7", "say: "),
        ("say: FROB-niks", "sai: FROB-niks", "sai: unknown field"),
        ("  say: FROB-niks\n", "", "say: is required"),
        (', tip: "A short o."', "", "mistakes[0].tip: is required"),
        (', tip: "A short o."', ', tip: "x", why: y', "mistakes[0].why: "),
        ("F R OW1 B N", "F R AA1 B N", "mistakes[0].phones: 'F R AA1 B N IH0 K S' is also"),
        ("[frobnix, frob nix]", "[frobnix, Frobnix]", "written_as: one appears twice"),
        ("[frobnix, frob nix]", "[no]", "written_as[0]: "),
        ("[F R AA1 B N IH0 K S]", "[F AA1, f aa1]", "readings: one appears twice"),
    ],
)
def test_a_fault_names_file_entry_and_field(file: Path, old: str, new: str, named: str) -> None:
    assert old in GOOD
    message = faults(file, GOOD.replace(old, new))
    assert re.search(rf"^own\.yaml:\d+: Frobnix: {re.escape(named)}", message, re.MULTILINE)
    assert "Value error" not in message


def test_all_faults_are_reported_at_once(file: Path) -> None:
    text = GOOD.replace("kind: word", "kind: wurd") + GOOD.replace("Frobnix", "Other").replace(
        "F R OW1 B", "F R OW9 B"
    )
    assert [line.split(": ")[1] for line in faults(file, text).splitlines()] == ["Frobnix", "Other"]


def test_a_mistake_that_appears_twice(file: Path) -> None:
    mistake = '    - {phones: F R OW1 B N IH0 K S, tip: "A short o."}\n'
    assert "Frobnix: mistakes: one appears twice" in faults(
        file, GOOD.replace(mistake, mistake * 2)
    )


def test_a_term_in_two_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yml"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    with pytest.raises(LexiconError, match=r"b\.yml:1: Frobnix: term: 'Frobnix' is already in a"):
        read_terms(tmp_path)


def test_own_terms_are_added_and_replace_by_name(file: Path) -> None:
    built_in = load_lexicon()
    own = GOOD + GOOD.replace("Frobnix", "roce").replace("FROB-niks", "ROHSS")
    file.write_text(own, encoding="utf-8")
    lexicon = load_lexicon([file])
    assert len(lexicon) == len(built_in) + 1
    replaced = lexicon.get("RoCE")
    assert replaced is not None
    assert replaced.say == "ROHSS"
    assert lexicon.get("Frobnix") is not None
    assert lexicon.version != built_in.version
    assert load_lexicon().get("Frobnix") is None, "the built-in lexicon is left as it was"
    assert load_lexicon() is load_lexicon(), "and made once"


def test_the_later_file_wins(tmp_path: Path) -> None:
    for name, say in (("a.yaml", "FIRST"), ("b.yaml", "SECOND")):
        (tmp_path / name).write_text(GOOD.replace("FROB-niks", say), encoding="utf-8")
    term = load_lexicon([tmp_path / "a.yaml", tmp_path / "b.yaml"]).get("frobnix")
    assert term is not None
    assert term.say == "SECOND"


def test_the_version_depends_on_the_content_alone() -> None:
    assert load_lexicon().version == load_lexicon().version


@pytest.mark.parametrize("name", ["RoCE", "roce", "ROCE"])
def test_a_term_is_found_whatever_its_case(name: str) -> None:
    term = load_lexicon().get(name)
    assert term is not None
    assert term.term == "RoCE"


def test_an_unknown_term_is_none() -> None:
    assert load_lexicon().get("no such term") is None
