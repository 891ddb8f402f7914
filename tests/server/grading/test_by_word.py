"""What is kept of each word."""

import pytest

from server.grading.lexis import words
from server.grading.lexis.words import by_word


def test_a_word_is_asked_for_once_until_too_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    @by_word
    def length(word: str) -> int:
        asked.append(word)
        return len(word)

    monkeypatch.setattr(words, "_MOST_WORDS", 2)
    assert [length(word) for word in ("a", "bb", "a", "ccc", "ccc", "a")] == [1, 2, 1, 3, 3, 1]
    assert asked == ["a", "bb", "ccc", "a"]


def test_a_word_that_cannot_be_judged_raises_each_time() -> None:
    @by_word
    def number(word: str) -> int:
        return int(word)

    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            number("one")
