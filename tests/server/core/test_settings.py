import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from server.core.settings import ServerSettings, sqlite_url


def test_from_the_environment() -> None:
    settings = ServerSettings.from_env(
        {
            "ALOUD_DATABASE_URL": "sqlite:////data/a.db",
            "ALOUD_BANK": os.pathsep.join(["one", "", "two"]),
        }
    )
    assert settings.database_url == "sqlite:////data/a.db"
    assert settings.bank == (Path("one"), Path("two"))
    assert settings.lexicon == ()


def test_a_database_is_required() -> None:
    with pytest.raises(ValidationError, match="database_url"):
        ServerSettings.from_env({})


@pytest.mark.parametrize("name", ["a.db", "with space & %41?.db", "ü#.db"])
def test_the_url_of_a_file_leads_back_to_the_file(tmp_path: Path, name: str) -> None:
    from server.attempts.store import Store

    Store(sqlite_url(tmp_path / name)).close()
    assert (tmp_path / name).exists()
