"""A transcript with the candidate's words in it: times, marks, what was heard, and old places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from server.contract import (
    CorrectedWords,
    Evidence,
    HeardPhrase,
    HeardTerm,
    Revision,
    Transcript,
    Word,
    word_places,
)

RAW = "we use in Fini Band and rocky here"


def revision(text: str = RAW, *, timed: bool = True) -> Revision:
    words = tuple(
        Word(text=each, start_s=float(i), end_s=i + 0.5, confidence=0.9)
        if timed
        else Word(text=each)
        for i, each in enumerate(text.split())
    )
    heard = HeardTerm(
        term="RoCE", word_index=6, verdict="correct", phones="R", confidence=1, start_s=6, end_s=6.5
    )
    transcript = Transcript(text=text, engine="faster-whisper", duration_s=20.0, words=words)
    return Revision(transcript=transcript, evidence=Evidence(heard=(heard,)))


def times(transcript: Transcript) -> dict[str, tuple[float | None, float | None]]:
    return {word.text: (word.start_s, word.end_s) for word in transcript.words}


def test_changed_words_share_the_time_of_those_they_replace_and_say_what_these_were() -> None:
    raw = revision()
    found = raw.with_words("we use InfiniBand, yes and rocky here")
    transcript = found.transcript
    assert transcript.text == "we use InfiniBand, yes and rocky here"
    assert transcript.engine == "faster-whisper"
    assert transcript.corrected == (CorrectedWords(word_index=2, word_count=2, was="in Fini Band"),)
    assert transcript.corrected_texts == [("InfiniBand, yes", "in Fini Band")]
    said = times(transcript)
    # 14 letters from 2.0 s to 4.5 s
    assert said["InfiniBand,"] == (2.0, pytest.approx(2.0 + 2.5 * 11 / 14, abs=0.001))
    assert said["yes"] == (pytest.approx(2.0 + 2.5 * 11 / 14, abs=0.001), 4.5)
    assert said["we"] == (0.0, 0.5)
    assert said["rocky"] == (6.0, 6.5)
    assert [each.confidence for each in transcript.words] == [0.9, 0.9, None, None, 0.9, 0.9, 0.9]


def test_what_was_heard_moves_with_its_word_and_goes_with_it() -> None:
    raw = revision()
    assert [each.word_index for each in raw.with_words("we use rocky here").evidence.heard] == [2]
    assert raw.with_words("we use in Fini Band and RoCE here").evidence.heard == ()


def with_phrase(start_s: float, end_s: float, *, version: str = "1") -> Revision:
    """The raw words, "Fini Band and" at 3 to 5.5 s, and a key phrase heard in the sound."""
    phrase = HeardPhrase(phrase="InfiniBand, then", start_s=start_s, end_s=end_s, confidence=0.9)
    evidence = Evidence(heard_phrases=(phrase,), hearing_version=version)
    return revision().model_copy(update={"evidence": evidence})


@pytest.mark.parametrize(
    ("corrected", "stays"),
    [
        ("we use in Fini Band and RoCE here", True),  # elsewhere
        ("we used in Fini Band and rocky", True),
        ("we use in fini band and, rocky here", True),  # the same words
        ("we use in InfiniBand and rocky here", True),  # a word of the phrase
        ("we use in Fini and rocky here", True),  # a word less
        ("we use in Fini Band Ethernet and rocky here", False),  # a word put between
        ("we use in Ethernet and rocky here", False),
        ("we use in Fini Band or rocky here", False),
        ("we use in big Fini Band and rocky here", True),  # put in before it
    ],
)
def test_a_phrase_that_was_heard_stays_unless_other_words_were_said_there(
    corrected: str, stays: bool
) -> None:
    raw = with_phrase(2.9, 5.6)
    kept = raw.with_words(corrected).evidence.heard_phrases
    assert kept == (raw.evidence.heard_phrases if stays else ())


def test_words_after_the_end_do_not_contradict_what_was_heard_there() -> None:
    assert with_phrase(6.9, 7.6).with_words(RAW + " today").evidence.heard_phrases
    assert with_phrase(0.0, 0.6).with_words("Well, " + RAW).evidence.heard_phrases


@pytest.mark.parametrize(
    ("start_s", "end_s", "version", "counts"),
    [
        (2.0, 4.6, "1", True),  # at the corrected words
        (6.9, 7.6, "1", False),  # at the engine's, where nothing was found the first time
        (6.9, 7.6, "2", True),  # by a hearing that did not listen the first time
        (1.0, 2.0, "2", False),  # a passage that carries a phrase already
    ],
)
def test_listening_again_finds_phrases_where_words_were_corrected(
    start_s: float, end_s: float, version: str, counts: bool
) -> None:
    first = with_phrase(0.9, 1.6).with_words("we use InfiniBand and rocky here")
    (old,) = first.evidence.heard_phrases
    found = HeardPhrase(phrase="InfiniBand", start_s=start_s, end_s=end_s, confidence=0.8)
    again = Evidence(heard_phrases=(found,), hearing_version=version)
    both = first.heard_again(again)
    assert both.evidence.heard_phrases == ((old, found) if counts else (old,))
    assert (both.transcript, both.evidence.hearing_version) == (first.transcript, version)


def test_words_put_in_stand_between_their_neighbors_and_words_taken_out_leave_a_mark() -> None:
    found = revision().with_words("so we use in Fini Band and very rocky").transcript
    assert found.corrected == (
        CorrectedWords(word_index=0, word_count=1, was=""),
        CorrectedWords(word_index=7, word_count=1, was=""),
        CorrectedWords(word_index=9, word_count=0, was="here"),
    )
    said = times(found)
    assert said["so"] == (0.0, 0.0)  # the answer begins with the word after it
    assert said["very"] == (5.5, 5.9)
    assert revision().with_words(RAW + " today").transcript.words[-1].end_s == 7.9


def test_the_same_words_are_no_correction_and_a_typed_answer_has_no_times() -> None:
    raw = revision()
    assert raw.with_words(f"  {RAW}\n") == raw
    found = revision(timed=False).with_words("we use InfiniBand").transcript
    assert [each.start_s for each in found.words] == [None] * 3


def test_marks_of_words_that_are_not_there_are_refused() -> None:
    outside = CorrectedWords(word_index=0, word_count=2, was="x")
    with pytest.raises(ValidationError, match="not there"):
        Transcript(text="a", words=(Word(text="a"),), corrected=(outside,))
    two = tuple(CorrectedWords(word_index=each, word_count=1, was="x") for each in (1, 0))
    with pytest.raises(ValidationError, match="order"):
        Transcript(text="a b", words=(Word(text="a"), Word(text="b")), corrected=two)


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_any_correction_keeps_order_and_can_be_read_back(
    before: list[str], after: list[str]
) -> None:
    raw = revision(" ".join(before))
    found = raw.with_words(" ".join(after)).transcript
    assert found.tokens == after
    starts = [word.start_s or 0.0 for word in found.words]
    assert starts == sorted(starts)
    read_back: list[str] = []
    at = 0
    for each in found.corrected:
        read_back += [*after[at : each.word_index], *each.was.split()]
        at = each.word_index + each.word_count
    assert [*read_back, *after[at:]] == before


def test_places_follow_the_words() -> None:
    places = word_places(RAW.split(), ["well", "we", "use", "InfiniBand", "and", "RoCE", "here"])
    assert places == [1, 2, 3, 3, 3, 4, 5, 6]
    assert word_places(["a", "b", "c"], ["b"]) == [0, 0, 0]
