"""A report in terminals of any width."""

import io
import re

import pytest
from rich.console import Console

from client.core.settings import ClientSettings
from client.speaking.speaker import Speaker, SpeechOutcome
from client.terminal.report import render_report
from client.terminal.unfinished import offer_repairs
from server.contract import (
    Coverage,
    CoverageEvidence,
    Language,
    PhraseCoverage,
    Pronunciation,
    Report,
    TermVerdict,
)
from tests.client.conftest import make_report, make_submission
from tests.client.terminal.test_leaving import Pressed

RESPELLING = "speck-yuh-luh-tiv-dee-KOH-ding"


@pytest.fixture
def report() -> Report:
    """A phrase denied, and a term with a long respelling."""
    denied = PhraseCoverage(
        phrase="speculative decoding",
        status="covered",
        how="exact",
        evidence=CoverageEvidence(text="speculative decoding", start_s=8.0, end_s=9.0),
        negated=True,
        weight=1.0,
        why="It hides latency.",
        follow_up="When does it help?",
    )
    said = TermVerdict(
        term="speculative decoding",
        verdict="mispronounced",
        heard=RESPELLING,
        expected="SPEK-yuh-luh-tiv dee-KOH-ding",
        confidence=0.92,
        source="acoustic",
        start_s=8.0,
        end_s=9.0,
        tip="Stress the first syllable.",
    )
    answer = make_submission("we never used speculative decoding")
    return make_report(answer).model_copy(
        update={
            "coverage": Coverage(score=0.0, phrases=(denied,)),
            "pronunciation": Pronunciation(terms=(said,)),
        }
    )


def shown(report: Report, columns: int) -> str:
    console = Console(width=columns, force_terminal=False)
    with console.capture() as captured:
        console.print(render_report(report, "Why?"))
    return captured.get()


@pytest.mark.parametrize("columns", [40, 59, 60, 80, 120])
def test_no_word_is_broken_by_the_width(report: Report, columns: int) -> None:
    text = shown(report, columns)
    assert RESPELLING in text
    assert "speculative" in text
    assert max(len(line) for line in text.splitlines()) <= columns


@pytest.mark.parametrize("columns", [40, 80])
def test_a_denied_phrase_is_not_called_covered(report: Report, columns: int) -> None:
    text = re.sub(r"\s+", " ", shown(report, columns))
    assert "≠ said, but denied 1 speculative" in text
    assert "✓ said" not in text
    assert "0 of 1 said" in text


def test_a_term_said_several_times_is_one_line_with_its_places(report: Report) -> None:
    (said,) = report.pronunciation.terms
    again = said.model_copy(update={"start_s": 75.0, "end_s": 76.0, "word_indices": (40,)})
    right = again.model_copy(update={"verdict": "correct", "start_s": 30.0, "heard": None})
    terms = Pronunciation(terms=(said, again, right))
    text = shown(report.model_copy(update={"pronunciation": terms}), 120)
    lines = [line for line in text.splitlines() if said.term in line and "✗" in line]
    assert text.count("✗ mispronounced") == 1
    assert len(lines) == 1, lines
    assert "0:08, 1:15 (said right at 0:30)" in lines[0]


def unclear(term: str, start_s: float | None) -> TermVerdict:
    source = "transcript" if start_s is None else "acoustic"
    return TermVerdict(
        term=term, verdict="unclear", expected="", confidence=0.0, source=source, start_s=start_s
    )


def test_a_number_says_the_repair_of_its_row(
    report: Report, settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (("tense", 3, "I went."), ("hedging", 2, ""), ("article", 1, "I saw a dog."))
    notes = [
        {"kind": kind, "said": "s", "better": f"{kind}!", "why": "", "weight": w, "sentence": all_}
        for kind, w, all_ in kinds
    ]
    language = Language.model_validate({"notes": notes, "by": "rules"})
    assert "3  –   s     article!" in shown(report.model_copy(update={"language": language}), 80)
    said: list[str] = []
    reply = SpeechOutcome(spoken=True)
    monkeypatch.setattr(Speaker, "speak", lambda _, text: said.append(text) or reply)
    for is_terminal, keys in ((True, "32x1\r"), (False, "")):
        console = Console(file=io.StringIO(), force_terminal=is_terminal)
        offer_repairs(console, Pressed(*keys), settings, language)
    assert said == ["article!", "tense!"], "of the second row, style, there is nothing to say"
