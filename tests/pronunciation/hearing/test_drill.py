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


@pytest.mark.parametrize("slope", [-1.0, 0.0, 1.0, 2.0])
@pytest.mark.parametrize("seconds", [0.4, 3.0])
def test_steady_noise_of_any_color_is_nothing(
    hearing: Hearing, slope: float, seconds: float
) -> None:
    for seed in range(6):
        spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(round(seconds * 16_000)))
        noise = np.fft.irfft(spectrum / np.arange(1, spectrum.size + 1) ** (slope / 2))
        clip = Clip((0.3 * noise / np.abs(noise).max()).astype(np.float32))
        heard = hear_drill(hearing, clip, ["R AE1 N"], ["R AE1 NG"])
        assert (heard.outcome, heard.phones) == ("nothing", None)


def test_a_word_in_noise_as_loud_as_itself_is_heard(hearing: Hearing, planted: Planted) -> None:
    word = planted("record-noun").samples
    noise = np.random.default_rng(2).standard_normal(word.size) * np.sqrt((word**2).mean())
    heard = hear_drill(hearing, Clip((word + noise).astype(np.float32)), [RECORD])
    assert heard.outcome != "nothing"


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
