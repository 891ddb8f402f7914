"""What holds for every text that is exported: it stays what it is, and becomes no markup."""

import csv
import io
import re
from html.parser import HTMLParser
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from server.contract import ArchivedAttempt, ArchivedReport, Transcript, Word
from server.ui.exports.csv_table import COLUMNS, from_cell, to_cell, to_csv
from server.ui.exports.html import to_html
from server.ui.exports.markdown import plain_text
from server.ui.exports.transcript_text import cues, to_srt, to_vtt
from tests.server.conftest import START, grade, make_question, make_submission

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda text: text.strip() != ""
)
HOSTILE = "=1+1 </script><img src=x onerror=alert(1)> \" ' `|` \n\n--> 00:00:00,000"
TIME = re.compile(r"(\d\d):(\d\d):(\d\d)[,.](\d{3})")


def archived(text: str) -> ArchivedAttempt:
    question = make_question(prompt=text)
    submission = make_submission(text)
    report = grade(question, submission, None, "bank-1")  # type: ignore[arg-type]
    return ArchivedAttempt(
        submission=submission,
        question=question,
        received_at=START,
        reports=(ArchivedReport(graded_at=START, report=report),),
    )


@given(TEXTS)
@example(HOSTILE)
@settings(max_examples=50, deadline=None)
def test_a_csv_has_one_row_for_an_answer_and_no_formula(text: str) -> None:
    header, row = csv.reader(io.StringIO(to_csv([archived(text)]), newline=""))
    assert tuple(header) == COLUMNS and len(row) == len(COLUMNS)
    assert all(not cell.lstrip(" ").startswith(("=", "+", "-", "@")) for cell in row)
    assert from_cell(row[COLUMNS.index("transcript")]) == text


@given(st.text(max_size=30))
@example("'=1")
@settings(max_examples=50, deadline=None)
def test_a_guarded_cell_reads_as_what_it_was(text: str) -> None:
    assert from_cell(to_cell(text)) == text or text.startswith("'")


class Tags(HTMLParser):
    """Which tags a page has, with their attributes' names."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


@given(TEXTS)
@example(HOSTILE)
@settings(max_examples=25, deadline=None)
def test_a_page_has_the_same_tags_whatever_was_said(text: str) -> None:
    assert set(Tags(to_html([archived(text)])).found) <= set(Tags(to_html([archived("a b")])).found)


@given(st.text(max_size=40))
@example(HOSTILE)
@settings(max_examples=50, deadline=None)
def test_plain_text_in_markdown_is_one_line_without_markup(text: str) -> None:
    line = plain_text(text)
    assert len(line.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>#|~&$]", line)


@given(st.lists(st.tuples(TEXTS, st.floats(0, 4), st.floats(0, 4)), max_size=25))
@example([("one\n\n2\n00:00:00,000 --> 00:00:09,000\nevil", 0.0, 1.0)])
@settings(max_examples=50, deadline=None)
def test_subtitles_are_in_order_and_as_many_as_there_are_cues(
    said: list[tuple[str, float, float]],
) -> None:
    words, at_s = [], 0.0
    for text, gap_s, length_s in said:
        at_s += gap_s
        words.append(Word(text=text, start_s=at_s, end_s=at_s + length_s))
        at_s += length_s
    transcript = Transcript(text="x", words=tuple(words))
    for made in (to_srt(transcript), to_vtt(transcript)):
        lines = [line for line in made.split("\n") if " --> " in line and TIME.match(line)]
        assert len(lines) == len(cues(transcript))
        times = [[seconds(*found) for found in TIME.findall(line)][:2] for line in lines]
        assert all(start <= end for start, end in times)
        assert all(one[0] <= other[0] for one, other in pairwise(times))


def seconds(hours: str, minutes: str, whole: str, ms: str) -> float:
    return int(hours) * 3600 + int(minutes) * 60 + int(whole) + int(ms) / 1000
