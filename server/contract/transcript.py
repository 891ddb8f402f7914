"""The wire models of what was said: the transcript, and what the client found in the sound.

Times are seconds from the start of the recording; they are ``None`` if an answer was typed or
imported without audio.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Final, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from server.contract.wire import Share, Wire

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
