"""The protocol of transcription engines, and the work they share, such as cutting at pauses."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from client.core.errors import EngineError, NoSpeech
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, LogProbs, Passage
from server.contract import MAX_TEXT_CHARS, MAX_WORDS, Transcript, Word

MAX_SEGMENT_S = 28.0
"""Whisper's window is 30 s; what is left covers the padding and a last word that runs on."""

KEEP_SILENCE_S = 0.4
"""Silence kept at each side of speech: ``speech_pad_ms`` of faster-whisper's own filter.

Longer silences are cut down to twice this, because Whisper invents text in them.
"""

CUT_SEARCH_S = 6.0
"""Speech without a pause is cut at the quietest moment of this stretch before the limit."""

MIN_WORD_S = 0.05
"""No word is shorter ("a" lasts about 0.06 s); less left of one means that the times disagree."""

DIP_S = 0.14
DIP_DB = 25.0
"""Quiet for this long and so far below the loud parts (the 80th percentile) is between two words,
not within one. 244 s of speech without a pause, read by 80 people of ``shared/speech``, have 20."""

_QUIET_WINDOW_S = 0.05


@dataclass(frozen=True)
class Piece:
    """A stretch of the recording, and where it starts within the segment's own clip.

    Attributes:
        start_s: from here in the recording, silence included.
        end_s: to here.
        at_s: where the stretch starts within the segment's clip.
        speech_start_s: where the speech in it starts in the recording.
        speech_end_s: where it ends.
    """

    start_s: float
    end_s: float
    at_s: float
    speech_start_s: float
    speech_end_s: float


@dataclass(frozen=True, eq=False)
class Segment:
    """Sound for one run of an engine, at most ``MAX_SEGMENT_S`` plus padding, at 16 kHz."""

    clip: Clip
    pieces: tuple[Piece, ...]

    @property
    def start_s(self) -> float:
        return self.pieces[0].start_s

    @property
    def end_s(self) -> float:
        return self.pieces[-1].end_s

    def recording_times(self, start_s: float, end_s: float) -> tuple[float, float]:
        """Times within ``clip`` as times within the recording.

        Both ends are resolved in the piece that holds the middle, so that no word is stretched
        over a silence that was taken out, and cut to the speech there: Whisper lets the first word
        start, and the last one end, in the silence around.
        """
        middle_s = (start_s + end_s) / 2
        piece = next((p for p in reversed(self.pieces) if p.at_s <= middle_s), self.pieces[0])
        shift_s = piece.start_s - piece.at_s
        first_s = max(start_s + shift_s, piece.speech_start_s)
        last_s = min(end_s + shift_s, piece.speech_end_s)
        if last_s - first_s >= MIN_WORD_S:
            return first_s, last_s
        # a word outside what the detector took for speech keeps its own times
        first_s = min(max(start_s + shift_s, piece.start_s), piece.end_s)
        return first_s, min(max(end_s + shift_s, first_s), piece.end_s)


def cut_segment(clip: Clip, speech: Sequence[tuple[float, float]]) -> Segment:
    """One segment of speech that is chosen already.

    Args:
        clip: sound at 16 kHz.
        speech: (start_s, end_s) in order, at least one; what lies around them is silence, of which
            at most ``KEEP_SILENCE_S`` is taken on either side.
    """
    pieces: list[Piece] = []
    at_s = 0.0
    sound = []
    spans = _with_silence(speech, clip.duration_s)
    for (start_s, end_s), (speech_start_s, speech_end_s) in zip(spans, speech, strict=True):
        sample = clip.slice(start_s, end_s).samples
        sound.append(sample)
        pieces.append(Piece(start_s, end_s, at_s, speech_start_s, speech_end_s))
        at_s += sample.size / SAMPLE_RATE_HZ
    return Segment(Clip(np.concatenate(sound)), tuple(pieces))


def quietest_s(clip: Clip) -> float:
    """The quietest moment, in seconds from the clip's start."""
    window = round(_QUIET_WINDOW_S * clip.sample_rate_hz)
    samples = clip.samples
    count = samples.size // window
    power = np.square(samples[: count * window].reshape(count, window)).mean(axis=1)
    return (int(power.argmin()) + 0.5) * _QUIET_WINDOW_S


def dip_s(clip: Clip) -> float | None:
    """The quietest moment, in seconds, if it lies between two words, else ``None``."""
    frame = round(DIP_S / 7 * clip.sample_rate_hz)
    samples = clip.samples
    count = samples.size // frame
    if count < 7:
        return None
    frames = samples[: count * frame].reshape(count, frame)
    power = np.square(frames, dtype=np.float64).mean(axis=1)
    loudest = np.lib.stride_tricks.sliding_window_view(power, 7).max(axis=1)
    at = int(loudest.argmin())
    if loudest[at] > float(np.quantile(power, 0.8)) * 10 ** (-DIP_DB / 10):
        return None
    return (at + 3.5) * DIP_S / 7


def _with_silence(
    spans: Sequence[tuple[float, float]], duration_s: float
) -> list[tuple[float, float]]:
    """Give every span its silence, half of the gap at most; touching spans become one clip."""
    padded: list[tuple[float, float]] = []
    last = len(spans) - 1
    for index, (start_s, end_s) in enumerate(spans):
        before_s = (start_s - spans[index - 1][1]) / 2 if index else start_s
        after_s = (spans[index + 1][0] - end_s) / 2 if index < last else duration_s - end_s
        padded.append(
            (start_s - min(KEEP_SILENCE_S, before_s), end_s + min(KEEP_SILENCE_S, after_s))
        )
    return padded


ProgressCallback = Callable[[float], None]
"""Called with the share of the work that is done, 0 to 1, never falling."""


class Transcriber(ABC):
    """Speech in, words with times out; an engine supplies ``recognize``.

    Voice activity detection finds the speech before the engine hears anything (Whisper talks on
    silence, huggingface/transformers#24512), long silences are taken out, and each segment of at
    most 30 s is transcribed independently: that is ``client.answer.worker``, for recorded and
    live answers alike.

    Attributes:
        name: as on the command line, e.g. ``faster-whisper``.
        model: which weights, e.g. ``base.en``.
        max_segment_s: no segment may be longer.
    """

    name: str
    model: str
    max_segment_s: float = MAX_SEGMENT_S

    def warm(self) -> None:
        """Be ready for ``recognize``; does nothing if the engine is loaded for good.

        Raises:
            EngineError, WeightsError: it cannot be loaded again.
        """
        return None

    def rest(self) -> None:
        """Give memory back until the next use; does nothing if the engine cannot."""
        return None

    @abstractmethod
    def recognize(self, clip: Clip) -> Sequence[Word]:
        """The words of one segment.

        Args:
            clip: at most 30 s of sound at 16 kHz that holds speech.

        Returns:
            Words with times in seconds from the start of ``clip``; empty if the engine
            believes that nothing was said.
        """

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """How likely its decoder finds wordings of some sound.

        Returns:
            The tokens of every text of every passage; ``None`` if the engine has no such decoder,
            or it failed: whoever asks goes on without.
        """
        return None

    def transcribe_segment(self, segment: Segment, offset_s: float = 0.0) -> tuple[Word, ...]:
        """The words of one segment, timed from the start of the recording.

        Args:
            segment: one that ``cut_segment`` made.
            offset_s: where the clip that it was cut from starts within the recording.

        Raises:
            EngineError: the engine failed.
        """
        words: list[Word] = []
        for word in self.recognize(segment.clip):
            if word.start_s is None or word.end_s is None:
                raise EngineError(f"{self.name} gave the word {word.text!r} no times")
            start_s, end_s = segment.recording_times(word.start_s, word.end_s)
            words.append(
                word.model_copy(
                    update={
                        "start_s": round(offset_s + start_s, 3),
                        "end_s": round(offset_s + end_s, 3),
                    }
                )
            )
        return tuple(words)


def assemble(words: Sequence[Word], *, engine: str, model: str, duration_s: float) -> Transcript:
    """Put the words of all segments together.

    Raises:
        NoSpeech: there are none.
        EngineError: there are more than an answer can have.
    """
    kept = words_only(words)
    if not kept:
        raise NoSpeech(
            "no words could be made out: somebody speaks, but cannot be understood; speak English, "
            "clearly and closer to the microphone, and try again"
        )
    text = " ".join(word.text for word in kept)
    if len(kept) > MAX_WORDS or len(text) > MAX_TEXT_CHARS:
        raise EngineError(
            f"the recording has {len(kept):,} words; an answer has at most {MAX_WORDS:,} words and "
            f"{MAX_TEXT_CHARS:,} characters, some three hours of speech: assess it in parts"
        )
    return Transcript(
        text=text,
        language="en",
        engine=engine,
        model=model,
        duration_s=round(duration_s, 3),
        words=kept,
    )


def words_only(words: Sequence[Word]) -> tuple[Word, ...]:
    """What an engine wrote without the marks that are no word ("...", "♪")."""
    return tuple(word for word in words if any(char.isalnum() for char in word.text))
