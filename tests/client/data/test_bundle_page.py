"""The page of a bundle in a real browser, offline: a whole review is written, saved and merged."""

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from client.audio.wav import write_wav
from client.backend.opening import open_reviews
from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.data.bundle import bundle_of, read_review
from client.data.own_recordings import OwnRecordings
from server.contract import (
    Attempt,
    Comment,
    Criterion,
    Evidence,
    HeardTerm,
    MergedReview,
    ReviewDocument,
    Transcript,
    Word,
)
from tests.server.conftest import START, make_submission
from tests.worlds.browser_looks import open_details
from tests.worlds.chromium import TIMEOUT_MS, in_a_browser
from tests.worlds.queues import wait_for
from tests.worlds.shared_server import tone

pytestmark = pytest.mark.browser

EVIL = "</script><script>alert(1)</script>"
TEXTS = ("We", "use", "RoCE", "and", "page", "the", EVIL, "cache")


@pytest.fixture
def spoken(backend: Backend, settings: ClientSettings) -> Attempt:
    """An answer with word times, a term that was heard, and its recording."""
    words = tuple(
        Word(text=text, start_s=float(index), end_s=index + 0.8) for index, text in enumerate(TEXTS)
    )
    heard = HeardTerm(
        **{"term": "RoCE", "word_index": 2, "phones": "R OW1 S", "verdict": "mispronounced"},
        **{"confidence": 0.9, "start_s": 2.0, "end_s": 2.8},
    )
    attempt = backend.submit(
        make_submission(
            question_id=backend.bank().questions[0].id,
            transcript=Transcript(
                text=" ".join(TEXTS), words=words, engine="faster-whisper", duration_s=8
            ),
            evidence=Evidence(heard=(heard,)),
        )
    )
    write_wav(tone(8), OwnRecordings(settings.recordings).path_of(attempt.submission.submission_id))
    return attempt


class Given:
    """What was written about an answer, wherever that is kept."""

    def __init__(self, attempt: Attempt, *comments: Comment, **more: Any) -> None:
        submission_id = attempt.submission.submission_id
        self._document = ReviewDocument(submission_id=submission_id, comments=comments, **more)

    def document(self, attempt_id: int) -> ReviewDocument:
        return self._document

    def merge(self, document: ReviewDocument) -> MergedReview:
        raise AssertionError


Drive = Callable[[Page], None]
Open = Callable[..., None]


@pytest.fixture
def opened(backend: Backend, settings: ClientSettings, tmp_path: Path) -> Open:
    """Opens the page of an attempt's bundle from the disk, offline; no script may complain."""

    def opened(attempt: Attempt, given: Given, drive: Drive, **how: Any) -> None:
        recordings = OwnRecordings(settings.recordings)
        sound = recordings.path_of(attempt.submission.submission_id).is_file()
        packed = bundle_of(backend, given, recordings, attempt.id, with_audio=sound)
        with zipfile.ZipFile(BytesIO(packed.content)) as bundle:
            (tmp_path / "answer.html").write_bytes(bundle.read("answer.html"))
        problems: list[str] = []

        def run(browser: Browser) -> None:
            page = browser.new_context(offline=True, **how).new_page()
            page.set_default_timeout(TIMEOUT_MS)
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.goto((tmp_path / "answer.html").as_uri())
            drive(page)

        in_a_browser(run)
        assert problems == []

    return opened


def saved(page: Page) -> ReviewDocument:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save everything").first.click()
    path = download.value.path()
    assert download.value.suggested_filename.startswith("aloud-comments-")
    return read_review(path)


def comment(page: Page, text: str, **places: str) -> None:
    for name, value in places.items():
        page.locator(f"[name={name}]").fill(value)
    page.get_by_label("Your comment").fill(text)
    page.get_by_role("button", name="Add the comment").click()


def test_a_quote_plays_the_recording_from_its_first_word(
    settings: ClientSettings, backend: Backend, opened: Open
) -> None:
    said = "Let me describe my background"
    times = enumerate(said.split())
    words = tuple(Word(text=each, start_s=2.0 * at, end_s=2.0 * at + 1.8) for at, each in times)
    transcript = Transcript(text=said, words=words, engine="faster-whisper", duration_s=10)
    question = backend.bank().questions[0].id
    attempt = backend.submit(make_submission(question_id=question, transcript=transcript))
    path = OwnRecordings(settings.recordings).path_of(attempt.submission.submission_id)
    write_wav(tone(10), path)

    def drive(page: Page) -> None:
        open_details(page)
        assert page.evaluate("document.querySelector('audio').paused")
        page.locator("a.said", has_text="background").first.press("Enter")
        page.wait_for_function("!document.querySelector('audio').paused")
        assert page.evaluate("document.querySelector('audio').currentTime") >= 8.0
        page.get_by_text("Let", exact=True).first.press("ArrowRight")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.textContent") == "me"
        assert page.evaluate("document.querySelector('audio').currentTime") < 4

    opened(attempt, Given(attempt), drive)


def test_a_whole_review_is_written_offline_and_merged(
    settings: ClientSettings, backend: Backend, spoken: Attempt, opened: Open
) -> None:
    cleo = Comment(
        **{"external_id": "1" * 32, "text": "Say the size.", "author": "Cleo", "created_at": START}
    )
    given = Given(spoken, cleo, criteria=(Criterion(name="Structure", scale=4),))
    kept: list[ReviewDocument] = []

    def drive(page: Page) -> None:
        page.get_by_label("Your name").fill("Dr. Who")
        comment(page, f"Louder {EVIL}")
        comment(page, "This one", word_from="3")
        comment(page, "These", word_from="5", word_to="8")
        comment(page, "Here", at="0:02.5")
        page.get_by_role("button", name="Reply to Cleo").click()
        page.get_by_label("Your reply to Cleo").fill("Sixteen.")
        page.get_by_role("button", name="Add the reply").click()
        page.get_by_label("Structure (0 to 4)").fill("3")
        page.get_by_label("Note on Structure").fill("No end")
        page.get_by_role("button", name="Add the scores").click()
        choices = page.get_by_label("The report says")
        for option, right in (("1. ", "It was partly said"), ("RoCE at 0:02", "It was said right")):
            texts = choices.locator("option").all_inner_texts()
            choices.select_option(index=[option in each for each in texts].index(True))
            page.get_by_label("What is right").select_option(right)
            page.get_by_label("Why (optional)").fill("I heard it")
            page.get_by_role("button", name="Add the verdict").click()
        assert "8 not yet saved to a file" in page.get_by_role("status").last.inner_text()
        shown = page.locator("[data-comments]").inner_text()
        assert f"Louder {EVIL}" in shown
        assert f"on “page the {EVIL} cache”" in shown
        kept.append(saved(page))

    opened(spoken, given, drive)
    (document,) = kept
    assert document.comments[0] == cleo
    assert [
        (each.kind, each.word_from, each.word_to, each.at_s, each.parent, each.text)
        for each in document.comments[1:]
    ] == [
        ("answer", None, None, None, None, f"Louder {EVIL}"),
        ("word", 2, None, None, None, "This one"),
        ("span", 4, 7, None, None, "These"),
        ("moment", None, None, 2.5, None, "Here"),
        ("answer", None, None, None, cleo.external_id, "Sixteen."),
    ]
    assert {each.author for each in document.comments[1:]} == {"Dr. Who"}
    (score,) = document.scores
    assert (score.criterion, score.score, score.note) == ("Structure", 3, "No end")
    phrase = spoken.report.coverage.phrases[0].phrase
    assert [(each.name, each.word_index, each.verdict) for each in document.corrections] == [
        (phrase, None, "partial"),
        ("RoCE", 2, "correct"),
    ]
    with open_reviews(settings) as reviews:
        merged = reviews.merge(document)
        assert (len(merged.added), merged.scores, merged.corrections) == (6, 1, 2)
        assert reviews.merge(document).known == 9
    report = backend.attempt(spoken.id).report
    assert report.coverage.phrases[0].status == "partial"
    assert [each.verdict for each in report.pronunciation.terms if each.term == "RoCE"] == [
        "correct"
    ]


def test_what_was_written_here_can_be_removed_and_what_others_wrote_cannot(
    spoken: Attempt, opened: Open
) -> None:
    cleo = Comment(
        **{"external_id": "1" * 32, "text": "Say the size.", "author": "Cleo", "created_at": START}
    )
    kept: list[ReviewDocument] = []

    def drive(page: Page) -> None:
        removals = page.get_by_role("button", name="Remove")
        assert removals.count() == 0
        page.get_by_label("Your name").fill("Dr. Who")
        comment(page, "A mistake")
        page.get_by_role("button", name="Reply to Dr. Who").click()
        page.get_by_label("Your reply").fill("It goes along")
        page.get_by_role("button", name="Add the reply").click()
        page.get_by_label("Structure (0 to 4)").fill("3")
        page.get_by_role("button", name="Add the scores").click()
        page.get_by_label("Structure (0 to 4)").fill("4")
        page.get_by_role("button", name="Add the scores").click()  # in the place of the first
        page.get_by_role("button", name="Add the verdict").click()
        assert removals.count() == 4
        page.get_by_role("button", name="Remove your comment").click()
        page.get_by_role("button", name="Remove this verdict").click()
        kept.append(saved(page))

    opened(spoken, Given(spoken, cleo, criteria=(Criterion(name="Structure", scale=4),)), drive)
    (document,) = kept
    assert document.comments == (cleo,)
    assert [each.score for each in document.scores] == [4]
    assert document.corrections == ()


def test_words_are_chosen_by_selecting_them_and_a_moment_by_the_recording(
    spoken: Attempt, opened: Open
) -> None:
    def drive(page: Page) -> None:
        ends = [f"document.querySelector('[data-index=\"{at}\"]').firstChild" for at in (4, 2)]
        page.evaluate(f"getSelection().setBaseAndExtent({ends[0]}, 2, {ends[1]}, 1)")
        page.wait_for_function("document.querySelector('[name=word_from]').value === '3'")
        assert page.locator("[name=word_to]").input_value() == "5"
        assert "RoCE and page" in page.locator("[data-chosen]").inner_text()
        page.wait_for_function("document.querySelector('audio').readyState > 0")
        page.evaluate("document.querySelector('audio').currentTime = 3.4")
        page.get_by_role("button", name="Where the recording is").click()
        assert page.locator("[name=at]").input_value() == "0:03.4"
        assert page.locator("[name=word_from]").input_value() == ""
        page.get_by_label("Your name").fill("Dr. Who")
        comment(page, "Here")
        page.evaluate("document.querySelector('audio').currentTime = 0")
        page.get_by_role("button", name="at 0:03").click()
        page.wait_for_function("document.querySelector('audio').currentTime >= 3.4")
        open_details(page)
        page.locator("[data-play-to]").first.click()
        wait_for(lambda: bool(page.evaluate("document.querySelector('audio').paused")))
        page.evaluate("document.querySelector('audio').play()")
        wait_for(lambda: bool(page.evaluate("document.querySelector('audio').currentTime > 4.5")))

    opened(spoken, Given(spoken), drive)


@pytest.mark.parametrize(
    ("places", "reported"),
    [
        ({"word_from": "5", "word_to": "2"}, "The last word comes before the first."),
        ({"word_from": "2", "at": "0:01"}, "Choose words or a moment, not both."),
        ({"at": "soon"}, "Write the moment as minutes:seconds."),
    ],
)
def test_a_place_that_makes_no_sense_is_told_and_nothing_is_lost(
    spoken: Attempt, opened: Open, places: dict[str, str], reported: str
) -> None:
    def drive(page: Page) -> None:
        page.get_by_label("Your name").fill("Dr. Who")
        comment(page, "Slower", **places)
        assert page.get_by_role("status").first.inner_text() == reported
        assert page.get_by_label("Your comment").input_value() == "Slower"
        assert page.get_by_text("No comments yet.").count() == 1


def test_nothing_is_added_without_a_name(spoken: Attempt, opened: Open) -> None:
    def drive(page: Page) -> None:
        comment(page, "Slower")
        page.get_by_role("button", name="Add the verdict").click()
        assert page.get_by_role("status").last.inner_text() == "Write your name first."
        assert page.evaluate("document.activeElement.id") == "name"
        assert page.get_by_role("button", name="Save everything").first.is_disabled()

    opened(spoken, Given(spoken), drive)
