"""``aloud transcribe``, ``aloud pronounce``, ``aloud say``: sound in, sound out."""

import enum
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.answer.worker import transcribe as transcribe_sound
from client.audio.files import SoundFile
from client.audio.speech import check_for_speech
from client.cli import loading
from client.cli.common import command, errors, out, print_file
from client.cli.loading import name_track
from client.cli.options import EngineOption, ModelOption, TrackOption
from client.cli.progress_bars import share_bar
from client.core.settings import ClientSettings
from client.speaking import Speaker
from pronunciation.lexicon_loader import load_lexicon
from server.ui.exports.transcript_text import FORMATS

_PANEL = "Sound"


class VoiceName(enum.StrEnum):
    """The voice."""

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
    settings: ClientSettings,
    audio: Annotated[Path, typer.Argument(metavar="AUDIO", help="An audio or video file.")],
    engine: EngineOption = None,
    model: ModelOption = None,
    track: TrackOption = None,
    format_: Annotated[
        TranscriptFormat, typer.Option("--format", help="The output format.")
    ] = TranscriptFormat.text,
) -> None:
    """Print the transcript of a recording."""
    sound = SoundFile(audio, track=track)
    name_track(sound)
    check_for_speech(sound.blocks())
    transcriber = loading.begin_loading(settings, engine, model)()
    with share_bar("transcribing") as report:
        transcript = transcribe_sound(transcriber, sound, report)
    print_file(FORMATS[format_.value](transcript))


def say(
    settings: ClientSettings,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say.")],
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write a WAV file instead of playing.")
    ] = None,
    voice: Annotated[
        VoiceName | None, typer.Option("--voice", help="The voice; default: the settings.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option("--speed", min=0.5, max=2.0, help="1 is the voice's own pace."),
    ] = None,
) -> None:
    """Speak a text, with every lexicon term pronounced correctly."""
    usual = settings.preferences
    chosen = replace(usual, voice=voice or usual.voice, speed=speed or usual.speed)
    lexicon = load_lexicon(settings.lexicon, settings.cache)
    speaker = Speaker.of(replace(settings, preferences=chosen), lexicon)
    if out_file is not None:
        speaker.speak_to_file(text, out_file)
        out().print(f"wrote {out_file}", markup=False, soft_wrap=True)
        return
    outcome = speaker.speak(text)
    if not outcome.spoken:
        errors().print(Text(outcome.reason, "yellow"))
        out().print(text, markup=False)
