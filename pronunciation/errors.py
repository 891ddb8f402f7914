"""The errors of this package but those of its files, and what mends a damaged package."""

import sys
from importlib.util import find_spec
from pathlib import Path


class PronunciationError(Exception):
    """Base of this package's errors; its text is for a person."""


class PhoneError(PronunciationError, ValueError):
    """A phone string is not ARPAbet. A ``ValueError`` too, so that pydantic names the field."""


class AudioError(PronunciationError):
    """A clip cannot be used: empty, too long, not finite."""


class HearingError(PronunciationError):
    """The hearing cannot judge this clip and these words."""


def reinstall_command(*requirements: str, group: str = "") -> str:
    """What to run; an environment that uv made has no pip.

    Args:
        requirements: the packages, each with or without its version (``name==1.0``).
        group: the dependency group of Aloud's own project that they are in, if it is not installed
            by default.
    """
    if find_spec("pip") is not None:
        return f"pip install --force-reinstall --no-deps {' '.join(requirements)}"
    if not _is_of_project():
        python = sys.executable
        return f"uv pip install --python {python} --reinstall --no-deps {' '.join(requirements)}"
    names = [requirement.partition("==")[0] for requirement in requirements]
    packages = " ".join(f"--reinstall-package {name}" for name in names)
    # exactly synchronized, the environment would lose the packages of other groups
    return f"uv sync --inexact {f'--group {group} ' if group else ''}{packages}"


def _is_of_project() -> bool:
    """Whether the environment lies in a checkout of Aloud, as ``uv sync`` makes it."""
    return (Path(sys.prefix).parent / "pyproject.toml").is_file()
