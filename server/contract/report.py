"""The wire models of a report: every verdict with its evidence; the terms that were said."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import not_
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field

from question_bank.models import Kind, Probe
from server.contract.transcript import (
    FollowUpReport,
    Pause,
    Share,
    SoundFault,
    SoundQuality,
    Transcript,
    Wire,
    Word,
)

EDGES: Final = "\"'“”‘’()[]{}.,;:!?…"
"""Punctuation that is removed from the ends of a quote."""
CORRECTED_NOTICE: Final = "The candidate corrected words of the transcript: "
"""How the notice about them begins, which lists them."""


def _is_none(value: object) -> bool:
    return value is None


class CoverageEvidence(Wire):
    """The words of the answer that carry a phrase: ``word_indices`` point into the words."""

    text: str
    start_s: float | None = None
    end_s: float | None = None
    word_indices: tuple[int, ...] = ()


def evidence_of(
    texts: Sequence[str], words: Sequence[Word], indices: Sequence[int]
) -> CoverageEvidence:
    """The quote from the first of these words to the last, and when they were said.

    Args:
        texts: the answer's words.
        words: the same with their times; empty for a typed answer.
        indices: of the words that carry the judgment, in order; at least one.
    """
    timed = [words[index] for index in indices] if words else []
    return CoverageEvidence(
        text=" ".join(texts[indices[0] : indices[-1] + 1]).strip(EDGES),
        start_s=min([w.start_s for w in timed if w.start_s is not None], default=None),
        end_s=max([w.end_s for w in timed if w.end_s is not None], default=None),
        word_indices=tuple(indices),
    )


class CorrectedVerdict(Wire):
    """Accompanies a verdict that a person gave, and records the grader's own (``was``).

    ``by_owner``: the candidate's answer to "Did you mean …?". ``was_negated``: the grader
        considered the phrase denied.
    """

    by: str
    by_owner: bool = False
    at: AwareDatetime
    note: str = ""
    was: Literal["correct", "mispronounced", "unclear", "covered", "partial", "possible", "missing"]
    was_negated: bool = False


PhraseStatus = Literal["covered", "partial", "possible", "missing"]
PartStatus = Literal["said", "missing"]
How = Literal[
    "exact",
    "inflected",
    "alias",
    "acronym",
    "fuzzy",
    "sound",
    "heard",
    "own_words",
    "judge",
    "listed",
]


class PhraseCoverage(Wire):
    """Whether one key phrase was said, how, and where.

    ``possible``: the evidence may say it in other words; the candidate is asked. ``confidence`` is
        the grader's probability that it does, given if the words alone do not decide it.
    ``when_asked``: the words that say it in the answer to a follow-up, if only those do.
    """

    phrase: str
    status: PhraseStatus
    how: How | None = None
    evidence: CoverageEvidence | None = None
    confidence: Share | None = None
    negated: bool = False
    weight: float = 1.0
    why: str = ""
    follow_up: str = ""
    corrected: CorrectedVerdict | None = None
    when_asked: CoverageEvidence | None = Field(default=None, exclude_if=_is_none)

    @property
    def is_said(self) -> bool:
        """Whether it was said, and not only to deny it."""
        return self.status == "covered" and not self.negated

    @property
    def is_open(self) -> bool:
        """Whether the grader neither found it nor found it denied: what a judge is asked about."""
        return self.status != "covered" and not self.negated


class Coverage(Wire):
    """``score``: the weighted share of phrases covered.

    A partial one counts half, a possible one by its confidence, one that was only denied
    (``negated``) nothing. ``graded_score``: the grader's own, if a reviewer corrected a verdict.
    """

    score: Share
    phrases: tuple[PhraseCoverage, ...]
    graded_score: Share | None = None


class StructurePart(Wire):
    """One part that an answer of its kind needs; ``ask`` is the interviewer's question for it.

    It is empty where the question or the answer gives what it asks for. ``confidence``: the chance
    that a missing one was said after all. ``when_asked``: the words that say it in the answer to a
    follow-up, if only those do.
    """

    name: str
    status: PartStatus
    confidence: Share | None = Field(default=None, exclude_if=_is_none)
    evidence: CoverageEvidence | None = None
    ask: str = ""
    weight: float = 1.0
    when_asked: CoverageEvidence | None = Field(default=None, exclude_if=_is_none)


class Structure(Wire):
    """How the answer is organized, by the rubric of the question's kind.

    ``score``: the weighted share of the parts that were said. In a rough transcript they cannot be
        judged: there are no parts, and the score is 0. ``believed``: of graders before
        5, how much of it counted.
    """

    kind: Kind
    parts: tuple[StructurePart, ...]
    score: Share
    asked: bool = Field(
        default=True, description="False where the question asks for a fact: nothing is expected"
    )
    believed: Share | None = Field(
        default=None, description="None, as good as 1, where nothing tells, and by earlier graders"
    )

    @property
    def is_judged(self) -> bool:
        return bool(self.parts)


class ScorePart(Wire):
    """One part of the score: its name, its share of the whole, and its own value."""

    name: str
    share: Share
    value: Annotated[float, Field(ge=-1.0, le=1.0)]


class TermVerdict(Wire):
    """How one term was said at one place. ``heard`` and ``expected`` are respellings.

    Confidence and source are those of the grader's verdict, even if a reviewer corrected it.
    """

    term: str
    verdict: Literal["correct", "mispronounced", "unclear"]
    heard: str | None = None
    phones: str | None = None
    expected: str = ""
    confidence: Share = 0.0
    source: Literal["acoustic", "transcript"] = "transcript"
    start_s: float | None = None
    end_s: float | None = None
    tip: str = ""
    fault: SoundFault | None = Field(
        default=None, description="why the sound is no evidence, and the verdict unclear"
    )
    word_indices: tuple[int, ...] = ()
    corrected: CorrectedVerdict | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the sound, or a reviewer, said clearly how it was said."""
        heard = self.source == "acoustic" or self.corrected is not None
        return heard and self.verdict != "unclear"


class Pronunciation(Wire):
    """One entry for each place a lexicon term was said, worst first."""

    terms: tuple[TermVerdict, ...] = ()


class Filler(Wire):
    """A filler word. Engines drop many: the count is a lower bound."""

    text: str
    start_s: float | None = None
    end_s: float | None = None
    word_index: int


class RepeatedStart(Wire):
    """A start said again ("we we", "the model the model")."""

    text: str
    start_s: float | None = None
    word_index: int


MAX_POINTS: Final = 3
"""The most points of either kind in a summary."""


class Delivery(Wire):
    """How the delivery came across. ``None``: could not be measured (no audio or no word times)."""

    words: int
    words_per_minute: float | None = None
    articulation_rate: float | None = Field(
        default=None, description="syllables per second of speech, pauses left out"
    )
    pauses: tuple[Pause, ...] = ()
    fillers: tuple[Filler, ...] = ()
    fillers_are_lower_bound: bool = True
    longest_pause_s: float | None = None
    repeated_starts: tuple[RepeatedStart, ...] = ()
    first_word_s: float | None = None
    first_point_s: float | None = None
    pauses_inside: int | None = None
    pauses_between: int | None = None
    mean_run: float | None = None
    self_corrections: int | None = None
    answer_s: float | None = None
    target_s: float


NoteKind = Literal[
    "article",
    "singular_and_plural",
    "preposition",
    "pronoun",
    "comparison",
    "adverb",
    "agreement",
    "verb_form",
    "gerund_or_infinitive",
    "tense",
    "conditional",
    "question_order",
    "negation",
    "missing_subject",
    "missing_verb",
    "collocation",
    "fixed_phrase",
    "word_choice",
    "word_order",
    "conjunction",
    "false_friend",
    "spelling",
    "hedging",
    "register",
]


class LanguageNote(Wire):
    """A remark on the English: what was said, and the whole phrase as it is usually said.

    ``sentence``: all of what was said there, repaired; it is practiced aloud. ``weight``: the
        higher, the surer and the worse.
    """

    kind: NoteKind
    said: str
    better: str
    why: str
    start_s: float | None = None
    end_s: float | None = None
    sentence: str = ""
    weight: float = 0.0


MAX_NOTES_SHOWN: Final = 5
"""More groups of remarks on one answer than these do not help."""


@dataclass(frozen=True)
class NoteGroup:
    """Remarks of one kind, the worst first; each has its number among the report's notes."""

    kind: NoteKind
    notes: tuple[tuple[int, LanguageNote], ...]

    @property
    def at(self) -> int:
        """The number of the worst."""
        return self.notes[0][0]

    @property
    def first(self) -> LanguageNote:
        """The worst."""
        return self.notes[0][1]

    @property
    def name(self) -> str:
        """The kind as people read it."""
        return self.kind.replace("_", " ")

    @property
    def count(self) -> int:
        return len(self.notes)

    @property
    def weight(self) -> float:
        return sum(note.weight for _, note in self.notes)


class Language(Wire):
    """Remarks on the English of the answer.

    ``pending``: it has not been looked at yet; the remarks follow. ``by``: what found them, rules
        alone or with a language model; ``None`` in reports of earlier graders. ``mother_tongue``:
        what it was looked at with, perhaps empty; ``None``: nobody looked, or it is not known.
    """

    notes: tuple[LanguageNote, ...] = ()
    pending: bool = False
    by: Literal["rules", "model"] | None = None
    mother_tongue: str | None = Field(default=None, exclude_if=_is_none)

    def waits_for(self, mother_tongue: str) -> bool:
        """Whether a look with this mother tongue (empty: none) would find what none has yet."""
        known, asked = self.mother_tongue, mother_tongue.strip().casefold()
        return self.pending or (known is not None and asked not in ("", known.strip().casefold()))

    @property
    def found_by(self) -> str:
        """What was at work, in a sentence; empty where nothing was, or nobody knows."""
        return {
            "rules": "Found by rules alone: few errors, and few of these wrongly.",
            "model": "Found by rules, judged by a small language model on this server.",
        }.get(self.by or "", "")

    def groups(self) -> tuple[NoteGroup, ...]:
        """What is shown: one kind after the other, the worst first, five at most."""
        kinds: dict[NoteKind, list[tuple[int, LanguageNote]]] = {}
        for at, note in enumerate(self.notes):
            kinds.setdefault(note.kind, []).append((at, note))
        groups = [
            NoteGroup(kind, tuple(sorted(notes, key=lambda each: -each[1].weight)))
            for kind, notes in kinds.items()
        ]
        groups.sort(key=lambda each: -each.weight)
        return tuple(groups[:MAX_NOTES_SHOWN])

    @property
    def not_shown(self) -> int:
        """How many remarks are not among these."""
        return len(self.notes) - sum(each.count for each in self.groups())


class LanguageRequest(Wire):
    """Asks for the remarks on an answer; ``mother_tongue`` as its speaker writes it."""

    mother_tongue: Annotated[str, Field(max_length=100)] = ""


class SummaryPoint(Wire):
    """One sentence, with a pointer to the entry it rests on, e.g. ``coverage.phrases[2]``."""

    text: str
    evidence: str


class Summary(Wire):
    """Up to three things that went well and three to work on, derived by rule."""

    went_well: tuple[SummaryPoint, ...] = ()
    work_on: tuple[SummaryPoint, ...] = ()


class Aim(Wire):
    """The one thing to do better in the next take.

    ``name``: what a later take is compared on. ``evidence``: as of a ``SummaryPoint``. ``quote``:
        the words it rests on. ``model``: a sentence to say, in the speaker's own words.
    """

    kind: Literal["content", "structure", "language", "delivery"]
    name: str
    text: str
    evidence: str
    quote: str = ""
    model: str = ""


class Report(Wire):
    """Everything Aloud says about one answer, each judgment with its evidence.

    A stored report is read with the verdicts that its reviewers corrected; each of them says so
    (``corrected``) and keeps what the grader found.
    """

    question_id: str
    created_at: datetime
    schema_version: Literal[1] = 1
    grader_version: str
    bank_version: str
    notices: tuple[str, ...] = Field(
        default=(), description="what a reader must know first, e.g. that the transcript is rough"
    )
    transcript: Transcript
    score: Share | None = Field(
        default=None, description="content only; None in reports of earlier graders"
    )
    score_parts: tuple[ScorePart, ...] = ()
    graded_score: Share | None = Field(
        default=None, description="the grader's own score, if a reviewer corrected a verdict"
    )
    doubted: CoverageEvidence | None = Field(
        default=None, description="the words that sound most wrong, where points are taken off"
    )
    off_topic: bool = Field(default=False, description="the answer does not answer the question")
    coverage: Coverage
    structure: Structure | None = None
    pronunciation: Pronunciation
    delivery: Delivery
    sound: SoundQuality | None = Field(
        default=None, description="None for text, and in reports of earlier graders"
    )
    language: Language = Language()
    follow_ups: tuple[FollowUpReport, ...] = Field(
        default=(), exclude_if=not_, description="what was asked after it, and what that added"
    )
    probes: tuple[Probe, ...] = Field(
        default=(), exclude_if=not_, description="what an expert may ask besides; gravest first"
    )
    summary: Summary = Summary()
    aim: Aim | None = Field(default=None, description="None in reports of earlier graders")

    @property
    def overall(self) -> float:
        """The score that lists, charts and exports show; the coverage in earlier reports."""
        return self.coverage.score if self.score is None else self.score

    @property
    def overall_graded(self) -> float | None:
        """The grader's own, if a reviewer corrected a verdict and so the score."""
        return self.coverage.graded_score if self.score is None else self.graded_score

    @property
    def is_english_judged(self) -> bool:
        """Whether no remarks mean that there are none to make."""
        return not self.language.pending and not self.transcript.is_rough


NOT_KNOWN: Final = "–"
TERM_WORDS: Final[Mapping[str, str]] = {
    "correct": "said right",
    "mispronounced": "mispronounced",
    "unclear": "not clearly heard",
}
"""The verdicts on a term as people read them."""
_TELLS_MOST: Final = {"mispronounced": 0, "correct": 1, "unclear": 2}


@dataclass(frozen=True)
class SaidTerm:
    """A term with its places, the most telling first: mispronounced, right, unclear.

    Each place has its number among the report's terms.
    """

    places: tuple[tuple[int, TermVerdict], ...]

    @property
    def at(self) -> int:
        """The number of the most telling place."""
        return self.places[0][0]

    @property
    def first(self) -> TermVerdict:
        """The most telling place."""
        return self.places[0][1]

    @property
    def alike(self) -> tuple[TermVerdict, ...]:
        """The places with the verdict of the first, in the order of the answer."""
        return self._with(same=True)

    @property
    def others(self) -> tuple[TermVerdict, ...]:
        """The places with another verdict, in the order of the answer."""
        return self._with(same=False)

    @property
    def times(self) -> str:
        """When it was said: ``0:12, 0:45 (said right at 1:02)``; empty without times."""
        said = _times(self.alike)
        rest = ", ".join(
            f"{TERM_WORDS[verdict]} at {times}"
            for verdict in dict.fromkeys(place.verdict for place in self.others)
            if (times := _times(place for place in self.others if place.verdict == verdict))
        )
        return said + (f" ({rest})" if rest else "")

    @property
    def heard(self) -> str:
        """How it was heard at the places like the first, each way once, in plain letters."""
        return ", ".join(dict.fromkeys(each.heard for each in self.alike if each.heard))

    def _with(self, *, same: bool) -> tuple[TermVerdict, ...]:
        found = [each for _, each in self.places if (each.verdict == self.first.verdict) == same]
        return tuple(sorted(found, key=lambda each: (each.start_s or 0.0, each.word_indices)))


def said_terms(terms: Iterable[TermVerdict]) -> tuple[SaidTerm, ...]:
    """Each term of a report once, those mispronounced first."""
    places: dict[str, list[tuple[int, TermVerdict]]] = {}
    for at, term in enumerate(terms):
        places.setdefault(term.term, []).append((at, term))
    said = [SaidTerm(tuple(sorted(each, key=_rank))) for each in places.values()]
    return tuple(sorted(said, key=lambda each: _rank(each.places[0])))


def clock(seconds: float | None) -> str:
    """A moment as ``1:05``, from an hour on as ``1:00:05``; a dash if there is none.

    Parts of a second are cut off, as players do.
    """
    if seconds is None:
        return NOT_KNOWN
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def duration(seconds: float | None) -> str:
    """A length, written like a moment but rounded: the same number as in ``65 s``."""
    return clock(None if seconds is None else round(seconds))


def _times(places: Iterable[TermVerdict]) -> str:
    return ", ".join(clock(each.start_s) for each in places if each.start_s is not None)


def _rank(place: tuple[int, TermVerdict]) -> tuple[int, float, int]:
    at, verdict = place
    return _TELLS_MOST[verdict.verdict], -verdict.confidence, at
