"""From "stop" to the report, by length, against transcribing the whole answer afterwards."""

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.parts.tables import Table
from benchmarks.time_to_feedback import play
from client.answer.hearing import load_hearing, vocabulary
from client.answer.session import Session, new_submission
from client.audio.files import read_audio
from client.backend.opening import open_direct
from client.core.settings import ClientSettings
from client.data import demo
from client.engines.engine_process import EngineProcess
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from question_bank.loader import load_bank

MODEL = "tiny.en"


def measure(*, quick: bool) -> list[Table]:
    """The endings of one long answer, played in real time as from a microphone."""
    lengths_s = (10, 20, 40) if quick else (15, 30, 60, 120)
    repeats = 1 if quick else 3
    whole = np.tile(read_audio(demo.AUDIO).samples, 4)
    rows = []
    with tempfile.TemporaryDirectory() as home:
        settings = ClientSettings(home=Path(home))
        engine = EngineProcess("faster-whisper", MODEL, vocabulary=lambda: vocabulary(settings))
        question = load_bank().question(demo.QUESTION_ID)
        assert question is not None
        session = Session(open_direct(settings), lambda: engine, load_hearing(settings))
        play(session, question, whole[: 5 * SAMPLE_RATE_HZ])  # loads everything
        for length_s in lengths_s:
            samples = whole[-length_s * SAMPLE_RATE_HZ :]
            waited_s = [play(session, question, samples).wait_s for _ in range(repeats)]
            afterwards_s = []
            for _ in range(repeats):
                began_s = time.perf_counter()
                answer = session.recording_worker(question.id).run(Clip(samples))
                session.submit(new_submission(question.id, *answer), save=False)
                afterwards_s.append(time.perf_counter() - began_s)
            rows.append([length_s, median(waited_s), median(afterwards_s)])
    return [
        Table(
            "From “stop” to the report",
            ("answer, s", "wait while it is transcribed live, s", "all of it afterwards, s"),
            rows,
            (f"`{MODEL}`, int8; endings of one answer without a pause at the end, in real time, "
             f"{repeats} of each length.",),
        )
    ]  # fmt: skip
