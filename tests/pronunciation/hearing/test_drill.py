from collections.abc import Callable

import numpy as np
import pytest

from pronunciation.clip import Clip
from pronunciation.errors import HearingError, PhoneError
from pronunciation.hearing import Hearing, hear_drill

Planted = Callable[[str], Clip]

RECORD = "R EH1 K ER0 D"


def test_the_term_is_heard(hearing: Hearing, planted: Planted) -> None:
    heard = hear_drill(hearing, planted("record-noun"), [RECORD], ["R IY1 K L UW0 S"])
    assert (heard.outcome, heard.phones) == ("correct", RECORD)
    assert heard.start_s is not None and heard.end_s is not None
    assert 0 <= heard.start_s < heard.end_s


def test_a_mistake_is_heard(hearing: Hearing, planted: Planted) -> None:
    heard = hear_drill(hearing, planted("record-noun"), ["R IY1 K L UW0 S"], [RECORD])
    assert (heard.outcome, heard.phones) == ("mispronounced", RECORD)


def test_something_else_was_said(hearing: Hearing, planted: Planted) -> None:
    heard = hear_drill(hearing, planted("we-use-roce-rocky"), ["K UW2 B ER0 N EH1 T IY0 Z"])
    assert heard.outcome == "something_else"


@pytest.mark.parametrize("seconds", [0.0, 0.3, 3.0])
def test_nothing_was_said(
    hearing: Hearing, silence: Callable[[float], np.ndarray], seconds: float
) -> None:
    heard = hear_drill(hearing, Clip(silence(seconds)), [RECORD])
    assert (heard.outcome, heard.phones, heard.start_s) == ("nothing", None, None)


@pytest.mark.parametrize("seed", [1, 6])
def test_steady_noise_is_nothing(hearing: Hearing, seed: int) -> None:
    """The louder it is, the less it stands out from itself."""
    noise = np.random.default_rng(seed).standard_normal(48_000) * 0.1
    heard = hear_drill(hearing, Clip(noise.astype(np.float32)), ["R AE1 N"], ["R AE1 NG"])
    assert (heard.outcome, heard.phones) == ("nothing", None)


def test_a_speech_is_no_drill(hearing: Hearing) -> None:
    with pytest.raises(HearingError, match="20 s"):
        hear_drill(hearing, Clip(np.zeros(30 * 16_000, np.float32)), [RECORD])


def test_readings_that_differ_by_stress_alone_are_told_apart(
    hearing: Hearing, planted: Planted
) -> None:
    for clip, wanted in (("record-noun", RECORD), ("record-verb", "R EH0 K ER1 D")):
        heard = hear_drill(hearing, planted(clip), [RECORD], ["R EH0 K ER1 D"])
        assert heard.phones == wanted
        small = hear_drill(hearing, planted(clip), [RECORD.lower()], ["r eh0 k er1 d"])
        assert small.phones == wanted.lower()
        assert (small.outcome, small.confidence) == (heard.outcome, heard.confidence)


def test_bad_readings_are_errors(hearing: Hearing, planted: Planted) -> None:
    clip = planted("record-noun")
    with pytest.raises(PhoneError, match="'XX'"):
        hear_drill(hearing, clip, [RECORD], ["R XX"])
    with pytest.raises(HearingError, match="no accepted reading"):
        hear_drill(hearing, clip, [], [RECORD])
