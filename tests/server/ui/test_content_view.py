"""The score, phrases perhaps said and the structure, wherever a report is shown."""

import re

import pytest
from rich.console import Console

from client.terminal.report import render_report
from server.contract import Report, ReviewDocument, content_score
from server.exports.attempt import to_pdf
from server.ui.compare_view import view_comparison
from server.ui.exports.html import bundle_page, to_html
from server.ui.exports.markdown import to_markdown
from server.ui.rendering import environment
from server.ui.report_view import view_report
from server.ui.verdict_words import composition_text, rule_text, score_text
from tests.server.exports.test_attempt import pdf_text
from tests.worlds.planted_report import CLAUSE, PHRASES, QUESTION, planted_attempt, planted_report

ATTEMPT = planted_attempt(QUESTION, "a" * 32, PHRASES)
REPORT = planted_report(QUESTION, PHRASES)
EARLIER = REPORT.model_copy(
    update={"score": None, "score_parts": (), "structure": None, "grader_version": "1.3.0"}
)
ASKED = "Did you mean “continuous batching”?"


def terminal(report: Report) -> str:
    console = Console(width=120, force_terminal=False)
    with console.capture() as captured:
        console.print(render_report(report, "Why?"))
    return captured.get()


def joined(text: str) -> str:
    """Without spaces: forms break their lines in different places."""
    return re.sub(r"\s+", "", text)


def html_text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<script.*?</script>|<[^>]+>", " ", html))


SHOWN = {
    "terminal": lambda: terminal(REPORT),
    "html": lambda: html_text(to_html([ATTEMPT])),
    "bundle": lambda: html_text(
        bundle_page(ATTEMPT, ReviewDocument(submission_id="a" * 32), recording=None)
    ),
    "markdown": lambda: to_markdown([ATTEMPT]).replace("\\", ""),
    "pdf": lambda: pdf_text(to_pdf(ATTEMPT)),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_every_form_of_a_report_shows_all_of_it(kind: str) -> None:
    text = joined(SHOWN[kind]())
    missing = [
        each
        for each in (
            composition_text(REPORT),
            "points for what was said (",
            rule_text(REPORT),
            ASKED,
            f"“{CLAUSE}”",
            "in your own words",
            "recognized by sound",
            "heard in the recording",
            "verdict of a language model",
            "Can you give a number?",
            "“because”",
        )
        if joined(each) not in text
    ]
    assert missing == []


def test_reports_of_earlier_graders_stay_readable() -> None:
    view = view_report(EARLIER)
    assert (view.composition, view.structure) == ("", ())
    assert view.score == EARLIER.coverage.score
    text = terminal(EARLIER)
    assert f"coverage {EARLIER.coverage.score:.0%}" in text
    assert "Structure" not in text
    template = '{% from "report/checklist.html" import score %}{{ score(view) }}'
    shown = html_text(environment().from_string(template).render(view=view))
    assert f"score {EARLIER.coverage.score:.0%}" in shown


def test_a_rough_transcripts_score_is_shown_as_the_least_it_can_be() -> None:
    assert REPORT.structure is not None
    built = REPORT.structure.model_copy(update={"parts": (), "score": 0.0})
    content = content_score(REPORT.coverage, built)
    transcript = REPORT.transcript.model_copy(update={"engine": "pocketsphinx"})
    rough = REPORT.model_copy(
        update={
            "structure": built,
            "score": content.score,
            "score_parts": content.parts,
            "transcript": transcript,
        }
    )
    assert score_text(rough) == f"score at least {content.score:.0%}"
    assert composition_text(rough).endswith("points for structure (not judged)")
    graded = ATTEMPT.reports[0].model_copy(update={"report": rough})
    attempt = ATTEMPT.model_copy(update={"reports": (graded,)})
    for text in (terminal(rough), to_markdown([attempt]), pdf_text(to_pdf(attempt))):
        assert f"core at least {content.score:.0%}" in text
        assert "Structure" not in text.replace("Structure earns", "")
    template = '{% from "report/checklist.html" import score %}{{ score(view) }}'
    shown = html_text(environment().from_string(template).render(view=view_report(rough)))
    assert f"at least {content.score:.0%}" in shown


def test_the_score_line_and_the_count_leave_out_what_was_only_denied() -> None:
    phrases = [each.model_copy(update={"negated": True}) for each in REPORT.coverage.phrases]
    denied = REPORT.coverage.model_copy(update={"phrases": tuple(phrases)})
    report = REPORT.model_copy(update={"coverage": denied})
    assert f"(0 of {len(phrases)} key phrases" in composition_text(report)
    assert joined(f"Key phrases: 0 of {len(phrases)} said") in joined(terminal(report))


@pytest.mark.parametrize(
    ("taken_off", "off_topic", "told"),
    [
        (0.06, False, " − 6: some of it sounds wrong or vague (“because”)"),
        (0.0, True, "this does not answer the question"),
        (0.0, False, "parts)"),
    ],
)
def test_points_that_are_taken_off_say_why(taken_off: float, off_topic: bool, told: str) -> None:
    assert REPORT.structure is not None
    doubted = REPORT.structure.parts[0].evidence
    content = content_score(
        REPORT.coverage, REPORT.structure, taken_off=taken_off, off_topic=off_topic
    )
    report = REPORT.model_copy(
        update={
            "score": content.score,
            "score_parts": content.parts,
            "off_topic": off_topic,
            "doubted": doubted,
        }
    )
    assert composition_text(report).endswith(told)
    assert rule_text(report)


def test_a_phrase_perhaps_said_is_marked_and_asked_about() -> None:
    view = view_report(REPORT)
    row = view.phrases[4]
    assert (row.status, row.verdict, row.sign, row.question) == (
        "possible",
        "perhaps said",
        "?",
        ASKED,
    )
    assert row.quote.text == CLAUSE
    assert row.quote.href == "#w-8"
    assert "mark-possible" in view.marks
    assert (view.said_count, view.asked_count) == (4, 1)


def test_parts_lead_to_their_words_and_points_to_their_parts() -> None:
    view = view_report(REPORT, prefix="x-")
    said, missing = view.structure
    assert (said.said, said.quote.href, said.quote.from_s) == (True, "#x-w-7", 6.85)
    assert (missing.said, missing.ask) == (False, "Can you give a number?")
    points = {point.text: point.href for point in view.work_on}
    assert points["Not said: example. They may ask: Can you give a number?"] == "#x-part-2"


def test_scores_graded_in_different_ways_are_not_compared() -> None:
    unlike = view_comparison(EARLIER, REPORT)
    assert (unlike.like, unlike.numbers[0].change) == (False, "")
    assert [row.before for row in unlike.structure] == [None, None]
    later = REPORT.model_copy(update={"grader_version": "2.0.4", "score": 1.0})
    alike = view_comparison(REPORT, later)
    assert alike.like
    assert alike.numbers[0].direction == "up"
