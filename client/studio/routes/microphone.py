"""The microphone check: level, noise, the person's own voice, and whether the rest is set up."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse

from client.audio.quality import judge_microphone
from client.core.errors import ClientError, NoSpeech, SpeakingError
from client.doctor import Check, check_data_folder, check_server
from client.practice.choosing import first_question
from client.practice.progress import is_new
from client.studio.state.microphone_passed import (
    forget_microphone,
    microphone_passed,
    remember_microphone,
)
from client.studio.state.pcm import clip_of_pcm, read_body
from client.studio.state.studio import Studio
from pronunciation.clip import Clip

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
        remember_microphone(studio.settings)

    @routes.post("/failed", status_code=204)
    def failed() -> None:
        """It was not their voice: the home page asks again."""
        forget_microphone(studio.settings)

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
