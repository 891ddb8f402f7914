"""Sounds of the app's own voice: questions, terms, single readings, drill items, a trial."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from starlette.responses import Response

from client.audio.wav import wav_bytes
from client.core.preferences import SPEEDS
from client.speaking import TRIAL_SENTENCE, Speaker, voices_here
from client.studio.state.studio import Studio
from pronunciation.phones import parse_phones
from pronunciation.respelling.for_people import respell_phones
from pronunciation.terms import Lexicon, Term

Phones = Annotated[str, Query(min_length=1, max_length=500)]
Text = Annotated[str, Query(min_length=1, max_length=500)]


def router(studio: Studio) -> APIRouter:
    """The sounds; a voice that does not work is a failure that names the remedy."""
    routes = APIRouter(prefix="/sound")

    @routes.get("/question/{question_id}")
    def question(question_id: str) -> Response:
        """The question, as the interviewer asks it."""
        return _said(studio, studio.backend.question(question_id).prompt)

    @routes.get("/text")
    def text(text: Text) -> Response:
        """Any sentence, its terms said right."""
        return _said(studio, text)

    @routes.get("/term")
    def term(term: Text) -> Response:
        """A term of the lexicon by its first reading; another word as the voice reads it."""
        known = studio.lexicon.get(term)
        return _said(studio, known.term if known else term)

    @routes.get("/reading")
    def reading(phones: Phones, term: Text = "term") -> Response:
        """One reading, right or mistaken, given as ARPAbet."""
        arpabet = " ".join(parse_phones(phones))
        one = Term(term=term, kind="word", say=respell_phones(arpabet, term), readings=(arpabet,))
        return _said(studio, term, Lexicon(version=arpabet, terms=(one,)))

    @routes.get("/drill/{item_id}")
    def drill(item_id: str) -> Response:
        """A drill item by its own readings, whatever the lexicon says."""
        item = studio.drill_items.item(item_id)
        if item is None:
            raise HTTPException(404, f"there is no drill item {item_id!r}")
        return _said(studio, item.prompt, None if item.phrases else item.lexicon)

    @routes.get("/voice")
    def voice(
        name: Annotated[str, Query(pattern="^(natural|system)$")],
        speed: Annotated[float, Query(ge=SPEEDS[0], le=SPEEDS[1])],
    ) -> Response:
        """How a voice sounds at a speed, before it is chosen."""
        only = [each for each in voices_here(name, speed) if each.name == name]
        speaker = Speaker(studio.lexicon, studio.settings.speech_cache, only)
        return _sound(speaker, TRIAL_SENTENCE)

    return routes


def _said(studio: Studio, text: str, lexicon: Lexicon | None = None) -> Response:
    if not any(character.isalnum() for character in text):
        raise HTTPException(422, "there is nothing to say: the text has no words")
    return _sound(studio.speaker(lexicon), text)


def _sound(speaker: Speaker, text: str) -> Response:
    """A text as a WAV file. The browser keeps none: the voice has its own cache and may change."""
    clip = speaker.clip(text)
    return Response(
        wav_bytes(clip), media_type="audio/wav", headers={"Cache-Control": "private, no-store"}
    )
