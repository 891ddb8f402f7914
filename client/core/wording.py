"""Small words in messages."""


def count_of(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural: ``1 answer``, ``2 answers``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """A remedy, which follows a colon in the terminal, as a sentence of its own on a page."""
    return f"{text[:1].upper()}{text[1:]}."
