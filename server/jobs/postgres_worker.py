"""The worker for PostgreSQL: procrastinate brings each job to one of the server's processes.

Procrastinate only delivers. Whether a delivered job is begun, the table of jobs decides (a claim),
so a delivery that comes twice does no harm, and one that was lost is made up for: every worker
looks now and then for jobs that wait, and delivers them anew.
"""

import asyncio
import contextlib
import hashlib
import logging
import threading
import time
from typing import Final

import procrastinate
from procrastinate.exceptions import AlreadyEnqueued, ProcrastinateException
from procrastinate.jobs import Status
from procrastinate.schema import SchemaManager
from psycopg.conninfo import make_conninfo
from sqlalchemy import Engine, text

from server.core.errors import ServerError
from server.db.engine import plain_errors
from server.jobs.runner import Runner

__all__ = ["PostgresWorker", "apply_schema", "schema_name"]

logger = logging.getLogger(__name__)

_TASK: Final = "aloud-job"
_QUEUE: Final = "aloud"
_RETRY_S: Final = 5.0
_UPKEEP_TICK_S: Final = 1.0
_LOCK: Final = 0x6A6F6273  # "jobs"
_OPENS_WITHIN_S: Final = 2.0
"""A pool of connections that is cancelled while it opens can wait for itself for ever."""
_STOPS_WITHIN_S: Final = 5.0
"""Nobody waits longer for the end of the worker; its thread ends with the process."""


def schema_name() -> str:
    """The PostgreSQL schema for procrastinate's own tables.

    Named for their form: another version of procrastinate gets tables of its own, and what waits
    is delivered anew there. So an upgrade needs none of its migrations, and during one the old
    and the new processes work side by side.
    """
    return f"aloud_queue_{hashlib.sha256(SchemaManager.get_schema().encode()).hexdigest()[:8]}"


def apply_schema(engine: Engine) -> None:
    """Makes procrastinate's tables where they are not there yet.

    Raises:
        StoreError: the database does not let us.
    """
    name = schema_name()
    with plain_errors(engine), engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        known = connection.scalar(text("SELECT to_regnamespace(:name)"), {"name": name})
        if known is not None:
            return
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
        connection.exec_driver_sql(f"SET LOCAL search_path TO {name}")
        # Straight to the driver: many statements, and "%" in them stands for itself.
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute(SchemaManager.get_schema())


class PostgresWorker:
    """Runs delivered jobs one after the other, on a thread of its own."""

    def __init__(self, engine: Engine, runner: Runner) -> None:
        self._engine = engine
        self._address = _address(engine)
        self._runner = runner
        self._ends = threading.Event()
        self._is_open = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._sender = procrastinate.App(
            connector=procrastinate.SyncPsycopgConnector(
                conninfo=self._address, min_size=0, max_size=2
            )
        )
        self._sender_lock = threading.Lock()
        self._sender_is_open = False

    def start(self) -> None:
        """Begins to work; makes procrastinate's tables where they are not there yet.

        Raises:
            StoreError: the database does not let us.
        """
        apply_schema(self._engine)
        self._ends.clear()
        self._is_open.clear()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends; a job that runs is given back at its next step."""
        self._ends.set()
        if self._thread is not None:
            self._is_open.wait(_OPENS_WITHIN_S)
        loop, main = self._loop, self._main
        if loop is not None and main is not None:
            with contextlib.suppress(RuntimeError):  # the loop ended by itself in the meantime
                loop.call_soon_threadsafe(main.cancel)
        if self._thread is not None:
            self._thread.join(_STOPS_WITHIN_S)
            if self._thread.is_alive():
                logger.warning("the jobs' worker did not end within %.0f s", _STOPS_WITHIN_S)
            self._thread = None
        with self._sender_lock:
            if self._sender_is_open:
                self._sender.close()
                self._sender_is_open = False

    def wake(self, job_id: int) -> None:
        """Delivers a job; where that fails, the next look for waiting jobs does it."""
        try:
            with self._sender_lock:
                if not self._sender_is_open:
                    self._sender.open()
                    self._sender_is_open = True
            _delivery(self._sender, job_id).defer(job_id=job_id)
        except AlreadyEnqueued:
            pass
        except ProcrastinateException as error:
            logger.warning("job %d is delivered later: %s", job_id, error)

    @property
    def is_alive(self) -> bool:
        """Whether it works or waits for work."""
        return self._thread is not None and self._thread.is_alive()

    def _run(self) -> None:
        # psycopg cannot use the event loop that is the default on Windows
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            self._loop = runner.get_loop()
            with contextlib.suppress(asyncio.CancelledError):
                runner.run(self._main_task())

    async def _main_task(self) -> None:
        self._main = asyncio.current_task()
        while not self._ends.is_set():
            try:
                await self._work()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                logger.error("the jobs cannot be reached, trying again: %s", error)
                await asyncio.sleep(_RETRY_S)

    async def _work(self) -> None:
        app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(conninfo=self._address, min_size=1, max_size=4)
        )

        @app.task(name=_TASK, queue=_QUEUE)
        def work(job_id: int) -> None:  # procrastinate runs it in a thread
            claim = self._runner.store.claim(job_id)
            if claim is not None:
                self._runner.run(claim, self._ends)

        async with app.open_async():
            self._is_open.set()
            worker = asyncio.create_task(
                app.run_worker_async(
                    queues=[_QUEUE],
                    concurrency=1,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    fetch_job_polling_interval=_RETRY_S,
                    stalled_worker_timeout=self._runner.silent_s,
                    update_heartbeat_interval=self._runner.beat_s,
                )
            )
            upkeep = asyncio.create_task(self._keep_up(app))
            try:
                await asyncio.wait({worker, upkeep}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (upkeep, worker):
                    task.cancel()
                done = await asyncio.gather(upkeep, worker, return_exceptions=True)
            for outcome in done:
                if isinstance(outcome, Exception):
                    raise outcome

    async def _keep_up(self, app: procrastinate.App) -> None:
        upkeep = self._runner.upkeep()
        while True:
            try:
                if await asyncio.to_thread(upkeep.when_due, time.monotonic()):
                    await self._tidy(app)
                    for job_id in await asyncio.to_thread(self._runner.store.waiting):
                        with contextlib.suppress(AlreadyEnqueued):
                            await _delivery(app, job_id).defer_async(job_id=job_id)
            except ServerError as error:
                logger.error("the jobs cannot be looked after: %s", error)
            await asyncio.sleep(min(_UPKEEP_TICK_S, self._runner.silent_s / 3))

    async def _tidy(self, app: procrastinate.App) -> None:
        """Deletes the deliveries that dead processes had accepted."""
        stalled = await app.job_manager.get_stalled_jobs(
            seconds_since_heartbeat=self._runner.silent_s
        )
        for job in stalled:
            if job.id is not None:
                await app.job_manager.finish_job_by_id_async(
                    job_id=job.id, status=Status.FAILED, delete_job=True
                )


def _delivery(app: procrastinate.App, job_id: int) -> "procrastinate.jobs.JobDeferrer":
    return app.configure_task(
        _TASK, allow_unknown=True, queue=_QUEUE, queueing_lock=f"job-{job_id}"
    )


def _address(engine: Engine) -> str:
    """The engine's database for psycopg, with procrastinate's schema to look in."""
    url = engine.url.set(drivername="postgresql")
    own = url.query.get("options", "")
    own = own if isinstance(own, str) else " ".join(own)
    return make_conninfo(
        url.render_as_string(hide_password=False),
        options=f"{own} -c search_path={schema_name()}".strip(),
    )
