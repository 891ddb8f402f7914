import io

import numpy as np
import pytest
from rich.console import Console

from client.answer.answer import Answer
from client.backend.protocol import Backend
from client.core.errors import SpeakingError
from client.practice.drills.drill_session import DrillSession
from client.practice.drills.items import Item, Step
from client.terminal.drill import DrillScreen, Take
from client.terminal.keys import Keys
from client.terminal.recording_screen import End
from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from tests.client.practice.drills.conftest import Clock, ScriptedHearing, item, sets

TAKE = Clip(np.linspace(-0.5, 0.5, 16_000, dtype=np.float32))


class ScriptedKeys(Keys):
    """These keys, one after the other."""

    def __init__(self, keys: str) -> None:
        self.left = list(keys)

    def get(self, timeout_s: float) -> str | None:
        return self.left.pop(0)


class Sounds:
    """Notes what is said and played."""

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken
        self.log: list[str] = []

    def say(self, item: Item) -> None:
        self.log.append(f"say {item.id}")
        if self.broken:
            raise SpeakingError("no voice works here", "aloud doctor says what is missing")

    def play(self, clip: Clip) -> None:
        self.log.append(f"play {clip.duration_s:.1f} s")


def run(
    backend: Backend,
    verdicts: list[str],
    keys: str,
    *,
    takes: list[Take | End] | None = None,
    sounds: Sounds | None = None,
    speak: bool = True,
    items: int = 2,
) -> tuple[str, Sounds]:
    session = DrillSession(
        backend,
        ScriptedHearing(*verdicts),
        sets(*[item(f"term-{n}") for n in range(items)]),
        clock=Clock(),
    )
    text = io.StringIO()
    console = Console(file=text, width=100, force_terminal=False)
    sounds = sounds or Sounds()
    queue = list(takes or [])

    def record(wanted: Item, keys: Keys) -> Take | End:
        return queue.pop(0) if queue else Take(TAKE)

    DrillScreen(session, console, ScriptedKeys(keys), record, sounds, speak=speak).run()
    return text.getvalue(), sounds


def test_right_and_wrong_as_a_person_sees_them(backend: Backend) -> None:
    shown, sounds = run(backend, ["mispronounced", "correct", "correct"], "\n\n\n")
    assert "✗ mispronounced 97%" in shown
    assert "heard    ROHSS  /ɹˈoʊs/" in shown or "ROHSS  /ˈɹoʊs/" in shown
    assert "expected ROCK-ee  /ˈɹɑki/" in shown
    assert "Not like a rose, term-0." in shown
    assert "It comes back in a moment." in shown
    assert "✓ said right 97%" in shown
    assert "1 right at once · 1 to work on" in shown
    assert sounds.log == ["say term-0", "say term-1", "say term-0"]
    assert "\x1b[" not in shown


def test_replay_of_both(backend: Backend) -> None:
    _, sounds = run(backend, ["correct"], "omo\n", items=1)
    # heard from 0.2 to 0.7 s, with a margin on either side
    assert sounds.log == ["say term-0", "play 0.8 s", "say term-0", "play 0.8 s"]


def test_leaving_keeps_what_was_said(backend: Backend) -> None:
    shown, _ = run(backend, ["correct"], "q")
    assert "1 right at once · 0 to work on" in shown
    assert len(backend.drills.cards()) == 1
    shown, _ = run(backend, [], "", takes=[End.quit])
    assert len(backend.drills.cards()) == 1


def test_discarded_is_recorded_again(backend: Backend) -> None:
    shown, sounds = run(backend, ["correct"], "\n", takes=[End.discard, Take(TAKE)], items=1)
    assert "Once more" in shown
    assert sounds.log == ["say term-0"]
    assert [each.verdict for each in backend.export_all().drill_reviews] == ["correct"]


def test_an_undecided_take_is_said_again_or_skipped(backend: Backend) -> None:
    shown, sounds = run(backend, ["unclear", "nothing", "something_else"], "\n\nnq", items=1)
    assert "not clearly heard" in shown
    assert "No speech was heard" in shown
    assert "did not sound like the term" in shown
    assert "expected" not in shown
    assert "3 takes undecided" in shown
    assert sounds.log == ["say term-0"]
    assert backend.drills.cards() == ()


def test_a_take_that_cannot_be_heard_does_not_end_the_drill(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, failures = DrillSession.take, [HearingError("the clip is too short for the term")]

    def fail_once(session: DrillSession, clip: Clip, answer: Answer | None) -> Step:
        if failures:
            raise failures.pop()
        return take(session, clip, answer)

    monkeypatch.setattr(DrillSession, "take", fail_once)
    shown, sounds = run(backend, ["correct"], "o\n\n", items=1)
    assert "! the clip is too short for the term" in shown
    assert "✓ said right" in shown
    assert sounds.log == ["say term-0", "play 1.0 s"]


def test_without_a_voice_the_respelling_is_shown(backend: Backend) -> None:
    sounds = Sounds(broken=True)
    shown, _ = run(backend, ["correct", "correct"], "\n\n", sounds=sounds)
    assert shown.count("no voice works here") == 1
    assert sounds.log == ["say term-0"]
    assert shown.count("say      ROCK-ee  /ˈɹɑki/") == 2


def test_no_speak_says_nothing(backend: Backend) -> None:
    shown, sounds = run(backend, ["correct"], "\n", speak=False, items=1)
    assert sounds.log == []
    assert "say      ROCK-ee" in shown
