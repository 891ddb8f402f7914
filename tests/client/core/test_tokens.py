import stat
import sys
from pathlib import Path

import pytest

from client.core.settings import SettingsError, load_settings
from client.core.tokens import TokenFileError, forget_token, keep_token, stored_token, token_file

SERVER = "https://aloud.example.org"


def test_a_token_is_kept_for_exactly_its_server(tmp_path: Path) -> None:
    home = tmp_path / "home"
    keep_token(home, SERVER, "aloud_one")
    keep_token(home, SERVER + "/other", "aloud_two")
    keep_token(home, SERVER, "aloud_three")
    assert stored_token(home, SERVER) == "aloud_three"
    assert stored_token(home, SERVER + "/other") == "aloud_two"
    assert stored_token(home, "http://aloud.example.org") is None
    assert stored_token(home, SERVER + ".evil.example") is None
    assert forget_token(home, SERVER) is True
    assert forget_token(home, SERVER) is False
    assert stored_token(home, SERVER) is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the user's folder by ACL")
def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    token_file(tmp_path).write_text("{}")
    token_file(tmp_path).chmod(0o644)
    keep_token(tmp_path, SERVER, "aloud_one")
    assert stat.S_IMODE(token_file(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", " ", "a b", "a\nb", "a\r\nX-Other: b", "ü", "x" * 501])
def test_what_is_no_token_is_not_kept(tmp_path: Path, text: str) -> None:
    with pytest.raises(TokenFileError, match="not a token"):
        keep_token(tmp_path, SERVER, text)
    assert not token_file(tmp_path).exists()


@pytest.mark.parametrize("content", ["{cut", "[]", '{"a": 1}', "null", '"text"'])
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    token_file(tmp_path).write_text(content)
    with pytest.raises(TokenFileError, match="aloud login"):
        stored_token(tmp_path, SERVER)
    with pytest.raises(TokenFileError, match="aloud login"):
        load_settings(server=SERVER, home=tmp_path, env={})
    assert load_settings(home=tmp_path, env={}).token is None


def test_the_environments_token_wins_and_shows_up_nowhere(tmp_path: Path) -> None:
    keep_token(tmp_path, SERVER, "aloud_kept")
    env = {"ALOUD_SERVER": SERVER + "/", "ALOUD_TOKEN": " aloud_given\n"}
    assert load_settings(home=tmp_path, env={"ALOUD_SERVER": SERVER}).token == "aloud_kept"
    settings = load_settings(home=tmp_path, env=env)
    assert settings.token == "aloud_given"
    assert "aloud_given" not in repr(settings)
    assert load_settings(home=tmp_path, env={"ALOUD_TOKEN": "aloud_given"}).token is None
    with pytest.raises(SettingsError, match="ALOUD_TOKEN"):
        load_settings(home=tmp_path, env=env | {"ALOUD_TOKEN": "two words"})
