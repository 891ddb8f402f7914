"""Loading a transcription engine for the command line, with its notices and its download bar."""

from functools import cache
from typing import TYPE_CHECKING

from rich.text import Text

from client.cli.common import errors
from client.cli.progress import download_bar

if TYPE_CHECKING:
    from client.session import Hear
    from client.settings import ClientSettings
    from client.transcription.bank_vocabulary import BankVocabulary
    from client.transcription.base import Transcriber

__all__ = ["load_hearing", "load_transcriber"]


def load_transcriber(
    settings: "ClientSettings", engine: str, model: str | None, *, offline: bool = False
) -> "Transcriber":
    """Load an engine; what it has to say goes to standard error.

    Raises:
        EngineError, WeightsError: it cannot be loaded; the text says the remedy.
    """
    from client.transcription.engines import load_engine

    with download_bar("fetching Whisper weights") as report:
        return load_engine(
            engine,
            model,
            offline=offline,
            notify=lambda line: errors().print(Text(line, "yellow")),
            on_download=report,
            vocabulary=lambda: _vocabulary(settings),
        )


def load_hearing(settings: "ClientSettings") -> "Hear":
    """What hears how the lexicon's terms were said; its model loads at the first answer."""
    from client.hearing import AnswerHearing
    from pronunciation.lexicon_loader import load_lexicon

    def ordinary() -> frozenset[str]:
        return frozenset(word.casefold() for word in _vocabulary(settings).words)

    return AnswerHearing(load_lexicon(settings.lexicon), ordinary)


@cache
def _vocabulary(settings: "ClientSettings") -> "BankVocabulary":
    """What the whole bank talks about, never one question; engine and hearing both need it."""
    from client.transcription.bank_vocabulary import bank_vocabulary
    from pronunciation.lexicon_loader import load_lexicon
    from question_bank.loader import load_bank

    return bank_vocabulary(load_bank(settings.bank), load_lexicon(settings.lexicon))
