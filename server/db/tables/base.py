"""What every table shares: the declarative base, keys, instants."""

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Dialect, ForeignKey, Index, Integer, MetaData, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

# SQLite only counts up an INTEGER primary key; PostgreSQL gets 64 bits.
Key = BigInteger().with_variant(Integer, "sqlite")


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware in, UTC out, on every database (SQLite itself keeps no time zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

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
