"""Take pictures of the studio's and the server's main pages, light and dark, with made-up practice.

    python -m scripts.screenshots                     # into docs/images
    python -m scripts.screenshots --out FOLDER --only report practice

Run it in the project's folder; it needs Chromium (``apt install chromium``). The practice is
the same at every run, up to today's date. The newest answer is the demo's: its own sound, heard by
the real hearing, with the transcript that Whisper would write. That, and the captions while it
records, are the only things put in by hand, so the pages look the same with weights and without.
"""

import argparse
import random
import sys
import tempfile
import uuid
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from client.answer.hearing import load_hearing
from client.answer.worker import evidence_of
from client.audio.files import read_audio
from client.audio.voice_activity import speech_segments
from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.data.demo import AUDIO, QUESTION_ID
from client.engines.base import Transcriber
from client.practice.drills.items import load_items
from client.speaking import Speaker
from client.studio.state.engine_state import EngineStatus
from client.studio.state.studio import Studio
from pronunciation.clip import Clip
from pronunciation.hearing import HEARING_VERSION
from pronunciation.lexicon_loader import load_lexicon
from server.contract import Submission, Transcript, Word
from tests.worlds.practiced import practice, practice_drills, spoken_answer
from tests.worlds.program import practiced_program
from tests.worlds.served import served
from tests.worlds.studio_parts import ReadyEngine, RunningStudio, ToneVoice, make_studio

OUT = Path("docs/images")
CHROMIUM = "/usr/bin/chromium"
WIDTH_PX, HEIGHT_PX = 1040, 740
MARGIN_PX = 24
TIMEOUT_MS = 120_000
MAX_BYTES = 150_000
ENGINE, MODEL = "faster-whisper", "base.en"
ROLES = ("ai-infrastructure-architect", "ml-infrastructure-engineer")
DEMO_TEXT = (
    "Both of them give me RDMA, so the network card moves data between the machines and the "
    "processor is free for other work. The difference is how they avoid losing packets. "
    "InfiniBand uses credit-based flow control. A sender only sends when the receiver has room "
    "for it, and the switches can add up the numbers on the way. This is called SHARP. On the "
    "other hand, RoCE runs over ordinary Ethernet. There I have to set up priority flow control "
    "and explicit congestion notification on every switch. For one big cluster and a small team, "
    "I would take InfiniBand. If the company has many switches already, then RoCE is cheaper and "
    "it comes very close."
)
"""What ``scripts/make_demo.py`` has the voice say, as it is written."""
RECORDED_FOR_S = 21.0

PAGES = {
    "home": "/",
    "report": "/attempts/{demo}",
    "transcript": "/attempts/{demo}",
    "drill": "/drills/acronyms",
    "interview": "/interview",
    "history": "/history",
    "progress": "/progress",
    "compare": "/attempts/{demo}/compare/{earlier}",
    "role": f"/roles/{ROLES[0]}",
    "plan": "/plan",
}
PRACTICE = "practice"
SERVER_PAGES = {"cohort": "overview", "coach": "review"}
"""By the picture's name, pages of the program that the server's tests make."""
SCROLLED_TO = {
    "transcript": "h2:has-text('Your answer')",
    PRACTICE: ".question",
    "coach": "#answer-title",
}
"""The element at the top of the picture, if that is not the start of the page."""
HEIGHTS_PX = {"transcript": 620, PRACTICE: 800}
"""For pictures that would be too large, or lack the buttons."""
FOR_DOCS = ("transcript", "progress", *SERVER_PAGES)

Launch = Callable[..., Any]
"""Starts Chromium with these flags."""


class DemoEngine(Transcriber):
    """Writes the demo's text word by word, as fast as it is spoken."""

    name, model = ENGINE, MODEL

    def __init__(self, speech_s: float) -> None:
        self._rest = DEMO_TEXT.split()
        self._words_a_second = len(self._rest) / speech_s

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """The next words of the text, as many as there is time for."""
        count = round(clip.duration_s * self._words_a_second)
        said, self._rest = self._rest[:count], self._rest[count:]
        return timed(said, 0.0, clip.duration_s)


class WeightsThere(ReadyEngine):
    """The state of an engine whose weights are on the disk."""

    def status(self) -> EngineStatus:
        """Ready."""
        return EngineStatus("ready", ENGINE, MODEL, False, False, "", None)


def timed(texts: Sequence[str], start_s: float, end_s: float) -> tuple[Word, ...]:
    """The words one after the other, the longer ones taking longer."""
    weights = [1.2 + 0.55 * len(text) + (3 if text.isupper() else 0) for text in texts]
    scale = (end_s - start_s) / sum(weights) if texts else 0.0
    words = []
    for text, weight in zip(texts, weights, strict=True):
        begin_s, start_s = start_s, start_s + weight * scale
        words.append(
            Word(text=text, start_s=round(begin_s, 2), end_s=round(start_s - 0.01, 2), confidence=1)
        )
    return tuple(words)


def demo_answer(clip: Clip, studio: Studio, said_at: datetime) -> Submission:
    """The demo's answer, heard by the real hearing."""
    evidence = evidence_of(speech_segments(clip))
    words = timed(
        DEMO_TEXT.split(), evidence.answer_start_s or 0.0, evidence.answer_end_s or clip.duration_s
    )
    transcript = Transcript(
        text=DEMO_TEXT, engine=ENGINE, model=MODEL, duration_s=clip.duration_s, words=words
    )
    heard = load_hearing(studio.settings)(clip, words, studio.backend.question(QUESTION_ID))
    return Submission(
        submission_id=uuid.UUID(int=0).hex,
        question_id=QUESTION_ID,
        created_at=said_at,
        transcript=transcript,
        evidence=evidence.model_copy(
            update={
                "heard": heard.terms,
                "heard_phrases": heard.phrases,
                "hearing_version": HEARING_VERSION,
            }
        ),
    )


def fill(studio: Studio, clip: Clip) -> dict[str, int]:
    """Weeks of practice, last the demo's answer; returns the attempts that the pages need."""
    now, lexicon = datetime.now(UTC), load_lexicon()
    backend = studio.backend
    practice(backend, lexicon, until=now - timedelta(hours=20), roles=ROLES, answers=48)
    practice_drills(backend, load_items(studio.settings), until=now)
    question = backend.question(QUESTION_ID)
    before = spoken_answer(question, lexicon, 0.4, now - timedelta(days=9), random.Random(3))
    earlier = backend.submit(before).id
    demo = demo_answer(clip, studio, now - timedelta(minutes=20))
    studio.settings.recordings.mkdir(parents=True)
    write_wav(clip, studio.recordings.path_of(demo.submission_id))
    return {"demo": backend.submit(demo).id, "earlier": earlier}


class Camera:
    """Takes a page's picture in both colors; knows which pictures weigh too much."""

    def __init__(self, page: Any, out: Path, prefix: str) -> None:
        page.set_default_timeout(TIMEOUT_MS)
        self.page = page
        self.heavy: list[Path] = []
        self._out = out
        self._prefix = prefix

    def shoot(self, name: str) -> None:
        """The page as it is now."""
        height = HEIGHTS_PX.get(name, HEIGHT_PX)
        self.page.set_viewport_size({"width": WIDTH_PX, "height": height})
        if name in SCROLLED_TO:
            top = self.page.locator(SCROLLED_TO[name]).bounding_box()["y"] - MARGIN_PX
            self.page.evaluate("(top) => scrollBy({top, behavior: 'instant'})", top)
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            path = self._out / f"{self._prefix}-{name}-{scheme}.png"
            self.page.screenshot(path=path)
            size = path.stat().st_size
            print(f"{path} {size / 1000:.0f} kB")
            if size > MAX_BYTES:
                self.heavy.append(path)


def shoot_recording(camera: Camera, url: str) -> None:
    """The practice page while it records; the take stays behind in the made-up home."""
    camera.page.goto(f"{url}/practice/{QUESTION_ID}?role={ROLES[0]}")
    camera.page.locator("[data-primary]").click()
    camera.page.wait_for_selector(".recorder[data-state=recording]")
    camera.page.wait_for_timeout(RECORDED_FOR_S * 1000)
    camera.shoot(PRACTICE)


def shoot_studio(launch: Launch, folder: Path, out: Path, only: Collection[str]) -> list[Path]:
    """The studio's pages; returns the pictures that weigh too much."""
    clip = read_audio(AUDIO)
    microphone = folder / "microphone.wav"
    write_wav(clip, microphone)
    settings = ClientSettings(home=folder / "home")
    engine = WeightsThere(settings, DemoEngine(clip.duration_s))
    speaker = partial(Speaker, voices=(ToneVoice(),))
    running = RunningStudio(make_studio(settings, engine=engine, make_speaker=speaker))
    try:
        attempts = fill(running.studio, clip)
        browser = launch(
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-audio-capture={microphone}%noloop",
        )
        camera = Camera(browser.new_page(reduced_motion="reduce"), out, "studio")
        for name, address in PAGES.items():
            if name in only:
                camera.page.goto(running.url + address.format(**attempts))
                camera.shoot(name)
        if PRACTICE in only:
            shoot_recording(camera, running.url)
        browser.close()
    finally:
        running.stop()
    return camera.heavy


def shoot_server(launch: Launch, folder: Path, out: Path, only: Collection[str]) -> list[Path]:
    """The server's pages; returns the pictures that weigh too much."""
    program = practiced_program(folder)
    heavy = []
    with served(program.app) as address:
        browser = launch()
        for name in only:
            seen = program.pages[SERVER_PAGES[name]]
            known = {"Authorization": f"Bearer {program.tokens[seen.who]}"} if seen.who else {}
            page = browser.new_page(base_url=address, extra_http_headers=known)
            camera = Camera(page, out, "server")
            seen.open(page)
            camera.shoot(name)
            heavy += camera.heavy
        browser.close()
    return heavy


def main() -> int:
    """Fill a home and a server, serve them, take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT)
    names = (*PAGES, PRACTICE, *SERVER_PAGES)
    parser.add_argument("--only", nargs="+", choices=names, default=FOR_DOCS, metavar="PAGE")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    options.out.mkdir(parents=True, exist_ok=True)
    of_server = [name for name in options.only if name in SERVER_PAGES]
    of_studio = [name for name in options.only if name not in SERVER_PAGES]
    heavy = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:

        def launch(*flags: str) -> Any:
            return playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *flags]
            )

        if of_studio:
            heavy += shoot_studio(launch, Path(folder), options.out, of_studio)
        if of_server:
            heavy += shoot_server(launch, Path(folder), options.out, of_server)
    for path in heavy:
        print(f"{path} is larger than {MAX_BYTES // 1000} kB", file=sys.stderr)
    return 1 if heavy else 0


if __name__ == "__main__":
    raise SystemExit(main())
