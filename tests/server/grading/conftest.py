"""What the grading tests share: judging one sentence, and building a submission."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.contract import Evidence, PhraseCoverage, Submission, Transcript, Word
from server.grading import cover

Judge = Callable[..., PhraseCoverage]
Submit = Callable[..., Submission]


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return load_lexicon()


@pytest.fixture(scope="session")
def benchmark() -> ModuleType:
    """``benchmarks/coverage.py``, which is no module of a package."""
    path = Path(__file__).resolve().parents[3] / "benchmarks/coverage.py"
    spec = importlib.util.spec_from_file_location("bench_coverage", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def judge(lexicon: Lexicon) -> Judge:
    def run(
        phrase: str, said: str, *, aliases: Sequence[str] = (), strict: bool = False
    ) -> PhraseCoverage:
        phrases = [KeyPhrase(phrase=phrase, aliases=tuple(aliases))]
        return cover(phrases, said.split(), lexicon, strict=strict).phrases[0]

    return run


@pytest.fixture(scope="session")
def question() -> Question:
    return Question(
        id="planted",
        round="domain-deep-dive",
        topic="Serving",
        prompt="How do you serve it?",
        model_answer="With continuous batching and a KV cache over RoCE.",
        answer_seconds=60,
        key_phrases=(
            KeyPhrase(phrase="continuous batching", why="It fills the GPU.", weight=2),
            KeyPhrase(phrase="KV cache"),
            KeyPhrase(phrase="RoCE"),
        ),
    )


def timed(text: str, word_s: float = 0.5) -> tuple[Word, ...]:
    """Words of equal length, one after the other."""
    return tuple(
        Word(text=word, start_s=at * word_s, end_s=(at + 1) * word_s)
        for at, word in enumerate(text.split())
    )


@pytest.fixture(scope="session")
def submit() -> Submit:
    def build(
        text: str, *, engine: str = "text", times: bool = False, evidence: Evidence | None = None
    ) -> Submission:
        return Submission(
            submission_id="a" * 32,
            question_id="planted",
            created_at=datetime(2026, 1, 2, tzinfo=UTC),
            transcript=Transcript(text=text, engine=engine, words=timed(text) if times else ()),
            evidence=evidence or Evidence(),
        )

    return build
