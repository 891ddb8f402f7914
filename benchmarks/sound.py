"""What bad sound does to verdicts, on speakers and voices that no threshold was chosen on.

    python benchmarks/sound.py             # 120 words of held-out learners, all kinds of sound
    python benchmarks/sound.py --words 12  # quick
    python benchmarks/sound.py --split dev # the speakers that the limits were chosen on

Words of read sentences are said right, so every ``mispronounced`` is wrong. For each kind of
sound: how often the verdict is given, how often it says mispronounced, and how often the sound is
found too clipped, too noisy or too far to tell. Exit status 1 where more than 2 % of the words in
the sound as it is are, or more than 2 % of any kind are called mispronounced.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pronunciation.clip import SAMPLE_RATE_HZ, Clip  # noqa: E402
from pronunciation.errors import HearingError  # noqa: E402
from pronunciation.hearing import Hearing  # noqa: E402
from pronunciation.hearing.sound import fault_around  # noqa: E402
from scripts.train.cases import accepted_cases  # noqa: E402

MAX_SHARE: Final = 0.02
Floats = npt.NDArray[np.float64]
Change = Callable[[Floats, np.random.Generator], Floats]


def noisy(snr_db: float) -> Change:
    """Pink noise, so far below the louder half of the speech."""

    def change(samples: Floats, rng: np.random.Generator) -> Floats:
        frames = samples[: samples.size // 320 * 320].reshape(-1, 320)
        loud = np.sort(np.square(frames).mean(axis=1))[len(frames) // 2 :].mean()
        spectrum = np.fft.rfft(rng.standard_normal(samples.size))
        hz = np.fft.rfftfreq(samples.size, 1 / SAMPLE_RATE_HZ)
        noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(hz, hz[1])), samples.size)
        return samples + noise / noise.std() * np.sqrt(loud) * 10 ** (-snr_db / 20)

    return change


def clipped(over_db: float) -> Change:
    """Peaks so far over full scale, cut off."""

    def change(samples: Floats, _: np.random.Generator) -> Floats:
        peak = np.quantile(np.abs(samples), 0.999)
        return np.clip(samples / peak * 10 ** (over_db / 20), -1, 1)

    return change


def far(echo_s: float, direct_db: float) -> Change:
    """A room: an echo that takes so long to fall by 60 dB, the direct sound so far above it."""

    def change(samples: Floats, rng: np.random.Generator) -> Floats:
        size = round(1.2 * echo_s * SAMPLE_RATE_HZ)
        tail = rng.standard_normal(size) * 10 ** (-3 * np.arange(size) / SAMPLE_RATE_HZ / echo_s)
        tail *= 10 ** (-direct_db / 20) / np.sqrt(np.square(tail).sum())
        tail[0] = 1.0
        whole = samples.size + size
        made = np.fft.irfft(np.fft.rfft(samples, whole) * np.fft.rfft(tail, whole), whole)
        return made[: samples.size] * samples.std() / made.std()

    return change


KINDS: Final[dict[str, Change]] = {
    "as it is": lambda samples, _: samples,
    "noise 20 dB below": noisy(20),
    "noise 10 dB below": noisy(10),
    "noise 5 dB below": noisy(5),
    "noise as loud": noisy(0),
    "3 dB over": clipped(3),
    "6 dB over": clipped(6),
    "12 dB over": clipped(12),
    "20 dB over": clipped(20),
    "room 0.3 s, direct 5 dB": far(0.3, 5),
    "room 0.5 s, direct 0 dB": far(0.5, 0),
    "room 0.8 s, direct -5 dB": far(0.8, -5),
    "room 1.2 s, direct -5 dB": far(1.2, -5),
}


def main() -> int:
    """Print a line for each kind of sound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=120)
    parser.add_argument("--split", choices=["dev", "heldout"], default="heldout")
    parser.add_argument("--speech", type=Path, default=ROOT.parent / "shared" / "speech")
    options = parser.parse_args()
    if not options.speech.is_dir():
        print(f"no speech data at {options.speech}: skipped")
        return 0
    hearing, rng = Hearing(), np.random.default_rng(7)
    cases = list(accepted_cases(options.speech, options.split, 7, 1))
    chosen = [cases[at] for at in rng.permutation(len(cases))[: options.words]]
    met = True
    print(f"{'sound':<26} {'words':>5} {'decided':>8} {'wrong':>6}  clipped noisy   far")
    for name, change in KINDS.items():
        verdicts, faults = [], []
        for case in chosen:
            samples = change(case.clip.samples.astype(np.float64), rng)
            loudest = float(np.abs(samples).max())
            clip = Clip((samples / max(1.0, loudest)).astype(np.float32))
            try:
                (heard,) = hearing.hear(clip, case.words, [case.target])
            except HearingError:
                continue
            verdicts.append(heard.verdict)
            faults.append(fault_around(clip, heard.start_s, heard.end_s))
        shares = [faults.count(fault) / len(faults) for fault in ("clipped", "noisy", "far")]
        wrong = verdicts.count("mispronounced") / len(verdicts)
        decided = 1 - verdicts.count("unclear") / len(verdicts)
        met = met and wrong <= MAX_SHARE and (name != "as it is" or sum(shares) <= MAX_SHARE)
        listed = "  ".join(f"{share:5.2f}" for share in shares)
        print(f"{name:<26} {len(verdicts):5} {decided:8.2f} {wrong:6.3f}    {listed}", flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
