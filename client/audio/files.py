"""Read any audio that PyAV decodes, also out of a video file, block by block or as a ``Clip``."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from client.audio.channels import ChannelMeter, Mix
from client.audio.declared import ogg_breaks_off
from client.audio.decoding import BLOCK_S, Channels, Damage, decode
from client.audio.mending import Piece, pieces_of
from client.core.errors import AudioFileError, BrokenFileError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.resample import at_sample_rate
from server.contract import SoundQuality

MAX_AUDIO_S = 3 * 3600.0
"""Longer than any interview."""

TRUNCATED_SHARE = 0.97
TRUNCATED_S = 0.1
"""A file is broken off where less than this share arrives *and* more than this is missing.

Containers round the length they declare, MP3 by up to two frames of 26 ms and AAC by its encoder
delay of 48 ms; both bounds lie above that.
"""

HELD_BYTES: Final = 12_000_000
"""Three minutes of one channel; decoding them once more would take 0.06 s a minute of FLAC."""

MAX_MISSING_SHARE: Final = 0.5
"""Where more than this of a file cannot be decoded, it is no answer with gaps."""


@dataclass(frozen=True)
class _Survey:
    """What a file turns out to hold when it is decoded for the first time."""

    duration_s: float
    damage: Damage
    mix: Mix
    pieces: tuple[Piece, ...] = ()
    held: tuple[Channels, ...] = ()


class SoundFile:
    """A file as sound: mono at 16 kHz, decoded on demand, a long one never all in memory.

    It is decoded once when it is opened, to know its length, what is damaged in it and what its
    channels hold. The sound of a short one is held until ``blocks`` have been read to the end once;
    otherwise they decode it again.

    Args:
        path: audio of any format, rate and channel count, or a video with sound.
        allow_truncated: take what is there of a file that breaks off, for a caller that knows
            that it does (a recording interrupted by a crash) or says so to its user.

    Attributes:
        duration_s: how much sound there is.
        declared_s: how much a damaged file says there is, where that is more than arrives; else
            ``None``.
        missing: (start_s, end_s) within the sound that could not be decoded and are silent.
        misses_more: more may be missing than is known (``Damage.is_timed``).
        mix: how its channels become one.

    Raises:
        AudioFileError: not there, no file, empty, not decodable, without sound, broken off
            (``BrokenFileError``), or longer than ``MAX_AUDIO_S``. Nothing is ever made up for a
            part that is missing.
    """

    def __init__(self, path: Path | str, *, allow_truncated: bool = False) -> None:
        self.path = Path(path).expanduser()
        _check_is_file(self.path)
        survey = _best_survey(self.path)
        self.duration_s, self.mix, self._pieces = survey.duration_s, survey.mix, survey.pieces
        self._held = survey.held
        self.missing = tuple(survey.damage.missing)
        self.declared_s: float | None = None
        stated_s = survey.damage.declared_s or 0.0
        if survey.damage.left_out_s:
            stated_s = max(stated_s, self.duration_s + survey.damage.left_out_s)
        missing_s = stated_s - self.duration_s
        broken = survey.damage.breaks_off or ogg_breaks_off(self.path)
        if missing_s > TRUNCATED_S:
            broken = broken or self.duration_s < TRUNCATED_SHARE * stated_s
            self.declared_s = stated_s if broken or self.missing else None
        self.misses_more = bool(self.missing) and not (survey.damage.is_timed or stated_s)
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
        for part in self._held or decode(self.path, Damage(), self._pieces):
            yield self.mix.mixed(part)
        self._held = ()  # read to its end: it is seldom read again

    def clip(self) -> Clip:
        """All of it at once."""
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


def _best_survey(path: Path) -> _Survey:
    """Of the file as it is; if that shows damage, of the pieces that can be read of it."""
    try:
        found = _survey(path)
    except AudioFileError:
        pieces = pieces_of(path)
        if not pieces:
            raise
        return _survey(path, pieces)
    if (found.damage.missing or found.damage.breaks_off) and (pieces := pieces_of(path)):
        return _survey(path, pieces)
    return found


def _survey(path: Path, pieces: tuple[Piece, ...] = ()) -> _Survey:
    damage, meter = Damage(), ChannelMeter()
    held: list[Channels] = []
    room = HELD_BYTES
    for part in decode(path, damage, pieces):
        meter.feed(part)
        room -= part.nbytes
        if room >= 0:
            held.append(part)
        else:
            held = []
        if meter.samples > MAX_AUDIO_S * SAMPLE_RATE_HZ:
            raise AudioFileError(
                f"{path} is longer than {MAX_AUDIO_S / 3600:.0f} hours; cut it into parts"
            )
    if not meter.samples:
        raise AudioFileError(f"{path} has no audio that can be decoded; is it complete?")
    return _Survey(meter.samples / SAMPLE_RATE_HZ, damage, meter.mix, pieces, tuple(held))
