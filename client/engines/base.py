"""The protocol of transcription engines, and the work that all engines share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from client.core.errors import EngineError, NoSpeech
from client.engines.segments import MAX_SEGMENT_S, Segment
from pronunciation.clip import Clip
from pronunciation.passage import LogProbs, Passage
from server.contract import MAX_TEXT_CHARS, MAX_WORDS, Transcript, Word

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
