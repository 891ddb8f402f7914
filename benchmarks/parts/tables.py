"""What a part found: tables, as JSON between processes and as Markdown in the document."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

Cell = str | float | int


@dataclass(frozen=True)
class Table:
    """One table with what has to be said about it.

    Attributes:
        title: what it shows.
        columns: their names, with units.
        rows: the cells.
        notes: one paragraph each, below it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """For a file of results."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Table":
        """What ``to_json`` made."""
        return cls(**stored)

    def to_markdown(self) -> str:
        """A heading, the table, its notes."""
        lines = [f"### {self.title}", ""]
        if self.rows:
            lines += [_line(self.columns), _line("---" for _ in self.columns)]
            lines += [_line(shown(cell) for cell in row) for row in self.rows]
            lines.append("")
        for note in self.notes:
            lines += [note, ""]
        return "\n".join(lines)


def shown(cell: Cell) -> str:
    """A number with three digits that count."""
    if isinstance(cell, str):
        return cell.replace("|", "\\|")
    if isinstance(cell, int):
        return f"{cell:,}"
    if cell != cell:
        return "–"
    digits = 0 if abs(cell) >= 100 else 1 if abs(cell) >= 10 else 2 if abs(cell) >= 1 else 3
    return f"{cell:,.{digits}f}"


def _line(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"
