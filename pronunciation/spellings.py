"""What a transcriber was seen to write for a term; ``scripts/spellings.py`` makes the data."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def spellings() -> Mapping[str, Mapping[str, int]]:
    """How often each spelling was seen, by the term; both in lower case."""
    file = resources.files("pronunciation").joinpath("data/spellings.json")
    table: dict[str, dict[str, int]] = json.loads(file.read_text("utf-8"))
    return {term.casefold(): counts for term, counts in table.items()}
