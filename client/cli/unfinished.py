"""``aloud unfinished``: answers that something interrupted, to be finished or discarded."""

from functools import cache
from typing import Annotated

import typer
from rich.text import Text

from client.answer.answer import Answer
from client.answer.answers import Answers
from client.cli.common import command, errors, fail, out, print_json
from client.cli.loading import answers_here, open_server, open_session
from client.cli.options import EngineOption, ModelOption
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.terminal.unfinished import described, finish_offered
from pronunciation.errors import PronunciationError


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "unfinished", "Your own data", judged=True)(unfinished)


def unfinished(
    settings: ClientSettings,
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
    with open_server(settings) as backend:
        session = cache(lambda: open_session(settings, backend, engine, model, judged=True))
        answers = answers_here(settings, backend, session)
        found = answers.unfinished()
        to_finish, to_discard = _chosen(found, finish), _chosen(found, discard)
        if finish or discard:
            _discard(answers, to_discard, yes=yes)
            _finish(answers, [each for each in to_finish if each not in to_discard])
        elif as_json:
            print_json([_plain(each) for each in found])
        else:
            _list(found)


def _list(found: tuple[Answer, ...]) -> None:
    for each in found:
        out().print(described(each))
        out().print(Text(f"  {each.name}", "dim"), soft_wrap=True)
    if found:
        out().print(
            Text("aloud unfinished --finish NAME, or --discard NAME; NAME may be all", "dim")
        )
    else:
        out().print("Nothing is unfinished.")


def _finish(answers: Answers, chosen: list[Answer]) -> None:
    failed = 0
    for each in chosen:
        out().print(described(each))
        try:
            finish_offered(out(), answers, each)
        except (ClientError, PronunciationError) as error:
            errors().print(Text(f"! {error}", "yellow"), soft_wrap=True)
            failed += 1
    if failed:
        raise fail(f"{failed} of {len(chosen)} could not be finished and are kept")


def _discard(answers: Answers, chosen: list[Answer], *, yes: bool) -> None:
    for each in chosen:
        if not yes:
            out().print(described(each))
            typer.confirm("Delete it for good?", abort=True)
        answers.discard(each)
    if chosen:
        out().print(f"{len(chosen)} discarded")


def _chosen(found: tuple[Answer, ...], names: list[str] | None) -> list[Answer]:
    if not names:
        return []
    if "all" in names:
        return list(found)
    by_name = {each.name: each for each in found}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise fail(f"nothing unfinished is called {missing[0]}; aloud unfinished lists them")
    return [by_name[name] for name in dict.fromkeys(names)]


def _plain(answer: Answer) -> dict[str, object]:
    return {
        "name": answer.name,
        "kind": answer.entry.kind,
        "asked": answer.asked,
        "state": answer.state,
        "server": answer.entry.server,
        "engine": answer.entry.engine,
        "spoken_at": answer.spoken_at,
        "duration_s": round(answer.duration_s, 2),
        "submission_id": answer.submission_id,
        "reason": answer.entry.reason,
        "problem": answer.obstacle,
    }
