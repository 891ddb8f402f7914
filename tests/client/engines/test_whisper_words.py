import pytest

from client.engines.whisper_words import Piece, believable, join_pieces


@pytest.mark.parametrize(
    ("no_speech_prob", "avg_logprob", "compression_ratio", "kept"),
    [
        (0.02, -0.3, 1.4, True),  # ordinary speech
        (0.05, -0.67, 1.3, True),  # a strong accent
        (0.30, -0.9, 1.1, False),  # speech played backwards
        (0.02, -1.4, 1.4, False),  # unclear speech, whatever the no-speech token says
        (0.90, -0.3, 1.4, True),  # the text is sure, whatever the no-speech token says
        (0.90, -1.4, 1.4, False),  # silence, and the text unsure
        (0.02, -1.4, 3.0, False),  # a loop that no temperature ended, improbable
        (0.34, -0.5, 4.8, False),  # a loop on speech played backwards, which the text is sure of
        (0.02, -0.3, 3.0, True),  # a speaker who repeats
    ],
)
def test_what_a_segment_must_be_to_be_kept(
    no_speech_prob: float, avg_logprob: float, compression_ratio: float, kept: bool
) -> None:
    assert believable(no_speech_prob, avg_logprob, compression_ratio) is kept


def test_a_word_keeps_its_punctuation_and_its_times_run_forward() -> None:
    (word,) = join_pieces([Piece(" load-balancing, ", 2.0, 1.98, 1.0000001)])

    assert word.text == "load-balancing,"
    assert (word.start_s, word.end_s, word.confidence) == (2.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([" credit", "-based", " flow"], ["credit-based", "flow"]),
        ([" cold", "-hearted"], ["cold-hearted"]),
        ([" point", "-", "to", "-point", " link."], ["point-to-point", "link."]),
        ([" 90", "%", " of"], ["90%", "of"]),
        ([" 3", ".", "5", " ms"], ["3.5", "ms"]),
        ([" costs", " $", "90", ",000"], ["costs", "$90,000"]),
        ([" costs", " $", " 90"], ["costs", "$90"]),
        ([" I", "'m", " sure"], ["I'm", "sure"]),
        ([" he", " said", ' "', "yes", '"'], ["he", "said", '"yes"']),
        (["So", " it", " is"], ["So", "it", "is"]),  # a segment may start without a space
        ([" TCP", "/", "IP", " ", " is"], ["TCP/IP", "is"]),
        ([" memory", "..."], ["memory..."]),
    ],
)
def test_pieces_are_joined_as_they_are_written(pieces: list[str], words: list[str]) -> None:
    planted = [Piece(text, 0.1 * at, 0.1 * at + 0.1, 0.9) for at, text in enumerate(pieces)]

    assert [word.text for word in join_pieces(planted)] == words


def test_a_joined_word_spans_its_pieces_and_is_as_sure_as_the_least_sure() -> None:
    pieces = [Piece(" credit", 1.0, 1.4, 0.9), Piece("-based", 1.5, 1.9, 0.4)]

    (word,) = join_pieces(pieces)

    assert (word.start_s, word.end_s, word.confidence) == (1.0, 1.9, 0.4)
