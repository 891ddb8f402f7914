"""One attempt as a file: Markdown, HTML, PDF, JSON that can be imported, subtitles.

The PDF's font is Noto Sans (Latin, Greek, Cyrillic, phonetic letters). A letter that it lacks is
shown as a question mark, and the page says how many there are.
"""

import logging
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Literal

import fontpkg
import fpdf
from fontTools.ttLib import TTFont
from fpdf.fonts import FontFace

from server.contract import (
    Archive,
    ArchivedAttempt,
    PhraseCoverage,
    Report,
    Structure,
    TermVerdict,
    Transcript,
    clock,
    said_terms,
)
from server.core.errors import InvalidInputError
from server.jobs.job import MadeFile
from server.ui import show_controls
from server.ui.delivery_view import delivery_lines
from server.ui.exports import ending_of
from server.ui.exports.html import to_html
from server.ui.exports.markdown import facts_of, to_markdown
from server.ui.exports.transcript_text import to_srt, to_vtt
from server.ui.rendering import ipa
from server.ui.verdict_words import (
    added_text,
    composition_text,
    correction_lines,
    how_text,
    note_lines,
    question_about,
    rule_text,
    tip_of,
    words_of_part,
    words_of_term,
)

_FONT: Final = "Noto Sans"
_BOX: Final = "?"
_TEXT_PT: Final = 10.0
_SMALL_PT: Final = 8.0
_MARGIN_MM: Final = 18.0
_CELL_CHARS: Final = 200
"""A row must fit on a page: longer texts appear in full below their table."""
_MOST_ROWS: Final = 500
"""The most rows in one table. A row takes 2 ms; an answer that repeats one term had 49,000, which
took minutes."""
_MOST_MARKS: Final = 8
"""The most marks on one letter, or zero-width characters in a row. A line of nothing else never
ends, and breaking 100,000 of them into lines took minutes. Vietnamese uses two, pointed Hebrew
three."""
_BOLD_STROKE_MM: Final = 0.12
"""A second weight of the font would double the file; a thin stroke looks the same on paper."""


def to_pdf(attempt: ArchivedAttempt) -> bytes:
    """The attempt with its latest report."""
    return _Document(attempt).content()


class _Document:
    """One PDF, written from top to bottom."""

    def __init__(self, attempt: ArchivedAttempt) -> None:
        # It logs each font table that it drops.
        logging.getLogger("fontTools").setLevel(logging.WARNING)
        self._attempt = attempt
        self._lacking = 0
        self._pdf = pdf = fpdf.FPDF(format="A4")
        pdf.set_margin(_MARGIN_MM)
        pdf.set_auto_page_break(True, _MARGIN_MM)
        pdf.add_font(_FONT, "", str(fontpkg.path(_FONT)))
        pdf.set_creation_date(attempt.reports[-1].graded_at)
        pdf.set_title(self._plain(attempt.question.prompt))
        pdf.set_creator("Aloud")
        pdf.set_lang("en")
        pdf.add_page()

    def content(self) -> bytes:
        attempt, report = self._attempt, self._attempt.report
        transcript, question = report.transcript, attempt.question
        self._heading(question.prompt, 16)
        self._text(" · ".join(facts_of(attempt)), _SMALL_PT)
        if report.score_parts:
            self._text(f"Score: {composition_text(report)}. {rule_text(report)}".strip())
        for notice in report.notices:
            self._text(f"Note: {notice}")
        for title, points in (
            ("What went well", report.summary.went_well),
            ("What to work on", report.summary.work_on),
        ):
            if points:
                self._heading(title)
                self._list(point.text for point in points)
        self._phrases(report.coverage.phrases)
        self._structure(report.structure)
        if report.follow_ups:
            self._heading("Follow-ups")
            self._list(
                f"{each.asked.ask} “{each.transcript.text}” {added_text(each)}"
                for each in report.follow_ups
            )
        self._terms(report.pronunciation.terms)
        self._corrections(report)
        self._heading("Delivery")
        self._list(delivery_lines(report.delivery))
        if report.language.notes:
            self._heading("Language")
            self._list(note_lines(report.language))
        if report.aim is not None:
            self._heading("Aim")
            self._text(f"{report.aim.text} {report.aim.model}".strip())
        self._heading("Transcript")
        for line in transcript.text.splitlines():
            self._text(line)
        self._heading("Model answer")
        self._text(question.model_answer)
        if question.sources:
            self._text(f"Sources: {'; '.join(question.sources)}", _SMALL_PT)
        self._text(
            f"Question {question.id}, grader {report.grader_version}, bank {report.bank_version}",
            _SMALL_PT,
        )
        if self._lacking:
            self._text(
                f"{self._lacking} characters that this file's font lacks stand here as "
                f"“{_BOX}”; the HTML and Markdown exports have them.",
                _SMALL_PT,
            )
        content = bytes(self._pdf.output())
        for font in self._pdf.fonts.values():
            font.ttfont.close()  # type: ignore[union-attr]
        return content

    def _phrases(self, phrases: Sequence[PhraseCoverage]) -> None:
        self._heading("Key phrases")
        rows = [("Phrase", "Status", "Said", "At")]
        for each in phrases:
            how = how_text(each)
            status = each.status + (f" ({how})" if how else "")
            said = each.evidence
            rows.append(
                (
                    each.phrase,
                    status
                    + (", negated" if each.negated else "")
                    + (", corrected" if each.corrected else ""),
                    f"“{said.text}”" if said else "",
                    clock(said.start_s) if said and said.start_s is not None else "",
                )
            )
        self._table(rows, (34, 24, 34, 8))
        asked = [each for each in phrases if each.status != "covered" and not each.when_asked]
        self._list(
            f"{each.phrase}: {text}"
            for each in asked
            if (text := " ".join(filter(None, [question_about(each), each.why, each.follow_up])))
        )

    def _structure(self, structure: Structure | None) -> None:
        if structure is None or not structure.is_judged:
            return
        self._heading("Structure")
        rows = [("Part", "Status", "Said, or what they may ask", "At")]
        for each in structure.parts:
            said = each.when_asked or each.evidence
            text = f"“{said.text}”" if said else each.ask
            at = clock(said.start_s) if said and said.start_s is not None else ""
            rows.append((each.name, words_of_part(each), text, at))
        self._table(rows, (24, 12, 56, 8))

    def _terms(self, terms: Sequence[TermVerdict]) -> None:
        if not terms:
            return
        self._heading("Pronunciation")
        rows = [("Term", "Verdict", "Heard", "Expected", "At", "Tip")]
        for said in said_terms(terms):
            each = said.first
            only = " (from the transcript only)" if each.source == "transcript" else ""
            only = ", corrected" if each.corrected else only
            heard = said.heard or (ipa(each.phones) if each.phones else "")
            rows.append(
                (
                    each.term,
                    words_of_term(each) + only,
                    heard,
                    each.expected,
                    said.times,
                    tip_of(each),
                )
            )
        self._table(rows, (16, 20, 16, 16, 8, 24))

    def _corrections(self, report: Report) -> None:
        lines = [f"{name}: {text}" for name, text in correction_lines(report)]
        if lines:
            self._heading("Corrected verdicts")
            self._list(lines)

    def _heading(self, text: str, size_pt: float = 12.5) -> None:
        pdf = self._pdf
        pdf.set_font(_FONT, "", size_pt)
        pdf.ln(size_pt * 0.25)
        with pdf.local_context(text_mode="FILL_STROKE", line_width=_BOLD_STROKE_MM):
            self._write(text, size_pt)
        pdf.ln(size_pt * 0.1)

    def _text(self, text: str, size_pt: float = _TEXT_PT) -> None:
        self._pdf.set_font(_FONT, "", size_pt)
        self._write(text, size_pt)
        self._pdf.ln(1)

    def _list(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._text(f"–  {line}")

    def _write(self, text: str, size_pt: float) -> None:
        self._pdf.multi_cell(
            0, size_pt * 0.5, self._plain(text), align="L", new_x="LMARGIN", new_y="NEXT"
        )

    def _table(self, rows: Sequence[tuple[str, ...]], widths: tuple[int, ...]) -> None:
        shown = rows[: 1 + _MOST_ROWS]  # the first is the heading
        self._pdf.set_font(_FONT, "", _SMALL_PT)
        with self._pdf.table(
            col_widths=widths,
            text_align="LEFT",
            borders_layout="HORIZONTAL_LINES",
            headings_style=FontFace(emphasis="", fill_color=(241, 239, 233)),
            line_height=_SMALL_PT * 0.5,
            padding=1,
        ) as table:
            for row in shown:
                cells = table.row()
                for value in row:
                    cells.cell(self._plain(_cut(value)))
        self._pdf.ln(2)
        if len(rows) > len(shown):
            self._text(
                f"{len(rows) - len(shown):,} more rows are left out here; "
                "the Markdown and JSON exports have them.",
                _SMALL_PT,
            )
        self._list(value for row in shown for value in row if len(value) > _CELL_CHARS)

    def _plain(self, text: str) -> str:
        """Text that the font can show; extremely long words are broken where necessary."""
        line = " ".join(show_controls(text).split())
        widths = _letters()
        shown, marks = [], 0
        for char in line:
            marks = marks + 1 if widths.get(ord(char)) == 0 else 0
            if ord(char) in widths and marks <= _MOST_MARKS:
                shown.append(char)
            else:
                shown.append(_BOX)
                self._lacking += 1
        return "".join(shown)


def _cut(text: str) -> str:
    return text if len(text) <= _CELL_CHARS else f"{text[:_CELL_CHARS]}…"


@cache
def _letters() -> dict[int, int]:
    """The characters that the font has, each with its width in the font's units."""
    with TTFont(fontpkg.path(_FONT), lazy=True) as font:
        widths = font["hmtx"]
        return {char: widths[glyph][0] for char, glyph in font.getBestCmap().items()}


AttemptFormat = Literal["markdown", "html", "pdf", "json", "srt", "vtt"]


def export_attempt(archive: Archive, format: AttemptFormat) -> MadeFile:
    """The attempt of an archive of one, as a file.

    Args:
        archive: what ``Service.export_one`` gives.
        format: the format; JSON is the archive itself.

    Raises:
        InvalidInputError: subtitles of an answer that has no word times.
    """
    attempt = archive.attempts[0]
    transcript = attempt.report.transcript
    match format:
        case "markdown":
            content = to_markdown(archive.attempts).encode()
        case "html":
            content = to_html(archive.attempts).encode()
        case "pdf":
            content = to_pdf(attempt)
        case "json":
            content = (archive.model_dump_json(indent=2) + "\n").encode()
        case "srt":
            content = to_srt(_timed(transcript)).encode()
        case "vtt":
            content = to_vtt(_timed(transcript)).encode()
    when = attempt.submission.created_at
    # a question's id has only letters, digits and hyphens: the name is safe on every disk
    return MadeFile(f"{attempt.question.id}-{when:%Y-%m-%d}.{ending_of(format)}", content)


def _timed(transcript: Transcript) -> Transcript:
    if not any(word.start_s is not None for word in transcript.words):
        raise InvalidInputError(
            "this answer has no word times (it was typed): there is nothing to subtitle"
        )
    return transcript
