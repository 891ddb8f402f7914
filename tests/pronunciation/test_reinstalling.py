"""The command that repairs a package fits the environment."""

import sys
from pathlib import Path

import pytest

from pronunciation import errors
from pronunciation.errors import reinstall_command


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an environment without pip."""
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    monkeypatch.setattr(sys, "executable", "the/python")
    return tmp_path / ".venv"


def test_with_pip_it_is_pip(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: object())

    assert reinstall_command("one==1.0") == "pip install --force-reinstall --no-deps one==1.0"


def test_in_a_checkout_it_is_uv_sync_with_the_group(prefix: Path) -> None:
    (prefix.parent / "pyproject.toml").touch()

    assert reinstall_command("one==1.0") == "uv sync --inexact --reinstall-package one"
    assert reinstall_command("one==1.0", "two", group="benchmarks") == (
        "uv sync --inexact --group benchmarks --reinstall-package one --reinstall-package two"
    )


def test_in_another_environment_of_uv_it_names_the_interpreter(prefix: Path) -> None:
    assert reinstall_command("one==1.0", "two") == (
        "uv pip install --python the/python --reinstall --no-deps one==1.0 two"
    )
