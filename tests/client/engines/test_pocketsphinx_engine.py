import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from client.answer.worker import transcribe
from client.audio.files import read_audio
from client.core.errors import NoSpeech, WeightsError
from client.engines.bank_vocabulary import BankVocabulary, Entry
from client.engines.engines import EngineOptions, load_engine
from client.engines.pocketsphinx_engine import PocketSphinx, build
from pronunciation.clip import Clip
from tests.worlds.spoken import say

VOCABULARY = BankVocabulary(
    version="test",
    terms=("continuous batching", "NVLink", "NCCL", "tail latency"),
    words=("sharded",),
    readings={"nccl": ("N IH K AH L",), "nvlink": ("EH N V IY L IH NG K",)},
)
SPOKEN = (
    "We reduce the tail latency by continuous batching, and use nickel over N V Link. "
    "Then we measure again under heavy load."
)


@pytest.fixture(scope="module")
def engine() -> PocketSphinx:
    return build(VOCABULARY)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Clip:
    if shutil.which("flite") is None:
        pytest.skip("install flite: apt install flite")
    path: Path = tmp_path_factory.mktemp("spoken") / "a.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", SPOKEN, "-o", str(path)], check=True)
    return read_audio(path)


def test_words_are_heard_with_their_times(engine: PocketSphinx) -> None:
    said = say(["memory", "network", "latency", "storage"])

    transcript = transcribe(engine, Clip(said.samples))

    assert (transcript.engine, transcript.model) == ("pocketsphinx", "en-us")
    heard = {word.text: word for word in transcript.words}
    hits = set(said.words) & set(heard)
    assert len(hits) >= 3
    for word, (start_s, end_s) in zip(said.words, said.times_s, strict=True):
        if word in hits:
            assert heard[word].start_s == pytest.approx(start_s, abs=0.15)
            assert heard[word].end_s == pytest.approx(end_s, abs=0.15)
            assert 0.0 <= (heard[word].confidence or 0.0) <= 1.0


def test_terms_of_the_bank_are_written_as_the_bank_writes_them(
    engine: PocketSphinx, spoken: Clip
) -> None:
    text = transcribe(engine, spoken).text

    for term in ("tail latency", "continuous batching", "NCCL", "NVLink", "under heavy load"):
        assert term in text
    for mark in ("_", "(", "<", "["):
        assert mark not in text


def test_without_the_vocabulary_they_are_not_heard(spoken: Clip) -> None:
    bare = build(VOCABULARY, word_weight=0.0, term_weight=0.0)

    text = transcribe(bare, spoken).text

    assert "NCCL" not in text
    assert "batching" not in text
    assert "under heavy load" in text


def test_the_same_sound_gives_the_same_words_whatever_came_before(
    engine: PocketSphinx, spoken: Clip
) -> None:
    alone = transcribe(engine, spoken).text
    quiet = Clip(spoken.samples * np.float32(0.1))
    transcribe(engine, quiet)

    assert transcribe(engine, spoken).text == alone


def test_a_term_of_several_words_shares_its_time_by_phones() -> None:
    entry = Entry("tail_latency", (("tail", 3), ("latency", 7)), ("T EY L L EY T AH N S IY",))
    engine = PocketSphinx(None, {entry.key: entry})

    first, second = engine._written("tail_latency", 2.0, 3.0, 0.5)

    assert (first.text, first.start_s, first.end_s) == ("tail", 2.0, pytest.approx(2.3))
    assert (second.text, second.start_s, second.end_s) == (
        "latency",
        pytest.approx(2.3),
        pytest.approx(3.0),
    )


@pytest.mark.parametrize("level", [0.0, 1e-4, 0.1])
def test_silence_and_noise_are_no_speech(engine: PocketSphinx, level: float) -> None:
    noise = np.random.default_rng(1).standard_normal(80_000) * level

    with pytest.raises(NoSpeech):
        transcribe(engine, Clip(np.clip(noise, -1, 1).astype(np.float32)))


def test_it_has_one_model() -> None:
    with pytest.raises(WeightsError, match="only its packaged model"):
        load_engine("pocketsphinx", EngineOptions("base.en"))


def test_the_vocabulary_is_asked_for_only_when_needed() -> None:
    engine = load_engine("pocketsphinx", EngineOptions(vocabulary=lambda: VOCABULARY))

    assert isinstance(engine, PocketSphinx)
