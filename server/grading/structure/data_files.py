"""The data files of the rubrics, and the regular expressions in them."""

import re
from collections.abc import Iterable
from importlib import resources
from typing import Any, Final

from question_bank.strict_yaml import parse_yaml

_START: Final = re.compile(r"^\^")
_AT_START: Final = r"(?<=\\n )"


def read_data(name: str) -> dict[str, Any]:
    """The content of a file in ``data/``."""
    file = resources.files("server.grading.structure").joinpath("data", name)
    loaded: dict[str, Any] = parse_yaml(file.read_text("utf-8"), name).data
    return loaded


def whole_words(expressions: Iterable[str]) -> re.Pattern[str]:
    """One pattern that finds any of the expressions between spaces in ``facts.JoinedText``.

    It begins with the space before a word, which is found many times faster than a place where a
    word may begin; ``^`` at the start of an expression is the start of a line.
    """
    either = "|".join(f"(?:{_START.sub(_AT_START, each.strip())})" for each in expressions)
    return re.compile(rf" (?:{either})(?!\S)")
