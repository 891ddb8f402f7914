"""From clip and transcript to evidence, on the shipped clip with a planted reading."""

from pathlib import Path

from client.answering.hearing import AnswerHearing
from client.audio.files import read_audio
from pronunciation.terms import Lexicon, Mistake, Term
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


def test_terms_within_compounds_are_heard_where_the_transcript_has_them() -> None:
    clip = read_audio(CLIP)
    texts = ["We", "use", "RoCE/between", "the-nodes"]
    words = tuple(
        Word(text=text, start_s=0.4 * i, end_s=0.4 * i + 0.4) for i, text in enumerate(texts)
    )
    lexicon = Lexicon(version="test", terms=(ROCE, THE_NODES))
    roce, nodes = AnswerHearing(lexicon, frozenset)(clip, words)
    assert (roce.term, roce.word_index, roce.word_count) == ("RoCE", 2, 1)
    assert (roce.verdict, roce.phones) == ("mispronounced", "R OW1 S")
    assert (nodes.term, nodes.word_index, nodes.word_count) == ("the node", 3, 1)
    assert 0.3 < roce.start_s < roce.end_s < nodes.start_s
