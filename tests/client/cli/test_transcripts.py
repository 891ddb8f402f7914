"""Transcripts as files: the words that were said, and nothing else."""

import io

import pytest
import typer

from client.cli.transcripts import read_transcript, spoken_text
from server.contract import Transcript, Word
from server.ui.exports.transcript_text import to_srt, to_vtt

SRT = "1\n00:00:01,200 --> 00:00:04,900\n{}\n\n2\n00:00:05,100 --> 00:00:09,000\n{}\n"
VTT = "WEBVTT\n\n00:00:01.200 --> 00:00:04.900\n{}\n\n00:00:05.100 --> 00:00:09.000\n{}\n"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (SRT.format("We used", "generics."), "We used generics."),
        (SRT.format("We used 3", "3"), "We used 3 3"),
        (SRT.format("We used", "generics.").replace("\n", "\r\n"), "We used generics."),
        ("\ufeff" + SRT.format("We used", "generics."), "We used generics."),
        (SRT.format("<i>We used</i>", "{\\an8}generics."), "We used generics."),
        (SRT.format('<font color="#fff">We used</font>', "generics."), "We used generics."),
        (SRT.format("We\nused", "generics.\n"), "We used generics."),
        (SRT.format("Jane Doe: We used", "Jane Doe: generics."), "We used generics."),
        (SRT.format("Jane Doe:\nWe used", "generics."), "We used generics."),
        (SRT.format("SPEAKER_00: We used", "[SPEAKER_00]: generics."), "We used generics."),
        (SRT.format(">> We used", "[Music] generics."), "We used generics."),
        (SRT.format("-We used", "-Generics at -5 degrees."), "We used Generics at -5 degrees."),
        (SRT.format("We used", "(laughs)\ngenerics. ♪"), "We used generics."),
        (SRT.format("Result: we used", "generics."), "Result: we used generics."),
        (SRT.format("It was List<String>", "a < b."), "It was List<String> a < b."),
        (SRT.format("at 10:30 we used", "1:2 ratios"), "at 10:30 we used 1:2 ratios"),
        (SRT.replace("\n\n", "\n").format("We used", "generics."), "We used generics."),
        (VTT.format("<v Candidate>We used</v>", "<v Candidate>generics.</v>"), "We used generics."),
        (VTT.format("<v.loud Jane Doe>We used", "generics."), "We used generics."),
        (VTT.format("<c.yellow>We</c> used", "R&amp;D &lt;T&gt;"), "We used R&D <T>"),
        (
            "WEBVTT\nKind: captions\nLanguage: en\n\nSTYLE\n::cue {}\n\nNOTE not said\n\n"
            "7f3c/12-0\n00:01.200 --> 00:04.900 align:start position:0%\nWe used\n\n"
            "7f3c/12-1\n00:05.100 --> 00:09.000\ngenerics.\n",
            "We used generics.",
        ),
        (
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nWe used\n\n00:00:02.000 --> 00:00:03.000\n"
            "We used\ngenerics<00:00:02.500><c> here.</c>\n",
            "We used generics here.",
        ),
        ("0:00:01.200,0:00:04.900\nWe used\n\n0:00:05.100,0:00:09.000\n3.\n", "We used 3."),
        (
            "[00:00:00.000 --> 00:00:04.000]   We used\n[00:00:04.000 --> 00:00:09.000]   3.",
            "We used 3.",
        ),
        ("[00:01.20]We used\n[00:04.90]generics.", "We used generics."),
        ("start\tend\ttext\n0\t1200\tWe used\n1200\t4900\t3.", "We used 3."),
        ("Interviewer: Why?\nCandidate: We used it.", "Why?\nWe used it."),
        ("Jane Doe: We did.\nBob: Why?\nJane Doe: It is fast.", "We did.\nBob: Why?\nIt is fast."),
        ("Situation: slow.\nResult: it is fast.", "Situation: slow.\nResult: it is fast."),
        ("There are two ways: push and pull.", "There are two ways: push and pull."),
        ("We took 3.\n\n1:2 was the ratio.", "We took 3.\n\n1:2 was the ratio."),
    ],
)  # fmt: skip
def test_only_what_was_said_is_read(written: str, said: str) -> None:
    assert spoken_text(written) == said


@pytest.mark.parametrize("write", [to_srt, to_vtt])
def test_what_we_write_is_read_back(write) -> None:
    texts = ["a", "-->", "b", "&", "c", "<i>", "3", "R&D"]
    words = tuple(
        Word(text=text, start_s=at * 1.5, end_s=at * 1.5 + 0.3) for at, text in enumerate(texts)
    )
    written = write(Transcript(text=" ".join(texts), words=words))

    assert sum("-->" in line for line in written.splitlines()) == len(texts)
    if write is to_vtt:
        assert spoken_text(written) == " ".join(texts)


def test_a_file_of_times_alone_has_nothing_to_grade() -> None:
    with pytest.raises(typer.Exit):
        read_transcript("-", io.BytesIO(b"1\n00:00:01,200 --> 00:00:04,900\n\n"))


@pytest.mark.parametrize(
    "content",
    [
        '{"text": " We used it.", "segments": [{"text": " We used"}, {"text": " it."}]}',
        '{"transcription": [{"offsets": {"from": 0}, "text": " We used"}, {"text": " it."}]}',
        '{"chunks": [{"timestamp": [0, 1], "text": " We used"}, {"text": " it."}]}',
    ],
)
def test_the_json_of_whisper_programs_is_read(content: str) -> None:
    assert read_transcript("-", io.BytesIO(content.encode())).text == "We used it."


SAID_IN_ODD_FILES = [
    ("1\n00:00:01,000 --> 00:00:04,000\nWe used it\n".encode("utf-16"), "We used it"),
    (b"1\n00:00:01,000 --> 00:00:04,000\n- We used it\n- for a low-cost app\n",
     "We used it for a low-cost app"),
    (b"WEBVTT\n\n00:01.000 --> 00:04.000\nWe used it (laughs) often&lrm;\n", "We used it often"),
    (b"1\n00:00:01,000 --> 00:00:04,000\nWe used it (the cache)\n", "We used it (the cache)"),
    (b"[ti:Two]\n[length: 00:20]\n\n[00:01.20]It is in a[0], not a[1][2]. [Music][Applause]\n",
     "It is in a[0], not a[1][2]."),
]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), SAID_IN_ODD_FILES)
def test_odd_subtitles_lose_what_nobody_said(content: bytes, said: str) -> None:
    assert read_transcript("-", io.BytesIO(content)).text == said
