"""The debrief of an interview as the terminal shows it; the studio has the same in its report."""

from collections.abc import Iterable

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from client.practice.interviews import AnswerLine, InterviewReport
from client.practice.interviews.debrief import sections_of


def print_debrief(console: Console, report: InterviewReport) -> None:
    """Print what an interviewer would write down."""
    debrief = report.debrief
    console.print(Rule(f"Debrief: {report.round_title}"))
    if debrief.verdict:
        console.print(Text(f"Verdict: {debrief.verdict}.", "bold"))
        console.print(Text(f"{debrief.verdict_evidence} By rule, from the scores.", "dim"))
    _section(console, "By question", map(_answer, report.answers))
    for title, lines in sections_of(debrief):
        _section(console, title, lines)
    console.print(Text("With every answer in the studio: aloud, then Mock interview.", "dim"))


def _section(console: Console, title: str, lines: Iterable[str]) -> None:
    console.print(Text(f"\n{title}", "bold cyan"))
    for each in lines:
        console.print(Text(f"  {each}"))


def _answer(line: AnswerLine) -> str:
    if line.score is None:
        outcome = line.problem or {"unanswered": "no answer"}.get(line.state, line.state)
        return f"{line.number}. {line.topic}: {outcome}"
    said = f"{line.number}. {line.topic}: {line.score:.0%}"
    lacks = [*line.missing[:2], *line.missing_parts[:1]]
    said += f"; not said: {', '.join(lacks)}" if lacks else ""
    return f"{said}; English: {'; '.join(line.language[:2])}" if line.language else said
