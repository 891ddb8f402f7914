import re
from types import SimpleNamespace

from server.contract import ArchivedAttempt, ArchivedReport
from server.ui.exports.html import to_html
from server.ui.rendering import STYLESHEET


def archived(make: SimpleNamespace, text: str) -> ArchivedAttempt:
    submission = make.submission(text)
    return ArchivedAttempt(
        submission=submission,
        question=make.question(),
        received_at=submission.created_at,
        reports=(ArchivedReport(graded_at=submission.created_at, report=make.report(submission)),),
    )


def test_the_file_needs_nothing_else(make: SimpleNamespace) -> None:
    html = to_html([archived(make, "we use paged attention")])
    assert html.startswith("<!doctype html>")
    assert STYLESHEET.read_text(encoding="utf-8") in html
    assert re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"", html) == []
    assert "<script" not in html and "default-src 'none'" in html
    assert "Because." in html  # the model answer


def test_what_was_said_stays_text(make: SimpleNamespace) -> None:
    html = to_html([archived(make, "</style><script>alert(1)</script> & more")])
    assert "<script" not in html
    assert html.count("</style>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_many_attempts_share_a_file_without_sharing_ids(make: SimpleNamespace) -> None:
    html = to_html([archived(make, "first answer"), archived(make, "second paged attention")])
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert {"a1-w-0", "a2-w-0"} <= set(ids)
    targets = re.findall(r' href="#([^"]+)"', html)
    assert set(targets) <= set(ids)
    assert html.count("<article") == 2
