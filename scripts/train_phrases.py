"""Teaches the hearing to find phrases in the sound, and prints how good it is on other questions.

    python scripts/train_phrases.py speak DIR [--accents German,Spanish] [--questions 40] [--seed 1]
    python scripts/train_phrases.py fit DIR... [--test DIR] [--dry-run]

``speak`` lets the neural voice say key phrases, and near misses of them, with accent rules, and
keeps what Whisper tiny.en writes and the network's frame scores. ``fit`` learns from that which
phones come out as which others and what a place must be like, and writes
pronunciation/hearing/model/phrases.json. A phrase is looked for where grading does not find it in
the transcript, and was said where grading finds it in the text that was spoken.
"""

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.accents import choose
from benchmarks.neural_voice import NeuralVoice
from client.answering.hearing import phrase_wordings
from client.answering.recorded import RecordingWorker
from client.core.errors import NoSpeech
from client.transcription.engines import load_engine
from pronunciation.hearing.acoustic import LABELS, N_CLASSES, AcousticModel
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.layout import lay_out
from pronunciation.hearing.phrases import MODEL_PATH
from pronunciation.hearing.places import FEATURES, Candidate, Floats, Wanted, Written, candidates
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import KeyPhrase
from scripts.speak_and_fit import Learned, command_line, confusions, regress
from server.contract import Coverage, Transcript
from server.grading import cover

SIBLINGS: Final = Path("server/grading/data/siblings.txt")
CARRIERS: Final = (
    "So for me it comes down to {}.", "What we did next was {} on every node.",
    "I would look at {} first, before anything else.", "We argued about {} for a week.",
    "And then there is {} too.", "It is {} that matters here.", "My team had {} from the start.",
    "Without {} the numbers were bad.", "You can see {} in the graphs.",
)  # fmt: skip
NEAR_MISSES, ALIASES, UNSAID = 0.5, 0.1, 0.15
"""How often a phrase is said with a sibling in it, by an alias, or not at all."""
OTHERS: Final = 15
"""Phrases of other questions, which nobody said, that are looked for in each recording."""
BY_THE_WORDS: Final = frozenset({"exact", "inflected", "alias", "acronym"})
FOLDS: Final = 6
WRONG: Final = 0.005
"""So many phrases that were not said may be found."""
ROUNDS, SMOOTHING, SAME = 3, 20.0, 0.3
"""Of learning what is said as what: rounds, and what every phone is given before, in frames."""
BY_HAND: Final = 0.4
"""Weight of the table of confusions beside what was learned, for accents not among these."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A spoken text, what the engine wrote, and frame scores."""

    question: str
    text: str
    transcript: Transcript
    scores: Floats


@dataclass(frozen=True, eq=False)
class Case:
    """A phrase that grading does not find in a transcript, and where it may have been said."""

    question: str
    phrase: str
    said: bool
    own: bool
    places: tuple[Candidate, ...]


def main() -> int:
    """Speaks, or fits and reports."""
    parser, speaking, fitting = command_line(__doc__, seed=1)
    speaking.add_argument("--accents", default="American,German,Indian,Mandarin,Spanish")
    speaking.add_argument("--questions", type=int, default=111)
    fitting.add_argument("folders", type=Path, nargs="+")
    fitting.add_argument("--test", type=Path, action="append", default=[])
    options = parser.parse_args()
    if options.command == "speak":
        speak(options.folder, options.accents.split(","), options.questions, options.seed)
    else:
        fit(options.folders, options.test, dry_run=options.dry_run)
    return 0


def speak(folder: Path, accents: Sequence[str], questions: int, seed: int) -> None:
    """Say the phrases of some questions and keep what was written; continues where it stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    voice, engine, network = (
        NeuralVoice(load_lexicon()),
        load_engine("faster-whisper", "tiny.en"),
        AcousticModel(),
    )
    rules = choose(accents)
    chosen = rng.sample(list(load_bank().questions), questions)
    for number, question in enumerate(chosen):
        accent = rules[number % len(rules)]
        text = " ".join(
            rng.choice(CARRIERS).format(said)
            for phrase in question.key_phrases
            if (said := spoken_form(phrase, rng))
        )
        file = folder / f"{accent.name}-{question.id}.json"
        if file.exists() or not text:
            continue
        clip = voice.say(text, accent, seed=number)
        try:
            transcript, _ = RecordingWorker(engine).run(clip)
        except NoSpeech:
            continue
        np.save(file.with_suffix(".npy"), network.scores(clip).astype(np.float16))
        kept = {"question": question.id, "text": text, "transcript": transcript.model_dump()}
        file.write_text(json.dumps(kept))


def spoken_form(phrase: KeyPhrase, rng: random.Random) -> str:
    """A phrase as it is to be said, or a near miss of it; empty if it is not said."""
    near = near_miss(phrase.phrase, rng)
    chance = rng.random()
    if near and chance < NEAR_MISSES:
        return near
    if chance < NEAR_MISSES + ALIASES:
        return rng.choice((phrase.phrase, *phrase.aliases))
    return "" if chance < NEAR_MISSES + ALIASES + UNSAID else phrase.phrase


def near_miss(phrase: str, rng: random.Random) -> str:
    """The phrase with a word's sibling in its place: "data" for "pipeline parallelism"."""
    words = phrase.split()
    for line in SIBLINGS.read_text(encoding="utf-8").splitlines():
        group = [] if line.startswith("#") else line.split()
        for at, word in enumerate(words):
            if word.lower() in group and len(words) > 1:
                other = rng.choice([each for each in group if each != word.lower()])
                return " ".join([*words[:at], other, *words[at + 1 :]])
    return ""


def read(folders: Sequence[Path]) -> list[Recording]:
    """The recordings of some folders."""
    out = []
    for file in sorted(file for folder in folders for file in folder.glob("*.json")):
        kept = json.loads(file.read_text())
        scores = np.load(file.with_suffix(".npy")).astype(np.float32)
        transcript = Transcript.model_validate(kept["transcript"])
        out.append(Recording(kept["question"], kept["text"], transcript, scores))
    return out


def fit(folders: Sequence[Path], test: Sequence[Path], *, dry_run: bool) -> None:
    """Learn, report, and write the model."""
    spotter = TermSpotter(load_lexicon())
    recordings = read(folders)
    said_as = learn_said_as(recordings, spotter)
    cases = list(cases_of(recordings, spotter, said_as))
    fold_of = {
        question: at % FOLDS for at, question in enumerate(sorted({c.question for c in cases}))
    }
    best = np.empty(len(cases))
    for fold in range(FOLDS):
        learned = learn([case for case in cases if fold_of[case.question] != fold])
        for at, case in enumerate(cases):
            if fold_of[case.question] == fold:
                best[at] = score(case, learned)
    threshold = report("other questions", cases, best)
    learned = learn(cases)
    for folder in test:
        held_out = list(cases_of(read([folder]), spotter, said_as))
        report(folder.name, held_out, np.array([score(c, learned) for c in held_out]), threshold)
    if not dry_run:
        write(said_as, learned, threshold)


def cases_of(
    recordings: Sequence[Recording], spotter: TermSpotter, said_as: Floats
) -> Iterator[Case]:
    """The phrases to be looked for in each recording."""
    rng = random.Random(0)
    lexicon = load_lexicon()
    questions = {question.id: question for question in load_bank().questions}
    for each in recordings:
        own = questions[each.question].key_phrases
        others = [
            phrase
            for question in rng.sample([q for q in questions if q != each.question], OTHERS)
            for phrase in rng.sample(list(questions[question].key_phrases), 1)
        ]
        phrases = [*own, *others]
        written = cover(phrases, each.text.split(), lexicon)
        heard = cover(phrases, each.transcript.words, lexicon)
        chosen = [at for at in range(len(phrases)) if is_question(written, heard, at)]
        words = [word.text for word in each.transcript.words]
        spots = spotter.spot(words)
        aligned = Written.align(
            each.scores,
            lay_out(words, [spot.target for spot in spots]),
            [(word.start_s or 0.0, word.end_s or 0.0) for word in each.transcript.words],
            [word.confidence for word in each.transcript.words],
        )
        wanted = [Wanted(phrase_wordings(phrases[at], spotter)) for at in chosen]
        places: dict[int, list[Candidate]] = defaultdict(list)
        for place in candidates(each.scores, aligned, wanted, said_as):
            places[place.index].append(place)
        for index, at in enumerate(chosen):
            said = written.phrases[at].status == "covered"
            yield Case(each.question, phrases[at].phrase, said, at < len(own), tuple(places[index]))


def is_question(written: Coverage, heard: Coverage, at: int) -> bool:
    """Whether it is known if the phrase was said, and the transcript does not have it."""
    truth = written.phrases[at]
    known = truth.status == "missing" or (truth.status == "covered" and truth.how in BY_THE_WORDS)
    return known and heard.phrases[at].status != "covered"


def learn_said_as(recordings: Sequence[Recording], spotter: TermSpotter) -> Floats:
    """Probability that a phone that is meant comes out as another, by expectation maximization."""
    by_hand = confusions()
    said_as = by_hand
    for _ in range(ROUNDS):
        aligned = []
        for each in recordings:
            words = each.text.split()
            layout = lay_out(words, [spot.target for spot in spotter.spot(words)])
            chain = word_states(layout.phones)
            path = best_path(np.log(np.exp(each.scores) @ said_as.T + 1e-9), chain, width=400)
            if path is not None:
                aligned.append((np.exp(each.scores), chain.labels[path.states]))
        for _ in range(12):
            counts = SMOOTHING * (SAME * np.eye(N_CLASSES) + (1 - SAME) / N_CLASSES)
            for likelihood, meant in aligned:
                shares = said_as[meant] * likelihood
                np.add.at(counts, meant, shares / shares.sum(axis=1, keepdims=True))
            said_as = np.asarray(counts / counts.sum(axis=1, keepdims=True), np.float32)
    return (1 - BY_HAND) * said_as + BY_HAND * by_hand


def learn(cases: Sequence[Case]) -> Learned:
    """Logistic regression; of a phrase that was said the likeliest place counts, of others all."""
    learned: Learned | None = None
    for _ in range(4):
        rows, labels = [], []
        for case in cases:
            places = case.places
            if case.said and places:
                places = (max(places, key=lambda p: _log_odds(p, learned)),)
            rows += [place.features for place in places]
            labels += [float(case.said)] * len(places)
        learned = regress(np.array(rows), np.array(labels))
    assert learned is not None
    return learned


def _log_odds(place: Candidate, learned: Learned | None) -> float:
    if learned is None:
        return float(place.features[0])
    return float(place.features @ learned.weights + learned.bias)


def score(case: Case, learned: Learned) -> float:
    """Log odds of the best place."""
    return max((_log_odds(place, learned) for place in case.places), default=-np.inf)


def report(name: str, cases: Sequence[Case], best: Floats, threshold: float | None = None) -> float:
    """Print a table; the log odds at which ``WRONG`` of what was not said is found."""
    said = np.array([case.said for case in cases])
    own = np.array([case.own for case in cases])
    chosen = float(np.quantile(best[~said], 1 - WRONG))
    print(f"\n{name}: {said.sum()} phrases said and not written, {(~said).sum()} not said")
    print("threshold  found   wrong   wrong, own question")
    for at in sorted({chosen, *(np.log(p / (1 - p)) for p in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8))}):
        rates = [float((best[rows] > at).mean()) for rows in (said, ~said, ~said & own)]
        mark = " <" if at == (chosen if threshold is None else threshold) else ""
        found, wrong, wrong_own = rates
        share = 1 / (1 + np.exp(-at))
        print(f"   {share:.2f}     {found:.3f}   {wrong:.4f}   {wrong_own:.4f}{mark}")
    return chosen


def write(said_as: Floats, learned: Learned, threshold: float) -> None:
    """Write the model."""
    table = {
        "found_from": round(float(1 / (1 + np.exp(-threshold))), 3),
        "bias": round(learned.bias, 4),
        "weights": {n: round(float(w), 4) for n, w in zip(FEATURES, learned.weights, strict=True)},
        "said_as": {
            meant: {
                other: round(float(share), 3)
                for other, share in zip(LABELS, row, strict=True)
                if share >= 0.001
            }
            for meant, row in zip(LABELS, said_as, strict=True)
        },
    }
    MODEL_PATH.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
