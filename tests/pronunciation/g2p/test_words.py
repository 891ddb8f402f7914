import pytest

from pronunciation.g2p.words import (
    Dictionary,
    dictionary,
    dictionary_path,
    find_term,
    plain,
    pronunciations,
)


def test_the_dictionary_is_searched_as_if_it_had_been_read() -> None:
    words: dict[str, list[tuple[str, ...]]] = {}
    for line in dictionary_path().read_text(encoding="utf-8").splitlines():
        name, *phones = line.split()
        word = name.split("(")[0] if name.endswith(")") else name
        words.setdefault(word, []).append(tuple(phones))

    assert list(dictionary()) == list(words) == sorted(words)
    assert len(dictionary()) == len(words) > 100_000
    assert dict(dictionary().items()) == {word: tuple(said) for word, said in words.items()}
    for word in [*[*words][::97], "'bout", "read", "zywicki"]:
        assert dictionary()[word] == tuple(words[word])


@pytest.mark.parametrize("word", ["", "'", "reax", "readx", "read(2)", "zzzz", "~", "ß"])
def test_what_the_dictionary_lacks(word: str) -> None:
    assert word not in dictionary()
    assert dictionary().get(word) is None


def test_small_dictionaries() -> None:
    assert dict(Dictionary("")) == {}
    assert dict(Dictionary("a AH\na(2) EY\nb B IY")) == {
        "a": (("AH",), ("EY",)),
        "b": (("B", "IY"),),
    }


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("hello,", "HH AH L OW"),
        ("QPS", "K Y UW P IY EH S"),
        ("RDMA's", "AA R D IY EH M EY Z"),
        ("42", "F AO R T IY T UW"),
        ("it’s", "IH T S"),
        ("all-reduce", "AO L R AH D UW S"),
    ],
)
def test_how_a_word_is_said(word: str, phones: str) -> None:
    assert " ".join(pronunciations(word)[0]) == phones


def test_a_word_of_no_dictionary_is_said_by_rule() -> None:
    (phones,) = pronunciations("grafanish")
    assert phones[:2] == ("G", "R")
    assert phones[-2:] == ("IH", "SH")


def test_punctuation_is_not_said() -> None:
    assert pronunciations("—") == ()


def test_plain_keeps_what_belongs_to_a_name() -> None:
    assert plain('"C++,') == "c++"


@pytest.mark.parametrize(
    ("text", "term", "places"),
    [
        ("We use RoCE, here", "RoCE", [(2, 1)]),
        ("roce and RoCE's limits", "RoCE", [(0, 1), (2, 1)]),
        ("All-Reduce or all reduce", "AllReduce", [(0, 1), (2, 2)]),
        ("the KV cache is", "KV cache", [(1, 2)]),
        ("two GPUs.", "GPU", [(1, 1)]),
        ("a fabric", "RoCE", []),
        ("the processor", "process", []),
        ("I am sure, and so am I", "IAM", []),
        ("so am I, says A M I", "AMI", [(4, 3)]),
        ("the one in red is slow", "Redis", []),
        ("my SQL or kube flow", "MySQL", [(0, 2)]),
        ("my SQL or kube flow", "KubeFlow", [(3, 2)]),
        ("on demand", "on-demand", [(0, 2)]),
    ],
)
def test_where_a_term_stands(text: str, term: str, places: list[tuple[int, int]]) -> None:
    assert find_term(text.split(), term) == places


@pytest.mark.parametrize(
    ("text", "term", "is_there"),
    [
        ("fewer PCIe lanes", "LAN", False),
        ("two LANs", "LAN", True),
        ("the DNSes", "DNS", True),
        ("both caches", "cache", True),
    ],
)
def test_a_plural_is_written_as_english_writes_it(text: str, term: str, is_there: bool) -> None:
    assert bool(find_term(text.split(), term)) is is_there
