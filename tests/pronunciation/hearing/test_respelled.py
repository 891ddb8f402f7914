"""Terms planted in frame scores, where the transcript has words of like sound."""

import numpy as np
import pytest

from pronunciation.hearing.acoustic import LABEL_INDEX, N_CLASSES
from pronunciation.hearing.layout import Layout, Phones
from pronunciation.hearing.phrases import Found, phrase_model
from pronunciation.hearing.places import Written, candidates
from pronunciation.hearing.respelled import (
    Sounding,
    find_terms,
    in_both_numbers,
    sounds_like,
)
from pronunciation.hearing.results import Target

THE: Phones = ("DH", "AH")
QUEUE: Phones = ("K", "Y", "UW")
ROCKY: Phones = ("R", "AA", "K", "IY")
LOCKY: Phones = ("L", "AA", "K", "IY")
LUCKY: Phones = ("L", "AH", "K", "IY")
IS: Phones = ("IH", "Z")
FULL: Phones = ("F", "UH", "L")
H100: Phones = ("EY", "CH", "HH", "AH", "N", "D", "R", "AH", "D")
HUNDRED: Phones = ("HH", "AH", "N", "D", "R", "AH", "D")
ORDINARY = frozenset({"the", "is", "full", "200", "cue"})


def written(said: list[Phones], text: list[Phones], confidence: float = 0.6) -> tuple:
    """Frames in which what was said stands out, and a transcript aligned with them."""
    labels = ["SIL"] * 5 + [phone for word in said for phone in word] + ["SIL"] * 5
    frames = [label for label in labels for _ in range(4)]
    scores = np.random.default_rng(2).normal(-3.0, 0.8, (len(frames), N_CLASSES))
    for frame, label in enumerate(frames):
        scores[frame, LABEL_INDEX[label]] = 3.0
    scores = scores.astype(np.float32)
    layout = Layout(text, list(range(len(text))), [None] * len(text))
    return scores, Written.align(scores, layout, None, [confidence] * len(text))


def find(said: list[Phones], text: list[Phones], words: list[str], *terms: Sounding) -> list[Found]:
    scores, transcript = written(said, text)
    near = sounds_like(transcript, words, terms, ORDINARY)
    places = candidates(scores, transcript, [], phrase_model().said_as, near)
    return find_terms(places, transcript, words, terms, ORDINARY)


def test_a_short_term_is_found_where_a_word_of_the_same_sound_was_written() -> None:
    said = [THE, QUEUE, IS, FULL]

    (found,) = find(
        said, said, ["the", "cue", "is", "full"], Sounding("queue", (QUEUE,), expected=True)
    )

    assert (found.index, found.word_index, found.n_words) == (0, 1, 1)
    assert found.confidence > 0.6


def test_the_sound_decides_where_the_word_is_another() -> None:
    roce = Sounding("RoCE", (ROCKY,), expected=True)

    heard = find(
        [THE, ROCKY, IS, FULL], [THE, LOCKY, IS, FULL], ["the", "locky", "is", "full"], roce
    )
    other = find(
        [THE, LUCKY, IS, FULL], [THE, LUCKY, IS, FULL], ["the", "lucky", "is", "full"], roce
    )

    assert [found.word_index for found in heard] == [1]
    assert other == []


def test_a_term_that_nobody_expects_is_not_looked_for_in_ordinary_words() -> None:
    said = [THE, QUEUE, IS, FULL]
    _, transcript = written(said, said)
    queue = Sounding("queue", (QUEUE, (*QUEUE, "Z")), expected=False)
    assert sounds_like(transcript, ["the", "cue", "is", "full"], [queue], ORDINARY) == []


@pytest.mark.parametrize(("word", "near"), [("200", 0), ("100", 1), ("hundred", 1)])
def test_another_number_is_another_thing(word: str, near: int) -> None:
    said = [THE, HUNDRED, IS, FULL]
    _, transcript = written(said, said)
    card = Sounding("H100", (H100,), expected=True)
    found = sounds_like(transcript, ["the", word, "is", "full"], [card], ORDINARY)
    assert len([each for each in found if each.first == each.last == 1]) == near


@pytest.mark.parametrize(("word", "near"), [("that", 0), ("dad", 1)])
def test_words_of_any_sentence_are_no_term(word: str, near: int) -> None:
    said = [THE, ("D", "AE", "D"), IS, FULL]
    _, transcript = written(said, said)
    data = Sounding("data", (("D", "AE", "T", "AH"),), expected=True)
    found = sounds_like(transcript, ["the", word, "is", "full"], [data], ORDINARY)
    assert len([each for each in found if each.first == each.last == 1]) == near


def test_what_names_a_term_is_no_other_term() -> None:
    said = [THE, QUEUE, IS, FULL]
    _, transcript = written(said, said)
    transcript.layout.target[1] = Target("cue", 1, 1, ("K Y UW1",))
    queue = Sounding("queue", (QUEUE,), expected=True)
    assert sounds_like(transcript, ["the", "cue", "is", "full"], [queue], ORDINARY) == []


def test_the_plural_ends_as_english_says_it() -> None:
    assert in_both_numbers([("K", "AE", "SH"), ("CH", "IH", "P")]) == (
        ("K", "AE", "SH"), ("K", "AE", "SH", "IH", "Z"), ("CH", "IH", "P"), ("CH", "IH", "P", "S"),
    )  # fmt: skip


def test_a_term_is_looked_for_within_a_word_that_the_transcriber_made_of_two() -> None:
    slurm = ("S", "L", "ER", "M")
    said = [THE, ("OW", "V", "ER", *slurm), IS, FULL]
    _, transcript = written(said, said)
    words = ["the", "overslurm", "is", "full"]

    near = sounds_like(transcript, words, [Sounding("Slurm", (slurm,), expected=True)], ORDINARY)
    other = sounds_like(transcript, words, [Sounding("RoCE", (ROCKY,), expected=True)], ORDINARY)

    assert (1, 1) in {(each.first, each.last) for each in near}
    assert other == []


def test_no_term_is_made_of_words_on_both_sides_of_another_term() -> None:
    said = [THE, ("R", "AA"), QUEUE, ("K", "IY"), FULL]
    _, transcript = written(said, said)
    rocky = Sounding("RoCE", (ROCKY,), expected=True)
    words = ["the", "rah", "queue", "key", "full"]
    near = {(each.first, each.last) for each in sounds_like(transcript, words, [rocky], ORDINARY)}
    assert any(first <= 2 <= last for first, last in near)

    transcript.layout.target[2] = Target("queue", 2, 1, ("K Y UW1",))
    near = {(each.first, each.last) for each in sounds_like(transcript, words, [rocky], ORDINARY)}
    assert not any(first <= 2 <= last for first, last in near)
