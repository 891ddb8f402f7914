"""Runs every call to an object inside a context, without a method for each."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any


class Wrapped:
    """Passes every attribute on to a target; each call to a method runs inside a context.

    An attribute that is not a method is wrapped the same way. For the type checker, cast it to
    the target's protocol.
    """

    def __init__(
        self, target: object, context: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._target = target
        self._context = context

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if not callable(value):
            return Wrapped(value, self._context)

        @wraps(value)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._context():
                return value(*args, **kwargs)

        return inside
