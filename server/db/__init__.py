"""The store: attempts and their reports in a SQL database."""

from typing import Final

HEAD_REVISION: Final = "0008"
"""The newest revision in ``migrations/versions``; a test holds the two together. It is written down
so that opening an up-to-date database need not import Alembic (0.3 s and more of start-up)."""

__all__ = ["HEAD_REVISION"]
