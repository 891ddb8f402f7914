"""The documents against the repository: the paths, links, modules and commands they name exist."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from client.cli.app import app

ROOT = Path(__file__).parents[1]
DOCS = sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md"))
if not DOCS:
    pytest.skip("the docs are not part of this installation", allow_module_level=True)
PAGES = ("README.md", "CONTRIBUTING.md", *DOCS)

OURS = "(?:client|server|question_bank|pronunciation|tests|docs|scripts|benchmarks)"
PATH = re.compile(rf"{OURS}/[\w./*-]*")
FILE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|js|css)")
"""A file's name, or the end of its path. Other suffixes may be the reader's own files."""

MODULE = re.compile(rf"{OURS}(?:\.\w+)+")
IMPORT = re.compile(rf"^from ({OURS}[\w.]*) import (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"\s*(?:\$|uv run|[A-Z_]+=|aloud(?: |$))")
OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]*")


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> Path:
    return ROOT / str(request.param)


@pytest.fixture(scope="module")
def files() -> list[str]:
    """The paths of all that is ours."""
    ours = [folder for folder in ROOT.iterdir() if re.fullmatch(OURS, folder.name)]
    return [file.as_posix() for folder in ours for file in folder.rglob("*")]


def test_every_path_exists(page: Path, files: list[str]) -> None:
    missing = []
    for span in code_spans(page):
        if PATH.fullmatch(span):
            found = any(ROOT.glob(span.replace("X_Y_Z", "*")))  # of any version
        elif FILE.fullmatch(span):
            found = any(file.endswith(f"/{span}") for file in files)
        else:
            continue
        if not found:
            missing.append(span)
    assert not missing


def test_every_link_leads_somewhere(page: Path) -> None:
    missing = []
    for target in map("".join, LINK.findall(page.read_text(encoding="utf-8"))):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            missing.append(target)
    assert not missing


def test_every_module_and_import_exists(page: Path) -> None:
    names = [span for span in code_spans(page) if MODULE.fullmatch(span)]
    for block in code_blocks(page, "python"):
        for module, imported in IMPORT.findall(block):
            names += [f"{module}.{name.strip()}" for name in imported.split(",")]
    assert not [name for name in names if not resolves(name)]


def test_every_command_and_option_exists(page: Path) -> None:
    assert not [found for found in map(complaint, commands(page)) if found]


def test_the_readme_names_every_command() -> None:
    named = {word for command in commands(ROOT / "README.md") for word in command.split()}
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Commands")[2]
    named |= set(re.findall(r"`(\w+)`", table))
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    assert {name for name, each in group.commands.items() if not each.hidden} <= named


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("aloud bank list|show ID", None),
        ("aloud bank list|tell ID", "no such command: tell"),
        ("aloud user token burn NAME", "no such command: burn"),
        ("aloud assess AUDIO [--engine E]", None),
        ("aloud assess AUDIO [--motor E]", "no such option: --motor"),
    ],
)
def test_a_command_that_does_not_exist_is_found(command: str, fault: str | None) -> None:
    assert complaint(command) == (fault and f"{command}: {fault}")


def code_spans(page: Path) -> list[str]:
    """What stands between single backticks, outside of code blocks."""
    return re.findall(r"`([^`\n]+)`", BLOCK.sub("", page.read_text(encoding="utf-8")))


def code_blocks(page: Path, *languages: str) -> list[str]:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [block for language, block in blocks if language in languages]


def anchors(page: Path) -> set[str]:
    """The names that a Markdown page's headings get as link targets."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parent, _, last = name.rpartition(".")
    try:
        import_module(name)
    except ImportError:
        return bool(parent) and resolves(parent) and hasattr(import_module(parent), last)
    return True


def commands(page: Path) -> Iterator[str]:
    """Each ``aloud …`` of a page, named in a sentence or typed in a shell."""
    for span in code_spans(page):
        if re.match("aloud(?: |$)", span):
            yield span.replace("\\|", "|")
    for block in code_blocks(page, "", "sh", "console"):
        for line in block.splitlines():
            typed = re.match(r"(?:.* )?(aloud(?: .*)?)$", line.partition(" #")[0].rstrip())
            if typed and PROMPT.match(line):
                yield typed.group(1)


def complaint(command: str) -> str | None:
    """What the command line doesn't know of a documented command."""
    found = typer.main.get_command(app)
    words = re.split(r"[\s\[\]]+", command)[1:]
    while words and isinstance(found, TyperGroup) and re.match(r"\w", words[0]):
        alternatives = words.pop(0).split("|")
        for each in alternatives:
            if each not in found.commands:
                return f"{command}: no such command: {each}"
        found = found.commands[alternatives[-1]]
    known = {"--help"}
    known |= {name for each in found.params for name in (*each.opts, *each.secondary_opts)}
    for option in OPTION.findall(" ".join(words)):
        if option not in known:
            return f"{command}: no such option: {option}"
    return None
