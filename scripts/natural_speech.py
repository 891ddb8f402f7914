"""Adds the natural voice in accents to what the acoustic network learns from.

    python scripts/natural_speech.py --data /tmp/hearing.pkl [--sentences 4000]

It follows ``scripts.train.prepare`` and writes into the same file, under ``natural``. The
voice says sentences that learners read, with lexicon terms put into them, in the accents of
``benchmarks.accents.LEARNED_FROM`` and as an American; half of the words are changed or invented.
The words are those phones that were spoken, by the accent's rules, and the shipped network aligns
them. Accents that benchmarks speak in, and the terms that they ask about, are not learned from.
"""

import argparse
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.accents import ACCENTS, LEARNED_FROM, Accent
from client.speaking.voices import NaturalVoice
from pronunciation.clip import at_sample_rate, encode_pcm16
from pronunciation.g2p import Phones
from pronunciation.hearing.acoustic import AcousticModel
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import base_phone
from pronunciation.respelling.for_voices import NATURAL, to_natural
from scripts.train.corrupt import corrupt, invented, stressed
from scripts.train.realign import realigned
from scripts.train.splits import term_split
from scripts.train.utterance import Utterance

MOST_WORDS = 10
TERMS = 0.25
"""Share of the words that are a lexicon term instead."""
INVENTED, CHANGED = 0.2, 0.45
"""Up to here a word is invented, and up to here changed; the voice says the rest as it is."""
PACE = (0.85, 1.2)
_FROM_NATURAL = {
    **{letters: phone for phone, letters in NATURAL.items()},
    "əɹ": "ER", "ɜ": "ER", "ə": "AH", "ɐ": "AH", "ᵊ": "AH", "ᵻ": "IH", "T": "T", "ɾ": "T", "ʔ": "T",
}  # fmt: skip
"""Also letters that ``to_natural`` never writes but the voice's dictionary does."""
_NATURAL_PHONE = re.compile("[ɜə]ɹ|.", re.DOTALL)


def from_natural(letters: str) -> tuple[str, ...]:
    """A word in the natural voice's alphabet as phones without stress: ``ɹˈɑki`` → R AA K IY.

    Empty if a letter is none of the alphabet's; stress marks and punctuation are left out.
    """
    plain = re.sub(r"[ˈˌ.,;:!?—…\"“”()]", "", letters)
    phones = [_FROM_NATURAL.get(each) for each in _NATURAL_PHONE.findall(plain)]
    return tuple(phone for phone in phones if phone) if all(phones) else ()


def sentences(texts: Sequence[str], count: int, rng: random.Random) -> Iterator[str]:
    """Sentences with terms in them, none of which a benchmark asks about."""
    every = [term.term for term in load_lexicon()]
    held_out = {term for term in every if term_split(term) == "heldout"}
    terms = [t for t in every if term_split(t) == "dev" and held_out.isdisjoint(t.split())]
    for _ in range(count):
        words = rng.choice(texts).split()
        start = rng.randrange(max(1, len(words) - MOST_WORDS))
        yield " ".join(
            rng.choice(terms) if rng.random() < TERMS else word
            for word in words[start : start + rng.randint(3, MOST_WORDS)]
        )


def said(phones: str, accent: Accent, rng: random.Random) -> str:
    """A sentence in the voice's alphabet as it will be spoken, often not as it should be."""
    words = []
    for word in phones.split():
        roll = rng.random()
        if roll < INVENTED:
            word = to_natural(" ".join(invented(rng)))
        elif roll < CHANGED and (plain := from_natural(word)):
            changed: Phones = tuple(map(base_phone, corrupt(plain, rng)))
            word = to_natural(" ".join(stressed(changed, rng)))
        words.append(accent(word))
    return " ".join(words)


def spoken(texts: Sequence[str], count: int, seed: int) -> Iterator[Utterance]:
    """What the voice says, not yet aligned; without what the alphabet of phones cannot write."""
    rng, lexicon = random.Random(seed), load_lexicon()
    accents = [ACCENTS["American"], *LEARNED_FROM.values()]
    for number, text in enumerate(sentences(texts, count, rng)):
        accent = accents[number % len(accents)]
        voice = NaturalVoice(rng.uniform(*PACE))
        [phones, *_] = voice.phones(text, lexicon)
        sentence = said(phones, accent, rng)
        words = tuple(from_natural(word) for word in sentence.split())
        if all(words):
            samples = at_sample_rate(voice.speak_phones(sentence, seed + number)).samples
            pcm = np.frombuffer(encode_pcm16(samples), np.int16)
            yield Utterance(pcm, words, f"natural {accent.name}", (), text)


def main() -> int:
    """Add to the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="as prepare writes it")
    parser.add_argument("--sentences", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    with options.data.open("rb") as file:
        data: dict[str, list[Utterance]] = pickle.load(file)
    model = AcousticModel()
    texts = [utterance.text for utterance in data["train"]]
    data["natural"] = [
        realigned(model, each) for each in spoken(texts, options.sentences, options.seed)
    ]
    counts = Counter((each.speaker, bool(each.ends)) for each in data["natural"])
    for (speaker, has_times), count in sorted(counts.items()):
        print(f"{speaker}: {count} {'with' if has_times else 'without'} times")
    with options.data.open("wb") as file:
        pickle.dump(data, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
