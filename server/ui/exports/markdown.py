"""Attempts as Markdown (CommonMark with tables); what was said is text, never markup."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from server.contract import (
    ArchivedAttempt,
    PhraseCoverage,
    Report,
    Structure,
    SummaryPoint,
    TermVerdict,
    said_terms,
)
from server.ui import show_controls
from server.ui.delivery_view import delivery_lines
from server.ui.verdict_words import (
    added_text,
    composition_text,
    correction_lines,
    how_text,
    note_lines,
    question_about,
    rule_text,
    score_text,
    tip_of,
    words_of_part,
    words_of_phrase,
    words_of_term,
)

_SIGNS: Final = {"covered": "✓", "partial": "◐", "possible": "?", "missing": "✗"}


def to_markdown(attempts: Sequence[ArchivedAttempt]) -> str:
    """The attempts with their latest reports, one section each."""
    if not attempts:
        return "# Aloud\n\nNo attempts yet.\n"
    return "\n".join("\n".join(_attempt(attempt)) + "\n" for attempt in attempts)


def facts_of(attempt: ArchivedAttempt) -> list[str]:
    """When an answer was given, to what, how it was scored and which engine transcribed it."""
    question, transcript = attempt.question, attempt.report.transcript
    facts = [
        f"{attempt.submission.created_at:%Y-%m-%d %H:%M %Z}".strip(),
        question.role,
        question.round,
        question.topic,
        score_text(attempt.report),
        " ".join(filter(None, [transcript.engine, transcript.model])),
    ]
    return [fact for fact in facts if fact]


def _attempt(attempt: ArchivedAttempt) -> Iterator[str]:
    report, question = attempt.report, attempt.question
    transcript = attempt.report.transcript
    yield f"# {plain_text(question.prompt)}"
    yield ""
    yield " · ".join(map(plain_text, facts_of(attempt)))
    yield ""
    if report.score_parts:
        composed = f"{composition_text(report)}. {rule_text(report)}"
        yield f"Score: {plain_text(composed.strip())}"
        yield ""
    for notice in report.notices:
        yield f"> **Note:** {plain_text(notice)}"
        yield ""
    yield from points_lines("What went well", report.summary.went_well)
    yield from points_lines("What to work on", report.summary.work_on)
    yield from _coverage(report)
    yield from _structure(report.structure)
    yield from _follow_ups(report)
    yield from _pronunciation(report.pronunciation.terms)
    yield from _corrections(report)
    yield "## Delivery"
    yield ""
    yield from (f"- {each}" for each in delivery_lines(report.delivery))
    yield ""
    if report.language.notes:
        yield "## Language"
        yield ""
        for line in note_lines(report.language):
            yield f"- {plain_text(line)}"
        yield ""
    if report.aim is not None:
        yield "## Aim"
        yield ""
        yield plain_text(report.aim.text)
        if report.aim.model:
            yield ""
            yield f"Say: “{plain_text(report.aim.model)}”"
        yield ""
    yield "## Transcript"
    yield ""
    for line in transcript.text.splitlines():
        yield f"> {plain_text(line)}".rstrip()
    yield ""
    yield (
        f"*Question {plain_text(question.id)}, grader {plain_text(report.grader_version)}, "
        f"bank {plain_text(report.bank_version)}*"
    )


def _corrections(report: Report) -> Iterator[str]:
    lines = [
        f"- **{plain_text(name)}**: {plain_text(text)}" for name, text in correction_lines(report)
    ]
    if lines:
        yield from ("## Corrected verdicts", "", *lines, "")


def points_lines(title: str, points: Sequence[SummaryPoint]) -> Iterator[str]:
    """A section with these points; nothing if there are none."""
    if points:
        yield f"## {title}"
        yield ""
        yield from (f"- {plain_text(point.text)}" for point in points)
        yield ""


def _coverage(report: Report) -> Iterator[str]:
    yield "## Key phrases"
    yield ""
    yield "| Phrase | Status | Said | At |"
    yield "|---|---|---|---|"
    for phrase in report.coverage.phrases:
        evidence = phrase.when_asked or phrase.evidence
        said = f"“{plain_text(evidence.text)}”" if evidence else ""
        at = _time(evidence.start_s) if evidence else ""
        yield f"| {plain_text(phrase.phrase)} | {_status(phrase)} | {said} | {at} |"
    yield ""
    asked = [
        each
        for each in report.coverage.phrases
        if each.status != "covered" and each.when_asked is None
    ]
    for phrase in asked:
        text = " ".join(filter(None, [question_about(phrase), phrase.why, phrase.follow_up]))
        if text:
            yield f"- **{plain_text(phrase.phrase)}**: {plain_text(text)}"
    if any(question_about(phrase) or phrase.why or phrase.follow_up for phrase in asked):
        yield ""


def _structure(structure: Structure | None) -> Iterator[str]:
    if structure is None or not structure.is_judged:
        return
    yield "## Structure"
    yield ""
    yield "| Part | Status | Said, or what they may ask | At |"
    yield "|---|---|---|---|"
    for part in structure.parts:
        evidence = part.evidence
        status = "✓ said" if part.status == "said" else f"✗ {words_of_part(part)}"
        if part.when_asked is not None:
            status, evidence = f"½ {words_of_part(part)}", part.when_asked
        text = f"“{plain_text(evidence.text)}”" if evidence else plain_text(part.ask)
        at = _time(evidence.start_s) if evidence else ""
        yield f"| {plain_text(part.name)} | {status} | {text} | {at} |"
    yield ""


def _follow_ups(report: Report) -> Iterator[str]:
    if not report.follow_ups:
        return
    yield "## Follow-ups"
    yield ""
    for each in report.follow_ups:
        yield f"- **{plain_text(each.asked.ask)}** “{plain_text(each.transcript.text)}” "
        yield f"  *{plain_text(added_text(each))}*"
    yield ""


def _status(phrase: PhraseCoverage) -> str:
    how = f" ({how_text(phrase)})" if how_text(phrase) else ""
    corrected = ", corrected" if phrase.corrected else ""
    if phrase.when_asked is not None:
        return f"½ {words_of_phrase(phrase)}"
    sign = "≠" if phrase.negated else _SIGNS[phrase.status]
    return f"{sign} {words_of_phrase(phrase)}{how}{corrected}"


def _pronunciation(terms: Sequence[TermVerdict]) -> Iterator[str]:
    if not terms:
        return
    yield "## Pronunciation"
    yield ""
    yield "| Term | Verdict | Heard | Expected | Confidence | At | Tip |"
    yield "|---|---|---|---|---|---|---|"
    for said in said_terms(terms):
        term = said.first
        cells = [
            plain_text(term.term),
            _verdict(term),
            plain_text(said.heard),
            plain_text(term.expected),
            "" if term.corrected or term.verdict == "unclear" else f"{term.confidence:.0%}",
            said.times,
            plain_text(tip_of(term)),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _verdict(term: TermVerdict) -> str:
    if term.corrected is not None:
        return f"{words_of_term(term)}, corrected"
    return words_of_term(term) + (
        " (from the transcript only)" if term.source == "transcript" else ""
    )


def _time(start_s: float | None) -> str:
    if start_s is None:
        return ""
    tenths = round(start_s * 10)
    return f"{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")
_LINE_START: Final = re.compile(r"^(?=[-+=]|\d{1,9}[.)])(\d*)")


def plain_text(text: str) -> str:
    """One line of plain text, whatever it contains."""
    line = " ".join(show_controls(text).split())
    return _LINE_START.sub(r"\1\\", _SPECIAL.sub(r"\\\1", line))
