"""``aloud unfinished``: answers that something interrupted, to be finished or discarded."""

from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from client.cli.common import (
    EngineOption,
    ModelOption,
    command,
    errors,
    fail,
    open_server,
    out,
    print_json,
)

if TYPE_CHECKING:
    from client.core.settings import ClientSettings
    from client.practice.finishing import Finisher, Offer


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "unfinished", "Your own data", judged=True)(unfinished)


def unfinished(
    settings: "ClientSettings",
    finish: Annotated[
        list[str] | None,
        typer.Option("--finish", metavar="NAME", help="Finish this one, or all. May be repeated."),
    ] = None,
    discard: Annotated[
        list[str] | None,
        typer.Option("--discard", metavar="NAME", help="Delete this one, or all. May be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    engine: EngineOption = None,
    model: ModelOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List interrupted answers that have no report yet, and finish or discard them."""
    from client.cli.loading import open_session
    from client.practice.finishing import Finisher

    with open_server(settings) as backend:
        session = cache(lambda: open_session(settings, backend, engine, model, judged=True))
        finisher = Finisher.of(settings, backend, session)
        offers = finisher.offers()
        to_finish, to_discard = _chosen(offers, finish), _chosen(offers, discard)
        if finish or discard:
            _discard(finisher, to_discard, yes=yes)
            _finish(finisher, [each for each in to_finish if each not in to_discard])
        elif as_json:
            print_json([_plain(each) for each in offers])
        else:
            _list(offers)


def _list(offers: "tuple[Offer, ...]") -> None:
    from client.terminal.unfinished import described

    for offer in offers:
        out().print(described(offer))
        out().print(Text(f"  {offer.name}", "dim"), soft_wrap=True)
    if offers:
        out().print(
            Text("aloud unfinished --finish NAME, or --discard NAME; NAME may be all", "dim")
        )
    else:
        out().print("Nothing is unfinished.")


def _finish(finisher: "Finisher", offers: "list[Offer]") -> None:
    from client.core.errors import ClientError
    from client.terminal.unfinished import described, finish_offered
    from pronunciation.errors import PronunciationError

    failed = 0
    for offer in offers:
        out().print(described(offer))
        try:
            finish_offered(out(), finisher, offer)
        except (ClientError, PronunciationError) as error:
            errors().print(Text(f"! {error}", "yellow"), soft_wrap=True)
            failed += 1
    if failed:
        raise fail(f"{failed} of {len(offers)} could not be finished and are kept")


def _discard(finisher: "Finisher", offers: "list[Offer]", *, yes: bool) -> None:
    from client.terminal.unfinished import described

    for offer in offers:
        if not yes:
            out().print(described(offer))
            typer.confirm("Delete it for good?", abort=True)
        finisher.discard(offer)
    if offers:
        out().print(f"{len(offers)} discarded")


def _chosen(offers: "tuple[Offer, ...]", names: list[str] | None) -> "list[Offer]":
    if not names:
        return []
    if "all" in names:
        return list(offers)
    by_name = {each.name: each for each in offers}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise fail(f"nothing unfinished is called {missing[0]}; aloud unfinished lists them")
    return [by_name[name] for name in dict.fromkeys(names)]


def _plain(offer: "Offer") -> dict[str, object]:
    found = offer.unfinished
    return {
        "name": offer.name,
        "kind": found.entry.kind,
        "asked": offer.asked or found.entry.asked,
        "state": found.entry.state,
        "server": found.entry.server,
        "engine": found.entry.engine,
        "spoken_at": found.started_at,
        "duration_s": round(found.duration_s, 2),
        "submission_id": found.entry.submission_id,
        "reason": found.reason,
        "problem": offer.problem,
    }
