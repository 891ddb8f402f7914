"""Walk the whole way through the studio, from an empty folder on, and take a picture of each step.

    python -m scripts.walk                     # into docs/images
    python -m scripts.walk --out FOLDER --width 390

It runs ``aloud`` as people do, with Whisper ``tiny.en``, in Chromium, whose microphone plays an
answer that the app's own voice speaks. The way is walked once for each width: home, microphone, the
first question, the first report, the demo's recording brought as an answer, a drill of the term
that it misses, a mock interview that ends by its clock in the middle of an answer (most of its ten
minutes are taken from the clock while nobody looks), the progress. Each picture is taken light and
dark. It needs Chromium (``apt install chromium``).
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.data import demo
from client.practice.interviews import Interviews
from client.speaking.speaker import sentences_of
from client.speaking.voices import NaturalVoice
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from pronunciation.lexicon_loader import load_lexicon

OUT: Final = Path("docs/images")
CHROMIUM: Final = "/usr/bin/chromium"
ALOUD: Final = (sys.executable, "-c", "from client.cli import main; main()")
MODEL: Final = "tiny.en"
WIDTHS_PX: Final = {1280: 800, 390: 800}
"""Each with its height."""
COLORS: Final = 96
"""A page has few: with a palette of its own a picture is a third as large."""
TIMEOUT_MS: Final = 180_000
ANSWER: Final = """
I'm an infrastructure engineer with six years of experience. I studied electrical engineering, and I
started as a network administrator. In my current role I look after two hundred GPUs at a hospital.
The work I'm most proud of is our new scheduler. Two years ago, small jobs were waiting
for two days, and my director asked me to change that. I measured a month of jobs, and I moved the
short ones to a pool of their own. In the end, the wait fell from two days to three hours.
"""
PAUSE_S: Final = 0.35
LEAD_S: Final = 1.0
LEFT_S: Final = 20.0
"""On the interview's clock for the last answer: less than the answer takes."""
REST_S: Final = 60.0
"""Silence behind the answer, until the page is told that it is over."""


def spoken_answer(path: Path) -> float:
    """Write what the microphone plays; returns how long the answer lasts, in seconds."""
    lexicon = load_lexicon()
    voice = NaturalVoice()
    clips = [
        voice.synthesize(sentence, lexicon) for sentence in sentences_of(" ".join(ANSWER.split()))
    ]
    rate_hz = clips[0].sample_rate_hz
    pause = np.zeros(round(PAUSE_S * rate_hz), np.float32)
    said = np.concatenate([part for clip in clips for part in (clip.samples, pause)])
    said = at_sample_rate(Clip(said, rate_hz)).samples
    silence = [np.zeros(round(s * SAMPLE_RATE_HZ), np.float32) for s in (LEAD_S, REST_S)]
    samples = np.concatenate([silence[0], said, silence[1]])
    # a room is never quite silent; exact zeros are a microphone that is switched off
    noise = 2e-4 * np.random.default_rng(0).standard_normal(samples.size).astype(np.float32)
    write_wav(Clip(np.clip(samples + noise, -1, 1).astype(np.float32)), path)
    return LEAD_S + said.size / SAMPLE_RATE_HZ


@contextmanager
def aloud(home: Path) -> Iterator[str]:
    """``aloud`` on an empty folder; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*ALOUD, "--no-browser", "--port", str(port), "--model", MODEL],
        env={**os.environ, "ALOUD_HOME": str(home), "ALOUD_OFFLINE": "1", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        begun_s = time.monotonic()
        print(process.stdout.readline().strip(), f"({time.monotonic() - begun_s:.1f} s)")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


class Walk:
    """One way through the studio.

    Args:
        page: a Playwright page.
        url: where the studio is.
        interviews: those of the studio.
        out: takes the pictures.
        answer_s: how long the microphone speaks.
    """

    def __init__(
        self, page: Any, url: str, interviews: Interviews, out: Path, answer_s: float
    ) -> None:
        page.set_default_timeout(TIMEOUT_MS)
        self._page, self._url, self._out, self._answer_s = page, url, out, answer_s
        self._interviews = interviews
        self._width_px = page.viewport_size["width"]
        self.clicks = 0

    def all(self) -> None:
        """From the empty home to the progress."""
        page = self._page
        page.goto(self._url)
        self._shoot("home")
        self._microphone()
        self.clicks = 0
        page.goto(self._url)
        self._click("main a.button[href^='/practice/']")
        page.wait_for_selector(".recorder[data-state=ready], .recorder[data-state=asking]")
        self._shoot("question")
        print(f"{self.clicks} click(s) to the first question")
        self._answer("recording")
        page.wait_for_url("**/attempts/*")
        print(f"{self.clicks} clicks to the first report")
        self._shoot("report")
        self._bring()
        self._drill()
        self._interview()
        page.goto(f"{self._url}/progress")
        self._shoot("progress")
        page.goto(f"{self._url}/settings")
        self._shoot("settings")

    def _microphone(self) -> None:
        page = self._page
        self._click("main a.button[href='/microphone']")
        page.wait_for_load_state("load")
        self._click("[data-primary]")
        page.wait_for_selector(".recorder[data-state=preparing]")
        self._click("[data-primary]")
        page.wait_for_selector("[data-result]:not([hidden])")
        self._shoot("microphone")
        self._click("[data-yes]")
        page.wait_for_selector("[data-ready]:not([hidden])")

    def _bring(self) -> None:
        """The demo's recording, in which RoCE is said once right and once wrong."""
        page = self._page
        page.goto(f"{self._url}/practice/{demo.QUESTION_ID}")
        page.locator("details:has([data-bring]) > summary").click()
        page.set_input_files("[data-bring] input[type=file]", demo.AUDIO)
        self._click("[data-bring] button")
        page.wait_for_url("**/attempts/*")
        self._shoot("report-terms", "#terms-title")

    def _drill(self) -> None:
        page = self._page  # a phone folds the section; its picture has opened it
        self._click("#terms button[name=term]")
        page.wait_for_selector("[data-drill][data-state=ready]")
        self._shoot("drill")

    def _interview(self) -> None:
        page = self._page
        page.goto(f"{self._url}/interview?round=phone-screen")
        self._shoot("interview-start")
        self._click("main form button.record-button")
        page.wait_for_selector(".recorder[data-state=ready], .recorder[data-state=asking]")
        self._answer("interview")
        page.wait_for_function(
            "() => /2/.test(document.querySelector('[data-number]').textContent)"
        )
        self._shoot("interview-next")
        self._let_time_pass(page.url)
        page.wait_for_selector(".recorder[data-state=ready]")
        self._answer("interview-over")
        page.wait_for_url("**/report")
        page.wait_for_function("() => !document.body.textContent.includes('being transcribed')")
        page.reload()
        self._shoot("interview-report")

    def _let_time_pass(self, address: str) -> None:
        """Leaves the interview, takes its clock forward, and comes back to the open question."""
        page = self._page
        page.goto(self._url)
        page.wait_for_selector(f"a[href='/interview/{address.rpartition('/')[2]}']")
        self._interviews.change(
            address.rpartition("/")[2],
            lambda record: record.model_copy(
                update={"spent_s": record.minutes * 60 - LEFT_S, "seen_at": None}
            ),
        )
        page.goto(address)

    def _answer(self, name: str) -> None:
        page = self._page
        self._click("[data-primary]")
        page.wait_for_selector(".recorder[data-state=recording]")
        page.wait_for_timeout(1000 * self._answer_s)
        self._shoot(name)
        self._click("[data-primary]")

    def _click(self, selector: str) -> None:
        self._page.locator(selector).first.click()
        self.clicks += 1

    def _shoot(self, name: str, top: str | None = None) -> None:
        page = self._page
        if top is not None:
            folded = page.locator(f"[data-folded] {top} .fold-button")
            if folded.count():
                folded.click()
            page.locator(top).first.evaluate(
                "e => { e.scrollIntoView({behavior: 'instant'}); scrollBy(0, -80); }"
            )
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            path = self._out / f"walk-{name}-{self._width_px}-{scheme}.png"
            page.screenshot(path=path)
            _squeeze(path)
        page.emulate_media(color_scheme="light")


def _squeeze(path: Path) -> None:
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    print(f"{path} {path.stat().st_size / 1000:.0f} kB")


def main() -> int:
    """Walk once for each width."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--width", type=int, choices=WIDTHS_PX, action="append")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory(prefix="aloud-walk-") as folder,
        sync_playwright() as playwright,
    ):
        sound = Path(folder) / "answer.wav"
        answer_s = spoken_answer(sound)
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={sound}%noloop",
            ],
        )
        for width_px in options.width or WIDTHS_PX:
            size = {"width": width_px, "height": WIDTHS_PX[width_px]}
            context = browser.new_context(
                viewport=size,
                permissions=["microphone"],
                has_touch=width_px < 600,
                is_mobile=width_px < 600,
            )
            home = Path(folder) / f"home-{width_px}"
            interviews = Interviews.of(ClientSettings(home=home))
            with aloud(home) as url:
                Walk(context.new_page(), url, interviews, options.out, answer_s).all()
            context.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
