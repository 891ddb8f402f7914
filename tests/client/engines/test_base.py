"""What all engines share: the words of an answer put together."""

import pytest

from client.core.errors import EngineError
from client.engines.base import assemble
from server.contract import MAX_TEXT_CHARS, MAX_WORDS, Transcript, Word


def put_together(text: str, count: int) -> Transcript:
    words = [Word(text=text, start_s=0.0, end_s=0.1)] * count
    return assemble(words, engine="test", model="", duration_s=10_800.0)


def test_three_hours_of_speech_are_one_answer() -> None:
    spoken = put_together("paged", 30_000)  # 170 words a minute
    assert (len(spoken.words), len(spoken.text)) == (30_000, 179_999)


@pytest.mark.parametrize(
    ("text", "count"), [("a", MAX_WORDS + 1), ("fragmentation", MAX_TEXT_CHARS // 14 + 1)]
)
def test_more_words_than_an_answer_has_are_one_clear_line(text: str, count: int) -> None:
    with pytest.raises(EngineError, match=f"has {count:,} words; .* assess it in parts"):
        put_together(text, count)
