"""A term that was said several times is one line, with all its places, wherever it is shown."""

from server.contract import clock, said_terms
from server.grading.summary import summarize
from server.ui.compare_view import view_comparison
from server.ui.report_view import view_report
from tests.server.ui.conftest import MakeReport, term

THREE = (
    term("RoCE", (3,), "mispronounced", start_s=12.0, heard="ROHSS"),
    term("RoCE", (9,), "mispronounced", start_s=71.9, heard="roach", confidence=0.8),
    term("queue", (5,), "correct", start_s=20.0),
    term("RoCE", (7,), "correct", start_s=45.0),
    term("queue", (6,), "unclear", start_s=30.0),
)


def test_the_place_that_tells_most_leads_and_the_others_follow_by_time() -> None:
    roce, queue = said_terms(THREE)
    assert (roce.at, roce.first.verdict, len(roce.places)) == (0, "mispronounced", 3)
    assert roce.times == "0:12, 1:11 (said right at 0:45)"
    assert roce.heard == "ROHSS, roach"
    assert (queue.at, queue.first.verdict) == (2, "correct")
    assert queue.times == "0:20 (not clearly heard at 0:30)"


def test_a_typed_answer_has_no_times() -> None:
    (said,) = said_terms([term("RoCE", (1,), "unclear", start_s=None, end_s=None)])
    assert said.times == ""
    assert clock(None) == "–"


def test_what_to_work_on_has_one_line_with_all_places(make_report: MakeReport) -> None:
    report = make_report("word " * 12, terms=THREE)
    summary = summarize(
        report.coverage, report.pronunciation, report.delivery, report.language, report.structure
    )
    lines = [point.text for point in summary.work_on if "RoCE" in point.text]
    assert lines == [
        "Practice “RoCE”: say ROCK-ee. You said it at 0:12, 1:11 (said right at 0:45)."
    ]
    assert [p.evidence for p in summary.work_on if "RoCE" in p.text] == ["pronunciation.terms[0]"]
    assert not any("RoCE" in point.text for point in summary.went_well)


def test_a_page_has_one_row_and_each_place_its_anchor(make_report: MakeReport) -> None:
    report = make_report("word " * 12, terms=THREE)
    view = view_report(report)
    (row,) = view.wrong_terms
    assert [each.anchor for each in (row, *row.more)] == ["term-1", "term-4", "term-2"]
    (right,) = view.right_terms
    assert [each.status for each in right.more] == ["unclear"]
    assert view.unclear_terms == ()
    (roce,) = [each for each in view_comparison(report, report).terms if each.name == "RoCE"]
    assert [each.start_s for each in roce.before] == [12.0, 45.0, 71.9]
