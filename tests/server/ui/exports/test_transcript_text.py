import itertools
import json
import re

from server.contract import Transcript, Word
from server.ui.exports.transcript_text import FORMATS, cues, to_json, to_srt, to_text, to_vtt


def transcript(*words: tuple[str, float, float]) -> Transcript:
    return Transcript(
        text=" ".join(word for word, _, _ in words),
        engine="fake",
        duration_s=60.0,
        words=tuple(Word(text=word, start_s=start, end_s=end) for word, start, end in words),
    )


LONG = transcript(*((f"word{index:02d}", index * 0.5, index * 0.5 + 0.4) for index in range(40)))


def test_text_and_json_carry_everything() -> None:
    assert to_text(LONG) == LONG.text + "\n"
    assert Transcript.model_validate_json(to_json(LONG)) == LONG
    assert json.loads(to_json(LONG))["words"][1]["start_s"] == 0.5


def test_every_format_of_the_command_line_is_there() -> None:
    assert set(FORMATS) == {"text", "json", "srt", "vtt"}


def test_srt_to_the_letter() -> None:
    said = transcript(("First", 0.0, 0.5), ("sentence.", 0.5, 1.25), ("Second.", 3661.5, 3662.0))

    assert to_srt(said) == (
        "1\n00:00:00,000 --> 00:00:01,250\nFirst sentence.\n\n"
        "2\n01:01:01,500 --> 01:01:02,000\nSecond.\n"
    )


def test_vtt_to_the_letter_with_markup_escaped() -> None:
    said = transcript(("a<b", 0.0, 0.5), ("&", 0.5, 1.0))

    assert to_vtt(said) == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na&lt;b &amp;\n"


def test_cues_keep_to_two_lines_of_42_and_seven_seconds() -> None:
    found = cues(LONG)

    assert " ".join(line for cue in found for line in cue.lines) == LONG.text
    for cue in found:
        assert len(cue.lines) <= 2
        assert all(len(line) <= 42 for line in cue.lines)
        assert cue.end_s - cue.start_s <= 7.0
    assert all(before.end_s <= after.start_s for before, after in itertools.pairwise(found))


def test_a_silence_ends_a_cue() -> None:
    found = cues(transcript(("one", 0.0, 0.5), ("two", 2.0, 2.5)))

    assert [cue.lines for cue in found] == [("one",), ("two",)]


def test_a_word_of_no_length_is_still_shown() -> None:
    srt = to_srt(transcript(("now", 1.0, 1.0)))

    assert re.search(r"00:00:01,000 --> 00:00:01,100", srt)


def test_words_without_times_make_no_cues() -> None:
    typed = Transcript(text="typed", words=(Word(text="typed"),))

    assert cues(typed) == []
    assert to_vtt(typed) == "WEBVTT\n"
