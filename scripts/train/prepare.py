"""Gather what the network learns from: aligned real speech and synthetic voices, in one file.

python -m scripts.train.prepare --speech ../shared/speech --out /tmp/hearing.pkl
"""

import argparse
import csv
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pronunciation.clip import encode_pcm16
from pronunciation.g2p import Phones, dictionary
from pronunciation.hearing.acoustic import LABEL_INDEX
from pronunciation.phones import base_phone
from scripts.train.corrupt import corrupt, invented, stressed
from scripts.train.splits import split_of
from scripts.train.utterance import Utterance
from scripts.train.voices import TRAIN_VOICES, Voice, speak

SPEAKERS_AT_ONCE = 2
"""Synthetic voices are separate programs; this many run at a time."""


def read_audio(path: Path) -> npt.NDArray[np.int16]:
    """Mono 16 kHz samples of an audio file."""
    import av

    with av.open(str(path)) as container:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=16_000)
        frames = [f for frame in container.decode(audio=0) for f in resampler.resample(frame)]
        frames += resampler.resample(None)
    return np.concatenate([f.to_ndarray().reshape(-1) for f in frames]).astype(np.int16)


def read_speech(folder: Path, split: str) -> Iterator[Utterance]:
    """The split's utterances of ``l2-mandarin``, aligned by PocketSphinx if possible."""
    from pocketsphinx import Decoder

    decoder = Decoder(lm=None, loglevel="FATAL", beam=1e-80, wbeam=1e-60, pbeam=1e-80)
    with (folder / "l2-mandarin" / "manifest.tsv").open(encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file, delimiter="\t") if split_of(r["speaker"]) == split]
    for row in rows:
        samples = read_audio(folder / "l2-mandarin" / row["audio"])
        text = row["text"].lower().split()
        if not all(word in dictionary() for word in text):
            continue
        yield _align(decoder, samples, text, row["speaker"])


def _align(decoder, samples: npt.NDArray[np.int16], text: list[str], speaker: str) -> Utterance:  # type: ignore[no-untyped-def]
    plain = tuple(dictionary()[word][0] for word in text)
    fallback = Utterance(samples, plain, speaker, (), " ".join(text))
    try:
        decoder.set_align_text(" ".join(text))
        for second_pass in (False, True):
            if second_pass:
                decoder.set_alignment()
            decoder.start_utt()
            decoder.process_raw(samples.tobytes(), full_utt=True)
            decoder.end_utt()
        words: list[Phones] = []
        ends: list[tuple[int, float]] = []
        for entry in decoder.get_alignment():
            spoken = not entry.name.startswith("<") and not entry.name.startswith("[")
            phones = [(p.name, (p.start + p.duration) / 100) for p in entry]
            if spoken:
                words.append(tuple(name for name, _ in phones))
            ends += [(LABEL_INDEX[n] if spoken else 0, end_s) for n, end_s in phones]
    except RuntimeError:
        return fallback
    if len(words) != len(text):
        return fallback
    return Utterance(samples, tuple(words), speaker, tuple(ends), " ".join(text))


def _word(word: str, rng: random.Random) -> Phones:
    """A word of a sentence as it will be spoken, with stress; often not as in the dictionary."""
    phones = rng.choice(dictionary()[word])
    roll = rng.random()
    if roll < 0.30:
        return invented(rng)
    if roll < 0.55:
        phones = tuple(map(base_phone, corrupt(phones, rng)))
    return stressed(phones, rng)


def _speak(words: list[Phones], voice: Voice) -> Utterance:
    spoken = speak(words, voice)
    ends = tuple((LABEL_INDEX.get(_arpabet(name), 0), end_s) for name, end_s in spoken.ends_s)
    plain = tuple(tuple(map(base_phone, word)) for word in words)
    return Utterance(
        np.frombuffer(encode_pcm16(spoken.samples), np.int16), plain, voice.name, ends, ""
    )


def synthetic(
    texts: list[list[str]], count: int, voices: tuple[Voice, ...], rng: random.Random
) -> Iterator[Utterance]:
    """Sentences with half of the words changed or invented, so that no word predicts its phones."""
    flite = [v for v in voices if v.engine == "flite"]
    others = [v for v in voices if v.engine != "flite"]
    vocabulary = [w for w in dictionary() if w.isalpha()]
    plans: list[tuple[list[Phones], Voice]] = []
    for number in range(count):
        voice = rng.choice(flite if number % 2 and flite else others or flite)
        pitch = None
        if voice.engine == "espeak-ng":
            pitch = rng.randint(20, 80)
        elif rng.random() < 0.6:
            pitch = rng.randint(75, 260)
        text = [rng.choice(vocabulary) if rng.random() < 0.25 else w for w in rng.choice(texts)]
        words = [_word(word, rng) for word in text[: rng.randint(3, 10)]]
        plans.append((words, replace(voice, stretch=rng.uniform(0.8, 1.3), pitch=pitch)))
    with ThreadPoolExecutor(SPEAKERS_AT_ONCE) as pool:
        yield from pool.map(_speak, *zip(*plans, strict=True))


def _arpabet(flite_phone: str) -> str:
    return {"ax": "AH", "pau": "SIL", "axr": "ER"}.get(flite_phone, flite_phone.upper())


def main() -> None:
    """Write the file that ``train`` reads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=Path("../shared/speech"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--synthetic", type=int, default=8000, help="synthetic sentences")
    parser.add_argument("--texts", type=Path, help="more sentences for the voices, one a line")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    data = {split: list(read_speech(args.speech, split)) for split in ("train", "dev")}
    texts = [u.text.split() for u in data["train"]]
    if args.texts:
        for line in args.texts.read_text(encoding="utf-8").lower().splitlines():
            words = [w.strip('.,;:?!()"') for w in line.split()]
            words = [w for w in words if w in dictionary()]
            texts += [words] * 2 if len(words) > 4 else []
    voices = tuple(v for v in TRAIN_VOICES if v.is_available())
    if voices:
        data["synthetic"] = list(synthetic(texts, args.synthetic, voices, rng))
    for name, items in data.items():
        hours = sum(u.samples.size for u in items) / 16_000 / 3600
        aligned = sum(bool(u.ends) for u in items)
        print(f"{name}: {len(items)} utterances, {hours:.2f} h, {aligned} aligned")
    with args.out.open("wb") as file:
        pickle.dump(data, file)


if __name__ == "__main__":
    main()
