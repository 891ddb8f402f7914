from pathlib import Path

import pytest

from client.practice.interviews import Interviews, TermPlace, report_interview
from client.studio.views.interview import evidence_href, place_href, point_links, state_of
from server.ui.report_view import view_report
from tests.client.practice.interviews.conftest import Clock, attempt, verdict
from tests.client.practice.interviews.test_report import SUBMISSIONS, held, kept


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def interviews(tmp_path: Path, clock: Clock) -> Interviews:
    return Interviews(tmp_path / "interviews", clock)


def test_points_lead_to_what_they_rest_on(interviews: Interviews) -> None:
    record = held(interviews, 7, 8, "skip")
    wrong = verdict("RoCE", "mispronounced")
    first = attempt(7, "q", SUBMISSIONS[0], statuses=("missing",), terms=[wrong])
    second = attempt(8, "q", SUBMISSIONS[1], longest_pause_s=9.0)
    report = report_interview(record, kept(record, first, second))
    hrefs = [
        evidence_href(report, evidence)
        for evidence in (
            "answers[0].score",
            "answers[1].longest_pause_s",
            "answers[2]",
            "answers[3].score",
            "terms[0]",
            "words_per_minute",
        )
    ]
    assert hrefs == [
        "/attempts/7#phrases",
        "/attempts/8#delivery",
        "#question-3",
        "#question-4",
        "#term-1",
        "#figures",
    ]
    strongest, weakest = point_links(report)
    assert [point.href for point in strongest][:1] == ["/attempts/8#phrases"]
    assert "#question-3" in [point.href for point in weakest]


def test_a_place_leads_to_the_row_of_its_term_in_the_answers_report() -> None:
    right, wrong = verdict("etcd", "correct"), verdict("RoCE", "mispronounced")
    report = attempt(7, "q", SUBMISSIONS[0], terms=[wrong, right, wrong]).report
    view = view_report(report)
    for at, term in ((0, "RoCE"), (1, "etcd"), (2, "RoCE")):
        place = TermPlace(
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
    asked = record.questions[0].model_copy(
        update={
            "state": "open",
            "role": "somebody-else",
            "submission_id": None,
            "attempt_id": None,
            "closed_at": None,
        }
    )
    running = record.model_copy(update={"ended_at": None, "questions": (asked,)})
    question = state_of(running, None, now).question
    assert question is not None
    assert (question.other_role, question.number) == ("somebody-else", 1)
