"""Decode a file block by block with PyAV, reading past what cannot be decoded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.audio.declared import WITHOUT_TIMES, declared_s, mp4_lacks_index
from client.audio.mending import Piece, PieceFile
from client.core.errors import AudioFileError
from pronunciation.clip import SAMPLE_RATE_HZ
from pronunciation.resample import StreamResampler

Channels = npt.NDArray[np.float32]
"""Sound at 16 kHz, float32 of shape ``(channels, n)`` within [-1, 1]."""

BLOCK_S: Final = 5.0
"""Decoded sound is passed on in blocks of about this length: 0.3 MB a channel."""

PACKET_S: Final = 0.02
"""How long a packet is taken to be where the file does not say; speech codecs use 20 ms."""

LONGEST_GAP_S: Final = 60.0
"""A longer packet or gap is taken for a damaged number, and not filled with silence."""

MAX_GIVEN_UP: Final = 1000
"""So often in a row a demuxer is asked to go on: 64 MB of damage in Ogg."""

SHORTEST_JUMP_S: Final = 0.05
"""Times of packets that differ by less follow each other.

Measured on one 45 s answer: whole files in six formats jump by less than 3 ms, and a FLAC frame at
16 kHz that is lost by 72 ms.
"""

_Packet = tuple[list[Any], float | None, float]
"""A packet's frames, its time, and how many seconds before it did not decode."""

_MIXED: Final = 1
_STEREO: Final = 2


@dataclass
class Damage:
    """What went wrong while a file was decoded.

    Attributes:
        missing: (start_s, end_s) that could not be decoded, in order; it is silent in the blocks,
            so that what follows keeps its time.
        breaks_off: the file cannot be read to its end, or more than ``LONGEST_GAP_S`` of it is
            missing at once, which is not filled with silence.
        left_out_s: how long the gaps are that are not filled.
        declared_s: the length that the file states, if it does.
        is_timed: its packets have times, which show how much is missing; else its bytes show what
            is damaged in it, and nothing shows what was cut out of it.
    """

    missing: list[tuple[float, float]] = field(default_factory=list)
    breaks_off: bool = False
    left_out_s: float = 0.0
    declared_s: float | None = None
    is_timed: bool = True

    def add(self, start_s: float, end_s: float) -> None:
        """Note what is missing; what touches the last one continues with it."""
        if self.missing and start_s - self.missing[-1][1] < PACKET_S:
            self.missing[-1] = (self.missing[-1][0], end_s)
        else:
            self.missing.append((start_s, end_s))


def decode(path: Path, damage: Damage, pieces: Sequence[Piece] = ()) -> Iterator[Channels]:
    """The first audio stream of a file, block by block, at 16 kHz.

    The two channels of a stereo file stay apart; others are mixed.

    Args:
        path: a file that can be opened.
        damage: where what cannot be decoded is noted.
        pieces: what to read of it instead of the whole (``pieces_of``).

    Raises:
        AudioFileError: it is no audio, or has none in it.
    """
    import av

    try:
        yield from _blocks(_sound(path, damage, pieces), damage)
    except av.error.FFmpegError as error:
        if mp4_lacks_index(path):
            raise AudioFileError(
                f"{path} is not complete: its index (`moov`, written last) is missing or cut off, "
                "so none of it can be read; copy the whole file again from where it was recorded"
            ) from error
        raise AudioFileError(
            f"{path} cannot be read as audio ({error.strerror}); is it complete?"
        ) from error
    except (ValueError, MemoryError, OverflowError) as error:
        # what the bindings make of a header that states a hundred channels or no rate at all
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise AudioFileError(f"{path} cannot be read as audio ({reason})") from error


def _sound(path: Path, damage: Damage, pieces: Sequence[Piece]) -> Iterator[Any]:
    """Frames, and for what is lost before the next one its length in seconds."""
    import av

    for number, piece in enumerate(pieces or (None,)):
        if piece is not None and piece.lost_s:
            yield piece.lost_s
        # an open file and no protocol: a name or a playlist must not make FFmpeg open another file
        with (
            path.open("rb") if piece is None else PieceFile(path, piece) as source,
            av.open(source, options={"protocol_whitelist": "none"}) as container,
        ):
            if not container.streams.audio:
                raise AudioFileError(f"{path} has no audio in it")
            stream = container.streams.audio[0]
            if stream.codec_context is None:
                raise AudioFileError(f"{path} cannot be read as audio (its codec is not known)")
            if number == 0:
                damage.declared_s = declared_s(path, container, stream)
                damage.is_timed = container.format.name not in WITHOUT_TIMES
            if stream.codec_context.name == "flac":  # by default it plays damage as noise
                stream.codec_context.options = {"err_detect": "crccheck+explode"}
            of_piece = Damage()
            yield from _frames(container, stream, of_piece)
            if number == len(pieces) - 1 or not pieces:
                damage.breaks_off |= of_piece.breaks_off


def _blocks(sound: Iterator[Any], damage: Damage) -> Iterator[Channels]:
    import av

    to_float: Any = None
    resampler: StreamResampler | None = None
    gathered: list[npt.NDArray[Any]] = []
    count = rate_hz = held = total = 0
    for part in sound:
        if isinstance(part, float) and part > LONGEST_GAP_S:
            damage.breaks_off = True
            damage.left_out_s += part
            continue
        if isinstance(part, float):  # never the first
            damage.add(total / rate_hz, total / rate_hz + part)
            arrays: list[npt.NDArray[Any]] = [np.zeros((count, round(part * rate_hz)), np.float32)]
        else:
            if resampler is None:  # a header may state another rate than the decoder gives
                count = _STEREO if part.layout.nb_channels == _STEREO else _MIXED
                to_float = (  # one channel is the same in both formats, and read faster in this
                    av.AudioResampler(format="fltp", layout="stereo")
                    if count == _STEREO
                    else av.AudioResampler(format="flt", layout="mono")
                )
                rate_hz = part.sample_rate
                resampler = StreamResampler(rate_hz, SAMPLE_RATE_HZ, count)
            arrays = [out.to_ndarray() for out in to_float.resample(part)]
        for array in arrays:
            gathered.append(array)
            held += array.shape[1]
            total += array.shape[1]
        if resampler is not None and held >= BLOCK_S * rate_hz:
            yield resampler.feed(_clean(gathered))
            gathered, held = [], 0
    if resampler is not None:
        rest = [np.zeros((count, 0), np.float32), *gathered]
        yield resampler.feed(_clean(rest), is_last=True)


def _frames(container: Any, stream: Any, damage: Damage) -> Iterator[Any]:
    """Frames, and for what is lost before the next one its length in seconds.

    A demuxer skips damaged bytes without an error, so only the packets' times show what is missing.
    A decoder may return a packet's sound only with the next one, so gaps are off by a packet.
    """
    decoded = _decoded(container, stream, damage)
    current = next(decoded, None)
    expected_s: float | None = None
    while current is not None:
        frames, start_s, lost_s = current
        following = next(decoded, None)
        length_s = sum(frame.samples / frame.sample_rate for frame in frames)
        if start_s is not None and _goes_on(start_s + length_s, following):
            jump_s = 0.0 if expected_s is None else start_s - expected_s
            if jump_s > SHORTEST_JUMP_S:
                lost_s = jump_s
            expected_s = start_s
        elif expected_s is not None:
            expected_s += lost_s
        if lost_s:
            yield lost_s
        yield from frames
        if expected_s is not None:
            expected_s += length_s
        current = following


def _goes_on(end_s: float, following: _Packet | None) -> bool:
    """Whether the next packet's time agrees with this one's: a single wrong time is no gap."""
    if following is None:
        return False
    _, start_s, lost_s = following
    return start_s is None or lost_s > 0 or abs(start_s - end_s) < SHORTEST_JUMP_S


def _start_s(first: Any) -> float | None:
    if first.pts is None:
        return None
    base = first.time_base  # multiplying the fraction takes longer than decoding the packet
    return float(first.pts * base.numerator / base.denominator)


def _decoded(container: Any, stream: Any, damage: Damage) -> Iterator[_Packet]:
    """The packets that have sound."""
    import av

    packets = container.demux(stream)
    is_first = True
    given_up = 0
    pending_s = 0.0
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.error.EOFError):
            break
        except av.error.FFmpegError:
            if is_first:
                raise
            # Ogg's demuxer looks 64 kB ahead for the next page: asked again, it looks further
            given_up += 1
            if given_up > MAX_GIVEN_UP:
                damage.breaks_off = True
                break
            packets = container.demux(stream)
            continue
        try:
            frames = [frame for frame in packet.decode() if not frame.is_corrupt]
        except av.error.EOFError:
            break
        except av.error.FFmpegError:
            pending_s += _length_s(packet)
            continue
        if frames:
            # a first packet without sound is a header that the decoder does not know, no gap
            yield frames, _start_s(frames[0]), 0.0 if is_first else pending_s
            is_first, pending_s, given_up = False, 0.0, 0
    if pending_s and is_first:
        raise AudioFileError(
            f"{container.name} has no packet of sound that can be decoded; is it complete?"
        )
    if pending_s or given_up:
        damage.breaks_off = True


def _length_s(packet: Any) -> float:
    if packet.duration and packet.time_base:
        length_s = float(packet.duration * packet.time_base)
        if 0.0 < length_s <= LONGEST_GAP_S:
            return length_s
    return PACKET_S


def _clean(parts: Sequence[npt.NDArray[Any]]) -> Channels:
    """The parts as one, within full scale; a block at once, because frames are short and many."""
    samples = np.concatenate(parts, axis=1).astype(np.float32, copy=False)
    np.nan_to_num(samples, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(samples, -1.0, 1.0, out=samples)
