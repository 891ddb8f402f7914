"""The bank alone, for commands that only look at it: no store, no outbox, no wire models."""

from client.core.settings import ClientSettings
from question_bank.loader import load_bank
from question_bank.models import Bank


def read_bank(settings: ClientSettings) -> Bank:
    """The bank that the settings name: the server's, or the one on this machine.

    Raises:
        BankError: a file of the bank is not valid.
        BackendError: the server refuses, or cannot be reached.
    """
    if settings.server is None:
        return load_bank(settings.bank, settings.cache, settings.own_aliases)
    # It brings the wire models.
    from client.backend.opening import open_direct

    backend = open_direct(settings)
    try:
        return backend.bank()
    finally:
        backend.close()
