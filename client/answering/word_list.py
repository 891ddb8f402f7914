"""The words of an answer while it is worked on, packed: hours of them are a few megabytes."""

import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import overload

from server.contract import Word

_NUMBERS = 3


class WordList(Sequence[Word]):
    """Words in order; each is made again when it is looked at.

    As objects, 27,000 words (three hours) take 17 MB, packed 2 MB.
    """

    def __init__(self, words: Iterable[Word] = ()) -> None:
        self._texts: list[str] = []
        # start_s, end_s and confidence of each word; NaN: it has none
        self._numbers = array("d")
        self.extend(words)

    def extend(self, words: Iterable[Word]) -> None:
        """Take the next words."""
        for word in words:
            self._texts.append(sys.intern(word.text))  # most words are said many times
            for number in (word.start_s, word.end_s, word.confidence):
                self._numbers.append(math.nan if number is None else number)

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Word: ...

    @overload
    def __getitem__(self, index: slice) -> list[Word]: ...

    def __getitem__(self, index: int | slice) -> Word | list[Word]:
        if isinstance(index, slice):
            return [self._word(at) for at in range(*index.indices(len(self)))]
        return self._word(range(len(self))[index])

    def _word(self, at: int) -> Word:
        numbers = self._numbers[at * _NUMBERS : (at + 1) * _NUMBERS]
        start_s, end_s, confidence = (None if math.isnan(each) else each for each in numbers)
        return Word(text=self._texts[at], start_s=start_s, end_s=end_s, confidence=confidence)
