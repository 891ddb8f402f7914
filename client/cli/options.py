"""The options that several commands share; `aloud --help` loads these and nothing heavy."""

from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

BankOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--bank",
        metavar="PATH",
        help="Folder or file that adds to the question bank. May be repeated.",
    ),
]
LexiconOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--lexicon", metavar="PATH", help="File or folder that adds terms. May be repeated."
    ),
]
ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="URL", help="Address of a shared server; by default the embedded one."
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="URL",
        help="OpenAI-compatible API that judges key phrases not found. It gets the transcript.",
    ),
]
JudgeModelOption = Annotated[
    str | None, typer.Option("--judge-model", metavar="NAME", help="The judge's model.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RoundOption = Annotated[
    str | None, typer.Option("--round", metavar="X", help="Only this round's questions.")
]


def day(text: str) -> date:
    """A date as it is written in an option."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise ValueError(f"must be a date such as 2027-03-01, not {text!r}") from None


def _known_engine(name: str | None) -> str | None:
    """Refuse an unknown engine at once, not when the first answer has been spoken."""
    if name not in (None, "auto"):
        from client.engines.engines import AUTO, ENGINES

        if name not in ENGINES:
            raise typer.BadParameter(f"no engine {name!r}; known are {AUTO}, {', '.join(ENGINES)}")
    return name


EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="E",
        help="auto, faster-whisper, openai-whisper or pocketsphinx; default: the settings.",
        callback=_known_engine,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help="Weights by name (`aloud models list`) or folder."),
]

TrackOption = Annotated[
    int | None,
    typer.Option(
        "--track",
        metavar="N",
        min=1,
        help="Which sound track of a file with several; default: the one with the most speech.",
    ),
]
