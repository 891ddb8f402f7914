"""Reports, lists of them, and debriefs in the terminal: every color comes with a sign."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from client.practice.interviews import AnswerLine, InterviewReport
from client.practice.interviews.debrief import sections_of
from server.contract import (
    NOT_KNOWN,
    Aim,
    AttemptSummary,
    Comment,
    CorrectedVerdict,
    Coverage,
    Language,
    PhraseCoverage,
    Report,
    ReviewDocument,
    SaidTerm,
    Structure,
    Summary,
    TermVerdict,
    Transcript,
    clock,
    said_terms,
)
from server.ui.delivery_view import delivery_lines
from server.ui.verdict_words import (
    NO_SOUND,
    added_text,
    composition_text,
    correction_text,
    how_text,
    notices_text,
    perhaps_right,
    question_about,
    rule_text,
    score_text,
    tip_of,
    words_of_part,
    words_of_phrase,
    words_of_term,
)

_STATUS: Final = {
    "covered": ("✓", "green"),
    "partial": ("~", "yellow"),
    "possible": ("?", "yellow"),
    "missing": ("✗", "red"),
}
_PART: Final = {"said": ("✓", "said", "green"), "missing": ("✗", "missing", "red")}
_DENIED: Final = ("≠", "yellow")
_ASKED: Final = ("½", "yellow")
_VERDICT: Final = {
    "correct": ("✓", "green"),
    "mispronounced": ("✗", "red"),
    "unclear": ("?", "yellow"),
}
_NARROW_COLUMNS: Final = 60
"""A table of four columns is hard to read below this; its cells are stacked instead."""
_GAP_COLUMNS: Final = 2
_COLUMNS: Final = ("id", "when", "score", "question", "round", "words", "length", "engine")
_CORRECTED: Final = "graded"
"""The grader's own score, where a verdict was corrected."""
_RIGHT: Final = frozenset({"id", "score", "words", "length", _CORRECTED})
_SPARED: Final = ("engine", "length", "words", "round", "when")
"""What is left out first if the terminal is too narrow; a report has it anyway."""
_SUPERSCRIPT: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MAX_UNCLEAR_ROWS: Final = 6
"""Unclear terms need no work: a few rows say that they were looked at, the rest are counted."""


def print_report(console: Console, report: Report, prompt: str) -> None:
    """Print the whole report, ``prompt`` (the question) first."""
    console.print(render_report(report, prompt))


def render_report(report: Report, prompt: str) -> RenderableType:
    """The whole report, from what matters most to the details."""
    parts: list[RenderableType] = [Text(prompt, style="bold"), Text()]
    notices = notices_text(report.notices, to_owner=True)
    parts += [Text(f"! {notice}\n", style="yellow") for notice in notices]
    if report.score_parts:
        score = Text(score_text(report).capitalize(), style="bold")
        score.append(f" = {composition_text(report)}\n", style="not bold")
        rule = rule_text(report)
        parts += [score.append(f"{rule}\n" if rule else "", style="not bold dim")]
    parts += _section(_answer_title(report.transcript), render_transcript(report))
    parts += _section(_coverage_title(report), _coverage(report.coverage))
    if report.structure is not None and report.structure.is_judged:
        parts += _section(_structure_title(report.structure), _structure(report.structure))
    if report.follow_ups:
        parts += _section("Follow-ups", _follow_ups(report))
    if report.pronunciation.terms:
        parts += _section("Pronunciation", _pronunciation(report.pronunciation.terms))
    parts += _section("Delivery", Text(" · ".join(delivery_lines(report.delivery))))
    if report.language.notes:
        parts += _section("Language", _language(report.language))
        if report.language.found_by:
            parts.append(Text(report.language.found_by, "dim"))
        if any(note.sentence for note in report.language.notes):
            parts.append(Text("Say it right: aloud drill language", "dim"))
    if report.summary.went_well or report.summary.work_on:
        parts += _section("Summary", _summary(report.summary))
    if report.aim is not None:
        parts += _section(f"Your aim for the next take: {report.aim.kind}", _aim(report.aim))
    return Group(*parts)


def _follow_ups(report: Report) -> Text:
    text = Text()
    for each in report.follow_ups:
        text.append("\n" if text else "").append(each.asked.ask, "bold")
        text.append(f"\n“{each.transcript.text}”\n").append(added_text(each), "dim")
    return text


def _aim(aim: Aim) -> Text:
    text = Text(aim.text)
    if aim.model:
        text.append(f"\nSay: “{aim.model}”", "bold")
    return text


def render_transcript(report: Report) -> Text:
    """The words of the answer, marked by what they carry.

    A covered phrase is green and ends in the raised number of its row, a partial one yellow, a
    negated one struck through; a mispronounced term is red between ``[ ]``; a filler is dim; words
    that the candidate corrected or took out end in ``✎``.
    """
    words = [word.text for word in report.transcript.words] or report.transcript.text.split()
    styles: dict[int, str] = {}
    after: dict[int, str] = {}
    before: dict[int, str] = {}
    for filler in report.delivery.fillers:
        styles[filler.word_index] = "dim italic"
    for number, phrase in enumerate(report.coverage.phrases, start=1):
        if phrase.evidence is None or not phrase.evidence.word_indices:
            continue
        style = _STATUS[phrase.status][1] + (" strike" if phrase.negated else " bold")
        for index in phrase.evidence.word_indices:
            styles[index] = style
        last = max(phrase.evidence.word_indices)
        after[last] = after.get(last, "") + str(number).translate(_SUPERSCRIPT)
    for term in report.pronunciation.terms:
        if term.verdict == "mispronounced" and term.word_indices:
            for index in term.word_indices:
                styles[index] = "red bold"
            before[min(term.word_indices)] = "["
            last = max(term.word_indices)
            after[last] = "]" + after.get(last, "")
    for corrected in report.transcript.corrected:
        end = corrected.word_index + corrected.word_count
        last = max(0, (end or 1) - 1)
        after[last] = after.get(last, "") + "✎"
    text = Text()
    for index, word in enumerate(words):
        style = styles.get(index, "")
        text.append(before.get(index, "") + word.strip() + after.get(index, ""), style)
        text.append(" ")
    return text


def _section(title: str, body: RenderableType) -> list[RenderableType]:
    return [Text(title, style="bold cyan"), Padding(body, (0, 0, 1, 2))]


def _answer_title(transcript: Transcript) -> str:
    """Names the engine: the same recording has other words, and another score, with another."""
    by = " ".join(filter(None, (transcript.engine, transcript.model)))
    return f"Your answer, as {by} wrote it down" if by else "Your answer"


def _coverage_title(report: Report) -> str:
    phrases = report.coverage.phrases
    said = sum(phrase.is_said for phrase in phrases)
    asked = sum(bool(question_about(phrase)) for phrase in phrases)
    title = f"Key phrases: {said} of {len(phrases)} said"
    title += f", {asked} to confirm" if asked else ""
    return title if report.score_parts else f"{title}, {score_text(report)}"


def _coverage(coverage: Coverage) -> "_Rows":
    rows = []
    for number, phrase in enumerate(coverage.phrases, start=1):
        sign, style = _DENIED if phrase.negated else _STATUS[phrase.status]
        if phrase.when_asked is not None:
            sign, style = _ASKED
        rows.append(
            (
                Text(f"{sign} {words_of_phrase(phrase)}", style=style),
                Text(str(number)),
                Text(phrase.phrase, style="bold"),
                _phrase_detail(phrase),
            )
        )
    return _Rows(("", "#", "phrase", "evidence, or why it matters"), rows)


def _phrase_detail(phrase: PhraseCoverage) -> Text:
    text = Text()
    if phrase.when_asked is not None:
        return Text(f"“{phrase.when_asked.text}”")
    if phrase.evidence is not None:
        text.append(f"“{phrase.evidence.text}”")
        if phrase.evidence.start_s is not None:
            text.append(f" at {clock(phrase.evidence.start_s)}", style="dim")
        if how_text(phrase):
            text.append(f" ({how_text(phrase)})", style="dim")
    if question_about(phrase):
        text.append(f"\n{question_about(phrase)}", style="bold")
    _append_correction(text, phrase.corrected)
    if not phrase.is_said:
        if phrase.why:
            text.append(("\n" if text else "") + phrase.why)
        if phrase.follow_up and not question_about(phrase):
            text.append(f"\nThey may ask: {phrase.follow_up}", style="italic")
    return text


def _structure_title(structure: Structure) -> str:
    said = sum(part.status == "said" for part in structure.parts)
    return f"Structure: {said} of {len(structure.parts)} parts"


def _structure(structure: Structure) -> "_Rows":
    rows = []
    for part in structure.parts:
        sign, word, style = _PART[part.status]
        detail = Text()
        if part.when_asked is not None:
            (sign, style), word = _ASKED, words_of_part(part)
            detail.append(f"“{part.when_asked.text}”")
        elif part.evidence is not None:
            detail.append(f"“{part.evidence.text}”")
            if part.evidence.start_s is not None:
                detail.append(f" at {clock(part.evidence.start_s)}", style="dim")
        elif part.ask:
            detail.append(f"They may ask: {part.ask}", style="italic")
        rows.append((Text(f"{sign} {word}", style=style), Text(part.name, style="bold"), detail))
    return _Rows(("", "part", "evidence, or what they may ask"), rows)


def _append_correction(text: Text, corrected: CorrectedVerdict | None) -> None:
    correction = correction_text(corrected, to_owner=True)
    if correction:
        text.append(("\n" if text else "") + correction, style="cyan")


def _pronunciation(terms: Iterable[TermVerdict]) -> RenderableType:
    rows = []
    unclear_shown, left_out, no_sound = 0, Counter[str](), False
    for said in said_terms(terms):
        term = said.first
        if term.verdict == "unclear" and term.corrected is None:
            no_sound |= term.start_s is None
            if unclear_shown == _MAX_UNCLEAR_ROWS:
                left_out[words_of_term(term)] += 1
                continue
            unclear_shown += 1
        sign, style = _VERDICT[term.verdict]
        judged = term.source == "acoustic" and term.verdict != "unclear"
        sure = f" {term.confidence:.0%}" if judged and term.corrected is None else ""
        rows.append(
            (
                Text(f"{sign} {words_of_term(term)}{sure}", style=style),
                Text(term.term, style="bold"),
                Text(said.times or NOT_KNOWN),
                _term_detail(said),
            )
        )
    table = _Rows(("", "term", "at", "how it was said, and is said"), rows)
    notes = [f"and {count} more {words}" for words, count in left_out.items()]
    if no_sound:
        notes.append(NO_SOUND)
    return Group(table, *(Text(note, style="dim") for note in notes))


def _term_detail(said: SaidTerm) -> Text:
    term, heard = said.first, said.heard
    parts = [f"heard {heard}"] if heard else []
    tip = tip_of(term)
    is_told = term.verdict == "correct" or perhaps_right(term) or term.expected in tip
    if term.expected and not is_told:
        parts.append(f"say {term.expected}")
    text = Text(", ".join(parts))
    if tip:
        text.append(("\n" if text else "") + tip, style="italic")
    for correction in dict.fromkeys(each.corrected for _, each in said.places):
        _append_correction(text, correction)
    return text


def _language(language: Language, questions: Sequence[int] = ()) -> Table:
    """The remarks shown; ``questions``: the number of each one's question, instead of its time."""
    table = _grid("#", "question" if questions else "at", "said", "better", "why")
    for row, group in enumerate(language.groups(), 1):
        note = group.first
        more = f" ({group.name}, {group.count} times)" if group.count > 1 else ""
        place = str(questions[group.at]) if questions else clock(note.start_s)
        table.add_row(str(row), place, Text(note.said), Text(note.better), Text(note.why + more))
    if left := language.not_shown:
        text = f"Not shown: {left} more remark{'s' * (left > 1)}, of less weight."
        table.caption = Text(text, "dim", justify="left")
    return table


def _summary(summary: Summary) -> Text:
    lines = [("+ ", point, "green") for point in summary.went_well]
    lines += [("→ ", point, "yellow") for point in summary.work_on]
    text = Text()
    for number, (sign, point, style) in enumerate(lines):
        text.append("\n" * bool(number))
        text.append(sign, style)
        text.append(point.text)
    return text


class _Rows:
    """Rows as a table, or one below the other where the terminal is narrow."""

    def __init__(self, headings: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
        self._headings = headings
        self._rows = rows

    def _columns(self) -> int:
        """What a table needs so that no heading column is folded and no word of the details."""
        heads = zip(self._headings[:-1], *(row[:-1] for row in self._rows), strict=True)
        words = (word for row in self._rows for word in row[-1].plain.split())
        head = sum(max(len(str(cell)) for cell in cells) + _GAP_COLUMNS for cells in heads)
        return max(_NARROW_COLUMNS, head + max(map(len, words), default=0))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw them; the last cell of a row is its detail."""
        if self._columns() <= options.max_width:
            table = _grid(*self._headings)
            for row in self._rows:
                table.add_row(*row)
            yield table
            return
        for *head, detail in self._rows:
            yield Text("  ").join(head)
            if detail:
                yield Padding(detail, (0, 0, 0, 2))


def _grid(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP_COLUMNS, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    if columns[0] == "":
        table.columns[0].no_wrap = True
    return table


def history_table(attempts: Iterable[AttemptSummary], columns: int) -> Table:
    """A table of attempts.

    Args:
        attempts: in the order to show them in.
        columns: how wide the terminal is; columns that do not fit are left out, the least useful
            first, before any word is broken.
    """
    rows = [_history_row(each) for each in attempts]
    shown = [*_COLUMNS, *([_CORRECTED] if any(row[_CORRECTED] for row in rows) else [])]
    for spared in _SPARED:
        if _history_width(shown, rows) <= columns:
            break
        shown.remove(spared)
    table = Table(box=None, padding=(0, _GAP_COLUMNS, 0, 0), header_style="dim")
    for name in shown:
        table.add_column(name, overflow="fold", justify="right" if name in _RIGHT else "left")
    for row in rows:
        table.add_row(*(Text(row[name], "bold" if name == "question" else "") for name in shown))
    return table


def _history_width(shown: Sequence[str], rows: Sequence[dict[str, str]]) -> int:
    return sum(max(len(name), *(len(row[name]) for row in rows)) + _GAP_COLUMNS for name in shown)


def _history_row(attempt: AttemptSummary) -> dict[str, str]:
    graded = attempt.graded_score
    return {
        "id": str(attempt.id),
        "when": f"{attempt.created_at.astimezone():%Y-%m-%d %H:%M}",
        "score": f"{attempt.score:.0%}",
        "question": attempt.question_id,
        "round": attempt.round or "–",
        "words": str(attempt.words),
        "length": f"{attempt.answer_s:.0f} s" if attempt.answer_s is not None else "–",
        "engine": attempt.engine,
        _CORRECTED: "" if graded is None else f"{graded:.0%}",
    }


_MOST_QUOTED_CHARS = 90


def render_review(review: ReviewDocument, words: Sequence[str]) -> RenderableType:
    """Comments with their replies, then scores; corrected verdicts are in the report itself.

    Args:
        review: what was written about the answer.
        words: of its newest transcript, which the comments' word numbers count.
    """
    parts: list[RenderableType] = []
    if review.comments:
        parts += _section("Comments", Group(*_comments(review, words)))
    if review.scores:
        parts += _section("Scores by coaches", Group(*_scores(review)))
    return Group(*parts)


def _comments(review: ReviewDocument, words: Sequence[str]) -> Iterator[RenderableType]:
    for comment in review.comments:
        if comment.parent is not None:
            continue
        yield _head(comment, _place(comment, words))
        yield Padding(Text(comment.text), (0, 0, 0, 2))
        for reply in review.comments:
            if reply.parent == comment.external_id:
                yield Padding(Group(_head(reply, ""), Text(reply.text)), (0, 0, 0, 4))


def _head(comment: Comment, place: str) -> Text:
    author = "you" if comment.by_owner else comment.author
    when = f"{comment.created_at.astimezone():%Y-%m-%d %H:%M}"
    edited = ", edited" if comment.edited_at else ""
    return Text.assemble((author, "bold"), f" {place}".rstrip(), (f" {when}{edited}", "dim"))


def _place(comment: Comment, words: Sequence[str]) -> str:
    if comment.at_s is not None:
        return f"at {clock(comment.at_s)}"
    if comment.word_from is None:
        return "on the whole answer"
    last = comment.word_from if comment.word_to is None else comment.word_to
    if last >= len(words):
        return "on words that are no longer there"
    quote = " ".join(words[comment.word_from : last + 1])
    if len(quote) > _MOST_QUOTED_CHARS:
        quote = quote[: _MOST_QUOTED_CHARS - 1].rstrip() + "…"
    return f"on “{quote}”"


def _scores(review: ReviewDocument) -> Iterator[RenderableType]:
    scales = {each.name: f" of {each.scale}" for each in review.criteria}
    for each in review.scores:
        scale = scales.get(each.criterion, "")
        line = Text.assemble((each.criterion, "bold"), f": {each.score}{scale}, by {each.author}")
        yield line.append(f": {each.note}" if each.note else "")


def print_debrief(console: Console, report: InterviewReport) -> None:
    """Print what an interviewer would write down."""
    debrief = report.debrief
    console.print(Rule(f"Debrief: {report.round_title}"))
    if debrief.verdict:
        console.print(Text(f"Verdict: {debrief.verdict}.", "bold"))
        console.print(Text(f"{debrief.verdict_evidence} By rule, from the scores.", "dim"))
    _print_section(console, "What was strongest", (each.text for each in report.strongest))
    _print_section(console, "What to work on", (each.text for each in report.weakest))
    _print_section(console, "By question", map(_answer, report.answers))
    if report.language.notes:
        table = _language(report.language, report.note_questions)
        console.print(Text("\nLanguage", "bold cyan"), Padding(table, (0, 2)))
    for title, lines in sections_of(debrief):
        _print_section(console, title, lines)
    console.print(Text("With every answer in the studio: aloud, then Mock interview.", "dim"))


def _print_section(console: Console, title: str, lines: Iterable[str]) -> None:
    console.print(Text(f"\n{title}", "bold cyan"))
    for each in lines:
        console.print(Text(f"  {each}"))


def _answer(line: AnswerLine) -> str:
    if line.score is None:
        outcome = line.problem or {"unanswered": "no answer"}.get(line.state, line.state)
        return f"{line.number}. {line.topic}: {outcome}"
    said = f"{line.number}. {line.topic}: {line.score:.0%}"
    lacks = [*line.missing[:2], *line.missing_parts[:1]]
    return f"{said}; not said: {', '.join(lacks)}" if lacks else said
