"""Every error this package raises."""

from question_bank.errors import FileError


class PronunciationError(Exception):
    """Base of this package's errors; its text is for a person."""


class PhoneError(PronunciationError, ValueError):
    """A phone string is not ARPAbet. A ``ValueError`` too, so that pydantic names the field."""


class LexiconError(FileError, PronunciationError):
    """A file of terms or drills is not valid; its faults name file, entry and field."""


class AudioError(PronunciationError):
    """A clip cannot be used: empty, too long, not finite."""


class HearingError(PronunciationError):
    """The hearing cannot judge this clip and these words."""
