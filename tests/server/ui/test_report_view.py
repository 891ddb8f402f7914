import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from rich.console import Console

from client.terminal.report import render_report
from server.contract import (
    CORRECTED_NOTICE,
    Filler,
    Language,
    LanguageNote,
    Pause,
    RepeatedStart,
    Report,
    Summary,
    SummaryPoint,
    Word,
)
from server.ui.compare_view import view_comparison
from server.ui.content_view import CLIP_MARGIN_S
from server.ui.rendering import environment
from server.ui.report_view import MOST_SHOWN, ReportView, Sounds, bounded, view_report
from server.ui.verdict_words import PERHAPS_RIGHT, tip_of
from tests.server.ui.conftest import make_words, phrase, term

MakeReport = Callable[..., Report]
HOSTILE = "<script>alert('x')</script> & \"quoted\" {{ 7 * 7 }}"

PAGE = """
{% from "report/transcript.html" import transcript, legend %}
{% from "report/checklist.html" import checklist, score %}
{% from "report/terms.html" import terms %}
{% from "report/delivery.html" import delivery %}
{% from "report/language.html" import language %}
{% from "report/summary.html" import notices, summary, model_answer %}
{{ notices(view) }}{{ score(view) }}{{ summary(view) }}{{ legend(view) }}
{{ transcript(view, sounds) }}
<div id="{{ view.prefix }}phrases">{{ checklist(view) }}</div>
<div id="{{ view.prefix }}terms">{{ terms(view, sounds) }}</div>
<div id="{{ view.prefix }}delivery">{{ delivery(view) }}</div>
<div id="{{ view.prefix }}language">{{ language(view) }}</div>
{{ model_answer({"model_answer": "First.\n\nSecond.", "sources": ("RFC 793",)}, view.prefix) }}
"""


class Page(HTMLParser):
    """The page's ids, links and text; fails on tags that do not close."""

    VOID = ("meta", "link", "input", "br", "hr")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, name: str) -> list[str]:
        return [str(attrs[name]) for _, attrs in self.tags if name in attrs]

    def all(self, **wanted: str) -> list[dict[str, str | None]]:
        names = {key.rstrip("_").replace("_", "-"): value for key, value in wanted.items()}
        return [
            attrs
            for _, attrs in self.tags
            if all(value in (attrs.get(name) or "").split() for name, value in names.items())
        ]


def render(view: ReportView, sounds: Sounds | None = None) -> Page:
    html = environment().from_string(PAGE).render(view=view, sounds=sounds or Sounds())
    return Page(html)


@pytest.fixture
def full(make_report: MakeReport) -> Report:
    """A report with one of everything."""
    words = make_words("um we use RoCE with flow control and adaptive paths " * 4)
    return make_report(
        words,
        phrases=(
            phrase("flow control", (5, 6), how="acronym", why="not shown", weight=2),
            phrase("adaptive routing", (8, 9), "partial", why="Hot spots.", follow_up="And then?"),
            phrase("pause storms", (), "missing", why="It tells much."),
            phrase("FSDP", (3,), negated=True),
        ),
        terms=(
            term("RoCE", (3,), "mispronounced", tip="Two syllables."),
            term("RDMA", (7,), "correct", source="transcript", start_s=None, end_s=None),
            term("data", (13,), "unclear", heard=None, phones=None),
        ),
        delivery={
            "words_per_minute": 120.4,
            "articulation_rate": 4.26,
            "pauses": (Pause(start_s=3.0, end_s=4.5),),
            "longest_pause_s": 1.5,
            "answer_s": 20.3,
            "fillers": (
                Filler(text="um", start_s=0.0, end_s=0.4, word_index=0),
                Filler(text="Um", start_s=5.0, end_s=5.4, word_index=10),
            ),
            "repeated_starts": (RepeatedStart(text="we", start_s=1.0, word_index=1),),
        },
        notices=("A `rough` transcript.",),
        language=Language(
            notes=(LanguageNote(kind="false_friend", said="eventual", better="possible", why="W."),)
        ),
        summary=Summary(
            went_well=(SummaryPoint(text="Good.", evidence="coverage.phrases[0]"),),
            work_on=(
                SummaryPoint(text="Say it.", evidence="pronunciation.terms[0]"),
                SummaryPoint(text="Slower.", evidence="delivery.words_per_minute"),
                SummaryPoint(text="Word.", evidence="language.notes[0]"),
                SummaryPoint(text="Odd.", evidence="nowhere[1].x"),
            ),
        ),
    )


def test_each_phrase_has_its_verdict_in_a_sign_and_a_word(full: Report) -> None:
    rows = view_report(full).phrases
    assert [(row.sign, row.verdict, row.tone) for row in rows] == [
        ("✓", "said", "good"),
        ("◐", "partly said", "warn"),
        ("✗", "not said", "bad"),
        ("≠", "said, but denied", "warn"),
    ]
    assert [row.open for row in rows] == [False, True, True, True]
    assert [row.why for row in rows] == ["", "Hot spots.", "It tells much.", ""]
    assert rows[0].weighty and rows[0].how == "by its short or long form"
    assert view_report(full).said_count == 1


def test_terms_are_grouped_and_their_sounds_have_a_margin(full: Report) -> None:
    view = view_report(full)
    (wrong,), (right,), (unclear,) = view.wrong_terms, view.right_terms, view.unclear_terms
    assert (wrong.term, right.term, unclear.term) == ("RoCE", "RDMA", "data")
    assert (wrong.from_s, wrong.to_s) == (2.0 - CLIP_MARGIN_S, 2.4 + CLIP_MARGIN_S)
    assert (right.from_s, right.to_s, right.basis) == (None, None, "from the transcript only")
    assert wrong.basis == "90% sure, from the sound"
    assert wrong.heard_ipa == "ˈɹoʊs"


def test_numbers_have_units_and_what_was_not_measured_is_left_out(
    full: Report, make_report: MakeReport
) -> None:
    figures = {figure.label: figure for figure in view_report(full).figures}
    assert (figures["Pace"].value, figures["Pace"].unit) == ("120", "words per minute")
    assert (figures["Length"].value, figures["Length"].unit) == ("0:20", "of 2:00 min")
    assert figures["Articulation"].value == "4.3"
    assert (figures["Pauses"].value, figures["Pauses"].note) == ("1", "the longest 1.5 s")
    assert (figures["Fillers"].value, figures["Fillers"].note[:8]) == ("2", "at least")
    assert figures["Said twice"].value == "1"
    assert view_report(full).fillers == (("um", 2),)
    typed = view_report(make_report("just typed"))
    assert [figure.label for figure in typed.figures] == ["Words"], "a text says nothing of fillers"
    assert typed.pace is None and not typed.timed


@pytest.mark.parametrize("prefix", ["", "before-"])
def test_every_link_within_the_report_leads_somewhere(full: Report, prefix: str) -> None:
    page = render(view_report(full, prefix=prefix))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert all(name.startswith(prefix) for name in ids)
    targets = [href[1:] for href in page.values("href") if href.startswith("#")]
    assert len(targets) > 15
    assert [target for target in targets if target not in ids] == []
    points = [point.href for point in view_report(full, prefix=prefix).work_on]
    assert points == [f"#{prefix}term-1", f"#{prefix}delivery", f"#{prefix}note-1", ""]


def test_without_sounds_nothing_can_be_played(full: Report) -> None:
    page = render(view_report(full))
    assert page.all(type="button") == []
    assert page.values("data-start") == []
    assert page.values("tabindex") == []


def test_the_notice_about_corrected_words_says_you_to_the_one_who_corrected_them(
    full: Report,
) -> None:
    report = full.model_copy(
        update={"notices": ("It is rough.", f"{CORRECTED_NOTICE}“a” for “b”.")}
    )
    own = "You corrected words of the transcript: “a” for “b”."
    assert view_report(report, to_owner=True).notices == ("It is rough.", own)
    assert view_report(report).notices == report.notices


def test_terms_without_a_verdict_are_counted_in_the_words_of_their_rows(
    make_report: MakeReport,
) -> None:
    given = {"source": "transcript", "start_s": None, "end_s": None}
    terms = (
        term("RoCE", (0,), "unclear"),
        term("RDMA", (1,), "unclear"),
        term("data", (2,), "unclear", **given),
    )
    page = render(view_report(make_report(make_words("RoCE RDMA data"), terms=terms)))
    assert "2 not clearly heard, 1 not judged" in " ".join(page.text.split())


def test_with_sounds_words_and_terms_can_be_played(full: Report) -> None:
    sounds = Sounds("/audio", {"RoCE": "/sound/term?term=RoCE"})
    page = render(view_report(full), sounds)
    words = page.all(class_="word")
    assert len(words) == 40
    assert [word["tabindex"] for word in words] == ["0", *["-1"] * 39]
    assert (words[2]["data-start"], words[2]["data-end"]) == ("1.0", "1.4")
    pieces = [each for each in page.all(class_="button") if "data-play-from" in each]
    assert [(each["data-play-from"], each["data-play-to"]) for each in pieces] == [
        ("1.85", "2.55"),
        ("1.85", "2.55"),  # the one not clearly heard
    ]
    assert page.values("data-sound") == ["/sound/term?term=RoCE"]


def test_a_mistake_can_be_heard_beside_the_taught_reading(full: Report) -> None:
    [wrong] = view_report(full).wrong_terms
    sounds = Sounds(
        taught_urls={wrong.term: "/taught"}, mistake_urls={wrong.heard_phones: "/mistake"}
    )
    page = render(view_report(full), sounds)
    assert page.values("data-sound") == ["/mistake", "/taught"]


def test_words_without_times_are_no_places_to_play_from(make_report: MakeReport) -> None:
    words = (Word(text="lost"), *make_words("one two"))
    page = render(view_report(make_report(words)), Sounds("/audio"))
    assert ["data-start" in each for each in page.all(class_="word")] == [False, True, True]
    assert [each.get("tabindex") for each in page.all(class_="word")] == [None, "0", "-1"]


def test_the_text_reads_as_it_was_said(full: Report) -> None:
    page = environment().from_string(
        '{% from "report/transcript.html" import transcript %}{{ transcript(view, sounds) }}'
    )
    html = page.render(view=view_report(full), sounds=Sounds())
    plain = re.sub(
        r'<(a|span) class="(mark-sign|visually-hidden|mark-pause)[^>]*>.*?</\1>', "", html
    )
    plain = re.sub(r'<div class="transcript-time">.*?</div>', "", plain)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", plain)).strip()
    assert text == full.transcript.text


def test_what_people_wrote_stays_text(make_report: MakeReport) -> None:
    hostile = make_report(
        make_words(HOSTILE),
        phrases=(phrase(HOSTILE, (0,), "partial", why=HOSTILE, follow_up=HOSTILE),),
        terms=(term(HOSTILE[:40], (1,), "mispronounced", heard=HOSTILE, tip=HOSTILE),),
        notices=(HOSTILE,),
        delivery={"fillers": (Filler(text=HOSTILE, start_s=0.1, word_index=0),)},
        summary=Summary(work_on=(SummaryPoint(text=HOSTILE, evidence=HOSTILE),)),
    )
    page = render(view_report(hostile), Sounds("/a", {HOSTILE[:40]: '"><script>'}))
    assert "script" not in [tag for tag, _ in page.tags]
    assert page.text.count(HOSTILE) >= 5
    assert "49" not in page.text


def test_a_host_page_can_add_to_the_phrases(full: Report) -> None:
    template = environment().from_string(
        '{% from "report/checklist.html" import checklist %}'
        "{% call(row) checklist(view) %}<b>{{ row.number }}{{ row.open }}</b>{% endcall %}"
    )
    html = template.render(view=view_report(full))
    assert re.findall(r"<b>(.*?)</b>", html) == ["1False", "2True", "3True", "4True"]


def test_the_legend_names_only_marks_that_occur(full: Report, make_report: MakeReport) -> None:
    assert view_report(full).marks == {
        "mark-covered",
        "mark-partial",
        "mark-denied",
        "mark-mispronounced",
        "mark-unclear",
        "mark-filler",
        "mark-repeated",
        "mark-pause",
    }
    assert view_report(make_report(make_words("plain words"))).marks == frozenset()
    assert "Marks in the transcript" not in render(view_report(make_report("plain"))).values(
        "aria-label"
    )


def test_a_term_that_was_perhaps_said_right_is_not_corrected(make_report: MakeReport) -> None:
    unsure = term("data", (0,), "unclear", heard="DAY-tuh", expected="DAY-tuh", tip="Say DAY-tuh.")
    report = make_report(make_words("data here"), terms=(unsure,))
    (row,) = view_report(report).unclear_terms
    assert (row.heard, row.expected, row.tip) == ("DAY-tuh", "", PERHAPS_RIGHT)
    console = Console(width=120, force_terminal=False)
    with console.capture() as captured:
        console.print(render_report(report, "Why?"))
    assert "heard DAY-tuh" in captured.get()
    assert "say day-tuh" not in captured.get().casefold()
    faulty = unsure.model_copy(update={"fault": "clipped", "tip": "The recording is clipped."})
    assert tip_of(faulty) == "The recording is clipped."


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
