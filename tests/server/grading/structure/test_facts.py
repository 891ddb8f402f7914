"""What counts as concrete, by the words alone."""

import pytest

from server.grading.structure_facts import (
    Fact,
    JoinedText,
    names_in,
    pattern_of,
    plain_words,
    whole_words,
)


def _lines(*texts: str) -> JoinedText:
    return JoinedText(" ".join(plain_words(text.split())) for text in texts)


def _holds(text: str, fact: Fact) -> bool:
    return _lines(text).holding(pattern_of(fact)) == [0]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It took sixty-four GPUs, two hundred and fifty six.", "it took # gpus #"),
        ("70B for $2.5, then 78%", "# for # then #"),
        ("one hour, one pod and one of them", "# hour one pod and one of them"),
        ("the H100 and S3", "the h100 and s3"),
        ("two point one million dollars", "# dollars"),
        ("I’ve said – and meant –", "i've said  and meant "),
    ],
)
def test_plain_words(text: str, plain: str) -> None:
    assert _lines(text).text == f"\n {plain}"


@pytest.mark.parametrize(
    ("text", "is_act"),
    [
        ("I wrote a script", True),
        ("then I go to the manager and explain", True),
        ("I'd rebooted the node", True),
        ("I also moved it", True),
        ("I've put a spare in", True),
        ("I think so", False),
        ("I always make sure of it", False),
        ("I would talk to them", False),
        ("I was nervous", False),
        ("we moved it", False),
    ],
)
def test_own_acts(text: str, *, is_act: bool) -> None:
    assert _holds(text, "own_act") == is_act


@pytest.mark.parametrize(
    ("text", "calculates"),
    [
        ("two gigabytes times five hundred is one terabyte", True),
        ("each of the fifty jobs takes three minutes", True),
        ("we had fifty nodes", False),
        ("you have to calculate how much is needed", False),
    ],
)
def test_calculations(text: str, *, calculates: bool) -> None:
    assert _holds(text, "calculation") == calculates


def test_a_filler_so_is_no_reason() -> None:
    assert not _holds("so we had a meeting", "reason")
    assert _holds("it was full so nobody could write", "reason")


def test_lines_are_found_each_by_itself() -> None:
    lines = _lines(
        "we waited because it rained because", "two", "three of them", "", "because of it"
    )
    assert lines.holding(pattern_of("reason")) == [0, 4]
    assert lines.holding(pattern_of("number")) == [1, 2]
    assert lines.text.split("\n")[2:4] == [" #", " # of them"]  # no number runs over an end
    assert _lines().holding(pattern_of("reason")) == []


def test_expressions_are_whole_words_and_may_stand_at_the_start_of_a_line() -> None:
    pattern = whole_words(["^(what|that) is", "rated? by"])
    lines = _lines(
        "that is it", "now that is it", "rate by", "narrate by", "rated bytes", "rated by"
    )
    assert lines.holding(pattern) == [0, 2, 5]


def test_names_are_not_sentence_starts_nor_the_speaker() -> None:
    words = [
        "Redis",
        "was",
        "full.",
        "Then",
        "I",
        "asked",
        "Tunde,",
        "and",
        "I've",
        "moved",
        "to",
        "NVMe.",
    ]
    named = [word for word, is_name in zip(words, names_in(words), strict=True) if is_name]
    assert named == ["Tunde,", "NVMe."]
    assert names_in([]) == []
