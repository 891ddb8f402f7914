"""What docs/lexicon.md shows is what the loaders take and say."""

import re
from pathlib import Path

import pytest

from pronunciation.drill_sets import DrillItem, load_drills
from pronunciation.lexicon_loader import LexiconError, load_lexicon, read_terms
from pronunciation.phones import CONSONANTS, VOWELS
from pronunciation.terms import Term

PAGE = Path(__file__).parents[2] / "docs" / "lexicon.md"
if not PAGE.exists():
    pytest.skip("the docs are not part of this installation", allow_module_level=True)
TEXT = PAGE.read_text(encoding="utf-8")
TERM_EXAMPLE, DRILL_EXAMPLE = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


def test_the_example_of_a_term_is_a_lexicon(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(TERM_EXAMPLE, encoding="utf-8")
    (term,) = read_terms(file)
    built_in = load_lexicon().get("RoCE")
    assert built_in is not None
    assert (term.readings, term.written_as) == (built_in.readings, built_in.written_as)


def test_the_example_of_a_drill_is_a_drill_set(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(DRILL_EXAMPLE, encoding="utf-8")
    item = load_drills(extra=[file])["word-stress"].get("word-stress-record-noun")
    assert item is not None
    assert item.readings == ("R EH1 K ER0 D", "R EH1 K AH0 D")


@pytest.mark.parametrize("model", [Term, DrillItem])
def test_every_field_is_described(model: type[Term] | type[DrillItem]) -> None:
    for field in model.model_fields:
        assert f"`{field}`" in TEXT or field == "set"


def test_every_phone_is_described() -> None:
    section = TEXT.split("### Phones")[1].split("###")[0]
    for phone in [*VOWELS, *CONSONANTS]:
        assert re.search(rf"[`\s]{phone}[01]?[`\s]", section), phone


@pytest.mark.parametrize(
    ("old", "new"),
    [("- R AO1 K IY0", "- R AA K IY0"), ("phones: R OW1 S", "phones: R AA1 K IY0")],
)
def test_the_faults_read_as_shown(tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "my-terms.yaml"
    file.write_text(TERM_EXAMPLE.replace(old, new), encoding="utf-8")
    with pytest.raises(LexiconError) as error:
        read_terms(file)
    assert str(error.value) in TEXT
