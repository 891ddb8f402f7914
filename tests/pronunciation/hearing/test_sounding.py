"""Words of a transcript that sound like a term: where it is looked for."""

import pytest

from pronunciation.hearing.layout import Phones
from pronunciation.hearing.respelled import respelled_model
from pronunciation.hearing.results import Target
from pronunciation.hearing.sounding import (
    Sounding,
    in_both_numbers,
    is_part,
    one_for_each_sound,
    sounds_like,
)
from tests.worlds.planted_terms import FULL, IS, QUEUE, ROCKY, THE, near_terms, written

H100: Phones = ("EY", "CH", "HH", "AH", "N", "D", "R", "AH", "D")
HUNDRED: Phones = ("HH", "AH", "N", "D", "R", "AH", "D")


def test_a_term_that_nobody_expects_is_not_looked_for_in_ordinary_words() -> None:
    said = [THE, QUEUE, IS, FULL]
    _, transcript = written(said, said)
    queue = Sounding("queue", (QUEUE, (*QUEUE, "Z")), expected=False)
    assert near_terms(transcript, ["the", "cue", "is", "full"], queue) == []


@pytest.mark.parametrize(("word", "near"), [("200", 0), ("100", 1), ("hundred", 1)])
def test_another_number_is_another_thing(word: str, near: int) -> None:
    said = [THE, HUNDRED, IS, FULL]
    _, transcript = written(said, said)
    card = Sounding("H100", (H100,), expected=True)
    found = near_terms(transcript, ["the", word, "is", "full"], card)
    assert len([each for each in found if each.first == each.last == 1]) == near


@pytest.mark.parametrize(("word", "near"), [("that", 0), ("dad", 1)])
def test_words_of_any_sentence_are_no_term(word: str, near: int) -> None:
    said = [THE, ("D", "AE", "D"), IS, FULL]
    _, transcript = written(said, said)
    data = Sounding("data", (("D", "AE", "T", "AH"),), expected=True)
    found = near_terms(transcript, ["the", word, "is", "full"], data)
    assert len([each for each in found if each.first == each.last == 1]) == near


def test_what_names_a_term_is_no_other_term() -> None:
    said = [THE, QUEUE, IS, FULL]
    _, transcript = written(said, said)
    transcript.layout.target[1] = Target("cue", 1, 1, ("K Y UW1",))
    queue = Sounding("queue", (QUEUE,), expected=True)
    assert near_terms(transcript, ["the", "cue", "is", "full"], queue) == []


def test_the_plural_ends_as_english_says_it() -> None:
    assert in_both_numbers([("K", "AE", "SH"), ("CH", "IH", "P")]) == (
        ("K", "AE", "SH"), ("K", "AE", "SH", "IH", "Z"), ("CH", "IH", "P"), ("CH", "IH", "P", "S"),
    )  # fmt: skip


def test_a_term_is_looked_for_within_a_word_that_the_transcriber_made_of_two() -> None:
    slurm = ("S", "L", "ER", "M")
    said = [THE, ("OW", "V", "ER", *slurm), IS, FULL]
    _, transcript = written(said, said)
    words = ["the", "overslurm", "is", "full"]

    near = near_terms(transcript, words, Sounding("Slurm", (slurm,), expected=True))
    other = near_terms(transcript, words, Sounding("RoCE", (ROCKY,), expected=True))

    assert (1, 1) in {(each.first, each.last) for each in near}
    assert other == []


def test_no_term_is_made_of_words_on_both_sides_of_another_term() -> None:
    said = [THE, ("R", "AA"), QUEUE, ("K", "IY"), FULL]
    _, transcript = written(said, said)
    rocky = Sounding("RoCE", (ROCKY,), expected=True)
    words = ["the", "rah", "queue", "key", "full"]
    near = {(each.first, each.last) for each in near_terms(transcript, words, rocky)}
    assert any(first <= 2 <= last for first, last in near)

    transcript.layout.target[2] = Target("queue", 2, 1, ("K Y UW1",))
    near = {(each.first, each.last) for each in near_terms(transcript, words, rocky)}
    assert not any(first <= 2 <= last for first, last in near)


def test_a_part_of_a_name_is_some_of_its_words() -> None:
    assert is_part("cache", "KV cache")
    assert is_part("KV", "KV cache")
    assert is_part("attention", "FlashAttention")
    assert is_part("GPU", "GPUDirect RDMA")
    assert not is_part("cache", "cache")
    assert not is_part("flow", "workflow")
    assert not is_part("check", "checkpoint store")


@pytest.mark.parametrize(("share", "is_near"), [(0.0, False), (0.3, True)])
def test_a_term_of_such_questions_is_looked_for_in_ordinary_words(
    share: float, is_near: bool
) -> None:
    said = [("AO", "R"), ("R", "IH", "D", "UW", "S"), FULL]
    _, transcript = written(said, said)
    reduce = Sounding("AllReduce", (("AO", "L", "R", "IH", "D", "UW", "S"),), False, share)
    words = ["or", "reduce", "full"]
    misspellings = respelled_model().misspellings
    near = sounds_like(transcript, words, [reduce], {*words}, misspellings)
    assert bool(near) is is_near


def test_a_word_of_the_same_stem_was_not_misunderstood() -> None:
    said = [THE, ("S", "K", "EH", "JH", "UH", "L", "IH", "NG"), FULL]
    _, transcript = written(said, said)
    scheduler = Sounding("scheduler", (("S", "K", "EH", "JH", "UH", "L", "ER"),), expected=True)
    for word, found in (("scheduling", False), ("skejuling", True)):
        near = near_terms(transcript, ["the", word, "full"], scheduler)
        assert any(each.first == each.last == 1 for each in near) is found


def test_nor_was_it_with_another_word_behind() -> None:
    said = [THE, ("SH", "AA", "R", "D"), ("IY", "CH"), FULL]
    _, transcript = written(said, said)
    sharded = Sounding("sharded", (("SH", "AA", "R", "D", "AH", "D"),), expected=True)
    for first, found in (("shard", False), ("shart", True)):
        near = near_terms(transcript, ["the", first, "each", "full"], sharded)
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


@pytest.mark.parametrize(("is_ordinary", "is_near"), [(True, False), (False, True)])
def test_a_related_term_is_looked_for_in_less_like_words_where_one_is_odd(
    is_ordinary: bool, is_near: bool
) -> None:
    said = [THE, ("S", "ER", "UH", "M"), FULL]
    _, transcript = written(said, said)
    slurm = Sounding("Slurm", (("S", "L", "ER", "M"),), expected=False, related=0.07)
    ordinary = {"the", "full", *(["serurm"] * is_ordinary)}
    misspellings = respelled_model().misspellings

    near = sounds_like(transcript, ["the", "serurm", "full"], [slurm], ordinary, misspellings)

    assert any(each.first == each.last == 1 for each in near) is is_near


@pytest.mark.parametrize(("gpu_is_expected", "is_near"), [(False, False), (True, True)])
def test_a_longer_term_is_looked_for_where_its_parts_are_named_and_expected(
    gpu_is_expected: bool, is_near: bool
) -> None:
    gpu: Phones = ("JH", "IY", "P", "IY", "Y", "UW")
    use: Phones = ("Y", "UW", "S")
    said = [THE, ("JH", "IY", "B", "IY", "Y", "UW"), use, FULL]
    _, transcript = written(said, said)
    transcript.layout.target[2] = Target("use", 2, 1, ("Y UW1 S",))
    terms = [
        Sounding("GPU", (gpu,), gpu_is_expected),
        Sounding("GPU use", ((*gpu, *use),), expected=False),
    ]

    near = near_terms(transcript, ["the", "gbu", "use", "full"], *terms)

    assert any((each.index, each.first, each.last) == (1, 1, 2) for each in near) is is_near
