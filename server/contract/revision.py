"""A new transcript of a stored answer, by another engine or with the candidate's corrections.

The recording stays on the candidate's machine, so the client makes the new transcript and listens
again; the server stores it as a new version and grades it.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from server.contract.transcript import (
    CorrectedWords,
    Evidence,
    HeardPhrase,
    Transcript,
    Word,
    parts_of,
)
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
        neighbors; what was heard in replaced words is dropped. A key phrase that was heard
        stays unless it is contradicted, see ``_contradicts``.

        Args:
            text: the whole transcript as it should read.
        """
        raw = self.transcript.words
        texts = text.split()
        words: list[Word] = []
        marks: list[CorrectedWords] = []
        moved: dict[int, int] = {}
        phrases = self.evidence.heard_phrases
        for same, (a, b, c, d) in _changes([word.text for word in raw], texts):
            if same:
                moved |= zip(range(a, b), range(c, d), strict=True)
                words += raw[a:b]
                continue
            was = " ".join(word.text for word in raw[a:b])
            marks.append(CorrectedWords(word_index=c, word_count=d - c, was=was))
            words += _timed(texts[c:d], *_room(self.transcript, a, b, d - c))
            phrases = tuple(
                each for each in phrases if not _contradicts(each, raw, (a, b), texts[c:d])
            )
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
            evidence=self.evidence.model_copy(
                update={"heard": tuple(heard), "heard_phrases": phrases}
            ),
        )

    def heard_again(self, again: Evidence) -> "Revision":
        """This revision, with what was heard when its recording was listened to again.

        A key phrase found now counts where words were corrected. Elsewhere what was heard first
        stays, because the engine's decoder, which takes no part now, judged these places too. If
        another version of the hearing listened then, all that it finds is added.

        Args:
            again: the evidence, with what was heard among the corrected words.
        """
        first = self.evidence
        kept = first.heard_phrases
        same_hearing = first.hearing_version == again.hearing_version
        new = [
            each
            for each in again.heard_phrases
            if not any(each.start_s < old.end_s and old.start_s < each.end_s for old in kept)
            and not (same_hearing and self._as_transcribed(each))
        ]
        phrases = tuple(sorted((*kept, *new), key=lambda each: each.start_s))
        return Revision(
            transcript=self.transcript,
            evidence=again.model_copy(update={"heard_phrases": phrases}),
        )

    def _as_transcribed(self, phrase: HeardPhrase) -> bool:
        """Whether the words where a phrase was heard are the engine's own."""
        place = [at for at, word in enumerate(self.transcript.words) if _is_at(phrase, word)]
        return not any(
            place[0] < each.word_index <= place[-1]
            or not set(place).isdisjoint(range(each.word_index, each.word_index + each.word_count))
            for each in (self.transcript.corrected if place else ())
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


def _contradicts(
    phrase: HeardPhrase, raw: Sequence[Word], changed: tuple[int, int], now: Sequence[str]
) -> bool:
    """Whether the candidate's words mean that a phrase was not said where it was heard.

    They do if they stand there and are neither the engine's, but for case and punctuation, nor
    words of the phrase.

    Args:
        phrase: what was heard.
        raw: the engine's words.
        changed: the first of them that the candidate replaced, and the one behind the last.
        now: the candidate's words.
    """
    first, end = changed
    if end > first:
        is_there = any(_is_at(phrase, word) for word in raw[first:end])
    else:  # words that were left out stand there if both of their neighbors do
        beside = raw[max(0, first - 1) : first + 1]
        is_there = len(beside) == 2 and all(_is_at(phrase, word) for word in beside)
    if not is_there:
        return False
    new = list(parts_of(" ".join(now)))
    was = list(parts_of(" ".join(word.text for word in raw[first:end])))
    return new != was and not set(parts_of(phrase.phrase)).issuperset(new)


def _is_at(phrase: HeardPhrase, word: Word) -> bool:
    """Whether the middle of a word is where a phrase was heard."""
    if word.start_s is None or word.end_s is None:
        return False
    return phrase.start_s < (word.start_s + word.end_s) / 2 < phrase.end_s


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
