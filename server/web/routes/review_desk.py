"""The review of one attempt, the same for a coach with an account and for one with a link.

A ``Desk`` says who reviews what, from where, and what they may; ``add_review_routes`` adds the page
and its forms to a router.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from server.contract import Transcript
from server.core.access import Action
from server.core.errors import ConflictError, InvalidInputError, NotAllowedError
from server.review.models import Author, Rubric
from server.review.service import ReviewService
from server.ui.report_view import Sounds, view_report
from server.web.http.context import Context
from server.web.http.gate import AppContext
from server.web.routes.review_forms import CommentForm, CorrectionForm, ScoresForm, TextForm

__all__ = ["Desk", "ExternalIdPath", "Reviews", "add_review_routes", "review_page"]

ExternalIdPath = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]


def _reviews(context: AppContext) -> ReviewService:
    return ReviewService(context.service.database)


Reviews = Annotated[ReviewService, Depends(_reviews)]
"""The use cases of coaching."""


@dataclass(frozen=True)
class Desk(ABC):
    """One attempt before one reviewer, who may read it: that was asked when the desk was made.

    Attributes:
        context: what the routes share.
        reviews: the use cases.
        attempt_id: the attempt.
        owner_id: whose it is.
        address: of the page; the forms go to addresses below it.
        author: who reviews; a guest's name is known when they ``sign``.
        actions: what they may do to the attempt.
    """

    context: Context
    reviews: ReviewService
    attempt_id: int
    owner_id: int | None
    address: str
    author: Author
    actions: frozenset[Action]

    def demand(self, action: Action) -> None:
        """Refuses what this reviewer may not do.

        Raises:
            NotAllowedError: they may not.
        """
        if action not in self.actions:
            raise NotAllowedError(f"this account may not {action}")

    def sign(self, signed: str) -> Author:
        """Who writes what a form brings.

        Raises:
            InvalidInputError: somebody without an account gave no name.
        """
        return self.author

    def sounds(self) -> Sounds:
        """The recording, where there is one that they may hear."""
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
        """What the page has for this reviewer only."""


def review_page(
    request: Request,
    desk: Desk,
    problem: InvalidInputError | ConflictError | None = None,
    *,
    comment: CommentForm | None = None,
    edited: dict[str, str] | None = None,
    scores: ScoresForm | None = None,
    correction: CorrectionForm | None = None,
) -> Response:
    """The page, with what was typed into a form that cannot be kept as it is.

    Args:
        request: what is answered.
        desk: who looks at what.
        problem: why it cannot be kept.
        comment: the form of a new comment or of an answer to one.
        edited: the text of a comment that was changed, by its id.
        scores: the form of the rubric.
        correction: the form of a verdict.
    """
    service = desk.context.service.of(desk.owner_id)
    archived = service.export_one(desk.attempt_id).attempts[0]
    review = desk.reviews.review(desk.attempt_id)
    view = view_report(archived.report)
    given = desk.reviews.scores_of(desk.attempt_id, desk.author)
    page = desk.context.pages.page(
        request,
        "coach/review.html",
        problem.status if problem else 200,
        base=desk.address,
        question=archived.question,
        created_at=archived.submission.created_at,
        view=view,
        words=_words(view.report.transcript),
        sounds=desk.sounds(),
        awaits_sound=Action.HEAR in desk.actions and desk.reviews.awaits_sound(desk.attempt_id),
        review=review,
        own=review.by(desk.author),
        no_account=review.without_account,
        can_review=Action.REVIEW in desk.actions,
        rubric=desk.rubric(),
        given=given | (scores.typed() if scores else {}),
        typed=comment or CommentForm(external_id=desk.author.new_id()),
        edited=edited or {},
        correction=correction or CorrectionForm(),
        new_id=desk.author.new_id,
        problem=str(problem) if problem else None,
        **desk.values(),
    )
    page.headers["X-Robots-Tag"] = "noindex"
    return page


def add_review_routes(router: APIRouter, get_desk: Callable[..., Desk]) -> None:
    """The page at the router's own address, and its forms below it."""
    given: Any = Depends(get_desk)

    @router.get("")
    def page(request: Request, desk: Desk = given) -> Response:
        """Show the attempt with everything that was written about it."""
        return review_page(request, desk)

    @router.post("/comments")
    def comment(
        request: Request, form: Annotated[CommentForm, Form()], desk: Desk = given
    ) -> Response:
        """Keep a comment or an answer to one."""
        desk.demand(Action.COMMENT)
        try:
            author = desk.sign(form.signed)
            wanted = form.comment(author.new_id)
            desk.reviews.comment(desk.attempt_id, author, wanted)
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, desk, error, comment=form)
        return RedirectResponse(f"{desk.address}#c-{wanted.external_id}", 303)

    @router.post("/comments/{external_id}/edit")
    def edit(
        request: Request,
        external_id: ExternalIdPath,
        form: Annotated[TextForm, Form()],
        desk: Desk = given,
    ) -> Response:
        """Give one's own comment another text."""
        desk.demand(Action.COMMENT)
        try:
            desk.reviews.edit(desk.attempt_id, desk.author, external_id, form.edited())
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, desk, error, edited={external_id: form.text})
        return RedirectResponse(f"{desk.address}#c-{external_id}", 303)

    @router.post("/comments/{external_id}/delete")
    def take_back(external_id: ExternalIdPath, desk: Desk = given) -> Response:
        """Take one's own comment back."""
        desk.demand(Action.COMMENT)
        desk.reviews.take_back(desk.attempt_id, desk.author, external_id)
        return RedirectResponse(f"{desk.address}#comments", 303)

    @router.post("/scores")
    def scores(
        request: Request, form: Annotated[ScoresForm, Form()], desk: Desk = given
    ) -> Response:
        """Keep scores by the programme's rubric."""
        desk.demand(Action.REVIEW)
        try:
            author, rubric = desk.sign(form.signed), desk.rubric()
            desk.reviews.score(desk.attempt_id, author, form.scores(author.new_id), rubric)
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, desk, error, scores=form)
        return RedirectResponse(f"{desk.address}#rubric", 303)

    @router.post("/corrections")
    def correct(
        request: Request, form: Annotated[CorrectionForm, Form()], desk: Desk = given
    ) -> Response:
        """Keep that a verdict is wrong."""
        desk.demand(Action.REVIEW)
        try:
            author = desk.sign(form.signed)
            wanted = form.correction(author.new_id)
            report = desk.context.service.of(desk.owner_id).attempt(desk.attempt_id).report
            desk.reviews.correct(desk.attempt_id, author, wanted, report)
        except (InvalidInputError, ConflictError) as error:
            return review_page(request, desk, error, correction=form)
        return RedirectResponse(f"{desk.address}#corrections", 303)

    @router.post("/corrections/{external_id}/delete")
    def take_back_correction(external_id: ExternalIdPath, desk: Desk = given) -> Response:
        """Take one's own correction back."""
        desk.demand(Action.REVIEW)
        desk.reviews.take_back_correction(desk.attempt_id, desk.author, external_id)
        return RedirectResponse(f"{desk.address}#corrections", 303)


def _words(transcript: Transcript) -> list[str]:
    """As the page numbers them: a typed answer has no list of its own."""
    return [each.text for each in transcript.words] or transcript.text.split()
