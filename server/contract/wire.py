"""What all wire models share: their base, frozen and strict about unknown fields; small types."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
AttemptId = Annotated[int, Field(ge=1, le=2**63 - 1)]


class Wire(BaseModel):
    """What client and server exchange, and jobs are ordered with: an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Problem(Wire):
    """An error as the API reports it (after RFC 9457); ``detail`` is one line for a person."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[str, ...] = Field(default=(), description="one line for each invalid field")
