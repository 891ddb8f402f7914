"""Phrases that a transcript lost, judged by the decoder of the engine that wrote it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from client.answer.hearing import AnswerHearing
from client.answer.session import Session
from client.audio.files import read_audio
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import Clip, LogProbs, Passage
from pronunciation.terms import Lexicon
from question_bank.models import Question
from server.contract import Evidence, Word
from tests.client.answer.test_hearing import CLIP, asking, misheard

WORDS = misheard("We", "use", "rose", "bit", "win", "the", "notes")
PHRASE, OTHER = "between the nodes", "between the nets"


class Mishearing(Transcriber):
    """Writes what was not said; its decoder is another engine's, if there is one."""

    name, model = "mishearing", "none"

    def __init__(self, decoder: Transcriber | None = None) -> None:
        self.decoder = decoder
        self.passages: list[Passage] = []

    def recognize(self, clip: Clip) -> Sequence[Word]:
        return WORDS

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        self.passages += passages
        return None if self.decoder is None else self.decoder.decode(passages)


class Desk:
    """A backend that knows one question."""

    def question(self, _question_id: str) -> Question:
        return asking(PHRASE, OTHER)


@pytest.fixture(scope="module")
def tiny() -> Transcriber:
    return load_engine("faster-whisper", EngineOptions("tiny.en", offline=True))


def heard(engine: Transcriber) -> Evidence:
    hearing = AnswerHearing(Lexicon(version="test", terms=()), frozenset)
    session = Session(Desk(), lambda: engine, hearing)  # type: ignore[arg-type]
    submission = session.prepare(read_audio(CLIP), "planted")
    assert [word.text for word in submission.transcript.words] == [word.text for word in WORDS]
    return submission.evidence


def test_whisper_confirms_what_was_said_and_its_words_stay_as_they_are(tiny: Transcriber) -> None:
    engine = Mishearing(tiny)

    # a passage counts for the surest of its phrases only (server.grading.coverage)
    found = max(heard(engine).heard_phrases, key=lambda each: each.confidence)
    (by_sound,) = heard(Mishearing()).heard_phrases

    assert (found.phrase, by_sound.phrase) == (PHRASE, PHRASE)
    assert found.confidence > by_sound.confidence
    assert (found.start_s, found.end_s) == (by_sound.start_s, by_sound.end_s)
    assert PHRASE in {passage.texts[1][1] for passage in engine.passages}


def test_whisper_prefers_the_phrase_that_was_said(tiny: Transcriber) -> None:
    clip = read_audio(CLIP)
    texts = (("We use rose", PHRASE, ""), ("We use rose", OTHER, ""))
    found = tiny.decode([Passage(clip, texts)])
    assert found is not None
    said, other = (sum(map(sum, text)) for text in found[0])
    assert said > other + 2


def test_a_name_in_whispers_prompt_is_likelier(tiny: Transcriber) -> None:
    text = ("We use", "RoCE", PHRASE)
    passage = Passage(read_audio(CLIP), (text,))
    found = tiny.decode([passage, replace(passage, prompt="RoCE")])
    assert found is not None
    (plain,), (told,) = found
    assert [len(part) for part in plain] == [len(part) for part in told]
    assert sum(told[1]) > sum(plain[1]) + 1


def test_an_engine_without_a_decoder_leaves_it_to_the_sound() -> None:
    engine = Mishearing()
    assert [each.phrase for each in heard(engine).heard_phrases] == [PHRASE]
    assert engine.passages, "it was asked"
