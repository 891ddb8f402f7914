"""Likeness under a table in which a P is often written for an F, and an IY put in."""

import numpy as np
import pytest

from pronunciation.hearing.acoustic import LABEL_INDEX, N_CLASSES
from pronunciation.hearing.layout import Phones
from pronunciation.hearing.misspelled import Misspellings, indices
from pronunciation.hearing.respelled import respelled_model

FAST: Phones = ("F", "AE", "S", "T")
PAST: Phones = ("P", "AE", "S", "T")
MAST: Phones = ("M", "AE", "S", "T")
WE: Phones = ("W", "IY")


@pytest.fixture
def misspellings() -> Misspellings:
    written_as = np.full((N_CLASSES, N_CLASSES), 0.001)
    np.fill_diagonal(written_as, 0.8)
    written_as[LABEL_INDEX["F"], LABEL_INDEX["P"]] = 0.3
    left_out, put_in = np.full(N_CLASSES, 0.01), np.full(N_CLASSES, 0.001)
    left_out[LABEL_INDEX["T"]] = 0.3
    put_in[LABEL_INDEX["IY"]] = 0.02
    return Misspellings(written_as, left_out, put_in, np.full(N_CLASSES, 1 / N_CLASSES))


def test_a_likely_misspelling_is_likelier_than_another(misspellings: Misspellings) -> None:
    same, as_p, as_m = (
        misspellings.likeness([FAST], indices(written))[0] for written in (FAST, PAST, MAST)
    )
    assert same == pytest.approx(4 * np.log(0.8 * N_CLASSES))
    assert as_p == pytest.approx(same + np.log(0.3 / 0.8))
    assert as_m == pytest.approx(same + np.log(0.001 / 0.8))


def test_phones_are_left_out_and_put_in(misspellings: Misspellings) -> None:
    same = misspellings.likeness([FAST], indices(FAST))[0]
    no_t, _ = misspellings.likeness([FAST], indices(FAST[:-1]))
    with_vowel, _ = misspellings.likeness([FAST], indices(("F", "AE", "S", "IY", "T")))
    assert no_t == pytest.approx(same + np.log(0.3) - np.log(0.8 * N_CLASSES))
    assert with_vowel == pytest.approx(same + np.log(0.02 * N_CLASSES))


def test_a_term_stands_within_what_was_written(misspellings: Misspellings) -> None:
    written = indices((*WE, *PAST, *WE))

    scores, starts = misspellings.best_ends([MAST, FAST], written)
    end = int(scores[:, 1].argmax())

    assert (int(starts[end, 1]), end) == (2, 5)
    assert scores[end, 1] > scores[:, 0].max()
    whole, part = misspellings.likeness([FAST], written)
    assert part == pytest.approx(scores[end, 1])
    assert whole < part - 5


def test_no_term_goes_over_a_break(misspellings: Misspellings) -> None:
    written = indices(FAST)
    free, _ = misspellings.best_ends([FAST], written)
    broken, _ = misspellings.best_ends([FAST], written, breaks=[2])
    assert broken[-1, 0] < free[-1, 0] - 5


def test_the_likeliest_wording_counts(misspellings: Misspellings) -> None:
    both = misspellings.likeness([MAST, FAST], indices(FAST))
    assert both == misspellings.likeness([FAST], indices(FAST))
    assert misspellings.likeness([FAST], indices(())) < (-1e6, -1e6)


def test_many_at_once_are_as_likely_as_one_by_one(misspellings: Misspellings) -> None:
    pairs = [
        ([FAST], indices((*WE, *PAST))),
        ([MAST, PAST, FAST], indices(FAST[1:])),
        ([WE], indices(())),
        ([FAST, WE], indices(WE)),
    ]
    assert misspellings.likenesses(pairs) == [misspellings.likeness(*pair) for pair in pairs]
    assert misspellings.likenesses([]) == []


def test_a_table_is_read_as_it_was_written(misspellings: Misspellings) -> None:
    again = Misspellings.from_table(misspellings.table())
    for name in ("written_as", "left_out", "put_in", "anywhere"):
        assert getattr(again, name) == pytest.approx(getattr(misspellings, name), abs=1e-3)


def test_the_shipped_table_has_probabilities() -> None:
    shipped = respelled_model().misspellings
    kept = shipped.written_as.sum(axis=1) + shipped.left_out
    assert (kept < 1.05).all()
    assert shipped.anywhere.sum() == pytest.approx(1.0, abs=0.02)
    assert shipped.written_as[LABEL_INDEX["TH"], LABEL_INDEX["TH"]] < 0.9
