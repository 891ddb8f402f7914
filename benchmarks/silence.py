"""Whether silence around a take changes the verdict on a term.

    python benchmarks/silence.py [--items 100] [--seed 2026]

The app's natural voice says drill items, heard as in a drill, and terms in sentences, heard as by
``aloud pronounce``; each as cut tight, and with 0 to 2 s of silence or faint noise before and
after. Exit status 1 if a verdict stays the same in fewer than 98 %.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from client.practice.drills.drill_session import drill_hearing
from client.speaking.voices import NaturalVoice
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from pronunciation.drill_sets import load_drills
from pronunciation.errors import HearingError
from pronunciation.hearing import Hearing, hear_terms
from pronunciation.lexicon_loader import load_lexicon
from scripts.train.cases import CARRIERS

SAME, LONGEST_S = 0.98, 2.0
NOISE_DB = -70.0, -50.0
"""Below full scale: a quiet room and a loud one, at the level of a usual recording."""
SOUNDS = ("silence", "white noise", "pink noise")

Judge = Callable[[Clip], str]


def items(seed: int, count: int) -> Iterator[tuple[str, str, Judge]]:
    """What kind of item, the text to say, and what judges a recording of it."""
    rng = random.Random(seed)
    lexicon = load_lexicon()
    in_drill, hearing = drill_hearing(), Hearing()
    drills = [item for drill_set in load_drills(lexicon).values() for item in drill_set]
    for item in rng.sample(drills, count // 2):
        yield "drill", item.prompt, lambda clip, item=item: in_drill(clip, item).verdict
    for term in rng.sample(list(lexicon), count - count // 2):
        text = rng.choice(CARRIERS).format(term.term)

        def verdicts(clip: Clip, text: str = text) -> str:
            try:
                heard = hear_terms(hearing, clip, text, lexicon)
            except HearingError as error:
                return str(error)
            return ", ".join(each.verdict for each in heard)

        yield "sentence", text, verdicts


def padded(samples: np.ndarray, sound: str, rng: np.random.Generator) -> Clip:
    """A recording with silence or noise before and after, the noise under all of it."""
    before, after = (round(each * SAMPLE_RATE_HZ) for each in rng.uniform(0, LONGEST_S, 2))
    whole = np.pad(samples, (before, after))
    noise = rng.standard_normal(whole.size)
    if sound == "pink noise":
        spectrum = np.fft.rfft(noise) / np.sqrt(np.arange(1, whole.size // 2 + 2))
        noise = np.fft.irfft(spectrum, whole.size)
    level = 0.0 if sound == "silence" else 10 ** (rng.uniform(*NOISE_DB) / 20)
    whole = whole + noise * (level / noise.std())
    return Clip(np.clip(whole, -1, 1).astype(np.float32))


def main() -> int:
    """Measure; exit status 1 if the goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    voice, lexicon = NaturalVoice(), load_lexicon()
    same, tried = Counter[str](), Counter[str]()
    for kind, text, judge in items(options.seed, options.items):
        samples = at_sample_rate(voice.synthesize(text, lexicon)).samples
        tight = judge(Clip(samples))
        for sound in SOUNDS:
            verdict = judge(padded(samples, sound, rng))
            tried[f"{kind}, {sound}"] += 1
            same[f"{kind}, {sound}"] += verdict == tight
            if verdict != tight:
                print(f"    {text!r}, {sound}: {tight} -> {verdict}")
    for name, count in tried.items():
        print(f"{name:24} {same[name]:4} of {count}")
    share = same.total() / tried.total()
    print(f"the same verdict in {share:.3f} (goal {SAME})")
    return int(share < SAME)


if __name__ == "__main__":
    sys.exit(main())
