"""Reports made by hand, with findings planted where the tests look for them."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from server.contract import (
    Coverage,
    CoverageEvidence,
    Delivery,
    PhraseCoverage,
    Pronunciation,
    Report,
    TermVerdict,
    Transcript,
    Word,
)

MakeReport = Callable[..., Report]


def make_words(text: str, *, start_s: float = 0.0, each_s: float = 0.5) -> tuple[Word, ...]:
    """Words one after the other, each as long as the others."""
    return tuple(
        Word(text=each, start_s=start_s + i * each_s, end_s=start_s + (i + 0.8) * each_s)
        for i, each in enumerate(text.split())
    )


def phrase(
    name: str, indices: tuple[int, ...] = (), status: str = "covered", **more: object
) -> PhraseCoverage:
    """A key phrase with its evidence at these words."""
    evidence = CoverageEvidence(text=f"said {name}", start_s=1.0, word_indices=indices)
    values = {"phrase": name, "status": status, "evidence": evidence if indices else None}
    return PhraseCoverage.model_validate(values | more)


def term(name: str, indices: tuple[int, ...], verdict: str, **more: object) -> TermVerdict:
    """A term at these words."""
    values: dict[str, object] = {
        "term": name,
        "verdict": verdict,
        "word_indices": indices,
        "expected": "ROCK-ee",
        "heard": "ROHSS",
        "phones": "R OW1 S",
        "confidence": 0.9,
        "source": "acoustic",
        "start_s": 2.0,
        "end_s": 2.4,
    }
    return TermVerdict.model_validate(values | more)


@pytest.fixture
def make_report() -> MakeReport:
    """Makes a report: ``make_report(words, phrases=…, terms=…, delivery={…}, notices=…)``."""

    def make(
        words: tuple[Word, ...] | str,
        *,
        phrases: tuple[PhraseCoverage, ...] = (),
        terms: tuple[TermVerdict, ...] = (),
        delivery: dict[str, object] | None = None,
        **more: object,
    ) -> Report:
        typed = isinstance(words, str)
        text = words if isinstance(words, str) else " ".join(word.text for word in words)
        values: dict[str, object] = {
            "question_id": "fabric",
            "created_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
            "grader_version": "1",
            "bank_version": "b1",
            "transcript": Transcript(
                text=text, words=() if typed else words, engine="text" if typed else "fake"
            ),
            "coverage": Coverage(score=0.5, phrases=phrases),
            "pronunciation": Pronunciation(terms=terms),
            "delivery": Delivery.model_validate(
                {"words": len(text.split()), "target_s": 120.0} | (delivery or {})
            ),
        }
        return Report.model_validate(values | more)

    return make
