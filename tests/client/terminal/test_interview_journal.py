"""What an interview in the terminal leaves: an answer stored, kept, deleted or broken off."""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from client.answer.answers import Answers
from client.answer.journal import Journal
from client.answer.session import Session
from client.backend.sending import OutboxBackend
from client.core.errors import EngineError
from client.core.settings import ClientSettings
from client.practice.drills.drill_session import TakesOfItems
from client.terminal.interview import Interview
from client.terminal.keys import Keys
from pronunciation.clip import SAMPLE_RATE_HZ
from tests.client.audio.conftest import FakeSoundSystem, device
from tests.client.conftest import make_question, one_question
from tests.worlds.scenes import Engine, backend_of, hear, speech


class Pressed(Keys):
    """These keys; ``!`` is Ctrl-C. What ends a recording is pressed when 0.7 s of it are there."""

    def __init__(self, keys: str, recordings: Path) -> None:
        self._left = list(keys)
        self._recordings = recordings

    def get(self, timeout_s: float) -> str | None:
        time.sleep(min(timeout_s, 0.05))
        if self._left[0] in " q!h":
            newest = max(self._recordings.glob("*.wav.part"), default=None)
            if newest is None or newest.stat().st_size < 0.7 * 2 * SAMPLE_RATE_HZ:
                return None
        key = self._left.pop(0)
        if key == "!":
            raise KeyboardInterrupt
        return key


@pytest.fixture
def backend(settings: ClientSettings) -> Iterator[OutboxBackend]:
    with backend_of(settings) as opened:
        yield opened


@pytest.fixture
def held(
    settings: ClientSettings, backend: OutboxBackend, monkeypatch: pytest.MonkeyPatch
) -> "Held":
    return Held(settings, backend, monkeypatch)


class Held:
    """Holds interviews of one question over a microphone that plays the demo."""

    def __init__(
        self, settings: ClientSettings, backend: OutboxBackend, patch: pytest.MonkeyPatch
    ) -> None:
        self._settings, self._backend, self._patch = settings, backend, patch
        patch.setattr(Interview, "_choose", lambda _: [make_question()])
        system = FakeSoundSystem(
            signal=np.tile(speech(), 5),
            devices=[device("Microphone", rate_hz=SAMPLE_RATE_HZ)],
            block_frames=1600,
            block_s=0.02,
        )
        patch.setattr("client.audio.recorder.load_sounddevice", lambda: system)

    def __call__(
        self, keys: str, engine: type[Engine] = Engine, *, follow_ups: bool = False
    ) -> str:
        @contextmanager
        def reader() -> Iterator[Keys]:
            yield Pressed(keys, self._settings.recordings)

        self._patch.setattr("client.terminal.interview.key_reader", reader)
        shown = io.StringIO()
        session = Session(self._backend, engine)
        journal = Journal.of(self._settings)
        takes = TakesOfItems(lambda _: None, hear)
        answers = Answers(journal, self._backend, lambda: session, takes)
        console = Console(file=shown, width=100, force_terminal=True)
        try:
            options = replace(one_question(), follow_ups=follow_ups)
            Interview(self._settings, self._backend, session, options, console, _say, answers).run()
        except (KeyboardInterrupt, EngineError) as error:
            shown.write(f"\n{type(error).__name__}")
        return shown.getvalue()


def _say(text: str, stop: object) -> None:
    return None


def left(settings: ClientSettings) -> list[str]:
    return [each.entry.asked for each in Journal.of(settings).unfinished()]


def test_a_stored_answer_leaves_its_recording_only(
    held: Held, settings: ClientSettings, backend: OutboxBackend
) -> None:
    held(" n")
    (attempt,) = backend.history().attempts
    assert [path.name for path in settings.recordings.iterdir()] == [f"{attempt.submission_id}.wav"]


def test_follow_ups_are_asked_and_kept_with_their_answer(
    held: Held, settings: ClientSettings, backend: OutboxBackend
) -> None:
    shown = held("   n", follow_ups=True)
    assert "What about paged attention?" in shown
    (summary,) = backend.history().attempts
    said = backend.attempt(summary.id).submission.follow_ups
    assert [each.asked.about for each in said] == ["paged attention"] * 2
    recordings = {path.stem for path in settings.recordings.iterdir()}
    assert recordings == {summary.submission_id, *(each.submission_id for each in said)}


def test_a_follow_up_that_is_cut_off_is_offered_and_then_belongs_to_its_answer(
    held: Held, settings: ClientSettings, backend: OutboxBackend
) -> None:
    held(" !", follow_ups=True)
    (found,) = Journal.of(settings).unfinished()
    assert found.entry.follow_up is not None
    assert "What about paged attention?" in held("fqd")
    assert left(settings) == []
    (summary,) = backend.history().attempts
    (said,) = backend.attempt(summary.id).submission.follow_ups
    assert said.submission_id == found.submission_id


def test_leaving_asks_and_keeps_or_deletes(
    held: Held, settings: ClientSettings, backend: OutboxBackend
) -> None:
    assert "Kept. Aloud offers it" in held("qk")
    assert left(settings) == ["kv-cache"]
    held("lqd")  # leaves the one from before, then deletes the new one
    assert left(settings) == ["kv-cache"]
    shown = held("fqd")
    assert "stored as attempt 1" in shown
    assert backend.history().total == 1


def test_ctrl_c_keeps_what_was_said_and_says_so(held: Held, settings: ClientSettings) -> None:
    shown = held("!")
    assert "The recording is kept" in shown
    (found,) = Journal.of(settings).unfinished()
    assert found.entry.reason == "Aloud was stopped"
    assert found.duration_s > 0.3


def test_an_engine_that_fails_after_stop_leaves_the_answer(
    held: Held, settings: ClientSettings, backend: OutboxBackend
) -> None:
    class Broken(Engine):
        def recognize(self, clip: object) -> list[object]:  # type: ignore[override]
            raise EngineError("the engine has no weights")

    assert "The recording is kept" in held(" ", Broken)
    (found,) = Journal.of(settings).unfinished()
    assert (found.entry.reason, found.entry.state) == ("the engine has no weights", "recorded")
    shown = held("fqd")
    assert "stored as attempt 1" in shown
    assert backend.history().attempts[0].created_at == found.spoken_at


def test_an_unfinished_drill_take_is_named_and_does_not_keep_an_interview_waiting(
    held: Held, settings: ClientSettings, backend: OutboxBackend
) -> None:
    take = Journal.of(settings).drill("acronyms-llm", "acronyms")
    writer = take.open(SAMPLE_RATE_HZ)
    writer.append(speech()[:SAMPLE_RATE_HZ])
    writer.abandon()
    take.leave()
    assert "1 unfinished take of drill items; to see: aloud unfinished" in held(" n")
    assert (backend.history().total, left(settings)) == (1, ["acronyms-llm"])


def test_discarding_an_old_answer_asks(held: Held, settings: ClientSettings) -> None:
    held("qk")
    assert "Delete 0:0" in held("dnqd")
    assert left(settings) == ["kv-cache"]
    held("dyqd")
    assert left(settings) == []
