"""``aloud transcribe``, ``aloud pronounce``, ``aloud say``: sound in, sound out."""

import enum
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from client.cli.common import command, errors, out

if TYPE_CHECKING:
    from client.core.settings import ClientSettings


_PANEL = "Sound"


def _known_engine(name: str | None) -> str | None:
    """Refuse an unknown engine at once, not when the first answer has been spoken."""
    if name not in (None, "auto"):
        from client.transcription.engines import AUTO, ENGINES

        if name not in ENGINES:
            raise typer.BadParameter(f"no engine {name!r}; known are {AUTO}, {', '.join(ENGINES)}")
    return name


EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="auto, faster-whisper, openai-whisper or pocketsphinx; by default as in the settings.",
        callback=_known_engine,
    ),
]
ModelOption = Annotated[
    str | None, typer.Option("--model", help="Weights by name (`aloud models list`) or folder.")
]


class VoiceName(enum.StrEnum):
    """Who speaks."""

    natural = "natural"
    system = "system"


class TranscriptFormat(enum.StrEnum):
    """How a transcript is printed."""

    text = "text"
    json = "json"
    srt = "srt"
    vtt = "vtt"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "transcribe", _PANEL)(transcribe)
    command(app, "say", _PANEL)(say)


def transcribe(
    settings: "ClientSettings",
    audio: Annotated[Path, typer.Argument(help="Any sound or video file.")],
    engine: EngineOption = None,
    model: ModelOption = None,
    format_: Annotated[
        TranscriptFormat, typer.Option("--format", help="What to print.")
    ] = TranscriptFormat.text,
) -> None:
    """Print the transcript of a recording."""
    from client.answering.worker import transcribe as transcribe_clip
    from client.audio.files import read_audio
    from client.cli.engine import begin_loading
    from client.cli.progress import share_bar
    from server.ui.exports.transcript_text import FORMATS

    loaded = begin_loading(settings, engine, model)
    clip = read_audio(audio)
    transcriber = loaded()
    with share_bar("transcribing") as report:
        transcript = transcribe_clip(transcriber, clip, report)
    typer.echo(FORMATS[format_.value](transcript), nl=False)


def say(
    settings: "ClientSettings",
    text: Annotated[str, typer.Argument(help="What to say.")],
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write a WAV file instead of playing.")
    ] = None,
    voice: Annotated[
        VoiceName | None, typer.Option("--voice", help="By default as in the settings.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option("--speed", min=0.5, max=2.0, help="1 is the voice's own pace."),
    ] = None,
) -> None:
    """Speak, with every lexicon term said right."""
    from client.speaking import Speaker
    from pronunciation.lexicon_loader import load_lexicon

    usual = settings.preferences
    chosen = replace(usual, voice=voice or usual.voice, speed=speed or usual.speed)
    lexicon = load_lexicon(settings.lexicon)
    speaker = Speaker.of(replace(settings, preferences=chosen), lexicon)
    if out_file is not None:
        speaker.speak_to_file(text, out_file)
        out().print(f"wrote {out_file}", markup=False, soft_wrap=True)
        return
    outcome = speaker.speak(text)
    if not outcome.spoken:
        errors().print(Text(outcome.reason, "yellow"))
        out().print(text, markup=False)
