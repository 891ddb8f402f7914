r"""Learn where a transcriber wrote a term as what it sounds like (``respelled.json``).

    python scripts/train_respelled.py speak /tmp/answers [--models tiny.en,base] [--minutes 60]
        [--accents Korean,Spanish] [--with-terms]
    python scripts/train_respelled.py fit /tmp/answers... [--keep-sound] [--dry-run]

``speak`` lets the neural voice say parts of the bank's answers and of those in people's own words
(``benchmarks/answers/dev*.jsonl``), by turns in every accent, and keeps the sound, what real
weights wrote and frame scores. ``fit`` finds where each term was said by aligning the text with the
sound, and learns from the places that sound like a term which of them are one, and what it is worth
that Whisper's decoder finds the term likely there. It learns from each answer twice: with what is
known of its question, and with less, as people say terms that no model answer names. It reports on
other questions than those learned from, and on other accents.
"""

import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.accents import Accent, choose
from benchmarks.neural_voice import NeuralVoice
from client.answer.worker import RecordingWorker
from client.core.errors import NoSpeech
from client.engines.engines import EngineOptions, load_engine
from pronunciation.hearing.acoustic import AcousticModel
from pronunciation.hearing.match import DECODED
from pronunciation.hearing.misspelled import Misspellings
from pronunciation.hearing.places import FEATURES, Floats
from pronunciation.hearing.respelled import (
    EXTENDS,
    MODEL_PATH,
    MORE_FEATURES,
    choose_places,
    respelled_model,
)
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from scripts.speak_and_fit import PCM, Learned, command_line, named, regress
from scripts.spoken_terms import Answer, answers_of, decoded_answer

Judge = Callable[[Answer], Floats]
"""Gives the log odds of each place of an answer."""

OWN_WORDS: Final = tuple(Path(f"benchmarks/answers/dev{number}.jsonl") for number in (1, 2, 3))
WORDS: Final = 85
"""Of an answer: many answers teach more than long ones."""
FOLDS: Final = 5
FOUND_FROM: Final = 0.15
"""Chosen by the report: of the terms found from there on 15 % were not said."""
DECODED_FROM: Final = 0.2
"""The same with the decoder, chosen by the report: as many that were not said as by the sound. The
bias that is written makes it ``FOUND_FROM``."""
THRESHOLDS: Final = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)


def main() -> int:
    """Speaks, or fits and reports."""
    parser, speaking, fitting = command_line(__doc__, seed=5)
    speaking.add_argument("--models", default="tiny.en,base")
    speaking.add_argument("--minutes", type=float, default=60.0)
    speaking.add_argument("--accents", default="", help="names with commas; all of them by default")
    speaking.add_argument(
        "--with-terms", action="store_true", help="only the sentences that name a term"
    )
    fitting.add_argument("folders", type=Path, nargs="+")
    fitting.add_argument(
        "--keep-sound", action="store_true", help="learn only what the decoder's judgment is worth"
    )
    options = parser.parse_args()
    if options.command == "speak":
        accents = choose([name for name in options.accents.split(",") if name])
        spotter = TermSpotter(load_lexicon()) if options.with_terms else None
        spoken = texts(random.Random(options.seed), spotter)
        speak(options.folder, options.models.split(","), options.minutes, accents, spoken)
    else:
        keep = options.keep_sound
        known, unknown, written = answers_of(options.folders, keep_misspellings=keep)
        fit(known, unknown, written, keep_sound=keep, dry_run=options.dry_run)
    return 0


def speak(
    folder: Path,
    models: Sequence[str],
    minutes: float,
    accents: Sequence[Accent],
    spoken: Iterable[tuple[str, str]],
) -> None:
    """Say answers and keep what was written; continues where it stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    ends_s = time.monotonic() + 60 * minutes
    voice, network = NeuralVoice(load_lexicon()), AcousticModel()
    engines = {
        model: load_engine("faster-whisper", EngineOptions(model, offline=True)) for model in models
    }
    for number, (question, text) in enumerate(spoken):
        for accent in accents:
            clip = voice.say(text, accent, seed=number)
            for model, engine in engines.items():
                file = folder / f"{model.replace('.', '')}-{accent.name}-{number:03d}.json"
                if time.monotonic() > ends_s:
                    return
                if file.exists():
                    continue
                try:
                    transcript, _ = RecordingWorker(engine).run(clip)
                except NoSpeech:
                    continue
                np.savez(
                    file.with_suffix(".npz"),
                    scores=network.scores(clip).astype(np.float16),
                    samples=np.round(clip.samples * PCM).astype(np.int16),
                )
                kept = {"q": question, "accent": accent.name, "text": text}
                file.write_text(json.dumps(kept | {"t": transcript.model_dump(mode="json")}))


def texts(rng: random.Random, spotter: TermSpotter | None = None) -> Iterator[tuple[str, str]]:
    """Parts of answers: two of the bank's, then one in somebody's own words.

    Args:
        rng: their order.
        spotter: where it is given, only sentences that name a term.
    """
    bank = [(each.id, each.model_answer) for each in load_bank().questions]
    lines = [json.loads(line) for file in OWN_WORDS for line in file.read_text().splitlines()]
    own = [(line["id"], line["text"]) for line in lines if line["quality"] == "strong"]
    rng.shuffle(bank)
    rng.shuffle(own)
    for number, pair in enumerate(zip(bank, own, strict=False)):
        question, text = pair[number % 3 == 2]
        sentences = re.split(r"(?<=[.?!]) ", text)
        if spotter is not None:
            sentences = [each for each in sentences if spotter.named(each)]
        part = sentences if number % 2 else sentences[len(sentences) // 3 :]
        while len(part) > 1 and sum(len(each.split()) for each in part) > WORDS:
            part = part[:-1]
        if part:
            yield question, " ".join(part)


def fit(
    known: Sequence[Answer],
    unknown: Sequence[Answer],
    written: Misspellings,
    *,
    keep_sound: bool,
    dry_run: bool,
) -> None:
    """Learn, report, and write the model.

    Args:
        known: the answers; the question names their terms.
        unknown: the same without its model answer, see ``spoken_terms``.
        written: what is written for what.
        keep_sound: whether only the worth of the decoder's judgment is learned.
        dry_run: write nothing.
    """
    shipped = respelled_model()
    sound = Learned(shipped.weights.sound, shipped.weights.sound_bias)
    kinds = {"with": known, "without": unknown}
    if keep_sound:
        print("by the sound, shipped")
        for name, kind in kinds.items():
            print(f"{name} their model answers")
            report((answer, by_sound(answer, sound)) for answer in kind)
    else:
        held_out("by the sound", kinds, lambda answers: partial(by_sound, learned=learn(answers)))
        sound = learn([*known, *unknown])
    engines = {
        model: load_engine("faster-whisper", EngineOptions(model, offline=True))
        for model in {answer.model for answer in known}
    }
    kinds = {
        name: [decoded_answer(answer, by_sound(answer, sound), engines) for answer in kind]
        for name, kind in kinds.items()
    }
    held_out(
        "with the decoder",
        kinds,
        lambda answers: partial(by_decoder, sound=sound, learned=learn_decoder(answers, sound)),
    )
    if not dry_run:
        answers = [answer for kind in kinds.values() for answer in kind]
        decoder = learn_decoder(answers, sound)
        moved = Learned(
            decoder.weights, decoder.bias - _log_odds(DECODED_FROM) + _log_odds(FOUND_FROM)
        )
        write(None if keep_sound else (sound, written), moved)


def held_out(
    name: str,
    kinds: Mapping[str, Sequence[Answer]],
    learned_from: Callable[[Sequence[Answer]], Judge],
) -> None:
    """Report on questions, and on accents, that nothing was learned from.

    Args:
        name: of the report.
        kinds: the answers, by what is known of their questions.
        learned_from: learns a judge from answers.
    """
    answers = [answer for kind in kinds.values() for answer in kind]
    questions = sorted({answer.question for answer in answers})
    folds = [set(questions[at::FOLDS]) for at in range(FOLDS)]
    for accent in ("", *sorted({answer.accent for answer in answers})):
        judges = [
            learned_from([a for a in answers if a.question not in fold and a.accent != accent])
            for fold in folds
        ]
        for kind, some in kinds.items():
            print(f"{name}, {accent or 'all accents'}, {kind} model answers, other questions")
            report(
                (
                    (answer, judge(answer))
                    for fold, judge in zip(folds, judges, strict=True)
                    for answer in some
                    if answer.question in fold and accent in ("", answer.accent)
                ),
                (FOUND_FROM,) if accent else THRESHOLDS,
            )


def by_sound(answer: Answer, learned: Learned) -> Floats:
    """The log odds of each place by the sound."""
    rows = np.array([place.features for place in answer.places])
    return rows.reshape(-1, len(learned.weights)) @ learned.weights + learned.bias


def by_decoder(answer: Answer, sound: Learned, learned: Learned) -> Floats:
    """The log odds of each place, by the decoder too where it was asked."""
    odds = by_sound(answer, sound)
    for at, place in enumerate(answer.places):
        if place.decoded is not None:
            odds[at] = np.r_[odds[at], place.decoded] @ learned.weights + learned.bias
    return odds


def learn(answers: Sequence[Answer]) -> Learned:
    """Logistic regression on what the sound says."""
    places = [place.features for answer in answers for place in answer.places]
    # at first, the nearest words are the likeliest
    return _learn(answers, np.array(places), lambda rows: -rows[:, len(FEATURES)])


def learn_decoder(answers: Sequence[Answer], sound: Learned) -> Learned:
    """Logistic regression on the log odds by the sound and what the decoder says."""
    asked, rows = [], []
    for answer in answers:
        odds = by_sound(answer, sound)
        chosen = [at for at, place in enumerate(answer.places) if place.decoded is not None]
        asked.append(replace(answer, places=tuple(answer.places[at] for at in chosen)))
        rows += [np.r_[odds[at], answer.places[at].decoded] for at in chosen]
    return _learn(asked, np.array(rows), lambda rows: rows[:, 0])


def _learn(
    answers: Sequence[Answer], rows: Floats, at_first: Callable[[Floats], Floats]
) -> Learned:
    """Logistic regression; of the places of a term that was said the likeliest counts."""
    term = np.array(
        [number * 1000 + p.lost if p.lost >= 0 else -1 for number, each in enumerate(answers)
         for p in each.places]
    )  # fmt: skip
    odds = at_first(rows)
    learned: Learned | None = None
    for _ in range(4):
        likeliest_first = np.argsort(-odds, kind="stable")
        _, first = np.unique(term[likeliest_first], return_index=True)
        chosen = term < 0
        chosen[likeliest_first[first]] = True
        learned = regress(rows[chosen], (term[chosen] >= 0).astype(np.float64))
        odds = rows @ learned.weights + learned.bias
    assert learned is not None
    return learned


def report(
    judged: Iterable[tuple[Answer, Floats]], thresholds: Sequence[float] = THRESHOLDS
) -> None:
    """Print how many of the lost terms are found, and how many that were not said."""
    judged = list(judged)
    extends = float(respelled_model().weights.sound[EXTENDS])
    terms, lost = (sum(getattr(answer, name) for answer, _ in judged) for name in ("terms", "lost"))
    for threshold in thresholds:
        found = wrong = 0
        for answer, odds in judged:
            if not answer.places:
                continue
            chosen = choose_places(
                [place.term for place in answer.places],
                [place.words for place in answer.places],
                np.array([place.features for place in answer.places]),
                odds,
                extends,
                threshold,
            )
            hits = [answer.places[at].lost for at, _ in chosen]
            wrong += hits.count(-1)
            found += len({*hits} - {-1})
        print(
            f"  from {threshold:.2f}: {found} of {lost} lost terms found, {wrong} not said; of all "
            f"{terms} terms {1 - lost / terms:.3f} -> {1 - (lost - found) / terms:.3f}"
        )


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def write(sound: tuple[Learned, Misspellings] | None, decoder: Learned) -> None:
    """Write the model; what was learned of the sound stays as it is if that is ``None``."""
    table = json.loads(MODEL_PATH.read_text(encoding="utf-8"))
    if sound is not None:
        learned, written = sound
        table["bias"] = round(learned.bias, 4)
        table["weights"] = named((*FEATURES, *MORE_FEATURES), learned)
        table["misspellings"] = written.table()
    table["found_from"] = FOUND_FROM
    table["decoder"] = {
        "bias": round(decoder.bias, 4),
        "weights": named(("odds", *DECODED), decoder),
    }
    MODEL_PATH.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
