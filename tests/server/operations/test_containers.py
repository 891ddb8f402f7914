"""What can be said of the container files without an engine to run them."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from client.cli.app import app
from scripts import image_steps
from server.core.settings import ServerSettings

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The instructions of the Containerfile: word and rest."""
    return image_steps.steps((ROOT / "Containerfile").read_text(encoding="utf-8"))


def assert_is_a_command(words: list[str]) -> None:
    assert words[0] == "aloud"
    known = get_command(app)
    command = known.commands[words[1]]  # type: ignore[attr-defined]
    while hasattr(command, "commands"):
        words = words[1:]
        command = command.commands[words[1]]
    options = {name for each in command.params for name in each.opts}
    assert {each for each in words if each.startswith("--")} <= options


def test_the_image_runs_as_nobody_special_and_with_a_python_that_is_supported(
    steps: list[tuple[str, str]],
) -> None:
    last = [word for word, _ in steps].index("USER")
    assert dict(steps)["USER"] == "aloud"
    assert "RUN" not in [word for word, _ in steps[last:]]
    stages = [rest for word, rest in steps if word == "FROM"]
    assert len(stages) == 2
    (version,) = {re.search(r"python:(\d+\.\d+)-slim", each)[1] for each in stages}  # type: ignore[index]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    installs = [rest for word, rest in steps if word == "RUN" and "-r requirements.lock" in rest]
    assert len(installs) == 1 and "--require-hashes" in installs[0]


def test_the_commands_exist(steps: list[tuple[str, str]], compose: dict[str, Any]) -> None:
    assert_is_a_command(yaml.safe_load(dict(steps)["CMD"]))
    assert_is_a_command(compose["services"]["aloud"]["command"])
    texts = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("compose.yaml", "docs/operations.md")
    ]
    message = [line for text in texts for line in re.findall(r"run --rm aloud (aloud .*)", text)]
    assert len(message) == 2
    for line in message:
        assert_is_a_command(shlex.split(line))


def test_there_is_no_secret_in_the_files(compose: dict[str, Any]) -> None:
    password = re.compile(r"\$\{ALOUD_DATABASE_PASSWORD:\?[^}]+\}")
    database, aloud = (compose["services"][name]["environment"] for name in ("database", "aloud"))
    assert password.fullmatch(database["POSTGRES_PASSWORD"])
    url = aloud["ALOUD_DATABASE_URL"]
    assert re.fullmatch(r"[a-z+]+://aloud:" + password.pattern + "@database/aloud", url)
    assert "ALOUD_SECRET" not in aloud
    assert aloud["ALOUD_HOSTS"].startswith("${ALOUD_HOSTS:?")
    assert compose["services"]["aloud"]["ports"] == ["127.0.0.1:8017:8017"]
    assert "ports" not in compose["services"]["database"]


def test_the_server_understands_the_settings(compose: dict[str, Any]) -> None:
    given = {
        name: re.sub(r"\$\{[A-Z_]+:-([^}]*)\}", r"\1", value).replace(
            "${ALOUD_HOSTS:?", "a.example #"
        )
        for name, value in compose["services"]["aloud"]["environment"].items()
    }
    given["ALOUD_DATABASE_URL"] = re.sub(r"\$\{[^}]*\}", "p", given["ALOUD_DATABASE_URL"])
    settings = ServerSettings.from_env(given)
    assert settings.database_url == "postgresql+psycopg://aloud:p@database/aloud"
    assert settings.log_level == "info"
    assert settings.needs_accounts


def test_the_lock_pins_what_the_image_installs(steps: list[tuple[str, str]]) -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))
    assert {"prometheus-client", "fastapi", "sqlalchemy", "uvicorn"} <= pinned
    assert "--hash=sha256:" in lock
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    found = [each for _, rest in steps for each in re.findall(r"\.whl\)\[([\w,]+)\]", rest)]
    named = {extra for each in found for extra in each.split(",")}
    assert named <= set(extras)
    # several processes, and both formats that a coach can choose for a cohort
    assert named == {"postgres", "exports"}


def test_the_database_counts_as_ready_only_where_the_server_reaches_it(
    compose: dict[str, Any],
) -> None:
    # the image's first start runs a server for itself that listens on the socket only
    (_, command) = compose["services"]["database"]["healthcheck"]["test"]
    assert command.startswith("pg_isready --host 127.0.0.1 ")
    waits = compose["services"]["aloud"]["depends_on"]["database"]["condition"]
    assert waits == "service_healthy"
