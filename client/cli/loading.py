"""What commands open: a backend, an engine with its download bar, a judge; with their notices."""

from collections.abc import Callable

from rich.text import Text

from client.answer.answers import Answers
from client.answer.hearing import load_hearing, vocabulary
from client.answer.session import Session
from client.audio.files import SoundFile
from client.backend.opening import open_backend
from client.backend.protocol import Backend
from client.backend.sending import OutboxBackend
from client.cli.common import errors
from client.cli.progress_bars import download_bar
from client.core.settings import ClientSettings
from client.engines.base import Transcriber
from client.engines.engine_process import EngineProcess
from client.judging.judge import Judge, judge_of
from client.practice.drills.drill_session import answers_of
from client.practice.drills.items import DrillItems
from client.practice.progress import ReportReader


def begin_loading(
    settings: ClientSettings, engine: str | None, model: str | None, *, offline: bool = False
) -> Callable[[], Transcriber]:
    """Begin to load an engine in its own process; what is not given comes from the settings.

    Returns:
        What waits for it; what it has to say goes to standard error. Raises EngineError or
        WeightsError where it cannot be loaded; the text says the remedy.
    """
    name, weights = settings.preferences.engine_or(engine, model)
    process = EngineProcess(name, weights, offline=offline, vocabulary=lambda: vocabulary(settings))

    def wait() -> Transcriber:
        with download_bar("fetching Whisper weights") as report:
            process.warm(lambda line: errors().print(Text(line, "yellow")), report)
        return process

    return wait


def open_session(
    settings: ClientSettings,
    backend: Backend,
    engine: str | None = None,
    model: str | None = None,
    *,
    judged: bool = False,
) -> Session:
    """What transcribes and hears stored answers; its engine loads when something needs it.

    Args:
        settings: name engine, lexicon and judge.
        backend: has the answers.
        engine: the engine's name; ``None``: as in the settings.
        model: its weights; likewise.
        judged: the settings' judge is asked, too.
    """
    return Session(
        backend,
        lambda: begin_loading(settings, engine, model)(),
        load_hearing(settings),
        open_judge(settings) if judged else None,
    )


def open_judge(settings: ClientSettings) -> Judge | None:
    """The judge that the settings name; a warning goes to standard error if it is elsewhere."""
    return judge_of(
        settings, lambda told: errors().print(f"! {told}", style="yellow", markup=False)
    )


def open_server(settings: ClientSettings, *, reading: bool = False) -> OutboxBackend:
    """The backend that the settings name; news of waiting answers goes to standard error.

    Args:
        settings: name the data folder and the server.
        reading: for a look at bank or history, which may start without the database.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """

    def tell(line: str) -> None:
        errors().print(line, style="yellow", markup=False)

    return open_backend(settings, reading=reading, tell=tell)


def name_track(sound: SoundFile) -> None:
    """Say which of several sound tracks is used, unless it is the only one."""
    if sound.choice:
        errors().print(f"{sound.choice}; --track takes another", style="dim", markup=False)


def answers_here(
    settings: ClientSettings, backend: OutboxBackend, session: Callable[[], Session]
) -> Answers:
    """The unfinished answers of a person, with the drills' own hearing."""
    items = DrillItems(lambda: settings, ReportReader(backend).phrases)
    return answers_of(settings, backend, session, items)
