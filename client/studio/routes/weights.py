"""The engine's state, and fetching Whisper weights with progress."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body

from client.studio.state.studio import Studio

__all__ = ["router"]


def router(studio: Studio) -> APIRouter:
    """What the engine's panel asks for."""
    routes = APIRouter(prefix="/engine")

    @routes.get("")
    def status() -> dict[str, Any]:
        """What the engine is doing, and how far a fetch is."""
        return asdict(studio.engine.status())

    @routes.post("/fetch")
    def fetch(model: Annotated[str, Body(embed=True, max_length=100)]) -> dict[str, Any]:
        """Begin to fetch weights."""
        studio.engine.fetch(model)
        return asdict(studio.engine.status())

    return routes
