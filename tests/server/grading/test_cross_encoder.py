"""The cross-encoder tells a phrase from its neighbors."""

from pathlib import Path

import pytest

from server.core.errors import GraderFailedError
from server.grading import cross_encoder
from server.grading.cross_encoder import CrossEncoder
from server.grading.encoder import states_of


@pytest.mark.parametrize(
    ("phrase", "said", "other"),
    [
        (
            "usage data",
            "From the usage data we saw which screens nobody opens.",
            "My phone has a data plan with unlimited usage.",
        ),
        (
            "on-call rotation",
            "Each week somebody else of us carries the pager.",
            "We never had anybody on call, and I didn't miss the rotation.",
        ),
        (
            "regression test",
            "After each fix we add a regression test, so that the bug can't come back.",
            "I would not write a regression test for that.",
        ),
    ],
)
def test_what_says_a_phrase_is_closer_than_other_senses_and_denials(
    phrase: str, said: str, other: str
) -> None:
    own, neighbor = cross_encoder.logits([(phrase, said), (phrase, other)])

    assert own > neighbor


def test_a_pair_has_the_same_logit_in_any_company() -> None:
    pairs = [
        ("error budget", "The budget of errors was spent by Tuesday."),
        ("burn rate", "The budget of errors was spent by Tuesday."),
        ("error budget", "No."),
    ]

    together = cross_encoder.logits(pairs)

    alone = [cross_encoder.logits([pair])[0] for pair in pairs]
    assert together.tolist() == pytest.approx(alone, abs=1e-5)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    text = states_of("It is gone.")

    with pytest.raises(GraderFailedError, match=r"gone\.onnx.*reinstall Aloud"):
        CrossEncoder(tmp_path / "gone.onnx").logits(text.lower, text)
