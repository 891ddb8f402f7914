"""The wire models of sharing and coaching: shares, links, recordings, comments, scores, verdicts.

``external_id`` identifies a comment, score or correction across all databases and files. Its author
chooses it, so sending or merging the same one again changes nothing. Word numbers point into the
transcript's words.
"""

from datetime import UTC, datetime
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints, model_validator

from server.contract.transcript import MAX_WORDS, AttemptId, Wire

MAX_COMMENT_CHARS: Final = 5_000
MAX_LINK_DAYS: Final = 90
MAX_SCORE: Final = 100
MAX_OF_ONE_ATTEMPT: Final = 2_000
"""The most comments, scores or corrections of one attempt: a remark on every third word of ten
minutes."""


def _within_the_calendar(value: datetime) -> datetime:
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise ValueError("the time lies outside the calendar") from None
    return value


Instant = Annotated[AwareDatetime, AfterValidator(_within_the_calendar)]
"""A time that somebody else wrote down, and that the database can keep."""

Id = Annotated[int, Field(ge=1, le=2**63 - 1)]
ExternalId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
InterviewId = ExternalId
WordNumber = Annotated[int, Field(ge=0, lt=MAX_WORDS)]
Seconds = Annotated[float, Field(ge=0, le=24 * 3600, allow_inf_nan=False)]
# PostgreSQL cannot store NUL in text
Text = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=MAX_COMMENT_CHARS, pattern=r"^[^\x00]*$"
    ),
]
Note = Annotated[str, StringConstraints(max_length=MAX_COMMENT_CHARS, pattern=r"^[^\x00]*$")]
PersonName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$"
    ),
]
"""How somebody without an account signs what they write."""

CommentKind = Literal["word", "span", "moment", "answer"]
TermOrPhrase = Literal["term", "phrase"]


class ShareRequest(Wire):
    """Show an attempt, or an interview, to a cohort's coaches or (no cohort) by links only.

    ``attempt_ids``: the interview's answers, which tell the server which attempts belong together.
    """

    attempt_id: AttemptId | None = None
    interview_id: InterviewId | None = None
    attempt_ids: Annotated[tuple[AttemptId, ...], Field(max_length=200)] = ()
    cohort_id: Id | None = None
    with_audio: bool = False

    @model_validator(mode="after")
    def _one_object(self) -> Self:
        if (self.attempt_id is None) == (self.interview_id is None):
            raise ValueError("name exactly one of attempt_id and interview_id")
        if self.attempt_ids and self.interview_id is None:
            raise ValueError("attempt_ids go with an interview_id")
        return self


class LinkRequest(Wire):
    """A link for somebody without an account; ``label`` helps its owner recognize it."""

    label: PersonName
    days: int = Field(default=14, ge=1, le=MAX_LINK_DAYS)


class ShareLink(Wire):
    """A link as its owner sees it later, without its secret."""

    id: int
    label: str
    created_at: AwareDatetime
    expires_at: AwareDatetime
    revoked_at: AwareDatetime | None = None
    last_used_at: AwareDatetime | None = None


class NewShareLink(Wire):
    """A new link; ``path`` contains its secret and is shown only once."""

    link: ShareLink
    path: str


class Shared(Wire):
    """One share that is not revoked. ``cohort`` is ``None`` if only links show it."""

    id: int
    attempt_id: int | None
    interview_id: str | None
    cohort_id: int | None
    cohort: str | None
    with_audio: bool
    created_at: AwareDatetime
    links: tuple[ShareLink, ...] = ()


class ShareCohort(Wire):
    """A cohort its candidate can share with; ``audio_days``: how long it keeps recordings."""

    id: int
    name: str
    audio_days: int | None = None


class Recording(Wire):
    """The recording of an attempt as the server keeps it, re-encoded."""

    attempt_id: int
    media_type: Literal["audio/flac", "audio/ogg"]
    duration_s: float
    size_bytes: int
    uploaded_at: AwareDatetime
    expires_at: AwareDatetime | None = None


class Preparing(Wire):
    """A recording that has arrived and cannot be heard yet, or not at all.

    ``done_s`` of ``total_s`` (0 until known) are encoded; ``problem`` is one line for its owner, if
    the upload failed.
    """

    job_id: int
    state: Literal["queued", "running", "failed"]
    done_s: int = 0
    total_s: int = 0
    problem: str | None = None


class Sharing(Wire):
    """What its owner shows of one attempt, and may show it to.

    ``preparing``: the last upload, while it is being encoded or if it failed. ``wants_audio``: a
        share says "with audio", but there is no recording and none on its way.
    """

    attempt_id: int
    interview_id: str | None = None
    shares: tuple[Shared, ...] = ()
    cohorts: tuple[ShareCohort, ...] = ()
    recording: Recording | None = None
    preparing: Preparing | None = None
    wants_audio: bool = False


class _Place(Wire):
    """What a comment is about: a word, a span (both ends included), a moment, the whole answer."""

    kind: CommentKind = "answer"
    word_from: WordNumber | None = None
    word_to: WordNumber | None = None
    at_s: Seconds | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        given = (self.word_from is not None, self.word_to is not None, self.at_s is not None)
        wanted = {
            "word": (True, False, False),
            "span": (True, True, False),
            "moment": (False, False, True),
            "answer": (False, False, False),
        }[self.kind]
        if given != wanted:
            raise ValueError(
                "a word has word_from, a span word_from and word_to, a moment at_s, "
                "a comment on the whole answer none of them"
            )
        if (
            self.word_from is not None
            and self.word_to is not None
            and self.word_to < self.word_from
        ):
            raise ValueError("the span ends before it starts")
        return self


class NewComment(_Place):
    """A comment, or with ``parent`` a reply to one, which takes that one's place in the answer."""

    external_id: ExternalId
    parent: ExternalId | None = None
    text: Text

    @model_validator(mode="after")
    def _answers_stand_nowhere_else(self) -> Self:
        if self.parent is not None and self.kind != "answer":
            raise ValueError("a reply to a comment has no place of its own")
        if self.parent == self.external_id:
            raise ValueError("a comment cannot reply to itself")
        return self


class CommentText(Wire):
    """A new text for one's comment."""

    text: Text


class Comment(NewComment):
    """A comment as it is read.

    ``by_owner``: written by the answer's owner; ``no_account``: by somebody without an account,
        through a link or in a file, so the owner may delete it.
    """

    author: PersonName
    by_owner: bool = False
    no_account: bool = False
    created_at: Instant
    edited_at: Instant | None = None


class NewRubricScore(Wire):
    """What a reviewer gives for one criterion of the rubric."""

    external_id: ExternalId
    criterion: Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\x00]*$")]
    score: int = Field(ge=0, le=MAX_SCORE)
    note: Note = ""


class RubricScore(NewRubricScore):
    """A score as it is read."""

    author: PersonName
    created_at: Instant


class NewCorrection(Wire):
    """A correction of a wrong verdict on a term's pronunciation or a phrase's coverage.

    ``word_index``: the first word of the place; ``None``: every place.
    """

    external_id: ExternalId
    target: TermOrPhrase
    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
    word_index: WordNumber | None = None
    verdict: Literal["correct", "mispronounced", "unclear", "covered", "partial", "missing"]
    note: Note = ""

    @model_validator(mode="after")
    def _verdict_of_its_target(self) -> Self:
        of_term = self.verdict in ("correct", "mispronounced", "unclear")
        if of_term != (self.target == "term"):
            raise ValueError(f"{self.verdict!r} is not a verdict on a {self.target}")
        return self


class Correction(NewCorrection):
    """A correction as it is read; ``by_owner``: the candidate answered "Did you mean …?"."""

    author: PersonName
    by_owner: bool = False
    created_at: Instant


class Criterion(Wire):
    """One criterion of a program's rubric; scores go from 0 to ``scale``."""

    name: Annotated[
        str,
        StringConstraints(
            strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[^\x00-\x1f|]*$"
        ),
    ]
    description: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=300, pattern=r"^[^\x00-\x1f|]*$")
    ] = ""
    scale: int = Field(default=5, ge=1, le=MAX_SCORE)


class ReviewDocument(Wire):
    """What was written about one attempt, as a file or an answer of the API.

    ``submission_id`` identifies the attempt across all databases. ``criteria`` are those of its
    owner's cohorts, for reviewers who score in a file; merging stores the scores, not the criteria.
    """

    format: Literal["aloud-review"] = "aloud-review"
    schema_version: Literal[1] = 1
    submission_id: ExternalId
    comments: Annotated[tuple[Comment, ...], Field(max_length=MAX_OF_ONE_ATTEMPT)] = ()
    scores: Annotated[tuple[RubricScore, ...], Field(max_length=MAX_OF_ONE_ATTEMPT)] = ()
    corrections: Annotated[tuple[Correction, ...], Field(max_length=MAX_OF_ONE_ATTEMPT)] = ()
    criteria: Annotated[tuple[Criterion, ...], Field(max_length=200)] = ()


class MergedReview(Wire):
    """What merging a document changed: new comments, how many new scores and corrections.

    ``known``: how many of all three were already stored; they stay as they are.
    """

    attempt_id: int
    added: tuple[Comment, ...] = ()
    scores: int = 0
    corrections: int = 0
    known: int = 0
