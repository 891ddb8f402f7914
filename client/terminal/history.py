"""The list of past attempts as the terminal shows it."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from server.contract import AttemptSummary

__all__ = ["history_table"]

_COLUMNS: Final = ("id", "when", "score", "question", "round", "words", "length", "engine")
_CORRECTED: Final = "corrected from"
_RIGHT: Final = frozenset({"id", "score", "words", "length", _CORRECTED})
_SPARED: Final = ("engine", "length", "words", "round", "when")
"""What is left out first where the terminal is too narrow for all; a report has it anyway."""
_GAP_COLUMNS: Final = 2


def history_table(attempts: Iterable[AttemptSummary], columns: int) -> Table:
    """A table of attempts.

    Args:
        attempts: in the order in which they are to stand.
        columns: how wide the terminal is; columns that do not fit are left out, the least telling
            first, before any word is broken.
    """
    rows = [_row(each) for each in attempts]
    shown = [*_COLUMNS, *([_CORRECTED] if any(row[_CORRECTED] for row in rows) else [])]
    for spared in _SPARED:
        if _width(shown, rows) <= columns:
            break
        shown.remove(spared)
    table = Table(box=None, padding=(0, _GAP_COLUMNS, 0, 0), header_style="dim")
    for name in shown:
        table.add_column(name, overflow="fold", justify="right" if name in _RIGHT else "left")
    for row in rows:
        table.add_row(*(Text(row[name], "bold" if name == "question" else "") for name in shown))
    return table


def _width(shown: Sequence[str], rows: Sequence[dict[str, str]]) -> int:
    return sum(max(len(name), *(len(row[name]) for row in rows)) + _GAP_COLUMNS for name in shown)


def _row(attempt: AttemptSummary) -> dict[str, str]:
    graded = attempt.graded_score
    return {
        "id": str(attempt.id),
        "when": f"{attempt.created_at.astimezone():%Y-%m-%d %H:%M}",
        "score": f"{attempt.score:.0%}",
        "question": attempt.question_id,
        "round": attempt.round or "–",
        "words": str(attempt.words),
        "length": f"{attempt.answer_s:.0f} s" if attempt.answer_s is not None else "–",
        "engine": attempt.engine,
        _CORRECTED: "" if graded is None else f"{graded:.0%}",
    }
