"""``aloud transcribe``, ``aloud pronounce``, ``aloud say``: sound in, sound out."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from client.answer.worker import transcribe as transcribe_sound
from client.audio.files import SoundFile, read_audio
from client.audio.voice_activity import check_for_speech
from client.cli import loading
from client.cli.commands import commands
from client.cli.common import command, errors, fail, out, plain_table, print_file, print_json
from client.cli.loading import name_track
from client.cli.options import EngineOption, JsonOption, ModelOption, TrackOption
from client.cli.progress_bars import counting, share_bar
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.speaking import Speaker
from pronunciation.errors import PronunciationError
from pronunciation.hearing import (
    Heard,
    Hearing,
    hear_entry,
    hear_terms,
    named_audio,
    parse_entry,
    result_entry,
)
from pronunciation.hearing.sound import REASONS
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import to_ipa
from pronunciation.terms import Lexicon
from server.contract import TERM_WORDS, clock
from server.ui.exports.transcript_text import FORMATS

app = commands()


@command(app, "transcribe")
def transcribe(
    settings: ClientSettings,
    audio: Annotated[Path, typer.Argument(metavar="AUDIO", help="An audio or video file.")],
    engine: EngineOption = None,
    model: ModelOption = None,
    track: TrackOption = None,
    format_: Annotated[
        Literal["text", "json", "srt", "vtt"], typer.Option("--format", help="The output format.")
    ] = "text",
) -> None:
    """Print the transcript of a recording."""
    sound = SoundFile(audio, track=track)
    name_track(sound)
    check_for_speech(sound.blocks())
    transcriber = loading.begin_loading(settings, engine, model)()
    with share_bar("transcribing") as report:
        transcript = transcribe_sound(transcriber, sound, report)
    print_file(FORMATS[format_](transcript))


@command(app, "say")
def say(
    settings: ClientSettings,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say.")],
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write a WAV file instead of playing.")
    ] = None,
    voice: Annotated[
        Literal["natural", "system"] | None,
        typer.Option("--voice", help="The voice; default: the settings."),
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", min=0.5, max=2.0, help="1 is the voice's own pace.")
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


_VERDICT = {"correct": ("✓", "green"), "mispronounced": ("✗", "red"), "unclear": ("?", "yellow")}


@command(app, "pronounce")
def pronounce(
    settings: ClientSettings,
    audio: Annotated[
        Path | None, typer.Argument(metavar="AUDIO", help="An audio or video file.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="The words that are said in it.")
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", metavar="FILE.jsonl", help="Many recordings, one line each."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Report how each lexicon term of a text was said in the recording."""
    lexicon = load_lexicon(settings.lexicon, settings.cache)
    if manifest is not None:
        if audio is not None or text is not None:
            raise typer.BadParameter("--manifest goes without AUDIO and --text")
        _in_bulk(Hearing(), lexicon, manifest)
        return
    if audio is None or text is None:
        raise typer.BadParameter("name AUDIO and --text, or --manifest")
    heard = _hear(Hearing(), lexicon, audio, text)
    if as_json:
        print_json({"audio": str(audio), "terms": [result_entry(each) for each in heard]})
    else:
        _print(heard, lexicon)


def _hear(hearing: Hearing, lexicon: Lexicon, audio: Path, text: str) -> list[Heard]:
    clip = read_audio(audio)
    if not text.strip():
        raise fail("--text is empty: it says which words are in the recording")
    heard = hear_terms(hearing, clip, text, lexicon)
    if not heard:
        raise fail("the text holds no term of the lexicon; `aloud lexicon list` lists them")
    return heard


def _print(heard: list[Heard], lexicon: Lexicon) -> None:
    table = plain_table("", "term", "heard", "say", "at", "tip")
    for each in heard:
        sign, style = _VERDICT[each.verdict]
        term = lexicon.get(each.term)
        tips = {m.phones: m.tip for m in term.mistakes} if term else {}
        sure = "" if each.verdict == "unclear" else f" {each.confidence:.0%}"
        table.add_row(
            Text(f"{sign} {TERM_WORDS[each.verdict]}{sure}", style),
            Text(each.term, "bold"),
            f"/{to_ipa(each.phones)}/",
            Text(term.say if term else ""),
            f"{clock(each.start_s)}.{int(each.start_s * 10) % 10}",  # many clips are short
            Text(
                REASONS[each.fault]
                if each.fault
                else tips.get(each.phones, "")
                if each.verdict == "mispronounced"
                else ""
            ),
        )
    out().print(table)


def _in_bulk(hearing: Hearing, lexicon: Lexicon, manifest: Path) -> None:
    """Print one JSON line for each line read, as soon as it is judged."""
    try:
        text = manifest.read_text(encoding="utf-8-sig")  # editors on Windows begin with a mark
    except OSError as error:
        raise fail(f"{manifest}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise fail(f"{manifest}: is not UTF-8 text") from error
    # By "\n" alone: splitlines() would cut at a U+2028, which JSON allows within a text.
    lines = enumerate(text.split("\n"), 1)
    wanted = [(number, line) for number, line in lines if line.strip()]
    failed = 0
    with counting("hearing") as progress:
        for done, result in enumerate(_results(hearing, lexicon, wanted, manifest.parent), 1):
            sys.stdout.write(json.dumps(result) + "\n")  # ASCII, which every terminal can take
            sys.stdout.flush()
            failed += "error" in result
            progress(done, len(wanted))
    if failed and failed == len(wanted):
        raise fail("no line could be judged: each says why")
    if not wanted:
        errors().print(Text(f"{manifest} holds no line", "yellow"))
    if failed:
        errors().print(f"{failed} of {len(wanted)} lines could not be judged", style="yellow")


def _results(
    hearing: Hearing, lexicon: Lexicon, lines: list[tuple[int, str]], folder: Path
) -> Iterator[dict[str, Any]]:
    for number, line in lines:
        result = _result(hearing, lexicon, line, folder)
        if "error" in result:
            result["error"] = f"line {number}: {result['error']}"
        yield result


def _result(hearing: Hearing, lexicon: Lexicon, line: str, folder: Path) -> dict[str, Any]:
    audio = None
    try:
        raw = json.loads(line)
        audio = named_audio(raw)
        path = Path(parse_entry(raw).audio)
        # A relative path counts from the manifest, as it would in any other list of files.
        beside = folder / path
        clip = read_audio(beside if beside.exists() or path.is_absolute() else path)
        return hear_entry(hearing, raw, clip, lexicon)
    except json.JSONDecodeError as error:
        return {"audio": None, "error": f"is not a JSON object on a line of its own ({error.msg})"}
    except (ClientError, PronunciationError) as error:
        return {"audio": audio, "error": str(error)}
    except Exception as error:  # one bad line never stops the rest
        return {"audio": audio, "error": f"{type(error).__name__}: {error}"}
