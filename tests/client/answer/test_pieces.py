import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.answer.live import SampleBuffer
from client.answer.pieces import (
    Pace,
    PieceCutter,
    SpokenPiece,
    count_that_fit,
    covered_s,
    segment_of,
    spans_of,
)
from client.engines.base import Piece, Segment
from pronunciation.clip import Clip
from tests.worlds.planted_voice import PlantedVoice, noise

LIMIT_S = 28.0


def cut_all(
    planted: list[tuple[float, float]],
    end_s: float,
    step_s: float = 0.25,
    limit_s: float = LIMIT_S,
    quiet_s: tuple[tuple[float, float], ...] = (),
) -> list[tuple[float, SpokenPiece]]:
    """Each piece, and when it was complete."""
    voice, sound, cutter = PlantedVoice(planted), noise(end_s, quiet_s), PieceCutter(limit_s)
    made: list[tuple[float, SpokenPiece]] = []
    now_s = 0.0
    while now_s < end_s:
        now_s = min(end_s, now_s + step_s)
        voice.hear(now_s)
        made += [(now_s, piece) for piece in cutter.cut(voice, sound, is_over=False)]
    voice.hear(end_s, is_over=True)
    return made + [(end_s, piece) for piece in cutter.cut(voice, sound, is_over=True)]


def test_a_pause_of_half_a_second_ends_a_piece_and_a_shorter_one_does_not() -> None:
    made = cut_all([(0.5, 2.0), (2.3, 4.0), (4.6, 6.0)], 7.0)

    assert [piece.spans for _, piece in made] == [((0.5, 2.0), (2.3, 4.0)), ((4.6, 6.0),)]
    assert made[0][0] == pytest.approx(4.6, abs=0.3)
    assert made[1][0] == pytest.approx(6.6, abs=0.3)


def test_after_some_seconds_any_pause_ends_a_piece() -> None:
    made = cut_all([(0.0, 3.5), (3.8, 7.0), (7.3, 9.0)], 9.0)

    assert [piece.end_s for _, piece in made] == [7.0, 9.0]


def test_who_never_pauses_is_cut_between_words() -> None:
    made = cut_all([(0.5, 20.0)], 21.0, quiet_s=((5.0, 5.16), (8.0, 8.06), (13.0, 13.2)))

    assert [piece.end_s for _, piece in made] == pytest.approx([5.08, 13.1, 20.0], abs=0.05)
    assert made[0][0] < 7.5


def test_who_never_even_dips_is_cut_at_the_quietest_moment_before_the_limit() -> None:
    made = cut_all([(0.0, 60.0)], 60.0, quiet_s=((24.0, 24.08),))

    assert made[0][1].end_s == pytest.approx(24.04, abs=0.05)
    assert all(covered_s(piece.spans) <= LIMIT_S for _, piece in made)
    assert sum(piece.end_s - piece.start_s for _, piece in made) == pytest.approx(60.0)


def test_a_tone_that_goes_on_makes_no_piece() -> None:
    voice, sound, cutter = PlantedVoice([(0.0, 40.0)]), noise(40.0), PieceCutter(LIMIT_S)
    voice.open_is_tone = True
    for second in range(1, 40):
        voice.hear(float(second))
        assert cutter.cut(voice, sound, is_over=False) == []


phrases = st.lists(st.tuples(st.floats(0.2, 40.0), st.floats(0.26, 4.0)), min_size=1, max_size=6)


@settings(max_examples=30, deadline=None)
@given(phrases, st.floats(0.25, 6.0), st.sampled_from([7.0, 28.0]))
def test_all_speech_is_in_one_piece_in_order_and_none_is_too_long(
    lengths_s: list[tuple[float, float]], step_s: float, limit_s: float
) -> None:
    planted, at_s = [], 0.3
    for length_s, pause_s in lengths_s:
        planted.append((at_s, at_s + length_s))
        at_s += length_s + pause_s

    pieces = [piece for _, piece in cut_all(planted, at_s, step_s, limit_s)]

    spans = [span for piece in pieces for span in piece.spans]
    assert all(before[1] <= after[0] + 1e-9 for before, after in itertools.pairwise(spans))
    assert all(covered_s(piece.spans) <= limit_s + 1e-6 for piece in pieces)
    speech_s = sum(end_s - start_s for start_s, end_s in spans)
    assert speech_s == pytest.approx(sum(length_s for length_s, _ in lengths_s), abs=0.1)
    for piece, following in itertools.pairwise(pieces):
        assert piece.after_s == following.before_s
        assert piece.end_s <= piece.after_s + 1e-9
        assert following.start_s >= following.before_s - 1e-9


def test_a_segment_of_pieces_leaves_long_silences_out_and_keeps_the_times() -> None:
    pieces = [
        SpokenPiece(((61.0, 63.0),), 60.0, 64.5),
        SpokenPiece(((70.0, 72.0), (72.3, 73.0)), 64.5, 73.1),
    ]

    segment, offset_s = segment_of(noise(80.0), pieces)

    assert segment.clip.duration_s == pytest.approx(0.4 + 2.0 + 0.8 + 3.0 + 0.1, abs=0.01)
    at_s = 0.4 + 2.0 + 0.8 + 1.0
    start_s, end_s = segment.recording_times(at_s, at_s + 0.5)
    assert offset_s + start_s == pytest.approx(71.0, abs=0.01)
    assert offset_s + end_s == pytest.approx(71.5, abs=0.01)


def test_a_word_is_never_stretched_over_a_silence_that_was_taken_out() -> None:
    segment = Segment(
        Clip(np.zeros(64_000, np.float32)),
        (Piece(10.0, 12.0, 0.0, 10.4, 11.6), Piece(30.0, 32.0, 2.0, 30.4, 31.6)),
    )

    assert segment.recording_times(0.5, 1.0) == (10.5, 11.0)
    assert segment.recording_times(2.5, 3.0) == (30.5, 31.0)
    # nor over the silence that was kept
    assert segment.recording_times(0.0, 1.0) == (10.4, 11.0)
    assert segment.recording_times(1.0, 2.2) == (11.0, 11.6)
    assert segment.recording_times(1.9, 2.6) == (30.4, 30.6)
    # unless the detector heard nothing there
    assert segment.recording_times(2.0, 2.3) == (30.0, 30.3)


def test_the_sound_grows_without_losing_a_sample() -> None:
    sound, rng = SampleBuffer(), np.random.default_rng(2)
    blocks = [rng.uniform(-1, 1, int(n)).astype(np.float32) for n in rng.integers(0, 200_000, 30)]
    for block in blocks:
        sound.append(block)

    whole = np.concatenate(blocks)
    np.testing.assert_array_equal(sound.cut(0.0, sound.duration_s)[0].samples, whole)
    clip, offset_s = sound.cut(70.0, 71.5)
    assert offset_s == 70.0
    np.testing.assert_array_equal(clip.samples, whole[70 * 16_000 : 70 * 16_000 + 24_000])
    assert sound.cut(-1.0, 0.5)[1] == 0.0
    assert sound.cut(1e6, 2e6)[0].samples.size == 0


@given(st.lists(st.tuples(st.floats(0.05, 20), st.floats(0.01, 5)), min_size=1, max_size=40))
def test_as_many_pieces_as_fit_go_into_one_segment(lengths_s: list[tuple[float, float]]) -> None:
    pieces, at_s = [], 0.0
    for length_s, gap_s in lengths_s:
        pieces.append(SpokenPiece(((at_s, at_s + length_s),), at_s, at_s + length_s))
        at_s += length_s + gap_s

    count = count_that_fit(pieces, 28.0)

    assert covered_s(spans_of(pieces[:count])) <= 28.0
    assert count == len(pieces) or covered_s(spans_of(pieces[: count + 1])) > 28.0


def ask(pace: Pace, waiting_s: float, **changes: float) -> bool:
    asked = {"covered_s": waiting_s + 1.0, "silence_s": 0.4, "phrase_s": 0.0}
    return pace.is_due(waiting_s=waiting_s, **{**asked, **changes})


def test_some_seconds_of_speech_are_due_at_a_pause_and_less_in_a_silence() -> None:
    assert ask(Pace(LIMIT_S), 4.5)
    assert not ask(Pace(LIMIT_S), 2.0)
    assert ask(Pace(LIMIT_S), 0.4, silence_s=1.1)
    assert not ask(Pace(LIMIT_S), 0.0, silence_s=60.0, covered_s=27.9), "nothing waits"


def test_what_just_fits_one_segment_is_due_in_the_middle_of_a_phrase() -> None:
    pace = Pace(LIMIT_S)
    pace.ran(5.0, 6.0)

    assert ask(pace, 12.0, covered_s=26.5, silence_s=0.0, phrase_s=9.0)
    assert not ask(pace, 12.0, covered_s=20.0, silence_s=0.0, phrase_s=9.0)


def test_an_engine_waits_for_more_speech_the_more_each_run_costs() -> None:
    pace, by_length = Pace(LIMIT_S), Pace(LIMIT_S)
    for sound_s in (5.0, 9.0, 12.0):
        pace.ran(sound_s, 2.0)
        by_length.ran(sound_s, 0.5 * sound_s)

    assert pace.fixed_cost_s == pytest.approx(2.0)
    assert not ask(pace, 5.0)
    assert ask(pace, 6.5)
    assert not ask(pace, 6.5, silence_s=0.0, phrase_s=2.0)
    assert ask(pace, 12.5, silence_s=0.0, phrase_s=12.0), "no pause comes"
    assert by_length.fixed_cost_s == pytest.approx(0.0, abs=1e-9)
    assert ask(by_length, 4.5)


@pytest.mark.parametrize(
    "runs", [[(5.0, 2.0)], [(5.0, 2.0), (5.1, 9.0)], [(4.0, 8.0), (20.0, 2.0)]]
)
def test_the_fixed_cost_is_never_more_than_the_cheapest_run(
    runs: list[tuple[float, float]],
) -> None:
    pace = Pace(LIMIT_S)
    for run in runs:
        pace.ran(*run)

    assert 0.0 <= pace.fixed_cost_s <= 2.0
