"""What an answer says, as the pages show it: the score, key phrases and parts of the structure."""

from dataclasses import dataclass
from typing import Final, Literal

from server.contract import CoverageEvidence, PhraseCoverage, PhraseStatus, Structure, StructurePart
from server.ui.verdict_words import (
    Tone,
    correction_text,
    how_text,
    question_about,
    words_of_part,
    words_of_phrase,
)

CLIP_MARGIN_S: Final = 0.15
"""Extra sound played before and after a term or phrase, because word times are off by this much and
a bare syllable is hard to recognize."""

ASKED_SIGN: Final[tuple[Tone, str]] = ("warn", "½")
ShownStatus = PhraseStatus | Literal["denied"]
_SIGNS: Final[dict[ShownStatus, tuple[Tone, str]]] = {
    "covered": ("good", "✓"),
    "partial": ("warn", "◐"),
    "possible": ("warn", "?"),
    "missing": ("bad", "✗"),
    "denied": ("warn", "≠"),
}


@dataclass(frozen=True)
class Quote:
    """The candidate's words, as evidence.

    Attributes:
        text: the words; empty: there is no evidence.
        href: a link to them in the transcript; empty if unknown.
        start_s: when they were said.
        from_s: where playback of them starts; ``None`` without audio.
        to_s: where it ends.
    """

    text: str = ""
    href: str = ""
    start_s: float | None = None
    from_s: float | None = None
    to_s: float | None = None


@dataclass(frozen=True)
class PhraseRow:
    """One key phrase of the checklist.

    Attributes:
        anchor: its id on the page.
        number: counted from 1, like the signs in the transcript.
        phrase: the phrase.
        status: the verdict; ``denied``: it was said only to deny it.
        tone: of the verdict.
        sign: the verdict as a symbol.
        verdict: the verdict in words.
        how: how it was said, if not literally.
        quote: the candidate's words.
        question: "Did you mean …?", if the grader asks and nobody has answered.
        answered: whether the candidate answered that question.
        why: why it matters; only if it was not simply said.
        follow_up: what an interviewer would ask; likewise, and not together with ``question``.
        open: whether something is left to do (missing, partial, possible, denied, or said only
            when asked).
        weighty: whether it counts more than others, and none counts more than it.
        correction: who corrected the verdict, and why; empty if nobody did.
    """

    anchor: str
    number: int
    phrase: str
    status: ShownStatus
    tone: Tone
    sign: str
    verdict: str
    how: str
    quote: Quote
    question: str
    answered: bool
    why: str
    follow_up: str
    open: bool
    weighty: bool
    correction: str


@dataclass(frozen=True)
class StructureRow:
    """One part of the structure; ``ask``: the interviewer's question if it is missing."""

    anchor: str
    name: str
    said: bool
    tone: Tone
    sign: str
    verdict: str
    quote: Quote
    ask: str


def phrase_row(
    number: int,
    phrase: PhraseCoverage,
    prefix: str,
    *,
    weighty: bool = False,
    to_owner: bool = False,
) -> PhraseRow:
    """A key phrase as a row; ``number`` counts from 1, ``to_owner`` as in ``correction_text``."""
    status: ShownStatus = "denied" if phrase.negated else phrase.status
    asked = phrase.when_asked
    tone, sign = ASKED_SIGN if asked else _SIGNS[status]
    left = status != "covered"
    corrected = phrase.corrected
    return PhraseRow(
        anchor=f"{prefix}phrase-{number}",
        number=number,
        phrase=phrase.phrase,
        status=status,
        tone=tone,
        sign=sign,
        verdict=words_of_phrase(phrase),
        how=how_text(phrase),
        quote=_quote_of_follow_up(asked) if asked else _quote(phrase.evidence, prefix),
        question=question_about(phrase),
        answered=corrected is not None and corrected.by_owner,
        why=phrase.why if left and not asked else "",
        follow_up=phrase.follow_up if left and not (question_about(phrase) or asked) else "",
        open=left,
        weighty=weighty,
        correction=correction_text(corrected, to_owner=to_owner),
    )


def structure_rows(structure: Structure | None, prefix: str) -> tuple[StructureRow, ...]:
    """The parts of the structure as rows; none if it was not judged."""
    parts = structure.parts if structure else ()
    return tuple(_structure_row(number, part, prefix) for number, part in enumerate(parts, start=1))


def _structure_row(number: int, part: StructurePart, prefix: str) -> StructureRow:
    said, asked = part.status == "said", part.when_asked
    tone, sign = ASKED_SIGN if asked else _SIGNS["covered" if said else "missing"]
    return StructureRow(
        anchor=f"{prefix}part-{number}",
        name=part.name,
        said=said,
        tone=tone,
        sign=sign,
        verdict=words_of_part(part),
        quote=_quote_of_follow_up(asked) if asked else _quote(part.evidence, prefix),
        ask="" if said or asked else part.ask,
    )


def _quote_of_follow_up(evidence: CoverageEvidence) -> Quote:
    """Words that stand in another transcript: nothing of this one can be shown or played."""
    return Quote(text=evidence.text)


def _quote(evidence: CoverageEvidence | None, prefix: str) -> Quote:
    if evidence is None:
        return Quote()
    indices = evidence.word_indices
    from_s, to_s = framed(evidence.start_s, evidence.end_s)
    return Quote(
        text=evidence.text,
        href=f"#{prefix}w-{min(indices)}" if indices else "",
        start_s=evidence.start_s,
        from_s=from_s,
        to_s=to_s,
    )


def framed(start_s: float | None, end_s: float | None) -> tuple[float | None, float | None]:
    """The part of the recording to play for some words, slightly longer than they took."""
    if start_s is None or end_s is None:
        return None, None
    return max(0.0, start_s - CLIP_MARGIN_S), end_s + CLIP_MARGIN_S
