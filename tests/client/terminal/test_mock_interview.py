"""A mock interview in the terminal is kept like one of the studio, with closing and debrief."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from client.answer.answers import Answers
from client.answer.journal import Journal
from client.answer.session import Session
from client.backend.embedded import open_embedded
from client.backend.outbox import AnswerOutbox
from client.backend.sending import OutboxBackend, with_outbox
from client.core.preferences import change_preferences, load_preferences
from client.core.settings import ClientSettings
from client.practice.drills.drill_session import TakesOfItems
from client.practice.interviews import Interviews
from client.practice.planning.my_plan import my_plan
from client.terminal.interview import Interview
from client.terminal.keys import Keys
from pronunciation.clip import SAMPLE_RATE_HZ
from pronunciation.terms import Lexicon
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.core.settings import ServerSettings
from tests.client.audio.conftest import FakeSoundSystem, device
from tests.client.conftest import make_report, one_question
from tests.client.practice.interviews.conftest import bank_of, question
from tests.client.terminal.test_interview_journal import Pressed
from tests.worlds.scenes import Engine, hear, speech

ROLE = "ml-engineer"
BANK = bank_of(*(question(f"q-{n}", topic="ABCDEFG"[n]) for n in range(7)))


def service(settings: ServerSettings) -> Service:
    def grader() -> Grader:
        return Grader(lambda question, submission, *_: make_report(submission), "stub-1")

    lexicon = Lexicon(version="1", terms=())
    return Service(Store(settings.database_url), lambda: BANK, lambda: lexicon, grader=grader)


@pytest.fixture
def settings(tmp_path: Path) -> ClientSettings:
    home = tmp_path / "home"
    interview = str(date.today() + timedelta(days=3))
    change_preferences(home, {"role": ROLE, "interview_date": interview})
    return ClientSettings(home=home, preferences=load_preferences(home, {}))


@pytest.fixture
def backend(settings: ClientSettings) -> Iterator[OutboxBackend]:
    outbox = AnswerOutbox.for_server(settings.outbox, "embedded")
    with with_outbox(open_embedded(settings, create=service), outbox, direct=True) as opened:
        yield opened


@pytest.fixture
def hold(
    settings: ClientSettings, backend: OutboxBackend, monkeypatch: pytest.MonkeyPatch
) -> "Hold":
    system = FakeSoundSystem(
        signal=np.tile(speech(), 5),
        devices=[device("Microphone", rate_hz=SAMPLE_RATE_HZ)],
        block_frames=1600,
        block_s=0.02,
    )
    monkeypatch.setattr("client.audio.recorder.load_sounddevice", lambda: system)
    return Hold(settings, backend, monkeypatch)


class AnyKey(Pressed):
    """As there; the closing questions are recorded elsewhere, and ``q`` is pressed at once."""

    def __init__(self, keys: str, settings: ClientSettings) -> None:
        super().__init__(keys, settings.recordings)
        self._home = settings.home

    def get(self, timeout_s: float) -> str | None:
        self._recordings = next(self._home.glob(".closing-*"), self._recordings)
        return self._left.pop(0) if self._left[0] == "q" else super().get(timeout_s)


class Hold:
    """Holds interviews over a microphone that plays the demo; nothing is spoken."""

    def __init__(
        self, settings: ClientSettings, backend: OutboxBackend, patch: pytest.MonkeyPatch
    ) -> None:
        self._settings, self._backend, self._patch = settings, backend, patch
        self.spoken: list[str] = []

    def __call__(self, keys: str, **options: object) -> str:
        @contextmanager
        def reader() -> Iterator[Keys]:
            yield AnyKey(keys, self._settings)

        self._patch.setattr("client.terminal.interview.key_reader", reader)
        shown = io.StringIO()
        session = Session(self._backend, Engine)
        answers = Answers(
            Journal.of(self._settings),
            self._backend,
            lambda: session,
            TakesOfItems(lambda _: None, hear),
        )
        chosen = replace(one_question(), role=ROLE, **options)  # type: ignore[arg-type]
        console = Console(file=shown, width=100, force_terminal=True, color_system=None)
        said = lambda text, _: self.spoken.append(text)  # noqa: E731
        Interview(self._settings, self._backend, session, chosen, console, said, answers).run()
        return shown.getvalue()


def test_a_whole_round_ends_with_your_questions_and_a_debrief_and_ticks_the_plan(
    hold: Hold, settings: ClientSettings, backend: OutboxBackend
) -> None:
    # five questions fill 10 minutes; each has two follow-ups, then the closing
    shown = hold(" " * 22, round="coding", full=True, follow_ups=True)
    assert "Question 1 of about 7" in shown
    assert shown.count("Follow-up") == 14
    assert "Key phrases" not in shown, "one report at the end"
    assert "What are your questions for us?" in shown
    assert "Verdict:" in shown and "You had no question. Prepare three" in shown
    (record,) = Interviews.of(settings).all().records
    assert (record.round, record.minutes, record.closing) == ("coding", 45, "paged")
    assert record.ended_at is not None and record.spent_s > 7
    assert not list(settings.home.glob(".closing-*")), "the sound of the closing is not kept"
    mine = my_plan(settings, backend, date.today())
    assert mine is not None and mine.today is not None
    mocks = [each for each in mine.today.items if each.kind == "mock"]
    assert [each.done for each in mocks] == [True]


def test_leaving_ends_the_interview_with_what_was_answered(
    hold: Hold, settings: ClientSettings
) -> None:
    shown = hold("hx n q", questions=3, speak=True)  # x: ends the speech, or is no key
    assert "h hear the question again" in shown
    assert hold.spoken[0] == hold.spoken[1] and len(hold.spoken) == 3, "once more"
    assert "Question 2 of 3" in shown and "Verdict:" in shown
    (record,) = Interviews.of(settings).all().records
    assert [each.state for each in record.questions] == ["answered", "answered", "unanswered"]
    assert record.round == "all-rounds"


def test_a_retry_does_not_count_and_nothing_answered_leaves_nothing(
    hold: Hold, settings: ClientSettings, backend: OutboxBackend
) -> None:
    hold("q", questions=3)
    assert Interviews.of(settings).all().records == ()
    shown = hold(" r n n", questions=2)
    assert shown.count("Question 1 of 2") == 2
    (record,) = Interviews.of(settings).all().records
    assert [each.state for each in record.questions] == ["answered", "answered"]
    first = backend.history().attempts[-1]
    assert record.questions[0].attempt_id == first.id
