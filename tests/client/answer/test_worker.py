"""The wait after "stop", on a clock of our own: speech is planted, engines cost what they say."""

import random
from collections.abc import Callable, Sequence

import pytest

from client.answer.worker import AnswerWorker, Caption, RecordingWorker, unintelligible
from client.engines.base import Transcriber
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import Word
from tests.worlds.planted_voice import FedVoice, noise

Spans = list[tuple[float, float]]
LONGEST_S = 120.0
NOISE = noise(LONGEST_S).cut(0.0, LONGEST_S)[0].samples


class Clock:
    """Time that passes only where somebody lets it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


class CostlyEngine(Transcriber):
    name, model = "costly", "none"

    def __init__(self, clock: Clock, cost_s: Callable[[float], float]) -> None:
        self.clock, self.cost_s = clock, cost_s
        self.heard_s: list[float] = []

    def recognize(self, clip: Clip) -> Sequence[Word]:
        self.heard_s.append(clip.duration_s)
        self.clock.now_s += self.cost_s(clip.duration_s)
        middle_s = clip.duration_s / 2
        return [Word(text="so", start_s=middle_s, end_s=middle_s + 0.1)]


def talk(seed: int, phrase_s: tuple[float, float], pause_s: tuple[float, float]) -> Spans:
    """Phrases and pauses up to ``LONGEST_S``, planted backwards from a last silence."""
    dice = random.Random(seed)
    spans, end_s = Spans(), LONGEST_S - dice.uniform(0.2, 1.2)
    while end_s > 1.0:
        start_s = max(0.3, end_s - dice.uniform(*phrase_s))
        spans.insert(0, (start_s, end_s))
        end_s = start_s - dice.uniform(*pause_s)
    return spans


def wait_s(
    monkeypatch: pytest.MonkeyPatch, spans: Spans, length_s: float, cost_s: Callable[[float], float]
) -> tuple[float, CostlyEngine, list[tuple[float, Caption]]]:
    """How long "stop" is followed by work, where only the last ``length_s`` were said."""
    shift_s = LONGEST_S - length_s
    planted = [(max(0.0, a - shift_s), b - shift_s) for a, b in spans if b - shift_s > 0.2]
    clock, shown = Clock(), list[tuple[float, Caption]]()
    engine = CostlyEngine(clock, cost_s)
    monkeypatch.setattr("client.answer.worker.VoiceActivity", lambda: FedVoice(planted))
    worker, fed = (
        AnswerWorker(
            engine, show=lambda each: shown.append((clock.now_s, each)), clock=clock.monotonic
        ),
        0,
    )
    while not worker.is_done:
        until = min(round(clock.now_s * SAMPLE_RATE_HZ), round(length_s * SAMPLE_RATE_HZ))
        worker.take(NOISE[fed:until], is_over=clock.now_s >= length_s)
        fed, began_s = until, clock.now_s
        worker.step()
        if clock.now_s == began_s and not worker.is_done:
            clock.now_s += 0.1 if clock.now_s < length_s else 0.0
    return clock.now_s - length_s, engine, shown


ENGINES = {
    "a fifth of the sound's time": lambda sound_s: 0.2 * sound_s,
    "0.8 s and 0.08 s for each second": lambda sound_s: 0.8 + 0.08 * sound_s,
}
SPEAKERS = {"even": ((1.5, 6.0), (0.3, 1.0)), "hesitant": ((0.6, 3.0), (0.5, 2.0))}
SEEDS = range(3)


@pytest.mark.parametrize("speaker", SPEAKERS)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_wait_after_stop_does_not_grow_with_the_answer(
    monkeypatch: pytest.MonkeyPatch, engine: str, speaker: str
) -> None:
    cost_s = ENGINES[engine]
    waits_s: dict[float, list[float]] = {15.0: [], 120.0: []}
    for seed in SEEDS:
        spans = talk(seed, *SPEAKERS[speaker])
        for length_s, found in waits_s.items():
            waited_s, used, _ = wait_s(monkeypatch, spans, length_s, cost_s)
            found.append(waited_s)
            assert waited_s <= cost_s(used.max_segment_s) + 0.5

    # the clock's step and what the engine just began account for some tenths of a second
    assert sum(waits_s[120.0]) <= 1.3 * sum(waits_s[15.0]) + 0.1 * len(SEEDS)


def test_an_engine_slower_than_speech_gets_long_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = talk(3, *SPEAKERS["even"])

    waited_s, engine, _ = wait_s(monkeypatch, spans, 120.0, lambda sound_s: 6.0)

    assert len(engine.heard_s) <= 8
    assert sum(sorted(engine.heard_s)[-3:]) > 45.0
    assert waited_s <= 12.5


def test_captions_come_while_the_candidate_speaks_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = talk(1, *SPEAKERS["even"])

    _, engine, shown = wait_s(monkeypatch, spans, 60.0, lambda sound_s: 0.2)

    captions = [caption for _, caption in shown]
    assert len(captions) == len(engine.heard_s) >= 5
    assert [c.start_s for c in captions] == sorted(c.start_s for c in captions)
    # the fake writes one word in the middle of what it hears
    assert all(0.0 <= at_s - c.end_s < 8.0 for at_s, c in shown)


def test_speech_without_words_is_reported_and_hesitation_is_not() -> None:
    words = [
        Word(text="we", start_s=1.0, end_s=1.4),
        Word(text="cache", start_s=3.9, end_s=4.4),  # 2.5 s of "uhm" before it
        Word(text="keys", start_s=20.0, end_s=20.5),
    ]
    spans = [(1.0, 9.0), (10.0, 14.0), (15.0, 17.0), (20.0, 20.6)]

    found = unintelligible(spans, words)

    assert [(each.start_s, each.end_s) for each in found] == [(4.4, 9.0), (10.0, 14.0)]


def test_an_answer_that_is_understood_has_nothing_unintelligible() -> None:
    words = [Word(text="so", start_s=0.5 * at, end_s=0.5 * at + 0.4) for at in range(20)]

    assert unintelligible([(0.0, 4.0), (4.3, 10.0)], words) == ()
    assert unintelligible([], []) == ()


def test_what_the_engine_cannot_make_out_is_evidence_and_no_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class HalfDeaf(Transcriber):
        name, model, max_segment_s = "half-deaf", "none", 10.0

        def __init__(self) -> None:
            self.runs = 0

        def recognize(self, clip: Clip) -> Sequence[Word]:
            self.runs += 1
            if self.runs == 2:
                return []
            count = int(clip.duration_s / 0.5)
            return [Word(text="so", start_s=0.5 * n, end_s=0.5 * n + 0.4) for n in range(count)]

    spans = [(1.0, 9.0), (11.0, 19.0), (21.0, 29.0)]
    monkeypatch.setattr("client.answer.worker.VoiceActivity", lambda: FedVoice(spans))

    transcript, evidence = RecordingWorker(HalfDeaf()).run(Clip(NOISE[: 30 * SAMPLE_RATE_HZ]))

    assert [(each.start_s, each.end_s) for each in evidence.unintelligible] == [(11.0, 19.0)]
    assert not [word for word in transcript.words if 10.0 < (word.start_s or 0.0) < 20.0]
