"""Test cases with the truth planted: for calibration on dev, and for the benchmark on held-out."""

import csv
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from pronunciation.clip import Clip, decode_pcm16
from pronunciation.g2p import dictionary, pronunciations
from pronunciation.hearing.results import Target
from pronunciation.phones import VOWELS, base_phone
from pronunciation.terms import Term
from scripts.train.corrupt import replace_one
from scripts.train.prepare import read_audio
from scripts.train.splits import Split, split_of
from scripts.train.voices import Voice, speak

CARRIERS = (
    "we moved the cluster to {} last year",
    "in my last project I used {} for most of it",
    "the main problem was that {} did not scale",
    "I would choose {} because it is simple",
    "before that we had no {} at all",
    "{} was the first thing we looked at",
    "people often ask me about {}",
)
LONGEST_S = 12.0


@dataclass(frozen=True, eq=False)
class Case:
    """One question with its answer.

    Attributes:
        kind: ``unrelated``, ``confusable``, ``accepted`` or ``synthetic``.
        speaker: who spoke: a speaker's number or a voice's name.
        clip: the sound.
        words: the text.
        target: the term in it.
        truth: the spoken reading.
    """

    kind: str
    speaker: str
    clip: Clip
    words: tuple[str, ...]
    target: Target
    truth: str


def sentences(folder: Path, split: Split) -> Iterator[tuple[tuple[str, ...], Clip]]:
    """Words and sound of every read sentence of a split."""
    return ((words, clip) for _, clip, words in _real(folder, split))


def _native(folder: Path) -> Iterator[tuple[str, Clip, tuple[str, ...]]]:
    with (folder / "native" / "manifest.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            samples = read_audio(folder / "native" / row["audio"])
            clip = Clip(decode_pcm16(samples.tobytes()))
            yield row["speaker"], clip, tuple(row["text"].lower().split())


def _real(
    folder: Path, split: Split | Literal["native"]
) -> Iterator[tuple[str, Clip, tuple[str, ...]]]:
    if split == "native":
        yield from _native(folder)
        return
    with (folder / "l2-mandarin" / "manifest.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if split_of(row["speaker"]) == split:
                samples = read_audio(folder / "l2-mandarin" / row["audio"])
                clip = Clip(decode_pcm16(samples.tobytes()))
                yield row["speaker"], clip, tuple(row["text"].lower().split())


def real_cases(
    folder: Path, split: Split | Literal["native"], seed: int, words_each: int = 2
) -> Iterator[Case]:
    """Words of read sentences against themselves with one phone replaced; either one is accepted.

    Args:
        folder: ``shared/speech``.
        split: the speakers' split; ``native``: the four native speakers.
        seed: of the random numbers.
        words_each: words tested per sentence, each once for both kinds of replacement.
    """
    rng = random.Random(seed)
    for speaker, clip, words in _real(folder, split):
        places = [i for i, w in enumerate(words) if len(dictionary().get(w, ((),))[0]) > 1]
        for place in rng.sample(places, min(words_each, len(places))):
            said = dictionary()[words[place]][0]
            for kind in ("unrelated", "confusable"):
                other = replace_one(said, rng, confusable=kind == "confusable")
                if other is None or other in dictionary()[words[place]]:
                    continue
                pair = (" ".join(said), " ".join(other))
                accepted, mistake = pair if rng.random() < 0.5 else pair[::-1]
                target = Target(words[place], place, 1, (accepted,), (mistake,))
                yield Case(kind, speaker, clip, words, target, pair[0])


def accepted_cases(folder: Path, split: Split, seed: int, words_each: int = 2) -> Iterator[Case]:
    """Words of read sentences with their dictionary readings accepted and likely mistakes."""
    rng = random.Random(seed)
    for speaker, clip, words in _real(folder, split):
        places = [i for i, w in enumerate(words) if len(dictionary().get(w, ((),))[0]) > 1]
        for place in rng.sample(places, min(words_each, len(places))):
            known = dictionary()[words[place]]
            drawn = {replace_one(known[0], rng, confusable=c) for c in (True, False, True)}
            mistakes = tuple(" ".join(m) for m in drawn if m is not None and m not in known)
            readings = tuple(" ".join(r) for r in known)
            if mistakes:
                target = Target(words[place], place, 1, readings, mistakes)
                yield Case("accepted", speaker, clip, words, target, readings[0])


def _sayable(phones: Sequence[str]) -> list[str]:
    """Dictionary phones with a stress on the first full vowel."""
    out, stressed = [], False
    for phone in phones:
        if base_phone(phone) in VOWELS and phone[-1] not in "012":
            strong = not stressed and (phone != "AH" or len(phones) < 4)
            stressed = stressed or strong
            phone += "1" if strong else "0"
        out.append(phone)
    return out


def synthetic_cases(
    terms: Sequence[Term], voices: Sequence[Voice], seed: int, count: int, noise_db: float = 0.0
) -> Iterator[Case]:
    """Terms in carrier sentences, each said by a voice with one of all its readings.

    Args:
        terms: lexicon terms.
        voices: who speaks, in turn.
        seed: of the random numbers.
        count: how many cases.
        noise_db: how far speech is above white noise; 0: no noise.
    """
    rng = random.Random(seed)
    noise = np.random.default_rng(seed)
    for number in range(count):
        voice = voices[number % len(voices)]
        term = rng.choice(list(terms))
        mistakes = tuple(m.phones for m in term.mistakes)
        truth = rng.choice([*term.readings, *mistakes])
        before, after = rng.choice(CARRIERS).split("{}")
        words = (*before.split(), *term.term.split(), *after.split())
        sounds = [
            *(_sayable(pronunciations(w)[0]) for w in before.split()),
            truth.split(),
            *(_sayable(pronunciations(w)[0]) for w in after.split()),
        ]
        stretch = rng.uniform(0.9, 1.2)
        samples = speak(sounds, replace(voice, stretch=stretch)).samples
        if noise_db:
            level = float(np.sqrt((samples**2).mean())) * 10 ** (-noise_db / 20)
            samples = samples + noise.standard_normal(samples.size).astype(np.float32) * level
        samples = np.clip(samples, -1, 1).astype(np.float32)
        place = len(before.split())
        target = Target(term.term, place, len(term.term.split()), term.readings, mistakes)
        yield Case("synthetic", voice.name, Clip(samples), words, target, truth)
