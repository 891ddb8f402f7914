"""``aloud`` without a command: the studio in the browser."""

from pathlib import Path

from rich.text import Text

from client.cli.common import errors, expected_failures, load_settings_of, out

__all__ = ["open_studio"]


def open_studio(
    bank: list[Path] | None,
    lexicon: list[Path] | None,
    server: str | None,
    *,
    engine: str,
    model: str | None,
    port: int | None,
    browser: bool,
) -> None:
    """Serve the studio until interrupted.

    Args:
        bank: files or folders added to the bank.
        lexicon: files or folders added to the lexicon.
        server: the address of a shared server.
        engine: the transcription engine's name, or ``auto``.
        model: its weights by name or path.
        port: the port to serve on; ``None``: the usual one, or a free one.
        browser: open the page in the browser.
    """
    with expected_failures():
        from client.studio.launch import run
        from client.studio.state.engine_state import EngineState
        from client.studio.state.studio import Studio

        settings = load_settings_of(bank, lexicon, server)
        studio = Studio(
            settings,
            EngineState(settings, engine, model),
            tell=lambda line: errors().print(Text(line, "yellow")),
        )
        run(
            studio,
            port=port,
            open_browser=browser,
            tell=lambda line: out().print(line, markup=False, soft_wrap=True),
        )
