"""The wire models of how good the sound of an answer is, measured where the sound is."""

from typing import Annotated, Literal

from pydantic import Field

from server.contract.wire import Share, Wire

SoundProblem = Literal[
    "damaged", "clipped", "quiet", "noisy", "far", "hum", "one_channel", "opposite", "offset"
]

SoundFault = Literal["clipped", "noisy", "far"]
"""What keeps the sound around a term from being evidence that it was said wrong."""

Decibels = Annotated[float, Field(ge=-200, le=200)]
Seconds = Annotated[float, Field(ge=0, le=24 * 3600)]


class SoundQuality(Wire):
    """How good the sound of an answer is; a level is ``None`` where it cannot be measured.

    ``problems``: what is wrong, the worst first. ``clipped_share``: of the speech, peaks cut off.
    ``hum_hz``: of the mains, if it hums. ``fall_db``: how far the level falls in 64 ms where
    speech stops; near to 0 in a room with much echo. ``offset``: the constant part, which was taken
    out. ``channels``: what was used of a stereo recording, if it was not mixed. ``missing_s``: so
    much of a damaged file could not be read, of ``declared_s`` where the file says how long it is.
    """

    problems: Annotated[tuple[SoundProblem, ...], Field(max_length=20)] = ()
    speech_dbfs: Decibels | None = None
    noise_dbfs: Decibels | None = None
    clipped_share: Share = 0.0
    hum_hz: Literal[50, 60] | None = None
    hum_dbfs: Decibels | None = None
    fall_db: Decibels | None = None
    offset: Annotated[float, Field(ge=-1, le=1)] = 0.0
    channels: Literal["left", "right", "unmixed"] | None = None
    missing_s: Seconds = 0.0
    declared_s: Seconds | None = None
