"""The bank's frozen models: role, round, question, key phrase and so on."""

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from operator import not_
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    StringConstraints,
    field_validator,
    model_validator,
)

from question_bank.errors import Fault, UnknownNameError, like_one_of

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]

RoundName = Slug
SignalName = Slug
Kind = Literal["explain", "story", "design", "code", "introduction"]
ABOUT_ONESELF: Final = frozenset[Kind](("story", "introduction"))
"""Nobody but the candidate knows what is true, and the points fit many questions."""

# the kind of a round's questions, if neither they nor the round say
_KIND_OF_ROUND: dict[str, Kind] = {
    "behavioral": "story",
    "system-design": "design",
    "coding": "code",
}

EVERYONE: Final = "everyone"
"""The ``field`` of a question that is asked in the interviews of each field."""


def round_text(name: RoundName) -> str:
    """A round's name as people read it: ``Phone screen``."""
    return name.replace("-", " ").capitalize()


class _Frozen(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,  # most are validated only as parts of a bank
    )


class KeyPhrase(_Frozen):
    """A concept that a listener waits for in a good answer.

    ``aliases`` are other names for it, ``any_of`` names of other concepts that serve this answer
    equally well, ``ways`` sentences that say it without the term, and ``not_`` (``not`` in YAML)
    sentences that look like it but are something else. ``formerly`` has names from earlier versions
    of the bank; answers are not searched for them, but candidates' own aliases may be filed under
    them. ``own`` are the aliases that the candidate added, which are also in ``aliases``; they
    always mean the phrase. In YAML, a plain string is a phrase without the rest.
    """

    phrase: Text
    formerly: tuple[Text, ...] = Field(default=(), exclude_if=not_)
    own: tuple[Text, ...] = Field(default=(), exclude_if=not_)
    aliases: tuple[Text, ...] = ()
    any_of: tuple[Text, ...] = ()
    ways: tuple[Text, ...] = ()
    not_: tuple[Text, ...] = Field(default=(), alias="not")
    why: str = ""
    follow_up: str = ""
    weight: float = Field(default=1.0, gt=0, le=10)

    @model_validator(mode="before")
    @classmethod
    def _plain_phrase(cls, data: Any) -> Any:
        return {"phrase": data} if isinstance(data, str) else data


class Beat(_Frozen):
    """A part that the answer to this one question needs, besides those of its kind.

    ``ask`` is the interviewer's question if it is missing; ``ways`` are sentences that say it.
    """

    name: Text
    ask: Text
    ways: tuple[Text, ...] = Field(min_length=1)


class Probe(_Frozen):
    """What an expert asks after a good answer, and in one sentence what a good reply to it has."""

    ask: Annotated[Text, StringConstraints(max_length=300)]
    expects: Annotated[Text, StringConstraints(max_length=300)]

    @field_validator("ask")
    @classmethod
    def _is_a_sentence(cls, ask: str) -> str:
        if not ask.endswith(("?", ".")):
            raise ValueError("must be a question or a request, and end with '?' or '.'")
        return ask


class Question(_Frozen):
    """One interview question with the answer a strong candidate would say.

    ``kind`` chooses the rubric; without it the round decides. ``opens`` are the rounds that begin
    with this question, in the interviews of every role if it belongs to no role.

    ``reviewed`` is the day on which somebody last read it for whether it is still true. ``snippet``
    is code that the prompt is about, which is shown and not spoken. ``sources`` say where its facts
    are from: a title, with an address if there is one. ``probes``: the most serious gap first.

    ``role`` is filled in by the loader from the file that holds the question. Without one, the
    question belongs to all roles of its ``field`` (of each field: ``everyone``); without either, to
    a personal bank.
    """

    id: Slug
    role: Slug | None = None
    field: Slug | None = Field(default=None, exclude_if=not_)
    round: RoundName
    opens: tuple[RoundName, ...] = Field(default=(), exclude_if=not_)
    kind: Kind
    topic: Text
    signals: tuple[SignalName, ...] = ()
    difficulty: int = Field(default=3, ge=1, le=5)
    reviewed: date | None = Field(default=None, exclude_if=not_)
    prompt: Text
    snippet: str = Field(default="", exclude_if=not_)
    answer_seconds: int = Field(default=120, ge=10, le=1800)
    model_answer: Text
    sources: tuple[Text, ...] = Field(default=(), exclude_if=not_)
    key_phrases: tuple[KeyPhrase, ...] = Field(min_length=1)
    beats: tuple[Beat, ...] = ()
    probes: tuple[Probe, ...] = Field(default=(), max_length=5, exclude_if=not_)

    @model_validator(mode="before")
    @classmethod
    def _kind_of_round(cls, data: Any) -> Any:
        if isinstance(data, dict) and "kind" not in data:
            return {**data, "kind": _KIND_OF_ROUND.get(str(data.get("round")), "explain")}
        return data

    @property
    def full_text(self) -> str:
        """The whole text of the question, which names the terms that it is about."""
        names = [name for each in self.key_phrases for name in (each.phrase, *each.aliases)]
        return " , ".join([self.prompt, self.model_answer, *names])

    def in_round(self, round: RoundName) -> bool:
        """Whether interviews in this round ask it."""
        return self.round == round or round in self.opens


class SpotlightTerm(_Frozen):
    """A term every holder of the role should know, with a definition and an example sentence."""

    term: Text
    definition: Text
    example: Text


class VocabularyCategory(_Frozen):
    """The role's vocabulary under one heading."""

    category: Text
    terms: tuple[Text, ...] = Field(min_length=1)


class Responsibility(_Frozen):
    """An area of work with what it involves and the tools it takes."""

    area: Text
    involves: Text
    tools: tuple[Text, ...]


class Employers(_Frozen):
    """A group of employers that hire for the role, and what they need."""

    category: Text
    companies: tuple[Text, ...] = Field(min_length=1)
    needs: Text


class SalaryBand(_Frozen):
    """Yearly pay for one level, in thousands of US dollars (``None``: open-ended)."""

    level: Text
    base_usd_k: tuple[int, int | None]
    total_usd_k: tuple[int, int | None]
    notes: str = ""


class Landscape(_Frozen):
    """The labor market around a role: the work, the employers, the pay; all of it optional."""

    responsibilities: tuple[Responsibility, ...] = ()
    employers: tuple[Employers, ...] = ()
    salaries: tuple[SalaryBand, ...] = ()
    salary_year: int | None = None


class Role(_Frozen):
    """A role that people can rehearse for; what comes after the topics may be left out.

    A role without a ``field`` is a field of its own.
    """

    id: Slug
    field: Slug | None = Field(default=None, exclude_if=not_)
    title: Text
    summary: Text
    topics: tuple[Text, ...] = Field(min_length=1)
    spotlight: tuple[SpotlightTerm, ...] = ()
    vocabulary: tuple[VocabularyCategory, ...] = ()
    scenarios: tuple[Text, ...] = ()
    landscape: Landscape = Field(default_factory=Landscape)


def _titled(data: Any) -> Any:
    """A plain name as an entry; an entry without a title gets one from its name."""
    data = {"id": data} if isinstance(data, str) else data
    if isinstance(data, dict) and "title" not in data and isinstance(data.get("id"), str):
        return {**data, "title": round_text(data["id"])}
    return data


class RoundGuide(_Frozen):
    """An interview round. ``kind`` is that of its questions which do not say their own.

    In YAML, a plain name is a round of the bank below or of ``rounds.yaml``, with its texts.
    """

    id: RoundName
    title: Text
    minutes: tuple[PositiveInt, PositiveInt] = (30, 45)
    tests: str = ""
    prepare: str = ""
    kind: Kind | None = Field(default=None, exclude_if=not_)

    _titled = model_validator(mode="before")(_titled)


class Signal(_Frozen):
    """Something that interviewers of a field look for in an answer."""

    id: SignalName
    title: Text
    description: str = ""

    _titled = model_validator(mode="before")(_titled)


class PlanWeek(_Frozen):
    """One week of the study plan."""

    week: int = Field(ge=1)
    title: Text
    focus: Text
    tasks: tuple[Text, ...] = Field(min_length=1)
    rounds: tuple[RoundName, ...] = ()


class FieldOfWork(_Frozen):
    """What the roles of one field share: interviews and plans draw on nothing else.

    Attributes:
        rounds: of its interviews, in their order.
        signals: what its interviewers look for.
        plan: how to prepare; without one, the bank's plan for everybody.
    """

    id: Slug
    title: Text
    summary: str = ""
    rounds: tuple[RoundGuide, ...] = ()
    signals: tuple[Signal, ...] = ()
    plan: tuple[PlanWeek, ...] = ()


class Faq(_Frozen):
    """A frequent question with its answer, shown as a help text."""

    id: Slug
    question: Text
    answer: Text


class Bank(_Frozen):
    """The whole question bank.

    Attributes:
        version: a digest of the content.
        fields: the fields of work; ``field_of`` gives that of a role.
        rounds: every round by id, with the text for everybody where a field has its own too.
        signals: every signal, likewise.
        plan: for roles whose field has none.
    """

    version: str
    fields: tuple[FieldOfWork, ...] = Field(default=(), exclude_if=not_)
    roles: tuple[Role, ...]
    rounds: tuple[RoundGuide, ...]
    signals: tuple[Signal, ...]
    plan: tuple[PlanWeek, ...]
    help: tuple[Faq, ...]
    questions: tuple[Question, ...]

    def __copy__(self) -> Self:
        """Without the indexes, because a copy can get other questions."""
        copied = super().__copy__()
        for name in ("_by_id", "_by_role", "_fields"):
            copied.__dict__.pop(name, None)
        return copied

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {question.id: question for question in reversed(self.questions)}

    @cached_property
    def _by_role(self) -> dict[str, tuple[Question, ...]]:
        """What is asked in the interviews of each role, openers first, else in the bank's order."""
        opened = {each.field for each in self.questions if each.role is None and each.opens}
        ordered = sorted(self.questions, key=lambda each: not each.opens)
        return {
            role.id: tuple(
                each
                for each in ordered
                if each.role == role.id
                or (
                    each.role is None
                    and (
                        role.field is not None and each.field in (role.field, EVERYONE)
                        if each.field
                        else each.opens and (role.field is None or role.field not in opened)
                    )
                )
            )
            for role in self.roles
        }

    @cached_property
    def _fields(self) -> dict[str, FieldOfWork]:
        """The field of each role, with all rounds and signals of its questions."""
        declared = {each.id: each for each in self.fields}
        return {
            role.id: self._completed(
                declared.get(role.field or "") or FieldOfWork(id=role.id, title=role.title),
                [
                    each
                    for each in self._by_role[role.id]
                    if each.role or each.field == role.field is not None
                ],
            )
            for role in self.roles
        }

    def _completed(self, field: FieldOfWork, questions: Sequence[Question]) -> FieldOfWork:
        rounds = {each.round for each in questions} - {each.id for each in field.rounds}
        signals = {name for each in questions for name in each.signals}
        signals -= {each.id for each in field.signals}
        complete = field.model_copy(
            update={
                "rounds": (*field.rounds, *(each for each in self.rounds if each.id in rounds)),
                "signals": (*field.signals, *(each for each in self.signals if each.id in signals)),
            }
        )
        if field.plan:
            return complete
        held = {each.id for each in complete.rounds}
        weeks = (
            week.model_copy(update={"rounds": tuple(name for name in week.rounds if name in held)})
            for week in self.plan
        )
        return complete.model_copy(update={"plan": tuple(weeks)})

    def question(self, question_id: str) -> Question | None:
        return self._by_id.get(question_id)

    def known_question(self, question_id: str) -> Question:
        """The question with this id.

        Raises:
            UnknownNameError: there is none.
        """
        found = self.question(question_id)
        if found is None:
            near = like_one_of(question_id, (each.id for each in self.questions))
            hint = near or "; `aloud bank list` lists them"
            raise UnknownNameError(Fault(f"the bank has no question {question_id!r}{hint}"))
        return found

    def asked(
        self, *, role: str | None = None, round: RoundName | None = None, topic: str | None = None
    ) -> tuple[Question, ...]:
        """The questions of one role, round or topic (ignoring case), if given.

        Raises:
            UnknownNameError: there is no such role or round.
        """
        there = self.questions if role is None else self._by_role.get(role)
        if there is None:
            known = ", ".join(each.id for each in self.roles)
            raise UnknownNameError(Fault(f"the bank has no role {role!r}; it has {known}"))
        if round is not None and all(each.id != round for each in self.rounds):
            guides = self.rounds if role is None else self.field_of(role).rounds
            known = ", ".join(each.id for each in guides)
            raise UnknownNameError(Fault(f"the bank has no round {round!r}; it has {known}"))
        return tuple(
            question
            for question in there
            if (round is None or question.in_round(round))
            and (topic is None or question.topic.casefold() == topic.casefold())
        )

    def role(self, role_id: str) -> Role | None:
        return next((r for r in self.roles if r.id == role_id), None)

    def field_of(self, role_id: str) -> FieldOfWork:
        """The field of a role.

        Raises:
            UnknownNameError: there is no such role.
        """
        self.asked(role=role_id)
        return self._fields[role_id]

    def roles_by_field(self) -> dict[str, list[Role]]:
        """The roles by the title of their field; those without one come last."""
        titles = {each.id: each.title for each in self.fields}
        groups: dict[str, list[Role]] = {title: [] for title in (*titles.values(), "Other roles")}
        for role in self.roles:
            groups[titles.get(role.field or "", "Other roles")].append(role)
        return {title: roles for title, roles in groups.items() if roles}

    def related(self, role_id: str) -> tuple[Question, ...]:
        """The questions of all roles of a role's field, and those of nobody in particular."""
        field = self.field_of(role_id).id
        asked = {each.id for each in self._by_role[role_id]}
        return tuple(
            each
            for each in self.questions
            if each.id in asked
            or (each.role is None and each.field is None and not each.opens)
            or (each.role is not None and self._fields[each.role].id == field)
        )
