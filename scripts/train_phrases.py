"""Teaches the hearing to find phrases in the sound, and prints how good it is on other questions.

    python scripts/train_phrases.py speak DIR [--accents German,Spanish] [--questions 40] [--seed 1]
    python scripts/train_phrases.py fit DIR... [--test DIR] [--without Arabic,Korean]
        [--keep-sound] [--dry-run]

``speak`` lets the neural voice say key phrases, and near misses of them, with accent rules, and
keeps the sound, what Whisper tiny.en writes and the network's frame scores. ``fit`` learns from
that which phones come out as which others, what a place must be like, and what it is worth that
Whisper's decoder finds the phrase likely there. It writes pronunciation/hearing/model/phrases.json.
A phrase is looked for where grading does not find it in the transcript, and was said where grading
finds it in the text that was spoken.
"""

import json
import random
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.accents import choose
from benchmarks.neural_voice import NeuralVoice
from client.answer.worker import RecordingWorker
from client.core.errors import NoSpeech
from client.engines.engines import EngineOptions, load_engine
from pronunciation.hearing.acoustic import LABELS, N_CLASSES, AcousticModel
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.layout import lay_out
from pronunciation.hearing.match import DECODED, MODEL_PATH, phrase_model
from pronunciation.hearing.places import FEATURES, Floats
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import KeyPhrase
from scripts.speak_and_fit import PCM, Learned, command_line, confusions, named, regress
from scripts.spoken_phrases import Case, Recording, cases_of, decoded_cases, read

SIBLINGS: Final = Path("server/grading/data/siblings.txt")
CARRIERS: Final = (
    "So for me it comes down to {}.", "What we did next was {} on every node.",
    "I would look at {} first, before anything else.", "We argued about {} for a week.",
    "And then there is {} too.", "It is {} that matters here.", "My team had {} from the start.",
    "Without {} the numbers were bad.", "You can see {} in the graphs.",
)  # fmt: skip
NEAR_MISSES, ALIASES, UNSAID = 0.5, 0.1, 0.15
"""How often a phrase is said with a sibling in it, by an alias, or not at all."""
FOLDS: Final = 6
WRONG: Final = 0.005
"""So many phrases that were not said may be found."""
ROUNDS, SMOOTHING, SAME = 3, 20.0, 0.3
"""Of learning what is said as what: rounds, and what every phone is given before, in frames."""
BY_HAND: Final = 0.4
"""Weight of the table of confusions beside what was learned, for accents not among these."""


def main() -> int:
    """Speaks, or fits and reports."""
    parser, speaking, fitting = command_line(__doc__, seed=1)
    speaking.add_argument("--accents", default="American,German,Indian,Mandarin,Spanish")
    speaking.add_argument("--questions", type=int, default=111)
    fitting.add_argument("folders", type=Path, nargs="+")
    fitting.add_argument("--test", type=Path, action="append", default=[])
    fitting.add_argument("--without", default="", help="accents that are only measured")
    fitting.add_argument(
        "--keep-sound", action="store_true", help="learn only what the decoder's judgment is worth"
    )
    options = parser.parse_args()
    if options.command == "speak":
        speak(options.folder, options.accents.split(","), options.questions, options.seed)
    else:
        fit(options)
    return 0


def speak(folder: Path, accents: Sequence[str], questions: int, seed: int) -> None:
    """Say the phrases of some questions and keep what was written; continues where it stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    voice, engine, network = (
        NeuralVoice(load_lexicon()),
        load_engine("faster-whisper", EngineOptions("tiny.en")),
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
        np.savez(
            file.with_suffix(".npz"),
            scores=network.scores(clip).astype(np.float16),
            samples=np.round(clip.samples * PCM).astype(np.int16),
        )
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


def fit(options: Namespace) -> None:
    """Learn, report, and write the model."""
    spotter = TermSpotter(load_lexicon())
    without = options.without.split(",")
    recordings = read(options.folders)
    learned_from = [each for each in recordings if each.accent not in without]
    shipped = phrase_model()
    said_as = shipped.said_as if options.keep_sound else learn_said_as(learned_from, spotter)
    cases = list(cases_of(learned_from, spotter, said_as))
    tests = {
        folder.name: list(cases_of(read([folder]), spotter, said_as)) for folder in options.test
    }
    held_out = [each for each in recordings if each.accent in without]
    if held_out:
        tests["other accents and questions"] = list(cases_of(held_out, spotter, said_as))
    sound = (
        Learned(shipped.weights.sound, shipped.weights.sound_bias) if options.keep_sound else None
    )
    sound, threshold = learn_and_report("by the sound", cases, tests, sound)
    engine = load_engine("faster-whisper", EngineOptions("tiny.en"))
    cases, tests = (
        decoded_cases(cases, sound, engine),
        {name: decoded_cases(each, sound, engine) for name, each in tests.items()},
    )
    # of the question's own phrases, as many that were not said as without the decoder
    wrong = sum(
        not each.said and each.own and each.rows[:, 0].max(initial=-np.inf) > 0 for each in cases
    )
    decoder, second = learn_and_report("with the decoder", cases, tests, wrong=wrong)
    if not options.dry_run:
        decoder = Learned(decoder.weights, decoder.bias - second)
        write(None if options.keep_sound else (said_as, sound, threshold), decoder)


def learn_and_report(
    name: str,
    cases: Sequence[Case],
    tests: Mapping[str, Sequence[Case]],
    learned: Learned | None = None,
    wrong: int | None = None,
) -> tuple[Learned, float]:
    """What is learned from cases, unless it is known, and the log odds of a threshold.

    Args:
        name: of the report.
        cases: to learn from; each is judged by what was learned from other questions.
        tests: to be judged; with questions to learn from, likewise.
        learned: weights that are not to be learned.
        wrong: so many of the questions' own phrases that were not said are found; by default the
            share ``WRONG`` of all.
    """
    questions = sorted({case.question for case in cases})
    fold_of = {question: at % FOLDS for at, question in enumerate(questions)}
    learned_of = [
        learned or learn([case for case in cases if fold_of[case.question] != fold])
        for fold in range(FOLDS)
    ]

    def judged(some: Sequence[Case]) -> Floats:
        return np.array([score(case, learned_of[fold_of.get(case.question, 0)]) for case in some])

    threshold = report(f"{name}, other questions", cases, judged(cases), wrong=wrong)
    for test, some in tests.items():
        report(f"{name}, {test}", some, judged(some), threshold)
    return learned or learn(cases), threshold


def learn_said_as(recordings: Sequence[Recording], spotter: TermSpotter) -> Floats:
    """Probability that a phone that is meant comes out as another, by expectation maximization."""
    by_hand = confusions()
    said_as = by_hand
    for _ in range(ROUNDS):
        aligned = []
        for each in recordings:
            words = each.text.split()
            layout = lay_out(words, spotter.spot(words))
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
            places = case.rows
            if case.said and places.size:
                places = places[[int(_log_odds(places, learned).argmax())]]
            rows.append(places)
            labels += [float(case.said)] * len(places)
        learned = regress(np.concatenate(rows), np.array(labels))
    assert learned is not None
    return learned


def _log_odds(places: Floats, learned: Learned | None) -> Floats:
    """Those of each place; before anything is learned, the first feature."""
    return places[:, 0] if learned is None else places @ learned.weights + learned.bias


def score(case: Case, learned: Learned) -> float:
    """Log odds of the best place."""
    return float(_log_odds(case.rows, learned).max(initial=-np.inf))


def report(
    name: str,
    cases: Sequence[Case],
    best: Floats,
    threshold: float | None = None,
    wrong: int | None = None,
) -> float:
    """Print a table; the log odds at which so much of what was not said is found."""
    said = np.array([case.said for case in cases])
    own = np.array([case.own for case in cases])
    allowed = round(WRONG * (~said).sum()) if wrong is None else wrong
    chosen = float(np.sort(best[~said if wrong is None else ~said & own])[-1 - allowed])
    print(f"\n{name}: {said.sum()} phrases said and not written, {(~said).sum()} not said")
    print("threshold  found   wrong   wrong, own question")
    for at in sorted({chosen, *(np.log(p / (1 - p)) for p in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8))}):
        rates = [float((best[rows] > at).mean()) for rows in (said, ~said, ~said & own)]
        mark = " <" if at == (chosen if threshold is None else threshold) else ""
        found, wrong, wrong_own = rates
        share = 1 / (1 + np.exp(-at))
        print(f"   {share:.2f}     {found:.3f}   {wrong:.4f}   {wrong_own:.4f}{mark}")
    return chosen


def write(sound: tuple[Floats, Learned, float] | None, decoder: Learned) -> None:
    """Write the model; what was learned of the sound stays as it is if that is ``None``."""
    if sound is None:
        table = json.loads(MODEL_PATH.read_text(encoding="utf-8"))
    else:
        said_as, learned, threshold = sound
        table = {
            "found_from": round(float(1 / (1 + np.exp(-threshold))), 3),
            "bias": round(learned.bias, 4),
            "weights": named(FEATURES, learned),
            "decoder": {},
            "said_as": {
                meant: {
                    other: round(float(share), 3)
                    for other, share in zip(LABELS, row, strict=True)
                    if share >= 0.001
                }
                for meant, row in zip(LABELS, said_as, strict=True)
            },
        }
    table["decoder"] = {
        "bias": round(decoder.bias, 4),
        "weights": named(("odds", *DECODED), decoder),
    }
    MODEL_PATH.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
