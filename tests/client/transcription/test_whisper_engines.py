"""The real engines, on the small real checkpoint of ``tests/checkpoint``."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.answering.worker import transcribe
from client.core.errors import NoSpeech
from client.transcription.base import Transcriber
from client.transcription.engines import load_engine
from pronunciation.clip import Clip
from server.contract import Transcript, Word
from tests.checkpoint.sounds import SAMPLE_RATE_HZ, VOICES, WORDS, Sentence, say

TIME_TOLERANCE_S = 0.25
"""Whisper's word times move in steps of 20 ms and smear over neighboring frames."""

SENTENCES = (
    ("memory", "network", "latency"),
    ("storage", "cache", "model", "token"),
    ("server",),
    ("token", "memory", "cache", "storage", "network"),
    ("latency", "latency"),
)


def planted(words: tuple[str, ...], start_s: float = 0.4) -> Sentence:
    made = say(words, VOICES[0], start_s)
    hiss = np.random.default_rng(5).standard_normal(made.samples.size) * 1e-3
    return Sentence((made.samples + hiss).astype(np.float32), made.words, made.times_s)


def plain(transcript: Transcript) -> list[str]:
    return [word.text.rstrip(".") for word in transcript.words]


@pytest.fixture(scope="session")
def faster(ctranslate2_folder: Path) -> Transcriber:
    engine = load_engine("faster-whisper", str(ctranslate2_folder), offline=True)
    assert isinstance(engine, Transcriber)
    return engine


@pytest.fixture(scope="session")
def reference(openai_file: Path) -> Transcriber:
    engine = load_engine("openai-whisper", str(openai_file), offline=True)
    assert isinstance(engine, Transcriber)
    return engine


@pytest.fixture(params=["faster", "reference"])
def engine(request: pytest.FixtureRequest) -> Transcriber:
    found: Transcriber = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("words", SENTENCES, ids=" ".join)
def test_what_was_said_is_written_with_its_times(
    engine: Transcriber, words: tuple[str, ...]
) -> None:
    said = planted(words)

    transcript = transcribe(engine, Clip(said.samples))

    assert plain(transcript) == list(words)
    assert transcript.text == " ".join(word.text for word in transcript.words)
    assert transcript.words[-1].text == words[-1] + "."
    assert (transcript.engine, transcript.model) == (engine.name, engine.model)
    assert transcript.duration_s == pytest.approx(said.samples.size / SAMPLE_RATE_HZ, abs=0.001)
    for word, (start_s, end_s) in zip(transcript.words, said.times_s, strict=True):
        assert word.start_s == pytest.approx(start_s, abs=TIME_TOLERANCE_S)
        assert word.end_s == pytest.approx(end_s, abs=TIME_TOLERANCE_S)
        assert word.confidence is not None
        assert 0.2 < word.confidence <= 1.0


@pytest.mark.parametrize("words", SENTENCES, ids=" ".join)
def test_both_engines_give_the_same_words(
    faster: Transcriber, reference: Transcriber, words: tuple[str, ...]
) -> None:
    clip = Clip(planted(words).samples)

    ours, theirs = transcribe(faster, clip), transcribe(reference, clip)

    assert ours.text == theirs.text
    for mine, other in zip(ours.words, theirs.words, strict=True):
        assert mine.start_s == pytest.approx(other.start_s, abs=0.1)
        assert mine.end_s == pytest.approx(other.end_s, abs=0.1)


def test_a_recording_of_several_segments_keeps_its_times(
    engine: Transcriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "max_segment_s", 7.0)
    first, second = planted(("memory", "network", "latency")), planted(("storage", "cache"))
    pause = np.zeros(12 * SAMPLE_RATE_HZ, dtype=np.float32)
    shift_s = (first.samples.size + pause.size) / SAMPLE_RATE_HZ
    shares: list[float] = []

    transcript = transcribe(
        engine,
        Clip(np.concatenate([first.samples, pause, second.samples, pause[:80_000]])),
        on_progress=shares.append,
    )

    assert plain(transcript) == [*first.words, *second.words]
    wanted = [start_s for start_s, _ in first.times_s]
    wanted += [start_s + shift_s for start_s, _ in second.times_s]
    got = [word.start_s for word in transcript.words]
    assert got == pytest.approx(wanted, abs=TIME_TOLERANCE_S)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


def test_another_sample_rate_gives_the_same_words(faster: Transcriber) -> None:
    import soxr

    said = planted(("memory", "network"))
    studio = soxr.resample(said.samples, SAMPLE_RATE_HZ, 48_000).astype(np.float32)

    assert plain(transcribe(faster, Clip(np.clip(studio, -1, 1), 48_000))) == list(said.words)


@pytest.mark.parametrize("level", [0.0, 1e-4, 0.05, 0.3])
def test_silence_and_noise_never_become_words(
    engine: Transcriber, level: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "recognize", lambda clip: pytest.fail("the engine was asked"))
    noise = np.random.default_rng(2).standard_normal(6 * SAMPLE_RATE_HZ) * level

    with pytest.raises(NoSpeech, match="no speech detected"):
        transcribe(engine, Clip(np.clip(noise, -1, 1).astype(np.float32)))


def test_an_engine_that_writes_nothing_is_no_answer(
    engine: Transcriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "recognize", lambda clip: [Word(text="...", start_s=0, end_s=1)])

    with pytest.raises(NoSpeech, match="no words could be made out"):
        transcribe(engine, Clip(planted(("memory",)).samples))


def test_the_same_sound_gives_the_same_transcript(engine: Transcriber) -> None:
    clip = Clip(planted(("model", "storage", "server")).samples)

    assert transcribe(engine, clip) == transcribe(engine, clip)


def test_nothing_biases_the_transcript(
    engine: Transcriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}
    whisper = engine._whisper  # type: ignore[attr-defined]
    real = whisper.transcribe

    def noting(samples: Any, **options: Any) -> Any:
        seen.update(options)
        return real(samples, **options)

    monkeypatch.setattr(whisper, "transcribe", noting)
    transcribe(engine, Clip(planted(("memory",)).samples))

    assert seen["condition_on_previous_text"] is False
    assert seen["language"] == "en"
    assert not {"initial_prompt", "prefix", "hotwords", "prompt"} & set(seen)


def test_both_are_transcribers(engine: Transcriber) -> None:
    assert isinstance(engine, Transcriber)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_checkpoint_trained_here_and_now_serves_both_engines(
    openai_file: Path, tmp_path: Path
) -> None:
    from tests.checkpoint import export, train

    words = WORDS[:4]
    parameters = train.train(words, train.SHORT_STEPS)
    faster = load_engine(
        "faster-whisper", str(export.write_ctranslate2(tmp_path / "new", parameters))
    )
    reference = load_engine(
        "openai-whisper", str(export.write_openai(tmp_path / "new.pt", parameters))
    )

    same = right = 0
    sentences = [tuple(words[(i + k) % 4] for i in (0, 1, 3)[: 1 + k % 3]) for k in range(8)]
    for said in map(planted, sentences):
        clip = Clip(said.samples)
        ours, theirs = transcribe(faster, clip), transcribe(reference, clip)
        same += ours.text == theirs.text
        right += plain(ours) == list(said.words)
    # after so short a training a sentence may be on edge, where int8 and float32 differ
    assert same >= 7
    assert right >= 7
