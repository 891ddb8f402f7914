"""What all wire models share: their base, frozen and strict about unknown fields; small types."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

MAX_SPANS: Final = 400
"""Spans of an answer that get a vector: about a quarter of an hour of speech."""

Share = Annotated[float, Field(ge=0, le=1)]
AttemptId = Annotated[int, Field(ge=1, le=2**63 - 1)]


class Wire(BaseModel):
    """Base of what client and server exchange and of jobs' orders; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SeldomWire(Wire):
    """A model that most commands do without: pydantic compiles it when it is first used."""

    model_config = ConfigDict(defer_build=True)


def compile_seldom_models(base: type[BaseModel] = SeldomWire) -> None:
    """Compiles all of them now, for a process with threads or with a web framework."""
    for model in base.__subclasses__():
        model.model_config["defer_build"] = False  # otherwise models that contain it wait too
        model.model_rebuild()
        compile_seldom_models(model)


class Problem(Wire):
    """An error as the API reports it (after RFC 9457); ``detail`` is one line for a person."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[str, ...] = Field(default=(), description="one line for each invalid field")
