"""The labeled judgments are themselves checked: a wrong label file would make every score lie."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parent / "judgments"
LABELS = {"covered", "partial", "missing"}
MIN_JUDGMENTS = {"dev": 330, "heldout": 330, "fresh": 450, "probe": 300}
NAMES = tuple(MIN_JUDGMENTS)
# ``probe.yaml`` asks again for what others asked for: it is about how things are said.
BALANCED = ("dev", "heldout", "fresh")
# The files are told apart by what they ask for, so nothing tuned on one is repeated in
# another; a few basics that every bank asks for may stand in two.
MAX_SHARED_PHRASES = 0.10


@cache
def entries(name: str) -> list[dict[str, Any]]:
    loaded = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, list)
    return loaded


def phrases(name: str) -> list[str]:
    return [key["phrase"] for entry in entries(name) for key in entry["phrases"]]


def labels(name: str) -> Counter[str]:
    return Counter(label for entry in entries(name) for label in entry["expect"].values())


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_has_exactly_the_agreed_fields(name: str) -> None:
    for entry in entries(name):
        assert set(entry) - {"negated"} == {"id", "phrases", "transcript", "expect"}, entry["id"]
        for key in entry["phrases"]:
            assert set(key) <= {"phrase", "aliases"}, entry["id"]
            texts = [key["phrase"], *key.get("aliases", [])]
            assert all(isinstance(text, str) and text.strip() == text != "" for text in texts)
            assert len({text.casefold() for text in texts}) == len(texts), (entry["id"], texts)


@pytest.mark.parametrize("name", NAMES)
def test_every_phrase_has_one_valid_label(name: str) -> None:
    for entry in entries(name):
        asked = [key["phrase"] for key in entry["phrases"]]
        assert len(set(asked)) == len(asked), f"{entry['id']} asks for a phrase twice"
        assert list(entry["expect"]) == asked, f"{entry['id']} labels other phrases than it asks"
        assert set(entry["expect"].values()) <= LABELS, entry["id"]


@pytest.mark.parametrize("name", NAMES)
def test_only_what_was_said_can_be_negated(name: str) -> None:
    for entry in entries(name):
        for phrase in entry.get("negated", []):
            assert entry["expect"][phrase] != "missing", (entry["id"], phrase)


@pytest.mark.parametrize("name", NAMES)
def test_entries_have_the_size_of_a_real_answer_and_question(name: str) -> None:
    for entry in entries(name):
        assert 25 <= len(entry["transcript"].split()) <= 150, entry["id"]
        assert 4 <= len(entry["phrases"]) <= 9, entry["id"]


def test_ids_are_unique_over_all_files() -> None:
    ids = Counter(entry["id"] for name in NAMES for entry in entries(name))
    assert [entry_id for entry_id, count in ids.items() if count > 1] == []


@pytest.mark.parametrize("name", NAMES)
def test_there_are_enough_judgments(name: str) -> None:
    assert labels(name).total() >= MIN_JUDGMENTS[name]


@pytest.mark.parametrize("name", BALANCED)
def test_there_are_judgments_of_every_kind(name: str) -> None:
    count = labels(name)
    total = count.total()
    assert 0.35 <= count["covered"] / total <= 0.55
    assert 0.08 <= count["partial"] / total <= 0.18
    assert 0.35 <= count["missing"] / total <= 0.55
    assert sum(len(entry.get("negated", [])) for entry in entries(name)) >= 8


@pytest.mark.parametrize(
    ("name", "other"), [("heldout", "dev"), ("fresh", "dev"), ("fresh", "heldout")]
)
def test_a_later_file_asks_for_other_things(name: str, other: str) -> None:
    asked = {phrase.casefold() for phrase in phrases(name)}
    shared = asked & {phrase.casefold() for phrase in phrases(other)}
    assert len(shared) / len(asked) <= MAX_SHARED_PHRASES, sorted(shared)


def test_no_transcript_stands_twice() -> None:
    texts = [entry["transcript"] for name in NAMES for entry in entries(name)]
    assert len(set(texts)) == len(texts)
