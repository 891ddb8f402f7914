"""The transcript as words with marks, divided where the speaker paused.

A word can carry a phrase, be a mispronounced term and be part of a repeated start at the same time.
Each kind of mark has its own channel (background and lower edge, underline, slant), so that
overlapping marks stay readable. Every mark also ends in a sign, for people who see no color.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final

from server.contract import CorrectedWords, Pause, PhraseCoverage, Report, Word
from server.ui.verdict_words import VERDICT_WORDS, Tone, words_of_phrase

MIN_PART_WORDS: Final = 18
MAX_PART_WORDS: Final = 45
"""Lines of 60 to 68 letters give parts of two to five lines, which can be taken in at a glance. A
sentence is cut only if it is twice as long."""
PART_GAP_S: Final = 0.7
"""A silence that a listener takes for the end of a thought (twice a short pause)."""
SHOWN_PAUSE_S: Final = 1.0
"""Shorter pauses belong to fluent speech (Goldman-Eisler 1968) and would clutter the text."""
_PHRASE_SIGNS: Final = {"covered": "", "partial": "◐", "possible": "?", "missing": "✗"}
"""Before the number of a phrase."""
MARK_OF_SIGN: Final = {"≠": "mark-denied", "◐": "mark-partial", "?": "mark-possible"}
"""What the first letter of a phrase's sign stands for; a mere number: covered."""
_SENTENCE_ENDS: Final = (".", "?", "!", "…")


@dataclass(frozen=True)
class Sign:
    """A small sign after a word that links to the report's row about it."""

    text: str
    label: str
    href: str
    tone: Tone


@dataclass(frozen=True)
class WordView:
    """One word as shown.

    Attributes:
        index: its place in the transcript.
        text: as the engine wrote it.
        start_s: when it was said; ``None`` for a typed answer.
        end_s: when it ended.
        classes: the marks of this word alone, as class names of the stylesheet.
        signs: those shown after it.
        announced: what a screen reader says after it, for marks without a sign.
        pause_after_s: a long silence after it.
    """

    index: int
    text: str
    start_s: float | None
    end_s: float | None
    classes: tuple[str, ...] = ()
    signs: tuple[Sign, ...] = ()
    announced: str = ""
    pause_after_s: float | None = None


@dataclass(frozen=True)
class RunView:
    """Neighboring words that carry the same key phrases, or none (``mark`` is empty)."""

    mark: str
    words: tuple[WordView, ...]


@dataclass(frozen=True)
class PartView:
    """A part of the answer, about one thought long; ``start_s`` is ``None`` for a typed answer."""

    start_s: float | None
    runs: tuple[RunView, ...]


@dataclass
class _Marks:
    """The findings about the words, by word index."""

    phrases: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    classes: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    signs: dict[int, list[Sign]] = field(default_factory=lambda: defaultdict(list))
    announced: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    joined: set[int] = field(default_factory=set)
    """Words that must stay in the same part as the next one."""


def view_transcript(report: Report, prefix: str, *, to_owner: bool = False) -> tuple[PartView, ...]:
    """The parts of the transcript.

    Args:
        report: whose transcript and findings.
        prefix: prepended to every id and used in every link, so that two reports fit on one page.
        to_owner: whether the speaker reads it.
    """
    words, line_ends = _words(report)
    if not words:
        return ()
    pauses = _pauses_after(words, report.delivery.pauses)
    marks = _marks(report, len(words), prefix, "you" if to_owner else "the candidate")
    parts: list[PartView] = []
    first = 0
    for end in _part_ends(words, line_ends, pauses, marks.joined):
        part = [_word(words, index, pauses, marks) for index in range(first, end)]
        runs = groupby(part, key=lambda word: tuple(marks.phrases.get(word.index, ())))
        parts.append(
            PartView(
                words[first].start_s,
                tuple(RunView(_phrase_mark(report, numbers), tuple(run)) for numbers, run in runs),
            )
        )
        first = end
    return tuple(parts)


def _words(report: Report) -> tuple[tuple[Word, ...], set[int]]:
    """The words, and the indices after which a typed answer starts a new line."""
    if report.transcript.words:
        return report.transcript.words, set()
    words: list[Word] = []
    line_ends: set[int] = set()
    for line in report.transcript.text.splitlines():
        words += [Word.model_construct(text=text) for text in line.split()]
        if words:
            line_ends.add(len(words) - 1)
    return tuple(words), line_ends


def _pauses_after(words: Sequence[Word], pauses: Sequence[Pause]) -> dict[int, float]:
    """The length of the silence after each word that has one.

    Word times drift around silence, so a pause belongs after the last word whose middle is before
    the middle of the pause.
    """
    middles = [
        (index, (word.start_s + word.end_s) / 2)
        for index, word in enumerate(words)
        if word.start_s is not None and word.end_s is not None
    ]
    found: dict[int, float] = {}
    for pause in pauses:
        middle = (pause.start_s + pause.end_s) / 2
        before = [index for index, at in middles if at <= middle]
        if before and before[-1] + 1 < len(words):
            after = before[-1]
            found[after] = found.get(after, 0.0) + pause.end_s - pause.start_s
    return found


def _marks(report: Report, count: int, prefix: str, speaker: str) -> _Marks:
    marks = _Marks()
    for number, phrase in enumerate(report.coverage.phrases):
        indices = _known(phrase.evidence.word_indices if phrase.evidence else (), count)
        for index in indices:
            marks.phrases[index].append(number)
        _join(marks, indices)
        if indices:
            marks.signs[indices[-1]].append(_phrase_sign(number, phrase, prefix))
    for number, term in enumerate(report.pronunciation.terms):
        indices = _known(term.word_indices, count)
        if term.verdict == "correct" or not indices:
            continue
        if term.verdict == "unclear" and term.start_s is None:
            continue  # typed, so there was nothing to hear
        wrong = term.verdict == "mispronounced"
        for index in indices:
            marks.classes[index].append("mark-mispronounced" if wrong else "mark-unclear")
        _join(marks, indices)
        label = f"{term.term}: heard as {term.heard}" if term.heard else term.term
        label += f", say {term.expected}" if wrong and term.expected else ""
        announced = VERDICT_WORDS[term.verdict]
        marks.signs[indices[-1]].append(
            Sign(
                "✗" if wrong else "?",
                f"{announced}, {label}",
                f"#{prefix}term-{number + 1}",
                "bad" if wrong else "muted",
            )
        )
    for filler in report.delivery.fillers:
        span = range(filler.word_index, filler.word_index + max(1, len(filler.text.split())))
        indices = _known(span, count)
        for index in indices:
            marks.classes[index].append("mark-filler")
        _join(marks, indices)
        if indices:
            marks.announced[indices[-1]].append("filler")
    for start in report.delivery.repeated_starts:
        span = range(start.word_index, start.word_index + 2 * max(1, len(start.text.split())))
        indices = _known(span, count)
        for index in indices:
            marks.classes[index].append("mark-repeated")
        _join(marks, indices)
        if indices:
            marks.signs[indices[-1]].append(Sign("↺", "said twice", f"#{prefix}delivery", "muted"))
    for corrected in report.transcript.corrected:
        span = range(corrected.word_index, corrected.word_index + corrected.word_count)
        # removed words only leave a place, after the previous word
        indices = _known(span or [max(0, corrected.word_index - 1)], count)
        for index in indices if span else ():
            marks.classes[index].append("mark-corrected")
        if indices:
            href = f"#{prefix}w-{indices[-1]}"
            marks.signs[indices[-1]].append(
                Sign("✎", _correction(corrected, speaker), href, "muted")
            )
    return marks


def _correction(corrected: CorrectedWords, speaker: str) -> str:
    if not corrected.word_count:
        return f"taken out by {speaker}: “{corrected.was}”"
    was = f", the engine wrote “{corrected.was}”" if corrected.was else ", left out by the engine"
    return f"corrected by {speaker}{was}"


def _known(indices: Sequence[int], count: int) -> list[int]:
    """In order, without those beyond the transcript (an imported report may contain anything)."""
    return sorted({index for index in indices if 0 <= index < count})


def _join(marks: _Marks, indices: Sequence[int]) -> None:
    marks.joined.update(a for a, b in pairwise(indices) if b == a + 1)


def _phrase_sign(number: int, phrase: PhraseCoverage, prefix: str) -> Sign:
    sign = "≠" if phrase.negated else _PHRASE_SIGNS[phrase.status]
    tone: Tone = "warn" if sign else "good"
    label = f"key phrase {number + 1}, {phrase.phrase}, {words_of_phrase(phrase)}"
    return Sign(f"{sign}{number + 1}", label, f"#{prefix}phrase-{number + 1}", tone)


def _part_ends(
    words: Sequence[Word], line_ends: set[int], pauses: Mapping[int, float], joined: set[int]
) -> list[int]:
    """Where parts end: after a pause or sentence if long enough, and before they grow too long.

    A part that grows too long ends after its last whole sentence. If it has none, it runs on to the
    end of the sentence, or is cut if that is far away.
    """
    may_end = [index not in joined or index + 1 == len(words) for index in range(len(words))]
    thoughts = [
        may_end[index] and _ends_thought(words, index, pauses) for index in range(len(words))
    ]
    ends: list[int] = []
    first = whole = 0
    for index, can_end in enumerate(may_end):
        length = index + 1 - first
        if not can_end:
            continue
        if (
            index + 1 == len(words)
            or index in line_ends
            or (thoughts[index] and length >= MIN_PART_WORDS)
        ):
            first = index + 1
        elif thoughts[index]:
            whole = index + 1
        elif length >= MAX_PART_WORDS:
            if whole > first:
                first = whole
            elif not any(thoughts[index : first + 2 * MAX_PART_WORDS]):
                first = index + 1
        if first > (ends[-1] if ends else 0):
            ends.append(first)
    return ends


def _ends_thought(words: Sequence[Word], index: int, pauses: Mapping[int, float]) -> bool:
    silence_s = max(pauses.get(index, 0.0), _gap_s(words, index))
    sentence = words[index].text.rstrip("\"'”’)").endswith(_SENTENCE_ENDS)
    return silence_s >= PART_GAP_S or sentence


def _gap_s(words: Sequence[Word], index: int) -> float:
    if index + 1 >= len(words):
        return 0.0
    end_s, start_s = words[index].end_s, words[index + 1].start_s
    return start_s - end_s if end_s is not None and start_s is not None else 0.0


def _word(
    words: Sequence[Word], index: int, pauses: Mapping[int, float], marks: _Marks
) -> WordView:
    pause_s = pauses.get(index, 0.0)
    return WordView(
        index=index,
        text=words[index].text.strip(),
        start_s=words[index].start_s,
        end_s=words[index].end_s,
        classes=tuple(dict.fromkeys(marks.classes.get(index, ()))),
        signs=tuple(marks.signs.get(index, ())),
        announced=", ".join(marks.announced.get(index, ())),
        pause_after_s=pause_s if pause_s >= SHOWN_PAUSE_S else None,
    )


def _phrase_mark(report: Report, numbers: Sequence[int]) -> str:
    """The mark of words that carry these phrases, by the best of them."""
    if not numbers:
        return ""
    phrases = [report.coverage.phrases[number] for number in numbers]
    meant = [phrase.status for phrase in phrases if not phrase.negated]
    if "covered" in meant:
        return "mark-covered"
    if "partial" in meant:
        return "mark-partial"
    return "mark-possible" if meant else "mark-denied"
