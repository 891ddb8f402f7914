"""The microphone check in a real browser: from permission to a working set-up."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.core.settings import ClientSettings
from client.studio.routes.sound import SENTENCE
from client.studio.state.studio import microphone_passed
from pronunciation.clip import Clip
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.studio_parts import ScriptedTranscriber


@pytest.fixture
def sentence(tmp_path: Path) -> Path:
    """The sentence, said by a synthetic voice."""
    if shutil.which("flite") is None:
        pytest.skip("no flite: apt install flite")
    path = tmp_path / "sentence.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", SENTENCE, "-o", str(path)], check=True)
    return path


def read_aloud(page: Any, url: str) -> None:
    page.goto(url + "/microphone")
    page.keyboard.press("Space")
    page.wait_for_selector('[data-state="preparing"]')
    page.keyboard.press("Space")
    page.wait_for_selector("[data-result]:not([hidden])")


def test_a_good_microphone_ends_in_a_working_set_up(
    serve: Serve,
    new_page: NewPage,
    microphone_sound: Callable[..., Path],
    sentence: Path,
    settings: ClientSettings,
) -> None:
    page = new_page(sound=microphone_sound(sentence, before_s=2.0, after_s=30.0))
    read_aloud(page, serve(ScriptedTranscriber(SENTENCE)).url)

    assert page.inner_text("[data-verdict-text]") == "The microphone works."
    assert page.inner_text("[data-understood]") == SENTENCE
    assert "dBFS" in page.inner_text("[data-speech]")
    duration_s = page.evaluate(
        """() => new Promise((done) => {
          const audio = document.querySelector("[data-playback]");
          const tell = () => done(audio.duration);
          audio.readyState > 0 ? tell() : audio.addEventListener("loadedmetadata", tell);
        })"""
    )
    assert duration_s > 3

    page.click("[data-yes]")
    page.wait_for_selector("[data-ready]:not([hidden])")
    assert microphone_passed(settings)
    assert not settings.recordings.exists()

    page.click("[data-no]")
    page.wait_for_selector("[data-ready]", state="hidden")
    assert not microphone_passed(settings)


def test_a_microphone_that_hears_nothing_says_what_to_do(
    serve: Serve, new_page: NewPage, microphone_sound: Callable[..., Path]
) -> None:
    silence = Clip(np.zeros(16_000, np.float32))
    page = new_page(sound=microphone_sound(silence, after_s=60.0, noise=5e-5))
    page.goto(serve().url + "/microphone")
    page.keyboard.press("Space")
    page.wait_for_selector('[data-state="preparing"]')
    page.keyboard.press("Space")
    page.wait_for_selector("[data-result]:not([hidden])")  # by itself, long before the sound ends

    assert page.inner_text("[data-verdict-text]") == "Nothing was heard."
    assert "Choose another microphone" in page.inner_text("[data-remedy]")
    assert page.is_hidden("[data-yours]")


def test_a_microphone_that_is_not_allowed_says_how_to_allow_it(
    serve: Serve, new_page: NewPage
) -> None:
    page = new_page()
    page.add_init_script(
        """navigator.mediaDevices.getUserMedia = () =>
          Promise.reject(new DOMException("Permission denied", "NotAllowedError"));"""
    )
    page.goto(serve().url + "/microphone")
    page.keyboard.press("Space")
    page.wait_for_selector("[data-problem]:not([hidden])")

    assert "left of the page's address" in page.inner_text("[data-problem]")
