"""Silence and faint noise around a take do not change what is heard in it."""

from collections.abc import Callable

import numpy as np
import pytest

from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.hearing import Hearing, Target, hear_drill
from pronunciation.hearing.speech import speech_part, speech_span

Planted = Callable[[str], Clip]

RECORD, RECLUSE = "R EH1 K ER0 D", "R IY1 K L UW0 S"
ROCKY, ROSE = "R AA1 K IY0", "R OW1 S"
PADDINGS = [(0.0, 2.0, 0.0), (2.0, 0.0, 0.0), (0.8, 0.9, 0.0), (0.31, 1.7, 1e-3)]
"""Seconds before and after, and the level of the noise."""


def padded(clip: Clip, before_s: float, after_s: float, level: float) -> Clip:
    samples = np.pad(clip.samples, [round(s * SAMPLE_RATE_HZ) for s in (before_s, after_s)])
    noise = np.random.default_rng(5).standard_normal(samples.size) * level
    return Clip((samples + noise).astype(np.float32))


@pytest.mark.parametrize("padding", PADDINGS)
def test_a_drill(hearing: Hearing, planted: Planted, padding: tuple[float, float, float]) -> None:
    tight = hear_drill(hearing, planted("record-noun"), [RECORD], [RECLUSE])
    wide = hear_drill(hearing, padded(planted("record-noun"), *padding), [RECORD], [RECLUSE])
    assert (wide.outcome, wide.phones) == (tight.outcome, tight.phones)
    assert wide.confidence == pytest.approx(tight.confidence, abs=0.05 if padding[2] else 1e-9)
    assert wide.start_s == pytest.approx((tight.start_s or 0.0) + padding[0], abs=0.05)
    assert wide.end_s == pytest.approx((tight.end_s or 0.0) + padding[0], abs=0.05)


@pytest.mark.parametrize("padding", PADDINGS)
def test_a_sentence(
    hearing: Hearing, planted: Planted, padding: tuple[float, float, float]
) -> None:
    words = ["We", "use", "RoCE", "between", "the", "nodes."]
    target = Target("RoCE", 2, 1, (ROCKY,), (ROSE,))
    clip = planted("we-use-roce-rose")
    (tight,) = hearing.hear(clip, words, [target])
    (wide,) = hearing.hear(padded(clip, *padding), words, [target])
    assert (wide.verdict, wide.phones) == (tight.verdict, tight.phones)
    if not padding[2]:
        assert wide.readings == tight.readings
    assert wide.start_s == pytest.approx(tight.start_s + padding[0], abs=0.05)


@pytest.mark.parametrize(("before", "after"), [(1, 0), (0, 7), (12_345, 3), (31_999, 32_000)])
def test_the_same_cut_is_judged_however_much_silence_is_around_it(
    planted: Planted, before: int, after: int
) -> None:
    clip = planted("record-noun")
    tight, first = speech_part(clip)
    wide, later = speech_part(Clip(np.pad(clip.samples, (before, after))))
    assert later == first + before
    assert np.array_equal(wide.samples, tight.samples)


def test_steady_noise_that_is_switched_on_and_off_is_nothing(hearing: Hearing) -> None:
    hiss = np.random.default_rng(3).standard_normal(SAMPLE_RATE_HZ) * 0.05
    take = Clip(np.pad(hiss, SAMPLE_RATE_HZ).astype(np.float32))
    assert hear_drill(hearing, take, [RECORD], [RECLUSE]).outcome == "nothing"


def test_speech_is_found_between_silence_and_a_click() -> None:
    tone = np.sin(np.arange(SAMPLE_RATE_HZ) * 0.3) * 0.2
    samples = np.concatenate([np.zeros(8_000), tone, np.zeros(8_000)]).astype(np.float32)
    samples[2_000] = 0.5
    begin, end = speech_span(Clip(samples))
    assert begin == pytest.approx(8_000, abs=320)
    assert end == pytest.approx(24_000, abs=320)
    part, first = speech_part(Clip(samples[begin:end]))
    assert first < 0
    assert part.samples.size > end - begin


def test_silence_has_no_speech() -> None:
    assert speech_span(Clip(np.zeros(16_000, np.float32))) == (0, 0)
