"""Whisper weights: which exist, which are installed, and downloading them.

The weights are CTranslate2 conversions on the Hugging Face hub, kept in its usual cache folder
(``HF_HOME``), so that what another program has fetched already is found and not fetched again.
"""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import huggingface_hub
from huggingface_hub import constants

from client.core.errors import WeightsError

DEFAULT_MODEL = "base.en"

CONNECT_TIMEOUT_S = 4.0
"""Without an answer from the hub within this time there is no connection.

``auto`` has to give up within 5 s; the rest is for importing the hub's client.
"""

DownloadProgress = Callable[[int, int], None]
"""Called with bytes done and bytes in all."""

_POLL_S = 0.2
_FILES = ("config.json", "preprocessor_config.json", "model.bin", "tokenizer.json", "vocabulary.*")
_NEEDED = ("config.json", "model.bin", "tokenizer.json")


@dataclass(frozen=True)
class Weights:
    """One set of weights that can be fetched.

    Attributes:
        name: as Whisper's paper names the size; ``.en`` is trained on English alone.
        repo_id: where the hub keeps it; the same places that faster-whisper uses.
        size_mb: of ``model.bin``, in millions of bytes, as the hub lists it.
    """

    name: str
    repo_id: str
    size_mb: int


@dataclass(frozen=True)
class WeightsStatus:
    """Weights, and the folder they are installed in (``None``: not installed)."""

    weights: Weights
    folder: Path | None

    @property
    def is_cut_short(self) -> bool:
        """Whether ``model.bin`` is smaller than the hub lists it: a fetch or a copy broke off."""
        if self.folder is None:
            return False
        try:
            size = (self.folder / "model.bin").stat().st_size
        except OSError:
            return False
        return size < (self.weights.size_mb - 1) * 1_000_000  # the listed size is rounded

    @property
    def remedy(self) -> str:
        """What to do about weights that are cut short."""
        assert self.folder is not None
        name = self.weights.name
        return f"delete {whole_of(self.folder)}, then run: aloud models pull {name}"


KNOWN_MODELS: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        Weights("tiny.en", "Systran/faster-whisper-tiny.en", 76),
        Weights("tiny", "Systran/faster-whisper-tiny", 76),
        Weights("base.en", "Systran/faster-whisper-base.en", 145),
        Weights("base", "Systran/faster-whisper-base", 145),
        Weights("small.en", "Systran/faster-whisper-small.en", 484),
        Weights("small", "Systran/faster-whisper-small", 484),
        Weights("distil-small.en", "Systran/faster-distil-whisper-small.en", 333),
        Weights("medium.en", "Systran/faster-whisper-medium.en", 1528),
        Weights("medium", "Systran/faster-whisper-medium", 1528),
        Weights("distil-medium.en", "Systran/faster-distil-whisper-medium.en", 789),
        Weights("distil-large-v3", "Systran/faster-distil-whisper-large-v3", 1513),
        Weights("large-v3", "Systran/faster-whisper-large-v3", 3087),
    )
}

_PREFERENCE = (
    *(DEFAULT_MODEL, "small.en", "distil-small.en", "base", "small", "tiny.en", "tiny"),
    *("medium.en", "distil-medium.en", "medium", "distil-large-v3", "large-v3"),
)
"""Where several are installed and none is named: the default, then what two cores can bear."""

_failed_connection: str | None = None


def is_offline() -> bool:
    """Whether the environment forbids fetching (``ALOUD_OFFLINE`` or ``HF_HUB_OFFLINE``)."""
    return any(
        os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on"}
        for name in ("ALOUD_OFFLINE", "HF_HUB_OFFLINE")
    )


def list_models() -> list[WeightsStatus]:
    """Every known model, and whether it is installed."""
    return [WeightsStatus(weights, _cached(weights)) for weights in KNOWN_MODELS.values()]


def first_installed() -> Weights | None:
    """The installed weights to use where none are named."""
    return next((KNOWN_MODELS[name] for name in _PREFERENCE if _cached(KNOWN_MODELS[name])), None)


def whole_of(folder: Path) -> Path:
    """The folder to delete: the hub's cache keeps the files apart from their names.

    Fetched again into a cache that still has a file cut short, the weights would be as broken.
    """
    return folder.parents[1] if folder.parent.name == "snapshots" else folder


def find_weights(model: str) -> Path | None:
    """The folder of a model on disk.

    Args:
        model: a known name, or the path of a folder with a CTranslate2 Whisper model.

    Returns:
        The folder, or ``None`` if a known model is not installed.

    Raises:
        WeightsError: the name is unknown, or the folder is no model.
    """
    if model in KNOWN_MODELS:
        return _cached(KNOWN_MODELS[model])
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise _unknown(model)
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise WeightsError(
            f"{model} is not a folder of faster-whisper weights: {', '.join(missing)} missing"
        )
    return folder


def connection_problem(timeout_s: float = CONNECT_TIMEOUT_S) -> str | None:
    """Why the hub cannot be reached, in a few words; ``None`` if it can.

    The whole check, name look-up included, ends within ``timeout_s``. A failure is remembered
    for the life of the process, so that the wait happens once.
    """
    global _failed_connection
    if _failed_connection is not None:
        return _failed_connection
    ask = _question(timeout_s)
    outcome: list[str | None] = []
    thread = threading.Thread(target=lambda: outcome.append(ask()), daemon=True)
    thread.start()
    thread.join(timeout_s)
    problem = outcome[0] if outcome else f"no answer within {timeout_s:.0f} s"
    _failed_connection = problem
    return problem


def pull(name: str, on_progress: DownloadProgress | None = None) -> Path:
    """Fetch weights; what an earlier attempt has fetched is not fetched again.

    Args:
        name: one of ``KNOWN_MODELS``.
        on_progress: called every 0.2 s with the progress.

    Returns:
        The folder they are in.

    Raises:
        WeightsError: unknown name, offline, no connection, or the fetch broke off.
    """
    weights = KNOWN_MODELS.get(name)
    if weights is None:
        raise _unknown(name)
    folder = _cached(weights)
    if folder is not None:
        return folder
    if is_offline():
        raise WeightsError(
            f"{name} is not installed and fetching is switched off (ALOUD_OFFLINE, HF_HUB_OFFLINE)"
        )
    problem = connection_problem()
    if problem is not None:
        raise WeightsError(f"cannot fetch {name} ({weights.size_mb} MB): {problem}")
    _download(weights, on_progress)
    folder = _cached(weights)
    if folder is None:
        raise WeightsError(f"{name} was fetched only in part; run: aloud models pull {name}")
    return folder


def _unknown(name: str) -> WeightsError:
    known = ", ".join(KNOWN_MODELS)
    return WeightsError(f"no Whisper model {name!r}; known are {known}, or the path of a folder")


def _cached(weights: Weights) -> Path | None:
    # As huggingface_hub.try_to_load_from_cache, whose import takes longer than all the rest.
    repository = _repository(weights)
    try:
        commit = (repository / "refs" / "main").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    folder = repository / "snapshots" / commit
    return folder if commit and all((folder / name).is_file() for name in _NEEDED) else None


def _repository(weights: Weights) -> Path:
    """The folder that the hub's cache keeps a model in."""
    return Path(constants.HF_HUB_CACHE) / f"models--{weights.repo_id.replace('/', '--')}"


def _question(timeout_s: float) -> Callable[[], str | None]:
    """Asks the hub for a small file; all imports are done before, the clock is for the network."""
    weights = KNOWN_MODELS[DEFAULT_MODEL]
    url = f"{constants.ENDPOINT}/{weights.repo_id}/resolve/main/config.json"

    def ask() -> str | None:
        try:
            response = httpx.head(url, timeout=timeout_s)
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return f"no connection to {constants.ENDPOINT}"
        if response.status_code >= 400:
            return f"{constants.ENDPOINT} answers {response.status_code}"
        return None

    return ask


def _download(weights: Weights, on_progress: DownloadProgress | None) -> None:
    failure: list[Exception] = []

    def work() -> None:
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()
        try:
            huggingface_hub.snapshot_download(weights.repo_id, allow_patterns=list(_FILES))
        except Exception as error:  # whatever breaks in the thread is reported by the caller
            failure.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    total = weights.size_mb * 1_000_000
    started_s = time.monotonic()
    while thread.is_alive():
        thread.join(_POLL_S)
        if on_progress is not None:
            on_progress(min(_bytes_on_disk(weights), total), total)
    if failure:
        reason = " ".join(str(failure[0]).split())[:200] or type(failure[0]).__name__
        raise WeightsError(
            f"fetching {weights.name} broke off after {time.monotonic() - started_s:.0f} s "
            f"({reason}); what has arrived is kept, run again: aloud models pull {weights.name}"
        ) from failure[0]
    if on_progress is not None:
        on_progress(total, total)


def _bytes_on_disk(weights: Weights) -> int:
    total = 0
    for path in _repository(weights).glob("blobs/*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue  # a part file was renamed between listing and looking
    return total
