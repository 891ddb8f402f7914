"""What stands between Whisper and its engine where a window is sampled."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from client.engines.faster_whisper_engine import LeanModel


def test_of_several_hypotheses_the_likeliest_is_taken() -> None:
    asked: list[dict[str, Any]] = []
    scores = iter([-1.5, -0.5, -2.0, -0.25])

    def generate(features: Sequence[float], **options: Any) -> list[SimpleNamespace]:
        asked.append(options)
        return [SimpleNamespace(scores=[next(scores)])]

    model = LeanModel(lambda: SimpleNamespace(generate=generate, is_multilingual=False))

    (best,) = model.generate(np.zeros(3), num_hypotheses=3, beam_size=1)
    (only,) = model.generate(np.zeros(3), beam_size=5)

    assert (best.scores, only.scores) == ([-0.5], [-0.25])
    assert asked == [{"beam_size": 1}] * 3 + [{"beam_size": 5}]
    assert not model.is_multilingual


def test_only_a_model_that_has_sampled_is_loaded_again() -> None:
    loaded: list[SimpleNamespace] = []

    def load() -> SimpleNamespace:
        best = SimpleNamespace(scores=[0.0])
        loaded.append(SimpleNamespace(generate=lambda features, **options: [best]))
        return loaded[-1]

    model = LeanModel(load)
    model.generate(np.zeros(3), beam_size=5)
    model.forget_samples()
    assert len(loaded) == 1

    model.generate(np.zeros(3), beam_size=1, num_hypotheses=5, sampling_topk=0)
    model.forget_samples()
    model.forget_samples()
    assert len(loaded) == 2
