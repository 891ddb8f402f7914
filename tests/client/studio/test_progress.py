import re
import threading
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from starlette.testclient import TestClient

from client.studio.state.studio import Studio
from server.contract import (
    DrillReview,
    Evidence,
    HeardTerm,
    RegradeFailure,
    RegradeResult,
    Submission,
    Transcript,
    Word,
)
from tests.client.conftest import make_submission

NOW = datetime.now(UTC)
SPOT, MANAGED = "cloud-spot-or-on-demand", "cloud-managed-or-self-hosted"
"""Two questions of the built-in bank."""


def answer(studio: Studio, question: str, text: str, days_ago: float = 0, **changes: object) -> int:
    transcript = Transcript(text=text)
    said_at = NOW - timedelta(days=days_ago)
    submission: Submission = make_submission(
        question_id=question, created_at=said_at, transcript=transcript, **changes
    )
    return studio.backend.submit(submission).id


def heard(studio: Studio, term: str, verdict: str, days_ago: float) -> None:
    """An answer of one word, the term, that was heard so."""
    entry = studio.lexicon.get(term)
    assert entry is not None
    phones = entry.readings[0] if verdict == "correct" else entry.mistakes[0].phones
    word = Word(text=term, start_s=1, end_s=2)
    said = HeardTerm.model_validate(
        {
            "term": term,
            "word_index": 0,
            "verdict": verdict,
            "phones": phones,
            "confidence": 0.9,
            "start_s": 1,
            "end_s": 2,
        }
    )
    submission: Submission = make_submission(
        question_id=SPOT,
        created_at=NOW - timedelta(days=days_ago),
        transcript=Transcript(text=term, engine="fake", words=(word,)),
        evidence=Evidence(heard=(said,), pauses=()),
    )
    studio.backend.submit(submission)


def words_of(html: str) -> str:
    """What a reader sees, with single spaces."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def section(html: str, name: str) -> str:
    found = re.search(rf'<section[^>]*aria-labelledby="{name}".*?</section>', html, re.DOTALL)
    return words_of(found.group()) if found else ""


def test_without_practice_the_page_says_what_to_do_next(client: TestClient) -> None:
    page = client.get("/progress").text
    assert "Nothing here yet" in page
    assert 'href="/plan"' in page


def test_first_and_latest_answers_stand_under_role_round_topic_and_signal(
    client: TestClient, studio: Studio
) -> None:
    question = studio.backend.question(SPOT)
    phrases = [each.phrase for each in question.key_phrases]
    first = answer(studio, SPOT, phrases[0], days_ago=15)
    latest = answer(studio, SPOT, " and ".join(phrases), days_ago=1)
    scores = {each.id: round(each.score * 100) for each in studio.backend.history().attempts}
    assert scores[first] < scores[latest]
    page = client.get("/progress").text
    rose = f"first {scores[first]}%, up {scores[latest] - scores[first]} points"
    bank = studio.bank
    role, guide = bank.role(question.role or ""), question.round
    assert role is not None
    headings = {
        "by-role": role.title,
        "by-round": next(each.title for each in bank.rounds if each.id == guide),
        "by-topic": question.topic,
        "by-signal": next(each.title for each in bank.signals if each.id == question.signals[0]),
    }
    for name, title in headings.items():
        assert title in section(page, name)
        assert rose in section(page, name)
        assert f"{scores[latest]}%" in section(page, name)
    assert rose in section(page, "questions")
    assert f'href="/attempts/{latest}/compare/{first}"' in page


def test_the_days_are_drawn_from_the_first_on_and_written_in_a_table(
    client: TestClient, studio: Studio
) -> None:
    answer(studio, SPOT, studio.backend.question(SPOT).model_answer, days_ago=14)
    one = client.get("/progress").text
    assert '<svg viewBox="0 0 400 180" role="img"' in one
    assert "From three first answers on" in one
    answer(studio, MANAGED, "managed service")
    answer(studio, SPOT, "nothing")
    for each in studio.backend.history().attempts:
        client.post(f"/attempts/{each.id}/language")
    page = client.get("/progress").text
    over_time = section(page, "over-time")
    for each in studio.backend.history().attempts:
        assert f"{each.score:.0%} (1)" in over_time
    assert "What to do next:" in over_time
    assert "Language notes per 100 words" in section(page, "delivery")
    assert "Mastered" in section(page, "mastered")


def test_answers_of_an_earlier_grading_are_graded_again_first(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(studio, SPOT, "spot instances", days_ago=3)
    answer(studio, MANAGED, "managed service")
    page = studio.backend.history()
    old = page.attempts[1].model_copy(update={"grader_version": "1.0.0"})
    stale = page.model_copy(update={"attempts": (page.attempts[0], old)})
    graded = threading.Event()
    monkeypatch.setattr(studio.backend, "history", lambda query=None: stale)
    failed = RegradeFailure(attempt_id=old.id, question_id=MANAGED, reason="damaged")

    def regrade() -> RegradeResult:
        assert graded.wait(10)
        return RegradeResult(dry_run=False, graded=2, failures=(failed,))

    monkeypatch.setattr(studio.backend, "regrade", regrade)
    shown = section(client.get("/progress").text, "over-time")
    assert "1 answer from before the latest grading is left out" in shown
    assert "It is being graded again" in shown
    graded.set()
    for each in threading.enumerate():
        if each.name == "aloud-regrade":
            each.join(10)
    assert "It could not be graded again" in client.get("/progress").text


def test_a_report_has_ones_own_range_beside_its_figures_from_five_answers_on(
    client: TestClient, studio: Studio
) -> None:
    said = tuple(Word(text="so", start_s=n, end_s=n + 0.5) for n in range(60))
    pages = []
    for number in range(5):
        words = said[: 40 + 5 * number]
        spoken = Transcript(text="so " * len(words), engine="fake", words=words, duration_s=60)
        given = make_submission(question_id=SPOT, transcript=spoken, evidence=Evidence(pauses=()))
        address = f"/attempts/{studio.backend.submit(given).id}"
        pages.append(" ".join(client.get(address).text.split()))
    assert "yours" not in pages[3] and "words per minute (" in pages[4]
    assert "yours, longest pause: 0.0 seconds (" in pages[4] and "a minute, yours: " in pages[4]
    ranges = section(client.get("/progress").text, "delivery")
    for each in ("Pauses inside clauses, a minute", "Taken back, at least, a minute"):
        assert each in ranges


def test_one_role_round_topic_or_signal_can_be_looked_at_alone(
    client: TestClient, studio: Studio
) -> None:
    answer(studio, SPOT, "spot instances")
    answer(studio, MANAGED, "managed service")
    spot, managed = studio.backend.question(SPOT), studio.backend.question(MANAGED)
    assert spot.topic != managed.topic
    page = client.get("/progress", params={"topic": spot.topic}).text
    assert "Answers 1" in section(page, "over-time")
    assert section(page, "by-topic") == ""
    by_role = client.get("/progress", params={"role": spot.role or ""}).text
    assert "Answers 2" in section(by_role, "over-time")
    signals = {each.id for each in studio.bank.signals}
    (one_only,) = set(spot.signals) ^ set(managed.signals)
    by_signal = client.get("/progress", params={"signal": one_only}).text
    assert "Answers 1" in section(by_signal, "over-time")
    neither = signals - {*spot.signals, *managed.signals}
    assert "No answer matches" in client.get("/progress", params={"signal": neither.pop()}).text
    nobody = client.get("/progress", params={"role": "nobody"})
    assert nobody.status_code == 200
    assert "No answer matches" in nobody.text


def test_terms_said_wrong_are_listed_take_by_take_with_a_way_to_hear_and_drill_them(
    client: TestClient, studio: Studio
) -> None:
    heard(studio, "RoCE", "mispronounced", days_ago=3)
    heard(studio, "RoCE", "mispronounced", days_ago=2)
    heard(studio, "RoCE", "correct", days_ago=1)
    heard(studio, "NCCL", "correct", days_ago=1)
    page = client.get("/progress").text
    terms = section(page, "terms")
    assert "mispronounced 2 of 3 times" in terms
    assert "lately: wrong, wrong, right" in terms
    assert "NCCL" not in terms
    assert 'data-sound="/sound/term?term=RoCE"' in page
    assert client.get("/sound/term?term=RoCE").headers["content-type"] == "audio/wav"
    assert "Drill it (RoCE)" in terms
    assert 'name="term" value="RoCE">Drill it' in page


def test_drills_count_with_the_terms_and_show_what_is_learned(
    client: TestClient, studio: Studio
) -> None:
    for number, (days_ago, verdict) in enumerate(
        [(60, "mispronounced"), (50, "correct"), (40, "correct"), (20, "correct")]
    ):
        review = {
            "review_id": f"{number:032x}",
            "item_id": "roce",
            "drill_set": "acronyms",
            "reviewed_at": NOW - timedelta(days=days_ago),
            "verdict": verdict,
            "confidence": 0.9,
        }
        studio.backend.drills.review(DrillReview.model_validate(review))
    page = client.get("/progress").text
    assert "mispronounced 1 of 4 times" in section(page, "terms")
    assert "1 of 1 practiced item learned" in section(page, "drills")
    assert "said 4 times, 1 missed" in section(page, "drills")


@pytest.mark.parametrize("path", ["/progress", "/plan"])
def test_names_from_outside_are_written_as_text(
    client: TestClient, studio: Studio, path: str
) -> None:
    answer(studio, SPOT, "<script>alert(1)</script>")
    page = client.get(path, params={"role": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in page
