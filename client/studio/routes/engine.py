"""What the engine panel asks for: how the engine is, and its weights."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body

from client.studio.state.studio import Studio


def router(studio: Studio) -> APIRouter:
    """The engine's state and its download."""
    routes = APIRouter(prefix="/engine")

    @routes.get("")
    def engine() -> dict[str, Any]:
        """What the engine is doing, and how far a download is."""
        return asdict(studio.engine.status())

    @routes.post("/fetch")
    def fetch(model: Annotated[str, Body(embed=True, max_length=100)]) -> dict[str, Any]:
        """Begin to download weights."""
        studio.engine.fetch(model)
        return asdict(studio.engine.status())

    return routes
