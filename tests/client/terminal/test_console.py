"""Stored text on the terminal: a stranger's words are shown, never obeyed."""

import ast
import io
import json
import re
import sys
from pathlib import Path

import pytest
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

import client
from client.cli.common import SafeConsole, errors, out, print_file, print_json
from client.core.wording import escaped, visible

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"
HOSTILE = f"Well{CLIPBOARD}\x9b2J\x9d0;title\x9c \x1b[8mhidden\r\x7f \u202etxt.exe\u2066\ud800 end"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printed(*renderables: object) -> str:
    stream = io.StringIO()
    console = SafeConsole(file=stream, width=200, emoji=False, highlight=False)
    for each in renderables:
        console.print(each)
    return stream.getvalue()


def test_a_strangers_commands_are_signs_in_everything_that_is_printed() -> None:
    table = Table(HOSTILE)
    table.add_row(HOSTILE, Padding(Text(HOSTILE), 1))
    shown = printed(Text(HOSTILE), Text.assemble((HOSTILE, "bold")), table, Padding(HOSTILE, 1))
    assert not OBEYED.search(shown), shown
    assert shown.count("␛]52;c;ZXZpbA==") == 6, "the words around them stay readable"
    assert "end" in shown and "�txt.exe" in shown


def test_colors_and_lines_of_our_own_still_work() -> None:
    stream = io.StringIO()
    console = SafeConsole(file=stream, width=80, force_terminal=True, color_system="standard")
    with Live(Text("one\ttwo\nthree", "red"), console=console, transient=True):
        pass
    assert "\x1b[31m" in stream.getvalue() and "\x1b[2K" in stream.getvalue()
    assert visible("one\ttwo\r\nthree") == "one\ttwo\nthree"
    assert visible("zażółć 🙂 שלום") == "zażółć 🙂 שלום"


def test_json_is_the_same_document_without_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"text": HOSTILE, "lines": "a\tb\nc"}
    print_json(document)
    printed_text = capsys.readouterr().out
    assert not OBEYED.search(printed_text)
    assert json.loads(printed_text) == document
    assert json.loads(escaped(json.dumps(HOSTILE, ensure_ascii=False))) == HOSTILE


def test_an_export_is_exact_in_a_file_and_safe_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for is_terminal, wanted in ((False, f"Well{CLIPBOARD}"), (True, "Well␛]52;c;ZXZpbA==␇")):
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda answer=is_terminal: answer)
        monkeypatch.setattr(sys, "stdout", stream)
        print_file(f"Well{CLIPBOARD}")
        assert stream.getvalue() == wanted


def test_nothing_else_writes_to_the_terminal() -> None:
    """A console of one's own, or ``print``, would let a stranger's commands through."""
    allowed = {
        "cli/app.py": {"echo", "write"},  # the version; the output's own failure
        "cli/studio.py": {"echo"},  # its own address
        "cli/common.py": {"write"},  # print_json, print_file
        "cli/settings.py": {"echo"},  # one's own settings, each of a known form
        "cli/audio.py": {"write"},  # JSON in ASCII
        "speaking/pyttsx3_process.py": {"write"},  # a process whose output Aloud reads
    }
    root = Path(client.__file__).parent
    found: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            text = ast.unparse(called)
            if text in ("print", "typer.echo", "click.echo", "Console", "rich.print") or re.search(
                r"(stdout|stderr)(\.buffer)?\.write$", text
            ):
                found.setdefault(path.relative_to(root).as_posix(), set()).add(name)
    assert isinstance(out(), SafeConsole) and isinstance(errors(), SafeConsole)
    assert {k: v for k, v in found.items() if v - allowed.get(k, set())} == {}
