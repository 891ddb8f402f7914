import re
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from server.contract import Coverage, Filler, Language, LanguageNote, Report
from server.ui.compare_view import view_comparison
from server.ui.rendering import environment
from tests.server.ui.conftest import make_words, phrase, term

MakeReport = Callable[..., Report]


def pair(make_report: MakeReport) -> tuple[Report, Report]:
    before = make_report(
        make_words("we use um flow control"),
        terms=(term("RoCE", (1,), "mispronounced"),),
        delivery={
            "words_per_minute": 131.2,
            "longest_pause_s": 2.4,
            "answer_s": 34.9,
            "pauses_inside": 1,
            "fillers": (Filler(text="um", word_index=2),),
        },
        coverage=Coverage(
            score=0.4,
            phrases=(
                phrase("flow", (3,)),
                phrase("gone", (), "missing"),
                phrase("half", (4,), "partial"),
            ),
        ),
    )
    after = make_report(
        make_words("we use flow control on paths"),
        phrases=(
            phrase("flow", (2,), negated=True),
            phrase("half", (3,)),
            phrase("new", (), "missing"),
        ),
        terms=(term("RoCE", (1,), "correct"), term("RDMA", (2,), "unclear")),
        delivery={
            "words_per_minute": 120.0,
            "answer_s": 40.2,
            "pauses_inside": 2,
            "self_corrections": 0,
            "first_word_s": 0.8,
        },
    )
    return before, after


def test_numbers_say_what_got_better_and_what_worse(make_report: MakeReport) -> None:
    rows = {row.label: row for row in view_comparison(*pair(make_report)).numbers}
    score = rows["Score"]
    assert (score.before, score.after) == ("40%", "50%")
    assert (score.change, score.direction, score.effect) == ("10 points", "up", "better")
    fillers = rows["Fillers, at least"]
    assert (fillers.change, fillers.direction, fillers.effect) == ("1", "down", "better")
    assert rows["Terms mispronounced"].effect == "better"
    pace = rows["Pace, words per minute"]
    assert (pace.before, pace.after, pace.change) == ("131", "120", "11")
    assert (pace.direction, pace.effect) == ("down", "")
    length = rows["Length"]
    assert (length.before, length.after, length.change) == ("0:35", "0:40", "5 s")
    assert length.direction == "up"
    pauses = rows["Longest pause, seconds"]
    assert (pauses.before, pauses.after, pauses.change) == ("2.4", "–", "")
    assert rows["Pauses"].after == "–"
    inside = rows["Pauses inside clauses, a minute"]
    assert (inside.before, inside.after, inside.change) == ("1.7", "3.0", "1.3")
    back = rows["Taken back, at least, a minute"]
    assert (back.before, back.after, rows["First word after, seconds"].after) == ("–", "0.0", "0.8")


def test_kinds_of_error_are_new_still_there_or_gone(make_report: MakeReport) -> None:
    def with_kinds(report: Report, *kinds: Any) -> Report:
        notes = [LanguageNote(kind=kind, said="a", better="b", why="") for kind in kinds]
        return report.model_copy(update={"language": Language(notes=tuple(notes), by="rules")})

    earlier, later = pair(make_report)
    before = with_kinds(earlier, "article", "tense", "tense", "false_friend")
    after = with_kinds(later, "tense", "preposition")
    template = environment().from_string(
        '{% from "report/comparison.html" import kind_changes %}{{ kind_changes(view) }}'
    )
    html = template.render(view=view_comparison(before, after))
    rows = [re.sub(r"\s*\n?\s*<.*?>", " ", row).split() for row in html.split("<tr>")[2:]]
    assert [" ".join(row) for row in rows] == [
        "preposition 0 1 new",
        "tense 2 1 still there, fewer",
        "article 1 0 gone",
        "false friend 1 0 gone",
    ]
    pending = after.model_copy(update={"language": Language(pending=True)})
    assert view_comparison(before, pending).kinds == ()


def test_a_change_is_an_arrow_and_a_number_without_a_sign(make_report: MakeReport) -> None:
    later, earlier = pair(make_report)  # the other way round: all of it gets worse
    template = environment().from_string(
        '{% from "report/comparison.html" import changes %}{{ changes(view) }}'
    )
    html = template.render(view=view_comparison(earlier, later))
    changes = re.findall(r'<span class="change-.*?</span></td>', html)
    seen = [Markup(each).striptags() for each in changes]
    assert "down 10 points, worse" in seen
    assert "up 1, worse" in seen, "of fillers more is worse: the arrow alone does not tell"
    assert [each for each in seen if re.search("[-−+]", each)] == []
    assert "<span>, worse</span>" in html


def test_phrases_are_set_side_by_side_even_where_the_bank_changed(make_report: MakeReport) -> None:
    rows = {row.name: row for row in view_comparison(*pair(make_report)).phrases}
    assert list(rows) == ["flow", "half", "new", "gone"]
    assert rows["flow"].direction == "down"  # said before, only denied now
    assert rows["half"].direction == "up"
    assert (rows["new"].before, rows["gone"].after) == (None, None)
    assert rows["new"].direction == rows["gone"].direction == "same"


def test_pieces_are_offered_of_the_answer_that_can_be_heard_alone(make_report: MakeReport) -> None:
    template = environment().from_string(
        '{% from "report/comparison.html" import phrase_changes, term_changes %}'
        '{{ phrase_changes(view, ["after"]) }}{{ term_changes(view, ["after"]) }}'
    )
    view = view_comparison(*pair(make_report))
    cells = template.render(view=view).split("<td")
    assert [each for each in cells if 'data-piece-of="before"' in each and "<button" in each] == []
    later = [each for each in cells if 'data-piece-of="after"' in each and "<button" in each]
    (term,) = view.terms[0].after
    assert any(
        f'data-play-from="{term.from_s}" data-play-to="{term.to_s}"' in each for each in later
    )
