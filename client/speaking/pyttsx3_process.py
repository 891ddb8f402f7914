"""Speaks one utterance into a file, in a separate process.

Run as a script by `Pyttsx3Voice`: pyttsx3 hangs in some event loops and speaks only once in others
(nateshmbhat/pyttsx3#22, #403), so each utterance gets a fresh process that can be killed. Imports
nothing of ours, so that it starts fast.
"""

import contextlib
import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyttsx3


def speak(request: dict[str, Any]) -> None:
    """Write ``request["path"]``.

    Args:
        request: ``path``; ``text`` for a voice that reads phonemes in brackets, ``plain`` for one
            that does not; ``rate_wpm``; ``voice`` and ``driver`` (``None``: the system's own).
    """
    if request["driver"] == "espeak":
        _load_espeak()
        _write(request, phonemes=_prepare_espeak_driver())
    else:
        _write(request, phonemes=False)


def _write(request: dict[str, Any], *, phonemes: bool) -> None:
    engine = pyttsx3.init(request["driver"])
    engine.setProperty("rate", request["rate_wpm"])
    if request["voice"]:
        engine.setProperty("voice", request["voice"])
    failures: list[object] = []
    engine.connect("error", lambda name=None, exception=None: failures.append(exception))
    engine.save_to_file(request["text"] if phonemes else request["plain"], request["path"])
    engine.runAndWait()
    if failures:
        raise RuntimeError(str(failures[0]))


def _load_espeak() -> None:
    """Load the eSpeak NG that the wheel ``espeakng-loader`` carries, before pyttsx3 looks for one.

    pyttsx3 opens it by its soname ``libespeak-ng.so.1``; a library already loaded under that name
    is taken first. Where the wheel's cannot be loaded, the system's is used if there is one.
    """
    try:
        import espeakng_loader

        data_folder = Path(espeakng_loader.get_data_path()).parent
        library = Path(espeakng_loader.get_library_path())
        with_soname = library.with_name("libespeak-ng.so.1")
        ctypes.CDLL(str(with_soname if with_soname.exists() else library), ctypes.RTLD_GLOBAL)
    except (ImportError, OSError, RuntimeError) as error:
        sys.stderr.write(f"espeakng-loader: {error}\n")
        return
    os.environ["ESPEAK_DATA_PATH"] = str(data_folder)


def _prepare_espeak_driver() -> bool:
    """Repair how pyttsx3's driver calls eSpeak NG; returns whether it now reads ``[[phonemes]]``.

    - The flag that makes eSpeak NG read phonemes is passed.
    - The text's true length is stated: the driver states ten times of it, and eSpeak NG copies
      that much memory.
    - The call lasts until the sound is complete: the driver's loop ends while eSpeak NG still
      works on its own thread, and a text of more than about 800 characters came to nothing.
    """
    try:
        from pyttsx3.drivers import _espeak

        synthesize, finish = _espeak.cSynth, _espeak.Synchronize
        phonemes, by_character = _espeak.PHONEMES, _espeak.POS_CHARACTER
        _espeak.Synth  # noqa: B018 - the name that is replaced must be there
    except (ImportError, AttributeError, RuntimeError) as error:
        sys.stderr.write(f"no phoneme input: {error}\n")
        return False

    def synth(text: bytes, flags: int = 0, **_: Any) -> Any:
        size = len(text) + 1
        status = synthesize(text, size, 0, by_character, 0, flags | phonemes, None, None)
        finish()
        if status != 0:
            raise RuntimeError(f"eSpeak NG refused the text (status {status})")
        return status

    _espeak.Synth = synth
    return True


def main() -> int:
    """Read one request from standard input; exit status 1 and a line on standard error: failed."""
    request = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the driver prints
            speak(request)
    except Exception as error:  # whatever a driver raises becomes the parent's one clear line
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
