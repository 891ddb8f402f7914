import pytest

from pronunciation.hearing.compounds import Names, take_apart

NAMES = Names(("GPU", "RoCE", "InfiniBand", "KV cache", "on-demand", "all-reduce", "H100"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a GPU-bound job", "a GPU bound job"),
        ("RoCE/InfiniBand, mostly", "RoCE InfiniBand, mostly"),
        ("two non-GPUs.", "two non GPUs."),
        ("KV-cache-aware", "KV cache aware"),
        ("KV-caches, on-demand All-Reduces", "KV-caches, on-demand All-Reduces"),
        ("job-covids, 160-pibillion e-mail", "job covids, 160 pibillion e-mail"),
        ("on 2GPUs, 16GB, 4x", "on 2 GPUs, 16GB, 4x"),
        ("3items at 2EPU", "3items at 2 EPU"),
        ("80H100s, H100, 2x4a GPU1,", "80 H100s, H100, 2x4a GPU 1,"),
        ("LAMMA3 v100", "LAMMA 3 v100"),
        ("Q-depth, x-ray, T-shirt.", "Q depth, x-ray, T-shirt."),
        ("the GPU.then v1.2 e.g. my.file", "the GPU then v1.2 e.g. my.file"),
        ("log-on well-known 3/4 - GPU-", "log-on well-known 3/4 - GPU-"),
    ],
)
def test_compounds_of_a_name_or_a_made_up_word_are_taken_apart(text: str, words: str) -> None:
    assert take_apart(text.split(), NAMES).words == tuple(words.split())


def test_a_place_is_told_as_the_text_counts() -> None:
    parts = take_apart(["so", "RoCE/InfiniBand", "or", "KV", "cache-aware"], NAMES)
    assert parts.words == ("so", "RoCE", "InfiniBand", "or", "KV", "cache", "aware")
    assert parts.whole == (0, 1, 1, 2, 3, 4, 4)
    assert [parts.place(1, 1), parts.place(2, 1), parts.place(4, 2)] == [(1, 1), (1, 1), (3, 2)]
