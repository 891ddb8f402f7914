import os
from pathlib import Path

import pytest

from client.core.settings import SettingsError, load_settings


def test_from_the_environment(tmp_path: Path) -> None:
    settings = load_settings(
        env={
            "ALOUD_BANK": os.pathsep.join(["/one", "", "/two"]),
            "ALOUD_LEXICON": "/words.yaml",
            "ALOUD_SERVER": "https://aloud.example.org/coach/",
            "ALOUD_HOME": str(tmp_path),
        }
    )
    assert settings.bank == (Path("/one"), Path("/two"))
    assert settings.lexicon == (Path("/words.yaml"),)
    assert settings.server == "https://aloud.example.org/coach"
    assert settings.home == tmp_path
    assert settings.database == tmp_path / "aloud.db"


def test_flags_win(tmp_path: Path) -> None:
    settings = load_settings(
        bank=[Path("mine")],
        server="http://localhost:8000",
        home=tmp_path,
        env={"ALOUD_BANK": "/other", "ALOUD_SERVER": "http://other", "ALOUD_HOME": "/other"},
    )
    assert settings.bank == (Path("mine"),)
    assert settings.server == "http://localhost:8000"
    assert settings.home == tmp_path


def test_without_anything() -> None:
    settings = load_settings(env={"ALOUD_SERVER": "", "ALOUD_BANK": "", "ALOUD_HOME": ""})
    assert (settings.bank, settings.lexicon, settings.server) == ((), (), None)
    assert settings.home.is_absolute()
    assert settings.home.name == "aloud"


@pytest.mark.parametrize(
    "address",
    ["localhost:8000", "ftp://host", "http://", "https://host:port", "http://h?x=1", "http://[x"],
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(SettingsError, match="is not a server address"):
        load_settings(server=address, env={})


def test_a_server_address_with_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError, match="no name or password in it") as caught:
        load_settings(server="https://ana:opensesame@aloud.example.org", env={})
    assert "opensesame" not in str(caught.value)


def test_a_judge_from_flags_and_environment() -> None:
    env = {
        "ALOUD_JUDGE": "https://judge.example/v1/chat/completions",
        "ALOUD_JUDGE_MODEL": "big",
        "ALOUD_JUDGE_KEY": " sk-1 ",
    }
    assert load_settings(env={}).judge is None
    judge = load_settings(env=env).judge
    assert judge is not None
    assert (judge.address, judge.model, judge.key) == ("https://judge.example/v1", "big", "sk-1")
    assert "sk-1" not in repr(judge)
    named = load_settings(judge="http://localhost:1234/v1/", judge_model="small", env=env).judge
    assert named is not None
    assert (named.address, named.model) == ("http://localhost:1234/v1", "small")


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"JUDGE": "localhost:11434"}, "is not the address of a judge"),
        ({"JUDGE": "http://name:secret@host/v1"}, "is not the address of a judge"),
        ({"JUDGE": "http://host/v1?key=secret"}, "is not the address of a judge"),
        ({"JUDGE": "http://host/" + "x" * 500}, "is not the address of a judge"),
        ({"JUDGE": "http://host/v1"}, "needs a model"),
        ({"JUDGE": "http://host/v1", "JUDGE_MODEL": "a\nb"}, "needs a model"),
        (
            {"JUDGE": "http://host/v1", "JUDGE_MODEL": "m", "JUDGE_KEY": "two words"},
            "ALOUD_JUDGE_KEY is not a key",
        ),
    ],
)
def test_what_is_no_judge(variables: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load_settings(env={f"ALOUD_{name}": value for name, value in variables.items()})
