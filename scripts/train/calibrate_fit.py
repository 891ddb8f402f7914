"""Choose the thresholds from which a text fits a sound, and an answer a drill's term, on dev.

python -m scripts.train.calibrate_fit --speech ../shared/speech --net first.onnx
"""

import argparse
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import HearingError
from pronunciation.g2p import dictionary
from pronunciation.hearing.acoustic import FRAME_S, AcousticModel
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.hear import Hearing, drill_fit
from pronunciation.hearing.judge import FUSION_PATH, default_fusion
from pronunciation.lexicon_loader import load_lexicon
from scripts.train.cases import sentences
from scripts.train.splits import term_split
from scripts.train.voices import DEV_VOICES, UNSEEN_VOICES, speak

Floats = npt.NDArray[np.float64]
OWN_REFUSED = 0.015
"""Share of sentences that may be said not to fit their own text; some were in fact misread."""
WORDS_REFUSED = 0.06
"""Share of learners' words, cut from their sentences, that may be called something else.

At 0.10, refused and wrongly accepted ones together are fewest. But most takes of a drill are
attempts at its term, and one wrong phone of four (an S like TH) must be called a mistake, not
something else. Words said alone are clearer."""
SURER_NATS = 0.4
"""How much lower the drills' threshold is for the shipped networks, which are trained on after this
and more confident: the lowest 6 % of training speakers' words are 0.2 nats lower with them, and
flite's slt, without a sentence around, another 0.2."""
WORDS_EACH, MIN_PHONES = 2, 4
QUIET_S = 0.3


def of_texts(hearing: Hearing, folder: Path, seed: int) -> tuple[Floats, Floats]:
    """``belonging`` of dev's sentences with their own text, and with another's."""
    rng = random.Random(seed)
    read = list(sentences(folder, "dev"))
    own: list[float] = []
    others: list[float] = []
    for words, clip in read:
        scores = hearing.speech(clip).scores
        other = rng.choice([w for w, _ in read if w != words])
        for text, values in ((words, own), (other, others)):
            with suppress(HearingError):
                values.append(hearing.belonging(scores, text))
    return np.array(own), np.array(others)


def best_fit(hearing: Hearing, said: npt.NDArray[np.float32], readings: Sequence[str]) -> float:
    """How well the best of the readings fits a piece of sound with quiet around it."""
    quiet = np.zeros(round(QUIET_S * SAMPLE_RATE_HZ), np.float32)
    scores = hearing.model.scores(Clip(np.concatenate([quiet, said, quiet])))
    fits = [fit[0] for reading in readings if (fit := drill_fit(scores, reading)) is not None]
    return max(fits, default=-99.0)


def of_words(hearing: Hearing, folder: Path, seed: int) -> tuple[Floats, Floats]:
    """The fit of learners' words to their own phones, and to another word's."""
    rng = random.Random(seed)
    known = dictionary()
    pool = [phones[0] for phones in known.values()]
    found: tuple[list[float], list[float]] = [], []
    for words, clip in sentences(folder, "dev"):
        phones = [known.get(word, ((),))[0] for word in words]
        chain = word_states(phones)
        path = best_path(hearing.model.scores(clip), chain)
        if path is None or not all(phones):
            continue
        places = [i for i, p in enumerate(phones) if len(p) >= MIN_PHONES]
        for place in rng.sample(places, min(WORDS_EACH, len(places))):
            frames = np.flatnonzero(chain.word[path.states] == place)
            said = clip.slice(float(frames[0]) * FRAME_S, float(frames[-1] + 1) * FRAME_S).samples
            near = [p for p in rng.sample(pool, 200) if abs(len(p) - len(phones[place])) < 2]
            for asked, values in zip((phones[place], near[0]), found, strict=True):
                values.append(best_fit(hearing, said, [" ".join(asked)]))
    return np.array(found[0]), np.array(found[1])


def of_terms(hearing: Hearing, count: int, seed: int) -> tuple[Floats, Floats]:
    """The best fit of terms said by synthetic voices to their own readings, and to another's."""
    rng = random.Random(seed)
    terms = [t for t in load_lexicon().terms if term_split(t.term) == "dev"]
    voices = [*UNSEEN_VOICES, *(v for v in DEV_VOICES if v.engine == "espeak-ng")]
    found: tuple[list[float], list[float]] = [], []
    for number in range(count):
        term, other = rng.sample(terms, 2)
        phones = rng.choice([*term.readings, *(m.phones for m in term.mistakes)])
        said = speak([phones.split()], voices[number % len(voices)]).samples
        for asked, values in zip((term, other), found, strict=True):
            readings = [*asked.readings, *(m.phones for m in asked.mistakes)]
            values.append(best_fit(hearing, said, readings))
    return np.array(found[0]), np.array(found[1])


def show(name: str, own: Floats, others: Floats, border: float) -> None:
    """Print what a threshold refuses and what it accepts."""
    refused, taken = (own < border).mean(), (others >= border).mean()
    print(f"{name} from {border}: {refused:.3f} of {own.size} that belong are refused,")
    print(f"    {taken:.3f} of {others.size} that do not are taken", flush=True)


def main() -> None:
    """Measure, choose, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=Path("../shared/speech"))
    parser.add_argument("--net", type=Path, required=True, help="one that never heard dev or slt")
    parser.add_argument("--terms", type=int, default=120)
    args = parser.parse_args()
    hearing = Hearing(AcousticModel(args.net))
    own, others = of_texts(hearing, args.speech, 15)
    texts = round(float(np.quantile(own, OWN_REFUSED)), 2)
    show("texts", own, others, texts)
    own, others = of_words(hearing, args.speech, 17)
    drills = round(float(np.quantile(own, WORDS_REFUSED)), 2)
    show("learners' words", own, others, drills)
    show("voices' terms", *of_terms(hearing, args.terms, 16), drills)
    shipped = round(drills - SURER_NATS, 2)
    replace(default_fusion(), fits_from=texts, drill_fits_from=shipped).save(FUSION_PATH)


if __name__ == "__main__":
    main()
