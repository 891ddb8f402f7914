"""``aloud user``, ``login``, ``logout`` and what ``serve`` refuses."""

import json
import re
from typing import Any

import pytest

from client.core.settings import load_settings
from client.core.tokens import stored_token
from tests.client.cli.conftest import Run


def users(run: Run) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(run("user", "list", "--json").stdout)}


def test_accounts_from_the_command_line(run: Run) -> None:
    assert "no account yet" in run("user", "list").stdout
    made = run("user", "add", "Ed", "--role", "admin", "--server", "https://aloud.example.org/")
    assert re.fullmatch(r"https://aloud\.example\.org/invitation/[\w-]{43}\n", made.stdout), (
        made.stderr
    )
    assert "not shown again" in made.stderr
    run("user", "cohort", "add", "spring", "--audio-days", "30")
    assert run("user", "add", "cleo", "--role", "coach", "--cohort", "spring").exit_code == 0
    assert run("user", "add", "ana", "--display-name", "Ana S.").exit_code == 0
    assert run("user", "cohort", "assign", "spring", "ana").exit_code == 0
    found = users(run)
    assert [(each["role"], each["state"], each["cohorts"]) for each in found.values()] == [
        *(("candidate", "invited", ["spring"]), ("coach", "invited", ["spring"])),
        ("admin", "invited", []),
    ]
    (cohort,) = json.loads(run("user", "cohort", "list", "--json").stdout)
    assert cohort == {
        "name": "spring",
        "audio_days": 30,
        "members": [{"name": "ana", "as_role": "candidate"}, {"name": "cleo", "as_role": "coach"}],
    }
    assert "Ana S." in run("user", "list").stdout
    assert "cleo" in run("user", "cohort", "list").stdout
    assert run("user", "disable", "ana").exit_code == 0
    assert users(run)["ana"]["state"] == "disabled"
    assert run("user", "invite", "ana").exit_code == 1
    assert run("user", "enable", "ana").exit_code == 0
    assert "/invitation/" in run("user", "invite", "ana").stdout
    assert run("user", "role", "ana", "coach").exit_code == 0
    assert run("user", "cohort", "unassign", "spring", "ana").exit_code == 0
    assert run("user", "cohort", "delete", "spring").exit_code == 0
    kept = run("user", "delete", "ana", input="n\n")
    assert kept.exit_code == 1 and "ana" in users(run)
    assert run("user", "delete", "ana", "--yes").exit_code == 0
    assert set(users(run)) == {"ed", "cleo"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "two words"), "without spaces"),
        (("add", "ed"), "already"),
        (("delete", "ed", "--yes"), "only admin"),
        (("disable", "ed"), "only admin"),
        (("role", "ed", "coach"), "only admin"),
        (("invite", "nobody"), "no account 'nobody'"),
        (("cohort", "assign", "none", "ed"), "no cohort 'none'"),
        (("add", "ana", "--cohort", "none"), "no cohort 'none'"),
        (("token", "revoke", "ed", "7"), "no token 7"),
        (("token", "add", "ed", "--label", " "), "label"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_is_refused_is_one_clear_line(
    run: Run, arguments: tuple[str, ...], words: str
) -> None:
    run("user", "add", "ed", "--role", "admin")
    result = run("user", *arguments)
    assert result.exit_code == 1
    assert words in result.stderr and result.stderr.count("\n") == 1
    assert result.stdout == "" and set(users(run)) == {"ed"}


def test_tokens_from_the_command_line(run: Run) -> None:
    run("user", "add", "ed", "--role", "admin")
    secret = run("user", "token", "add", "ed", "--label", "my laptop").stdout.strip()
    assert re.fullmatch(r"aloud_[\w-]{43}", secret)
    (token,) = json.loads(run("user", "token", "list", "ed", "--json").stdout)
    assert (token["label"], token["revoked_at"]) == ("my laptop", None)
    assert secret.startswith(token["prefix"]) and secret not in json.dumps(token)
    assert "never" in run("user", "token", "list", "ed").stdout
    assert run("user", "token", "revoke", "ed", str(token["id"])).exit_code == 0
    assert "revoked" in run("user", "token", "list", "ed").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--host", "0.0.0.0"), "aloud user add NAME --role admin"),
        (("--host", "::"), "aloud user add NAME --role admin"),
        (("--host", "aloud.example.org"), "aloud user add NAME --role admin"),
        (("--name", "aloud.example.org"), "aloud user add NAME --role admin"),
    ],
)
def test_serve_says_why_it_does_not(run: Run, arguments: tuple[str, ...], words: str) -> None:
    result = run("serve", *arguments)
    assert result.exit_code == 1
    assert words in result.stderr


def test_serve_beyond_loopback_wants_its_names(run: Run) -> None:
    run("user", "add", "ed", "--role", "admin")
    result = run("serve", "--host", "0.0.0.0")
    assert result.exit_code == 1 and "--name" in result.stderr


def test_a_setting_of_the_server_that_cannot_be_is_one_line_without_its_value(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALOUD_SECRET", "too short")
    result = run("user", "list")
    assert result.exit_code == 1
    assert "ALOUD_SECRET" in result.stderr and "too short" not in result.stderr


def test_login_keeps_only_a_token_that_the_server_takes(
    run: Run, loopback_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = loopback_server.url
    home = load_settings().home
    monkeypatch.setenv("ALOUD_DATABASE_URL", f"sqlite:///{loopback_server.database}")
    run("user", "add", "ed", "--role", "admin")
    token = run("user", "token", "add", "ed", "--label", "laptop").stdout.strip()
    monkeypatch.delenv("ALOUD_DATABASE_URL")

    message = run("history", "--server", server)
    assert message.exit_code == 1 and f"aloud login {server}" in message.stderr
    for wrong in ("aloud_wrong\n", "\n", "two words\n"):
        assert run("login", server, input=wrong).exit_code == 1
        assert stored_token(home, server) is None
    result = run("login", server + "/", input=f" {token} \n")
    assert result.exit_code == 0, result.stderr
    assert token not in result.stdout + result.stderr
    assert run("history", "--server", server).exit_code == 0

    monkeypatch.setenv("ALOUD_TOKEN", "aloud_wrong")
    assert "refuses this client's token" in run("history", "--server", server).stderr
    monkeypatch.delenv("ALOUD_TOKEN")
    assert run("logout", server).exit_code == 0
    assert run("logout", server).exit_code == 1
    assert run("history", "--server", server).exit_code == 1
    assert run("login", input=token).exit_code == 2
