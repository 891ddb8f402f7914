import subprocess
import sys
from pathlib import Path

import pytest

from pronunciation.g2p import Dictionary, dictionary, dictionary_path, espeak_phones, pronunciations

AT_ONCE = """
import sys, threading
from pronunciation.g2p import espeak_phones

at_once = threading.Barrier(4)

def read(word):
    at_once.wait()
    sys.stdout.write(" ".join([word, *espeak_phones(word)]) + "\\n")

for word in sys.argv[1:]:
    threading.Thread(target=read, args=(word,)).start()
"""


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


def test_threads_that_begin_at_once_all_get_their_phones(project_root: Path) -> None:
    words = ["etcd", "kubelet", "nginx", "raft"]

    # a process of its own, because the library begins once in a process
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *words],
        cwd=project_root,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert sorted(done.stdout.splitlines()) == [
        " ".join([word, *espeak_phones(word)]) for word in words
    ]
