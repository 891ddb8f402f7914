"""Both Whisper engines on the same real weights, tiny.en, and words whose times are known."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from client.answer.worker import transcribe
from client.core.errors import NoSpeech
from client.engines.base import Transcriber
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, LogProbs, Parts, Passage
from server.contract import Transcript, Word
from tests.worlds.noises import NOISES, noise
from tests.worlds.spoken import Sentence, say

TIME_TOLERANCE_S = 0.2
"""Within sentences: on these ``tiny.en`` is off by 0.14 s at most, by 0.06 s in the median.
Words alone between silences of half a second may begin up to 0.6 s late."""

SENTENCES = (
    "we measured the latency of every request twice",
    "the scheduler starts every job on one free machine",
    "our team moved all models to another cluster",
)


def planted(sentence: str) -> Sentence:
    """A sentence in a hissing room."""
    made = say(sentence.split(), every_s=0.0)
    hiss = np.random.default_rng(5).standard_normal(made.samples.size) * 1e-3
    return Sentence((made.samples + hiss).astype(np.float32), made.words, made.times_s)


def plain(transcript: Transcript) -> list[str]:
    return [word.text.strip(".,").lower() for word in transcript.words]


@cache
def heard(engine: Transcriber, sentence: str) -> Transcript:
    return transcribe(engine, Clip(planted(sentence).samples))


@pytest.fixture(params=["faster", "reference"])
def engine(request: pytest.FixtureRequest) -> Transcriber:
    found: Transcriber = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_was_said_is_written_with_its_times(faster: Transcriber, sentence: str) -> None:
    said = planted(sentence)

    transcript = heard(faster, sentence)

    assert plain(transcript) == list(said.words)
    assert transcript.text == " ".join(word.text for word in transcript.words)
    assert (transcript.engine, transcript.model) == (faster.name, "tiny.en")
    assert transcript.duration_s == pytest.approx(said.samples.size / SAMPLE_RATE_HZ, abs=0.001)
    for word, (start_s, end_s) in zip(transcript.words, said.times_s, strict=True):
        assert word.start_s == pytest.approx(start_s, abs=TIME_TOLERANCE_S)
        assert word.end_s == pytest.approx(end_s, abs=TIME_TOLERANCE_S)
        assert word.confidence is not None
        assert 0.0 < word.confidence <= 1.0


@pytest.mark.parametrize("sentence", SENTENCES)
def test_both_engines_give_the_same_words(
    faster: Transcriber, reference: Transcriber, sentence: str
) -> None:
    ours, theirs = heard(faster, sentence), heard(reference, sentence)

    assert plain(ours) == plain(theirs)
    for mine, other in zip(ours.words, theirs.words, strict=True):
        assert mine.start_s == pytest.approx(other.start_s, abs=TIME_TOLERANCE_S)
        assert mine.end_s == pytest.approx(other.end_s, abs=TIME_TOLERANCE_S)


def test_a_recording_of_several_segments_keeps_its_times(
    faster: Transcriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faster, "max_segment_s", 7.0)
    first, second = planted(SENTENCES[0]), planted(SENTENCES[1])
    pause = np.zeros(12 * SAMPLE_RATE_HZ, dtype=np.float32)
    shift_s = (first.samples.size + pause.size) / SAMPLE_RATE_HZ
    shares: list[float] = []

    transcript = transcribe(
        faster,
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


@pytest.mark.parametrize("name", NOISES)
def test_where_nobody_speaks_no_word_is_invented(faster: Transcriber, name: str) -> None:
    with pytest.raises(NoSpeech, match="no speech detected"):
        transcribe(faster, Clip(noise(name)))


def test_noise_after_an_answer_adds_no_word(faster: Transcriber) -> None:
    said = planted(SENTENCES[0])

    transcript = transcribe(faster, Clip(np.concatenate([said.samples, 0.3 * noise("music")])))

    assert plain(transcript) == list(said.words)


def test_an_engine_that_writes_nothing_is_no_answer(
    engine: Transcriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "recognize", lambda clip: [Word(text="...", start_s=0, end_s=1)])

    with pytest.raises(NoSpeech, match="no words could be made out"):
        transcribe(engine, Clip(planted("memory").samples))


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
    transcribe(engine, Clip(planted("memory").samples))

    assert seen["condition_on_previous_text"] is False
    assert seen["language"] == "en"
    assert not {"initial_prompt", "prefix", "hotwords", "prompt"} & set(seen)


def test_the_decoder_finds_what_was_said_likelier_than_what_was_not(faster: Transcriber) -> None:
    said, other = "the latency of every request twice", "the scenery of every beach house"
    clip = Clip(planted(SENTENCES[0]).samples)

    ((right, wrong, nothing),) = decoded(
        faster, clip, ("we measured", said, ""), ("we measured", other, ""), ("", "", "")
    )

    assert sum(right[1]) > sum(wrong[1]) + 10
    assert max(map(max, right[:2])) <= 0
    assert right[2] == () and nothing == ((), (), ())
    assert right[0] == pytest.approx(wrong[0], abs=0.01)


def test_a_decoder_that_fails_is_none(faster: Transcriber, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(faster, "_decoded", fail)
    assert faster.decode([Passage(Clip(np.zeros(16_000, np.float32)), (("", "we", ""),))]) is None


def decoded(engine: Transcriber, clip: Clip, *texts: Parts) -> Sequence[Sequence[LogProbs]]:
    found = engine.decode([Passage(clip, texts)])
    assert found is not None
    return found
