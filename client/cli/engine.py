"""Loading a transcription engine for the command line, with its notices and its download bar."""

from typing import TYPE_CHECKING

from rich.text import Text

from client.cli.common import errors
from client.cli.progress import download_bar

if TYPE_CHECKING:
    from client.answering.hearing import Hear
    from client.core.settings import ClientSettings
    from client.transcription.base import Transcriber


def load_transcriber(
    settings: "ClientSettings", engine: str, model: str | None, *, offline: bool = False
) -> "Transcriber":
    """Load an engine; what it has to say goes to standard error.

    Raises:
        EngineError, WeightsError: it cannot be loaded; the text says the remedy.
    """
    from client.answering.assembly import vocabulary
    from client.transcription.engines import load_engine

    with download_bar("fetching Whisper weights") as report:
        return load_engine(
            engine,
            model,
            offline=offline,
            notify=lambda line: errors().print(Text(line, "yellow")),
            on_download=report,
            vocabulary=lambda: vocabulary(settings),
        )


def load_hearing(settings: "ClientSettings") -> "Hear":
    """What hears how the lexicon's terms were said; its model loads at the first answer."""
    from client.answering import assembly

    return assembly.load_hearing(settings)
