"""What the terminal offers: unfinished answers, “Did you mean …?”, and the sound of repairs."""

from rich.console import Console
from rich.text import Text

from client.answer.answer import Answer
from client.answer.answers import Answers
from client.backend.protocol import Backend, BackendError
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.core.wording import count_of
from client.speaking import Speaker, voices_here
from client.terminal.keys import Keys, one_of
from client.terminal.report import print_report
from pronunciation.errors import PronunciationError
from pronunciation.lexicon_loader import load_lexicon
from server.contract import Language, MeantAnswer, Report, duration
from server.ui.verdict_words import composition_text, question_about, score_text


def offer_unfinished(
    console: Console, keys: Keys, answers: Answers, *, drills: bool = True
) -> None:
    """Offer everything that something interrupted; nothing is lost silently.

    Where the console is no terminal, the answers are only listed. Without ``drills``, takes of
    drill items are only counted: a second of speech must not keep an interview from beginning.
    """
    unfinished = answers.unfinished()
    takes = [] if drills else [each for each in unfinished if each.is_drill]
    if takes:
        waiting = count_of(len(takes), "unfinished take") + " of drill items"
        console.print(Text(f"{waiting}; to see: aloud unfinished", "dim"))
    for answer in (each for each in unfinished if each not in takes):
        console.print(described(answer))
        if not console.is_terminal:
            console.print(Text("finish or discard it with: aloud unfinished", "dim"))
            continue
        finish = "" if answer.obstacle else "f finish it · "
        console.print(Text(f"{finish}d discard it · l leave it for later", "dim"))
        key = one_of(keys, "dl" if answer.obstacle else "fdl")
        try:
            if key == "f":
                finish_offered(console, answers, answer)
            elif key == "d" and really(console, keys, answer):
                answers.discard(answer)
                console.print(Text("Discarded.", "dim"))
        except (ClientError, PronunciationError) as error:  # it stays; the person continues
            console.print(Text(f"! {error}", "yellow"))


def finish_offered(console: Console, answers: Answers, answer: Answer) -> None:
    """Finish one of them and show the result.

    Raises:
        ClientError: it cannot be finished now, and stays.
    """
    is_heard = answer.entry.review is not None
    with console.status(Text("Listening to it …" if answer.is_drill else "Transcribing …", "dim")):
        answers.finish(answer)
    outcome, review = answer.outcome, answer.entry.review
    if outcome is not None and outcome.report is not None:
        print_report(console, outcome.report, answer.prompt or answer.asked)
        if outcome.attempt_id is not None:
            console.print(Text(f"stored as attempt {outcome.attempt_id}", "dim"))
    elif review is not None and not is_heard:
        console.print(Text(f"{answer.prompt}: {review.verdict.replace('_', ' ')}"))
    elif not answer.waiting:
        console.print(Text("Stored.", "dim"))
    for line in (answer.waiting, answer.notice):
        if line:
            console.print(Text(f"! {line}", "yellow"))


def described(answer: Answer) -> Text:
    """An unfinished answer in one or two lines: what, how long, since when, and why."""
    reason = answer.entry.reason
    text = Text.assemble(
        "A take of the drill item" if answer.is_drill else "An answer",
        f" of {duration(answer.duration_s)} from {answer.spoken_at.astimezone():%Y-%m-%d %H:%M} ",
        (f"({answer.asked}) ", "bold"),
        f"is not finished: {reason}." if reason else "was interrupted.",
    )
    if answer.state == "transcribed":
        text.append(" It is transcribed and only needs to be sent.")
    if answer.obstacle:
        text.append(f" It cannot be finished here: {answer.obstacle}.")
    return text


def really(console: Console, keys: Keys, answer: Answer) -> bool:
    """Whether what was said may be deleted for good."""
    length = duration(answer.duration_s)
    console.print(Text(f"Delete {length} of speech for good? y yes · n no", "yellow"))
    return one_of(keys, "yn") == "y"


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


def offer_repairs(
    console: Console, keys: Keys, settings: ClientSettings, language: Language
) -> None:
    """Say the repair of a remark when its number is pressed, where there are terminal and voice."""
    shown = [group.first for group in language.groups()]
    repairs = {str(row): note.better for row, note in enumerate(shown, 1) if note.sentence}
    if not repairs or not console.is_terminal or not voices_here():
        return
    speaker = Speaker.of(settings, load_lexicon(settings.lexicon, settings.cache))
    rows = " ".join(repairs)
    console.print(Text(f"{rows} hear the better wording of that row · Enter continue", "dim"))
    while key := one_of(keys, rows.replace(" ", ""), enter=""):
        outcome = speaker.speak(repairs[key])
        if not outcome.spoken:
            console.print(Text(f"! {outcome.reason}", "yellow"))
