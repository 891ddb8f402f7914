"""Loading a transcription engine for the command line, with its notices and its download bar."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text

from client.cli.common import errors, open_judge
from client.cli.progress_bars import download_bar

if TYPE_CHECKING:
    from client.answer.heard import Hear
    from client.answer.session import Session
    from client.backend.protocol import Backend
    from client.core.settings import ClientSettings
    from client.engines.base import Transcriber


def begin_loading(
    settings: "ClientSettings", engine: str | None, model: str | None, *, offline: bool = False
) -> "Callable[[], Transcriber]":
    """Begin to load an engine in its own process; what is not given comes from the settings.

    Returns:
        What waits for it; what it has to say goes to standard error. Raises EngineError or
        WeightsError where it cannot be loaded; the text says the remedy.
    """
    from client.answer.assembly import vocabulary
    from client.engines.engine_process import EngineProcess

    name, weights = settings.preferences.engine_or(engine, model)
    process = EngineProcess(name, weights, offline=offline, vocabulary=lambda: vocabulary(settings))

    def wait() -> "Transcriber":
        with download_bar("fetching Whisper weights") as report:
            process.warm(lambda line: errors().print(Text(line, "yellow")), report)
        return process

    return wait


def load_hearing(settings: "ClientSettings") -> "Hear":
    """What hears how the lexicon's terms were said; its model loads at the first answer."""
    from client.answer import assembly

    return assembly.load_hearing(settings)


def open_session(
    settings: "ClientSettings",
    backend: "Backend",
    engine: str | None = None,
    model: str | None = None,
    *,
    judged: bool = False,
) -> "Session":
    """What transcribes and hears stored answers; its engine loads when something needs it.

    Args:
        settings: name engine, lexicon and judge.
        backend: has the answers.
        engine: the engine's name; ``None``: as in the settings.
        model: its weights; likewise.
        judged: the settings' judge is asked, too.
    """
    from client.answer.session import Session

    return Session(
        backend,
        lambda: begin_loading(settings, engine, model)(),
        load_hearing(settings),
        open_judge(settings) if judged else None,
    )
