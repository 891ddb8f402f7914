"""A Report as the pages show it: frozen view models with all text that people read.

The templates in ``templates/report`` only lay them out. The studio's page, the coach's page and the
HTML export show the same models; ``Sounds`` says what each can play.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from server.contract import (
    Language,
    LanguageNote,
    NoteGroup,
    Report,
    SaidTerm,
    TermVerdict,
    follow_up_starts,
    said_terms,
)
from server.ui.charts import Chart, pace_chart
from server.ui.content_view import PhraseRow, StructureRow, framed, phrase_row, structure_rows
from server.ui.delivery_view import Figure, figures_of, filler_counts
from server.ui.rendering import ipa
from server.ui.transcript_view import MARK_OF_SIGN, PartView, view_transcript
from server.ui.verdict_words import (
    Tone,
    added_text,
    composition_text,
    correction_text,
    least_text,
    notices_text,
    perhaps_right,
    rule_text,
    tip_of,
    words_of_term,
)

_SIGNS: Final[dict[str, tuple[Tone, str]]] = {
    "correct": ("good", "✓"),
    "mispronounced": ("bad", "✗"),
    "unclear": ("muted", "?"),
}


@dataclass(frozen=True)
class Sounds:
    """What a page can play.

    Attributes:
        recording_url: the candidate's own recording; ``None``: there is none here.
        taught_urls: how a term is said, by the term as written in the report.
        taught_phones: the same in ARPAbet, to be shown beside what was heard.
        mistake_urls: a mistaken reading in the app's voice, by its phones.
        say: it can speak any text.
    """

    recording_url: str | None = None
    taught_urls: Mapping[str, str] = field(default_factory=dict)
    taught_phones: Mapping[str, str] = field(default_factory=dict)
    mistake_urls: Mapping[str, str] = field(default_factory=dict)
    say: bool = False


@dataclass(frozen=True)
class TermRow:
    """How a term was said at one place.

    ``from_s`` and ``to_s`` delimit it in the candidate's recording; ``None`` without audio.
    ``correction``: who corrected the verdict, and why; empty if nobody did. ``more``: the other
    places where the term was said, in the row of the most telling one. ``word_index``: its first
    word. ``is_own``: the candidate corrected it.
    """

    anchor: str
    term: str
    status: Literal["correct", "mispronounced", "unclear"]
    tone: Tone
    sign: str
    verdict: str
    heard: str
    heard_ipa: str
    heard_phones: str
    expected: str
    tip: str
    basis: str
    said_href: str
    start_s: float | None
    from_s: float | None
    to_s: float | None
    correction: str
    word_index: int | None = None
    is_own: bool = False
    more: tuple["TermRow", ...] = ()


@dataclass(frozen=True)
class NoteRow:
    """A kind of remarks on the English: the worst of them, and others like it.

    ``sentence``: what is practiced aloud, repaired; empty of remarks on style.
    """

    anchor: str
    kind: str
    said: str
    better: str
    why: str
    start_s: float | None
    end_s: float | None
    sentence: str
    count: int
    more: tuple["NoteRow", ...] = ()


@dataclass(frozen=True)
class PointRow:
    """A point of the summary; ``href`` links to its evidence, empty if unknown."""

    text: str
    href: str


@dataclass(frozen=True)
class AimRow:
    """The aim of a report; ``quote`` and ``model`` are empty if there is none."""

    kind: str
    text: str
    href: str
    quote: str
    model: str


@dataclass(frozen=True)
class FollowUpRow:
    """What was asked after the answer, what was said to it, and what that added.

    ``start_s``: where it begins in a recording of the answer with its follow-ups.
    """

    number: int
    ask: str
    said: str
    added: str
    start_s: float | None = None


@dataclass(frozen=True)
class ReportView:
    """A whole report, ready for layout; see the row classes.

    Attributes:
        score: content only, 0 to 1; the coverage in reports of earlier graders.
        least: the text before a score that can only be higher; otherwise empty.
        graded_score: the grader's own, if somebody corrected a verdict and so the score.
        composition: what the score is made of, in words; empty in reports of earlier graders.
        rule: the rule behind its points; likewise.
        asked_count: how many phrases the candidate is asked about.
        structure: its parts; empty if it was not judged.
        timed: whether the words have times, so that there is something to play.
    """

    prefix: str
    report: Report
    notices: tuple[str, ...]
    score: float
    least: str
    graded_score: float | None
    composition: str
    rule: str
    said_count: int
    phrase_count: int
    asked_count: int
    parts: tuple[PartView, ...]
    timed: bool
    phrases: tuple[PhraseRow, ...]
    structure: tuple[StructureRow, ...]
    wrong_terms: tuple[TermRow, ...]
    right_terms: tuple[TermRow, ...]
    unclear_terms: tuple[TermRow, ...]
    figures: tuple[Figure, ...]
    fillers: tuple[tuple[str, int], ...]
    pace: Chart | None
    notes: tuple[NoteRow, ...]
    went_well: tuple[PointRow, ...]
    work_on: tuple[PointRow, ...]
    aim: AimRow | None
    follow_ups: tuple[FollowUpRow, ...]

    @property
    def marks(self) -> frozenset[str]:
        """The kinds of marks that occur in the transcript, for its legend."""
        words = [word for part in self.parts for run in part.runs for word in run.words]
        found = {run.mark for part in self.parts for run in part.runs if run.mark}
        found.update(name for word in words for name in word.classes)
        # words of two phrases show the mark of one and the signs of both
        phrase = f"#{self.prefix}phrase-"
        signs = {each.text[0] for w in words for each in w.signs if each.href.startswith(phrase)}
        found.update(MARK_OF_SIGN.get(sign, "mark-covered") for sign in signs)
        if any(word.pause_after_s for word in words):
            found.add("mark-pause")
        return frozenset(found)

    @property
    def corrected(self) -> bool:
        """Whether the candidate corrected words of the transcript."""
        return bool(self.report.transcript.corrected)

    @property
    def entry_word(self) -> int | None:
        """The first word with a time: where the keyboard enters the transcript."""
        words = self.report.transcript.words
        return next((i for i, word in enumerate(words) if word.start_s is not None), None)

    @property
    def engine(self) -> str:
        transcript = self.report.transcript
        if self.typed:
            return "typed or imported text"
        return " ".join(filter(None, [transcript.engine, transcript.model]))

    @property
    def typed(self) -> bool:
        """Whether the answer came as a text, so that there never was a recording."""
        return self.report.transcript.engine == "text"

    @property
    def origin(self) -> str:
        return self.engine if self.typed else f"transcript by {self.engine}"


def view_report(report: Report, *, prefix: str = "", to_owner: bool = False) -> ReportView:
    """What the templates show of a report.

    Args:
        report: the report.
        prefix: prepended to every id, so that two reports fit on one page.
        to_owner: whether the one who gave the answer reads it: "you", not "the candidate".
    """
    report = bounded(report)
    weights = {phrase.weight for phrase in report.coverage.phrases}
    heaviest = max(weights) if len(weights) > 1 else None
    phrases = tuple(
        phrase_row(number, phrase, prefix, weighty=phrase.weight == heaviest, to_owner=to_owner)
        for number, phrase in enumerate(report.coverage.phrases, start=1)
    )
    terms = [_rows_of(said, prefix, to_owner) for said in said_terms(report.pronunciation.terms)]
    asked = (each.transcript for each in report.follow_ups)
    starts = dict(enumerate(follow_up_starts(report.transcript, asked), start=1))
    return ReportView(
        prefix=prefix,
        report=report,
        notices=notices_text(report.notices, to_owner=to_owner),
        score=report.overall,
        least=least_text(report),
        graded_score=report.overall_graded,
        composition=composition_text(report),
        rule=rule_text(report),
        said_count=sum(not row.open for row in phrases),
        phrase_count=len(phrases),
        asked_count=sum(bool(row.question) for row in phrases),
        parts=view_transcript(report, prefix, to_owner=to_owner),
        timed=any(word.start_s is not None for word in report.transcript.words),
        phrases=phrases,
        structure=structure_rows(report.structure, prefix),
        wrong_terms=tuple(row for row in terms if row.status == "mispronounced"),
        right_terms=tuple(row for row in terms if row.status == "correct"),
        unclear_terms=tuple(row for row in terms if row.status == "unclear"),
        figures=figures_of(report.delivery),
        fillers=filler_counts(report.delivery),
        pace=pace_chart(report, id_prefix=f"{prefix}pace"),
        notes=note_rows(report.language, prefix),
        went_well=tuple(
            PointRow(each.text, row_href(each.evidence, prefix))
            for each in report.summary.went_well
        ),
        work_on=tuple(
            PointRow(point.text, row_href(point.evidence, prefix))
            for point in report.summary.work_on
        ),
        aim=None
        if (aim := report.aim) is None
        else AimRow(aim.kind, aim.text, row_href(aim.evidence, prefix), aim.quote, aim.model),
        follow_ups=tuple(
            FollowUpRow(
                number, each.asked.ask, each.transcript.text, added_text(each), starts.get(number)
            )
            for number, each in enumerate(report.follow_ups, start=1)
        ),
    )


def _rows_of(said: SaidTerm, prefix: str, to_owner: bool) -> TermRow:
    """The row of a term, with its other places in the order of the answer."""
    first, *more = (_term_row(at + 1, place, prefix, to_owner) for at, place in said.places)
    in_order = sorted(more, key=lambda row: (row.start_s or 0.0, row.word_index or 0))
    return replace(first, more=tuple(in_order))


def _term_row(number: int, term: TermVerdict, prefix: str, to_owner: bool) -> TermRow:
    tone, sign = _SIGNS[term.verdict]
    acoustic = term.source == "acoustic"
    # the hearing's confidence in a reading means nothing without a verdict
    sure = "" if term.verdict == "unclear" else f"{term.confidence:.0%} sure, "
    basis = f"{sure}from the sound" if acoustic else "from the transcript only"
    from_s, to_s = framed(term.start_s, term.end_s)
    return TermRow(
        anchor=f"{prefix}term-{number}",
        term=term.term,
        status=term.verdict,
        tone=tone,
        sign=sign,
        verdict=words_of_term(term),
        heard=term.heard or "",
        heard_ipa=ipa(term.phones) if term.phones else "",
        heard_phones=term.phones or "",
        expected="" if perhaps_right(term) else term.expected,
        tip=tip_of(term),
        basis="" if term.corrected else basis,
        said_href=f"#{prefix}w-{min(term.word_indices)}" if term.word_indices else "",
        start_s=term.start_s,
        from_s=from_s,
        to_s=to_s,
        correction=correction_text(term.corrected, to_owner=to_owner),
        word_index=min(term.word_indices, default=None),
        is_own=term.corrected is not None and term.corrected.by_owner,
    )


def note_rows(language: Language, prefix: str = "") -> tuple[NoteRow, ...]:
    """What is shown of the remarks: each row a kind."""
    groups = [
        [_note_row(at + 1, note, group, prefix) for at, note in group.notes]
        for group in language.groups()
    ]
    return tuple(replace(worst, more=tuple(more)) for worst, *more in groups)


def _note_row(number: int, note: LanguageNote, group: NoteGroup, prefix: str) -> NoteRow:
    from_s, to_s = framed(note.start_s, note.end_s)
    return NoteRow(
        anchor=f"{prefix}note-{number}",
        kind=group.name,
        said=note.said,
        better=note.better,
        why=note.why,
        start_s=from_s,
        end_s=to_s,
        sentence=note.sentence,
        count=group.count,
    )


_EVIDENCE: Final = re.compile(
    r"(?P<list>coverage\.phrases|structure\.parts|pronunciation\.terms|language\.notes)"
    r"\[(?P<at>\d{1,6})\]"
)
_ROWS: Final = {
    "coverage.phrases": "phrase",
    "structure.parts": "part",
    "pronunciation.terms": "term",
    "language.notes": "note",
}
_SECTIONS: Final = {
    "coverage": "phrases",
    "structure": "structure",
    "pronunciation": "terms",
    "delivery": "delivery",
    "language": "language",
}


def row_href(evidence: str, prefix: str = "") -> str:
    """Where evidence is on the page of a report."""
    found = _EVIDENCE.fullmatch(evidence)
    if found:
        return f"#{prefix}{_ROWS[found['list']]}-{int(found['at']) + 1}"
    section = _SECTIONS.get(evidence.split(".")[0])
    return f"#{prefix}{section}" if section else ""


MOST_SHOWN: Final = 1000
"""The most places of terms, and of remarks. Half an hour of speech has about 500; an answer as long
as the contract allows can have 49,000, which made a page of 68 MB."""


def bounded(report: Report) -> Report:
    """The report with as many places of terms, worst first, and remarks as a page can show.

    It says if something is left out; scores and counts of the report stay the same.
    """
    terms, notes = report.pronunciation.terms, report.language.notes
    left_out = max(0, len(terms) - MOST_SHOWN) + max(0, len(notes) - MOST_SHOWN)
    if not left_out:
        return report
    notice = (
        f"{left_out:,} more places of terms and remarks on the language are left out here; "
        "the JSON export has them."
    )
    return report.model_copy(
        update={
            "pronunciation": report.pronunciation.model_copy(update={"terms": terms[:MOST_SHOWN]}),
            "language": report.language.model_copy(update={"notes": notes[:MOST_SHOWN]}),
            "notices": (*report.notices, notice),
        }
    )
