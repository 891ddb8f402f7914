"""What each stage of an assessment costs, in processor seconds a minute of sound.

python benchmarks/stages.py [AUDIO --question ID] [--model base]

Computing time is counted, not waiting, so a busy machine changes little. Without AUDIO it is the
demo's answer. Goal: all but the engine takes at most 15 % of the time.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as ``client.cli`` does

from platformdirs import user_cache_dir

from client.answer.hearing import load_hearing
from client.answer.session import Session, new_submission
from client.audio.files import read_audio
from client.backend.opening import open_direct
from client.core.settings import load_settings
from client.data import demo
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import Clip, LogProbs, Passage
from server.contract import Word
from server.grading.language import find_errors

T = TypeVar("T")
GOAL_SHARE = 0.15
LANGUAGE_MODEL = Path(user_cache_dir("aloud")) / "language"
ENGLISH = "English"
"""Of a bulk run, which waits for it; elsewhere it follows the report."""


class Costs(dict[str, float]):
    """Processor seconds by stage."""

    def of(self, stage: str, work: Callable[[], T]) -> T:
        """Does the work and adds what it cost."""
        began_s = time.process_time()
        result = work()
        self[stage] = self.get(stage, 0.0) + time.process_time() - began_s
        return result


class Counted(Transcriber):
    """An engine whose cost is counted."""

    def __init__(self, engine: Transcriber, costs: Costs) -> None:
        self._engine, self._costs = engine, costs
        self.name, self.model, self.max_segment_s = engine.name, engine.model, engine.max_segment_s

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``."""
        return self._costs.of("engine", lambda: self._engine.recognize(clip))

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """See ``Transcriber``."""
        return self._costs.of("engine's decoder", lambda: self._engine.decode(passages))


def processor_costs(clip: Clip, question: str, model: str) -> tuple[Costs, Costs]:
    """What each stage of assessing a recording costs, and what loading does, once a worker."""
    loading, costs = Costs(), Costs()
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings(home=Path(home), env={})
        backend = loading.of("server and bank", lambda: open_direct(settings))
        engine = loading.of(
            "engine", lambda: load_engine("faster-whisper", EngineOptions(model, offline=True))
        )
        hearing = load_hearing(settings)
        loading.of("hearing", hearing.warm)

        counted = Counted(engine, costs)

        def hear(*arguments: Any) -> Any:
            return costs.of("hearing", lambda: hearing(*arguments, decode=counted.decode))

        session = Session(backend, lambda: counted, hear)

        def assess(sound: Clip) -> None:
            worker = session.recording_worker(question)
            transcript, evidence = costs.of("voice activity", lambda: worker.run(sound))
            submission = new_submission(question, transcript, evidence)
            report = costs.of("grading", lambda: session.submit(submission, save=False)).report
            assert report is not None
            costs.of(ENGLISH, partial(find_errors, LANGUAGE_MODEL, report))

        # half of it, at most a minute: makes what all later answers share
        assess(clip.slice(0.0, min(clip.duration_s / 2, 60.0)))
        costs.clear()
        assess(clip)
    costs["voice activity"] -= costs["engine"] + costs["hearing"]  # they ran within
    costs["hearing"] -= costs.get("engine's decoder", 0.0)  # it asks
    return costs, loading


def report_s(costs: Mapping[str, float]) -> float:
    """The seconds of all stages that a report waits for."""
    return sum(costs.values()) - costs.get(ENGLISH, 0.0)


def outside_engine_s(costs: Mapping[str, float]) -> float:
    """Those of them that are not the engine's; its decoder is part of it."""
    return report_s(costs) - costs["engine"] - costs.get("engine's decoder", 0.0)


def main() -> int:
    """Measure; exit status 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("audio", nargs="?", type=Path, default=demo.AUDIO)
    parser.add_argument("--question", default=demo.QUESTION_ID)
    parser.add_argument("--model", default="tiny.en")
    named = parser.parse_args()
    first, reading = Costs(), Costs()
    first.of("the first file", lambda: read_audio(demo.AUDIO))
    clip = reading.of("reading the file", lambda: read_audio(named.audio))
    costs, loading = processor_costs(clip, named.question, named.model)
    costs |= reading
    loading |= first
    for stage, spent_s in loading.items():
        print(f"loading: {stage:18} {spent_s:6.2f} s, once a worker")
    total_s = report_s(costs)
    minutes = clip.duration_s / 60
    for stage, spent_s in costs.items():
        print(f"{stage:18} {spent_s / minutes:6.2f} s a minute, {spent_s / total_s:6.1%}")
    share = outside_engine_s(costs) / total_s
    print(f"all but the engine: {share:.1%} of {total_s / minutes:.2f} s, goal {GOAL_SHARE:.0%}")
    return int(share > GOAL_SHARE)


if __name__ == "__main__":
    sys.exit(main())
