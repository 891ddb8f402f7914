"""The list of attempts in terminals of any width."""

from datetime import UTC, datetime

import pytest
from rich.console import Console

from client.terminal.report import history_table
from server.contract import AttemptSummary

ATTEMPT = AttemptSummary(
    id=12,
    question_id="kv-cache-capacity-on-one-node",
    role="ml-platform-engineer",
    round="domain-deep-dive",
    topic="Serving",
    created_at=datetime(2026, 3, 1, 12, tzinfo=UTC),
    score=0.5,
    words=120,
    answer_s=61.0,
    engine="faster-whisper",
)


def test_a_corrected_score_takes_no_other_column_away() -> None:
    corrected = ATTEMPT.model_copy(update={"graded_score": 0.25})
    table = history_table([ATTEMPT, corrected], 120)
    assert [str(each.header) for each in table.columns][-3:] == ["length", "engine", "graded"]
    assert [str(each) for each in table.columns[-1].cells] == ["", "25%"]


@pytest.mark.parametrize(
    ("columns", "there", "spared"),
    [
        (120, ["engine", "faster-whisper", "domain-deep-dive", "61 s"], []),
        (100, ["domain-deep-dive", "61 s"], ["engine"]),
        (80, ["2026-03-01"], ["engine", "length"]),
        (50, ["50%"], ["engine", "round", "when"]),
    ],
)
def test_columns_are_spared_before_a_word_is_broken(
    columns: int, there: list[str], spared: list[str]
) -> None:
    console = Console(width=columns, force_terminal=False)
    with console.capture() as captured:
        console.print(history_table([ATTEMPT], columns))
    text = captured.get()
    assert ATTEMPT.question_id in text
    assert [each for each in there if each not in text] == []
    assert [each for each in spared if each in text] == []
    assert len(text.splitlines()) == 2
