import base64
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from client.backend.protocol import Backend
from client.backend.remote import RemoteBackend
from client.data.exports import ArchiveError, ExportError, export_attempts, read_archive
from server.contract import (
    ArchivedAttempt,
    ArchivedReport,
    CoverageEvidence,
    Report,
    Submission,
    Transcript,
    Word,
)
from server.ui.exports.csv_table import COLUMNS, to_csv
from server.ui.exports.html import to_html
from server.ui.exports.markdown import to_markdown
from server.ui.rendering import STYLESHEET

ATTACKS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1"]


def archived(make: SimpleNamespace, submission: Submission) -> ArchivedAttempt:
    report = make.report(submission)
    return ArchivedAttempt(
        submission=submission,
        question=make.question(),
        received_at=submission.created_at,
        reports=(ArchivedReport(graded_at=submission.created_at, report=report),),
    )


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_has_a_line_for_each_attempt(make: SimpleNamespace) -> None:
    text = 'I said "paged attention",\nand; more'
    attempts = [archived(make, make.submission(text)), archived(make, make.submission("other"))]
    first, second = rows(to_csv(attempts))
    assert tuple(first) == COLUMNS
    assert first["transcript"] == text
    wanted = "score", "phrases_covered", "phrases_missing"
    assert [first[each] for each in wanted] == ["1.0", "paged attention", ""]
    assert [second[each] for each in wanted] == ["0.0", "", "paged attention"]
    assert first["created_at"] == "2026-03-01T12:00:00+00:00"
    assert first["submission_id"] == attempts[0].submission.submission_id


def test_csv_has_the_language_and_the_delivery(make: SimpleNamespace) -> None:
    attempt = archived(make, make.submission("we use paged attention"))
    kinds = ("tense", 1.0), ("false_friend", 1.5), ("tense", 1.0)
    notes = [
        {"kind": kind, "said": "a", "better": "b", "why": "", "weight": w} for kind, w in kinds
    ]
    delivery = {
        "words": 4,
        "target_s": 60,
        "first_word_s": 0.84,
        "pauses_inside": 3,
        "mean_run": 7.26,
    }

    def row(**language: object) -> list[str]:
        report = make.report(attempt.submission).model_dump()
        changed = Report.model_validate(report | {"language": language, "delivery": delivery})
        graded = ArchivedReport(graded_at=attempt.received_at, report=changed)
        (found,) = rows(to_csv([attempt.model_copy(update={"reports": (graded,)})]))
        return [found[each] for each in COLUMNS[COLUMNS.index("language_notes") :]]

    measured = ["0.8", "", "", "3", "7.3", ""]
    said = ["3", "tense 2; false friend 1", "model"]
    assert row(notes=notes, by="model") == [*said, *measured]
    assert row(notes=notes[:1], pending=True) == ["", "", "", *measured]


@pytest.mark.parametrize("text", ATTACKS)
def test_csv_starts_no_formula(make: SimpleNamespace, text: str) -> None:
    (row,) = rows(to_csv([archived(make, make.submission(text))]))
    assert row["transcript"] == "'" + text


def test_markdown_tells_what_was_said_and_missed(make: SimpleNamespace) -> None:
    attempt = archived(make, make.submission("we use paged attention"))
    report = attempt.reports[0].report
    phrase = report.coverage.phrases[0].model_copy(
        update={"evidence": CoverageEvidence(text="paged attention", start_s=83.25, end_s=84)}
    )
    coverage = report.coverage.model_copy(update={"phrases": (phrase,)})
    latest = ArchivedReport(
        graded_at=attempt.received_at, report=report.model_copy(update={"coverage": coverage})
    )
    text = to_markdown([attempt.model_copy(update={"reports": (*attempt.reports, latest)})])
    assert text.startswith("# Why?\n")
    assert "| paged attention | ✓ said | “paged attention” | 1:23.2 |" in text
    assert "\n> we use paged attention\n" in text
    assert "\n2026-03-01 12:00 UTC · ml-engineer · coding · Caches · coverage 100% · fake\n" in text
    missed = to_markdown([archived(make, make.submission("nothing of it"))])
    assert "| paged attention | ✗ not said |  |  |" in missed


def test_markdown_keeps_speech_from_being_markup(make: SimpleNamespace) -> None:
    text = "<script>alert(1)</script> [x](javascript:1) *b* `c` | d\n# head\n- item\n1. one\n---"
    markdown = to_markdown([archived(make, make.submission(text))])
    quoted = [line for line in markdown.splitlines() if line.startswith(">")]
    assert quoted == [
        r"> \<script\>alert(1)\</script\> \[x\](javascript:1) \*b\* \`c\` \| d",
        r"> \# head",
        r"> \- item",
        r"> 1\. one",
        r"> \---",
    ]


def test_no_attempts_is_said_so() -> None:
    assert "No attempts yet" in to_markdown([])
    assert rows(to_csv([])) == []


@pytest.fixture
def backend(loopback_server: Any) -> Iterator[Backend]:
    with RemoteBackend(loopback_server.url) as remote:
        yield remote


def spoken(make: SimpleNamespace) -> Submission:
    words = (Word(text="paged", start_s=0.5, end_s=1), Word(text="attention", start_s=1, end_s=2))
    transcript = Transcript(text="paged attention", engine="fake", words=words, duration_s=3)
    submission: Submission = make.submission(transcript=transcript)
    return submission


def test_one_or_all_in_every_format(backend: Backend, make: SimpleNamespace) -> None:
    first = backend.submit(spoken(make))
    backend.submit(make.submission("the second answer"))
    assert len(rows(export_attempts(backend, "csv"))) == 2
    assert len(rows(export_attempts(backend, "csv", first.id))) == 1
    assert export_attempts(backend, "markdown").count("# Why?") == 2
    assert export_attempts(backend, "markdown", first.id).count("# Why?") == 1
    assert len(json.loads(export_attempts(backend, "json"))["attempts"]) == 2
    assert "00:00:00,500 --> " in export_attempts(backend, "srt", first.id)
    assert export_attempts(backend, "vtt", first.id).startswith("WEBVTT\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an export"),
        (b"\xff\xfe{}", "not an export"),
        (b'{"format": "aloud-archive"}', r"not an export .*exported_at"),
        (b'{"format": "other", "exported_at": "2026-01-01T00:00:00Z", "attempts": []}', "format"),
    ],
)
def test_what_is_no_export(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "file.json"
    file.write_bytes(content)
    with pytest.raises(ArchiveError, match=words) as caught:
        read_archive(file)
    assert "\n" not in str(caught.value)
    assert caught.value.path == file
    assert str(file) not in caught.value.problem and "aloud export" not in caught.value.problem
    assert "aloud export" in caught.value.remedy


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(ExportError, match="cannot be read"):
            read_archive(path)


def test_the_file_needs_nothing_else(make: SimpleNamespace) -> None:
    html = to_html([archived(make, make.submission("we use paged attention"))])
    assert html.startswith("<!doctype html>")
    assert STYLESHEET.read_text(encoding="utf-8") in html
    assert re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"", html) == []
    assert "<script" not in html and "default-src 'none'" in html
    assert "Because." in html  # the model answer


def test_a_repair_is_said_by_the_one_script_that_the_policy_allows(make: SimpleNamespace) -> None:
    attempt = archived(make, make.submission("we use paged attention"))
    note = {"kind": "article", "said": "a", "better": "<b>", "why": "", "sentence": "a b"}
    report = Report.model_validate(
        attempt.report.model_dump() | {"language": {"notes": [note], "by": "rules"}}
    )
    graded = ArchivedReport(graded_at=attempt.received_at, report=report)
    html = to_html([attempt.model_copy(update={"reports": (graded,)})])
    (script,) = re.findall("<script.*?>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\"" in html
    assert 'data-say="&lt;b&gt;" hidden' in html


def test_what_was_said_stays_text(make: SimpleNamespace) -> None:
    html = to_html([archived(make, make.submission("</style><script>alert(1)</script> & more"))])
    assert "<script" not in html
    assert html.count("</style>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_many_attempts_share_a_file_without_sharing_ids(make: SimpleNamespace) -> None:
    html = to_html(
        [
            archived(make, make.submission("first answer")),
            archived(make, make.submission("second paged attention")),
        ]
    )
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert {"a1-w-0", "a2-w-0"} <= set(ids)
    targets = re.findall(r' href="#([^"]+)"', html)
    assert set(targets) <= set(ids)
    assert html.count("<article") == 2
