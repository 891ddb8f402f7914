"""The microphone check, and the app's own voice: questions, terms, single readings, drill items."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from starlette.responses import HTMLResponse, Response

from client.audio.sound_meter import judge_microphone
from client.audio.wav import wav_bytes
from client.core.errors import ClientError, NoSpeech, SpeakingError
from client.core.preferences import SPEEDS
from client.doctor import Check, check_data_folder, check_server
from client.practice.choosing import first_question
from client.practice.progress import is_new
from client.speaking import TRIAL_SENTENCE, Speaker, voices_here
from client.studio.routes.bodies import clip_of_pcm, read_body
from client.studio.state.studio import (
    Studio,
    microphone_file,
    microphone_passed,
)
from pronunciation.clip import Clip
from pronunciation.phones import parse_phones
from pronunciation.respelling.for_people import respell_phones
from pronunciation.terms import Lexicon, Term

SENTENCE = "I rehearse my answers aloud, and the recording stays on this machine."
MAX_S = 20.0


def router(studio: Studio) -> APIRouter:
    """The page and what it asks for."""
    routes = APIRouter(prefix="/microphone")

    @routes.get("")
    def page(request: Request) -> HTMLResponse:
        return studio.page(
            request,
            "microphone.html",
            sentence=SENTENCE,
            max_s=MAX_S,
            passed=microphone_passed(studio.settings),
            first=first_question(studio.bank.questions) if is_new(studio.backend) else None,
        )

    @routes.post("/check")
    def check(pcm: Annotated[bytes, Depends(_pcm)]) -> dict[str, Any]:
        """Judge one spoken sentence; nothing of it is kept."""
        clip = clip_of_pcm(pcm)
        quality = judge_microphone(clip)
        return asdict(quality) | {"works": quality.works, **_understood(studio, clip)}

    @routes.post("/passed", status_code=204)
    def passed() -> None:
        """The person has recognized their own voice: the home page stops asking."""
        microphone_file(studio.settings).write_text("{}", encoding="utf-8")

    @routes.post("/failed", status_code=204)
    def failed() -> None:
        """It was not their voice: the home page asks again."""
        microphone_file(studio.settings).unlink(missing_ok=True)

    @routes.get("/setup")
    def setup() -> list[dict[str, Any]]:
        """Whether the rest works; loads the engine, so it takes a few seconds the first time."""
        checks = (
            _engine(studio),
            _voice(studio),
            check_data_folder(studio.settings),
            check_server(studio.settings),
        )
        return [asdict(each) for each in checks]

    return routes


async def _pcm(request: Request) -> bytes:
    return await read_body(request, MAX_S)


def _understood(studio: Studio, clip: Clip) -> dict[str, str]:
    """What the engine understands, so that the person sees the whole pipeline work."""
    try:
        return {"understood": studio.session.transcribe(clip).text, "not_understood": ""}
    except NoSpeech:
        return {"understood": "", "not_understood": ""}
    except ClientError as error:
        return {"understood": "", "not_understood": str(error)}


def _engine(studio: Studio) -> Check:
    try:
        engine = studio.engine.load()
    except ClientError as error:
        return Check("Transcription", False, str(error), "aloud doctor says what is missing")
    status = studio.engine.status()
    if status.by_choice:
        return Check("Transcription", True, f"{engine.name}, as you chose; it is rough")
    if status.rough:
        return Check(
            "Transcription",
            False,
            f"{engine.name} works, but its transcripts are rough: there are no Whisper weights",
            "download them once, on the first page",
        )
    return Check("Transcription", True, f"{engine.name} {engine.model}".strip())


def _voice(studio: Studio) -> Check:
    try:
        clip = studio.speaker().clip("Ready to listen.")
    except SpeakingError as error:
        remedy = error.remedy or "until then, questions are only shown"
        return Check("Voice", False, error.problem, remedy)
    return Check("Voice", True, f"speaks ({clip.duration_s:.1f} s in a trial)")


Phones = Annotated[str, Query(min_length=1, max_length=500)]
Text = Annotated[str, Query(min_length=1, max_length=500)]


def sounds_router(studio: Studio) -> APIRouter:
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
