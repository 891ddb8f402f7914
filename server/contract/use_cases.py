"""What a client asks of a server: the address and the reply of each use case, declared once.

The routes serve these (``served`` in ``server.web.http.context``); ``RemoteBackend`` asks for them.
"""

from dataclasses import dataclass
from types import NoneType
from typing import Final, Generic, Literal, TypeVar

from question_bank.models import Bank, Question
from server.contract.answers import (
    Archive,
    Attempt,
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQueue,
    HistoryPage,
    ImportResult,
    PurgeResult,
    RegradeResult,
    ReviewedDrill,
)
from server.contract.coaching import MergedReview, ReviewDocument
from server.contract.report import Report

T = TypeVar("T")


@dataclass(frozen=True)
class UseCase(Generic[T]):
    """One thing to ask for.

    Attributes:
        verb: of the request.
        path: below ``/api/v1``; names in braces are filled in.
        reply: the wire model of the reply.
        status: of the reply.
    """

    verb: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    reply: type[T]
    status: int = 200


BANK: Final = UseCase("GET", "/bank", Bank)
QUESTIONS: Final = UseCase("GET", "/bank/questions", tuple[Question, ...])
QUESTION: Final = UseCase("GET", "/bank/questions/{question_id}", Question)

GRADE: Final = UseCase("POST", "/grade", Report)
SUBMIT: Final = UseCase("POST", "/attempts", Attempt, 201)
HISTORY: Final = UseCase("GET", "/attempts", HistoryPage)
ATTEMPT: Final = UseCase("GET", "/attempts/{attempt_id}", Attempt)
CONFIRM: Final = UseCase("PUT", "/attempts/{attempt_id}/meant", Attempt)
LANGUAGE: Final = UseCase("PUT", "/attempts/{attempt_id}/language", Attempt)
SAID_RIGHT: Final = UseCase("PUT", "/attempts/{attempt_id}/said-right", Attempt)
FOLLOW_UP: Final = UseCase("POST", "/attempts/{attempt_id}/follow-ups", Attempt)
REVISE: Final = UseCase("PUT", "/attempts/{attempt_id}/transcript", Attempt)
DELETE: Final = UseCase("DELETE", "/attempts/{attempt_id}", NoneType, 204)
PURGE: Final = UseCase("POST", "/purge", PurgeResult)
REGRADE: Final = UseCase("POST", "/regrade", RegradeResult)
EXPORT: Final = UseCase("GET", "/archive", Archive)
EXPORT_ONE: Final = UseCase("GET", "/attempts/{attempt_id}/archive", Archive)
IMPORT: Final = UseCase("POST", "/archive", ImportResult)

REVIEW_DRILL: Final = UseCase("POST", "/drills/reviews", ReviewedDrill, 201)
DRILL_QUEUE: Final = UseCase("GET", "/drills/queue", DrillQueue)
DRILL_CARDS: Final = UseCase("GET", "/drills/cards", tuple[DrillCard, ...])
EXPORT_DRILLS: Final = UseCase("GET", "/drills/archive", DrillArchive)
IMPORT_DRILLS: Final = UseCase("POST", "/drills/archive", DrillImport)

REVIEW: Final = UseCase("GET", "/attempts/{attempt_id}/review", ReviewDocument)
MERGE_REVIEW: Final = UseCase("POST", "/reviews", MergedReview)
COMMENT: Final = UseCase("POST", "/attempts/{attempt_id}/comments", ReviewDocument)
DELETE_COMMENT: Final = UseCase(
    "DELETE", "/attempts/{attempt_id}/comments/{external_id}", NoneType, 204
)
