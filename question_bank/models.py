"""The bank's frozen models: role, round, question, key phrase and so on."""

from functools import cached_property
from operator import not_
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from question_bank.errors import Fault, UnknownNameError, like_one_of

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]

RoundName = Literal["phone-screen", "coding", "system-design", "domain-deep-dive", "behavioral"]
SignalName = Literal[
    "hardware-awareness",
    "distributed-systems",
    "kubernetes",
    "cost-optimization",
    "debugging",
]
Kind = Literal["explain", "story", "design", "code", "introduction"]

# the kind of a round's questions, if the bank does not say
_KIND_OF_ROUND: dict[str, Kind] = {
    "behavioral": "story",
    "system-design": "design",
    "coding": "code",
}


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
    always mean the phrase.
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


class Beat(_Frozen):
    """A part that the answer to this one question needs, besides those of its kind.

    ``ask`` is the interviewer's question if it is missing; ``ways`` are sentences that say it.
    """

    name: Text
    ask: Text
    ways: tuple[Text, ...] = Field(min_length=1)


class Question(_Frozen):
    """One interview question with the answer a strong candidate would say.

    ``kind`` chooses the rubric; without it the round decides. ``opens`` are the rounds that begin
    with this question, in every role's interviews if it belongs to no role.

    ``role`` is filled in by the loader from the file that holds the question; it is ``None`` for a
    question of a personal bank that belongs to no role.
    """

    id: Slug
    role: Slug | None = None
    round: RoundName
    opens: tuple[RoundName, ...] = Field(default=(), exclude_if=not_)
    kind: Kind
    topic: Text
    signals: tuple[SignalName, ...] = ()
    difficulty: int = Field(default=3, ge=1, le=5)
    prompt: Text
    answer_seconds: int = Field(default=120, ge=10, le=1800)
    model_answer: Text
    key_phrases: tuple[KeyPhrase, ...] = Field(min_length=1)
    beats: tuple[Beat, ...] = ()

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

    def asked_in(self, role: str | None = None, round: RoundName | None = None) -> bool:
        """Whether an interview for this role (``None``: any) in this round (likewise) asks it."""
        for_role = role is None or self.role == role or (self.role is None and bool(self.opens))
        return for_role and (round is None or self.round == round or round in self.opens)


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
    """A role that people can rehearse for; what comes after the topics may be left out."""

    id: Slug
    title: Text
    summary: Text
    topics: tuple[Text, ...] = Field(min_length=1)
    spotlight: tuple[SpotlightTerm, ...] = ()
    vocabulary: tuple[VocabularyCategory, ...] = ()
    scenarios: tuple[Text, ...] = ()
    landscape: Landscape = Field(default_factory=Landscape)


class RoundGuide(_Frozen):
    """One of the five interview rounds."""

    id: RoundName
    title: Text
    minutes: tuple[int, int]
    tests: Text
    prepare: Text


class Signal(_Frozen):
    """One of the five signals that interviewers look for."""

    id: SignalName
    title: Text
    description: Text


class PlanWeek(_Frozen):
    """One week of the study plan."""

    week: int = Field(ge=1)
    title: Text
    focus: Text
    tasks: tuple[Text, ...] = Field(min_length=1)
    rounds: tuple[RoundName, ...] = ()


class Faq(_Frozen):
    """A frequent question with its answer, shown as a help text."""

    id: Slug
    question: Text
    answer: Text


class Bank(_Frozen):
    """The whole question bank. ``version`` is a digest of its content."""

    version: str
    roles: tuple[Role, ...]
    rounds: tuple[RoundGuide, ...]
    signals: tuple[Signal, ...]
    plan: tuple[PlanWeek, ...]
    help: tuple[Faq, ...]
    questions: tuple[Question, ...]

    def __copy__(self) -> Self:
        """Without the indexes, because a copy can get other questions."""
        copied = super().__copy__()
        for name in ("_by_id", "_by_role"):
            copied.__dict__.pop(name, None)
        return copied

    @cached_property
    def _by_id(self) -> dict[str, Question]:
        return {question.id: question for question in reversed(self.questions)}

    @cached_property
    def _by_role(self) -> dict[str, tuple[Question, ...]]:
        """What is asked in the interviews of each role, in the bank's order."""
        found: dict[str, list[Question]] = {role.id: [] for role in self.roles}
        for question in self.questions:
            for role in found if question.role is None else (question.role,):
                if role in found and question.asked_in(role):
                    found[role].append(question)
        return {role: tuple(questions) for role, questions in found.items()}

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
            UnknownNameError: there is no such role.
        """
        there = self.questions if role is None else self._by_role.get(role)
        if there is None:
            known = ", ".join(each.id for each in self.roles)
            raise UnknownNameError(Fault(f"the bank has no role {role!r}; it has {known}"))
        return tuple(
            question
            for question in there
            if question.asked_in(round=round)
            and (topic is None or question.topic.casefold() == topic.casefold())
        )

    def role(self, role_id: str) -> Role | None:
        return next((r for r in self.roles if r.id == role_id), None)
