"""Here the migrations themselves are tested."""

import pytest

from server.db import migrate
from tests.worlds.new_databases import migrate_in_full


@pytest.fixture(autouse=True)
def _in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "_run", migrate_in_full)
