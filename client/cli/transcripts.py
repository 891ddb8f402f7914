"""Transcripts that people have as files: text, JSON of ``aloud transcribe``, subtitles."""

import html
import json
import re
from collections import Counter
from pathlib import Path
from typing import BinaryIO, Final

from pydantic import ValidationError

from client.cli.common import fail
from client.core.wording import encoding_of
from server.contract import MAX_TEXT_CHARS, Transcript

_MAX_BYTES: Final = 16 * 1024 * 1024
"""The largest transcript of the contract, as JSON with word times, stays below this."""

_CLOCK: Final = r"(?:\d+:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?"
_RANGE: Final = rf"{_CLOCK}\s*(?:-->|->|,|–|-)\s*{_CLOCK}"
_TIMING: Final = re.compile(rf"^\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?$|^\s*{_CLOCK},{_CLOCK}\s*$")
"""SubRip and WebVTT, with settings behind; and the times of YouTube's SBV."""
_TIME_BEFORE: Final = re.compile(rf"^\s*[\[(](?:{_RANGE}|{_CLOCK})[\])]\s*")
"""Of a line of its text: whisper.cpp's "[00:00:01.200 --> 00:00:04.900]", LRC's "[00:01.20]"."""
_ABOUT: Final = re.compile(r"^\s*\[[a-z#]+:.*\]\s*$")
"""LRC's lines about the file: "[ar:Candidate]"; a minute has digits."""
_TABLE_ROW: Final = re.compile(r"^\d+\t\d+\t")
"""Whisper's TSV: start, end, text."""
_TAG: Final = re.compile(
    r"</?(?:i|b|u|s|c|v|rt|ruby|lang|font|span)(?:[ .\t][^<>\n]*)?>"
    r"|<\d[\d:.]*>|<br ?/?>|\{\\[^{}\n]*\}",
    re.IGNORECASE,
)
_SOUND: Final = re.compile(
    r"(?<![\w\]])(?:\[[^\[\]\n]{1,60}\]:?)+|^\s*\([^()\n]{1,60}\)\s*$|[♪♫]|[\u200b-\u200f\u202a-\u202e\u2060\ufeff]"
    r"|[(\[](?:[\w]+ )?(?:laugh|chuckl|cough|sigh|applau|inaudible|music|pause|crosstalk|clear)\w*"
    r"[)\]]",
    re.IGNORECASE,
)
"""What is heard and not said: "[Music]", "(laughs)" alone on a line; and invisible marks."""
_TURN: Final = re.compile(r"^\s*(?:>>+\s*|[-–—](?:\s+(?=\w)|(?=[^\W\d_a-z])))")
"""Somebody else speaks: ">> Yes.", "- Yes.", "-Yes."."""
_ROLLS: Final = re.compile(r"<\d[\d:.]*>|<u>")
"""Captions that roll repeat the line before; those that mark each word repeat all."""

_NAME: Final = r"[^\W\d_][\w.'’-]*"
_LABEL: Final = re.compile(
    rf"^\s*(?:>>+\s*|-\s+)?(?P<who>{_NAME}(?:[ _][\w.'’-]+){{0,3}})(?:\s*\([^()]*\))?:"
    r"(?:\s+(?=\S)|\s*$)"
)
_ROLE: Final = re.compile(
    r"(?:unknown )?speaker[ _]?\w{0,3}|interviewe[er]r?|candidate|applicant|recruiter|host|guest"
    r"|moderator|me|you|q|a",
    re.IGNORECASE,
)
_HEADINGS: Final = re.compile(
    "situation|task|actions?|results?|problem|solution|approach|outcome|example|note|question"
    "|answer|first|second|third|finally|lesson|impact|context|goal|summary|reason|pros|cons|step"
    "|trade-?off",
    re.IGNORECASE,
)
"""With a colon behind, parts of an answer, and nobody's name."""


def read_transcript(path: str, standard_input: BinaryIO) -> Transcript:
    """A transcript from a file, or from ``standard_input`` if ``path`` is ``-``.

    It is plain text, subtitles, or the JSON that ``aloud transcribe`` prints.
    """
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            content = standard_input.read(_MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        text = content.decode(encoding_of(content)).strip()
    except OSError as error:
        raise fail(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise fail(f"{name}: is not UTF-8 text") from error
    if len(content) > _MAX_BYTES:
        raise fail(f"{name}: longer than a transcript can be")
    if text.startswith("{") and not text.startswith("{\\"):
        text = _text_of_whisper(text) or text
    if text.startswith("{") and not text.startswith("{\\"):
        try:
            return Transcript.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            reason = f"{where}: {first['msg']}" if where else first["msg"]
            raise fail(f"{name}: is JSON, but not a transcript ({reason})") from error
    text = spoken_text(text)
    if not text:
        raise fail(f"{name}: is empty, there is nothing to grade")
    if len(text) > MAX_TEXT_CHARS:
        raise fail(f"{name}: longer than {MAX_TEXT_CHARS} characters")
    return Transcript(text=text)


def _text_of_whisper(content: str) -> str:
    """The text in the JSON that Whisper programs write; empty if it is another document."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    for key in ("segments", "transcription", "chunks"):  # OpenAI's, whisper.cpp's, transformers'
        parts = document.get(key)
        if isinstance(parts, list) and parts and "words" not in document:
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            return " ".join(text.strip() for text in texts if isinstance(text, str))
    return ""


def spoken_text(text: str) -> str:
    """What was said, without the numbers, times, tags and labels of subtitles; a text as it is."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
    lines = text.split("\n")
    text_lines = [line for line in lines if line.strip() and not _ABOUT.match(line)]
    if text.startswith("WEBVTT") or any(map(_TIMING.match, lines)):
        said = _lines_of_cues(lines, is_vtt=text.startswith("WEBVTT"))
    elif lines[0].split() == ["start", "end", "text"] and "\t" in lines[0]:
        said = [_TABLE_ROW.sub("", line) for line in lines[1:]]
    elif sum(1 for line in text_lines if _TIME_BEFORE.match(line)) * 2 > len(text_lines):
        said = [_TIME_BEFORE.sub("", line) for line in text_lines]
    else:
        return _without_labels(text, lines)
    rolls = _ROLLS.search(text) is not None
    plain: list[str] = []
    for line in said:
        bare = " ".join(_SOUND.sub(" ", html.unescape(_TAG.sub("", line))).split())
        if bare and not (rolls and plain and plain[-1] == bare):
            plain.append(bare)
    return " ".join(" ".join(_unlabeled(plain, is_subtitle=True)).split())


def _lines_of_cues(lines: list[str], *, is_vtt: bool) -> list[str]:
    """The lines of text; what is in no cue is a header or a note.

    A cue's identifier stands before its times, and in WebVTT a blank line ends it.
    """
    timed = [at for at, line in enumerate(lines) if _TIMING.match(line)]
    said: list[str] = []
    for start, following in zip(timed, [*timed[1:], len(lines) + 1], strict=True):
        end = following
        before = following - 1
        if before > start and following <= len(lines) and lines[before].strip():
            is_first = not lines[before - 1].strip() or before - 1 == start
            if lines[before].strip().isdecimal() or is_first:
                end = before
        for line in lines[start + 1 : end]:
            if is_vtt and not line.strip():
                break
            said.append(line)
    return said


def _without_labels(text: str, lines: list[str]) -> str:
    kept = _unlabeled(lines, is_subtitle=False)
    return text if kept == lines else "\n".join(kept).strip()


def _unlabeled(lines: list[str], *, is_subtitle: bool) -> list[str]:
    """Lines without the name of who says them ("Jane Doe: …"), where it is one.

    In a text a name counts where it stands before several lines, or is a role.
    """
    found = [_LABEL.match(line) for line in lines]
    often = Counter(label["who"].casefold() for label in found if label)
    kept = []
    for line, label in zip(lines, found, strict=True):
        if label is not None and _is_name(label["who"], often, is_subtitle=is_subtitle):
            kept.append(line[label.end() :])
        else:
            kept.append(_TURN.sub("", line) if is_subtitle else line)
    return kept


def _is_name(who: str, often: Counter[str], *, is_subtitle: bool) -> bool:
    words = re.split(r"[ _]", who)
    if _ROLE.fullmatch(who):
        return True
    if not all(word[:1].isupper() or word.isdecimal() for word in words):
        return False
    if _HEADINGS.fullmatch(words[0]):
        return False
    return often[who.casefold()] > 1 or is_subtitle
