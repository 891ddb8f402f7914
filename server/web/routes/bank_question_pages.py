"""The pages to browse the bank and to edit one question in a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from question_bank.models import Bank, Question, RoundGuide, Signal
from question_bank.source import names_point
from server.bank_versions.question_form import (
    MAX_ROWS,
    ROWS,
    Typed,
    data_of,
    field_id,
    form_of,
    read_form,
    wanted_of,
)
from server.bank_versions.service import (
    CHECK_BANK,
    CHECKED_AT_ONCE,
    MAX_NOTE_CHARS,
    BankVersions,
    DraftOrder,
    difference,
)
from server.bank_versions.text import (
    Draft,
    DraftError,
    EditedText,
    Fault,
    QuestionEntry,
    find_question,
    put_question,
)
from server.core.access import Action
from server.core.errors import ConflictError, InvalidInputError, NotFoundError
from server.web.http.context import PageVisit, Visit
from server.web.http.gate import needs
from server.web.routes.attempt_review import lines_of

PAGE: Final = 50
_LONGEST: Final = 200

Words = Annotated[str, Query(max_length=_LONGEST)]
QuestionId = Annotated[str, Path(max_length=80)]


@dataclass(frozen=True)
class _Base:
    """The source of an edit: the newest version, and the question in it or below it."""

    number: int
    yaml: str
    lexicon_yaml: str
    placed: QuestionEntry | None
    below: Question | None

    @property
    def old(self) -> Mapping[str, Any]:
        """The fields in the version; none if it does not have the question."""
        return {} if self.placed is None else self.placed.data

    @property
    def role(self) -> str | None:
        """The role that the question belongs to."""
        if self.placed is not None:
            return self.placed.role
        return None if self.below is None else self.below.role


@dataclass(frozen=True)
class _Seen:
    """What the page shows besides the fields."""

    errors: Mapping[str, list[str]] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    question: Question | None = None
    lines: tuple[str, ...] | None = ()
    overtaken: bool = False
    checked: bool = False
    moved_to: str = ""


async def _sent(request: Request) -> list[tuple[str, str]]:
    form = await request.form()
    return [(name, lines_of(value)) for name, value in form.multi_items() if isinstance(value, str)]


Sent = Annotated[list[tuple[str, str]], Depends(_sent)]


@cache
def bank_question_pages_router() -> APIRouter:
    """The pages ``/coach/bank/questions`` and those below."""
    router = APIRouter(
        prefix="/coach/bank", include_in_schema=False, dependencies=[needs(Action.EDIT_BANK)]
    )

    @router.get("/questions")
    def browse(
        visit: PageVisit,
        words: Words = "",
        role: Words = "",
        round: Words = "",
        level: Words = "",
        page: Annotated[int, Query(ge=1, le=10_000)] = 1,
    ) -> Response:
        """List the questions of the newest version and of the bank below it."""
        bank, own = _newest(visit.context.background.versions)
        wanted = words.casefold().split()
        found = [
            each
            for each in bank.questions
            if role in ("", each.role or "-")
            and round in ("", each.round)
            and level in ("", str(each.difficulty))
            and all(word in _searched(each) for word in wanted)
        ]
        return visit.page(
            "bank/questions.html",
            bank=bank,
            rounds=_titled(bank.rounds),
            own=own,
            found=len(found),
            questions=found[(page - 1) * PAGE : page * PAGE],
            page=page,
            pages=max(1, -(-len(found) // PAGE)),
            asked={"words": words, "role": role, "round": round, "level": level},
        )

    @router.get("/new-question")
    def new(visit: PageVisit) -> Response:
        base = _base(visit.context.background.versions, None)
        return _form(visit, None, base, form_of({"key_phrases": [{}]}), "", _Seen())

    @router.post("/new-question")
    def add(visit: PageVisit, sent: Sent) -> Response:
        """Check a new question and store it, or add and remove rows."""
        return change(None, visit, sent)

    @router.get("/questions/{question_id}")
    def edit(visit: PageVisit, question_id: QuestionId) -> Response:
        base = _base(visit.context.background.versions, question_id)
        typed = form_of(base.old or data_of(_known(base)))
        return _form(visit, question_id, base, typed, "", _Seen())

    @router.post("/questions/{question_id}")
    def change_one(visit: PageVisit, question_id: QuestionId, sent: Sent) -> Response:
        """Check a changed question and store it, or add and remove rows."""
        return change(question_id, visit, sent)

    def change(question_id: str | None, visit: Visit, sent: list[tuple[str, str]]) -> Response:
        versions = visit.context.background.versions
        base, values = _base(versions, question_id), dict(sent)
        do = values.get("do", "check")
        note = " ".join(values.get("note", "").split())[:MAX_NOTE_CHARS]
        typed = read_form(sent)
        if question_id is not None:
            typed = replace(typed, texts={**typed.texts, "id": question_id})
        role = base.role if question_id is not None else values.get("role") or None

        def shown(typed: Typed, seen: _Seen, status: int = 200) -> Response:
            return _form(visit, question_id, base, typed, note, seen, status, role)

        moved = typed.with_rows(do)
        if moved is not None:
            return shown(moved, _Seen(moved_to=_row_after(do, moved)))
        typed = typed.without_empty_rows()
        if question_id is None and _is_taken(versions, base, typed.texts["id"]):
            says = "there is a question of this id already"
            return shown(typed, _Seen(errors={"id": [says]}), 422)
        try:
            written = put_question(base.yaml, wanted_of(typed, base.old), role)
        except InvalidInputError as error:
            return shown(typed, _Seen(others=(str(error),)), 422)
        texts = (written.text, base.lexicon_yaml)
        seen = _Seen(
            lines=difference((_unchanged(base), base.lexicon_yaml), texts),
            overtaken=_is_overtaken(versions, base, typed.texts["id"], values.get("based_on", "")),
            checked=True,
        )
        try:
            draft = versions.read(*texts)
            question = draft.bank.question(typed.texts["id"])
            seen = replace(seen, question=question)
            large = len(draft.questions) > CHECKED_AT_ONCE
            mine = () if question is None else (question,)
            versions.check(replace(draft, questions=mine) if large else draft)
        except DraftError as error:
            return shown(typed, _with_faults(seen, error.faults, written), 422)
        if do != "save" or seen.overtaken or not seen.lines:
            return shown(typed, seen, 409 if do == "save" and seen.overtaken else 200)
        note = note or f"Question {typed.texts['id']}"
        order = DraftOrder(yaml=texts[0], lexicon_yaml=texts[1], note=note)
        if large:
            return visit.enqueued(CHECK_BANK, order)
        try:
            number = versions.save(order, visit.actor.account_id, after=base.number)
        except ConflictError:
            return shown(typed, replace(seen, overtaken=True), 409)
        return RedirectResponse(f"/coach/bank/{number}", 303)

    return router


def _newest(versions: BankVersions) -> tuple[Bank, frozenset[str]]:
    """The bank with the newest version on top, and the ids of that version's questions."""
    number = versions.store.latest_number()
    if number:
        text = versions.store.get(number)
        try:
            draft: Draft = versions.read(text.yaml, text.lexicon_yaml)
        except DraftError:
            return versions.grading_data.bank, frozenset()
        return draft.bank, frozenset(each.id for each in draft.questions)
    return versions.grading_data.bank, frozenset()


def _base(versions: BankVersions, question_id: str | None) -> _Base:
    """The source of an edit.

    Raises:
        NotFoundError: neither the newest version nor the bank below it has the question.
    """
    number = versions.store.latest_number()
    text = versions.store.get(number) if number else None
    yaml, lexicon_yaml = ("", "") if text is None else (text.yaml, text.lexicon_yaml)
    if question_id is None:
        return _Base(number, yaml, lexicon_yaml, None, None)
    placed = find_question(yaml, question_id)
    below = versions.grading_data.below[0].question(question_id)
    if placed is None and below is None:
        raise NotFoundError(f"there is no question {question_id!r}")
    if placed is not None and names_point(placed.data):
        says = f"{question_id!r} takes over general points, which the form has no field for"
        raise InvalidInputError(f"{says}; edit it as text")
    return _Base(number, yaml, lexicon_yaml, placed, below)


def _known(base: _Base) -> Question:
    assert base.below is not None  # otherwise _base would have refused
    return base.below


def _is_taken(versions: BankVersions, base: _Base, question_id: str) -> bool:
    below = versions.grading_data.below[0]
    return below.question(question_id) is not None or bool(find_question(base.yaml, question_id))


def _unchanged(base: _Base) -> str:
    """The text to compare with; for a question of the bank below, its copy."""
    if base.placed is not None or base.below is None:
        return base.yaml
    return put_question(base.yaml, wanted_of(form_of(data_of(base.below)), {}), base.role).text


def _is_overtaken(versions: BankVersions, base: _Base, question_id: str, based_on: str) -> bool:
    """Whether somebody else changed this question while it was edited."""
    if not based_on.isdecimal() or int(based_on[:10]) >= base.number:
        return False
    number = int(based_on[:10])
    was = find_question(versions.store.get(number).yaml, question_id) if number else None
    return (was and was.data) != (base.placed and base.placed.data)


def _with_faults(seen: _Seen, faults: list[Fault], written: EditedText) -> _Seen:
    """Each fault at its field, and separately those in other parts of the text."""
    errors: dict[str, list[str]] = {}
    others: list[str] = []
    for fault in faults:
        inside = fault.line is not None and written.first_line <= fault.line <= written.last_line
        at = field_id(fault.path)
        if fault.part == "bank" and inside and at:
            item = f"item {fault.path[3] + 1}: " if len(fault.path) > 3 else ""  # type: ignore[operator]
            if len(fault.path) == 2 and isinstance(fault.path[1], int):
                at, item = str(fault.path[0]), f"{fault.path[1] + 1}: "
            errors.setdefault(at, []).append(f"{item}{fault.says}")
        else:
            place = "" if fault.line is None else f"line {fault.line} of the text: "
            others.append(f"{place}{fault.text}")
    return replace(seen, errors=errors, others=tuple(others), checked=False)


def _row_after(do: str, typed: Typed) -> str:
    """The field that has the focus after rows changed."""
    what, _, place = do.partition("-")
    name, _, index = place.partition("-")
    rows = len(typed.rows.get(name, ()))
    if not rows:
        return f"add-{name}"
    first = ROWS[name][0]
    number = (
        rows - 1 if what == "add" else min(max(0, int(index[:4] or 0) - (what == "up")), rows - 1)
    )
    return f"{name}-{number}-{first}"


_LABELS: Final = {
    "prompt": "Question",
    "difficulty": "Level",
    "answer_seconds": "Seconds for an answer",
    "opens": "Opens rounds",
    "key_phrases": "Key phrases",
    "beats": "Parts of the answer",
    "probes": "Probes",
    "expects": "A good reply",
    "follow_up": "Follow-up question",
    "ask": "Follow-up question",
    "why": "Why it matters",
}
"""The form's names of fields that YAML names differently."""


def _label(name: str) -> str:
    part, _, rest = name.partition("-")
    if not rest:
        return _LABELS.get(name, name.replace("_", " ").capitalize())
    index, _, key = rest.partition("-")
    row = {"key_phrases": "Key phrase", "beats": "Part", "probes": "Probe"}[part]
    return f"{row} {int(index) + 1}, {_label(key).lower()}"


def _titled(guides: Sequence[RoundGuide | Signal]) -> list[tuple[str, str]]:
    """The names that a field of the form may contain, each with its title."""
    return [(each.id, each.title) for each in guides]


def _searched(question: Question) -> str:
    names = " ".join(each.phrase for each in question.key_phrases)
    return f"{question.id} {question.prompt} {question.topic} {names}".casefold()


def _form(
    visit: Visit,
    question_id: str | None,
    base: _Base,
    typed: Typed,
    note: str,
    seen: _Seen,
    status: int = 200,
    role: str | None = None,
) -> Response:
    bank, _ = _newest(visit.context.background.versions)
    role = role if role is not None else base.role
    roles = [each for each in bank.roles if role in (None, each.id)]
    known = {name for name in seen.errors if not _has_element(name, typed)}
    stray = tuple(f"{name}: {says}" for name in known for says in seen.errors[name])
    return visit.page(
        "bank/question_form.html",
        status,
        question_id=question_id,
        is_own=base.placed is not None,
        based_on=base.number,
        role=role,
        bank=bank,
        rounds=_titled(bank.rounds),
        signals=_titled(bank.signals),
        topics=sorted({topic for each in roles for topic in each.topics}),
        typed=typed,
        note=note,
        seen=seen,
        errors=seen.errors,
        label_of=_label,
        others=(*seen.others, *stray),
        max_rows=MAX_ROWS,
        max_note=MAX_NOTE_CHARS,
    )


def _has_element(name: str, typed: Typed) -> bool:
    part, _, rest = name.partition("-")
    if part in typed.rows and rest:
        index, _, key = rest.partition("-")
        rows = typed.rows[part]
        return index.isdecimal() and int(index) < len(rows) and key in rows[int(index)]
    return name in typed.texts or name in typed.choices or name in typed.rows
