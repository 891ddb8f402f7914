"""What every speech engine has in common."""

from abc import ABC, abstractmethod
from typing import ClassVar, Final

from client.core.errors import SpeakingError
from pronunciation.clip import Clip
from pronunciation.terms import Lexicon

MAX_TEXT_CHARS: Final = 10_000
"""Ten minutes of speech; no prompt comes near it."""


class Voice(ABC):
    """One speech engine: `is_available` tells whether it can be tried, `_render` is its hook."""

    name: ClassVar[str]

    @abstractmethod
    def is_available(self) -> bool:
        """Whether what it needs is installed; cheap, makes no sound."""

    @property
    @abstractmethod
    def key(self) -> str:
        """Everything but the text that shapes its sound: part of the cache's key."""

    @abstractmethod
    def written_for(self, text: str, lexicon: Lexicon) -> str:
        """``text`` as this engine must be given it, so that it says the terms right."""

    @abstractmethod
    def _render(self, text: str, lexicon: Lexicon) -> Clip:
        """``text`` as sound, at the engine's own rate.

        Raises:
            SpeakingError: it could not; says the remedy.
        """

    def synthesize(self, text: str, lexicon: Lexicon) -> Clip:
        """``text`` as sound, at the engine's own rate.

        Raises:
            SpeakingError: nothing to say, too much of it, or the engine failed.
        """
        if not any(character.isalnum() for character in text):
            raise SpeakingError("there is nothing to say: the text has no words")
        if len(text) > MAX_TEXT_CHARS:
            raise SpeakingError(
                f"the text has {len(text)} characters; a voice says at most {MAX_TEXT_CHARS} at "
                "once",
                "say it in pieces",
            )
        clip = self._render(text, lexicon)
        if not clip.samples.any():
            raise SpeakingError(f"the voice {self.name} produced only silence")
        return clip
