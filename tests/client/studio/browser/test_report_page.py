"""One's recording on the report and in the comparison, in a real browser: words and pieces play."""

from typing import Any, Final

import pytest

from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.studio.state.studio import Studio
from pronunciation.clip import Clip
from server.contract import Transcript, Word
from tests.client.studio.conftest import NewPage, Serve
from tests.server.conftest import make_submission
from tests.worlds.browser_looks import open_details
from tests.worlds.planted_report import PHRASES, QUESTION, planted_attempt
from tests.worlds.studio_parts import make_studio, tone

TEXT: Final = "We place every shard with vLLM"
WORD_S: Final = 10.0
"""So long that what is played is still going on when it is looked at."""

AT: Final = "(index) => document.querySelectorAll('audio')[index].currentTime"
SILENT: Final = "(index) => document.querySelectorAll('audio')[index].paused"


@pytest.fixture
def studio(settings: ClientSettings) -> Studio:
    """Two answers to the first question of the bank, each with its recording."""
    made = make_studio(settings)
    for _ in range(2):
        give_answer(made, TEXT)
    return made


def give_answer(studio: Studio, text: str) -> None:
    """Stores an answer to the first question, with its recording."""
    words = tuple(
        Word(text=word, start_s=index * WORD_S, end_s=(index + 1) * WORD_S)
        for index, word in enumerate(text.split())
    )
    duration_s = len(words) * WORD_S
    transcript = Transcript(text=text, words=words, engine="faster-whisper", duration_s=duration_s)
    question = studio.backend.bank().questions[0].id
    answer = make_submission(text, transcript=transcript, question_id=question)
    studio.backend.submit(answer)
    write_wav(Clip(tone(duration_s)), studio.recordings.path_of(answer.submission_id))


def plays(page: Any, word: str, index: int = 0) -> None:
    """Waits until a recording sounds, and this word of it is lit."""
    page.wait_for_function(f"() => !({SILENT})({index})")
    page.wait_for_selector(f".word.playing:text-is('{word}')")


def test_words_play_by_mouse_and_by_keyboard(
    serve: Serve, studio: Studio, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(serve(studio=studio).url + "/attempts/2")
    page.click(".word:text-is('shard')")
    plays(page, "shard")
    assert page.evaluate(AT, 0) >= 3 * WORD_S
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    plays(page, "place")
    page.focus("#main")
    page.keyboard.press("Space")
    page.wait_for_function(SILENT, arg=0)
    page.locator(".word.playing").wait_for(state="detached")


_FOCUSED: Final = "[document.activeElement.textContent, document.activeElement.href]"


@pytest.mark.parametrize("focused", [".word:text-is('shard')", "#transcript .mark-sign", ".pip"])
def test_remarks_that_arrive_take_neither_the_focus_nor_what_is_being_written(
    serve: Serve, studio: Studio, new_page: NewPage, focused: str
) -> None:
    page = new_page()
    held: list[Any] = []
    page.route("**/language", lambda route: held.append(route))
    page.goto(serve(studio=studio).url + "/attempts/2")
    page.get_by_text("I did say it").first.click()
    field = page.get_by_label("Which of your words say it?").first
    field.fill("every shard")
    page.click(".word:text-is('shard')")
    plays(page, "shard")
    page.locator(focused).last.focus()
    before = page.evaluate(_FOCUSED)
    held[0].continue_()
    page.get_by_text("The remarks on your English are here.").wait_for()
    assert page.evaluate(_FOCUSED) == before
    assert page.evaluate(f"document.activeElement.matches({focused.partition(':')[0]!r})")
    assert field.input_value() == "every shard"


def test_a_quote_plays_from_its_first_word_by_mouse_and_by_keyboard(
    serve: Serve, studio: Studio, new_page: NewPage
) -> None:
    give_answer(studio, "Let me describe my background briefly")
    page = new_page()
    page.goto(serve(studio=studio).url + "/attempts/3")
    open_details(page)
    quote = page.locator("a.said", has_text="background").first
    assert page.evaluate(SILENT, 0), "nothing plays by itself"
    quote.click()
    plays(page, "background")
    assert 4 * WORD_S <= page.evaluate(AT, 0) < 5 * WORD_S
    page.focus("#main")
    page.keyboard.press("Space")
    page.wait_for_function(SILENT, arg=0)
    quote.focus()
    page.keyboard.press("Enter")
    plays(page, "background")


def test_a_piece_plays_until_it_is_pressed_again_or_another_sound_begins(
    serve: Serve, studio: Studio, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(serve(studio=studio).url + "/attempts/2")
    open_details(page)
    piece = page.locator("button[data-play-to]", has_text="vLLM")
    piece.click()
    plays(page, "vLLM")
    pressed = page.locator("button[data-play-to][aria-pressed=true]", has_text="vLLM")
    pressed.wait_for()
    piece.click()
    page.wait_for_function(SILENT, arg=0)
    pressed.wait_for(state="detached")
    piece.click()
    plays(page, "vLLM")
    page.locator("button[data-sound]").first.click()
    page.wait_for_function(SILENT, arg=0)


def test_of_two_answers_one_sounds(serve: Serve, studio: Studio, new_page: NewPage) -> None:
    page = new_page()
    page.goto(serve(studio=studio).url + "/attempts/2/compare/1")
    words = page.locator(".word:text-is('shard')")
    words.first.click()
    plays(page, "shard", 0)
    words.last.click()
    plays(page, "shard", 1)
    page.wait_for_function(SILENT, arg=0)


def test_an_answer_to_did_you_mean_counts_without_a_reload(
    serve: Serve, settings: ClientSettings, new_page: NewPage
) -> None:
    studio = make_studio(settings)
    planted = planted_attempt(QUESTION, "a" * 32, PHRASES)
    studio.backend.import_attempts([planted])
    write_wav(Clip(tone(40.0)), studio.recordings.path_of("a" * 32))
    page = new_page()
    page.goto(serve(studio=studio).url + "/attempts/1")
    page.evaluate("() => { document.body.dataset.kept = 'yes'; }")
    assert page.locator("#transcript .mark-possible").count() == 1
    before = page.locator("#summary .figure-number .value").first.text_content()
    page.focus("#phrase-5 button:text-is('Yes, count it')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#phrase-5 .verdict.good")
    status = page.locator("[data-meant-status]").text_content()
    after = page.locator("#summary .figure-number .value").first.text_content()
    assert status == f"5, continuous batching: said. Score {after}."
    assert after != before
    assert page.locator("#transcript .mark-possible").count() == 0
    assert page.evaluate("() => document.body.dataset.kept") == "yes", "the page was not reloaded"
    assert page.evaluate("() => document.activeElement.closest('#phrase-5') !== null")
    page.click("#transcript .word:text-is('accelerators')")
    plays(page, "accelerators")  # the words are still those that the player knows
    page.keyboard.press("Space")
    page.click("#phrase-5 button:has-text('Take your answer back')")
    page.wait_for_selector("#transcript .mark-possible")


def test_every_target_is_24_px_high(serve: Serve, studio: Studio, new_page: NewPage) -> None:
    page = new_page(viewport={"width": 390, "height": 800})
    page.goto(f"{serve(studio=studio).url}/attempts/1")
    open_details(page)
    small = page.locator("main").evaluate(
        """main => [...main.querySelectorAll("button, summary")]
            .filter(each => each.offsetParent && each.getBoundingClientRect().height < 24)
            .map(each => each.textContent.trim())"""
    )
    assert small == []


def test_on_a_phone_a_verdict_renews_what_a_heading_says_and_it_still_folds(
    serve: Serve, settings: ClientSettings, new_page: NewPage
) -> None:
    studio = make_studio(settings)
    studio.backend.import_attempts([planted_attempt(QUESTION, "a" * 32, PHRASES)])
    page = new_page(viewport={"width": 390, "height": 800})
    page.goto(serve(studio=studio).url + "/attempts/1")
    heading = page.locator("#phrases .fold-button")
    heading.filter(has_text="4 of 6 said").click()
    page.click("#phrase-5 button:text-is('Yes, count it')")
    page.wait_for_selector("#phrase-5 .verdict.good")
    assert page.locator("#phrase-5").is_visible(), "it stays open"
    heading.click()
    assert heading.inner_text() == "Key phrases 5 of 6 said"
    assert not page.locator("#phrase-5").is_visible()
