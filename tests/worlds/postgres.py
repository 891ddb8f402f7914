"""A real PostgreSQL for the tests: one server for the session, a separate database for each test.

It listens on a Unix socket in its own folder, so it needs no free port and meets no
other server.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

_STARTS_WITHIN_S = 60
_DEBIANS_OWN = Path("/usr/lib/postgresql")
"""Debian keeps the server's programs here, by version, and off the search path."""

_SETTINGS = {
    "listen_addresses": "",
    # nothing here outlives the tests: no waiting for the disk
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "32MB",
    "max_connections": "100",
}


@dataclass(frozen=True)
class PostgresServer:
    """A running server."""

    folder: Path

    def url(self, database: str) -> str:
        """The SQLAlchemy URL of a database of it."""
        return f"postgresql+psycopg://aloud@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run one statement outside of any transaction."""
        import psycopg

        address = f"host={self.folder} user=aloud dbname={database}"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    """A server, ended with the session; skips where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL: apt install postgresql")
    # A socket's path may have 107 characters, and pytest's own folders are long.
    folder = Path(tempfile.mkdtemp(prefix="aloud-pg-"))
    process: subprocess.Popen[bytes] | None = None
    try:
        user = _unprivileged(folder)
        data = folder / "data"
        subprocess.run(
            [
                *(programs / "initdb", "-D", data, "-U", "aloud", "-A", "trust"),
                *("-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"),
            ],
            **user,
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [programs / "postgres", "-D", data, "-k", folder, *options],
                **user,
                cwd=folder,
                stdout=log,
                stderr=log,
            )
        server = PostgresServer(folder)
        _wait_for(server, process)
        yield server
    finally:
        if process is not None:
            process.terminate()  # SIGTERM: ends when the last session has ended
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.send_signal(3)  # SIGQUIT: at once
                process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_empty_url(postgresql_server: PostgresServer) -> Iterator[str]:
    """A database without tables, dropped after the test."""
    name = f"test_{uuid4().hex[:12]}"
    postgresql_server.execute(f"CREATE DATABASE {name}")
    yield postgresql_server.url(name)
    postgresql_server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def _up_to_date(postgresql_server: PostgresServer) -> str:
    """A database with today's tables, which the tests share one after the other."""
    from server.db.database import Database

    postgresql_server.execute("CREATE DATABASE up_to_date")
    Database(postgresql_server.url("up_to_date")).close()
    return "up_to_date"


@pytest.fixture
def postgresql_url(postgresql_server: PostgresServer, _up_to_date: str) -> str:
    """A database with today's tables and nothing in them.

    Emptied, not created again: that takes milliseconds where a new one takes seconds.
    """
    postgresql_server.execute(_EMPTY_ALL, _up_to_date)
    return postgresql_server.url(_up_to_date)


_EMPTY_ALL = """
DO $$
DECLARE names text;
BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  SELECT string_agg(format('%I', tablename), ', ') INTO names FROM pg_tables
    WHERE schemaname = 'public' AND tablename <> 'alembic_version';
  EXECUTE 'TRUNCATE ' || names || ' RESTART IDENTITY CASCADE';
END $$
"""


def _programs() -> Path | None:
    """The folder of the newest server's programs."""
    found = shutil.which("postgres")
    if found:
        return Path(found).resolve().parent
    versions = [each.parent.parent for each in _DEBIANS_OWN.glob("*/bin/postgres")]
    newest = max(versions, key=lambda each: float(each.name), default=None)
    return newest / "bin" if newest else None


def _unprivileged(folder: Path) -> dict[str, str]:
    """PostgreSQL refuses to run as root; its package comes with a user for it."""
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return {}
    shutil.chown(folder, user="postgres")
    return {"user": "postgres"}


def _wait_for(server: PostgresServer, process: subprocess.Popen[bytes]) -> None:
    import psycopg

    deadline = time.monotonic() + _STARTS_WITHIN_S
    while True:
        try:
            server.execute("SELECT 1")
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                log = (server.folder / "log").read_text(errors="replace")
                raise RuntimeError(f"PostgreSQL did not start: {log[-1000:]}") from None
        time.sleep(0.05)
