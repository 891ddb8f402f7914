"""What a server that is older than this client does not know in an answer, and refuses."""

import re
from collections.abc import Iterable
from typing import Any, Final

_UNKNOWN: Final = re.compile(r"body\.([\w.]+): Extra inputs are not permitted")
"""What a server says of a field that it does not know: since 0.1.0, one line for each."""


def unknown_fields(errors: Iterable[str]) -> frozenset[str]:
    """The fields that a server named as unknown; empty where it refused for any other reason.

    Places in a list become ``*``: a field that one word may not have, none may have.
    """
    found = [(line, _UNKNOWN.fullmatch(line)) for line in errors]
    # a server names no more than twenty faults
    matches = [match for line, match in found if not re.fullmatch(r"and \d+ more", line)]
    if not all(matches):
        return frozenset()
    return frozenset(re.sub(r"\.\d+(?=\.)", ".*", match[1]) for match in matches if match)


def without(fields: Iterable[str]) -> dict[str, Any]:
    """These fields as pydantic's ``exclude``."""
    tree: dict[str, Any] = {}
    for field in fields:
        *above, last = field.replace("*", "__all__").split(".")
        here = tree
        for name in above:
            here = here.setdefault(name, {})
        here[last] = True
    return tree
