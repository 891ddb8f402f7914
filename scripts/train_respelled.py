r"""Learn where a transcriber wrote a term as what it sounds like (``respelled.json``).

    python scripts/train_respelled.py speak /tmp/answers [--models tiny.en,base] [--minutes 60]
        [--accents Korean,Spanish] [--with-terms]
    python scripts/train_respelled.py fit /tmp/answers... [--dry-run]

``speak`` lets the neural voice say parts of the bank's answers and of those in people's own words
(``benchmarks/answers/dev*.jsonl``), by turns in every accent, and keeps what real weights wrote and
frame scores. ``fit`` finds where each term was said by aligning the text with the sound, and learns
from the places that sound like a term which of them are one. It reports on other questions than
those learned from, and on other accents.
"""

import itertools
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.accents import Accent, choose
from benchmarks.neural_voice import NeuralVoice
from client.answering.assembly import load_hearing
from client.answering.hearing import AnswerHearing
from client.answering.worker import AnswerWorker
from client.core.errors import NoSpeech
from client.core.settings import ClientSettings
from client.transcription.engines import load_engine
from pronunciation.hearing.acoustic import AcousticModel
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.layout import Phones, lay_out
from pronunciation.hearing.misspelled import Indices, Misspellings, indices
from pronunciation.hearing.phrases import phrase_model
from pronunciation.hearing.places import FEATURES, Floats, Written, candidates, unit_frames
from pronunciation.hearing.respelled import (
    MODEL_PATH,
    MORE_FEATURES,
    is_free,
    sounds_like,
    term_features,
)
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from scripts import misspellings
from scripts.speak_and_fit import Learned, command_line, regress
from server.contract import Transcript

OWN_WORDS: Final = tuple(Path(f"benchmarks/answers/dev{number}.jsonl") for number in (1, 2, 3))
WORDS: Final = 85
"""Of an answer: many answers teach more than long ones."""
FOLDS: Final = 5
FOUND_FROM: Final = 0.15
"""Chosen by the report: of the terms found from there on 15 % were not said."""
THRESHOLDS: Final = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8)
WIDTH: Final = 600

TOGETHER: Final = 3
"""Frames between the beginnings of a word that was said and of one that was written."""
LONGEST_PAIR: Final = 45
"""Phones; where so many have no beginning in common, the alignment is lost."""

Stretch = tuple[str, int, int]
"""A term, its first frame, and the frame behind its last."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a term may have been said.

    ``lost``: which of the terms lost there, -1 for none; ``note``: the term and the words there.
    """

    features: npt.NDArray[np.float64]
    words: tuple[int, ...]
    lost: int
    note: str


@dataclass(frozen=True, eq=False)
class Answer:
    """A spoken answer: its terms, how many of them the transcript does not name, and places."""

    accent: str
    question: str
    terms: int
    lost: int
    places: tuple[Place, ...]


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
    options = parser.parse_args()
    if options.command == "speak":
        accents = choose([name for name in options.accents.split(",") if name])
        spotter = TermSpotter(load_lexicon()) if options.with_terms else None
        spoken = texts(random.Random(options.seed), spotter)
        speak(options.folder, options.models.split(","), options.minutes, accents, spoken)
    else:
        answers, written = answers_of(options.folders)
        fit(answers, written, dry_run=options.dry_run)
    return 0


def speak(
    folder: Path,
    models: Sequence[str],
    minutes: float,
    accents: Sequence[Accent],
    spoken: Iterable[tuple[str, str]],
) -> None:
    """Say answers and keep what was written; goes on where it stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    ends_s = time.monotonic() + 60 * minutes
    voice, network = NeuralVoice(load_lexicon()), AcousticModel()
    engines = {model: load_engine("faster-whisper", model, offline=True) for model in models}
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
                    transcript, _ = AnswerWorker(engine).run(clip)
                except NoSpeech:
                    continue
                np.save(file.with_suffix(".npy"), network.scores(clip).astype(np.float16))
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


@dataclass(frozen=True, eq=False)
class Recording:
    """A spoken answer: what was said when, and the transcript aligned with the sound.

    ``meant``: the text's units and their frames; ``said``: its terms.
    """

    accent: str
    question: str
    meant: tuple[tuple[Phones, int], ...]
    said: tuple[Stretch, ...]
    words: tuple[str, ...]
    written: Written
    scores: npt.NDArray[np.float16]


def answers_of(folders: Sequence[Path]) -> tuple[list[Answer], Misspellings]:
    """What ``speak`` kept, with the places of terms in it, and what is written for what.

    Each answer's places are looked for with the misspellings of the other accents.
    """
    with tempfile.TemporaryDirectory() as home:
        hearing = load_hearing(ClientSettings(home=Path(home)))
        recordings = list(recordings_of(folders, hearing))
        pairs = [(each.accent, pairs_of(each)) for each in recordings]
        without = {
            accent: misspellings.learn(
                pair for of, found in pairs for pair in found if of != accent
            )
            for accent in {each.accent for each in recordings}
        }
        answers = [answer_of(each, hearing, without[each.accent]) for each in recordings]
    return answers, misspellings.learn(pair for _, found in pairs for pair in found)


def recordings_of(folders: Sequence[Path], hearing: AnswerHearing) -> Iterator[Recording]:
    """The answers of some folders, each read and aligned."""
    for file in sorted(file for folder in folders for file in folder.glob("*.json")):
        kept = json.loads(file.read_text())
        scores = np.load(file.with_suffix(".npy"))
        meant, said = text_said(hearing, kept["text"], scores.astype(np.float32))
        transcript = Transcript.model_validate(kept["t"])
        parts = hearing.spotter.take_apart([word.text for word in transcript.words])
        wholes = [transcript.words[index] for index in parts.whole]
        written = Written.align(
            scores.astype(np.float32),
            lay_out(parts.words, [spot.target for spot in hearing.spotter.spot(parts.words)]),
            [(word.start_s or 0.0, word.end_s or 0.0) for word in wholes],
            [word.confidence for word in wholes],
        )
        yield Recording(kept["accent"], kept["q"], meant, said, parts.words, written, scores)


def text_said(
    hearing: AnswerHearing, text: str, scores: Floats
) -> tuple[tuple[tuple[Phones, int], ...], tuple[Stretch, ...]]:
    """The units of a text with their first frames, and its terms."""
    words = hearing.spotter.take_apart(text.split()).words
    layout = lay_out(words, [spot.target for spot in hearing.spotter.spot(words)])
    chain = word_states(layout.phones)
    said_as = phrase_model().said_as
    meant = np.log(np.exp(np.clip(scores, -20, 20)) @ said_as.T + np.float32(1e-9))
    path = best_path(meant, chain, width=WIDTH)
    if path is None:
        return (), ()
    frames = unit_frames(Written(layout, chain, path.states, ()))
    units = tuple((phones, begin) for phones, (begin, _) in zip(layout.phones, frames, strict=True))
    return units, tuple(
        (hearing.spotter.by_its_sound(target.term), frames[unit][0], frames[unit][1] + 1)
        for unit, target in enumerate(layout.target)
        if target is not None
    )


def pairs_of(recording: Recording) -> list[tuple[Indices, Indices]]:
    """What was meant and what was written between places where words of both begin at once."""
    layout, frames = recording.written.layout, unit_frames(recording.written)
    begins = np.array([begin for begin, _ in frames])
    cuts = [(0, 0)]
    for unit, (_, begin) in enumerate(recording.meant):
        near = np.flatnonzero(np.abs(begins - begin) <= TOGETHER)
        if unit > cuts[-1][0] and near.size and near[0] > cuts[-1][1]:
            cuts.append((unit, int(near[0])))
    cuts.append((len(recording.meant), len(frames)))
    pairs = []
    for (a, c), (b, d) in itertools.pairwise(cuts):
        meant = indices([each for phones, _ in recording.meant[a:b] for each in phones])
        written = indices([each for phones in layout.phones[c:d] for each in phones])
        if meant.size <= LONGEST_PAIR and written.size <= LONGEST_PAIR:
            pairs.append((meant, written))
    return pairs


def answer_of(each: Recording, hearing: AnswerHearing, learned: Misspellings) -> Answer:
    """An answer with the places where terms may have been said that nobody wrote."""
    written, words, scores = each.written, each.words, each.scores.astype(np.float32)
    asked = hearing.asked(_questions()[each.question])
    first, frames = len(asked.phrases), unit_frames(written)
    targets = [target for target in written.layout.target if target is not None]
    named = [
        (hearing.spotter.by_its_sound(target.term), frames[unit][0], frames[unit][1] + 1)
        for unit, target in enumerate(written.layout.target)
        if target is not None
    ]
    lost = [one for one in each.said if not any(same(one, other, 0.3) for other in named)]
    ordinary, soundings = hearing.ordinary, asked.soundings
    near = sounds_like(written, words, soundings, ordinary, first, learned)
    places = []
    for place in candidates(scores, written, asked.wanted, phrase_model().said_as, near):
        if place.index < first or not place.words:
            continue
        sounding = soundings[place.index - first]
        if not is_free(place, sounding.term, words, targets):
            continue
        here = (hearing.spotter.by_its_sound(sounding.term), place.start, place.end)
        of = [at for at, one in enumerate(lost) if same(one, here, 0.5)]
        features = term_features(place, written, words, sounding, ordinary, learned)
        note = f"{sounding.term} in {' '.join(words[at] for at in place.words)!r}"
        places.append(Place(features, place.words, of[0] if of else -1, note))
    return Answer(each.accent, each.question, len(each.said), len(lost), tuple(places))


@cache
def _questions() -> dict[str, Question]:
    return {question.id: question for question in load_bank().questions}


def same(one: Stretch, other: Stretch, share: float) -> bool:
    """Whether two stretches are the same term, and share so much of the shorter."""
    together = min(one[2], other[2]) - max(one[1], other[1])
    return one[0] == other[0] and together > share * min(one[2] - one[1], other[2] - other[1])


def fit(answers: Sequence[Answer], written: Misspellings, *, dry_run: bool) -> None:
    """Learn, report, and write the model."""
    questions = sorted({answer.question for answer in answers})
    folds = [set(questions[at::FOLDS]) for at in range(FOLDS)]
    print("questions not learned from")
    report(
        (answer, learned)
        for fold in folds
        for learned in [learn([a for a in answers if a.question not in fold])]
        for answer in answers
        if answer.question in fold
    )
    for accent in sorted({answer.accent for answer in answers}):
        print(f"{accent}, neither the accent nor the questions learned from")
        report(
            (
                (answer, learned)
                for fold in folds
                for learned in [
                    learn([a for a in answers if a.question not in fold and a.accent != accent])
                ]
                for answer in answers
                if answer.question in fold and answer.accent == accent
            ),
            (FOUND_FROM,),
        )
    if not dry_run:
        write(learn(answers), written)


def learn(answers: Sequence[Answer]) -> Learned:
    """Logistic regression; of the places of a term that was said the likeliest counts."""
    places = [place for answer in answers for place in answer.places]
    rows = np.array([place.features for place in places])
    term = np.array(
        [number * 1000 + p.lost if p.lost >= 0 else -1 for number, each in enumerate(answers)
         for p in each.places]
    )  # fmt: skip
    odds = -rows[:, len(FEATURES)]  # at first, how near the words are
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


def _odds(place: Place, learned: Learned) -> float:
    return float(place.features @ learned.weights + learned.bias)


def report(
    judged: Iterable[tuple[Answer, Learned]], thresholds: Sequence[float] = THRESHOLDS
) -> None:
    """Print how many of the lost terms are found, and how many that were not said."""
    judged = list(judged)
    terms, lost = (sum(getattr(answer, name) for answer, _ in judged) for name in ("terms", "lost"))
    for threshold in thresholds:
        found = wrong = 0
        for answer, learned in judged:
            hits: set[int] = set()
            taken: set[int] = set()
            for place in sorted(answer.places, key=lambda each: -_odds(each, learned)):
                if _odds(place, learned) < np.log(threshold / (1 - threshold)):
                    break
                if taken.isdisjoint(place.words):
                    taken.update(place.words)
                    hits |= {place.lost}
                    wrong += place.lost < 0
            found += len(hits - {-1})
        print(
            f"  from {threshold:.2f}: {found} of {lost} lost terms found, {wrong} not said; of all "
            f"{terms} terms {1 - lost / terms:.3f} -> {1 - (lost - found) / terms:.3f}"
        )


def write(learned: Learned, written: Misspellings) -> None:
    """Write the model."""
    names = (*FEATURES, *MORE_FEATURES)
    weights = {n: round(float(w), 4) for n, w in zip(names, learned.weights, strict=True)}
    table = {
        "found_from": FOUND_FROM,
        "bias": round(learned.bias, 4),
        "weights": weights,
        "misspellings": written.table(),
    }
    MODEL_PATH.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
