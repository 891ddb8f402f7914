"""The review of one attempt, the same for a coach with an account and for one with a link.

An ``AttemptReview`` says who reviews which attempt, at which address, and what they may do;
``add_review_routes`` adds the page and its forms to a router.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Form, Path, Request
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.responses import RedirectResponse, Response

from server.attempts.service import Service
from server.contract import (
    CommentText,
    Criterion,
    LanguageRequest,
    NewComment,
    NewCorrection,
    NewRubricScore,
    PersonName,
    Transcript,
)
from server.core.access import Action
from server.core.errors import ConflictError, InvalidInputError, NotAllowedError
from server.review.models import Author, Rubric
from server.review.service import ReviewService
from server.ui.report_view import Sounds, view_report
from server.web.http.responses import Pages

LongField = Annotated[str, Form(max_length=20_000)]

_Short = Annotated[str, Field(max_length=300)]
_Long = Annotated[str, Field(max_length=20_000)]
_NAME: TypeAdapter[str] = TypeAdapter(PersonName)
_RUBRIC_PARTS = ("name", "what it means", "highest score")
_NO_TEXT = "write a comment of 1 to 5,000 characters"


def signature(name: str) -> str:
    """The name that somebody without an account signs with.

    Raises:
        InvalidInputError: it is not a valid one.
    """
    try:
        return _NAME.validate_python(name)
    except ValidationError:
        raise InvalidInputError("write your name, in one line of up to 80 characters") from None


class _Signed(BaseModel):
    """A form; people without an account sign it."""

    signed: _Short = ""


class TextForm(BaseModel):
    """A new text for a comment."""

    text: _Long = ""

    def edited(self) -> str:
        """The text.

        Raises:
            InvalidInputError: there is none, or it is too long.
        """
        try:
            return CommentText(text=lines_of(self.text)).text
        except ValidationError:
            raise InvalidInputError(_NO_TEXT) from None


class CommentForm(_Signed):
    """A comment with its place, or (with ``parent``) a reply to one."""

    text: _Long = ""
    kind: _Short = ""
    word_from: _Short = ""
    word_to: _Short = ""
    at_s: _Short = ""
    parent: _Short = ""
    external_id: _Short = ""

    def comment(self, new_id: Callable[[], str]) -> NewComment:
        """The comment.

        Raises:
            InvalidInputError: says in one line what is wrong.
        """
        given = self.model_dump(include={"word_from", "word_to", "at_s", "parent"})
        values = {name: value for name, value in given.items() if value}
        values |= {"kind": self.kind or "answer", "text": lines_of(self.text)}
        values["external_id"] = self.external_id or new_id()
        try:
            return NewComment.model_validate(values)
        except ValidationError as error:
            if any(each["loc"] == ("text",) for each in error.errors()):
                raise InvalidInputError(_NO_TEXT) from None
            raise InvalidInputError(
                "the place of the comment is not valid; select it again"
            ) from None


class CorrectionForm(_Signed):
    """A corrected verdict on a term or phrase."""

    target: _Short = ""
    name: _Short = ""
    word_index: _Short = ""
    verdict: _Short = ""
    note: _Long = ""
    external_id: _Short = ""

    def correction(self, new_id: Callable[[], str]) -> NewCorrection:
        """The correction.

        Raises:
            InvalidInputError: it is not a valid one.
        """
        values = {
            "target": self.target,
            "name": self.name,
            "word_index": self.word_index or None,
            "verdict": self.verdict,
            "note": lines_of(self.note).strip(),
            "external_id": self.external_id or new_id(),
        }
        try:
            return NewCorrection.model_validate(values)
        except ValidationError:
            raise InvalidInputError(
                "this is not a verdict on a term or phrase of the report"
            ) from None


class ScoresForm(_Signed):
    """Scores by the rubric, criterion by criterion; without a score a criterion stays open."""

    criterion: list[_Short] = Field(default=[], max_length=200)
    score: list[_Short] = Field(default=[], max_length=200)
    note: list[_Long] = Field(default=[], max_length=200)

    def typed(self) -> dict[str, tuple[str, str]]:
        """Score and note by criterion, as they were typed."""
        return {
            criterion: (score, note)
            for criterion, score, note in zip(self.criterion, self.score, self.note, strict=False)
        }

    def scores(self, new_id: Callable[[], str]) -> list[NewRubricScore]:
        """The scores that are given.

        Raises:
            InvalidInputError: a score is not a number, or a note is too long.
        """
        if not len(self.criterion) == len(self.score) == len(self.note):
            raise InvalidInputError("the form is incomplete; reload the page")
        given = []
        for criterion, (score, note) in self.typed().items():
            if not score.strip():
                continue
            values = {"criterion": criterion, "score": score, "note": lines_of(note).strip()}
            try:
                given.append(NewRubricScore.model_validate(values | {"external_id": new_id()}))
            except ValidationError:
                raise InvalidInputError(
                    f"{criterion[:80]!r} needs a whole number as score"
                ) from None
        return given


def rubric_from(text: str) -> Rubric:
    """A rubric from lines of ``name | what it means | highest score``.

    Raises:
        InvalidInputError: names the invalid line.
    """
    criteria = []
    for number, line in enumerate(lines_of(text).split("\n"), start=1):
        if not line.strip():
            continue
        parts = [each.strip() for each in line.split("|")]
        if len(parts) != len(_RUBRIC_PARTS):
            raise InvalidInputError(f"line {number} needs three parts: {' | '.join(_RUBRIC_PARTS)}")
        values = dict(zip(("name", "description", "scale"), parts, strict=True))
        try:
            criteria.append(Criterion.model_validate(values))
        except ValidationError as error:
            field = str(error.errors()[0]["loc"][0])
            means = {
                "name": "a name of 1 to 80 characters",
                "description": "an explanation of up to 300 characters",
                "scale": "a whole number from 1 to 100 as highest score",
            }[field]
            raise InvalidInputError(f"line {number} needs {means}") from None
    try:
        return Rubric(criteria=tuple(criteria))
    except ValidationError:
        raise InvalidInputError(
            "a rubric has up to 20 criteria, and no two of the same name"
        ) from None


def lines_of(text: str) -> str:
    """Normalizes line ends, because browsers send CR and LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


ExternalIdPath = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]


@dataclass(frozen=True)
class AttemptReview(ABC):
    """One attempt and one reviewer, whose access was checked when this was created.

    Attributes:
        own: the use cases over what belongs to the owner.
        pages: what renders the pages.
        reviews: the use cases.
        attempt_id: the attempt.
        address: the page's; the forms post to addresses below it.
        author: who reviews; a guest's name is known when they ``sign``.
        actions: what they may do to the attempt.
        turn: their turn at the threads that grade; those without an account have one together.
    """

    own: Service
    pages: Pages
    reviews: ReviewService
    attempt_id: int
    address: str
    author: Author
    actions: frozenset[Action]
    turn: Callable[[], AbstractAsyncContextManager[CapacityLimiter]]

    def demand(self, action: Action) -> None:
        """Refuses what this reviewer may not do.

        Raises:
            NotAllowedError: they may not.
        """
        if action not in self.actions:
            raise NotAllowedError(f"this account may not {action}")

    def sign(self, signed: str) -> Author:
        """The author of what a form contains.

        Raises:
            InvalidInputError: somebody without an account gave no name.
        """
        return self.author

    def sounds(self) -> Sounds:
        """The recording, if there is one that they may hear."""
        if Action.HEAR in self.actions and self.reviews.has_sound(self.attempt_id):
            return Sounds(recording_url=self.recording_url)
        return Sounds()

    @property
    @abstractmethod
    def recording_url(self) -> str:
        """Where the recording is."""

    @abstractmethod
    def rubric(self) -> Rubric:
        """What they score by."""

    @abstractmethod
    def values(self) -> dict[str, Any]:
        """Page values specific to this reviewer."""


def review_page(
    request: Request,
    review: AttemptReview,
    problem: InvalidInputError | ConflictError | None = None,
    *,
    comment: CommentForm | None = None,
    edited: dict[str, str] | None = None,
    scores: ScoresForm | None = None,
    correction: CorrectionForm | None = None,
) -> Response:
    """The page, with what was typed into a form that could not be stored.

    Args:
        request: the request.
        review: the reviewer and the attempt.
        problem: why it cannot be stored.
        comment: the form of a new comment or a reply.
        edited: the text of a comment that was changed, by its id.
        scores: the form of the rubric.
        correction: the form of a verdict.
    """
    archived = review.own.export_one(review.attempt_id).attempts[0]
    written = review.reviews.review(review.attempt_id)
    view = view_report(archived.report)
    given = review.reviews.scores_of(review.attempt_id, review.author)
    rubric = review.rubric()
    scores_problem = str(problem) if problem and scores else ""
    named = [each.name for each in rubric.criteria if each.name in scores_problem]
    page = review.pages.page(
        request,
        "coach/review.html",
        problem.status if problem else 200,
        base=review.address,
        question=archived.question,
        created_at=archived.submission.created_at,
        view=view,
        words=_words(view.report.transcript),
        sounds=review.sounds(),
        awaits_sound=Action.HEAR in review.actions
        and review.reviews.awaits_sound(review.attempt_id),
        review=written,
        own=written.by(review.author),
        no_account=written.without_account,
        can_review=Action.REVIEW in review.actions,
        rubric=rubric,
        given=given | (scores.typed() if scores else {}),
        typed=comment or CommentForm(external_id=review.author.new_id()),
        edited=edited or {},
        correction=correction or CorrectionForm(),
        new_id=review.author.new_id,
        problem=str(problem) if problem and not scores else None,
        scores_problem=scores_problem,
        wrong=max(named, key=len, default=None),  # "Pace" is in "Pace of the answer", too
        **review.values(),
    )
    page.headers["X-Robots-Tag"] = "noindex"
    return page


def add_review_routes(router: APIRouter, get_review: Callable[..., AttemptReview]) -> None:
    """The page at the router's own address, and its forms below it."""
    given: Any = Depends(get_review)

    @router.get("")
    def page(request: Request, review: AttemptReview = given) -> Response:
        """Show the attempt with everything that was written about it."""
        return review_page(request, review)

    @router.post("/language")
    async def language(review: AttemptReview = given) -> Response:
        """Have the English looked at, if nobody has yet; whoever reads the answer asks for it."""
        ask = partial(review.own.language, review.attempt_id, LanguageRequest())
        async with review.turn() as threads:
            await run_sync(ask, limiter=threads)
        return RedirectResponse(f"{review.address}#language", 303)

    @router.post("/comments")
    def comment(
        request: Request, form: Annotated[CommentForm, Form()], review: AttemptReview = given
    ) -> Response:
        """Store a comment or a reply to one."""
        review.demand(Action.COMMENT)
        try:
            author = review.sign(form.signed)
            wanted = form.comment(author.new_id)
            review.reviews.comment(review.attempt_id, author, wanted)
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, review, error, comment=form)
        return RedirectResponse(f"{review.address}#c-{wanted.external_id}", 303)

    @router.post("/comments/{external_id}/edit")
    def edit(
        request: Request,
        external_id: ExternalIdPath,
        form: Annotated[TextForm, Form()],
        review: AttemptReview = given,
    ) -> Response:
        """Change the text of your own comment."""
        review.demand(Action.COMMENT)
        try:
            review.reviews.edit(review.attempt_id, review.author, external_id, form.edited())
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, review, error, edited={external_id: form.text})
        return RedirectResponse(f"{review.address}#c-{external_id}", 303)

    @router.post("/comments/{external_id}/delete")
    def take_back(external_id: ExternalIdPath, review: AttemptReview = given) -> Response:
        """Delete your own comment."""
        review.demand(Action.COMMENT)
        review.reviews.take_back(review.attempt_id, review.author, external_id)
        return RedirectResponse(f"{review.address}#comments", 303)

    @router.post("/scores")
    def scores(
        request: Request, form: Annotated[ScoresForm, Form()], review: AttemptReview = given
    ) -> Response:
        """Store scores by the program's rubric."""
        review.demand(Action.REVIEW)
        try:
            author, rubric = review.sign(form.signed), review.rubric()
            review.reviews.score(review.attempt_id, author, form.scores(author.new_id), rubric)
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, review, error, scores=form)
        return RedirectResponse(f"{review.address}#rubric", 303)

    @router.post("/corrections")
    def correct(
        request: Request, form: Annotated[CorrectionForm, Form()], review: AttemptReview = given
    ) -> Response:
        """Store a correction of a verdict."""
        review.demand(Action.REVIEW)
        try:
            author = review.sign(form.signed)
            wanted = form.correction(author.new_id)
            report = review.own.attempt(review.attempt_id).report
            review.reviews.correct(review.attempt_id, author, wanted, report)
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, review, error, correction=form)
        return RedirectResponse(f"{review.address}#corrections", 303)

    @router.post("/corrections/{external_id}/delete")
    def take_back_correction(
        external_id: ExternalIdPath, review: AttemptReview = given
    ) -> Response:
        """Delete your own correction."""
        review.demand(Action.REVIEW)
        review.reviews.take_back_correction(review.attempt_id, review.author, external_id)
        return RedirectResponse(f"{review.address}#corrections", 303)


def _words(transcript: Transcript) -> list[str]:
    """The words as the page numbers them; a typed answer has no list of words."""
    return [each.text for each in transcript.words] or transcript.text.split()
