"""How long the candidate waits for the report after "stop", against the answer's length.

Answers are played in real time, block by block as from a microphone, into the same live
answer that terminal and studio use: transcription, hearing and grading are all in the wait. The
shorter answers are the last part of the longest, so all end the same and only the length differs.

    python benchmarks/time_to_feedback.py [--lengths 15 30 60 120] [--repeats 3]
        [--engine pocketsphinx] [--model FOLDER] [--speech FOLDER]

With ``--clock processor`` there is no real waiting: time is this process's computing time plus the
length of the sound, as on an idle machine. Use it on a busy machine; it counts the work of several
threads as if one did it.

Sentences are spoken by flite (``apt install flite``), or are the recordings in ``--speech``, e.g.
``../shared/speech/native``, with pauses of 0.3 to 1.1 s between them.

Exit status 1 if a rule is missed: the mean wait after each answer is at most 1.3 times that
after the shortest, and no wait is longer than transcribing one segment of 28 s takes, plus 0.5 s.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median

import numpy as np
import numpy.typing as npt

from client.answer.hearing import load_hearing, vocabulary
from client.answer.session import Session, new_submission
from client.audio.files import read_audio
from client.backend.opening import open_backend
from client.core.settings import ClientSettings
from client.engines.base import Transcriber
from client.engines.engine_process import EngineProcess
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from question_bank.loader import load_bank
from question_bank.models import Question

MAX_RATIO = 1.3
MAX_OVER_SEGMENT_S = 0.5
BLOCK_S = 0.1
PAUSES_S = (0.3, 1.1)
VOICES = ("slt", "rms", "awb")
SEGMENT_RUNS = 3

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Wait:
    """What one answer costs after "stop".

    Attributes:
        length_s: of the answer.
        wait_s: until the report is there.
        cpu_s: processor time of this process in between, all threads together; with the real
            clock the engine has a process of its own.
    """

    length_s: float
    wait_s: float
    cpu_s: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 if a rule is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--lengths", type=float, nargs="+", default=[15.0, 30.0, 60.0, 120.0])
    parser.add_argument("--repeats", type=int, default=3, help="answers of each length")
    parser.add_argument("--engine", default="pocketsphinx")
    parser.add_argument("--model", help="a weights name or a path")
    parser.add_argument("--speech", type=Path, help="a folder of recorded sentences")
    parser.add_argument("--clock", choices=["real", "processor"], default="real")
    parser.add_argument("--stop-after", type=float, default=0.3, help="seconds of silence at last")
    options = parser.parse_args(arguments)
    lengths_s = sorted(set(options.lengths))
    if min(lengths_s) <= 0 or options.repeats < 1:
        parser.error("lengths and repeats must be more than 0")
    if options.speech is None and shutil.which("flite") is None:
        print("skipped: flite is not installed (apt install flite), and there is no --speech")
        return 0
    with tempfile.TemporaryDirectory(prefix="aloud-benchmark-") as home:
        settings = ClientSettings(home=Path(home))
        # the processor clock is that of one process, so the engine works in this one then
        taught = partial(vocabulary, settings)
        engine: Transcriber = (
            EngineProcess(options.engine, options.model, vocabulary=taught)
            if options.clock == "real"
            else load_engine(options.engine, EngineOptions(options.model, vocabulary=taught))
        )
        questions = load_bank().questions
        waits: list[Wait] = []
        with open_backend(settings) as backend:
            played = play if options.clock == "real" else _replay
            session = Session(backend, lambda: engine, load_hearing(settings))
            for repeat in range(options.repeats):
                question = questions[repeat * 7 % len(questions)]
                sentences = _sentences(options.speech, question, repeat)
                answer = _answer(sentences, lengths_s[-1], repeat)
                if not repeat:
                    played(session, question, _ending(answer, 5.0, options.stop_after))  # loads all
                for length_s in lengths_s:
                    ending = _ending(answer, length_s, options.stop_after)
                    waits.append(played(session, question, ending))
                    _print(waits[-1])
        segment_s = _segment_s(engine, answer, options.clock)
    return _judge(waits, options.repeats, lengths_s, segment_s)


def _judge(
    waits: Sequence[Wait], repeats: int, lengths_s: Sequence[float], segment_s: float
) -> int:
    """Print the table and both rules; the exit status."""
    print(f"\ntranscribing one segment of 28 s: {segment_s:.2f} s\n")
    print("answer   mean wait   longest   processor   against the shortest")
    columns = [waits[number :: len(lengths_s)] for number in range(len(lengths_s))]
    means_s = [mean(each.wait_s for each in column) for column in columns]
    for length_s, column, mean_s in zip(lengths_s, columns, means_s, strict=True):
        longest_s = max(each.wait_s for each in column)
        cpu_s = mean(each.cpu_s for each in column)
        ratio = mean_s / means_s[0]
        print(f"{length_s:4.0f} s {mean_s:9.2f} s {longest_s:7.2f} s {cpu_s:9.2f} s {ratio:12.2f}")
    worst = max(means_s) / means_s[0]
    over_s = max(each.wait_s for each in waits) - segment_s
    rules = (
        (worst <= MAX_RATIO, f"at most {MAX_RATIO} times the shortest answer's wait: {worst:.2f}"),
        (
            over_s <= MAX_OVER_SEGMENT_S,
            f"at most one segment and {MAX_OVER_SEGMENT_S} s: longest {over_s:+.2f} s against it",
        ),
    )
    print()
    for kept, text in rules:
        print(f"{'kept  ' if kept else 'MISSED'}  {text}")
    return 0 if all(kept for kept, _ in rules) else 1


def play(session: Session, question: Question, samples: Samples) -> Wait:
    """Play one answer in real time, press stop, wait for the report."""
    live = session.listen(question.id)
    block = round(BLOCK_S * SAMPLE_RATE_HZ)
    began_s = time.monotonic()
    for start in range(0, samples.size, block):
        piece = samples[start : start + block]
        time.sleep(max(0.0, began_s + (start + piece.size) / SAMPLE_RATE_HZ - time.monotonic()))
        live.feed(piece)
    stopped_s, cpu_s = time.monotonic(), time.process_time()
    session.submit(live.result(), save=False)
    return Wait(
        samples.size / SAMPLE_RATE_HZ, time.monotonic() - stopped_s, time.process_time() - cpu_s
    )


def _replay(session: Session, question: Question, samples: Samples) -> Wait:
    """The same work on a clock that runs only while this process computes or nothing is to do."""
    idle_s, length_s = -time.process_time(), samples.size / SAMPLE_RATE_HZ

    def now_s() -> float:
        return idle_s + time.process_time()

    worker, fed = session.worker(question.id, clock=now_s), 0
    block = round(BLOCK_S * SAMPLE_RATE_HZ)
    idle_s = -time.process_time()  # the engine was loaded while the question was spoken
    while not worker.is_done:
        is_over = now_s() >= length_s
        blocks = samples.size if is_over else int(now_s() / BLOCK_S) * block
        until = min(samples.size, max(fed, blocks))
        worker.take(samples[fed:until], is_over=is_over)
        fed = until
        if worker.has_work:
            worker.step()
        else:
            idle_s += min(BLOCK_S, max(0.0, length_s - now_s()))
    session.submit(new_submission(question.id, *worker.result()), save=False)
    return Wait(length_s, now_s() - length_s, now_s() - length_s)


def _segment_s(engine: Transcriber, answer: Samples, clock: str) -> float:
    """How long one full segment takes, the median of some runs."""
    clip = Clip(answer).slice(0.0, engine.max_segment_s)
    now_s = time.monotonic if clock == "real" else time.process_time
    took_s = []
    for _ in range(SEGMENT_RUNS):
        began_s = now_s()
        engine.recognize(clip)
        took_s.append(now_s() - began_s)
    return median(took_s)


def _sentences(folder: Path | None, question: Question, seed: int) -> Iterator[Samples]:
    """Sentences, endlessly: the recordings of a folder, or a model answer spoken by a voice."""
    if folder is not None:
        paths = sorted(path for path in folder.rglob("*") if path.suffix in (".flac", ".wav"))
        if not paths:
            raise SystemExit(f"{folder} holds no .flac or .wav file")
        random.Random(seed).shuffle(paths)
        while True:
            yield from (read_audio(path).samples for path in paths)
    texts = [text for text in question.model_answer.replace("\n", " ").split(". ") if text.strip()]
    spoken = [_flite(text, VOICES[seed % len(VOICES)]) for text in texts]
    while True:
        yield from spoken


def _flite(text: str, voice: str) -> Samples:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", file.name], check=True)
        return read_audio(file.name).samples


def _answer(sentences: Iterator[Samples], length_s: float, seed: int) -> Samples:
    """Sentences with pauses between them, at least so long, from a silence to a last word."""
    dice, size = random.Random(seed), round(length_s * SAMPLE_RATE_HZ)
    parts: list[Samples] = []
    while sum(part.size for part in parts) < size:
        parts.append(np.zeros(round(dice.uniform(*PAUSES_S) * SAMPLE_RATE_HZ), np.float32))
        parts.append(next(sentences))
    samples = np.concatenate(parts)
    # a room is never quite silent
    hiss = np.random.default_rng(seed).standard_normal(samples.size) * 3e-4
    return np.clip(samples + hiss, -1, 1).astype(np.float32)


def _ending(answer: Samples, length_s: float, silence_s: float) -> Samples:
    """The last part of an answer, and the silence before the candidate presses stop."""
    silence = round(silence_s * SAMPLE_RATE_HZ)
    size = round(length_s * SAMPLE_RATE_HZ) - silence
    hiss = np.random.default_rng(1).standard_normal(silence) * 3e-4
    return np.concatenate([answer[-size:], hiss.astype(np.float32)])


def _print(wait: Wait) -> None:
    print(f"{wait.length_s:6.1f} s  waited {wait.wait_s:5.2f} s  ({wait.cpu_s:.2f} s of processor)")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
