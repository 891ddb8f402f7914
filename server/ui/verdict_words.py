"""The verdicts on phrases and terms in words: the same on every page and in every file."""

from typing import Final

from server.contract import PhraseCoverage

VERDICT_WORDS: Final = {
    "covered": "said",
    "partial": "partly said",
    "missing": "not said",
    "correct": "said right",
    "mispronounced": "mispronounced",
    "unclear": "not clearly heard",
}
DENIED: Final = "said, but denied"


def words_of_phrase(phrase: PhraseCoverage) -> str:
    """The verdict on a key phrase."""
    return DENIED if phrase.negated else VERDICT_WORDS[phrase.status]
