import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from client.audio.wav import write_wav
from client.core.preferences import change_preferences
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.state.studio import Studio
from pronunciation.clip import Clip
from server.contract import Evidence, HeardTerm, LanguageRequest, Pause, Transcript, Word
from tests.client.conftest import make_submission
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.studio_parts import ORIGIN, make_studio, tone

QUESTION = "infiniband-or-roce"
PHRASE = "SHARP"
"""A key phrase of the question that the answer lacks."""
ELSEWHERE = "cloud-spot-or-on-demand"
TEXT = (
    "Both give me remote direct memory access. With RoCE I need priority flow control, um, and "
    "otherwise one slow receiver stops the whole fabric."
)
WORD_S = 0.4
FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)

Answered = Callable[..., int]


@pytest.fixture
def answered(studio: Studio) -> Answered:
    """Stores a spoken answer with its recording, a day after the one before; gives its number."""
    count = 0

    def answer(text: str = TEXT, *, recorded: bool = True, **changes: Any) -> int:
        nonlocal count
        count += 1
        words = tuple(
            Word(text=each, start_s=i * WORD_S, end_s=(i + 0.9) * WORD_S)
            for i, each in enumerate(text.split())
        )
        duration_s = len(words) * WORD_S
        at = text.split().index("RoCE") if "RoCE" in text.split() else None
        heard = () if at is None else (_mispronounced(at),)
        evidence = Evidence(
            answer_start_s=0.0, answer_end_s=duration_s, hearing_version="fake", heard=heard,
            pauses=(Pause(start_s=2.6, end_s=3.9),),
        )  # fmt: skip
        values: dict[str, Any] = {
            "question_id": QUESTION,
            "created_at": FIRST + timedelta(days=count),
            "transcript": Transcript(text=text, words=words, engine="fake", duration_s=duration_s),
            "evidence": evidence,
        }
        submission = make_submission(**(values | changes))
        if recorded:
            path = studio.recordings.path_of(submission.submission_id)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_wav(Clip(tone(duration_s)), path)
        return studio.backend.submit(submission).id

    return answer


def _mispronounced(index: int) -> HeardTerm:
    return HeardTerm(
        term="RoCE", word_index=index, verdict="mispronounced", phones="R OW1 S", confidence=0.95,
        start_s=index * WORD_S, end_s=(index + 0.9) * WORD_S,
    )  # fmt: skip


def status_of(studio: Studio, attempt_id: int, phrase: str) -> str:
    phrases = studio.backend.attempt(attempt_id).report.coverage.phrases
    return next(each.status for each in phrases if each.phrase == phrase)


# ---------------------------------------------------------------- the page


def test_the_report_shows_the_findings_in_the_transcript(
    client: TestClient, answered: Answered
) -> None:
    html = client.get(f"/attempts/{answered()}").text
    assert re.search(r'class="mark-covered">.*?>remote</span>.*?>access\.</span>', html)
    assert re.search(r'class="word mark-mispronounced"[^>]*>RoCE</span>', html)
    assert re.search(r'class="word mark-filler"[^>]*>um,</span>', html)
    assert 'heard <span class="respelling">ROHSS</span>' in html
    assert PHRASE in html and "not said" in html
    assert "<h1" in html and "How do you decide" in html


def test_english_that_a_coach_had_looked_at_is_looked_at_with_the_mother_tongue(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    page = f"/attempts/{answered('When I called them I became an offer from the bank.')}"
    studio.backend.language(1, LanguageRequest())
    assert "data-language" not in client.get(page).text
    change_preferences(studio.settings.home, {"mother_tongue": "German"})
    assert "data-language" in client.get(page).text
    looked_at = client.post(f"{page}/language").text
    assert "data-language" not in looked_at and "(false friend" in looked_at


def test_the_recording_is_played_by_ranges(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    number = answered()
    path = studio.recordings.path_of(studio.backend.attempt(number).submission.submission_id)
    whole = client.get(f"/attempts/{number}/audio")
    assert whole.status_code == 200
    assert whole.headers["content-type"] == "audio/wav"
    assert whole.headers["accept-ranges"] == "bytes"
    assert whole.content == path.read_bytes()
    piece = client.get(f"/attempts/{number}/audio", headers={"Range": "bytes=100-199"})
    assert piece.status_code == 206
    assert piece.content == whole.content[100:200]
    assert piece.headers["content-range"] == f"bytes 100-199/{len(whole.content)}"
    beyond = {"Range": "bytes=9999999-"}
    assert client.get(f"/attempts/{number}/audio", headers=beyond).status_code == 416


def test_without_a_recording_nothing_offers_to_play_it(
    client: TestClient, answered: Answered
) -> None:
    number = answered(recorded=False)
    html = client.get(f"/attempts/{number}").text
    assert "no recording of this answer" in html
    assert "data-play-from" not in html and "<audio" not in html
    assert "What you said" not in html
    assert "How it is said" in html
    gone = client.get(f"/attempts/{number}/audio", headers={"Accept": "text/html"})
    assert gone.status_code == 404 and "no recording" in gone.text


def test_an_answer_that_does_not_exist_is_not_found(client: TestClient) -> None:
    for path in ("/attempts/77", "/attempts/77/audio", "/attempts/77/export.md"):
        assert client.get(path).status_code == 404, path
    for path in ("/attempts/0", "/attempts/x", "/attempts/99999999999999999999999"):
        assert client.get(path).status_code == 422, path


def test_a_question_that_has_gone_from_the_bank_is_shown_as_it_was_asked(
    settings: ClientSettings, studio: Studio, answered: Answered, tmp_path: Any
) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "- id: own-question\n  round: coding\n  topic: Own\n  prompt: My very own question?\n"
        "  model_answer: It says flow control.\n  key_phrases: [{phrase: flow control}]\n"
    )
    with_own = make_studio(ClientSettings(home=settings.home, bank=(own,)))
    number = with_own.backend.submit(make_submission("flow control", question_id="own-question")).id
    with_own.close()
    with TestClient(create_studio(studio), base_url=ORIGIN) as client:
        html = client.get(f"/attempts/{number}").text
    assert "My very own question?" in html
    assert "no longer in the bank" in html
    assert "data-retry" not in html


# ---------------------------------------------------------------- other attempts


def test_other_answers_to_the_question_are_listed_and_compared(
    client: TestClient, answered: Answered
) -> None:
    first = answered("I would take the cheaper one.")
    second = answered()
    elsewhere = answered("Something else entirely.", question_id=ELSEWHERE)
    html = client.get(f"/attempts/{second}").text
    assert f'href="/attempts/{second}/compare/{first}"' in html
    assert f"/compare/{elsewhere}" not in html
    assert "2 answers from" in html
    for one, other in ((first, second), (second, first)):
        page = client.get(f"/attempts/{one}/compare/{other}").text
        assert page.index("cheaper") < page.index(">receiver</span>")  # the earlier one first
        assert "Phrase by phrase" in page
    assert "This is your only answer" in client.get(f"/attempts/{elsewhere}").text


def test_both_answers_can_be_heard_where_they_were_recorded(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    first, second = answered("I would take the cheaper one."), answered()
    kept = studio.backend.attempt(first).submission.submission_id
    studio.recordings.path_of(kept).unlink()
    html = client.get(f"/attempts/{second}/compare/{first}").text
    earlier, later = html.split('data-answer="after"')
    assert "/audio" not in earlier and "no recording of this answer" in earlier
    assert f'src="/attempts/{second}/audio"' in later and 'data-start="' in later


def test_only_two_answers_to_one_question_are_compared(
    client: TestClient, answered: Answered
) -> None:
    one, other = answered(), answered("Else.", question_id=ELSEWHERE)
    assert client.get(f"/attempts/{one}/compare/{other}").status_code == 422
    assert client.get(f"/attempts/{one}/compare/{one}").status_code == 422
    assert client.get(f"/attempts/{one}/compare/99").status_code == 404


# ---------------------------------------------------------------- exports


@pytest.mark.parametrize(
    ("suffix", "media_type", "holds"),
    [
        ("md", "text/markdown", "| remote direct memory access | ✓ said"),
        ("html", "text/html", "<style>"),
        ("json", "application/json", '"aloud-archive"'),
        ("csv", "text/csv", "created_at,question_id"),
        ("srt", "application/x-subrip", "00:00:00,000 -->"),
        ("vtt", "text/vtt", "WEBVTT"),
    ],
)
def test_an_answer_is_exported_as_a_file(
    client: TestClient, answered: Answered, suffix: str, media_type: str, holds: str
) -> None:
    number = answered()
    assert f'href="/attempts/{number}/export.{suffix}"' in client.get(f"/attempts/{number}").text
    answer = client.get(f"/attempts/{number}/export.{suffix}")
    assert answer.headers["content-type"].startswith(media_type)
    name = f'attachment; filename="aloud-{QUESTION}-{number}.{suffix}"'
    assert answer.headers["content-disposition"] == name
    assert holds in answer.text


# ---------------------------------------------------------------- “I did say it”


def test_words_that_were_said_count_from_then_on(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    number = answered()
    form = {"phrase": PHRASE, "words": "one slow receiver stops"}
    answer = client.post(f"/attempts/{number}/alias", data=form)
    assert answer.history[0].status_code == 303
    assert f"count for “{PHRASE}” from now on" in answer.text
    assert status_of(studio, number, PHRASE) == "covered"
    later = answered("It is bad when one slow receiver stops them.")
    assert status_of(studio, later, PHRASE) == "covered"
    assert "Your own words: “one slow receiver stops”" in answer.text
    again = client.post(f"/attempts/{number}/alias/take-back", data=form)
    assert (again.status_code, "Your own words" in again.text) == (200, False)
    assert [status_of(studio, each, PHRASE) for each in (number, later)] == ["missing"] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("pausing <b>storms", "is not in the transcript"),
        ("", "is not in the transcript"),
        ("and", "would be found in every answer"),
        ("priority flow control", "already count, for the key phrase “priority flow control”"),
    ],
)
def test_words_that_cannot_count_are_told_beside_the_phrase_and_kept_in_the_field(
    client: TestClient, answered: Answered, studio: Studio, words: str, message: str
) -> None:
    number = answered()
    form = {"phrase": PHRASE, "words": words}
    answer = client.post(f"/attempts/{number}/alias", data=form)
    assert answer.status_code == 422
    assert message in answer.text
    assert '<details class="did-say" open>' in answer.text
    kept = re.search(
        r'name="words"[^>]*value="([^"]*)" aria-describedby[^>]*aria-invalid', answer.text
    )
    assert kept is not None and kept[1] == words.replace("<", "&lt;").replace(">", "&gt;")
    assert status_of(studio, number, PHRASE) == "missing"


def test_with_a_shared_server_the_page_says_that_the_programs_bank_decides(
    settings: ClientSettings, studio: Studio, answered: Answered
) -> None:
    number = answered()
    shared = ClientSettings(home=settings.home, server="https://aloud.example.org")
    elsewhere = make_studio(shared, backend=studio.backend)
    app = create_studio(elsewhere)
    with TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        assert "The server's question bank decides" in client.get(
            f"/attempts/{number}"
        ).text.replace("&#39;", "'")
        form = {"phrase": PHRASE, "words": "one slow receiver stops"}
        assert client.post(f"/attempts/{number}/alias", data=form).status_code == 422
        assert status_of(studio, number, PHRASE) == "missing"
        client.post(f"/attempts/{number}/meant", data=form | {"meant": "yes"})
        assert status_of(studio, number, PHRASE) == "covered", "in this answer it may"


# ---------------------------------------------------------------- deletion


def test_a_deleted_answer_is_gone_with_its_recording(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    number, other = answered(), answered()
    path = studio.recordings.path_of(studio.backend.attempt(number).submission.submission_id)
    assert client.post(f"/attempts/{number}/delete").status_code == 422  # not confirmed
    assert path.exists()
    answer = client.post(
        f"/attempts/{number}/delete", data={"confirmed": "yes"}, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/history?deleted=1")
    assert client.get(f"/attempts/{number}").status_code == 404
    assert not path.exists()
    assert client.get(f"/attempts/{other}/audio").status_code == 200


# ---------------------------------------------------------------- in the browser


@pytest.fixture
def page(
    studio: Studio,
    answered: Answered,
    serve: Serve,
    new_page: NewPage,
    monkeypatch: pytest.MonkeyPatch,
) -> Any:
    """The report of an answer in a real browser, with a second answer to compare it with.

    Its words are so long that what is played is still going on when it is looked at.
    """
    monkeypatch.setitem(globals(), "WORD_S", 3.0)
    answered("The cheaper one.")
    number = answered()
    running = serve(studio=studio)
    opened = new_page()
    opened.goto(f"{running.url}/attempts/{number}")
    return opened


NOTE_PLAYING = """() => {
  const audio = document.querySelector("audio");
  const pressed = () => document.querySelector("[aria-pressed=true]")?.textContent ?? null;
  window.notes = [];
  for (const name of ["play", "pause"]) {
    audio.addEventListener(name, () => setTimeout(() => {
      window.notes.push([name, audio.currentTime, pressed()]);
    }));
  }
}"""


def test_what_you_said_plays_only_the_term(page: Any) -> None:
    at_s = TEXT.split().index("RoCE") * WORD_S
    page.evaluate(NOTE_PLAYING)  # the piece is over before a test could look
    page.get_by_role("button", name="What you said (RoCE)").click()
    page.wait_for_function("() => window.notes.length === 2")
    (began, from_s, pressed), (ended, to_s, released) = page.evaluate("window.notes")
    assert (began, ended) == ("play", "pause")
    assert at_s - 0.2 <= from_s <= at_s + 0.5 * WORD_S
    assert at_s + 0.9 * WORD_S <= to_s <= at_s + 1.5 * WORD_S
    assert "What you said" in pressed and released is None


def test_the_model_answer_is_hidden_until_asked_for(page: Any) -> None:
    model = page.locator("#model-answer p").first
    assert not model.is_visible()
    page.keyboard.press("m")
    model.wait_for(state="visible")
    page.keyboard.press("m")
    model.wait_for(state="hidden")


def test_saying_it_and_deleting_it_with_the_mouse(page: Any, studio: Studio) -> None:
    number = int(page.url.rsplit("/", 1)[1])
    row = page.locator(".checklist > li").filter(has_text=PHRASE)
    row.get_by_text("I did say it").click()
    row.get_by_label("Which of your words say it?").fill("one slow receiver stops")
    row.get_by_role("button", name="Count in all my answers").click()
    page.wait_for_selector(".notice.good")
    page.wait_for_load_state()  # the dialog is opened by the page's script
    assert status_of(studio, number, PHRASE) == "covered"
    # letters typed into a field are no shortcuts: the page is still the report
    assert f"/attempts/{number}" in page.url
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete for good").click()
    page.wait_for_url("**/history?deleted=1")


def test_r_leads_to_the_question_again(page: Any) -> None:
    page.keyboard.press("r")
    page.wait_for_url(f"**/practice/{QUESTION}")
