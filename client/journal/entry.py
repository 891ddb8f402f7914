"""What the journal knows about one answer: a small file beside its sound."""

import re
import uuid
from datetime import UTC, datetime
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from server.contract import DrillReview, SoundQuality, Submission

EMBEDDED: Final = ""
"""Stands for the embedded server."""

State = Literal["recording", "recorded", "transcribed"]
"""``recording``: sound is coming, or came until something broke off. ``recorded``: it ended as it
should. ``transcribed``: what is sent to the server is known; it may have been sent already."""

_SubmissionId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
_LABEL_CHARS: Final = 60
_REASON_CHARS: Final = 500


class Entry(BaseModel):
    """One answer to a question, or one take of a drill item, on its way to the history.

    Attributes:
        submission_id: what the server will know it by, from the first sample on: however often it
            is sent, it is stored once.
        kind: an answer or a take of a drill.
        asked: the question's id, or the drill item's.
        drill_set: of the drill item; empty for an answer.
        server: the server it is meant for; empty: the embedded one; ``None``: an earlier version
            of Aloud did not say.
        engine: what transcribes it; empty where that is not known.
        spoken_at: when the recording began.
        state: see ``State``.
        condition: of the file that it came as; ``None`` where it was recorded here.
        reason: why it is unfinished, one line; empty where nobody could tell, as after a crash.
        submission: of a transcribed answer, what is sent.
        review: of a heard take of a drill, what is sent.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal["aloud-answer"] = "aloud-answer"
    schema_version: Literal[1] = 1
    submission_id: _SubmissionId = Field(default_factory=lambda: uuid.uuid4().hex)
    kind: Literal["answer", "drill"] = "answer"
    asked: str
    drill_set: str = ""
    server: str | None = EMBEDDED
    engine: str = ""
    spoken_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    state: State = "recording"
    condition: SoundQuality | None = None
    reason: str = ""
    submission: Submission | None = None
    review: DrillReview | None = None

    @property
    def label(self) -> str:
        """What its files are called after."""
        return label_of(self.asked)

    def because(self, reason: str) -> Self:
        """The same, with the reason why it is unfinished."""
        line = " ".join(reason.split())[:_REASON_CHARS].rstrip(".")
        return self.model_copy(update={"reason": line})


def label_of(asked: str) -> str:
    """The part of a file's name that identifies a question or an item."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", asked).strip("-")[:_LABEL_CHARS] or "take"
