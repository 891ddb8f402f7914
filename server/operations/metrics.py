"""Numbers for Prometheus; no label reveals who somebody is or what they said."""

import os
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import func, select

from server.core.errors import StoreError
from server.db.database import Database
from server.db.tables import AccountRow, AttemptRow, JobRow, RecordingRow

CONTENT_TYPE: Final = "text/plain; version=1.0.0; charset=utf-8"

SHARED_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which several processes on one address share their counts, so that any of them can
report the totals."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# from a cached page to the grading of a very long answer
_BUCKETS_S: Final = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What one app counts, and the current contents of its database."""

    def __init__(self, database: Database) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "aloud_http_requests",
            "Requests answered, by route.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "aloud_http_request_duration_seconds",
            "Time until the answer was sent.",
            ["method", "route"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._content = _Content(database)

    def answered(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Counts a request.

        Args:
            method: of the request.
            route: its pattern, never its address.
            status: the response's.
            duration_s: the time until the response was sent.
        """
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(duration_s)

    def text(self) -> bytes:
        """Everything, in Prometheus's text format."""
        counted = self._registry
        if os.environ.get(SHARED_FOLDER_VARIABLE):
            counted = CollectorRegistry()
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        held = CollectorRegistry()
        held.register(self._content)
        return generate_latest(counted) + generate_latest(held)


class _Content(Collector):
    """What the database holds; the same in every process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def describe(self) -> Iterable[Metric]:
        """Nothing in advance, because the names do not need the database."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The gauges; without a database, only that it is unavailable."""
        up = GaugeMetricFamily("aloud_database_up", "Whether the database answers.")
        info = GaugeMetricFamily("aloud_info", "The version that runs.", labels=["version"])
        info.add_metric([version("aloud")], 1)
        yield info
        try:
            found = list(self._rows())
        except StoreError:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        yield from found

    def _rows(self) -> Iterator[Metric]:
        with self._database.read() as session:
            accounts = GaugeMetricFamily("aloud_accounts", "Accounts.", labels=["role"])
            for role, count in session.execute(
                select(AccountRow.role, func.count()).group_by(AccountRow.role)
            ):
                accounts.add_metric([role], count)
            yield accounts
            jobs = GaugeMetricFamily("aloud_jobs", "Jobs that are kept.", labels=["state"])
            for state, count in session.execute(
                select(JobRow.state, func.count()).group_by(JobRow.state)
            ):
                jobs.add_metric([state], count)
            yield jobs
            attempts = session.scalar(select(func.count()).select_from(AttemptRow)) or 0
            yield GaugeMetricFamily("aloud_attempts", "Answers that are kept.", value=attempts)
            number, size = session.execute(
                select(func.count(), func.coalesce(func.sum(func.length(RecordingRow.content)), 0))
            ).one()
            yield GaugeMetricFamily("aloud_recordings", "Recordings that are kept.", value=number)
            yield GaugeMetricFamily(
                "aloud_recordings_bytes", "Size of the recordings.", value=int(size)
            )
