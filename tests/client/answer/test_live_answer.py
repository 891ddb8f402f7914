import os
import signal
import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

from client.answer.hearing import AnswerHearing
from client.answer.live import AnswerCancelledError, Caption, LiveTranscript
from client.answer.session import Session
from client.answer.term_track import HeardStretch
from client.answer.worker import evidence_of
from client.audio.files import read_audio
from client.audio.voice_activity import speech_segments
from client.backend.protocol import Backend, RejectedError
from client.core.errors import EngineError, NoSpeech, WeightsError
from client.data import demo
from client.engines.base import Transcriber
from client.engines.engine_process import EngineProcess
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.lexicon_loader import load_lexicon
from question_bank.models import Question
from server.contract import Judgment, Report, Submission, Word
from tests.client.conftest import make_question, make_report
from tests.worlds.queues import wait_for
from tests.worlds.spoken import say

PHRASES = (
    ("storage", "model", "token"),
    ("memory", "network", "latency"),
    ("token", "memory", "model", "storage", "network"),
)
QUESTION = "kv-cache"


def silence(duration_s: float) -> np.ndarray:
    return np.zeros(round(duration_s * SAMPLE_RATE_HZ), np.float32)


def phrases(pause_s: float = 1.2) -> list[np.ndarray]:
    """Each phrase with the pause after it, in a hissing room."""
    rng = np.random.default_rng(5)
    made = []
    for words in PHRASES:
        sound = np.concatenate([say(words, end_s=0.0).samples, silence(pause_s)])
        made.append((sound + 1e-3 * rng.standard_normal(sound.size)).astype(np.float32))
    return made


class BackendStub:
    """Stands in for a backend: knows one question, grades anything, fails when told to."""

    def __init__(self) -> None:
        self.graded: list[Submission] = []
        self.failures: list[Exception] = []
        self.asked: list[str] = []

    def question(self, question_id: str) -> Question:
        self.asked.append(question_id)
        if question_id != QUESTION:
            raise RejectedError(f"no question {question_id}", "not-found")
        return make_question()

    def grade(self, submission: Submission) -> Report:
        self.graded.append(submission)
        if self.failures:
            raise self.failures.pop()
        return make_report(submission)


class LoudRuns(Transcriber):
    """Writes "so" for every loud stretch; waits for ``gate`` where it is closed."""

    name, model = "loud-runs", "none"

    def __init__(self) -> None:
        self.runs = 0
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.failure: Exception | None = None

    def recognize(self, clip: Clip) -> Sequence[Word]:
        self.runs += 1
        self.entered.set()
        assert self.gate.wait(120)
        if self.failure is not None:
            raise self.failure
        frame = 800
        power = np.abs(clip.samples[: clip.samples.size // frame * frame]).reshape(-1, frame)
        loud = np.concatenate([[False], power.max(axis=1) > 0.05, [False]])
        for gap in range(1, 4):  # the closure of a "t" ends no word
            loud[gap:-gap] |= loud[: -2 * gap] & loud[2 * gap :]
        starts, ends = np.flatnonzero(loud[1:] > loud[:-1]), np.flatnonzero(loud[1:] < loud[:-1])
        return [
            Word(text="so", start_s=start * frame / 16_000, end_s=end * frame / 16_000)
            for start, end in zip(starts, ends, strict=True)
        ]


def session(engine: Transcriber, desk: BackendStub | None = None, hear: object = None) -> Session:
    backend: Backend = desk or BackendStub()  # type: ignore[assignment]
    return Session(backend, lambda: engine, hear)  # type: ignore[arg-type]


def feed(live: LiveTranscript, samples: np.ndarray, seed: int = 1) -> None:
    """Blocks of any size, as sound systems and web pages give them."""
    rng, at = np.random.default_rng(seed), 0
    while at < samples.size:
        size = int(rng.integers(1, 6000))
        live.feed(samples[at : at + size])
        at += size


def test_pieces_are_transcribed_while_the_candidate_speaks_on() -> None:
    engine, shown = LoudRuns(), list[Caption]()
    live = session(engine).listen(QUESTION, on_caption=shown.append)

    for number, phrase in enumerate(phrases(pause_s=1.8), start=1):
        feed(live, phrase)
        wait_for(lambda number=number: engine.runs >= number)  # type: ignore[misc]
    wait_for(lambda: len(live.captions) >= 2)
    runs_before_stop = engine.runs
    submission = live.result()

    assert engine.runs == runs_before_stop, "after a silence nothing is left to transcribe"
    assert live.captions == tuple(shown)
    text = submission.transcript.text
    assert text == " ".join(caption.text for caption in shown)
    assert len(text.split()) == sum(len(words) for words in PHRASES)
    assert live.duration_s == pytest.approx(sum(p.size for p in phrases(1.8)) / SAMPLE_RATE_HZ)


def test_pauses_are_those_of_the_whole_recording() -> None:
    whole = np.concatenate(phrases())
    live = session(LoudRuns()).listen(QUESTION)

    feed(live, whole, seed=7)
    evidence = live.result().evidence

    assert evidence.pauses
    assert evidence.sound is not None
    timed = evidence.model_copy(update={"sound": None})
    assert timed == evidence_of(speech_segments(Clip(whole)))


@pytest.fixture(scope="module")
def tiny() -> Transcriber:
    return load_engine("faster-whisper", EngineOptions("tiny.en", offline=True))


def test_a_question_follows_while_the_last_answer_is_transcribed_and_the_engine_killed() -> None:
    engine = EngineProcess("faster-whisper", "tiny.en", offline=True)
    rehearsal, said = session(engine), phrases()
    first = rehearsal.listen(QUESTION)
    feed(first, np.concatenate(said[:2]))
    outcomes: list[Submission] = []
    waiting = threading.Thread(target=lambda: outcomes.append(first.result()))
    waiting.start()
    second = rehearsal.listen(QUESTION)
    feed(second, said[2])
    engine.warm()
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)

    outcomes.append(second.result())
    waiting.join()

    wanted = {(*PHRASES[0], *PHRASES[1]), PHRASES[2]}
    words = [each.transcript.words for each in outcomes]
    assert {tuple(word.text.strip(".,").lower() for word in heard) for heard in words} == wanted


def test_words_and_verdicts_are_those_of_the_recording(tiny: Transcriber) -> None:
    rehearsal = session(tiny, hear=AnswerHearing(load_lexicon(), frozenset))
    clip = read_audio(demo.AUDIO)
    # clauses end at 5.5 and at 22.5 s; their pauses are made as long as people make them
    parts = [clip.slice(0.0, 5.7), clip.slice(23.0, 26.9)]
    whole = np.concatenate([parts[0].samples, silence(0.8), parts[1].samples, silence(0.8)])
    live = rehearsal.listen(QUESTION)
    feed(live, whole)

    spoken = live.result()
    recorded = rehearsal.prepare(Clip(whole), QUESTION)

    mine, theirs = spoken.transcript.text.split(), recorded.transcript.text.split()
    assert len(set(mine) & set(theirs)) >= 0.9 * len(set(theirs))
    assert spoken.evidence.pauses == recorded.evidence.pauses
    assert spoken.evidence.hearing_version == recorded.evidence.hearing_version
    heard = {(h.term, round(h.start_s)): h for h in spoken.evidence.heard}
    assert len(recorded.evidence.heard) >= 3
    for whole_term in recorded.evidence.heard:
        found = heard.get((whole_term.term, round(whole_term.start_s)))
        assert found is not None, whole_term.term
        assert found.verdict == whole_term.verdict
        assert found.start_s == pytest.approx(whole_term.start_s, abs=0.1)
        word = spoken.transcript.words[found.word_index]
        assert word.start_s == pytest.approx(found.start_s, abs=0.5)


@pytest.mark.parametrize(
    ("sound", "reason"),
    [
        (silence(0), "empty"),
        (silence(3), "all zeros"),
        (np.resize(np.float32([1, -1]) / 32768, 48_000), "silent"),
        (0.1 * np.random.default_rng(3).standard_normal(48_000), "only noise"),
        (0.3 * np.sin(np.arange(160_000) * 0.17), "only noise"),
    ],
)
def test_without_speech_the_engine_hears_nothing(sound: np.ndarray, reason: str) -> None:
    engine = LoudRuns()
    live = session(engine).listen(QUESTION)
    feed(live, sound.astype(np.float32))

    with pytest.raises(NoSpeech, match=reason):
        live.result()
    assert engine.runs == 0
    assert live.captions == ()


def test_speech_that_the_engine_makes_no_words_of_is_no_answer() -> None:
    class Deaf(LoudRuns):
        def recognize(self, clip: Clip) -> Sequence[Word]:
            return [Word(text="...", start_s=0.5, end_s=0.7)]

    live = session(Deaf()).listen(QUESTION)
    feed(live, phrases()[0])

    with pytest.raises(NoSpeech, match="no words"):
        live.result()


def test_feeding_never_waits_for_the_engine() -> None:
    engine = LoudRuns()
    engine.gate.clear()
    live = session(engine).listen(QUESTION)
    feed(live, phrases(2.0)[0])
    assert engine.entered.wait(120)

    began_s = time.monotonic()
    for phrase in phrases():
        feed(live, phrase)
    fed_in_s = time.monotonic() - began_s
    engine.gate.set()

    assert fed_in_s < 20.0
    text = live.result().transcript.text
    assert len(text.split()) == len(PHRASES[0]) + sum(len(words) for words in PHRASES)


@pytest.mark.realtime
def test_a_discarded_answer_returns_at_once_and_frees_the_engine() -> None:
    engine = LoudRuns()
    engine.gate.clear()
    rehearsal = session(engine)
    live = rehearsal.listen(QUESTION)
    feed(live, phrases(2.0)[0])
    assert engine.entered.wait(120)

    began_s = time.monotonic()
    live.cancel()  # while the engine stands still
    assert time.monotonic() - began_s < 10.0
    live.feed(phrases()[1])
    engine.gate.set()
    with pytest.raises(AnswerCancelledError):
        live.result()

    again = rehearsal.listen(QUESTION)
    feed(again, phrases()[1])
    assert len(again.result().transcript.words) == len(PHRASES[1])
    assert live.captions == ()


def test_what_fails_in_the_engine_is_said_at_the_end() -> None:
    engine = LoudRuns()
    engine.failure = EngineError("out of memory")
    live = session(engine).listen(QUESTION)
    feed(live, phrases(2.0)[0])
    wait_for(lambda: engine.runs > 0)
    feed(live, phrases()[1])

    with pytest.raises(EngineError, match="out of memory"):
        live.result()


def test_an_engine_that_cannot_be_loaded_is_said_at_the_end() -> None:
    def missing() -> Transcriber:
        raise WeightsError("Whisper base.en is not installed")

    live = Session(BackendStub(), missing).listen(QUESTION)  # type: ignore[arg-type]
    feed(live, phrases()[0])

    with pytest.raises(WeightsError, match=r"base\.en"):
        live.result()


class OneJudge:
    """Stands in for a judge; notes which answers it was asked about."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def judged(self, submission: Submission, _: object) -> Submission:
        self.asked.append(submission.submission_id)
        judgment = Judgment(address="here", model="small", transcript_left=False)
        evidence = submission.evidence.model_copy(update={"judgment": judgment})
        return submission.model_copy(update={"evidence": evidence})


def test_a_judge_is_asked_once_however_often_the_answer_is_looked_at() -> None:
    judge = OneJudge()
    backend: Backend = BackendStub()  # type: ignore[assignment]
    live = Session(backend, LoudRuns, judge=judge).listen(QUESTION)  # type: ignore[arg-type]
    feed(live, phrases()[0])

    submission = live.result()

    assert live.result() is submission
    assert judge.asked == [submission.submission_id]
    assert submission.evidence.judgment is not None
    assert submission.evidence.judgment.model == "small"


def test_where_the_hearing_cannot_judge_the_evidence_says_why() -> None:
    def hear(clip: Clip, words: object, question: object) -> HeardStretch:
        return HeardStretch(problem="the words do not fit the sound")

    live = session(LoudRuns(), hear=hear).listen(QUESTION)
    feed(live, phrases()[0])

    submission = live.result()
    assert submission.evidence.heard == ()
    assert submission.evidence.hearing_problem == "the words do not fit the sound"


def test_a_follow_up_is_asked_before_the_last_terms_are_heard() -> None:
    happened: list[str] = []

    def hear(clip: Clip, words: object, question: object) -> HeardStretch:
        happened.append("heard")
        return HeardStretch()

    desk = BackendStub()
    rehearsal = session(LoudRuns(), desk, hear=hear)
    live = rehearsal.listen(QUESTION, on_asked=lambda asked: happened.append(asked.ask))
    feed(live, phrases()[0])
    submission = live.result()
    first = rehearsal.asked_early(submission.submission_id)
    assert first is not None
    assert happened[-2:] == [first.ask, "heard"]
    outcome = rehearsal.submit(submission, save=False)
    assert rehearsal.next_follow_up(outcome) == first, "it is decided once"


def test_a_question_that_nobody_knows_is_said_at_the_end() -> None:
    live = session(LoudRuns(), hear=lambda *_: HeardStretch()).listen("no-such-question")
    feed(live, phrases()[0])

    with pytest.raises(RejectedError, match="no-such-question"):
        live.result()
