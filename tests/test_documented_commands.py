"""The commands of the documents run: each page's, in order, in a home and a folder of their own.

What cannot run here is listed with the reason; an entry that fits no command fails.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from client.backend.opening import open_backend
from client.cli import common
from client.cli.app import app
from client.core.settings import load_settings
from client.data import demo
from tests.client.cli.conftest import ANSWER
from tests.client.cli.conftest import scripted_engine as scripted_engine
from tests.test_docs import BLOCK, PAGES, PROMPT, ROOT
from tests.worlds.planted_report import PHRASES, QUESTION, planted_attempt

NOT_RUN = {
    r"aloud( --(no-browser|port|engine)\b.*)?": "the studio serves until it is interrupted",
    r"aloud serve .*": "serves until it is interrupted",
    r"aloud interview .*": "needs a microphone",
    r"aloud drill( acronyms.*| --term .*)?": "needs a microphone",
    r"(?!aloud user add ).* --server .*": "needs that server",
    r"aloud login .*": "needs that server",
    r"docker .*": "needs containers",
    r".* --cluster .*": "needs a Ray cluster",
    r"aloud assess .* --out .*": "starts processes; tests/client/bulk runs it",
    r".*postgresql.*": "needs PostgreSQL; tests/server/operations runs it",
    r"aloud bundle merge .*": "its file comes from a coach's page; tests/client/data merges one",
    r"aloud bundle export 12 --audio": "needs a recording; tests/client/cli/test_bundle.py has one",
    r"aloud bank import .*": "needs a posting; the studio's test_own_questions.py reads some",
    r"aloud grade --question ID .*": "a form, not a command: ID stands for a question",
}
OUTCOMES = {r"aloud doctor": {0, 1}}
"""What may end with another exit status: the doctor reports on this machine."""


def typed(page: Path) -> list[str]:
    """The command lines of a page that call Aloud."""
    lines = []
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language not in ("", "sh", "console"):
            continue
        for line in block.splitlines():
            line = line.partition(" #")[0].strip()
            if PROMPT.match(line) and re.search(r"(?:^|\s)aloud(?:\s|$)", line):
                lines.append(line.removeprefix("$ ").removeprefix("uv run "))
    return lines


def reason(line: str) -> str | None:
    """Why a line is not run here."""
    return next((why for known, why in NOT_RUN.items() if re.fullmatch(known, line)), None)


RUNNING = [page for page in PAGES if any(not reason(line) for line in typed(ROOT / page))]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted_engine: None) -> Path:
    """A folder with the files that the documents name, and a home of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("answer.wav", "answer.m4a"):
        shutil.copyfile(demo.AUDIO, name)
    Path("answer.txt").write_text(ANSWER, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("page", RUNNING)
def test_every_command_of_a_page_runs(
    desk: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, content in re.findall(r"^ *```yaml\n *# (\S+\.yaml)\n(.*?)^ *```", text, re.M | re.S):
        Path(name).write_text(content, encoding="utf-8")
    if "tutorial" not in page:  # a tutorial begins with nothing, other pages in the middle
        with open_backend(load_settings()) as backend:
            backend.import_attempts([planted_attempt(QUESTION, "f" * 32, PHRASES)])
    for line in typed(ROOT / page):
        if reason(line):
            continue
        words = shlex.split(line)
        for assigned in words[: words.index("aloud")]:
            monkeypatch.setenv(*assigned.split("=", 1))
        common.out.cache_clear()
        common.errors.cache_clear()
        done = CliRunner().invoke(app, words[words.index("aloud") + 1 :])
        allowed = next((codes for known, codes in OUTCOMES.items() if line.startswith(known)), {0})
        assert done.exit_code in allowed, f"{line}\n{done.output}\n{done.exception!r}"


def test_every_reason_is_about_a_command_of_the_documents() -> None:
    lines = [line for page in PAGES for line in typed(ROOT / page)]
    assert [each for each in NOT_RUN if not any(re.fullmatch(each, line) for line in lines)] == []


def test_the_tutorials_run_most_of_what_they_show() -> None:
    for page in (each for each in PAGES if "tutorial" in each):
        lines = typed(ROOT / page)
        assert sum(not reason(line) for line in lines) >= len(lines) / 3, page


def test_a_command_that_fails_is_found(desk: Path) -> None:
    common.out.cache_clear()
    common.errors.cache_clear()
    assert CliRunner().invoke(app, ["history", "77"]).exit_code == 1
