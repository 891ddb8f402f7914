"""Every error this package raises."""


class ClientError(Exception):
    """Base of this package's errors; its text is one clear line for a person."""


class _DeviceError(ClientError):
    """What is wrong with a device of this machine, and separately what to do about it."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{problem}: {remedy}" if remedy else problem)


class RecordingError(_DeviceError):
    """The microphone cannot be used, or gave no recording; the text says the remedy."""


class SpeakingError(_DeviceError):
    """No voice can speak this text, or no speaker can play it; the text says the remedy."""


class AudioFileError(ClientError):
    """A file cannot be used as a recording: missing, empty, broken, no sound in it, too long."""


class BrokenFileError(AudioFileError):
    """Only a part of a recorded file can be read; a caller may take that part."""


class SettingsError(ClientError):
    """An option, an environment variable or a setting has a value that cannot be used."""


class NoSpeech(ClientError):
    """There is sound or silence but no speech: nothing to transcribe, nothing to grade."""


class DrillError(ClientError):
    """A drill set, your own item or a file of items cannot be used; the text says why."""


class EngineError(ClientError):
    """A transcription engine failed, or no engine has this name."""


class EngineUnavailable(EngineError):
    """The engine's package is not installed; the text says how to get it."""


class WeightsError(ClientError):
    """Whisper weights are unknown, broken, or cannot be fetched."""
