"""The list of attempts in terminals of any width."""

from datetime import UTC, datetime

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
