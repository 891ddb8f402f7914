"""Read any audio that PyAV decodes, also out of a video file, block by block or as a ``Clip``."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from client.audio.channels import ChannelMeter, Mix
from client.audio.decoding import BLOCK_S, Damage, decode, ogg_breaks_off, sound_tracks
from client.audio.voice_activity import VoiceActivity
from client.core.errors import AudioFileError, BrokenFileError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from server.contract import SoundQuality

MAX_AUDIO_S = 3 * 3600.0
"""Longer than any interview."""

TRUNCATED_SHARE = 0.97
TRUNCATED_S = 0.1
"""A file is broken off where less than this share arrives *and* more than this is missing.

Containers round the length they declare, MP3 by up to two frames of 26 ms and AAC by its encoder
delay of 48 ms; both bounds lie above that.
"""

COMPARED_S: Final = 600.0
"""So much of each sound track is looked at for speech, where there are several."""

EQUAL_SHARE: Final = 0.8
"""A later track is taken where the earlier ones have less than this share of its speech: programs
put the mix of all voices first, and it holds as much of the speaker's as their own track."""

JOINT_S: Final = 0.05
"""A shorter loss in a file that is long enough is no damage: where MP3 files were joined, the first
frame of the second (26 ms) does not decode."""

MAX_MISSING_SHARE: Final = 0.5
"""Where more than this of a file cannot be decoded, it is no answer with gaps."""


@dataclass(frozen=True)
class _Survey:
    """What a file turns out to hold when it is decoded for the first time."""

    duration_s: float
    damage: Damage
    mix: Mix
    track: int = 0
    tracks: int = 1

    def speech_s(self, path: Path) -> float:
        """How long somebody speaks in the first minutes."""
        voice = VoiceActivity()
        for part in islice(decode(path, Damage(), self.track), round(COMPARED_S / BLOCK_S)):
            voice.feed(self.mix.mixed(part))
        voice.close()
        return sum(end_s - start_s for start_s, end_s in voice.spans)


class SoundFile:
    """A file as sound: mono at 16 kHz, decoded on demand, never all in memory.

    It is decoded when it is opened, to know its length, what is damaged in it and what its channels
    hold; ``blocks`` decode it again.

    Args:
        path: audio of any format, rate and channel count, or a video with sound.
        allow_truncated: take what is there of a file that breaks off, for a caller that knows
            that it does (a recording interrupted by a crash) or says so to its user.
        track: which of its sound tracks, from 1; ``None``: the one with the most speech.

    Attributes:
        track: which of its sound tracks this is, from 1.
        tracks: how many it has.
        duration_s: how much sound there is.
        declared_s: how much a damaged file says there is, where that is more than arrives; else
            ``None``.
        missing: (start_s, end_s) within the sound that could not be decoded and are silent.
        misses_more: more may be missing than is known (``Damage.is_measured``).
        mix: how its channels become one.

    Raises:
        AudioFileError: not there, no file, empty, not decodable, without sound, broken off
            (``BrokenFileError``), or longer than ``MAX_AUDIO_S``. Nothing is ever made up for a
            part that is missing.
    """

    def __init__(
        self, path: Path | str, *, allow_truncated: bool = False, track: int | None = None
    ) -> None:
        self.path = Path(path).expanduser()
        _check_is_file(self.path)
        survey = _best_survey(self.path, track)
        self.track, self.tracks = survey.track + 1, survey.tracks
        self.duration_s, self.mix = survey.duration_s, survey.mix
        damage = survey.damage
        missing_s = damage.short_s + damage.left_out_s
        self.missing = tuple(
            (start_s, end_s)
            for start_s, end_s in damage.missing
            if end_s - start_s > JOINT_S or missing_s > TRUNCATED_S
        )
        stated_s = self.duration_s + missing_s
        broken = damage.breaks_off or ogg_breaks_off(self.path)
        self.declared_s: float | None = None
        if missing_s > TRUNCATED_S:
            broken = broken or self.duration_s < TRUNCATED_SHARE * stated_s
            self.declared_s = stated_s if broken or self.missing else None
        self.misses_more = bool(self.missing) and not damage.is_measured
        self.breaks_off = broken
        if broken and not allow_truncated:
            of_s = f" of {stated_s:.1f} s" if missing_s > 0 else ""
            raise BrokenFileError(
                f"{self.path} is damaged or breaks off: {self.duration_s:.1f} s{of_s} can be read; "
                "copy or record it again"
            )
        lost_s = sum(end_s - start_s for start_s, end_s in self.missing)
        if lost_s > MAX_MISSING_SHARE * self.duration_s:
            raise AudioFileError(
                f"{self.path} is damaged: {lost_s:.1f} s of {self.duration_s:.1f} s cannot be "
                "read; copy or record it again"
            )

    @property
    def condition(self) -> SoundQuality:
        """What decoding it showed, and a copy of its sound does not: the levels are not in it."""
        missing_s = sum(end_s - start_s for start_s, end_s in self.missing)
        missing_s += max(0.0, (self.declared_s or 0.0) - self.duration_s)
        return SoundQuality(
            problems=("damaged",) if missing_s or self.breaks_off else (),
            offset=round(self.mix.offset, 4),
            channels=None if self.mix.take == "both" else self.mix.take,
            missing_s=round(missing_s, 3),
            declared_s=self.declared_s,
            misses_more=self.misses_more,
        )

    def blocks(self) -> Iterator[npt.NDArray[np.float32]]:
        """The sound from its start, float32 of shape ``(n,)``, some seconds at a time."""
        for part in decode(self.path, Damage(), self.track - 1):
            yield self.mix.mixed(part)

    @property
    def choice(self) -> str:
        """Which of several sound tracks was taken, for the user; empty if there is only one."""
        if self.tracks == 1:
            return ""
        return f"{self.path.name} has {_counted(self.tracks)}: number {self.track} is used"

    def clip(self) -> Clip:
        return Clip(np.concatenate([np.zeros(0, np.float32), *self.blocks()]))


def read_audio(path: Path | str, *, allow_truncated: bool = False) -> Clip:
    """Decode a file to mono at 16 kHz, all at once; see ``SoundFile``.

    Raises:
        AudioFileError: as ``SoundFile``.
    """
    return SoundFile(path, allow_truncated=allow_truncated).clip()


def blocks_of(sound: Clip | SoundFile) -> Iterator[npt.NDArray[np.float32]]:
    """A recording at 16 kHz from its start, float32 of shape ``(n,)``, some seconds at a time."""
    if isinstance(sound, SoundFile):
        yield from sound.blocks()
        return
    samples = at_sample_rate(sound).samples
    size = round(BLOCK_S * SAMPLE_RATE_HZ)
    for start in range(0, samples.size, size):
        yield samples[start : start + size]


def _check_is_file(path: Path) -> None:
    try:
        if path.is_dir():
            raise AudioFileError(f"{path} is a folder, not an audio file")
        if not path.exists():
            raise AudioFileError(f"no such file: {path}")
        if not path.is_file():
            raise AudioFileError(f"{path} is not a regular file")
        if path.stat().st_size == 0:
            raise AudioFileError(f"{path} is empty (0 bytes)")
        with path.open("rb"):
            pass
    except OSError as error:
        raise AudioFileError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a zero byte in the name
        raise AudioFileError(f"{str(path)!r} is not a file name") from error


def _survey(path: Path, track: int) -> _Survey:
    damage, meter = Damage(), ChannelMeter()
    for part in decode(path, damage, track):
        meter.feed(part)
        if meter.samples > MAX_AUDIO_S * SAMPLE_RATE_HZ:
            raise AudioFileError(
                f"{path} is longer than {MAX_AUDIO_S / 3600:.0f} hours; cut it into parts"
            )
    if not meter.samples:
        raise AudioFileError(f"{path} has no audio that can be decoded; is it complete?")
    return _Survey(meter.samples / SAMPLE_RATE_HZ, damage, meter.mix, track)


def _best_survey(path: Path, number: int | None) -> _Survey:
    """Of the track that is asked for, or that has the most speech; the first of equals."""
    tracks = sound_tracks(path)
    if number is not None and number - 1 not in tracks:
        raise AudioFileError(f"{path} has {_counted(len(tracks))}: there is no track {number}")
    chosen = tracks if number is None else (number - 1,)
    found: list[_Survey] = []
    for track in chosen:
        try:
            found.append(_survey(path, track))
        except AudioFileError:
            if len(chosen) == 1 or (track == chosen[-1] and not found):
                raise
    best = found[0]
    if len(found) > 1:
        spoken_s = [survey.speech_s(path) for survey in found]
        best = next(
            survey
            for survey, speech_s in zip(found, spoken_s, strict=True)
            if speech_s >= EQUAL_SHARE * max(spoken_s)
        )
    return replace(best, tracks=len(tracks))


def _counted(tracks: int) -> str:
    return "1 sound track" if tracks == 1 else f"{tracks} sound tracks"
