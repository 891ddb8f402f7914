"""Each stage of ``assess``: its share of the time, and how it grows with the answer."""

from benchmarks.parts.tables import Table
from benchmarks.stages import outside_engine_s, processor_costs, report_s
from client.audio.files import read_audio
from client.data import demo
from client.engines.weights import find_weights
from pronunciation.clip import Clip

MODELS = ("tiny.en", "base")
GOAL_SHARE = 0.10


def measure(*, quick: bool) -> list[Table]:
    """Processor seconds by stage, of the demo's answer and of twice and four times as long ones."""
    import numpy as np

    whole = read_audio(demo.AUDIO)
    rows: list[list[str | float]] = []
    growth: list[list[str | float]] = []
    models = [each for each in MODELS if find_weights(each) is not None]
    for model in models:
        for times in (1,) if quick and model != models[0] else (1, 2) if quick else (1, 2, 4):
            clip = Clip(np.tile(whole.samples, times))
            costs, _ = processor_costs(clip, demo.QUESTION_ID, model)
            minutes, total_s = clip.duration_s / 60, report_s(costs)
            if times == 1:
                rows += [
                    [model, stage, spent_s / minutes, f"{spent_s / total_s:.1%}"]
                    for stage, spent_s in costs.items()
                ]
                rest_s = outside_engine_s(costs)
                rows.append([model, "all but the engine", rest_s / minutes,
                             f"{rest_s / total_s:.1%} (goal {GOAL_SHARE:.0%})"])  # fmt: skip
            growth.append(
                [model, clip.duration_s, costs["hearing"] / minutes, costs["grading"] / minutes,
                 costs["engine"] / minutes]
            )  # fmt: skip
    return [
        Table(
            "Stages of an assessment",
            ("weights", "stage", "processor s a minute of sound", "share"),
            rows,
            ("The demo's answer, which has many terms. Processor time, so that a busy machine "
             "changes little.",),
        ),
        Table(
            "How hearing and grading grow",
            ("weights", "answer, s", "hearing, s a minute", "grading, s a minute",
             "engine, s a minute"),
            growth,
        ),
    ]  # fmt: skip
