"""Attempts as one self-contained HTML file: to keep, to print, to send to a coach."""

from collections.abc import Sequence

from markupsafe import Markup

from server.contract import ArchivedAttempt
from server.ui.rendering import STYLESHEET, environment
from server.ui.report_view import Sounds, view_report


def to_html(attempts: Sequence[ArchivedAttempt]) -> str:
    """The attempts with their latest reports, as the studio shows them but without sound."""
    alone = len(attempts) == 1
    entries = [
        (attempt, view_report(attempt.report, prefix="" if alone else f"a{number}-"))
        for number, attempt in enumerate(attempts, start=1)
    ]
    template = environment().get_template("report/standalone.html")
    # Our own file: nothing in it comes from an attempt.
    stylesheet = Markup(STYLESHEET.read_text(encoding="utf-8"))
    return template.render(entries=entries, stylesheet=stylesheet, sounds=Sounds()) + "\n"
