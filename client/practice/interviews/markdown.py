"""The report of an interview as Markdown (CommonMark with tables)."""

from collections.abc import Iterator, Sequence
from typing import Final

from client.practice.interviews.models import AnswerLine, InterviewReport, TermOverAll
from server.contract import SummaryPoint
from server.ui.exports.markdown import plain_text
from server.ui.verdict_words import graded_text

_NO_ANSWER: Final = {
    "skipped": "passed",
    "unanswered": "cut off by the end",
    "open": "being asked",
}


def interview_to_markdown(report: InterviewReport) -> str:
    """The report, for a person to read or to send."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: InterviewReport) -> Iterator[str]:
    yield f"# Mock interview: {plain_text(report.role_title)}, {plain_text(report.round_title)}"
    yield ""
    yield f"{report.started_at:%Y-%m-%d %H:%M %Z} · {report.minutes} min"
    yield ""
    for notice in report.notices:
        yield f"> **Note:** {plain_text(notice)}"
        yield ""
    yield from (f"- {each}" for each in _figures(report))
    yield ""
    yield from _points("What was strongest", report.strongest)
    yield from _points("What to work on", report.weakest)
    yield from _answers(report.answers)
    yield from _terms(report.terms)


def _figures(report: InterviewReport) -> Iterator[str]:
    yield f"{report.answered} of {report.asked} questions answered"
    if report.coverage is not None:
        yield f"score {report.coverage:.0%}, mean of the answers"
    if report.coverage_of_asked is not None and report.coverage_of_asked != report.coverage:
        yield f"score {report.coverage_of_asked:.0%} counting unanswered questions as 0"
    if report.words_per_minute is not None:
        yield f"{report.words_per_minute:.0f} words per minute"
    if report.pauses is not None and report.longest_pause_s is not None:
        yield f"{report.pauses} pauses, the longest {report.longest_pause_s:.1f} s"
    yield f"at least {report.fillers} filler words"


def _points(title: str, points: Sequence[SummaryPoint]) -> Iterator[str]:
    if points:
        yield f"## {title}"
        yield ""
        yield from (f"- {plain_text(point.text)}" for point in points)
        yield ""


def _answers(answers: Sequence[AnswerLine]) -> Iterator[str]:
    yield "## Questions"
    yield ""
    yield "| # | Question | Topic | Score | Length | Words per minute | Not said | Mispronounced |"
    yield "|---|---|---|---|---|---|---|---|"
    for line in answers:
        yield f"| {' | '.join(_cells(line))} |"
    yield ""


def _cells(line: AnswerLine) -> list[str]:
    if line.state == "given":
        outcome = plain_text(line.problem) or "being transcribed"
    elif line.state != "answered":
        outcome = f"no answer ({_NO_ANSWER.get(line.state, line.state)})"
    elif line.score is None:
        outcome = plain_text(line.problem)
    else:
        graded = graded_text(line.graded_score, line.score)
        outcome = f"{line.score:.0%} ({line.covered} of {line.phrases})"
        outcome += f", {graded}" if graded else ""
    length = "" if line.answer_s is None else f"{line.answer_s:.0f} s of {line.target_s:.0f} s"
    rate = "" if line.words_per_minute is None else f"{line.words_per_minute:.0f}"
    return [
        str(line.number),
        plain_text(line.prompt),
        plain_text(line.topic),
        outcome,
        length,
        rate,
        plain_text(", ".join(line.missing)),
        plain_text(", ".join(line.mispronounced)),
    ]


def _terms(terms: Sequence[TermOverAll]) -> Iterator[str]:
    if not terms:
        return
    yield "## Mispronounced terms"
    yield ""
    yield "| Term | Wrong | Heard | Expected | In question | Tip |"
    yield "|---|---|---|---|---|---|"
    for term in terms:
        heard = dict.fromkeys(place.heard for place in term.places if place.heard)
        numbers = dict.fromkeys(str(place.number) for place in term.places)
        cells = [
            plain_text(term.term),
            f"{term.mispronounced} of {term.said}",
            plain_text(", ".join(heard)),
            plain_text(term.expected),
            ", ".join(numbers),
            plain_text(term.tip),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""
