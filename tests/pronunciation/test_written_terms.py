import pytest

from pronunciation.written_terms import find_term, plain


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
