"""The kept index of the lexicon: the same index, without compiling, and never out of date."""

import ast
from pathlib import Path

import pytest

from pronunciation.lexicon_loader import load_lexicon, with_terms
from pronunciation.terms import Lexicon
from server.grading import kept_terms, lexis
from server.grading.kept_terms import MADE_WITH, kept_index
from server.grading.terms import TermIndex, compile_terms

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


def _content(index: TermIndex) -> tuple[object, ...]:
    return index.by_first, index.known_words, index.expansions, index.lexicon_terms


def test_the_kept_index_is_the_compiled_one(
    lexicon: Lexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept_index(lexicon, tmp_path / "cache")
    assert _content(made) == _content(compile_terms(lexicon))
    monkeypatch.setattr(kept_terms, "compile_terms", lambda _: pytest.fail("compiled again"))
    again = kept_index(lexicon, tmp_path / "cache")
    assert _content(again) == _content(made)
    assert all(term is lexicon.get(term.term) for term in again.lexicon_terms.values())


def test_a_changed_term_is_compiled_again(lexicon: Lexicon, tmp_path: Path) -> None:
    kept_index(lexicon, tmp_path)
    term = lexicon.terms[0]
    other = with_terms(
        lexicon, [term.model_copy(update={"written_as": (*term.written_as, "qwertz")})]
    )
    assert "qwertz" not in kept_index(lexicon, tmp_path).by_first
    assert "qwertz" in kept_index(other, tmp_path).by_first


def test_a_reading_of_your_own_needs_no_new_index(
    lexicon: Lexicon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_index(lexicon, tmp_path)
    term = lexicon.terms[0]
    other = with_terms(
        lexicon, [term.model_copy(update={"readings": (*term.readings, "K W ER1 T Z")})]
    )
    monkeypatch.setattr(kept_terms, "compile_terms", lambda _: pytest.fail("compiled again"))
    terms = kept_index(other, tmp_path).lexicon_terms.values()
    assert any("K W ER1 T Z" in each.readings for each in terms)


def test_all_code_and_data_that_an_index_depends_on_is_part_of_its_name() -> None:
    found: set[Path] = set()

    def follow(module: str) -> None:
        file = (ROOT / module.replace(".", "/")).with_suffix(".py")
        if not module.startswith("server.grading.") or file in found or not file.exists():
            return
        found.add(file)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                follow(node.module)

    follow("server.grading.kept_terms")
    assert len(found) > 4
    assert found == {file for file in MADE_WITH if file.suffix == ".py"}
    assert all(file.exists() for file in MADE_WITH)
    assert Path(lexis.__file__).parent in {file.parent for file in found}
