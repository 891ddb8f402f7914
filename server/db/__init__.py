"""The store: attempts and their reports in a SQL database."""

from typing import Final

HEAD_REVISION: Final = "0011"
"""The newest revision in ``migrations/versions``, which a test checks. It is a constant so that
opening an up-to-date database need not import Alembic (0.3 s or more of startup)."""

__all__ = ["HEAD_REVISION"]
