"""Puts a service together from settings; used by the app and by the embedded server."""

from pronunciation.terms import Lexicon
from question_bank.models import Bank
from server.attempts.service import Service
from server.attempts.store import Store
from server.core.settings import ServerSettings

__all__ = ["create_service"]


def create_service(settings: ServerSettings) -> Service:
    """The service that the settings describe; opens the database, loads the rest at first use.

    Raises:
        StoreError: the database cannot be used.
    """

    def bank() -> Bank:
        from question_bank.loader import load_bank
        from question_bank.own_aliases import read_own_aliases, with_own_aliases

        loaded = load_bank(settings.bank)
        if settings.own_aliases is None:
            return loaded
        return with_own_aliases(loaded, read_own_aliases(settings.own_aliases))

    def lexicon() -> Lexicon:
        from pronunciation.lexicon_loader import load_lexicon

        return load_lexicon(settings.lexicon)

    store = Store(settings.database_url, busy_timeout_s=settings.busy_timeout_s)
    return Service(store, bank, lexicon)
