"""Offers unfinished answers in the terminal, to finish, discard or leave for later."""

from rich.console import Console
from rich.text import Text

from client.core.errors import ClientError
from client.practice.finishing import Finished, Finisher, Offer
from client.terminal.keys import Keys, one_of
from client.terminal.report import print_report
from pronunciation.errors import PronunciationError
from server.contract import duration


def offer_unfinished(console: Console, keys: Keys, finisher: Finisher) -> None:
    """Offer everything that something interrupted; nothing is lost silently.

    Args:
        console: the terminal; if it is not a terminal, the answers are only listed.
        keys: f, d or l for each.
        finisher: knows and finishes them.
    """
    for offer in finisher.offers():
        console.print(described(offer))
        if not console.is_terminal:
            console.print(Text("finish or discard it with: aloud unfinished", "dim"))
            continue
        finish = "" if offer.problem else "f finish it · "
        console.print(Text(f"{finish}d discard it · l leave it for later", "dim"))
        key = one_of(keys, "dl" if offer.problem else "fdl")
        try:
            if key == "f":
                finish_offered(console, finisher, offer)
            elif key == "d" and really(console, keys, offer):
                finisher.discard(offer)
                console.print(Text("Discarded.", "dim"))
        except (ClientError, PronunciationError) as error:  # it stays; the person continues
            console.print(Text(f"! {error}", "yellow"))


def finish_offered(console: Console, finisher: Finisher, offer: Offer) -> Finished:
    """Finish one of them and show the result.

    Raises:
        ClientError: it cannot be finished now, and stays.
    """
    with console.status(Text("Listening to it …" if offer.is_drill else "Transcribing …", "dim")):
        finished = finisher.finish(offer)
    outcome = finished.outcome
    if outcome is not None and outcome.report is not None:
        print_report(console, outcome.report, offer.prompt or offer.asked)
        if outcome.attempt_id is not None:
            console.print(Text(f"stored as attempt {outcome.attempt_id}", "dim"))
    elif finished.verdict is not None:
        console.print(Text(f"{offer.prompt}: {finished.verdict.verdict.replace('_', ' ')}"))
    elif not finished.waiting:
        console.print(Text("Stored.", "dim"))
    for line in (finished.waiting, finished.notice):
        if line:
            console.print(Text(f"! {line}", "yellow"))
    return finished


def described(offer: Offer) -> Text:
    """An unfinished answer in one or two lines: what, how long, since when, and why."""
    found = offer.unfinished
    what = "take of the drill item" if offer.is_drill else "answer"
    since = f"{found.started_at.astimezone():%Y-%m-%d %H:%M}"
    text = Text.assemble(
        f"An {what}" if what[0] == "a" else f"A {what}",
        f" of {duration(found.duration_s)} from {since} ",
        (f"({offer.asked or found.entry.asked}) ", "bold"),
        f"is not finished: {found.reason}." if found.reason else "was interrupted.",
    )
    if found.entry.state == "transcribed":
        text.append(" It is transcribed and only needs to be sent.")
    if offer.problem:
        text.append(f" It cannot be finished here: {offer.problem}.")
    return text


def really(console: Console, keys: Keys, offer: Offer) -> bool:
    """Whether what was said may be deleted for good."""
    length = duration(offer.unfinished.duration_s)
    console.print(Text(f"Delete {length} of speech for good? y yes · n no", "yellow"))
    return one_of(keys, "yn") == "y"
