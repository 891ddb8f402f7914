"""The phrases of recorded texts that their transcripts lost, for ``train_phrases``."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from client.answer.hearing import phrase_wordings
from client.engines.base import Transcriber
from pronunciation.clip import Clip, Passage
from pronunciation.hearing.acoustic import FRAME_S
from pronunciation.hearing.layout import lay_out
from pronunciation.hearing.match import ASKED_FROM, DECODED, AlignedClip, features
from pronunciation.hearing.places import (
    FEATURES,
    AlignedTranscript,
    Candidate,
    Floats,
    Query,
    candidates,
)
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from scripts.speak_and_fit import PCM, Learned
from server.contract import Coverage, HeardPhrase, Transcript
from server.grading import cover
from server.grading.answer import read_answer
from server.grading.grader import term_index
from server.grading.phrases import compile_phrases
from server.grading.verdict import judge

OTHERS: Final = 15
"""Phrases of other questions, which nobody said, that are looked for in each recording."""
BY_THE_WORDS: Final = frozenset({"exact", "inflected", "alias", "acronym"})


@dataclass(frozen=True, eq=False)
class Recording:
    """A spoken text, its sound, what the engine wrote, and frame scores."""

    accent: str
    question: str
    text: str
    clip: Clip
    transcript: Transcript
    scores: Floats


@dataclass(frozen=True, eq=False)
class Case:
    """A phrase that grading does not find in a transcript, and where it may have been said.

    ``rows``: the features of each place; ``passages``: what the decoder is asked about it.
    """

    question: str
    said: bool
    own: bool
    rows: Floats
    passages: tuple[Callable[[], Passage], ...]


def read(folders: Sequence[Path]) -> list[Recording]:
    """The recordings of some folders."""
    out = []
    for file in sorted(file for folder in folders for file in folder.glob("*.json")):
        kept = json.loads(file.read_text())
        sound = np.load(file.with_suffix(".npz"))
        out.append(
            Recording(
                file.name.split("-")[0],
                kept["question"],
                kept["text"],
                Clip(sound["samples"].astype(np.float32) / PCM),
                Transcript.model_validate(kept["transcript"]),
                sound["scores"].astype(np.float32),
            )
        )
    return out


def cases_of(
    recordings: Sequence[Recording], spotter: TermSpotter, said_as: Floats
) -> Iterator[Case]:
    """The phrases to be looked for in each recording, with the places that grading may accept."""
    rng = random.Random(0)
    lexicon = load_lexicon()
    terms = term_index(lexicon)
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
        aligned = AlignedTranscript.align(
            each.scores,
            lay_out(words, spots),
            [(word.start_s or 0.0, word.end_s or 0.0) for word in each.transcript.words],
            [word.confidence for word in each.transcript.words],
        )
        stretch = AlignedClip(each.clip, aligned, words, words, range(len(words)))
        texts = [phrase_wordings(phrases[at], spotter) for at in chosen]
        compiled = [compile_phrases((phrases[at],), terms) for at in chosen]
        answers = [read_answer(words, terms, one) for one in compiled]
        wanted = [Query(tuple(wordings)) for wordings in texts]
        places: dict[int, list[Candidate]] = defaultdict(list)
        for place in candidates(each.scores, aligned, wanted, said_as):
            at = place.index
            here = HeardPhrase(
                phrase=phrases[chosen[at]].phrase,
                start_s=place.start * FRAME_S,
                end_s=place.end * FRAME_S,
                confidence=1.0,
            )
            transcribed = each.transcript.words
            phrases = compiled[at].phrases
            found = judge(answers[at], phrases, words=transcribed, heard=(here,)).coverage
            if found.phrases[0].status == "covered":
                places[at].append(place)
        for index, at in enumerate(chosen):
            yield Case(
                each.question,
                written.phrases[at].status == "covered",
                at < len(own),
                np.array([place.features for place in places[index]]).reshape(-1, len(FEATURES)),
                tuple(
                    partial(stretch.passage, place, texts[index][place.wording])
                    for place in places[index]
                ),
            )


def decoded_cases(cases: Sequence[Case], sound: Learned, engine: Transcriber) -> list[Case]:
    """The same cases with the log odds by the sound and what the decoder says, likeliest first.

    Places that are less likely than ``ASKED_FROM`` are left out.
    """
    least, out = np.log(ASKED_FROM / (1 - ASKED_FROM)), []
    for case in cases:
        odds = case.rows @ sound.weights + sound.bias
        chosen = [at for at in np.argsort(-odds) if odds[at] >= least]
        found = engine.decode([case.passages[at]() for at in chosen])
        assert found is not None
        rows = [np.r_[odds[at], features(*texts)] for at, texts in zip(chosen, found, strict=True)]
        out.append(replace(case, rows=np.array(rows).reshape(-1, 1 + len(DECODED))))
    return out


def is_question(written: Coverage, heard: Coverage, at: int) -> bool:
    """Whether it is known if the phrase was said, and the transcript does not have it."""
    truth = written.phrases[at]
    known = truth.status == "missing" or (truth.status == "covered" and truth.how in BY_THE_WORDS)
    return known and heard.phrases[at].status != "covered"
