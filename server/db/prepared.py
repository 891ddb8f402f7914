"""Statements that every answer runs: compiled once, then run on the driver's own cursor.

SQLAlchemy compiles a statement once too, but what it does around each run takes most of the time of
a small one: 0.3 ms of processor time on a busy server, and storing an answer runs eight of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Insert, Select
from sqlalchemy.exc import DBAPIError

_Process = Callable[[Any], Any]


@dataclass(frozen=True)
class _Compiled:
    """For one database: its text, its parameters, constants, and what makes values the driver's."""

    sql: str
    names: Sequence[str]
    by_position: bool
    constants: Mapping[str, Any]
    processes: Mapping[str, _Process]

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """As the driver takes them."""
        given = {**self.constants, **values}
        for name, process in self.processes.items():
            given[name] = process(given[name])
        if self.by_position:
            return [given[name] for name in self.names]
        return {name: given[name] for name in self.names}


class Prepared:
    """A statement with the same parameters each time. Safe to use from several threads."""

    def __init__(
        self, statement: Insert | Select[*tuple[Any, ...]], columns: Sequence[str] = ()
    ) -> None:
        """Compiles nothing yet.

        Args:
            statement: an INSERT, or a SELECT whose rows have only text and numbers: they are the
                driver's own.
            columns: those that an INSERT gives; Python's defaults of the others do not apply.
        """
        self._statement: Final = statement
        self._columns: Final = list(columns)
        self._compiled: dict[str, _Compiled] = {}

    def __call__(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """Runs it in the connection's transaction; returns its rows.

        Raises:
            DBAPIError: as for SQLAlchemy's own statements.
        """
        return self._run(connection, [values])

    def each(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs it for each of these rows.

        Raises:
            DBAPIError: as for SQLAlchemy's own statements.
        """
        if rows:
            self._run(connection, rows)

    def _run(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        dialect = connection.dialect
        compiled = self._compiled.get(dialect.name) or self._compile(dialect)
        parameters = [compiled.parameters(each) for each in rows]
        cursor = connection.connection.cursor()
        try:
            if len(parameters) == 1:
                cursor.execute(compiled.sql, parameters[0])
            else:
                cursor.executemany(compiled.sql, parameters)
            return list(cursor.fetchall()) if cursor.description is not None else []
        except dialect.loaded_dbapi.Error as error:
            raise DBAPIError.instance(
                compiled.sql,
                None,
                error,
                dialect.loaded_dbapi.Error,
                hide_parameters=True,
                dialect=dialect,
            ) from error
        finally:
            cursor.close()

    def _compile(self, dialect: Dialect) -> _Compiled:
        made = self._statement.compile(dialect=dialect, column_keys=self._columns or None)
        processes = {
            name: process
            for bound, name in made.bind_names.items()
            if (process := bound.type.dialect_impl(dialect).bind_processor(dialect)) is not None
        }
        constants = {
            name: bound.value
            for bound, name in made.bind_names.items()
            if bound.value is not None and not bound.required
        }
        order = made.positiontup
        names = list(made.bind_names.values()) if order is None else order
        compiled = _Compiled(made.string, names, order is not None, constants, processes)
        self._compiled[dialect.name] = compiled
        return compiled
