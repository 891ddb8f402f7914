"""Drill items as an Anki deck, with the sound of each taught reading."""

import hashlib
import html
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from client.audio.wav import write_wav
from client.core.errors import DrillError, SpeakingError
from client.practice.drills.items import Item
from pronunciation.clip import Clip
from pronunciation.phones import to_ipa

if TYPE_CHECKING:
    import genanki


_MODEL_ID: Final = 1_607_392_319
"""Anki knows a note type by this number: never change it, or a second one appears on import."""
_FRONT: Final = '<div style="font-size:2em">{{Prompt}}</div><div>{{Sentence}}</div>'
_BACK: Final = (
    "{{FrontSide}}<hr id=answer>{{Sound}}<div><b>{{Say}}</b> {{IPA}}</div><div>{{Mistakes}}</div>"
)
_FIELDS: Final = ("Id", "Prompt", "Sentence", "Say", "IPA", "Mistakes", "Sound")


def write_anki(
    items: Sequence[Item],
    title: str,
    path: Path,
    voice: Callable[[Item], Clip] | None,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Write an ``.apkg`` file. Importing it again updates the notes and keeps Anki's schedule.

    Args:
        items: what goes in.
        title: the deck's name.
        path: the file, replaced whole.
        voice: says an item; ``None``: no sounds.
        progress: called with (done, total) after each item.

    Returns:
        Why there are no sounds in it; empty if all are.

    Raises:
        DrillError: the file cannot be written.
    """
    import genanki

    deck = genanki.Deck(_deck_id(title), title)
    model = _model()
    with tempfile.TemporaryDirectory(prefix="aloud-anki-") as name:
        folder = Path(name)
        problem = ""
        media: list[str] = []
        for number, item in enumerate(items, start=1):
            sound = None
            if voice is not None and not problem:
                try:
                    sound = folder / f"aloud-{item.id}.wav"
                    write_wav(voice(item), sound)
                    media.append(str(sound))
                except SpeakingError as error:
                    sound, problem = None, str(error)
            deck.add_note(_note(genanki, model, item, sound))
            if progress is not None:
                progress(number, len(items))
        package = genanki.Package(deck)
        package.media_files = media
        draft = folder / "deck.apkg"
        package.write_to_file(str(draft))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + ".part")
            part.write_bytes(draft.read_bytes())
            part.replace(path)
        except OSError as error:
            raise DrillError(f"{path} cannot be written: {error.strerror}") from error
    return problem


def _note(genanki: Any, model: "genanki.Model", item: Item, sound: Path | None) -> "genanki.Note":
    mistakes = "".join(
        f"<li>not {html.escape(item.respelling(each.phones))} /{to_ipa(each.phones)}/: "
        f"{html.escape(each.tip)}</li>"
        for each in item.mistakes
    )
    fields = (
        item.id,
        html.escape(item.prompt),
        html.escape(item.sentence),
        html.escape(item.say),
        f"/{to_ipa(item.readings[0])}/",
        f"<ul>{mistakes}</ul>",
        f"[sound:{sound.name}]" if sound else "",
    )
    return genanki.Note(
        model=model,
        fields=list(fields),
        guid=genanki.guid_for("aloud", item.id),
        tags=["aloud", item.set],
    )


def _model() -> "genanki.Model":
    import genanki

    return genanki.Model(
        _MODEL_ID,
        "Aloud pronunciation",
        fields=[{"name": name} for name in _FIELDS],
        templates=[{"name": "Say it", "qfmt": _FRONT, "afmt": _BACK}],
        css=".card { font-family: sans-serif; text-align: center; } ul { text-align: left; }",
        sort_field_index=1,
    )


def _deck_id(title: str) -> int:
    return int(hashlib.sha256(title.encode()).hexdigest()[:7], 16) + 2**30
