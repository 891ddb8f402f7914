from pathlib import Path

import pytest

from client.practice.interviews import Interviews, Place, report_interview
from client.studio.views.interview import evidence_href, place_href, point_links, state_of
from server.ui.report_view import view_report
from tests.client.practice.interviews.conftest import Clock, attempt, verdict
from tests.client.practice.interviews.test_report import SUBMISSIONS, held, kept


@pytest.fixture
def interviews(tmp_path: Path) -> Interviews:
    return Interviews(tmp_path / "interviews", Clock())


def test_points_lead_to_what_they_rest_on(interviews: Interviews) -> None:
    record = held(interviews, 7, 8, "skip")
    wrong = verdict("RoCE", "mispronounced")
    first = attempt(7, "q", SUBMISSIONS[0], statuses=("missing",), terms=[wrong])
    second = attempt(8, "q", SUBMISSIONS[1], longest_pause_s=9.0)
    report = report_interview(record, kept(record, first, second))
    places = {
        "answers[0].score": "/attempts/7#phrases",
        "answers[1].longest_pause_s": "/attempts/8#delivery",
        "answers[2]": "#question-3",
        "answers[3].score": "#question-4",
        "terms[0]": "#term-1",
        "language.notes[2]": "#note-3",
        "language": "#language",
        "words_per_minute": "#figures",
    }
    assert {each: evidence_href(report, each) for each in places} == places
    strongest, weakest = point_links(report)
    assert [point.href for point in strongest][:1] == ["/attempts/8#phrases"]
    assert "#question-3" in [point.href for point in weakest]


def test_a_place_leads_to_the_row_of_its_term_in_the_answers_report() -> None:
    right, wrong = verdict("etcd", "correct"), verdict("RoCE", "mispronounced")
    report = attempt(7, "q", SUBMISSIONS[0], terms=[wrong, right, wrong]).report
    view = view_report(report)
    for at, term in ((0, "RoCE"), (1, "etcd"), (2, "RoCE")):
        place = Place(
            number=1, attempt_id=7, evidence=f"pronunciation.terms[{at}]", heard="", start_s=None
        )
        page, _, anchor = place_href(place).partition("#")
        assert page == "/attempts/7"
        places = [
            each for row in (*view.wrong_terms, *view.right_terms) for each in (row, *row.more)
        ]
        rows = [row for row in places if row.anchor == anchor]
        assert [row.term for row in rows] == [term]


def test_the_state_names_a_question_of_a_neighbor_role(interviews: Interviews) -> None:
    record = held(interviews, 1)
    now = interviews.now()
    assert state_of(record, None, now).question is None
    opened = dict.fromkeys(("submission_id", "attempt_id", "closed_at"))
    asked = record.questions[0].model_copy(
        update=opened | {"state": "open", "role": "somebody-else"}
    )
    running = record.model_copy(update={"ended_at": None, "questions": (asked,)})
    question = state_of(running, None, now).question
    assert question is not None
    assert (question.other_role, question.number) == ("somebody-else", 1)
