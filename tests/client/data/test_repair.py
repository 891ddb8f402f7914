"""Answers transcribed again, corrected and restored, on an embedded and on a shared server."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from client.answer.session import Session, new_submission
from client.answer.term_track import HeardStretch
from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.data import demo
from client.data.own_recordings import OwnRecordings
from client.data.repair import (
    RepairError,
    correct_words,
    earlier_version,
    replaced,
    restore_words,
    rough_answers,
    transcribe_again,
)
from client.practice.progress import all_attempts
from pronunciation.clip import Clip
from pronunciation.hearing import HEARING_VERSION
from question_bank.models import Question
from server.contract import Attempt, Evidence, HeardPhrase, HeardTerm, Transcript, Word
from tests.worlds.shared_server import backend_of, server_with_people
from tests.worlds.studio_parts import ScriptedTranscriber

QUESTION = "infiniband-or-roce"
ROUGH = "in Fini Band uses credit based flow control, and rocky needs it too. In Fini Band is fast"


def words(text: str) -> tuple[Word, ...]:
    return tuple(
        Word(text=each, start_s=i * 0.3, end_s=i * 0.3 + 0.2) for i, each in enumerate(text.split())
    )


def transcript(engine: str = "pocketsphinx", text: str = ROUGH) -> Transcript:
    return Transcript(text=text, engine=engine, words=words(text), duration_s=6.0)


@pytest.fixture
def recordings(settings: ClientSettings) -> OwnRecordings:
    return OwnRecordings(settings.recordings)


@pytest.fixture
def keep(
    backend: Backend, recordings: OwnRecordings, settings: ClientSettings
) -> Callable[..., Attempt]:
    """Stores an answer, with a recording of it."""

    def store(
        engine: str = "pocketsphinx", *, recorded: bool = True, evidence: Evidence | None = None
    ) -> Attempt:
        submission = new_submission(QUESTION, transcript(engine))
        if evidence is not None:
            submission = submission.model_copy(update={"evidence": evidence})
        attempt = backend.submit(submission)
        if recorded:
            settings.recordings.mkdir(parents=True, exist_ok=True)
            path = recordings.path_of(attempt.submission.submission_id)
            write_wav(read_audio(demo.AUDIO).slice(0.0, 6.0), path)
        return attempt

    return store


def hear(clip: Clip, given: Sequence[Word], question: Question | None = None) -> HeardStretch:
    """Hears InfiniBand said right, wherever it is written."""
    return HeardStretch(
        tuple(
            HeardTerm(
                term="InfiniBand",
                word_index=index,
                verdict="correct",
                phones="IH1 N",
                confidence=0.9,
                start_s=word.start_s or 0.0,
                end_s=word.end_s or 0.0,
            )
            for index, word in enumerate(given)
            if word.text.startswith("InfiniBand")
        )
    )


@pytest.fixture
def session(backend: Backend) -> Session:
    return Session(backend, lambda: ScriptedTranscriber(), hear)


def test_a_recording_that_is_not_here_and_an_engine_no_better_are_refused(
    backend: Backend, recordings: OwnRecordings, keep: Callable[..., Attempt]
) -> None:
    gone = keep(recorded=False)
    engine = ScriptedTranscriber()
    session = Session(backend, lambda: engine)
    with pytest.raises(RepairError, match="no recording of attempt"):
        transcribe_again(backend, session, recordings, gone.id)
    engine.name = "pocketsphinx"
    with pytest.raises(RepairError, match="aloud models pull"):
        transcribe_again(backend, session, recordings, keep().id)
    with pytest.raises(RepairError, match="has 1 report, so there is no report 2"):
        earlier_version(backend, gone.id, 2)


def test_corrected_words_are_marked_heard_and_restored(
    backend: Backend, session: Session, recordings: OwnRecordings, keep: Callable[..., Attempt]
) -> None:
    rough = keep()
    text = replaced(rough.report.transcript, "fini band uses", "InfiniBand uses").removeprefix(
        "in "
    )
    corrected = correct_words(backend, session, recordings, rough.id, text)
    assert corrected.report.transcript.text.startswith("InfiniBand uses credit based")
    assert corrected.report.transcript.corrected_texts == [("InfiniBand", "in Fini Band")]
    (heard,) = corrected.report.pronunciation.terms[:1]
    assert (heard.term, heard.source, heard.start_s) == ("InfiniBand", "acoustic", 0.0)
    (notice,) = (each for each in corrected.report.notices if "corrected" in each)
    assert "“InfiniBand” for “in Fini Band”" in notice
    # a second correction is marked against the engine's words too
    twice = correct_words(backend, session, recordings, rough.id, f"{text} indeed")
    assert [was for _, was in twice.report.transcript.corrected_texts] == ["in Fini Band", ""]
    assert rough_answers(all_attempts(backend), recordings) == []
    restored = restore_words(backend, rough.id)
    assert (restored.report, restored.version) == (rough.report, 4)


def test_a_phrase_that_the_recording_carried_stays_when_another_word_is_corrected(
    backend: Backend, session: Session, recordings: OwnRecordings, keep: Callable[..., Attempt]
) -> None:
    """``hear`` finds no phrases, as a hearing without the engine's decoder may."""
    pause_storms = HeardPhrase(phrase="pause storms", start_s=3.0, end_s=3.9, confidence=0.9)
    evidence = Evidence(heard_phrases=(pause_storms,), hearing_version=HEARING_VERSION)
    attempt = keep("faster-whisper", evidence=evidence)

    def how(attempt: Attempt) -> str | None:
        found = {each.phrase: each for each in attempt.report.coverage.phrases}
        return found["pause storms"].how

    text = attempt.report.transcript.text
    elsewhere = text.replace("In Fini Band is", "InfiniBand is")
    there = text.replace("needs it too", "calls for that")
    assert how(attempt) == "heard"
    assert how(correct_words(backend, session, recordings, attempt.id, elsewhere)) == "heard"
    assert how(correct_words(backend, session, recordings, attempt.id, there)) is None
    assert how(restore_words(backend, attempt.id)) == "heard"


def test_what_cannot_be_corrected_says_why(
    backend: Backend, session: Session, recordings: OwnRecordings, keep: Callable[..., Attempt]
) -> None:
    rough = keep()
    with pytest.raises(RepairError, match="no word would be left"):
        correct_words(backend, session, recordings, rough.id, "  ")
    with pytest.raises(RepairError, match="too long"):
        correct_words(backend, session, recordings, rough.id, "a" * 501)
    typed = backend.submit(new_submission(QUESTION, Transcript(text="I typed this")))
    with pytest.raises(RepairError, match="was typed"):
        correct_words(backend, session, recordings, typed.id, "I wrote this")


def test_on_a_shared_server(tmp_path: Path) -> None:
    with server_with_people(tmp_path) as world:
        backend = backend_of(world)
        raw = backend.export_one(world.attempt.id).attempts[0].as_transcribed
        spoken = raw.model_copy(update={"transcript": transcript(text="I use page to tension")})
        backend.revise(world.attempt.id, spoken)
        recordings = OwnRecordings(tmp_path / "none")
        session = Session(backend, lambda: ScriptedTranscriber())
        text = "I use paged attention"
        corrected = correct_words(backend, session, recordings, world.attempt.id, text)
        assert corrected.report.coverage.score == 0.5
        assert corrected.version == 3
        assert earlier_version(backend, world.attempt.id, 2).report.coverage.score == 0.0
