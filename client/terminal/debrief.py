"""The debrief of an interview as the terminal shows it; the studio has the same in its report."""

from collections.abc import Iterable

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from client.practice.interviews import AnswerLine, InterviewReport
from client.practice.interviews.debrief import first_lines, moment_line


def print_debrief(console: Console, report: InterviewReport) -> None:
    """Print what an interviewer would write down."""
    debrief = report.debrief
    console.print(Rule(f"Debrief: {report.round_title}"))
    if debrief.verdict:
        console.print(Text(f"Verdict: {debrief.verdict}.", "bold"))
        console.print(Text(f"{debrief.verdict_evidence} By rule, from the scores.", "dim"))
    _section(console, "By question", map(_answer, report.answers))
    signals = (f"{_words(each.signal)}: {each.score:.0%}" for each in debrief.signals)
    _section(console, "By signal", signals)
    if debrief.first is not None:
        _section(console, "The first half minute", [first_lines(debrief.first)])
    _section(console, "Moments to hear", map(moment_line, debrief.moments))
    _section(
        console,
        "To practice tomorrow",
        (f"{each.text} (question {each.number}, {each.kind})" for each in debrief.tomorrow),
    )
    if debrief.closing is not None:
        said = f"“{debrief.closing}”" if debrief.closing else ""
        _section(console, "Your questions for us", filter(None, (said, debrief.closing_remark)))
    console.print(Text("With every answer in the studio: aloud, then Mock interview.", "dim"))


def _section(console: Console, title: str, lines: Iterable[str]) -> None:
    listed = list(lines)
    if listed:
        console.print(Text(f"\n{title}", "bold cyan"))
    for each in listed:
        console.print(Text(f"  {each}"))


def _answer(line: AnswerLine) -> str:
    if line.score is None:
        outcome = line.problem or {"unanswered": "no answer"}.get(line.state, line.state)
        return f"{line.number}. {line.topic}: {outcome}"
    said = f"{line.number}. {line.topic}: {line.score:.0%}"
    lacks = [*line.missing[:2], *line.missing_parts[:1]]
    return f"{said}; not said: {', '.join(lacks)}" if lacks else said


def _words(name: str) -> str:
    return name.replace("-", " ").capitalize()
