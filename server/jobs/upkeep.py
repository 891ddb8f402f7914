"""What every worker does now and then: takes up what dead processes left, deletes what is old."""

from collections.abc import Callable
from typing import Final

from server.jobs.store import JobStore

__all__ = ["FILES_KEPT_S", "JOBS_KEPT_S", "Upkeep"]

FILES_KEPT_S: Final = 24 * 3600.0
"""Long enough to fetch an export; it holds other people's answers and should not lie about."""

JOBS_KEPT_S: Final = 30 * 24 * 3600.0

_SWEEP_EVERY_S: Final = 600.0


class Upkeep:
    """Recovers dead jobs at the start and three times within the time that makes them dead.

    Args:
        store: the jobs.
        silent_s: without a heartbeat for so long, a job's process is dead.
        tidy: what else is done as often.
    """

    def __init__(
        self, store: JobStore, *, silent_s: float, tidy: Callable[[], None] = lambda: None
    ) -> None:
        self._store = store
        self._tidy = tidy
        self._silent_s = silent_s
        self._recover_at_s = self._sweep_at_s = float("-inf")

    def when_due(self, now_s: float) -> bool:
        """Does what is due; true where it looked for dead jobs."""
        if now_s < self._recover_at_s:
            return False
        self._store.recover(self._silent_s)
        self._tidy()
        if now_s >= self._sweep_at_s:
            self._store.sweep(jobs_kept_s=JOBS_KEPT_S, files_kept_s=FILES_KEPT_S)
            self._sweep_at_s = now_s + _SWEEP_EVERY_S
        self._recover_at_s = now_s + self._silent_s / 3
        return True
