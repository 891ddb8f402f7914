"""How well a transcriber understood the speaker, and that the report says so."""

import pytest

from server.contract import Transcript, Word
from server.grading.sense.clearness import clearness_of
from server.grading.summary import UNCLEAR_NOTICE, notices_of


@pytest.mark.parametrize(
    ("confidences", "expected"),
    [
        ((), 1.0),
        ((None, None), 1.0),
        ((0.97, 0.95), 1.0),
        ((0.9, 0.72, None), 0.5),
        ((0.4, 0.6), 0.0),
    ],
)
def test_clearness_goes_by_the_mean_confidence(
    confidences: tuple[float | None, ...], expected: float
) -> None:
    assert clearness_of(confidences) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("engine", "confidence", "told"),
    [
        ("faster-whisper", 0.75, True),
        ("faster-whisper", 0.9, False),
        ("pocketsphinx", 0.5, False),
    ],
)
def test_an_unclear_transcript_is_a_notice(submit, engine, confidence, told):
    spoken = (Word(text="word", confidence=confidence),) * 2
    transcript = Transcript(text="word word", words=spoken, engine=engine)
    submission = submit("word word").model_copy(update={"transcript": transcript})
    assert (UNCLEAR_NOTICE in notices_of(submission)) == told
