"""One attempt in each format."""

import zlib
from datetime import UTC, datetime
from typing import get_args

import pytest

from server.contract import (
    Archive,
    ArchivedAttempt,
    ArchivedReport,
    Pronunciation,
    TermVerdict,
    Transcript,
    Word,
)
from server.core.errors import InvalidInputError
from server.exports.attempt import AttemptFormat, export_attempt
from tests.server.conftest import START, grade, make_question, make_submission

WORDS = ("I", "use", "paged", "attention")


def archive(text: str = " ".join(WORDS), *, timed: bool = True, prompt: str = "Why?") -> Archive:
    words = tuple(
        Word(text=word, start_s=number, end_s=number + 0.5) for number, word in enumerate(WORDS)
    )
    transcript = Transcript(text=text, engine="fake", words=words if timed else ())
    submission = make_submission(transcript=transcript)
    question = make_question(prompt=prompt)
    report = grade(question, submission, None, "bank-1")  # type: ignore[arg-type]
    term = TermVerdict(
        term="vLLM", verdict="mispronounced", heard="vee-LUM", expected="VEE-el-el-em", tip=text
    )
    pronunciation = report.pronunciation.model_copy(update={"terms": (term,)})
    graded = ArchivedReport(
        graded_at=START, report=report.model_copy(update={"pronunciation": pronunciation})
    )
    return Archive(
        exported_at=datetime(2026, 3, 2, tzinfo=UTC),
        attempts=(
            ArchivedAttempt(
                submission=submission, question=question, received_at=START, reports=(graded,)
            ),
        ),
    )


def test_every_format_is_a_file_with_a_safe_name() -> None:
    names = set()
    for format in get_args(AttemptFormat):
        file = export_attempt(archive(), format)
        assert file.content
        assert file.name.startswith("kv-cache-2026-03-01.")
        names.add(file.name)
    assert len(names) == len(get_args(AttemptFormat))


def test_the_texts_hold_what_was_said() -> None:
    markdown = export_attempt(archive(), "markdown").content.decode()
    assert markdown.startswith("# Why?") and "I use paged attention" in markdown
    page = export_attempt(archive("<script>alert(1)</script>"), "html").content.decode()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "00:00:03,500" in export_attempt(archive(), "srt").content.decode()
    assert export_attempt(archive(), "vtt").content.decode().startswith("WEBVTT")


@pytest.mark.parametrize("format", ["srt", "vtt"])
def test_a_typed_answer_has_no_subtitles(format: AttemptFormat) -> None:
    with pytest.raises(InvalidInputError, match="typed"):
        export_attempt(archive(timed=False), format)


def pdf_text(content: bytes) -> str:
    """The characters of a PDF, through each page's font map (glyph number to character)."""
    streams = []
    for part in content.split(b"stream\n")[1:]:
        try:
            streams.append(zlib.decompress(part.split(b"\nendstream")[0]))
        except zlib.error:
            if part.startswith(b"/CIDInit"):  # the font's map is not compressed
                streams.append(part.split(b"\nendstream")[0])
    letters: dict[int, str] = {}
    for stream in streams:
        if b"beginbfchar" in stream or b"beginbfrange" in stream:
            letters |= _font_map(stream.decode("latin-1"))
    pages = [stream for stream in streams if b"BT /F" in stream]
    return "".join(_shown(page, letters) for page in pages)


def _font_map(text: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for line in text.splitlines():
        codes = [part.strip("<>") for part in line.split() if part.startswith("<")]
        if len(codes) == 2 and all(codes):
            found[int(codes[0], 16)] = bytes.fromhex(codes[1]).decode("utf-16-be")
        elif len(codes) == 3 and all(codes):
            start = int(codes[2], 16)
            for code in range(int(codes[0], 16), int(codes[1], 16) + 1):
                found[code] = chr(start + code - int(codes[0], 16))
    return found


def _shown(page: bytes, letters: dict[int, str]) -> str:
    """The strings within (…), two bytes for each glyph, with PDF's escapes undone."""
    out, index = "", 0
    while (index := page.find(b"(", index)) >= 0:
        raw = bytearray()
        index += 1
        while page[index : index + 1] != b")":
            if page[index : index + 1] == b"\\":
                index += 1
                escaped = page[index : index + 1]
                raw += {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}.get(
                    escaped, escaped
                )
            else:
                raw += page[index : index + 1]
            index += 1
        out += "".join(
            letters.get(int.from_bytes(raw[at : at + 2]), "") for at in range(0, len(raw), 2)
        )
    return out


def test_a_pdf_holds_all_of_it_in_other_scripts_too() -> None:
    file = export_attempt(
        archive("Grüße, привет, ˈkuːbɚ", prompt="How **bold** is <b>it</b>?"), "pdf"
    )
    assert file.content.startswith(b"%PDF-")
    text = pdf_text(file.content)
    for said in (
        *("How", "**bold**", "<b>it</b>?", "Grüße,", "привет,", "ˈkuːbɚ", "paged"),
        *("Transcript", "Model answer", "vLLM", "vee-LUM", "mispronounced"),
    ):
        assert said.replace(" ", "") in text.replace(" ", ""), said
    assert "font lacks" not in text.replace("\u00a0", " ")


def test_a_pdf_says_what_its_font_lacks() -> None:
    text = pdf_text(export_attempt(archive("we say 汉字"), "pdf").content).replace(" ", "")
    assert "wesay??" in text
    assert "fontlacks" in text


@pytest.mark.parametrize("kind", ["markdown", "pdf"])
def test_a_term_said_several_times_is_one_row_with_its_places(kind: AttemptFormat) -> None:
    whole = archive()
    attempt = whole.attempts[0]
    (first,) = attempt.report.pronunciation.terms
    first = first.model_copy(update={"start_s": 5.0})
    again = first.model_copy(update={"start_s": 71.0, "heard": "vee-el"})
    right = first.model_copy(update={"start_s": 30.0, "verdict": "correct"})
    pronunciation = Pronunciation(terms=(first, again, right))
    report = attempt.report.model_copy(update={"pronunciation": pronunciation})
    reports = (ArchivedReport(graded_at=START, report=report),)
    attempts = (attempt.model_copy(update={"reports": reports}),)
    file = export_attempt(whole.model_copy(update={"attempts": attempts}), kind)
    text = pdf_text(file.content) if kind == "pdf" else file.content.decode()
    text = "".join(text.replace("\u00a0", " ").split())
    assert text.count("VEE-el-el-em") == 1 or kind == "markdown"
    assert "0:05,1:11(saidrightat0:30)" in text
    assert "vee-LUM,vee-el" in text
