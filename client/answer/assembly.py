"""Builds the parts of a rehearsal from the settings, for command line and studio alike."""

from functools import cache

from client.answer.hearing import AnswerHearing
from client.core.own_lexicon import load_own_lexicon
from client.core.settings import ClientSettings
from client.engines.bank_vocabulary import BankVocabulary, bank_vocabulary
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank


def load_hearing(settings: ClientSettings) -> AnswerHearing:
    """What hears how the lexicon's terms were said; its model loads at the first answer.

    Raises:
        LexiconError: a lexicon of the settings is not valid.
    """

    def ordinary() -> frozenset[str]:
        return frozenset(word.casefold() for word in vocabulary(settings).words)

    return AnswerHearing(load_own_lexicon(settings), ordinary)


@cache
def vocabulary(settings: ClientSettings) -> BankVocabulary:
    """What the whole bank talks about, never one question; engine and hearing both need it.

    Raises:
        BankError, LexiconError: a file of the settings is not valid.
    """
    return bank_vocabulary(
        load_bank(settings.banks, settings.cache, stories=settings.stories),
        load_lexicon(settings.lexicon, settings.cache),
    )
