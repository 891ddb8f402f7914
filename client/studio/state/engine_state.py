"""The transcription engine behind the pages: which it is, loading it, fetching weights."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from client.answer.hearing import vocabulary
from client.core.errors import ClientError, WeightsError
from client.core.preferences import Preferences
from client.core.settings import ClientSettings
from client.engines.base import Transcriber
from client.engines.engine_process import EngineProcess
from client.engines.engines import AUTO
from client.engines.weights import (
    DEFAULT_MODEL,
    KNOWN_MODELS,
    WeightsStatus,
    first_installed,
    list_models,
    pull,
)
from server.contract import ROUGH_ENGINES


@dataclass(frozen=True)
class Fetching:
    """A download of weights; ``problem`` says why it failed, empty if it has not."""

    model: str
    done_bytes: int
    total_bytes: int
    state: Literal["running", "done", "failed"]
    problem: str = ""


@dataclass(frozen=True)
class EngineStatus:
    """What the engine is doing.

    Attributes:
        state: ``waiting`` before its first use.
        name: the engine in use, or the one that would be.
        model: its weights; empty if it has none of ours.
        rough: transcripts will be rough.
        by_choice: and that is what an option or the settings ask for; no weights are missing.
        problem: why it could not be loaded, with the remedy.
        fetching: weights on their way, or how the last fetch ended.
        default_model: what the button fetches.
        default_size_mb: its size.
    """

    state: Literal["waiting", "loading", "ready", "failed"]
    name: str
    model: str
    rough: bool
    by_choice: bool
    problem: str
    fetching: Fetching | None
    default_model: str = DEFAULT_MODEL
    default_size_mb: int = KNOWN_MODELS[DEFAULT_MODEL].size_mb


class EngineState:
    """Loads the engine when it is first needed; weights are downloaded only on request.

    Args:
        settings: the bank and lexicon that an engine may learn words from.
        engine: an engine's name, or ``auto``; ``None``: as in the settings.
        model: weights by name or path; ``None``: as in the settings, or the engine's own choice.
        fetch: gets weights; stands in for ``weights.pull`` in tests.
    """

    def __init__(
        self,
        settings: ClientSettings,
        engine: str | None = None,
        model: str | None = None,
        *,
        fetch: Callable[..., object] = pull,
    ) -> None:
        self._settings = settings
        self._given = (engine, model)
        self._engine, self._model = settings.preferences.engine_or(engine, model)
        self._fetch = fetch
        self._load_lock = threading.Lock()
        self._fetch_lock = threading.Lock()  # its own: no page waits while the engine loads
        self._loaded: Transcriber | None = None
        self._loading = False
        self._problem = ""
        self._fetching: Fetching | None = None

    def load(self) -> Transcriber:
        """The engine, loaded at the first call.

        Raises:
            EngineError, WeightsError: it cannot be loaded; the text says the remedy.
        """
        with self._load_lock:
            if self._loaded is None:
                self._loading, self._problem = True, ""
                chosen = self._engine, self._model
                try:
                    engine = EngineProcess(
                        *chosen, offline=True, vocabulary=lambda: vocabulary(self._settings)
                    )
                    engine.warm()
                    if chosen != (self._engine, self._model):
                        return engine  # for this answer only: another one was chosen meanwhile
                    self._loaded = engine
                except ClientError as error:
                    self._problem = str(error)
                    raise
                finally:
                    self._loading = False
            return self._loaded

    def choose(self, preferences: Preferences) -> None:
        """Take the engine and weights of changed settings, unless options named others."""
        chosen = preferences.engine_or(*self._given)
        if chosen != (self._engine, self._model):
            self._engine, self._model = chosen
            self._loaded, self._problem = None, ""  # without the lock: no page waits for a load

    def status(self) -> EngineStatus:
        """The engine's status; quick, loads nothing."""
        loaded = self._loaded
        if loaded is not None:
            name, model = loaded.name, loaded.model
        else:
            name, model = self._choice()
        state: Literal["waiting", "loading", "ready", "failed"] = "waiting"
        if loaded is not None:
            state = "ready"
        elif self._loading:
            state = "loading"
        elif self._problem:
            state = "failed"
        rough = name in ROUGH_ENGINES
        return EngineStatus(
            state, name, model, rough, rough and self._engine == name, self._problem, self._fetching
        )

    def models(self) -> list[WeightsStatus]:
        """Every known model, and whether it is installed."""
        return list_models()

    def fetch(self, model: str) -> None:
        """Begin to fetch weights in the background; ``status`` has the progress.

        Raises:
            WeightsError: no such weights, or others are being fetched.
        """
        if model not in KNOWN_MODELS:
            raise WeightsError(f"no Whisper model {model!r}; known are {', '.join(KNOWN_MODELS)}")
        with self._fetch_lock:
            if self._fetching is not None and self._fetching.state == "running":
                raise WeightsError(f"{self._fetching.model} is being fetched; wait for it")
            total = KNOWN_MODELS[model].size_mb * 1_000_000
            self._fetching = Fetching(model, 0, total, "running")
        threading.Thread(target=self._run, args=(model,), name="aloud-fetch", daemon=True).start()

    def _run(self, model: str) -> None:
        total = KNOWN_MODELS[model].size_mb * 1_000_000

        def tell(done: int, of: int) -> None:
            self._fetching = Fetching(model, done, of, "running")

        try:
            self._fetch(model, tell)
        except Exception as error:  # shown on the page: nobody waits for this thread
            self._fetching = Fetching(model, 0, total, "failed", str(error))
            return
        with self._load_lock:
            self._fetching = Fetching(model, total, total, "done")
            if self._engine == AUTO and self._model is None:
                self._loaded, self._problem = None, ""  # the next answer takes the new weights

    def _choice(self) -> tuple[str, str]:
        if self._engine != AUTO:
            return self._engine, self._model or ""
        if self._model is not None:
            return "faster-whisper", self._model
        weights = first_installed()
        return ("faster-whisper", weights.name) if weights else ("pocketsphinx", "")
