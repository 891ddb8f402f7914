"""“Did you mean …?”, asked in the terminal after a report."""

from rich.console import Console
from rich.text import Text

from client.backend.protocol import Backend, BackendError
from client.terminal.keys import Keys, one_of
from server.contract import MeantAnswer, Report
from server.ui.verdict_words import composition_text, question_about, score_text


def ask_what_was_meant(
    console: Console, keys: Keys, backend: Backend, attempt_id: int, report: Report
) -> None:
    """Ask about each phrase that was perhaps said; an answer counts at once.

    Nothing is asked where the console is no terminal.
    """
    asked = [each for each in report.coverage.phrases if question_about(each)]
    if not asked or not console.is_terminal:
        return
    read = report
    for phrase in asked:
        said = f" You said “{phrase.evidence.text}”." if phrase.evidence else ""
        console.print(Text.assemble((question_about(phrase), "bold"), said))
        console.print(Text("y yes, count it · n no · Enter skip", "dim"))
        key = one_of(keys, "yn", enter="")
        if not key:
            continue
        answer = MeantAnswer(phrase=phrase.phrase, meant=key == "y")
        try:
            read = backend.confirm(attempt_id, answer).report
        except BackendError as error:
            console.print(Text(f"! {error}", "yellow"))
            return
    if read != report:
        made_of = composition_text(read)
        console.print(Text(score_text(read).capitalize() + (f" = {made_of}" if made_of else "")))
