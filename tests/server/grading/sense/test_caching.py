from server.grading.sense.caching import by_identity


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
