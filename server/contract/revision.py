"""A new transcript of a stored answer, by another engine or with the candidate's corrections.

The recording stays on the candidate's machine, so the client makes the new transcript and listens
again; the server stores it as a new version and grades it.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from server.contract.transcript import CorrectedWords, Evidence, Transcript, Word
from server.contract.wire import Wire

INSERTED_WORD_S: Final = 0.4
"""The longest duration assumed for a word that the engine left out (150 words per minute)."""

_Change = tuple[int, int, int, int]
"""Words ``[a, b)`` before, ``[c, d)`` after."""


class Revision(Wire):
    """Another transcript of a stored answer, with the evidence that goes with it."""

    transcript: Transcript
    evidence: Evidence = Evidence()

    def with_words(self, text: str) -> "Revision":
        """This revision with the candidate's words in place of the engine's.

        Unchanged words keep their times and what was heard in them. The others share the time of
        the words that they replace, in proportion to their letters, or the gap between their
        neighbors; what was heard in replaced words is dropped.

        Args:
            text: the whole transcript as it should read.
        """
        raw = self.transcript.words
        texts = text.split()
        words: list[Word] = []
        marks: list[CorrectedWords] = []
        moved: dict[int, int] = {}
        for same, (a, b, c, d) in _changes([word.text for word in raw], texts):
            if same:
                moved |= zip(range(a, b), range(c, d), strict=True)
                words += raw[a:b]
                continue
            was = " ".join(word.text for word in raw[a:b])
            marks.append(CorrectedWords(word_index=c, word_count=d - c, was=was))
            words += _timed(texts[c:d], *_room(self.transcript, a, b, d - c))
        heard = []
        for term in self.evidence.heard:
            places = [moved.get(term.word_index + each) for each in range(term.word_count)]
            first = places[0]
            if first is not None and places == list(range(first, first + term.word_count)):
                heard.append(term.model_copy(update={"word_index": first}))
        return Revision(
            transcript=self.transcript.model_copy(
                update={
                    "text": " ".join(texts),
                    "words": tuple(words),
                    "corrected": tuple(marks),
                }
            ),
            evidence=self.evidence.model_copy(update={"heard": tuple(heard)}),
        )


def word_places(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """The place of each word of a transcript in another transcript of the same answer.

    Args:
        before: the words.
        after: those of the other transcript; at least one.

    Returns:
        For each word, its place, or the place of what replaces it.
    """
    places = [0] * len(before)
    for same, (a, b, c, d) in _changes(before, after):
        for index in range(a, b):
            place = c + (index - a if same else (index - a) * (d - c) // (b - a))
            places[index] = min(place, len(after) - 1)
    return places


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterable[tuple[bool, _Change]]:
    """Alternating runs of unchanged and changed words."""
    from rapidfuzz.distance import Levenshtein  # takes 50 ms to import

    found = Levenshtein.opcodes(list(before), list(after))
    for same, group in groupby(found, key=lambda each: each.tag == "equal"):
        run = list(group)
        yield same, (run[0].src_start, run[-1].src_end, run[0].dest_start, run[-1].dest_end)


def _room(transcript: Transcript, a: int, b: int, count: int) -> tuple[float | None, float | None]:
    """When the words from ``a`` to before ``b`` were said, or the gap that may hold them."""
    words = transcript.words
    if b > a:
        return words[a].start_s, words[b - 1].end_s
    needed_s = count * INSERTED_WORD_S
    before_s = words[a - 1].end_s if a else None
    after_s = words[a].start_s if a < len(words) else transcript.duration_s
    if before_s is None:
        return (None, None) if after_s is None else (max(0.0, after_s - needed_s), after_s)
    room_s = needed_s if after_s is None else min(needed_s, max(0.0, after_s - before_s))
    return before_s, before_s + room_s


def _timed(texts: Sequence[str], start_s: float | None, end_s: float | None) -> list[Word]:
    if start_s is None or end_s is None:
        return [Word(text=each) for each in texts]
    letters = [len(each) for each in texts]
    per_letter_s = (end_s - start_s) / max(1, sum(letters))
    ends = [start_s + per_letter_s * sum(letters[: index + 1]) for index in range(len(texts))]
    return [
        Word(text=text, start_s=round(begin, 3), end_s=round(end, 3))
        for text, begin, end in zip(texts, [start_s, *ends], ends, strict=False)
    ]
