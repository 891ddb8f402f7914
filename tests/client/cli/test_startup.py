"""What common commands import: their start-up is most of what people wait for.

``benchmarks/startup.py`` measures the processor time; here stands what must not come back.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from client.cli import main
from client.cli.app import app
from client.cli.commands import COMMANDS
from tests.client.cli.conftest import ANSWER, Run

DATABASE = {"sqlalchemy", "alembic"}
SERVER = {"fastapi", "starlette", "uvicorn", "jinja2"}
SOUND = {"ctranslate2", "faster_whisper", "av", "pocketsphinx", "sounddevice", "soxr", "pyttsx3"}
NUMBERS = {"numpy", "onnxruntime", "tokenizers", "lemminflect", "rapidfuzz", "torch"}
REMOTE = {"httpx"}
YAML = {"yaml"}
HEAVY = DATABASE | SERVER | SOUND | NUMBERS | REMOTE | YAML

NETWORKS = {"ctranslate2", "faster_whisper", "onnxruntime", "tokenizers", "lemminflect", "torch"}

_LOADED = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from client.cli import main
sys.argv[0] = "aloud"
main()
"""


@pytest.fixture(scope="module")
def home_with_an_answer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an answer in it, and a compiled bank and lexicon."""
    folder = tmp_path_factory.mktemp("practiced")
    (folder / "answer.txt").write_text(ANSWER, encoding="utf-8")
    asked = ["--question", "infiniband-or-roce", "--transcript", str(folder / "answer.txt")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALOUD_HOME", str(folder / "home"))
        saved = CliRunner().invoke(app, ["grade", *asked, "--save"])
    assert saved.exit_code == 0, saved.output
    return folder


@pytest.fixture
def practiced(home_with_an_answer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same for one test; gives the answer's transcript."""
    shutil.copytree(home_with_an_answer / "home", tmp_path / "home")
    monkeypatch.setenv("ALOUD_HOME", str(tmp_path / "home"))
    return home_with_an_answer / "answer.txt"


@pytest.mark.parametrize(
    ("command", "spared", "usual_s"),
    [
        ("--help", HEAVY | {"pydantic"}, 0.15),
        ("history", NETWORKS | {"alembic", "fastapi", "uvicorn"}, 1.0),
        ("bank list", HEAVY - REMOTE - YAML, 0.9),  # a table of 600 questions
        ("lexicon list", HEAVY - YAML, 0.7),
        ("user list", SERVER | SOUND | NUMBERS | REMOTE | {"alembic"}, 0.6),
        (
            "grade --question infiniband-or-roce --transcript TRANSCRIPT",
            DATABASE | {"fastapi", "uvicorn", "ctranslate2", "faster_whisper"},
            3.2,  # of them 2 s are spaCy (it loads PyTorch where that is) and lemmas
        ),
    ],
)
def test_a_command_imports_only_what_it_needs_and_takes_little_processor_time(
    practiced: Path, command: str, spared: set[str], usual_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``benchmarks/startup.py`` measures, three times over: shared processors count double."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    arguments = command.replace("TRANSCRIPT", str(practiced)).split()
    times_s: list[float] = []
    while len(times_s) < 4 and not any(
        each < 3 * usual_s for each in times_s
    ):  # the first compiles
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", _LOADED, *arguments], capture_output=True, text=True, timeout=60
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0, done.stderr
        times_s.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times_s) < 3 * usual_s
    modules = set(done.stderr.splitlines()[-1].split())
    assert sorted({name.partition(".")[0] for name in modules} & spared) == []
    assert command[:5] != "grade" or "server.grading.verdict" in modules, "the grader did not run"


@pytest.mark.parametrize(("set_before", "threads"), [(None, "1"), ("4", "4")])
def test_one_thread_multiplies_unless_told_otherwise(
    set_before: str | None, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if set_before is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", set_before)
    seen = []
    monkeypatch.setattr(
        "client.cli.app.main", lambda: seen.append(os.environ["OPENBLAS_NUM_THREADS"])
    )
    monkeypatch.setattr(signal, "getsignal", lambda _signal: None)  # leave pytest's Ctrl-C alone

    main()

    assert seen == [threads]


_FIRST_PAGE = """
import sys
from client.backend.opening import open_backend
from client.core.settings import load_settings
from client.studio.app import create_studio
from client.studio.state.studio import Studio
settings = load_settings()
studio = Studio(settings, backend=open_backend(settings))
app = create_studio(studio)
from starlette.testclient import TestClient
answer = TestClient(app, base_url="http://127.0.0.1").get("/")
assert answer.status_code == 200
print("asked")
print(*{m.partition(".")[0] for m in sys.modules}, *(m for m in sys.modules if "hub.file" in m))
"""


def test_the_studios_first_page_needs_no_other_page(practiced: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_PAGE], capture_output=True, text=True, timeout=120
    )
    found = set(done.stdout.split())
    assert "asked" in found, done.stderr
    late = {"alembic", "huggingface_hub.file_download", "onnxruntime", "fastapi"}
    assert sorted(found & late) == []


def test_the_table_of_commands_is_what_the_modules_register() -> None:
    for name, (module, about) in (each for part in COMMANDS.values() for each in part.items()):
        registered = import_module(f"client.cli.{module}").app
        command = typer.main.get_group(registered).commands[name]
        assert " ".join((command.help or "").split("\n\n")[0].split()) == about


def test_help_lists_every_command_under_its_panel(run: Run) -> None:
    shown = run("--help").stdout
    for name in (name for part in COMMANDS.values() for name in part):
        assert f"\n  {name} " in shown
    assert shown.index("Practice:") < shown.index("\n  demo ") < shown.index("Sound:")
    assert "..." not in shown.partition("Practice:")[2]  # no sentence is cut off


def test_a_mistyped_command_is_a_usage_error_that_suggests_one(run: Run) -> None:
    done = run("hisotry")
    assert done.exit_code == 2
    assert "Did you mean 'history'" in done.stderr


def test_a_look_leaves_a_damaged_database_alone(run: Run, practiced: Path) -> None:
    from client.core.settings import load_settings

    load_settings().database.write_bytes(b"damaged" * 1000)
    assert run("bank", "show", "infiniband-or-roce").exit_code == 0
    listed = run("history")
    assert listed.exit_code == 1
    assert "is damaged" in listed.stderr


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
