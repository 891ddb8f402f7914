import numpy as np
import pytest

from pronunciation.clip import decode_pcm16, encode_pcm16


def test_every_16_bit_sample_survives_the_way_there_and_back() -> None:
    every = np.arange(-32768, 32768, dtype="<i2").tobytes()

    assert encode_pcm16(decode_pcm16(every)) == every


def test_the_scale_is_that_of_other_programs() -> None:
    assert decode_pcm16(b"\x00\x40\x00\x80").tolist() == [0.5, -1.0]
    assert encode_pcm16(np.float32([0.5, -1.0])) == b"\x00\x40\x00\x80"


@pytest.mark.parametrize("too_loud", [1.0, 1.5, np.inf])
def test_what_is_too_loud_is_clipped(too_loud: float) -> None:
    assert encode_pcm16(np.float32([too_loud, -too_loud])) == b"\xff\x7f\x00\x80"


def test_half_a_sample_is_dropped() -> None:
    assert decode_pcm16(b"\x00\x40\x01").tolist() == [0.5]
    assert decode_pcm16(b"").size == 0
