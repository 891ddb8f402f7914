"""The wire models of what was said, after a follow-up too, and the base of all of them.

Frozen, and strict about unknown fields.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from statistics import fmean
from typing import Annotated, Final, Literal, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

MAX_SPANS: Final = 400
"""Spans of an answer that get a vector: about a quarter of an hour of speech."""

Share = Annotated[float, Field(ge=0, le=1)]
AttemptId = Annotated[int, Field(ge=1, le=2**63 - 1)]


class Wire(BaseModel):
    """Base of what client and server exchange and of jobs' orders; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Problem(Wire):
    """An error as the API reports it (after RFC 9457); ``detail`` is one line for a person."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[str, ...] = Field(default=(), description="one line for each invalid field")


MAX_TEXT_CHARS = 200_000
MAX_WORDS = 40_000

ROUGH_ENGINES: Final = frozenset({"pocketsphinx"})

Seconds = Annotated[float, Field(ge=0, le=24 * 3600)]
Short = Annotated[str, StringConstraints(max_length=500)]
SoundProblem = Literal[
    "damaged", "clipped", "quiet", "noisy", "far", "hum", "one_channel", "opposite", "offset"
]

SoundFault = Literal["clipped", "noisy", "far"]
"""Why the sound around a term is no evidence that it was said wrong."""

Decibels = Annotated[float, Field(ge=-200, le=200)]


class Word(Wire):
    """One transcribed word, as the engine wrote it (with its punctuation), and when it was said."""

    text: Short
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    confidence: Share | None = None


def clearness_of(words: Sequence[Word]) -> float:
    """The transcriber's mean confidence in the words, 0 to 1; 1 for a typed answer."""
    sure = [each.confidence for each in words if each.confidence is not None]
    return fmean(sure) if sure else 1.0


class CorrectedWords(Wire):
    """Words that the candidate put in place of the engine's.

    ``word_count`` words from ``word_index`` on, 0 if the engine's were removed. ``was``: the
    engine's words, empty if it had left some out.
    """

    word_index: int = Field(ge=0, le=MAX_WORDS)
    word_count: int = Field(ge=0, le=MAX_WORDS)
    was: Annotated[str, StringConstraints(max_length=MAX_TEXT_CHARS)]


class Transcript(Wire):
    """What the engine wrote. ``engine`` is ``text`` for a typed or imported answer.

    ``corrected``: the places where the candidate wrote other words, in order; they are in
        ``words``.
    """

    text: Annotated[str, StringConstraints(max_length=MAX_TEXT_CHARS)]
    language: Short = "en"
    engine: Short = "text"
    model: Short = ""
    duration_s: Seconds | None = None
    words: Annotated[tuple[Word, ...], Field(max_length=MAX_WORDS)] = ()
    corrected: Annotated[tuple[CorrectedWords, ...], Field(max_length=MAX_WORDS)] = ()

    @property
    def tokens(self) -> list[str]:
        """The words alone; for a typed answer, which has no list of them, from its text."""
        return [word.text for word in self.words] or self.text.split()

    @property
    def corrected_texts(self) -> list[tuple[str, str]]:
        """The candidate's words and the engine's, for each place that was corrected."""
        return [
            (" ".join(self.tokens[each.word_index :][: each.word_count]), each.was)
            for each in self.corrected
        ]

    def places_of(self, words: str) -> list[range]:
        """The places where these words are, consecutive and in this order.

        Case and punctuation do not matter.
        """
        wanted = list(parts_of(words))
        said = [(part, index) for index, text in enumerate(self.tokens) for part in parts_of(text)]
        size = len(wanted)
        return [
            range(said[at][1], said[at + size - 1][1] + 1)
            for at in range(len(said) - size + 1 if size else 0)
            if [part for part, _ in said[at : at + size]] == wanted
        ]

    @property
    def sentences(self) -> list[range]:
        """Where the sentences are, by the words that end one."""
        ends = (at for at, text in enumerate(self.tokens, 1) if text.endswith((".", "?", "!")))
        return [range(*each) for each in pairwise(sorted({0, *ends, len(self.tokens)}))]

    @property
    def is_rough(self) -> bool:
        """Whether the engine gets so many words wrong that only exact words count."""
        return self.engine in ROUGH_ENGINES

    @field_validator("words")  # unlike one of the model, not called again for each report
    @classmethod
    def _times_run_forward(cls, words: tuple[Word, ...]) -> tuple[Word, ...]:
        for word in words:
            if word.start_s is not None and word.end_s is not None and word.end_s < word.start_s:
                raise ValueError(f"the word {word.text!r} ends before it starts")
        return words

    @model_validator(mode="after")
    def _corrections_are_in_place(self) -> Self:
        end = 0
        for each in self.corrected:
            if each.word_index < end:
                raise ValueError("the corrected words are not in order")
            end = each.word_index + each.word_count
        if end > len(self.words):
            raise ValueError("words are marked as corrected that are not there")
        return self


def parts_of(text: str) -> Iterator[str]:
    """The words of a text without case, apostrophes and punctuation."""
    yield from re.findall(r"[^\W_]+", text.casefold().replace("'", "").replace("’", ""))


MANY_WE: Final = 3
WE_SHARE: Final = 0.75
"""How often "we", and which share of "we" and "I" it is, where an interviewer asks who did it."""
_WE: Final = re.compile(r"\bwe\b", re.IGNORECASE)
_I: Final = re.compile(r"\b(i|my|me|mine)\b", re.IGNORECASE)


def says_we(text: str) -> bool:
    """Whether an answer tells mostly what "we" did."""
    we, own = len(_WE.findall(text)), len(_I.findall(text))
    return we >= MANY_WE and we >= WE_SHARE * (we + own)


class Pause(Wire):
    """A silence within the answer, measured from the audio by voice activity detection."""

    start_s: Seconds
    end_s: Seconds


class Stretch(Wire):
    """A part of the answer, by its times."""

    start_s: Seconds
    end_s: Seconds


class HeardTerm(Wire):
    """What the hearing found for one place where a term was said, on the candidate's machine."""

    term: Short
    word_index: int = Field(ge=0, description="index of the first of the term's words")
    word_count: int = Field(default=1, ge=1, le=20)
    verdict: Literal["correct", "mispronounced", "unclear"]
    phones: Short
    confidence: Share
    start_s: Seconds
    end_s: Seconds
    fault: SoundFault | None = Field(
        default=None, description="why the sound is no evidence of how it was said"
    )


class HeardPhrase(Wire):
    """A key phrase that the hearing found in the sound but that is not in the transcript."""

    phrase: Short
    start_s: Seconds
    end_s: Seconds
    confidence: Share = Field(description="the probability that it was said there")


class JudgedPhrase(Wire):
    """A key phrase that a judge considers said, and the words that it quotes as proof.

    The quote is as the judge wrote it: the grader checks it against the transcript.
    """

    phrase: Short
    quote: Short


class Judgment(Wire):
    """What a language model of the candidate's choice says about the phrases not found.

    ``transcript_left``: the transcript was sent to another machine.
    """

    address: Short
    model: Short
    transcript_left: bool
    phrases: Annotated[tuple[JudgedPhrase, ...], Field(max_length=100)] = ()
    problem: Short | None = Field(default=None, description="why it gave no verdicts")


class SoundQuality(Wire):
    """How good the sound of an answer is; a level is ``None`` if it cannot be measured.

    ``problems``: what is wrong, the worst first. ``clipped_share``: the share of the speech with
    clipped peaks. ``hum_hz``: the frequency of mains hum, if any. ``fall_db``: how far the level
    falls in 64 ms where speech stops; close to 0 in a room with much echo. ``offset``: the constant
    offset, which was removed. ``channels``: the part of a stereo recording that was used, if it was
    not mixed. ``missing_s``: how much of a damaged file could not be read, of ``declared_s`` if the
    file says how long it is. ``misses_more``: more may be missing, because the format has no times
    that would show it.
    """

    problems: Annotated[tuple[SoundProblem, ...], Field(max_length=20)] = ()
    speech_dbfs: Decibels | None = None
    noise_dbfs: Decibels | None = None
    clipped_share: Share = 0.0
    hum_hz: Literal[50, 60] | None = None
    hum_dbfs: Decibels | None = None
    fall_db: Decibels | None = None
    offset: Annotated[float, Field(ge=-1, le=1)] = 0.0
    channels: Literal["left", "right", "unmixed"] | None = None
    missing_s: Seconds = 0.0
    declared_s: Seconds | None = None
    misses_more: bool = False


class Evidence(Wire):
    """What only the client can know: it has the audio, and it asks the judge.

    ``pauses`` is ``None`` if there was no audio to measure, and empty if nobody paused.
    ``unintelligible``: where somebody speaks but the engine recognized no words. ``sound`` is
    ``None`` if nothing was measured. ``judgment`` is ``None`` if there is no judge or nothing to
    ask it.
    """

    answer_start_s: Seconds | None = None
    answer_end_s: Seconds | None = None
    pauses: tuple[Pause, ...] | None = None
    heard: tuple[HeardTerm, ...] = ()
    heard_phrases: Annotated[tuple[HeardPhrase, ...], Field(max_length=1000)] = ()
    unintelligible: Annotated[tuple[Stretch, ...], Field(max_length=MAX_WORDS)] = ()
    hearing_version: Short | None = None
    hearing_problem: Short | None = Field(
        default=None, description="why the hearing gave no verdicts, where it was asked"
    )
    sound: SoundQuality | None = None
    judgment: Judgment | None = None


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
    words of the phrase. ``changed``: which of the engine's were replaced by ``now``.
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


FOLLOW_UP_S: Final = 45.0
"""How long the answer to a follow-up may be."""
MOST_FOLLOW_UPS: Final = 2
"""How many are asked after one answer."""
MOST_PROBES: Final = 5
"""How many follow a design in an interview: requirements, capacity, design, failure, cost."""
MOST_KEPT: Final = 10
BETWEEN_S: Final = 1.0
"""Silence between an answer and its follow-ups, where one recording has all of them."""
CHALLENGED: Final = "what was challenged"
"""What a follow-up added that answered a challenge well."""

FollowUpKind = Literal["phrase", "part", "challenge", "own_part", "number", "example", "probe"]
"""What it is about: a key phrase or a part of the structure that is missing or vague, something
said wrong, what the candidate did ("we"), a number, an example, what an expert asks besides."""


class FollowUp(Wire):
    """One question that follows an answer.

    ``about``: the key phrase, the part, or what a good reply has. ``quote``: the candidate's words
        that it takes up. ``by_model``: a language model put it into words.
    """

    kind: FollowUpKind
    about: Short = ""
    ask: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    quote: Short = ""
    by_model: bool = False


class FollowUpAnswer(Wire):
    """What was said to a follow-up. The same ``submission_id`` is stored only once."""

    submission_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    asked: FollowUp
    created_at: AwareDatetime
    transcript: Transcript
    evidence: Evidence = Evidence()


class FollowUpReport(Wire):
    """A follow-up in a report. ``added``: the key phrases and parts that only it brought."""

    submission_id: str
    asked: FollowUp
    transcript: Transcript
    added: tuple[str, ...] = Field(default=(), description="said when asked")


def follow_up_starts(answer: Transcript, said: Iterable[Transcript]) -> list[float]:
    """Where each follow-up begins in a recording of an answer and, after it, its follow-ups.

    Those after one of unknown length are left out.
    """
    lengths = [each.duration_s for each in (answer, *said)][:-1]
    known = lengths[: lengths.index(None)] if None in lengths else lengths
    return list(accumulate(float(each or 0.0) + BETWEEN_S for each in known))
