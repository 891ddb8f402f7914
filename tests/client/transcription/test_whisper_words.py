import pytest

from client.transcription.whisper_words import believable, to_word


@pytest.mark.parametrize(
    ("no_speech_prob", "avg_logprob", "compression_ratio", "kept"),
    [
        (0.02, -0.3, 1.4, True),  # ordinary speech
        (0.02, -1.4, 1.4, True),  # unclear speech
        (0.90, -0.3, 1.4, True),  # the text is sure, whatever the no-speech token says
        (0.90, -1.4, 1.4, False),  # silence, and the text unsure
        (0.02, -1.4, 3.0, False),  # a loop that no temperature ended
        (0.02, -0.3, 3.0, True),  # a speaker who repeats
    ],
)
def test_what_a_segment_must_be_to_be_kept(
    no_speech_prob: float, avg_logprob: float, compression_ratio: float, kept: bool
) -> None:
    assert believable(no_speech_prob, avg_logprob, compression_ratio) is kept


def test_a_word_keeps_its_punctuation_and_its_times_run_forward() -> None:
    word = to_word(" load-balancing, ", 2.0, 1.98, 1.0000001)

    assert word.text == "load-balancing,"
    assert (word.start_s, word.end_s, word.confidence) == (2.0, 2.0, 1.0)
