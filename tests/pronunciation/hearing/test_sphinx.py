from collections.abc import Callable

from pronunciation.clip import Clip
from pronunciation.hearing.sphinx import Sphinx

BEFORE = [("W", "IY"), ("Y", "UW", "Z")]
AFTER = [("B", "IH", "T", "W", "IY", "N"), ("DH", "AH"), ("N", "OW", "D", "Z")]
READINGS = (("R", "AA", "K", "IY"), ("R", "AO", "K", "IY"), ("R", "AA", "K", "IH"))


def test_a_clip_is_heard_alike_whatever_was_heard_before(planted: Callable[[str], Clip]) -> None:
    said = planted("we-use-roce-rocky")
    alone, later = Sphinx(), Sphinx()
    later.compare(planted("we-use-roce-letters"), BEFORE, READINGS, AFTER)
    scores, again = (one.compare(said, BEFORE, READINGS, AFTER) for one in (alone, later))
    assert scores is not None
    assert again is not None
    assert scores.tolist() == again.tolist()
    assert scores[0] == 0.0
    assert max(scores[1:]) < -1.0
