"""Ctrl-C at any moment of a command: no traceback."""

import signal
import subprocess
import sys

import pytest

_INTERRUPTED = """
import atexit, os, signal, sys

class AtImport:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, AtImport())
if {name!r} == "the end":
    atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
from client.cli import main
sys.argv[:] = ["aloud", "history"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process does not send itself Ctrl-C there")
@pytest.mark.parametrize(
    ("moment", "status", "says"),
    [
        ("client.cli.app", -signal.SIGINT, ""),
        ("client.cli.own_data", -signal.SIGINT, ""),
        (
            "server.attempts.store",
            1,
            "aloud: stopped\n",
        ),  # the command runs, and could have to clean up
        ("the end", -signal.SIGINT, ""),
    ],
)
def test_ctrl_c_leaves_no_traceback(moment: str, status: int, says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED.format(name=moment)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (status, says)


def test_where_ctrl_c_is_ignored_it_stays_so() -> None:
    """As in ``nohup aloud serve &``."""
    run = _INTERRUPTED.format(name="server.attempts.store")
    done = subprocess.run(
        [sys.executable, "-c", "import signal; signal.signal(2, signal.SIG_IGN)\n" + run],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
