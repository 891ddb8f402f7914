"""What counts as concrete, by the words alone."""

import pytest

from server.grading.structure.facts import has_fact, names_in, plain_words, text_of


def _plain(text: str) -> str:
    plain = plain_words(text.split())
    return text_of(plain, (0, len(plain)))


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
    assert _plain(text) == plain


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
    assert has_fact(_plain(text), "own_act") == is_act


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
    assert has_fact(_plain(text), "calculation") == calculates


def test_a_filler_so_is_no_reason() -> None:
    assert not has_fact("so we had a meeting", "reason")
    assert has_fact("it was full so nobody could write", "reason")


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
