"""Names in a mere list are half said; names that are spoken of count, however dense the speech."""

import pytest

from server.contract import PhraseCoverage
from server.grading.listed import MIN_AROUND, Listing
from tests.server.grading.test_stance import judged

WRAPPED = """
Well, there's a whole lot of things out there for that, you know. There are the NCCL tests of
course, and then we have placement groups, there is EFA also, and GPUDirect RDMA, that's very
important too. I have used Prometheus and Grafana, we had DCGM as well, and obviously Kubernetes
and Slurm. You definitely want things like topology and stragglers in there also.
"""
SPOKEN = """
Before I touch the training code I run the NCCL tests on two nodes and compare the bus bandwidth
with what the cards should give. If that is low, EFA or GPUDirect RDMA is often not loaded and the
traffic falls back to TCP, which the debug log shows. If it is fine, one node is slower than the
others, so I bisect the nodes until the straggler is found and drained.
"""


def _phrase(text: str) -> PhraseCoverage:
    return judged("cloud-slow-multi-node-network", text)["NCCL tests"]


def test_a_mere_list_of_names_says_nothing_about_them() -> None:
    listed = (
        "NCCL tests, GPUDirect RDMA, EFA, security group, placement group, topology, straggler, "
        "NVLink, InfiniBand, RoCE, MTU, PFC, ECN, bandwidth, latency, profiler, DCGM, Grafana, "
        "Prometheus, logs, metrics, alerts, dashboards, Slurm, Kubernetes."
    )
    phrase = _phrase(listed)
    assert (phrase.status, phrase.how) == ("partial", "listed")


def test_names_wrapped_into_phrases_that_say_nothing_are_half_said() -> None:
    found = _phrase(WRAPPED)
    assert (found.status, found.how) == ("partial", "listed")


def test_the_same_names_in_speech_count() -> None:
    assert _phrase(SPOKEN).status == "covered"


def test_a_short_answer_is_no_list() -> None:
    words = ["NCCL", "tests,", "there", "is", "DCGM."]
    assert Listing(words).row((0, 1)) is None


@pytest.mark.parametrize("at", [0, MIN_AROUND])
def test_the_edges_of_an_answer_have_features(at: int) -> None:
    row = Listing(["word"] * MIN_AROUND + ["last"]).row((at,))
    assert row is not None and row.shape[0] == 1


def test_an_empty_answer_has_no_mention() -> None:
    assert Listing([]).row(()) is None
