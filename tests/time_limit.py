"""A pytest plugin: ``--stop-after 45`` begins no test later than that and says what is left.

``scripts/check --quick`` uses it, so that a change to what much of the code depends on can be
checked in a minute, too.
"""

import time
from typing import Final

import pytest

NOT_BEGUN: Final = "not begun: the time is over"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stop-after",
        type=float,
        metavar="SECONDS",
        help="begin no test later; those that are left are skipped and counted",
    )


def pytest_configure(config: pytest.Config) -> None:
    seconds = config.getoption("--stop-after")
    if seconds is not None:
        config.pluginmanager.register(_TimeLimit(seconds), "aloud-time-limit")


class _TimeLimit:
    """Of one process; with ``-n`` each has a clock of its own, and the first one sums up."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends_s = time.monotonic() + seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        if time.monotonic() > self._ends_s:
            pytest.skip(NOT_BEGUN)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        left = [each.nodeid for each in terminalreporter.getreports("skipped") if _is_left(each)]
        if left:
            files = sorted({each.partition("::")[0] for each in left})
            terminalreporter.write_line(
                f"not begun within {self._seconds:g} s: {len(left)} tests of {len(files)} files; "
                "scripts/test runs all"
            )
            for each in files:
                terminalreporter.write_line(f"  {each}")


def _is_left(report: pytest.TestReport) -> bool:
    return isinstance(report.longrepr, tuple) and NOT_BEGUN in report.longrepr[2]
