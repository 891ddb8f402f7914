"""What every table shares: the declarative base, keys, instants."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, ForeignKey, Index, Integer, MetaData, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator, TypeEngine

# SQLite only counts up an INTEGER primary key; PostgreSQL gets 64 bits.
Key = BigInteger().with_variant(Integer, "sqlite")


_Read = Callable[[str | None], datetime | None]


class _SqliteInstant(sqlite.DATETIME):
    """Three times faster than SQLAlchemy's regular expression; pages read ten thousand times."""

    def result_processor(self, dialect: Dialect, coltype: object) -> _Read:
        """From the column's text, which is in UTC."""
        return lambda text: None if text is None else datetime.fromisoformat(f"{text}+00:00")


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware in, UTC out, on every database (SQLite itself keeps no time zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """SQLite's text is read by Python's own parser."""
        if dialect.name != "sqlite":
            return super().load_dialect_impl(dialect)
        return dialect.type_descriptor(_SqliteInstant())  # type: ignore[no-untyped-call]

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC; a naive time is a programming error."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Names every constraint, so that a migration can change it on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def owner_column(*, index: bool = False) -> Mapped[int | None]:
    """The owner; ``NULL``: the one user of an embedded server. Deleted with the account."""
    return mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=index)


def once_per_owner(table: str, column: str) -> tuple[Index, Index]:
    """A value occurs once for each owner, and once without an owner.

    Two indexes, because to a unique index two ``NULL`` values are never equal.
    """
    return (
        Index(f"uq_{table}_owner_id_{column}", "owner_id", column, unique=True),
        Index(
            f"uq_{table}_unowned_{column}",
            column,
            unique=True,
            sqlite_where=text("owner_id IS NULL"),
            postgresql_where=text("owner_id IS NULL"),
        ),
    )


def without_nul(text: str) -> str:
    """Text for a column that only filters and lists: PostgreSQL's text, unlike JSON, has no NUL."""
    return text.replace("\0", "\ufffd")
