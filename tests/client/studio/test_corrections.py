"""A verdict that a coach corrected, as its candidate sees it in the studio."""

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from client.backend.embedded import open_reviews
from client.core.settings import ClientSettings
from client.studio.state.studio import Studio
from server.contract import Correction, Evidence, HeardTerm, ReviewDocument, Transcript, Word
from tests.client.conftest import make_submission

QUESTION = "infiniband-or-roce"
PHRASE = "adaptive routing"
"""A key phrase of the question that the answer lacks."""
TEXT = "Both give me remote direct memory access. With RoCE I need priority flow control."
BAD = "<script>alert(1)</script>"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def correction(number: int, **changes: object) -> Correction:
    values: dict[str, object] = {
        "external_id": f"{number:032x}",
        "target": "phrase",
        "name": PHRASE,
        "verdict": "covered",
        "note": f"At the end {BAD}",
        "author": "Cleo Martin",
        "created_at": NOW,
    }
    return Correction.model_validate(values | changes)


def answer(studio: Studio) -> int:
    words = tuple(
        Word(text=each, start_s=float(i), end_s=i + 0.5) for i, each in enumerate(TEXT.split())
    )
    at = TEXT.split().index("RoCE")
    heard = HeardTerm(
        term="RoCE",
        word_index=at,
        verdict="mispronounced",
        phones="R OW1 S",
        confidence=0.95,
        start_s=at,
        end_s=at + 0.5,
    )
    submission = make_submission(
        question_id=QUESTION,
        transcript=Transcript(text=TEXT, words=words, engine="fake", duration_s=20.0),
        evidence=Evidence(heard=(heard,), hearing_version="fake"),
    )
    return studio.backend.submit(submission).id


@pytest.fixture
def number(studio: Studio) -> int:
    return answer(studio)


def merge(settings: ClientSettings, studio: Studio, number: int, *given: Correction) -> None:
    submission_id = studio.backend.attempt(number).submission.submission_id
    with open_reviews(settings) as merger:
        merger.merge(ReviewDocument(submission_id=submission_id, corrections=given))


def test_the_report_says_who_corrected_what_and_why(
    settings: ClientSettings, studio: Studio, client: TestClient, number: int
) -> None:
    before = studio.backend.attempt(number).report.overall
    merge(settings, studio, number, correction(1))
    page = client.get(f"/attempts/{number}").text
    assert "corrected by the coach, Cleo Martin; graded “not said”: At the end" in page
    assert f"corrected, graded {before:.0%}" in page
    assert BAD not in page
    after = studio.backend.attempt(number).report.overall
    assert after > before
    assert f'<span class="value">{after:.0%}</span>' in page
