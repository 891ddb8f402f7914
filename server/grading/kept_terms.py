"""The compiled index of a lexicon, cached for the next start like bank and lexicon.

Compiling it takes longer than reading one answer, because it looks up the lemmas of all
words of all terms.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from pronunciation.terms import Lexicon
from question_bank.files import compiled
from server.grading.lexis.words import dictionary_files
from server.grading.terms import Form, TermIndex, compile_terms

_FOLDER: Final = Path(__file__).parent
MADE_WITH: Final = (
    *(_FOLDER / f"{name}.py" for name in ("kept_terms", "terms", "tokenizer", "numbers")),
    *(_FOLDER / f"lexis/{name}.py" for name in ("vocabulary", "words")),
    *(_FOLDER / f"data/{name}" for name in ("terms.yaml", "english_words.txt", "families.txt")),
)
"""What an index depends on besides its lexicon and the dictionary of lemmas."""


class _KeptIndex(BaseModel):
    """A ``TermIndex`` as JSON. ``places``: symbol → the place of its term in the lexicon."""

    model_config = ConfigDict(frozen=True)

    by_first: Mapping[str, tuple[tuple[tuple[str, ...], str, Form], ...]]
    known_words: frozenset[str]
    expansions: Mapping[str, tuple[str, ...]]
    places: Mapping[str, int]


def kept_index(lexicon: Lexicon, folder: Path) -> TermIndex:
    """The index of a lexicon, from the folder, or compiled and stored there.

    Args:
        lexicon: the terms.
        folder: keeps copies; created if it is missing.
    """
    # Of a term, nothing else goes into the index.
    forms = [(term.term, term.stands_for, term.written_as) for term in lexicon]
    made = compiled(
        _KeptIndex,
        dictionary_files(),
        folder,
        lambda: _kept(compile_terms(lexicon), lexicon),
        MADE_WITH,
        json.dumps(forms).encode(),
    )
    return TermIndex(
        by_first=dict(made.by_first),
        known_words=made.known_words,
        expansions=dict(made.expansions),
        lexicon_terms={symbol: lexicon.terms[place] for symbol, place in made.places.items()},
    )


def _kept(index: TermIndex, lexicon: Lexicon) -> _KeptIndex:
    places = {id(term): place for place, term in enumerate(lexicon.terms)}
    return _KeptIndex(
        by_first=index.by_first,
        known_words=index.known_words,
        expansions=index.expansions,
        places={symbol: places[id(term)] for symbol, term in index.lexicon_terms.items()},
    )
