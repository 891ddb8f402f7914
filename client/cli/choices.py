"""Options that choose from the bank, checked before anything is opened."""

from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

if TYPE_CHECKING:
    from question_bank.models import RoundName

__all__ = ["RoundOption", "round_name"]

RoundOption = Annotated[
    str | None, typer.Option("--round", metavar="X", help="Only this round's questions.")
]


def round_name(text: str | None) -> "RoundName | None":
    """The round of this name.

    Raises:
        BadParameter: there is none.
    """
    from question_bank.models import RoundName

    if text is not None and text not in get_args(RoundName):
        raise typer.BadParameter(f"no round {text!r}; there are {', '.join(get_args(RoundName))}")
    return cast("RoundName | None", text)
