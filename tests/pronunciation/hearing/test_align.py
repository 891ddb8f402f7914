from itertools import combinations_with_replacement

import numpy as np

from pronunciation.hearing.acoustic import LABEL_INDEX, LABELS, N_CLASSES
from pronunciation.hearing.align import best_path, straight_paths, sum_over_alignments, word_states


def _scores(spoken: list[tuple[str, int]], strength: float = 3.0) -> np.ndarray:
    """Frames in which the planted phones stand out."""
    frames = [label for label, n in spoken for _ in range(n)]
    scores = np.random.default_rng(2).normal(-1, 0.5, (len(frames), N_CLASSES))
    for t, label in enumerate(frames):
        scores[t, LABEL_INDEX[label]] += strength
    return scores.astype(np.float32)


SPOKEN = [("SIL", 5), ("R", 3), ("AA", 6), ("K", 4), ("IY", 7), ("SIL", 4), ("B", 3), ("IY", 5)]


def test_labels_are_silence_and_39_phones() -> None:
    assert N_CLASSES == 40
    assert LABELS[0] == "SIL"
    assert len(set(LABELS)) == N_CLASSES


def test_the_best_path_finds_the_planted_borders() -> None:
    scores = _scores(SPOKEN)
    chain = word_states([("R", "AA1", "K", "IY0"), ("B", "IY")])
    path = best_path(scores, chain)
    assert path is not None
    assert [LABELS[i] for i in chain.labels[path.states]] == [
        p for p, n in SPOKEN for _ in range(n)
    ]
    first = np.flatnonzero(chain.word[path.states] == 0)
    assert (first[0], first[-1]) == (5, 24)


def test_a_wrong_phone_costs_a_word_its_goodness_however_short_it_is() -> None:
    said = [label for label, n in SPOKEN[:-2] for _ in range(n)]
    scores = np.zeros((len(said), N_CLASSES), np.float32)
    for frame, label in zip(scores, said, strict=True):
        frame[LABEL_INDEX[label]] = 5.0
        frame[LABEL_INDEX["L"]] = 1.0 if label == "R" else 0.0
    for frames in (scores, np.delete(scores, slice(6, 8), axis=0)):  # R of three frames, of one
        found = {}
        for phones in (("R", "AA", "K", "IY"), ("L", "AA", "K", "IY")):
            chain = word_states([phones])
            path = best_path(frames, chain)
            assert path is not None
            found[phones[0]] = path.goodness(frames, chain, 0)
        assert found == {"R": 0.0, "L": -1.0}


def test_a_moving_window_finds_the_same_path_as_all_states() -> None:
    words = [("R", "AA", "K", "IY"), ("B", "IY")] * 12
    scores = _scores(SPOKEN * 12)
    chain = word_states(words)
    full = best_path(scores, chain)
    narrow = best_path(scores, chain, width=24)
    assert full is not None and narrow is not None
    assert np.array_equal(full.states, narrow.states)


def test_too_few_frames_have_no_path() -> None:
    assert best_path(_scores([("R", 2)]), word_states([("R", "AA", "K", "IY")])) is None


def test_the_sum_over_alignments_is_the_sum_over_alignments() -> None:
    scores = _scores([("SIL", 1), ("R", 2), ("IY", 2)])
    chain = word_states([("R", "IY")])
    total = -np.inf
    n = chain.labels.size
    for path in combinations_with_replacement(range(n), len(scores)):
        steps = np.diff(path)
        if path[0] > 1 or path[-1] < n - 2 or (steps > 1).any():
            continue
        total = np.logaddexp(total, sum(scores[t, chain.labels[s]] for t, s in enumerate(path)))
    assert np.isclose(sum_over_alignments(scores, [chain])[0], total, atol=1e-3)


def test_the_reading_that_was_said_scores_highest_whatever_its_length() -> None:
    scores = _scores(SPOKEN)
    readings = [("R", "AA", "K", "IY"), ("R", "OW", "S"), ("AA", "R", "OW", "S", "IY", "IY")]
    totals = sum_over_alignments(scores, [word_states([r, ("B", "IY")]) for r in readings])
    assert totals.argmax() == 0
    assert totals[0] - np.delete(totals, 0).max() > 5


def test_many_short_chains_are_aligned_as_each_of_them_alone() -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(0.0, 2.0, (300, N_CLASSES)).astype(np.float32)
    wordings = [tuple(rng.choice(LABELS[1:], rng.integers(1, 12))) for _ in range(90)]
    starts = rng.integers(0, 240, len(wordings))
    windows = [(int(start), int(start + rng.integers(1, 60))) for start in starts]
    chains = [word_states([phones]) for phones in wordings]

    found = straight_paths(scores, [chain.labels for chain in chains], windows)

    alone = [
        best_path(scores[start:end], chain)
        for chain, (start, end) in zip(chains, windows, strict=True)
    ]
    assert 0 < sum(each is None for each in alone) < len(alone)
    for mine, other in zip(found, alone, strict=True):
        assert (mine is None) == (other is None)
        assert mine is None or other is None or mine.tolist() == other.states.tolist()
