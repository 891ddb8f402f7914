"""Synthetic voices that speak given phones: Debian's ``flite`` and ``espeak-ng``."""

import shutil
import subprocess
import tempfile
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip, at_sample_rate, decode_pcm16
from pronunciation.phones import VOWELS, base_phone

_ESPEAK = {
    "AA": "A:", "AE": "a", "AH": "V", "AO": "O:", "AW": "aU", "AY": "aI", "EH": "E", "ER": "3:",
    "EY": "eI", "IH": "I", "IY": "i:", "OW": "oU", "OY": "OI", "UH": "U", "UW": "u:", "CH": "tS",
    "DH": "D", "HH": "h", "JH": "dZ", "NG": "N", "SH": "S", "TH": "T", "Y": "j", "ZH": "Z",
}  # fmt: skip
_TIME_LIMIT_S = 30.0


@dataclass(frozen=True)
class Voice:
    """A synthetic speaker.

    Attributes:
        engine: the program that speaks.
        name: its voice, e.g. ``slt`` or ``en-us+f3``.
        stretch: length of speech relative to the voice's own.
        pitch: mean pitch in Hz for flite, 0 to 99 for espeak-ng; ``None``: the voice's own.
    """

    engine: Literal["flite", "espeak-ng"]
    name: str
    stretch: float = 1.0
    pitch: int | None = None

    def is_available(self) -> bool:
        """Whether the program is installed."""
        return shutil.which(self.engine) is not None


TRAIN_VOICES: tuple[Voice, ...] = (
    *(Voice("flite", name) for name in ("slt", "awb", "rms")),
    *(
        Voice("espeak-ng", f"{base}+{variant}")
        for base, variants in {
            "en-us": "m1 m2 m4 m5 m6 m8 f1 f3 f4 Andy Alicia Denis Gene Hugo Lee Mario max anika",
            "en-gb": "m2 m4 f3 f4 Michael Jacky rob steph",
            "en-gb-x-rp": "m1 f1 edward pablo",
            "en-029": "m6 f4",
            "en-gb-scotland": "m1 f4 Andy",
            "en-gb-x-gbclan": "m2 f3",
            "en-gb-x-gbcwmd": "m5 f1",
            "en-us-nyc": "m4 f3",
        }.items()
        for variant in variants.split()
    ),
)
DEV_VOICES: tuple[Voice, ...] = (
    Voice("flite", "slt", pitch=150),
    Voice("flite", "awb", pitch=190),
    Voice("espeak-ng", "en-us+quincy"),
    Voice("espeak-ng", "en-us+linda"),
    Voice("espeak-ng", "en-gb+benjamin"),
    Voice("espeak-ng", "en-gb-x-rp+aunty"),
)
"""For calibration: espeak-ng's voices never trained on, and flite's at another pitch."""
UNSEEN_VOICES: tuple[Voice, ...] = (Voice("flite", "slt"), Voice("flite", "rms"))
"""Those that the first half of the training leaves out, for calibration."""
HELD_OUT_VOICES: tuple[Voice, ...] = (
    Voice("flite", "kal16"),
    Voice("espeak-ng", "en-us+m3"),
    Voice("espeak-ng", "en-us+f2"),
    Voice("espeak-ng", "en-gb+f5"),
    Voice("espeak-ng", "en-gb-scotland+m7"),
)
"""Voices never used for training or calibration: the benchmark's."""


@dataclass(frozen=True, eq=False)
class Speech:
    """Speech at 16 kHz, float32 of shape (n,), and each phone's end in seconds, if known."""

    samples: npt.NDArray[np.float32]
    ends_s: tuple[tuple[str, float], ...] = ()


def _flite_phone(phone: str) -> str:
    if phone in ("AH0", "SIL"):
        return "ax" if phone == "AH0" else "pau"
    return phone.lower().replace("2", "1")


def _espeak_phone(phone: str) -> str:
    if phone == "SIL":
        return "_:"
    base, digit = base_phone(phone), phone[-1]
    code = _ESPEAK.get(base, base.lower())
    if base not in VOWELS:
        return code
    if digit == "0":
        return {"AH": "@", "ER": "3", "IY": "i"}.get(base, code)
    return {"1": "'", "2": ","}.get(digit, "") + code


def _read_wave(path: Path) -> npt.NDArray[np.float32]:
    with wave.open(str(path)) as file:
        rate_hz = file.getframerate()
        scaled = decode_pcm16(file.readframes(file.getnframes()))
    return at_sample_rate(Clip(scaled, rate_hz)).samples


def speak(words: Sequence[Sequence[str]], voice: Voice) -> Speech:
    """Speak words given as ARPAbet phones (``SIL`` is a short pause).

    Raises:
        FileNotFoundError: the program is not installed.
        subprocess.SubprocessError: it failed or took more than 30 s.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.wav"
        if voice.engine == "flite":
            phones = " ".join(_flite_phone(p) for word in words for p in word)
            command = ["flite", "-voice", voice.name, "-psdur", "-o", str(out)]
            command += ["--setf", f"duration_stretch={voice.stretch}"]
            if voice.pitch is not None:
                command += ["--setf", f"int_f0_target_mean={voice.pitch}"]
            command += ["-p", f"pau {phones} pau"]
        else:
            text = " ".join("".join(_espeak_sequence(word)) for word in words)
            command = ["espeak-ng", "-v", voice.name, "-w", str(out)]
            command += ["-s", str(round(150 / voice.stretch))]
            if voice.pitch is not None:
                command += ["-p", str(voice.pitch)]
            command += [f"[[{text}]]"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIME_LIMIT_S, check=True
        )
        pairs = (token.rsplit(":", 1) for token in done.stdout.split() if ":" in token)
        return Speech(_read_wave(out), tuple((name, float(end)) for name, end in pairs))


def _espeak_sequence(word: Sequence[str]) -> list[str]:
    """Codes, separated where two would read as another one (``t S`` is not ``tS``)."""
    codes = [_espeak_phone(phone) for phone in word]
    return [
        c + ("||" if c in ("t", "d") and n[:1] in "SZ" else "")
        for c, n in zip(codes, [*codes[1:], ""], strict=True)
    ]
