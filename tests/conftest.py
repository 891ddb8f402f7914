"""What holds for all tests: a home of their own, no network, no silent skips in CI.

Tests that a busy machine disturbs are marked ``realtime`` here or where they stand, those in a
browser ``browser``. Plain ``pytest`` leaves out both; `scripts/test` runs all.
"""

import functools
import gc
import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy comes: the words of an engine's own process
# the tests' own weights, named before anything imports the hub's client
os.environ["HF_HUB_CACHE"] = str(Path(sys.prefix) / "whisper-hub")

import httpx
import hypothesis
import pytest

from client.backend import connection
from pronunciation import drill_sets, lexicon_loader
from question_bank import loader
from question_bank.errors import Fault
from question_bank.strict_yaml import Entry
from tests import whisper_weights
from tests.worlds.postgres import _up_to_date as _up_to_date
from tests.worlds.postgres import postgresql_empty_url as postgresql_empty_url
from tests.worlds.postgres import postgresql_server as postgresql_server
from tests.worlds.postgres import postgresql_url as postgresql_url
from tests.worlds.pulseaudio import pulseaudio as pulseaudio

whisper_weights.install("tiny.en")

_MAY_BE_MISSING_IN_CI: tuple[str, ...] = ("weights", "speech data")
"""Whisper's weights cannot be fetched everywhere; the speech data is not part of the project."""
if os.environ.get("ALOUD_CI") != "reference":
    # `.ci/run` has PyTorch in an environment of its own, where it runs the tests that need it
    _MAY_BE_MISSING_IN_CI += ("PyTorch",)


_REALTIME_FIXTURES = {"pulseaudio", "microphone_sound"}
"""A sound server plays in real time, and so does the microphone of a browser."""
_BROWSER_FIXTURES = {"browsers"}
_WORDS_IN_FILES = {
    "realtime": ("realtime", "pulseaudio", "microphone_sound"),
    "browser": ("new_page", "in_a_browser", "mark.browser"),
}
"""By one of these, `scripts/test` finds the files that hold such tests."""


# A first example may load a model, and other tests share the processor.
hypothesis.settings.register_profile(
    "aloud",
    deadline=None,
    max_examples=25,  # others each time, and hypothesis remembers what failed
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("aloud")


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A few files that somebody names run in this process: starting others takes longer."""
    files = [Path(each.partition("::")[0]) for each in config.args]
    return 0 if len(files) < 3 and all(each.is_file() for each in files) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & _REALTIME_FIXTURES:
            item.add_marker("realtime")
        if fixtures & _BROWSER_FIXTURES:
            item.add_marker("browser")
        for mark, words in _WORDS_IN_FILES.items():
            marked = item.get_closest_marker(mark)
            if marked and not any(word in item.path.read_text("utf-8") for word in words):
                raise pytest.UsageError(f"{item.nodeid}: scripts/test looks for {words} in files")
    # Files that hold slow tests start first: begun last, one of them keeps a process busy while the
    # other has nothing left to do.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """The thousands of tests stay to the end: looking through them for garbage took a tenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Ends the browser that tests shared; most runs have not even imported what drives it."""
    if chromium := sys.modules.get("tests.worlds.chromium"):
        chromium.close_browser()


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are not there yet. Pytest's own ``mktemp`` looks through all earlier ones."""
    folder = tmp_path_factory.mktemp("aloud-homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _own_home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own data, whatever the environment says."""
    home = next(_homes)
    home.mkdir(mode=0o700)
    names = "BANK LEXICON SERVER TOKEN DATABASE_URL HOSTS SECRET JUDGE JUDGE_MODEL JUDGE_KEY"
    for name in names.split():
        monkeypatch.delenv(f"ALOUD_{name}", raising=False)
    monkeypatch.setenv("ALOUD_HOME", str(home))
    monkeypatch.setenv("ALOUD_OFFLINE", "1")


@pytest.fixture(autouse=True)
def _read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bank, lexicon and drills stay in this process: each new home would cost 0.1 s and more."""
    for module in (loader, lexicon_loader):
        monkeypatch.setattr(module, "compiled", lambda model, files, folder, make, code: make())
    monkeypatch.setattr(drill_sets, "read_documents", _documents)


@functools.cache
def _drills() -> list[Entry]:
    return lexicon_loader.read_documents(drill_sets.DRILLS_FOLDER, [])


def _documents(path: Path, faults: list[Fault]) -> list[Entry]:
    if path == drill_sets.DRILLS_FOLDER:
        return _drills()
    return lexicon_loader.read_documents(path, faults)


@pytest.fixture(autouse=True)
def _patient_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on a busy machine is not a slow one: only tests of slow ones wait for seconds."""
    long = httpx.Timeout(60.0, connect=30.0)
    monkeypatch.setattr(connection, "ASKING", long)
    monkeypatch.setattr(connection, "DOING", long)


class _SkipPolicy:
    """Where ``ALOUD_CI`` is set, a test that skips for something CI installs is a failure."""

    def __init__(self) -> None:
        self.unexpected: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            self._note(report.nodeid, report.longrepr[2])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            self._note(report.nodeid, report.longrepr[2])

    def _note(self, nodeid: str, reason: str) -> None:
        if not any(word in reason for word in _MAY_BE_MISSING_IN_CI):
            self.unexpected.append(f"{nodeid}: {reason}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unexpected and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.unexpected:
            terminalreporter.write_line(f"skipped although CI installs all it needs: {line}")


def pytest_configure(config: pytest.Config) -> None:
    # `scripts/test` runs one part in the background, where a shell has Ctrl-C ignored; so would
    # every process that a test starts and interrupts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.get("ALOUD_CI") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_SkipPolicy(), "aloud-skip-policy")


@pytest.fixture
def project_root() -> Iterator[Path]:
    yield Path(__file__).resolve().parent.parent
