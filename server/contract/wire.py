"""What every wire model is: unchanging, and strict about what it does not know."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Share", "Wire"]

Share = Annotated[float, Field(ge=0, le=1)]


class Wire(BaseModel):
    """What client and server tell each other: an unknown field is an error, not ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")
