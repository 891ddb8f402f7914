"""Words of one answer are hardly ever taken for another role's terms."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from question_bank.loader import load_bank

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_cross", ROOT / "benchmarks/coverage.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_few_phrases_of_other_roles_are_found_loosely(benchmark, lexicon):
    bank = load_bank()
    few = bank.model_copy(update={"questions": bank.questions[::7]})

    judged, found, lines = benchmark.cross(few, lexicon)

    assert judged > 500
    assert found["exact"] + found["inflected"] > 0
    assert sum(found[how] for how in benchmark.LOOSE) == len(lines)
    assert len(lines) <= benchmark.MAX_CROSS_LOOSE * judged
