"""A question as form fields: texts as typed, lists with one item per line, rows of key phrases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from question_bank.errors import FieldPath
from question_bank.models import Question

NUMBERS: Final = ("difficulty", "answer_seconds")
TEXTS: Final = ("id", "round", "kind", "topic", *NUMBERS, "prompt", "model_answer", "sources")
CHOICES: Final = ("signals", "opens")
_PHRASE_TEXTS: Final = ("phrase", "weight", "why", "follow_up")
_PHRASE_LINES: Final = ("aliases", "any_of", "ways", "not", "formerly", "own")
ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "key_phrases": (*_PHRASE_TEXTS, *_PHRASE_LINES),
    "beats": ("name", "ask", "ways"),
    "probes": ("ask", "expects"),
}
_LINES: Final = frozenset((*_PHRASE_LINES, "ways", "sources"))
MAX_ROWS: Final = 100
"""The built-in bank's questions have up to a dozen key phrases."""

_DEFAULTS: Final = {"difficulty": 3, "answer_seconds": 120, "weight": 1}

Row = Mapping[str, str]


@dataclass(frozen=True)
class Typed:
    """The content of the form.

    Attributes:
        texts: the fields with one value.
        choices: what is ticked in each list of fixed values.
        rows: the key phrases and the parts of the answer.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def without_empty_rows(self) -> "Typed":
        """Rows without typed text do not count; the weight is filled in from the start."""
        rows = {
            name: tuple(row for row in rows if any(row[key] for key in row if key != "weight"))
            for name, rows in self.rows.items()
        }
        return replace(self, rows=rows)

    def with_rows(self, do: str) -> "Typed | None":
        """The form after a button was pressed: ``add-beats``, ``remove-key_phrases-2``, ``up-…``.

        Returns:
            ``None`` if there is no such button.
        """
        what, _, place = do.partition("-")
        name, _, index = place.partition("-")
        if name not in ROWS:
            return None
        rows = list(self.rows.get(name, ()))
        if what == "add" and len(rows) < MAX_ROWS:
            rows.append({key: _shown(key, None) for key in ROWS[name]})
        elif what in ("remove", "up") and index.isdecimal() and int(index[:4]) < len(rows):
            row = rows.pop(int(index[:4]))
            if what == "up":
                rows.insert(max(0, int(index[:4]) - 1), row)
        return replace(self, rows={**self.rows, name: tuple(rows)})


def form_of(data: Mapping[str, Any]) -> Typed:
    """The form of a question."""
    return Typed(
        texts={name: _shown(name, data.get(name)) for name in TEXTS},
        choices={name: tuple(map(str, data.get(name) or ())) for name in CHOICES},
        rows={
            name: tuple(
                {key: _shown(key, row.get(key)) for key in keys} for row in data.get(name) or ()
            )
            for name, keys in ROWS.items()
        },
    )


def data_of(question: Question) -> dict[str, Any]:
    """The fields of a question of the bank, as in YAML, without those that have their default."""
    data = question.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"role"})
    return {"kind": question.kind, **data}


def read_form(sent: Iterable[tuple[str, str]]) -> Typed:
    """The fields of a form, lines ending in LF; names that it does not have are left out."""
    texts = dict.fromkeys(TEXTS, "")
    choices: dict[str, tuple[str, ...]] = dict.fromkeys(CHOICES, ())
    rows: dict[str, dict[int, dict[str, str]]] = {name: {} for name in ROWS}
    for name, value in sent:
        clean = value.strip()
        part, _, rest = name.partition("-")
        index, _, key = rest.partition("-")
        if name in texts:
            texts[name] = clean
        elif name in choices:
            choices[name] = (*choices[name], clean)
        elif part in ROWS and key in ROWS[part] and index.isdecimal() and len(index) < 4:
            rows[part].setdefault(int(index), dict.fromkeys(ROWS[part], ""))[key] = clean
    listed = {
        name: tuple(row for _, row in sorted(found.items()))[:MAX_ROWS]
        for name, found in rows.items()
    }
    return Typed(texts, choices, listed)


def wanted_of(typed: Typed, old: Mapping[str, Any]) -> dict[str, Any]:
    """The question's fields, as in YAML.

    Args:
        typed: the form.
        old: the fields before; a default is written only if it was written before.
    """
    made: dict[str, Any] = {}
    for name in TEXTS:
        _put(made, name, typed.texts.get(name, ""), old)
    for name in CHOICES:
        if typed.choices.get(name):
            made[name] = list(typed.choices[name])
    for name in ROWS:
        before = [each for each in old.get(name) or () if isinstance(each, dict)]
        items = [_item_of(row, before) for row in typed.rows.get(name, ())]
        if items or name == "key_phrases":
            made[name] = items
    for name in old:  # fields that the form does not have
        if name not in (*TEXTS, *CHOICES, *ROWS):
            made[name] = old[name]
    return {name: made[name] for name in sorted(made, key=_place)}


def field_id(path: FieldPath) -> str:
    """The id of the element for a field of a question."""
    return "-".join(str(part) for part in path[:3]) if path else ""


def _item_of(row: Row, before: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    name = next(iter(row))
    old = next((each for each in before if str(each.get(name, "")).strip() == row[name]), {})
    for key, text in row.items():
        _put(made, key, text, old)
    return made


def _put(made: dict[str, Any], name: str, text: str, old: Mapping[str, Any]) -> None:
    value = _value(name, text)
    if value not in ("", []) and (name in old or value != _DEFAULTS.get(name)):
        made[name] = value


def _value(name: str, text: str) -> str | int | float | list[str]:
    """The number in a number field; anything else is left for the reader of the bank to refuse."""
    if name in _LINES:
        return [line.strip() for line in text.split("\n") if line.strip()]
    if name in _DEFAULTS:
        try:
            number = float(text)
        except ValueError:
            return text
        if abs(number) < 1e9:  # not infinity or NaN
            return int(number) if number == int(number) else number
    return text


def _shown(name: str, value: Any) -> str:
    if value is None:
        return str(_DEFAULTS.get(name, ""))
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value).strip()


_FIELDS: Final = [each.alias or name for name, each in Question.model_fields.items()]


def _place(name: str) -> int:
    return _FIELDS.index(name) if name in _FIELDS else len(_FIELDS)
