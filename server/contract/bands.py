"""What the figures of a delivery are held against, each with its source: ``bands.yaml``."""

from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from question_bank.strict_yaml import parse_yaml


class Band(BaseModel):
    """One figure: in what unit, measured on whom, by whom, and where that is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    unit: str
    population: str
    source: str
    page: str


@cache
def bands() -> dict[str, Band]:
    """All figures by name."""
    text = resources.files(__package__).joinpath("bands.yaml").read_text("utf-8")
    return {name: Band.model_validate(d) for name, d in parse_yaml(text, "bands.yaml").data.items()}


def band(name: str) -> float:
    """One figure."""
    return bands()[name].value


def comfortable_wpm() -> tuple[float, float]:
    """The pace, in words per minute, that reports praise."""
    return band("pace_slow"), band("pace_fast")
