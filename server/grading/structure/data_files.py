"""The data files of the rubrics, and the regular expressions in them."""

import re
from collections.abc import Iterable
from importlib import resources
from typing import Any

from question_bank.strict_yaml import parse_yaml


def read_data(name: str) -> dict[str, Any]:
    """The content of a file in ``data/``."""
    file = resources.files("server.grading.structure").joinpath("data", name)
    loaded: dict[str, Any] = parse_yaml(file.read_text("utf-8"), name).data
    return loaded


def whole_words(expressions: Iterable[str]) -> re.Pattern[str]:
    """One pattern that finds any of the expressions between spaces or at an end of the text."""
    either = "|".join(f"(?:{each.strip()})" for each in expressions)
    return re.compile(rf"(?<!\S)(?:{either})(?!\S)")
