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


def test_a_relative_home_does_not_move_with_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(env={"ALOUD_HOME": "data"}).home == tmp_path / "data"


@pytest.mark.parametrize(
    "address",
    ["localhost:8000", "ftp://host", "http://", "https://host:port", "http://h?x=1", "http://[x"],
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(SettingsError, match="is not a server address"):
        load_settings(server=address, env={})
