import tracemalloc

import pytest

from client.answering.word_list import WordList
from server.contract import Word

SAID = [
    Word(text="So,", start_s=0.1, end_s=0.32, confidence=0.9),
    Word(text="typed"),
    Word(text="RoCE", start_s=1.017, end_s=1.5),
    Word(text="so", start_s=0.0, end_s=1e-3, confidence=0.0),
]


def test_words_come_out_as_they_went_in() -> None:
    words = WordList(SAID[:1])
    words.extend(SAID[1:])

    assert len(words) == 4
    assert list(words) == SAID
    assert words[-1] == SAID[-1]
    assert words[1:3] == SAID[1:3]
    assert [each.model_fields_set for each in words[:1]] == [SAID[0].model_fields_set]
    with pytest.raises(IndexError):
        words[4]


def test_three_hours_of_words_take_little_memory() -> None:
    count = 27_000
    tracemalloc.start()
    try:
        words = WordList(
            Word(text=f"word{at % 3000}", start_s=at / 3, end_s=at / 3 + 0.2, confidence=0.9)
            for at in range(count)
        )
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(words) == count
    assert held < 100 * count  # as objects, 630 bytes each
