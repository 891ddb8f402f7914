"""Alignment against every alignment there is, for chains and sounds small enough to try all."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pronunciation.hearing.align import Floats, States, best_path, sum_over_alignments, word_states

WORDS = st.lists(
    st.lists(st.sampled_from(["K", "AE1", "T", "S"]), min_size=1, max_size=2),
    min_size=1,
    max_size=2,
)


def all_paths(chain: States, frames: int) -> list[tuple[int, ...]]:
    """Every way of going through the chain in so many frames, by the rules' own words."""
    last = chain.labels.size - 1

    def goes_on(before: int, after: int) -> bool:
        step = after - before
        return step in (0, 1) or (step == 2 and bool(chain.may_skip_previous[after]))

    return [
        path
        for path in product(range(last + 1), repeat=frames)
        if path[0] <= 1
        and path[-1] >= last - 1
        and all(goes_on(one, other) for one, other in pairwise(path))
    ]


def scored(path: tuple[int, ...], chain: States, scores: Floats) -> float:
    return float(sum(scores[at][chain.labels[state]] for at, state in enumerate(path)))


@given(WORDS, st.integers(1, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_best_path_and_the_sum_are_those_of_all_paths(
    words: list[list[str]], frames: int, seed: int
) -> None:
    chain = word_states(words)
    scores = np.random.default_rng(seed).normal(size=(frames, 64)).astype(np.float32)
    paths = all_paths(chain, frames)
    found = best_path(scores, chain)
    if not paths:
        assert found is None
        return
    each = [scored(path, chain, scores) for path in paths]
    assert found is not None
    assert found.score == pytest.approx(max(each), abs=1e-3)
    assert tuple(found.states.tolist()) in paths
    assert scored(tuple(found.states.tolist()), chain, scores) == pytest.approx(max(each), abs=1e-3)
    (total,) = sum_over_alignments(scores, [chain])
    assert total == pytest.approx(float(np.logaddexp.reduce(each)), abs=1e-3)
