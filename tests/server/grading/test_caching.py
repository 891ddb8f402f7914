import pytest

from server.grading import caching
from server.grading.caching import by_identity, by_word


def test_the_same_objects_are_asked_for_once_and_equal_ones_again() -> None:
    asked: list[list[str]] = []

    @by_identity
    def length(words: list[str]) -> int:
        asked.append(words)
        return len(words)

    one, other = ["a", "b"], ["a", "b"]
    assert [length(one), length(one), length(other)] == [2, 2, 2]
    assert len(asked) == 2


def test_an_object_is_never_mistaken_for_one_that_is_gone() -> None:
    @by_identity
    def first(words: tuple[str, ...]) -> str:
        return words[0]

    assert [first((str(number),)) for number in range(3000)] == [str(n) for n in range(3000)]


def test_a_word_is_asked_for_once_until_too_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    @by_word
    def length(word: str) -> int:
        asked.append(word)
        return len(word)

    monkeypatch.setattr(caching, "_WORDS", 2)
    assert [length(word) for word in ("a", "bb", "a", "ccc", "ccc", "a")] == [1, 2, 1, 3, 3, 1]
    assert asked == ["a", "bb", "ccc", "a"]


def test_a_word_that_cannot_be_judged_raises_each_time() -> None:
    @by_word
    def number(word: str) -> int:
        return int(word)

    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            number("one")
