"""docs/commands.md is what the program says of itself; what has no text is found."""

import pytest

from scripts import commands_doc
from scripts.commands_doc import PAGE, REPORT, SETTINGS, VARIABLES, Undocumented, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(
    ("texts", "name"),
    [(REPORT, "PhraseCoverage.status"), (SETTINGS, "thinking_s"), (VARIABLES, "ALOUD_HOME")],
)
def test_what_has_no_text_is_named(
    monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], name: str
) -> None:
    monkeypatch.delitem(texts, name)
    with pytest.raises(Undocumented, match=name):
        page()
    monkeypatch.setitem(texts, name, "text")
    monkeypatch.setitem(texts, "no-such-thing", "text")
    with pytest.raises(Undocumented, match="no-such-thing"):
        page()


def test_an_option_without_help_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    bare = typer.Typer()

    @bare.command()
    def first(size: int = 1) -> None:
        """Do one thing."""

    @bare.command()
    def second() -> None:
        """Do another."""

    monkeypatch.setattr(commands_doc, "app", bare)
    group = typer.main.get_command(bare)
    with pytest.raises(Undocumented, match="--size"):
        list(commands_doc._command("aloud first", group.commands["first"]))  # type: ignore[attr-defined]
