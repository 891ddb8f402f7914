"""Fits whether a sentence that names a phrase speaks of it; prints how good it is on new authors.

`python scripts/train_mentions.py` reads the development answers, whole and by sentences, and the
sentences of tests/server/grading/judgments that only look like a phrase or say it, and writes
server/grading/sense/data/mentions.json. Run it after `scripts/train_sense.py`.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
import yaml
from labeled import ANSWERS, DATA, LEARNED_FROM, ROOT, TRAINING_BANKS
from train_sense import VOICE_PENALTY, fit_logistic

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.contract import PhraseCoverage
from server.grading import cover
from server.grading.sense.fusion import hold
from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.mentions import mention_row
from server.grading.sense.thresholds import SPOKEN_OF_FROM
from server.grading.sense.vectors import AnswerSense, mean_vector, senses_of

JUDGMENTS: Final = ROOT / "tests" / "server" / "grading" / "judgments"
PENALTY: Final = 60.0
WEIGHTS: Final = {"trap": 6.0, "statement": 3.0, "frame": 6.0, "unpunctuated": 3.0}
"""Of sentences that only look like a phrase and of short ones that say it, both of which are few
and stand with and without punctuation, of frames, and of sentences of answers that have none."""
WRONG_WEIGHT: Final = 3.0
"""Of mentions in answers that do not say the phrase."""
TRAPS: Final = ("traps_of_questions", "traps_to_learn", "traps_of_authors")
FRAME_FILLINGS: Final = 4
CLAIMS: Final = "limits"
"""Frames that claim something of what they name, which is false of most phrases."""
SENSELESS: Final = frozenset({"denial", "counter"})
"""Kinds of sentences that the stance decides."""
MIN_WORDS: Final = 5


@dataclass(frozen=True)
class Text:
    """A text, the phrases that it says and those that it only names.

    ``kind``: for the figures; "trap" is a sentence written to look like a phrase. ``fold``: what is
    held out with it, a file of answers or the sentences of an author. ``share``: how much of what
    was asked a whole answer says.
    """

    question: Question
    words: tuple[str, ...]
    says: frozenset[str]
    names: frozenset[str]
    kind: str
    fold: str
    share: float | None = None


@dataclass(frozen=True)
class Mentions:
    """A phrase that a text names by row: features, whether the text says it, its kind, its fold."""

    rows: Floats
    says: Floats
    kinds: np.ndarray
    folds: np.ndarray


def main() -> int:
    """Fits, writes and reports."""
    found = mentions_of([*from_answers(), *from_judgments(), *from_frames()])
    weights = np.where(found.says == 1.0, 1.0, WRONG_WEIGHT)
    for kind, weight in WEIGHTS.items():
        weights[found.kinds == kind] = weight
    logits = np.zeros(len(found.rows))
    for fold in set(found.folds):
        kept = found.folds != fold
        model = fit_logistic(found.rows[kept], found.says[kept], weights[kept], penalty=PENALTY)
        logits[~kept] = model.logits(found.rows[~kept])
    doubted = logits < SPOKEN_OF_FROM
    print(
        "each file of answers and each author held out, of the phrases named so many are doubted:"
    )
    by_author = np.isin(found.folds, LEARNED_FROM, invert=True)
    for kind in sorted(set(found.kinds)):
        for label, name in ((1.0, "said"), (0.0, "not said")):
            for authors, whose in ((False, ""), (True, "by an author held out")):
                chosen = (found.kinds == kind) & (found.says == label) & (by_author == authors)
                if chosen.any():
                    share = doubted[chosen].mean()
                    print(f"  {kind:16} {name:8} {chosen.sum():4}  {share:.3f}  {whose}")
    model = fit_logistic(found.rows, found.says, weights, penalty=PENALTY)
    (DATA / "mentions.json").write_text(json.dumps(model.to_json()) + "\n", encoding="utf-8")
    return 0


def from_answers() -> Iterator[Text]:
    """Labeled answers, and their sentences.

    A sentence of a strong answer that names what the coach ticked says it; of a weak one nobody
    knows.
    """
    questions = {question.id: question for question in load_bank(TRAINING_BANKS).questions}
    for file in LEARNED_FROM:
        lines = (ANSWERS / f"{file}.jsonl").read_text("utf-8").splitlines()
        for entry in map(json.loads, lines):
            labels = {phrase: label for phrase, label, *_ in entry["labels"]}
            yes, no = (
                frozenset(phrase for phrase, label in labels.items() if label == wanted)
                for wanted in ("yes", "no")
            )
            question, strong = questions[entry["id"]], entry["quality"] == "strong"
            whole = "strong answer" if strong else "weak answer"
            half = len(labels) - len(yes) - len(no)
            share = (len(yes) + 0.5 * half) / len(labels)
            yield Text(question, tuple(entry["text"].split()), yes, no, whole, file, share)
            sentences = _sentences(entry["text"])
            for words in sentences:
                yield Text(question, words, yes if strong else frozenset(), no, "sentence", file)
            if strong:
                for one, other in zip(sentences[::2], sentences[1::2], strict=False):
                    words = _unpunctuated((*one, *other))
                    yield Text(question, words, yes, no, "unpunctuated", file)


def from_judgments() -> Iterator[Text]:
    """Sentences that only look like a phrase, and some that say it."""
    questions = load_bank().questions
    by_id = {question.id: question for question in questions}
    named = {phrase.phrase: each for each in questions[::-1] for phrase in each.key_phrases}
    none: frozenset[str] = frozenset()
    fold_of = {each.id: LEARNED_FROM[at % len(LEARNED_FROM)] for at, each in enumerate(questions)}
    entries = [
        entry
        for name in TRAPS
        for entry in yaml.safe_load((JUDGMENTS / f"{name}.yaml").read_text("utf-8"))
    ]
    for entry in entries:
        words, phrase = tuple(entry["text"].split()), frozenset({entry["phrase"]})
        fold = entry.get("author") or fold_of[entry["id"]]
        for written in (words, _unpunctuated(words)):
            if entry["said"]:
                yield Text(by_id[entry["id"]], written, phrase, none, "statement", fold)
            elif entry["kind"] not in SENSELESS:
                yield Text(by_id[entry["id"]], written, none, phrase, "trap", fold)
    said = [
        *yaml.safe_load((JUDGMENTS / "mistranscribed.yaml").read_text("utf-8")),
        *(
            entry
            for entry in yaml.safe_load((JUDGMENTS / "traps.yaml").read_text("utf-8"))
            if entry.get("says")
        ),
    ]
    for entry in said:
        if entry["phrase"] in named:
            words, phrase = tuple(entry["said"].split()), frozenset({entry["phrase"]})
            question = named[entry["phrase"]]
            yield Text(question, words, phrase, none, "statement", fold_of[question.id])


def from_frames() -> Iterator[Text]:
    """Sentences whose speaker stands by what he names, filled with phrases and otherwise plain.

    They say nothing else of what was asked, as in "nobody had looked at X before I did". Some come
    after a sentence that disclaims the phrase: "I had no idea what X is. I'd start with X."
    """
    chance = Random(4)
    questions = load_bank().questions
    stored = yaml.safe_load((ANSWERS / "stances.yaml").read_text("utf-8"))
    frames, disclaimers = (
        [frame for family, own in stored[kind].items() if family != CLAIMS for frame in own]
        for kind in ("stood_by", "disclaimed")
    )
    for frame in frames:
        for filling in range(FRAME_FILLINGS):
            at = chance.randrange(len(questions))
            phrase = chance.choice(questions[at].key_phrases).phrase
            told = (chance.choice(disclaimers), frame) if filling % 2 else (frame,)
            text = " ".join(f"{each[0].upper()}{each[1:]}." for each in told)
            words = tuple(text.replace("{x}", phrase).split())
            written = _unpunctuated(words) if filling == 0 else words
            said, fold = frozenset({phrase}), LEARNED_FROM[at % len(LEARNED_FROM)]
            yield Text(questions[at], written, said, frozenset(), "frame", fold)


def _sentences(text: str) -> list[tuple[str, ...]]:
    parted = [tuple(each.split()) for each in re.split(r"(?<=[.?!])\s+", text)]
    return [words for words in parted if len(words) >= MIN_WORDS]


def _unpunctuated(words: Sequence[str]) -> tuple[str, ...]:
    """As a transcriber that knows no sentences writes it."""
    bare = (re.sub(r"[^\w'’/+.%-]|\.$", "", word.casefold()) for word in words)
    return tuple(word for word in bare if word)


def voices_of(texts: Sequence[Text], senses: Sequence[AnswerSense]) -> dict[str, Logistic]:
    """For each fold the voice (see ``Fusion``) as the whole answers of the other folds teach it."""
    means = np.stack([mean_vector(sense) for sense in senses])
    shares = np.array([np.nan if text.share is None else text.share for text in texts])
    folds = np.array([text.fold for text in texts])
    found = {}
    for fold in sorted(set(folds)):
        kept = (folds != fold) & ~np.isnan(shares)
        found[fold] = fit_logistic(means[kept], shares[kept], penalty=VOICE_PENALTY)
    return found


def mentions_of(texts: Sequence[Text]) -> Mentions:
    """Every phrase that a text names by its words, and says or does not say."""
    lexicon = load_lexicon()
    naming = []
    for text in texts:
        phrases = cover(text.question.key_phrases, text.words, lexicon).phrases
        wanted = [
            at
            for at, phrase in enumerate(phrases)
            if phrase.phrase in text.says | text.names
            and phrase.status == "covered"
            and not phrase.negated
        ]
        if wanted or text.share is not None:
            naming.append((text, phrases, wanted))
    senses = senses_of([text.words for text, _, _ in naming])
    return rows_of(naming, senses)


def rows_of(
    naming: Sequence[tuple[Text, Sequence[PhraseCoverage], Sequence[int]]],
    senses: Sequence[AnswerSense],
) -> Mentions:
    """The features of each mention.

    Args:
        naming: texts, their phrases by the words, and the numbers of those that are wanted.
        senses: of the texts.
    """
    voices = voices_of([text for text, _, _ in naming], senses)
    rows, says, kinds, folds = [], [], [], []
    for (text, phrases, wanted), sense in zip(naming, senses, strict=True):
        if not wanted:
            continue
        voice = float(voices[text.fold].logits(mean_vector(sense)[None])[0])
        held = hold(text.question, sense, text.words, phrases, voice=voice)
        for at in wanted:
            row = mention_row(at, held)
            if row is not None:
                rows.append(row)
                says.append(float(phrases[at].phrase in text.says))
                kinds.append(text.kind)
                folds.append(text.fold)
    return Mentions(np.array(rows), np.array(says), np.array(kinds), np.array(folds))


if __name__ == "__main__":
    sys.exit(main())
