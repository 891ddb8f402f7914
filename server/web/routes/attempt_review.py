"""The review of one attempt, the same for a coach with an account and for one with a link.

An ``AttemptReview`` says who reviews which attempt, at which address, and what they may do;
``add_review_routes`` adds the page and its forms to a router.
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
from server.web.routes.review_forms import CommentForm, CorrectionForm, ScoresForm, TextForm

ExternalIdPath = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]


@dataclass(frozen=True)
class AttemptReview(ABC):
    """One attempt and one reviewer, whose access was checked when this was created.

    Attributes:
        context: what the routes share.
        reviews: the use cases.
        attempt_id: the attempt.
        owner_id: the owner's account.
        address: the page's; the forms post to addresses below it.
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
    service = review.context.service.of(review.owner_id)
    archived = service.export_one(review.attempt_id).attempts[0]
    written = review.reviews.review(review.attempt_id)
    view = view_report(archived.report)
    given = review.reviews.scores_of(review.attempt_id, review.author)
    rubric = review.rubric()
    scores_problem = str(problem) if problem and scores else ""
    named = [each.name for each in rubric.criteria if each.name in scores_problem]
    page = review.context.pages.page(
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
            report = review.context.service.of(review.owner_id).attempt(review.attempt_id).report
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
