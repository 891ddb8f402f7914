"""From clip and transcript to evidence, on the shipped clip with a planted reading."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from client.answer.hearing import AnswerHearing
from client.audio.files import read_audio
from client.speaking.voices import NaturalVoice
from pronunciation.clip import LogProbs, Passage, at_sample_rate
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon, Mistake, Term
from question_bank.models import KeyPhrase, Question
from server.contract import Word

CLIP = Path(__file__).parents[2] / "data" / "hearing" / "we-use-roce-rose.flac"
ROCE = Term(
    term="RoCE",
    kind="word",
    say="ROCK-ee",
    readings=("R AA1 K IY0",),
    mistakes=(Mistake(phones="R OW1 S", tip="Two syllables."),),
)
THE_NODES = Term(term="the node", kind="word", say="x", readings=("DH AH0 N OW1 D",))
NODES = Term(term="nodes", kind="word", say="x", readings=("N OW1 D Z",))
BETWEEN = Term(term="between nodes", kind="word", say="x", readings=("DH AH0 N OW1 D Z",))


def test_terms_within_compounds_are_heard_where_the_transcript_has_them() -> None:
    clip = read_audio(CLIP)
    texts = ["We", "use", "RoCE/between", "the-nodes"]
    words = tuple(
        Word(text=text, start_s=0.4 * i, end_s=0.4 * i + 0.4) for i, text in enumerate(texts)
    )
    lexicon = Lexicon(version="test", terms=(ROCE, THE_NODES))
    roce, nodes = AnswerHearing(lexicon, frozenset)(clip, words).terms
    assert (roce.term, roce.word_index, roce.word_count) == ("RoCE", 2, 1)
    assert (roce.verdict, roce.phones) == ("mispronounced", "R OW1 S")
    assert (nodes.term, nodes.word_index, nodes.word_count) == ("the node", 3, 1)
    assert 0.3 < roce.start_s < roce.end_s < nodes.start_s


def misheard(*texts: str) -> tuple[Word, ...]:
    """What a transcriber wrote for the clip's "we use RoCE between the nodes", with rough times."""
    return tuple(
        Word(text=text, start_s=0.3 * at, end_s=0.3 * at + 0.3, confidence=0.5)
        for at, text in enumerate(texts)
    )


def asking(*phrases: str) -> Question:
    """A question with these key phrases."""
    return Question(
        id="planted",
        round="coding",
        topic="Serving",
        prompt="How do you serve it?",
        model_answer="We do.",
        answer_seconds=60,
        key_phrases=tuple(KeyPhrase(phrase=each) for each in phrases),
    )


def test_a_phrase_that_was_written_as_something_else_is_heard_in_the_sound() -> None:
    hearing = AnswerHearing(Lexicon(version="test", terms=()), frozenset)
    words = misheard("We", "use", "rose", "bit", "win", "the", "notes")

    found = hearing(read_audio(CLIP), words, asking("between the nodes", "between the nets"))

    (nodes,) = found.phrases
    assert nodes.phrase == "between the nodes"
    assert 0.6 < nodes.start_s < nodes.end_s < 2.5
    assert nodes.confidence > 0.5


def test_a_phrase_that_is_written_is_no_find() -> None:
    hearing = AnswerHearing(Lexicon(version="test", terms=()), frozenset)
    words = misheard("We", "use", "rose", "between", "the", "nodes")
    assert hearing(read_audio(CLIP), words, asking("between the nodes")).phrases == ()


def test_a_short_phrase_is_not_looked_for_in_the_sound() -> None:
    """Its few phones come up by chance: see ``MIN_PHRASE_PHONES``."""
    hearing = AnswerHearing(Lexicon(version="test", terms=()), frozenset)
    words = misheard("We", "use", "rose", "bit", "win", "the", "notes")
    assert hearing(read_audio(CLIP), words, asking("the node")).phrases == ()


def test_a_term_that_was_written_as_something_else_is_judged() -> None:
    between = Term(term="between-the", kind="word", say="x", readings=("B IH0 T W IY1 N DH AH0",))
    hearing = AnswerHearing(Lexicon(version="test", terms=(between,)), frozenset)
    words = misheard("We", "use", "rose", "bit", "win", "that", "nodes")

    (term,) = hearing(read_audio(CLIP), words, asking("we say between-the here")).terms

    assert (term.term, term.verdict) == ("between-the", "correct")
    assert term.word_index in (3, 4)


@pytest.mark.parametrize(("sure_from", "verdict"), [(0.0, "mispronounced"), (1.01, "unclear")])
def test_nothing_is_held_against_words_that_may_be_no_term(
    sure_from: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.answer.hearing.SURE_FROM", sure_from)
    hearing = AnswerHearing(Lexicon(version="test", terms=(ROCE,)), frozenset)
    words = misheard("We", "use", "rows", "between", "the", "nodes")

    (roce,) = hearing(read_audio(CLIP), words, asking("RoCE")).terms

    assert (roce.term, roce.word_index, roce.verdict) == ("RoCE", 2, verdict)


def test_a_short_term_is_judged_where_a_word_of_like_sound_was_written() -> None:
    node = Term(term="gnode", kind="word", say="x", readings=("N OW1 D Z",))
    hearing = AnswerHearing(Lexicon(version="test", terms=(node,)), frozenset)
    words = misheard("We", "use", "rose", "between", "the", "notes")

    (found,) = hearing(read_audio(CLIP), words, asking("gnode")).terms

    assert (found.term, found.word_index, found.verdict) == ("gnode", 5, "correct")


@pytest.mark.parametrize(("sure_from", "phrases"), [(0.0, ["gnode"]), (1.01, [])])
def test_a_surely_found_term_says_the_phrase_of_its_name(
    sure_from: float, phrases: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.answer.hearing.SURE_FROM", sure_from)
    node = Term(term="gnode", kind="word", say="x", readings=("N OW1 D Z",))
    hearing = AnswerHearing(Lexicon(version="test", terms=(node,)), frozenset)
    words = misheard("We", "use", "rose", "between", "the", "notes")

    found = hearing(read_audio(CLIP), words, asking("gnode", "gnode carpet machine"))

    assert [each.phrase for each in found.phrases] == phrases
    assert [each.term for each in found.terms] == ["gnode"]


def test_a_longer_term_is_judged_in_place_of_its_part_that_was_written() -> None:
    hearing = AnswerHearing(Lexicon(version="test", terms=(NODES, BETWEEN)), frozenset)
    words = misheard("We", "use", "rose", "between", "da", "nodes")

    (found,) = hearing(read_audio(CLIP), words, asking("between nodes")).terms

    assert (found.term, found.word_index, found.word_count) == ("between nodes", 4, 2)


def test_the_words_of_a_key_phrase_are_no_other_term() -> None:
    hearing = AnswerHearing(Lexicon(version="test", terms=(BETWEEN, NODES)), frozenset)
    words = misheard("We", "use", "rose", "between", "the", "nodes")

    (found,) = hearing(read_audio(CLIP), words, asking("between nodes", "the nodes")).terms

    assert (found.term, found.word_index, found.word_count) == ("nodes", 5, 1)


@pytest.mark.parametrize(
    ("with_phrase", "is_found"), [((-0.2, -0.3, -0.1), True), ((-20.0, -25.0, -22.0), False)]
)
def test_the_decoder_of_the_engine_judges_what_the_sound_suggests(
    with_phrase: tuple[float, ...], *, is_found: bool
) -> None:
    hearing = AnswerHearing(Lexicon(version="test", terms=()), frozenset)
    words = misheard("We", "use", "rose", "bit", "win", "the", "notes")
    asked: list[Passage] = []

    def decode(passages: Sequence[Passage]) -> list[list[LogProbs]]:
        asked.extend(passages)
        return [[((), (-0.5,) * 3, ()), ((), with_phrase, ())] for _ in passages]

    question = asking("between the nodes")
    found = hearing(read_audio(CLIP), words, question, decode)

    assert ("We use rose", "bit win the notes", "") in [each.texts[0] for each in asked]
    assert {each.texts[1][1] for each in asked} == {"between the nodes"}
    assert bool(found.phrases) is is_found

    by_sound = hearing(read_audio(CLIP), words, question)
    assert by_sound == hearing(read_audio(CLIP), words, question, lambda _: None)


@pytest.mark.parametrize(("with_term", "is_heard"), [((-0.2, -0.1), True), ((-20.0, -22.0), False)])
def test_the_decoder_is_prompted_with_a_term_and_judges_whether_it_was_said(
    with_term: tuple[float, ...], *, is_heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pronunciation.hearing.respelled.ASKED_UNDER", 1.0)
    node = Term(term="gnode", kind="word", say="x", readings=("N OW1 D Z",))
    hearing = AnswerHearing(Lexicon(version="test", terms=(node,)), frozenset)
    words = misheard("We", "use", "rose", "between", "the", "notes")
    asked: list[Passage] = []

    def decode(passages: Sequence[Passage]) -> list[list[LogProbs]]:
        asked.extend(passages)
        return [[((), (-0.5,) * 2, ()), ((), with_term, ())] for _ in passages]

    found = hearing(read_audio(CLIP), words, asking("gnode"), decode)

    assert ("use rose between the", "notes", "") in [each.texts[0] for each in asked]
    assert {each.texts[1][1] for each in asked} <= {each.prompt for each in asked} == {"gnode"}
    assert [term.term for term in found.terms] == ["gnode"] * is_heard


@pytest.mark.parametrize(("said", "is_heard"), [("every switch", False), ("NVSwitch", True)])
def test_everyday_words_that_sound_like_a_term_are_the_term_only_if_it_was_said(
    said: str, *, is_heard: bool
) -> None:
    lexicon = load_lexicon()
    hearing = AnswerHearing(lexicon, lambda: frozenset(("every", "switch")))
    text = "The network connects {} to the core."
    clip = at_sample_rate(NaturalVoice().synthesize(text.format(said), lexicon))
    words = text.format("every switch").split()
    step_s = clip.duration_s / len(words)
    transcribed = [
        Word(text=word, start_s=at * step_s, end_s=(at + 1) * step_s, confidence=0.9)
        for at, word in enumerate(words)
    ]

    heard = hearing(clip, transcribed, asking("NVSwitch connects the GPUs"))

    assert [term.term for term in heard.terms] == ["NVSwitch"] * is_heard
