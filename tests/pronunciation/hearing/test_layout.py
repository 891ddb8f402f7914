import numpy as np
import pytest

from pronunciation.hearing.align import word_states
from pronunciation.hearing.layout import candidates_of, context, lay_out, regrouped, window_by_times
from pronunciation.hearing.results import Target

CACHE = Target("cache", 2, 1, ("K AE1 SH",), ("K AE1 CH",))


def test_a_text_is_words_and_terms_without_punctuation() -> None:
    layout = lay_out(["the", "--", "cache", "here."], [CACHE])
    assert layout.phones == [("DH", "AH"), ("K", "AE", "SH"), ("HH", "IY", "R")]
    assert layout.word_index == [0, 2, 3]
    assert layout.target == [None, CACHE, None]


def test_each_reading_competes_once_as_it_was_first_given() -> None:
    target = Target("x", 0, 1, ("k ae1 sh",), ("K AE1 SH", "K  AE1 CH", "K AE1 CH", "K AE2 SH"))
    assert candidates_of(target) == ["k ae1 sh", "K  AE1 CH", "K AE2 SH"]


@pytest.mark.parametrize(("pause", "first", "left"), [(10, 0, 0), (20, 1, 25 - 15)])
def test_a_neighbor_beyond_a_pause_is_no_context(pause: int, first: int, left: int) -> None:
    """A word of 5 frames, a pause, a term of 5 frames; 15 frames of 20 ms are near."""
    owner = np.array([0] * 5 + [-1] * pause + [1] * 5 + [-1] * 4)
    assert context(owner, 1, 2, whole=False) == (first, 1, left, len(owner) - 1)


def test_words_that_ended_long_ago_are_over() -> None:
    """Three words of a second each; 4 s after its end a word may no longer be said."""
    layout = lay_out(["the", "cache", "here"], [])
    chain = word_states(layout.phones)
    allowed = window_by_times(chain, layout, [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)], 400)
    assert allowed[:250].tolist() == [0] * 250
    assert 0 < allowed[251] < allowed[301]
    assert bool((np.diff(allowed) >= 0).all())


def test_the_words_of_a_target_become_one_unit_of_an_aligned_text() -> None:
    layout = lay_out(["we", "use", "in", "fini", "band", "here"], [])
    owner = np.array([-1, 0, 0, 1, 2, 2, -1, 3, 4, 4, 5])
    target = Target("InfiniBand", 2, 3, ("IH1 N F IH0 N IY0 B AE2 N D",))

    new, units = regrouped(layout, owner, [target])

    assert new.target == [None, None, target, None]
    assert new.word_index == [0, 1, 2, 5]
    assert new.phones[2] == ("IH", "N", "F", "IH", "N", "IY", "B", "AE", "N", "D")
    assert units.tolist() == [-1, 0, 0, 1, 2, 2, -1, 2, 2, 2, 3]
