"""Engines by name: each is an import string, so that unused ones are never imported."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from client.core.errors import EngineError, WeightsError
from client.engines.bank_vocabulary import BankVocabulary
from client.engines.base import Transcriber
from client.engines.weights import (
    DEFAULT_MODEL,
    KNOWN_MODELS,
    DownloadProgress,
    connection_problem,
    first_installed,
    is_offline,
    pull,
)

AUTO = "auto"

ENGINES: Mapping[str, str] = {
    "faster-whisper": "client.engines.faster_whisper_engine:load",
    "openai-whisper": "client.engines.openai_whisper_engine:load",
    "pocketsphinx": "client.engines.pocketsphinx_engine:load",
}
"""Name on the command line → ``module:function`` that takes ``EngineOptions``."""


def silent(_line: str) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class EngineOptions:
    """What an engine may need to know when it is loaded.

    Attributes:
        model: a weights name or a path; ``None`` for the engine's own choice; with ``auto`` it
            means ``faster-whisper``'s.
        offline: fetch nothing (also ``ALOUD_OFFLINE=1``).
        notify: takes one line for the user, e.g. why a rougher engine is used.
        on_download: takes bytes done and bytes in all while weights are fetched.
        vocabulary: makes the bank-wide vocabulary, called only by an engine that can be taught
            words; ``None``: that of the built-in bank and lexicon.
        threads: how many of the processor's cores Whisper may use; ``None``: its own choice.
    """

    model: str | None = None
    offline: bool = False
    notify: Callable[[str], None] = silent
    on_download: DownloadProgress | None = None
    vocabulary: Callable[[], BankVocabulary] | None = None
    threads: int | None = None


def load_engine(name: str, options: EngineOptions) -> Transcriber:
    """Load a transcription engine.

    Args:
        name: one of ``ENGINES``, or ``auto``: Whisper weights on disk → ``faster-whisper``; else
            ``base.en`` is fetched; where that fails → ``pocketsphinx``.
        options: what it needs to know.

    Raises:
        EngineError: no such engine, or its package is missing.
        WeightsError: the named weights are unknown, or cannot be fetched.
    """
    options = replace(options, offline=options.offline or is_offline())
    if name == AUTO:
        return _load_auto(options)
    return _load(name, options)


def _load(name: str, options: EngineOptions) -> Transcriber:
    target = ENGINES.get(name)
    if target is None:
        raise EngineError(f"no engine {name!r}; known are {AUTO}, {', '.join(ENGINES)}")
    return cast(Transcriber, imported(target)(options))


def imported(target: str) -> Callable[..., Any]:
    """What an import string, ``module:function``, means."""
    module_name, _, function_name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module_name), function_name)
    return function


def _load_auto(options: EngineOptions) -> Transcriber:
    if options.model is not None:
        # named weights that are not there are an error, never silently something rougher
        return _load("faster-whisper", options)
    installed = first_installed()
    if installed is not None:
        return _load("faster-whisper", replace(options, model=installed.name))
    reason = _fetch_default(options)
    if reason is None:
        return _load("faster-whisper", replace(options, model=DEFAULT_MODEL))
    options.notify(
        f"no Whisper weights ({reason}): using pocketsphinx, whose transcripts are rough; "
        f"for a good one run: aloud models pull {DEFAULT_MODEL}"
    )
    return _load("pocketsphinx", options)


def _fetch_default(options: EngineOptions) -> str | None:
    """Fetch the default weights; the reason in a few words where that fails."""
    if options.offline:
        return "offline"
    problem = connection_problem()
    if problem is not None:
        return problem
    options.notify(
        f"fetching Whisper {DEFAULT_MODEL} ({KNOWN_MODELS[DEFAULT_MODEL].size_mb} MB), once"
    )
    try:
        pull(DEFAULT_MODEL, options.on_download)
    except WeightsError as error:
        return str(error)
    return None
