"""Every error this package raises."""

__all__ = ["AudioError", "HearingError", "LexiconError", "PhoneError", "PronunciationError"]


class PronunciationError(Exception):
    """Base of this package's errors; its text is one clear line for a person."""


class PhoneError(PronunciationError, ValueError):
    """A phone string is not ARPAbet. A ``ValueError`` too, so that pydantic names the field."""


class LexiconError(PronunciationError):
    """A lexicon file is not valid; the text names file, entry and field."""


class AudioError(PronunciationError):
    """A clip cannot be used: empty, too long, not finite."""


class HearingError(PronunciationError):
    """The hearing cannot judge this clip and these words."""
