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
    is_part,
    one_for_each_sound,
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


CACHE: Phones = ("K", "AE", "SH")
KAY_FEE: Phones = ("K", "EY", "F", "IY")
KAY_VEE: Phones = ("K", "EY", "V", "IY")
A_DEEP: Phones = ("AH", "D", "IY", "P")


@pytest.mark.parametrize(
    ("said", "text", "word", "places"),
    [
        (KAY_VEE, KAY_FEE, "k-fee", [(1, 2)]),
        (A_DEEP, A_DEEP, "adeep", []),  # it is the rest of the term that must be likely
    ],
)
def test_a_term_whose_part_is_named_is_found_in_place_of_it(
    said: Phones, text: Phones, word: str, places: list[tuple[int, int]]
) -> None:
    scores, plain = written([THE, said, CACHE, FULL], [THE, text, CACHE, FULL])
    named = [None, None, Target("cache", 2, 1, ("K AE1 SH",)), None]
    layout = Layout(plain.layout.phones, plain.layout.word_index, named)
    transcript = Written(layout, plain.chain, plain.states, plain.confidences)
    words = ["the", word, "cache", "full"]
    kv_cache = Sounding("KV cache", ((*KAY_VEE, *CACHE),), expected=True)

    near = sounds_like(transcript, words, [kv_cache], ORDINARY)
    found = find_terms(
        candidates(scores, transcript, [], phrase_model().said_as, near),
        transcript,
        words,
        [kv_cache],
        ORDINARY,
    )

    assert [(each.word_index, each.n_words) for each in found] == places


def test_a_part_of_a_name_is_some_of_its_words() -> None:
    assert is_part("cache", "KV cache")
    assert is_part("KV", "KV cache")
    assert not is_part("cache", "cache")
    assert not is_part("check", "checkpoint store")


@pytest.mark.parametrize(("share", "is_near"), [(0.0, False), (0.3, True)])
def test_a_term_of_such_questions_is_looked_for_in_ordinary_words(
    share: float, is_near: bool
) -> None:
    said = [("AO", "R"), ("R", "IH", "D", "UW", "S"), FULL]
    _, transcript = written(said, said)
    reduce = Sounding("AllReduce", (("AO", "L", "R", "IH", "D", "UW", "S"),), False, share)
    words = ["or", "reduce", "full"]
    near = sounds_like(transcript, words, [reduce], {*words})
    assert bool(near) is is_near


def test_a_word_of_the_same_stem_was_not_misunderstood() -> None:
    said = [THE, ("S", "K", "EH", "JH", "UH", "L", "IH", "NG"), FULL]
    _, transcript = written(said, said)
    scheduler = Sounding("scheduler", (("S", "K", "EH", "JH", "UH", "L", "ER"),), expected=True)
    for word, found in (("scheduling", False), ("skejuling", True)):
        near = sounds_like(transcript, ["the", word, "full"], [scheduler], ORDINARY)
        assert any(each.first == each.last == 1 for each in near) is found


def test_nor_was_it_with_another_word_behind() -> None:
    said = [THE, ("SH", "AA", "R", "D"), ("IY", "CH"), FULL]
    _, transcript = written(said, said)
    sharded = Sounding("sharded", (("SH", "AA", "R", "D", "AH", "D"),), expected=True)
    for first, found in (("shard", False), ("shart", True)):
        near = sounds_like(transcript, ["the", first, "each", "full"], [sharded], ORDINARY)
        assert any((each.first, each.last) == (1, 2) for each in near) is found


def test_of_terms_that_sound_alike_only_the_usual_one_is_looked_for() -> None:
    kueue = Sounding("Kueue", (QUEUE,), expected=True)
    queue = Sounding("queue", (QUEUE, (*QUEUE, "Z")), expected=True)
    cue = Sounding("cue", (QUEUE, ("K", "UW")), expected=False)

    kueue, queue, cue = one_for_each_sound([kueue, queue, cue])

    assert (kueue.wordings, queue.wordings, cue.wordings) == (
        (),
        (QUEUE, (*QUEUE, "Z")),
        (("K", "UW"),),
    )
