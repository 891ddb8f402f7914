"""The pronunciations of ordinary words: the CMU dictionary in PocketSphinx's wheel."""

from functools import cache
from pathlib import Path

Phones = tuple[str, ...]


def dictionary_path() -> Path:
    """The packaged ``cmudict-en-us.dict``: about 130,000 words, phones without stress."""
    import pocketsphinx

    return Path(pocketsphinx.get_model_path()) / "en-us" / "cmudict-en-us.dict"


@cache
def dictionary() -> dict[str, tuple[Phones, ...]]:
    """Every word in lower case with its pronunciations, the usual one first."""
    words: dict[str, tuple[Phones, ...]] = {}
    with dictionary_path().open(encoding="utf-8") as lines:
        for line in lines:
            name, *phones = line.split()
            word = name.split("(", 1)[0] if name.endswith(")") else name
            words[word] = (*words.get(word, ()), tuple(phones))
    return words
