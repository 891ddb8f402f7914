"""Small words in messages."""


def count_of(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural: ``1 answer``, ``2 answers``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
