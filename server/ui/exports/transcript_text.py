"""A transcript as text, JSON, or subtitles (SubRip and WebVTT)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from server.contract import Transcript, Word

MAX_LINE_CHARS = 42
MAX_LINES = 2
MAX_CUE_S = 7.0
"""Two lines of 42 characters, at most 7 s, after Netflix's English Timed Text Style Guide."""

CUE_GAP_S = 1.0
"""A silence this long ends a cue: nothing is shown while nobody speaks."""

MIN_CUE_S = 0.1
"""A word of zero length would never be shown."""

_SENTENCE_END = (".", "?", "!")


@dataclass(frozen=True)
class Cue:
    """One subtitle: when, and up to two lines."""

    start_s: float
    end_s: float
    lines: tuple[str, ...]


def to_text(transcript: Transcript) -> str:
    """The words alone."""
    return transcript.text + "\n"


def to_json(transcript: Transcript) -> str:
    """The whole transcript, words and times, as in the Report."""
    return transcript.model_dump_json(indent=2) + "\n"


def to_srt(transcript: Transcript) -> str:
    """SubRip; an arrow in the text would end the cue."""
    blocks = [
        f"{number}\n{_time(cue.start_s, ',')} --> {_time(cue.end_s, ',')}\n"
        + "\n".join(cue.lines).replace("-->", "--&gt;")
        + "\n"
        for number, cue in enumerate(cues(transcript), start=1)
    ]
    return "\n".join(blocks)


def to_vtt(transcript: Transcript) -> str:
    """WebVTT; the three characters that are markup there are escaped."""
    blocks = ["WEBVTT\n"]
    for cue in cues(transcript):
        text = "\n".join(cue.lines)
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        blocks.append(f"{_time(cue.start_s, '.')} --> {_time(cue.end_s, '.')}\n{text}\n")
    return "\n".join(blocks)


FORMATS: Mapping[str, Callable[[Transcript], str]] = {
    "text": to_text,
    "json": to_json,
    "srt": to_srt,
    "vtt": to_vtt,
}


def cues(transcript: Transcript) -> list[Cue]:
    """Words joined into subtitles that end with sentences and pauses where possible.

    Words without times (a typed transcript) are left out, because a subtitle needs a time.
    """
    found: list[Cue] = []
    current: list[Word] = []
    for word in transcript.words:
        if word.start_s is None or word.end_s is None:
            continue
        if current and _ends_before(current, word):
            found.append(_cue(current))
            current = []
        current.append(word)
    if current:
        found.append(_cue(current))
    return (
        [
            Cue(cue.start_s, min(cue.end_s, after.start_s), cue.lines)
            if cue.start_s < after.start_s
            else cue
            for cue, after in zip(found, [*found[1:], found[-1]], strict=True)
        ]
        if found
        else []
    )


def _ends_before(current: list[Word], word: Word) -> bool:
    start_s, end_s = current[0].start_s or 0.0, current[-1].end_s or 0.0
    return (
        (word.start_s or 0.0) - end_s >= CUE_GAP_S
        or (word.end_s or 0.0) - start_s > MAX_CUE_S
        or current[-1].text.endswith(_SENTENCE_END)
        or len(_lines([*current, word])) > MAX_LINES
    )


def _cue(words: list[Word]) -> Cue:
    start_s, end_s = words[0].start_s or 0.0, words[-1].end_s or 0.0
    return Cue(start_s, max(end_s, start_s + MIN_CUE_S), tuple(_lines(words)))


def _lines(words: list[Word]) -> list[str]:
    lines: list[str] = []
    for word in words:
        text = " ".join(word.text.split())  # an empty line would end the subtitle
        if lines and len(lines[-1]) + 1 + len(text) <= MAX_LINE_CHARS:
            lines[-1] += " " + text
        else:
            lines.append(text)
    return lines


def _time(at_s: float, decimal_mark: str) -> str:
    ms = round(at_s * 1000)
    return (
        f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}"
        f"{decimal_mark}{ms % 1000:03d}"
    )
