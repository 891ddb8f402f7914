"""What a transcription engine is, and the work that all engines share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from client.core.errors import EngineError, NoSpeech
from client.transcription.segments import MAX_SEGMENT_S, Segment, plan_segments
from pronunciation.clip import Clip
from server.contract import Transcript, Word

__all__ = ["ProgressCallback", "SegmentedTranscriber", "Transcriber", "assemble", "words_only"]

ProgressCallback = Callable[[float], None]
"""Called with the share of the work that is done, 0 to 1, never falling."""


@runtime_checkable
class Transcriber(Protocol):
    """Speech in, words with times out.

    Attributes:
        name: as on the command line, e.g. ``faster-whisper``.
        model: which weights, e.g. ``base.en``.
    """

    @property
    def name(self) -> str:
        """The engine's name on the command line."""

    @property
    def model(self) -> str:
        """The weights it uses."""

    def transcribe(self, clip: Clip, *, on_progress: ProgressCallback | None = None) -> Transcript:
        """Transcribe one recording.

        Raises:
            NoSpeech: silence, noise, or nothing that the engine believes to be words.
            EngineError: the engine failed.
        """


class SegmentedTranscriber(ABC):
    """A transcriber that works segment by segment; an engine supplies ``recognise``.

    The gate finds the speech before the engine hears anything (Whisper talks on silence,
    huggingface/transformers#24512), long silences are taken out, and each segment of at most 30 s
    is recognised on its own. A caller that cuts segments while the candidate still speaks calls
    ``transcribe_segment`` itself and ``assemble`` at the end.
    """

    name: str
    model: str
    max_segment_s: float = MAX_SEGMENT_S

    @abstractmethod
    def recognise(self, clip: Clip) -> Sequence[Word]:
        """The words of one segment.

        Args:
            clip: at most 30 s of sound at 16 kHz that holds speech.

        Returns:
            Words with times in seconds from the start of ``clip``; empty where the engine
            believes that nothing was said.
        """

    def transcribe_segment(self, segment: Segment, offset_s: float = 0.0) -> tuple[Word, ...]:
        """The words of one segment, timed from the start of the recording.

        Args:
            segment: one that ``plan_segments`` or ``cut_segment`` made.
            offset_s: where the clip that was planned starts within the whole recording.
        """
        words: list[Word] = []
        for word in self.recognise(segment.clip):
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

    def transcribe(self, clip: Clip, *, on_progress: ProgressCallback | None = None) -> Transcript:
        """Transcribe one recording; see ``Transcriber``."""
        segments = plan_segments(clip, self.max_segment_s)
        words: list[Word] = []
        for done, segment in enumerate(segments):
            if on_progress is not None:
                on_progress(done / len(segments))
            words.extend(self.transcribe_segment(segment))
        if on_progress is not None:
            on_progress(1.0)
        return assemble(words, engine=self.name, model=self.model, duration_s=clip.duration_s)


def assemble(words: Sequence[Word], *, engine: str, model: str, duration_s: float) -> Transcript:
    """Put the words of all segments together.

    Raises:
        NoSpeech: there are none.
    """
    kept = words_only(words)
    if not kept:
        raise NoSpeech(
            "no speech detected: the recording has sound, but no words could be made out; "
            "speak closer to the microphone and try again"
        )
    return Transcript(
        text=" ".join(word.text for word in kept),
        language="en",
        engine=engine,
        model=model,
        duration_s=round(duration_s, 3),
        words=kept,
    )


def words_only(words: Sequence[Word]) -> tuple[Word, ...]:
    """What an engine wrote without the marks that are no word ("...", "♪")."""
    return tuple(word for word in words if any(char.isalnum() for char in word.text))
