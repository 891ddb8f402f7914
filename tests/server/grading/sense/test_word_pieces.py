"""The pieces of words that the encoder knows: those of the library that it was trained with."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from question_bank.loader import load_bank
from server.grading.sense import word_pieces
from server.grading.sense.features import sentences_of
from server.grading.sense.word_pieces import MAX_TOKENS, WordPieces

VOCABULARY = Path(word_pieces.__file__).with_name("data") / "word_pieces.txt"
ODD = (
    "", "   ", "RoCE's p99.9-latency (µs)", "naïve CAFÉ Ångström", "x\u200bx\u00adx\ufffdx",
    "日本語text", "don’t — “quote” …", "a\tb\nc", "ΣΑΣ", "İstanbul", "z\u0301\u0302z", "👍 ok",
    "a" * 101, "_~`^$+<=>|", "#### ##ing [ ] word#piece", "the cache " * 90,
)  # fmt: skip


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces.shipped()


@pytest.fixture(scope="module")
def library() -> Tokenizer:
    words = VOCABULARY.read_text("utf-8").removesuffix("\n").split("\n")
    made = Tokenizer(WordPiece({word: at for at, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(word, words.index(word)) for word in ("[SEP]", "[CLS]")]
    made.post_processor = processors.BertProcessing(*ends)
    made.enable_truncation(MAX_TOKENS)
    return made


def test_sentences_of_the_bank_have_the_librarys_pieces(
    pieces: WordPieces, library: Tokenizer
) -> None:
    questions = load_bank().questions[::8]
    for sentence in {each for question in questions for each in sentences_of(question)}:
        assert pieces.of(sentence) == library.encode(sentence).ids, sentence


@pytest.mark.parametrize("sentence", ODD)
def test_so_have_odd_ones(pieces: WordPieces, library: Tokenizer, sentence: str) -> None:
    assert pieces.of(sentence) == library.encode(sentence).ids


def test_of_a_long_sentence_the_end_is_cut_off(pieces: WordPieces) -> None:
    short, long = pieces.of("cache"), pieces.of("cache " * 500)
    assert len(long) == MAX_TOKENS
    assert long[-1] == short[-1] and set(long) == set(short)
