import itertools
from collections.abc import Callable, Sequence
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.answer.live import SampleBuffer
from client.answer.term_track import HeardStretch, Prepared, TermTrack
from pronunciation.clip import Clip
from server.contract import HeardPhrase, HeardTerm, Word
from tests.worlds.planted_voice import noise

TERMS = (("gpu", "direct", "r", "d", "m", "a"), ("key", "value", "cache"), ("rocky",))
SOUND = noise(200.0)


def hear(clip: Clip, words: Sequence[Word]) -> HeardStretch:
    """Finds ``TERMS``, longer ones first, and reads their times off the words."""
    texts = [word.text for word in words]
    found, taken = [], set[int]()
    for term in TERMS:
        for index in range(len(texts) - len(term) + 1):
            places = range(index, index + len(term))
            if tuple(texts[index : places.stop]) == term and not taken.intersection(places):
                taken.update(places)
                found.append(
                    HeardTerm(
                        term=" ".join(term),
                        word_index=index,
                        word_count=len(term),
                        verdict="correct",
                        phones="",
                        confidence=0.9,
                        start_s=words[index].start_s or 0.0,
                        end_s=min(words[places.stop - 1].end_s or 0.0, clip.duration_s),
                    )
                )
    return HeardStretch(tuple(sorted(found, key=lambda each: each.word_index)))


def spoken(texts: list[str], silence_after: tuple[int, ...] = ()) -> list[Word]:
    """Words of 0.4 s, one after the other; 5 s of silence after those given."""
    words, at_s = [], 0.5
    for index, text in enumerate(texts):
        words.append(Word(text=text, start_s=round(at_s, 3), end_s=round(at_s + 0.4, 3)))
        at_s += 5.4 if index in silence_after else 0.4
    return words


def track(sound: SampleBuffer = SOUND, hear: Callable[..., HeardStretch] = hear) -> TermTrack:
    return TermTrack(lambda clip, words: Prepared(lambda: hear(clip, words)), sound)


word = st.sampled_from(["so", "the", "network", *itertools.chain(*TERMS)])
chunk = st.one_of(word.map(lambda text: [text]), st.sampled_from([list(term) for term in TERMS]))


@given(st.lists(chunk, max_size=30), st.lists(st.integers(1, 12), max_size=40))
def test_what_is_heard_in_pieces_is_what_is_heard_at_once(
    chunks: list[list[str]], sizes: list[int]
) -> None:
    words = spoken([text for part in chunks for text in part])
    whole = hear(SOUND.cut(0.0, SOUND.duration_s)[0], words).terms
    terms, at = track(), 0
    for size in sizes:
        terms.add(words[at : at + size])
        at += size
        if terms.is_due(is_over=False):
            terms.run(is_over=False)
    terms.add(words[at:])
    if terms.is_due(is_over=True):
        terms.run(is_over=True)

    assert [(h.term, h.word_index, h.word_count) for h in terms.heard] == [
        (h.term, h.word_index, h.word_count) for h in whole
    ]
    for name in ("start_s", "end_s"):
        times = [getattr(each, name) for each in whole]
        assert [getattr(each, name) for each in terms.heard] == pytest.approx(times, abs=0.002)


def test_at_the_end_only_the_last_words_are_left() -> None:
    lengths_s: list[float] = []

    def listening(clip: Clip, words: Sequence[Word]) -> HeardStretch:
        lengths_s.append(clip.duration_s)
        return hear(clip, words)

    terms = track(hear=listening)
    words = spoken(["so"] * 300)
    for at in range(0, 300, 5):
        terms.add(words[at : at + 5])
        if terms.is_due(is_over=False):
            terms.run(is_over=False)
    terms.run(is_over=True)

    assert max(lengths_s) < 12.0
    assert sum(lengths_s) < 2.5 * 300 * 0.4


def test_no_stretch_reaches_over_a_long_silence() -> None:
    lengths_s: list[float] = []

    def listening(clip: Clip, words: Sequence[Word]) -> HeardStretch:
        lengths_s.append(clip.duration_s)
        return hear(clip, words)

    terms = track(hear=listening)
    terms.add(spoken(["rocky", "so", "rocky", "the"], silence_after=(0, 1)))
    terms.run(is_over=False)
    assert [term.word_index for term in terms.heard] == [0]  # the last words may go on
    terms.run(is_over=True)

    assert [term.word_index for term in terms.heard] == [0, 2]
    assert max(lengths_s) < 2.0


def test_a_stretch_that_cannot_be_judged_costs_no_other() -> None:
    def picky(clip: Clip, words: Sequence[Word]) -> HeardStretch:
        if words[0].text == "mumble":
            return HeardStretch(problem="the text does not fit the sound")
        return hear(clip, words)

    terms = track(hear=picky)
    terms.add(spoken(["mumble", "so", "rocky"], silence_after=(1,)))
    terms.run(is_over=True)
    assert [term.word_index for term in terms.heard] == [2]
    assert terms.problem == ""

    terms = track(hear=picky)
    terms.add(spoken(["mumble", "rocky"]))
    terms.run(is_over=True)
    assert terms.heard == ()
    assert terms.problem == "the text does not fit the sound"


def test_a_phrase_is_kept_once_wherever_the_pieces_meet() -> None:
    def planted(clip: Clip, words: Sequence[Word]) -> HeardStretch:
        """Hears a phrase in every "in fini band"."""
        texts = [word.text for word in words]
        return HeardStretch(
            phrases=tuple(
                HeardPhrase(
                    phrase="InfiniBand",
                    start_s=words[at].start_s or 0.0,
                    end_s=words[at + 2].end_s or 0.0,
                    confidence=0.9,
                )
                for at in range(len(texts) - 2)
                if texts[at : at + 3] == ["in", "fini", "band"]
            )
        )

    texts = ["so"] * 40
    for at in (0, 12, 27, 37):
        texts[at : at + 3] = ["in", "fini", "band"]
    words = spoken(texts)
    terms = track(hear=planted)
    for at in range(0, 40, 3):
        terms.add(words[at : at + 3])
        if terms.is_due(is_over=False):
            terms.run(is_over=False)
    terms.run(is_over=True)

    assert [each.start_s for each in terms.phrases] == pytest.approx(
        [words[at].start_s for at in (0, 12, 27, 37)], abs=0.002
    )


def test_a_stretch_that_was_asked_about_is_not_prepared_again() -> None:
    prepare = Mock(side_effect=lambda *given: Prepared(lambda: hear(*given), lambda: {"cache"}))
    terms = TermTrack(prepare, SOUND)
    terms.add(spoken(["the", "key", "value", "cache", "so", "rocky"], silence_after=(3,)))
    assert terms.perhaps() == {"cache"}
    terms.run(is_over=True)
    assert [each.term for each in terms.heard] == ["key value cache", "rocky"]
    assert prepare.call_count == 2
