"""How much memory a recording takes, by its length: the peak of the command and all it starts.

    python benchmarks/memory.py                    # an hour of silence, of noise, 45 s, 10 minutes
    python benchmarks/memory.py --minutes 30       # half an hour spoken, without a pause
    python benchmarks/memory.py --minutes 180 --recalled    # three hours, see below
    python benchmarks/memory.py --minutes 180 --varied      # three hours of 1,344 sentences
    python benchmarks/memory.py --smoke            # seconds of each: does it run, not how much

The words are those of the sample answer with its pauses taken out, over and over; with ``--varied``
they are all of ``../shared/speech``, mixed, 71 voices, many of them hard to understand. With
``--minutes`` the highest value of each tenth of the time is printed too. What is counted
is the proportional set size of the whole tree of processes (Linux: /proc/PID/smaps_rollup), so that
what two of them share counts once. With ``--recalled`` the engine transcribes these words once and
then finds each segment in them, a hundred times as fast; all else is done as ever. Exit status 1
where the goal is missed or a command fails (with --smoke only where one fails).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
import numpy.typing as npt

_COMMAND: Final = "from client.cli import main; main()"
_RECALLED: Final = (
    "from client.engines.engine_process import EngineProcess as Process; "
    "Process.__init__.__kwdefaults__['loader'] = 'benchmarks.memory:recalled'; "
)

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from client.answer.worker import transcribe  # noqa: E402
from client.audio.files import read_audio  # noqa: E402
from client.audio.voice_activity import speech_segments  # noqa: E402
from client.data import demo  # noqa: E402
from client.engines.base import Transcriber  # noqa: E402
from client.engines.engines import EngineOptions, load_engine  # noqa: E402
from pronunciation.clip import (  # noqa: E402
    SAMPLE_RATE_HZ,
    Clip,
    encode_pcm16,
)
from server.contract import Word  # noqa: E402

GOAL_MB: Final = 400.0
_REFUSED: Final = 1
"""The exit status where nobody speaks."""
EVERY_S: Final = 0.1
SPEECH: Final = ROOT.parent / "shared" / "speech"
VARIED_PAUSE_S: Final = 0.35
BLOCK: Final = 60 * SAMPLE_RATE_HZ
NOISE: Final = 0.05
"""Standard deviation of the white noise: -26 dBFS, as loud as speech."""


def dense_words() -> npt.NDArray[np.float32]:
    """The sample answer without its pauses."""
    clip = read_audio(demo.AUDIO)
    return np.concatenate([clip.slice(a, b).samples for a, b in speech_segments(clip)])


def varied_words() -> npt.NDArray[np.float32]:
    """All recordings of ``../shared/speech`` in a fixed order, with short pauses between."""
    files = sorted(path for path in SPEECH.rglob("*") if path.suffix in {".flac", ".wav"})
    np.random.default_rng(1).shuffle(files)
    pause = np.zeros(round(VARIED_PAUSE_S * SAMPLE_RATE_HZ), np.float32)
    return np.concatenate([part for path in files for part in (read_audio(path).samples, pause)])


def write(path: Path, words: npt.NDArray[np.float32], duration_s: float) -> None:
    """A FLAC file of this length, the words over and over; written as it is made."""
    left, at = round(duration_s * SAMPLE_RATE_HZ), 0
    with av.open(str(path), "w") as container:
        stream = container.add_stream("flac", rate=SAMPLE_RATE_HZ, layout="mono")
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=SAMPLE_RATE_HZ)
        while left:
            count = min(left, BLOCK)
            part = words[np.arange(at, at + count) % words.size]
            frame = av.AudioFrame.from_ndarray(
                np.frombuffer(encode_pcm16(part), np.int16)[None], format="s16", layout="mono"
            )
            frame.sample_rate, frame.time_base, frame.pts = (
                SAMPLE_RATE_HZ,
                Fraction(1, SAMPLE_RATE_HZ),
                at,
            )
            for made in resampler.resample(frame):
                container.mux(stream.encode(made))
            left, at = left - count, at + count
        container.mux(stream.encode(None))


class Recalled(Transcriber):
    """An engine for recordings that ``write`` made: it knows the words and finds where they are."""

    def __init__(self, engine: Transcriber) -> None:
        self.name, self.model, self.max_segment_s = engine.name, engine.model, engine.max_segment_s
        samples = dense_words()
        self._period_s = samples.size / SAMPLE_RATE_HZ
        self._words = transcribe(engine, Clip(samples)).words
        points = 1 << (2 * samples.size - 1).bit_length()
        self._spectrum, self._points = np.fft.rfft(np.tile(samples, 2), points), points

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``."""
        begin = np.fft.rfft(clip.samples[: 2 * SAMPLE_RATE_HZ], self._points)
        at = int(np.fft.irfft(self._spectrum * begin.conj())[: self._points // 2].argmax())
        from_s = at / SAMPLE_RATE_HZ % self._period_s
        found = []
        for around in range(3):
            for word in self._words:
                start_s = (word.start_s or 0.0) + around * self._period_s - from_s
                end_s = (word.end_s or 0.0) + around * self._period_s - from_s
                if start_s >= 0.0 and end_s <= clip.duration_s:
                    found.append(word.model_copy(update={"start_s": start_s, "end_s": end_s}))
        return found


def recalled(name: str, options: EngineOptions) -> Transcriber:
    """The named engine, recalled; see ``engines.load_engine``."""
    return Recalled(load_engine(name, options))


def tree_mb(root: int) -> dict[str, float]:
    """The proportional set size of a process and of what it started, in MB, by their commands."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rpartition(")")[2].split()[1]
                )
            except (OSError, IndexError):
                continue
    tree = {root}
    while True:
        grown = tree | {pid for pid, parent in parents.items() if parent in tree}
        if grown == tree:
            break
        tree = grown
    found: dict[str, float] = {}
    for pid in tree:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        kilobytes = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
        name = "command" if pid == root else "engine and others"
        found[name] = found.get(name, 0.0) + kilobytes / 1000
    return found


def watched(
    command: list[str], *, is_recalled: bool = False
) -> tuple[list[dict[str, float]], float, int]:
    """MB by part every ``EVERY_S``, the seconds it took, and the exit status."""
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"ALOUD_HOME": home, "ALOUD_OFFLINE": "1"}
        began_s = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", (_RECALLED if is_recalled else "") + _COMMAND, *command],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        curve = []
        while process.poll() is None:
            curve.append(tree_mb(process.pid))
            time.sleep(EVERY_S)
    return curve, time.monotonic() - began_s, process.returncode


def total_mb(parts: dict[str, float]) -> float:
    """What all parts take together."""
    return sum(parts.values())


def tenths(curve: list[dict[str, float]]) -> str:
    """The highest total of each tenth of the time."""
    parts = np.array_split([total_mb(each) for each in curve], 10)
    return " ".join(f"{part.max():.0f}" for part in parts if part.size)


def main() -> int:
    """Print a line for each recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="only so many minutes of words")
    parser.add_argument("--model", default="tiny.en")
    parser.add_argument("--recalled", action="store_true", help="see above")
    parser.add_argument("--varied", action="store_true", help="see above; with --minutes")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if not Path("/proc/self/smaps_rollup").exists():
        print("this system does not tell the proportional set size: skipped")
        return 0
    if options.varied and not SPEECH.is_dir():
        print(f"{SPEECH} is not there: skipped")
        return 0
    words = varied_words() if options.varied else dense_words()
    silence = np.zeros(1, np.float32)
    noise = np.random.default_rng(1).normal(0.0, NOISE, BLOCK).astype(np.float32)
    engine = ["--engine", "faster-whisper", "--model", options.model]
    assess = ["assess", "--no-save", "--question", demo.QUESTION_ID, *engine]
    cases = [
        ("an hour of silence, assess", silence, 3600.0, assess, _REFUSED),
        ("an hour of white noise, assess", noise, 3600.0, assess, _REFUSED),
        ("45 s of words, assess", words, 45.0, assess, 0),
        ("45 s of words, transcribe", words, 45.0, ["transcribe", *engine], 0),
        ("10 minutes of words, assess", words, 600.0, assess, 0),
    ]
    if options.minutes is not None:
        cases = [(f"{options.minutes:g} minutes of words", words, 60 * options.minutes, assess, 0)]
    if options.smoke:
        cases = [(each[0], each[1], 5.0, each[3], each[4]) for each in cases[:3]]
    met = done = True
    with tempfile.TemporaryDirectory() as folder:
        for name, sound, duration_s, command, expected in cases:
            path = Path(folder) / "recording.flac"
            write(path, sound, duration_s)
            curve, took_s, status = watched(
                [command[0], str(path), *command[1:]], is_recalled=options.recalled
            )
            parts = max(curve, key=total_mb)
            peak = total_mb(parts)
            listed = ", ".join(f"{part} {size:.0f}" for part, size in parts.items())
            done = done and status == expected  # what failed did not need its memory
            fits = peak <= GOAL_MB and status == expected
            met = met and fits
            print(
                f"{name:<32} peak {peak:5.0f} MB ({listed}), {took_s:.0f} s, exit {status}"
                f"{'' if fits else '  MISSED'}",
                flush=True,
            )
            if options.minutes is not None:
                print(f"  highest in each tenth of the time, MB: {tenths(curve)}", flush=True)
    return 0 if done and (met or options.smoke) else 1


if __name__ == "__main__":
    sys.exit(main())
