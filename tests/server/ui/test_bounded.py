"""A page of an answer that is nothing but terms has an end."""

from collections.abc import Callable

from server.contract import Language, LanguageNote, Report
from server.ui.compare_view import view_comparison
from server.ui.report_view import MOST_SHOWN, bounded, view_report
from tests.server.ui.conftest import term

MakeReport = Callable[..., Report]


def of_terms(make_report: MakeReport, count: int) -> Report:
    terms = tuple(term("GPU", (number,), "unclear") for number in range(count))
    return make_report("GPU " * count, terms=terms)


def test_what_fits_is_shown_whole(make_report: MakeReport) -> None:
    report = of_terms(make_report, MOST_SHOWN)
    assert bounded(report) is report
    (row,) = view_report(report).unclear_terms
    assert 1 + len(row.more) == MOST_SHOWN


def test_what_is_left_out_is_told_and_the_worst_stays(make_report: MakeReport) -> None:
    report = of_terms(make_report, MOST_SHOWN + 1500)
    report = report.model_copy(update={"notices": ("from the grader",)})
    shown = bounded(report)
    assert shown.pronunciation.terms == report.pronunciation.terms[:MOST_SHOWN]
    assert shown.notices[0] == "from the grader" and shown.notices[1].startswith("1,500 more")
    assert (shown.coverage, shown.transcript) == (report.coverage, report.transcript)
    view = view_report(report)
    assert [1 + len(row.more) for row in view.unclear_terms] == [MOST_SHOWN]
    assert view.notices == shown.notices
    assert len(view.report.pronunciation.terms) == MOST_SHOWN
    marked = [part for part in view.parts if "term" in str(part)]
    assert len(marked) <= 2 * MOST_SHOWN + 2
    (row,) = view_comparison(report, report).before.unclear_terms
    assert 1 + len(row.more) == MOST_SHOWN


def test_remarks_have_an_end_too(make_report: MakeReport) -> None:
    note = LanguageNote(kind="hedging", said="kind of", better="", why="it weakens")
    report = make_report("kind of", language=Language(notes=(note,) * (MOST_SHOWN + 3)))
    view = view_report(report)
    assert [each.count for each in view.notes] == [MOST_SHOWN], "one kind is one group"
    assert view.notices[-1].startswith("3 more")
