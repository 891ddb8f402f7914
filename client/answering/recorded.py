"""The same work on an answer that is already recorded."""

from collections.abc import Sequence

import numpy as np

from client.answering.pieces import PieceCutter
from client.answering.sample_buffer import SampleBuffer
from client.answering.term_track import HearWords, TermTrack
from client.answering.worker import LOOK_BACK_S, AnswerWorker
from client.audio.files import SoundFile, blocks_of
from client.transcription.base import ProgressCallback, Transcriber
from pronunciation.clip import Clip
from server.contract import Evidence, SoundQuality, Transcript, Word


class RecordingWorker(AnswerWorker):
    """Works through a whole recording. Nobody waits for its first words, so segments are long."""

    def run(
        self,
        sound: Clip | SoundFile,
        on_progress: ProgressCallback | None = None,
        *,
        condition: SoundQuality | None = None,
    ) -> tuple[Transcript, Evidence]:
        """Work through a whole recording; a file is read as far as the work has come.

        Args:
            sound: the recording, a clip at any rate.
            on_progress: takes the share of the recording that is transcribed, 0 to 1.
            condition: of the file that the recording is a copy of, if it is one.

        Raises:
            NoSpeech: nobody speaks in it, or no words could be made out.
            EngineError: the engine failed.
        """
        self._cutter, self._pace = PieceCutter(self._limit_s, is_live=False), None
        self._condition = condition
        if condition is None and isinstance(sound, SoundFile):
            self._condition = sound.condition
        report = on_progress or _report_to_nobody
        report(0.0)
        for block in blocks_of(sound):
            self.take(block, is_over=False)
            while self._is_due:
                self.step()
                report(self._done_s() / max(sound.duration_s, self._sound.duration_s))
            if self._may_hear():
                self.step()
        self.take(np.empty(0, np.float32), is_over=True)
        while not self.is_done:
            self.step()
        report(1.0)
        return self.result()


def transcribe(
    transcriber: Transcriber, sound: Clip | SoundFile, on_progress: ProgressCallback | None = None
) -> Transcript:
    """What is said in a recording, nothing heard or graded; see ``RecordingWorker.run``."""
    return RecordingWorker(transcriber).run(sound, on_progress)[0]


def hear_words_again(
    hear: HearWords, recording: Clip | SoundFile, words: Sequence[Word]
) -> TermTrack:
    """Hear how the terms were said, among words with known times.

    Args:
        hear: hears a stretch.
        recording: the sound.
        words: in order, with their times.
    """
    sound = SampleBuffer()
    track = TermTrack(hear, sound)
    rest = list(words)
    for block in blocks_of(recording):
        sound.append(block)
        reached_s = sound.duration_s - LOOK_BACK_S
        count = sum(1 for word in rest if (word.end_s or 0.0) < reached_s)
        track.add(rest[:count])
        rest = rest[count:]
        if track.is_due(is_over=False):
            track.run(is_over=False)
        needed_s = track.needs_from_s
        sound.forget_before((reached_s if needed_s is None else needed_s) - LOOK_BACK_S)
    track.add(rest)
    track.run(is_over=True)
    return track


def _report_to_nobody(_share: float) -> None:
    """Ignore it."""
