"""A program's bank as text: what it brings, what is wrong with it, and in which line."""

from textwrap import dedent

import pytest

from pronunciation.terms import Lexicon
from question_bank.models import Bank
from server.bank_versions.check import check_answers
from server.bank_versions.text import MAX_TEXT_BYTES, Draft, DraftError, Fault, read_draft
from tests.server.conftest import make_bank

BELOW = (make_bank(), Lexicon(version="lexicon-1", terms=()))

BANK = """\
# our own questions
- id: paging
  round: coding
  topic: Memory
  prompt: How do you page a cache?
  model_answer: I use paged attention.
  key_phrases:
    - phrase: paged attention
---
role: ml-engineer
questions:
  - id: queues
    round: coding
    topic: Schedulers
    prompt: How do you schedule?
    model_answer: I use fair queueing.
    key_phrases:
      - phrase: fair queueing
        aliases: [weighted fair queueing]
"""

LEXICON = """\
- term: vLLM
  kind: hybrid
  say: VEE-el-el-em
  readings: [V IY1 EH2 L EH2 L EH1 M]
"""


def read(bank: str = "", lexicon: str = "") -> Draft:
    return read_draft(BELOW, dedent(bank), dedent(lexicon))


def faults(bank: str = "", lexicon: str = "") -> list[Fault]:
    with pytest.raises(DraftError) as caught:
        read(bank, lexicon)
    return caught.value.faults


def test_several_documents_are_laid_over_the_bank_below() -> None:
    draft = read(BANK, LEXICON)
    assert [each.id for each in draft.questions] == ["paging", "queues"]
    assert draft.bank.question("kv-cache") == BELOW[0].question("kv-cache")
    queues = draft.bank.question("queues")
    assert queues is not None and queues.role == "ml-engineer"
    assert draft.bank.version != BELOW[0].version
    assert draft.lexicon.get("vllm") is not None
    assert draft.lexicon.version != BELOW[1].version
    assert [each.term for each in draft.terms] == ["vLLM"]


def test_empty_texts_are_the_bank_below() -> None:
    draft = read("", "  \n")
    assert (draft.bank, draft.lexicon) == BELOW
    assert draft.questions == draft.terms == ()


def test_windows_line_ends_change_nothing() -> None:
    assert read(BANK.replace("\n", "\r\n")).bank == read(BANK).bank


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("prompt: How do you page a cache?", "prompt: ''", 5, "prompt: must not be empty"),
        ("topic: Schedulers", "topic: Cooking", 14, "'Cooking' is not a topic of ml-engineer"),
        ("- phrase: fair queueing", "- phrase: '…'", 18, "nobody can say it"),
        ("[weighted fair queueing]", "['…']", 19, "nobody can say it"),
        ("Schedulers", "Schedulers\n    difficulty: 9", 15, "must be 5 or less"),
        ("id: queues", "id: paging", 12, "is already used in this text"),
        ("    round: coding\n    topic: Sch", "    topic: Sch", 12, "round: is required"),
        ("role: ml-engineer", "role: [ml-engineer]", 10, "must be the id of a role"),
        ("  topic: Memory", "  topic: [Memory", 5, "not valid YAML"),
        ("- id: paging", "- id: &a paging", 2, "anchors"),
        ("  topic: Memory", "  topic: Memory\n  topic: More", 5, "appears twice"),
    ],
)
def test_a_fault_is_told_with_its_line(before: str, after: str, line: int, said: str) -> None:
    assert before in BANK
    found = faults(BANK.replace(before, after, 1))
    assert [(each.part, each.line) for each in found] == [("bank", line)]
    assert said in found[0].text
    assert ".yaml" not in found[0].text


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("kind: hybrid", "kind: shouted", 2, "kind"),
        ("V IY1 EH2 L", "V XX1 EH2 L", 4, "XX1"),
        ("V IY1 EH2 L EH2 L EH1 M", "V L M", 4, "no vowel"),
        ("say: VEE-el-el-em", "say: VEE: el", 3, "mapping values"),
    ],
)
def test_a_fault_of_the_lexicon_is_told_with_its_line(
    before: str, after: str, line: int, said: str
) -> None:
    assert before in LEXICON
    found = faults("", LEXICON.replace(before, after, 1))
    assert [(each.part, each.line) for each in found] == [("lexicon", line)]
    assert said in found[0].text
    assert ".yaml" not in found[0].text and "<" not in found[0].text


def test_all_faults_of_both_texts_are_told_at_once() -> None:
    found = faults(BANK.replace("round: coding", "round: cooking"), LEXICON + LEXICON)
    assert [(each.part, each.line) for each in found] == [("bank", 3), ("bank", 13), ("lexicon", 5)]


@pytest.mark.parametrize(
    "text",
    [
        "- !!binary aGVsbG8=\n  x: 1",
        "- id: 2026-99-99",
        "? [a]\n: b",
        "\x00",
        "\ud800",
        "---\n" * 100 + "- id: x",
        "text",
        "x" * (MAX_TEXT_BYTES + 1),
        "\n---\n- a".join(["- a"] * 200),
        "%YAML 9.9\n---\n- a",
    ],
    ids=range(10),
)
def test_nonsense_is_refused(text: str) -> None:
    assert any(each.part == "bank" for each in faults(text))
    assert any(each.part == "lexicon" for each in faults("", text))


def test_a_document_never_leaves_its_folder() -> None:
    found = faults("role: ../../etc/passwd\nquestions: []\n")
    assert all("root:" not in each.text for each in found)


def test_model_answers_are_graded_with_the_line_of_the_answer() -> None:
    bad = BANK.replace("I use fair queueing.", "I do nothing of the kind.")
    done: list[tuple[int, int]] = []
    found = list(check_answers(read(bad), lambda *at: done.append(at)))
    assert [(each.part, each.line) for each in found] == [("bank", 16)]
    assert "does not cover its own 'fair queueing'" in found[0].text
    assert done == [(1, 2), (2, 2)]
    assert list(check_answers(read(BANK))) == []


def test_the_bank_below_stays_as_it_is() -> None:
    before: Bank = BELOW[0].model_copy()
    read(BANK.replace("id: paging", "id: kv-cache"))
    assert BELOW[0] == before
