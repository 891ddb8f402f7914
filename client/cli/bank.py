"""``aloud bank``: look at the question bank and check your own."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer
from rich.progress import Progress
from rich.text import Text

from client.backend.embedded import read_posting
from client.backend.opening import open_direct
from client.backend.shared_server import check_bank
from client.cli.commands import command_group, commands
from client.cli.common import command, errors, fail, out, plain_table, print_json, writing
from client.cli.options import JsonOption, RoundOption
from client.core.own_lexicon import load_own_lexicon
from client.core.settings import ClientSettings
from client.core.wording import count_of, visible
from client.data import own_questions as own
from client.data.own_questions import QuestionForm
from question_bank.errors import BankError
from question_bank.loader import load_bank
from question_bank.models import EVERYONE, Bank, Question, Role

if TYPE_CHECKING:  # the encoder is loaded when a posting is read
    from client.backend.embedded import Posting

T = TypeVar("T")
RoleOption = Annotated[str | None, typer.Option("--role", help="Only this role's questions.")]

app = commands()
group = command_group(app, "bank")


@command(group, "list")
def list_bank(
    settings: ClientSettings,
    role: RoleOption = None,
    round_: RoundOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the roles and their questions."""
    bank = read_bank(settings)
    questions = bank.asked(role=role, round=round_)
    titles = {EVERYONE: "Every interview"} | {each.id: each.title for each in bank.fields}
    titles |= {each.id: each.title for each in bank.roles}
    if as_json:
        hidden = {"model_answer", "key_phrases", "probes"}
        print_json([q.model_dump(exclude=hidden) for q in questions])
        return
    by_role: dict[str, list[Question]] = {}
    for question in questions:
        by_role.setdefault(question.role or question.field or "", []).append(question)
    for role_id, group in by_role.items():
        title = f"{titles[role_id]}  [{role_id}]" if role_id else "Questions for any role"
        out().print(Text(f"{title} – {count_of(len(group), 'question')}", style="bold cyan"))
        table = plain_table("id", "round", "level", "topic", indent=2)
        table.columns[0].no_wrap, table.columns[0].overflow = True, "ellipsis"  # it is copied
        for question in group:
            level = "●" * question.difficulty + "○" * (5 - question.difficulty)
            table.add_row(question.id, question.round, level, Text(question.topic))
        out().print(table)
        out().print()


@command(group, "show")
def show(
    settings: ClientSettings,
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="A question or a role.")],
    as_json: JsonOption = False,
) -> None:
    """Show a question with its model answer and key phrases, or a role."""
    bank = read_bank(settings)
    role = bank.role(entry_id)
    if role is not None:
        if as_json:
            print_json(role)
        else:
            _print_role(role)
        return
    question = bank.known_question(entry_id)
    if as_json:
        print_json(question)
    else:
        _print_question(question)


@command(group, "validate")
def validate(
    settings: ClientSettings,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A bank's folder or file.")],
    fast: Annotated[
        bool, typer.Option("--fast", help="Skip the ways and the sentences under 'not'.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a bank: its form, and that its model answers and ways say what they should."""
    with Progress(console=errors(), transient=True, disable=not errors().is_terminal) as bar:
        task = bar.add_task("Grading ways", total=None)
        try:
            checked = check_bank(
                path,
                settings.lexicon,
                ways=not fast,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        except BankError as error:
            if not as_json:
                raise
            _print_checked(path, faults=str(error).splitlines())
            raise typer.Exit(1) from error
    if as_json:
        _print_checked(path, **vars(checked))
        raise typer.Exit(1 if checked.faults else 0)
    for line in (*(f"note: {note}" for note in checked.notes), *checked.faults):
        errors().print(line, markup=False, soft_wrap=True)
    if checked.faults:
        raise fail(f"{path}: {count_of(len(checked.faults), 'fault')}")
    notes = f", {count_of(len(checked.notes), 'note')}" if checked.notes else ""
    questions = count_of(checked.questions, "question")
    graded = f"; {count_of(checked.sentences, 'sentence')} checked" if checked.sentences else ""
    out().print(f"{path}: {questions}, no faults{notes}{graded}", markup=False)


@command(group, "import")
def import_questions(
    settings: ClientSettings,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A job posting (text, Markdown, PDF, HTML), or questions: one a line, or CSV; - "
            "reads standard input.",
        ),
    ],
    role: Annotated[
        str | None, typer.Option("--role", help="Whose interviews ask them; else the nearest.")
    ] = None,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.yaml", help="Write all proposals to this bank."),
    ] = None,
) -> None:
    """Make questions of your own from a posting or a list; you see each one before it is kept."""
    from client.cli.loading import open_server  # it brings sound and NumPy

    content = sys.stdin.buffer.read() if str(file) == "-" else _content(file)
    text = own.read_text(file.name, content)
    with open_server(settings, reading=True) as backend:
        bank = backend.bank()
        posting = read_posting(
            text, bank, load_own_lexicon(settings), is_table=own.is_table(file.name)
        )
        if not posting.proposals:
            raise fail(own.NOTHING_FOUND)
        role = role or (posting.role.id if posting.role else "")
        _print_posting(posting)
        rounds = own.rounds_of(bank, role)  # says what roles there are
        forms = [QuestionForm.of(each, role, rounds) for each in posting.proposals]
        if out_file is not None:
            with writing(out_file):
                out_file.write_text(own.to_yaml(forms, bank), encoding="utf-8")
            out().print(
                f"{out_file}: {count_of(len(forms), 'question')}; edit it, then check it with"
            )
            out().print(f"aloud bank validate {out_file}", markup=False)
            return
        if not sys.stdin.isatty():
            out().print(Text("\nNothing is kept: name a file with --out, or run it in a terminal."))
            return
        kept: list[QuestionForm] = []
        for each in forms:
            form = _asked_to_keep(each, bank)
            if form == "done":
                break
            kept += [form] if isinstance(form, QuestionForm) else []
        out().print(f"{count_of(len(kept), 'question')} kept.")
        for name in own.keep_questions(backend, settings, kept) if kept else ():
            out().print(Text(f"  aloud interview --question {name}", "dim"), soft_wrap=True)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise fail(f"{file} cannot be read: {error.strerror}") from error


def _print_posting(posting: "Posting") -> None:
    console = out()
    near = posting.role.title if posting.role else "none of the bank's is near"
    console.print(Text.assemble(("Nearest role: ", "bold"), near))
    for each in _under("The bank already asks", posting.fits):
        console.print(Text.assemble("  ", (each.question.id, "bold"), f"  {each.question.prompt}"))
    if posting.gaps:
        console.print(Text("\nIt has nothing for", style="bold cyan"))
        console.print(Text("  " + " · ".join(posting.gaps)))
    if posting.terms:
        console.print(Text("\nTerms that Aloud can say", style="bold cyan"))
        console.print(Text("  " + ", ".join(each.term for each in posting.terms)))
    for proposal in _under("Questions from its own words", posting.proposals):
        console.print(Text(f"  {proposal.prompt}"))
        console.print(Text(f"    {', '.join(proposal.key_phrases)}", "dim"))


def _asked_to_keep(form: QuestionForm, bank: Bank) -> QuestionForm | Literal["no", "done"]:
    """The question as the candidate wants it; ``done``: not at all, and no other one either."""
    console = out()
    while True:
        console.print(Text(f"\n{form.prompt}", "bold"))
        console.print(Text("  " + ", ".join(form.key_phrases.splitlines()), "dim"))
        for fault in own.faults_of(form, bank):
            console.print(Text(f"! {fault}", "yellow"))
        keep = "Keep it? [y]es, [e]dit, [n]o, [d]one"
        answer = typer.prompt(keep, default="n").strip().lower()[:1]
        if answer == "y" and not own.faults_of(form, bank):
            return form
        if answer in ("n", "d"):
            return "done" if answer == "d" else "no"
        if answer in ("e", "y"):
            prompt = typer.prompt("Question", default=visible(form.prompt))
            listed = typer.prompt(
                "Key phrases, with commas",
                default=visible(", ".join(form.key_phrases.splitlines())),
            )
            phrases = "\n".join(each.strip() for each in listed.split(",") if each.strip())
            form = replace(form, prompt=prompt, key_phrases=phrases)


def _print_checked(
    path: Path,
    questions: int | None = None,
    faults: Sequence[str] = (),
    notes: Sequence[str] = (),
    sentences: int = 0,
) -> None:
    """The result of a check as JSON; ``questions`` is null where the bank cannot be read."""
    print_json(
        {
            "path": path,
            "valid": not faults,
            "questions": questions,
            "sentences": sentences,
            "faults": faults,
            "notes": notes,
        }
    )


def _print_question(question: Question) -> None:
    console = out()
    console.print(Text(question.prompt, style="bold"))
    if question.snippet:
        console.print(Text(f"\n{question.snippet}\n"))
    about = [question.id, question.role or "no role", question.round, question.topic]
    about.append(f"{question.answer_seconds} s")
    console.print(Text(" · ".join(about), style="dim"))
    console.print(Text("\nModel answer", style="bold cyan"))
    console.print(Text(question.model_answer))
    for source in question.sources:
        console.print(Text(f"Source: {source}", style="dim"))
    for phrase in _under("Key phrases", question.key_phrases):
        also = f" (also: {', '.join(phrase.aliases)})" if phrase.aliases else ""
        console.print(Text.assemble("  ", (phrase.phrase, "bold"), also))
        if phrase.why:
            console.print(Text(f"    {phrase.why}"))
        if phrase.follow_up:
            console.print(Text(f"    They may ask: {phrase.follow_up}", style="italic"))
    for probe in _under("After a good answer they may ask", question.probes):
        console.print(Text(f"  {probe.ask}", style="italic"))
        console.print(Text(f"    A good reply: {probe.expects}"))


def _print_role(role: Role) -> None:
    console = out()
    console.print(Text(role.title, style="bold"))
    console.print(Text(role.summary))
    for topic in _under("Topics", role.topics):
        console.print(Text(f"  {topic}"))
    for spot in _under("Spotlight terms", role.spotlight):
        console.print(Text.assemble("  ", (spot.term, "bold"), f" – {spot.definition}"))
        console.print(Text(f"    “{spot.example}”", style="italic"))
    for category in _under("Vocabulary", role.vocabulary):
        console.print(
            Text.assemble("  ", (f"{category.category}: ", "bold"), ", ".join(category.terms))
        )
    for scenario in _under("Scenarios", role.scenarios):
        console.print(Text(f"  • {scenario}"))
    landscape = role.landscape
    for area in _under("The work", landscape.responsibilities):
        console.print(Text.assemble("  ", (area.area, "bold"), f": {area.involves}"))
        if area.tools:
            console.print(Text(f"    Tools: {', '.join(area.tools)}", style="dim"))
    for employer in _under("Employers", landscape.employers):
        console.print(
            Text.assemble("  ", (employer.category, "bold"), f": {', '.join(employer.companies)}")
        )
        console.print(Text(f"    {employer.needs}", style="dim"))
    year = f" in {landscape.salary_year}" if landscape.salary_year else ""
    table = plain_table("level", "base", "with equity", "", indent=2)
    for band in _under(f"Pay{year}, thousands of US dollars a year", landscape.salaries):
        table.add_row(band.level, _range(band.base_usd_k), _range(band.total_usd_k), band.notes)
    if landscape.salaries:
        console.print(table)


def _under(heading: str, items: Sequence[T]) -> Sequence[T]:
    """The items; the heading is printed where there are any."""
    if items:
        out().print(Text(f"\n{heading}", style="bold cyan"))
    return items


def _range(pair: tuple[int, int | None]) -> str:
    low, high = pair
    return f"{low}–{high}" if high is not None else f"{low} and more"


def read_bank(settings: ClientSettings) -> Bank:
    """The bank that the settings name: the server's, or the one on this machine.

    Alone: it brings no store and no outbox, and the wire models only with a server.

    Raises:
        BankError: a file of the bank is not valid.
        BackendError: the server refuses, or cannot be reached.
    """
    if settings.server is None:
        return load_bank(
            settings.banks, settings.cache, settings.own_aliases, stories=settings.stories
        )

    backend = open_direct(settings)
    try:
        return backend.bank()
    finally:
        backend.close()
