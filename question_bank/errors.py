"""Every error this package raises."""

from collections.abc import Sequence

__all__ = ["BankError"]


class BankError(Exception):
    """A bank cannot be used; every problem found names its file, entry and field.

    Attributes:
        problems: one line each, in the order of the files; ``str`` of the error is these lines.
    """

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems: tuple[str, ...] = (
            (problems,) if isinstance(problems, str) else tuple(problems)
        )
        super().__init__("\n".join(self.problems))
