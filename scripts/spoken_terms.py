"""The places of recorded answers where a term may have been said, for ``train_respelled``."""

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from client.answer.hearing import AnswerHearing, Keywords, load_hearing
from client.core.settings import ClientSettings
from client.engines.base import Transcriber
from pronunciation.clip import Clip, Passage
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.layout import Phones, lay_out
from pronunciation.hearing.match import AlignedClip, asked_about, phrase_model
from pronunciation.hearing.misspelled import Indices, Misspellings, indices
from pronunciation.hearing.places import AlignedTranscript, Floats, candidates, unit_frames
from pronunciation.hearing.respelled import ASKED_A_SECOND, TermPlaces, respelled_model, term_places
from pronunciation.hearing.sounding import sounds_like
from pronunciation.terms import related, together
from question_bank.loader import load_bank
from question_bank.models import Question
from scripts import misspellings
from scripts.speak_and_fit import PCM
from server.contract import Transcript

WIDTH: Final = 600

TOGETHER: Final = 3
"""Frames between the beginnings of a word that was said and of one that was written."""
LONGEST_PAIR: Final = 45
"""Phones; where so many have no beginning in common, the alignment is lost."""

Said = tuple[str, int, int]
"""A term, its first frame, and the frame behind its last."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a term may have been said.

    ``lost``: which of the terms lost there, -1 for none. ``passage``: what the decoder is asked.
    ``decoded``: what it says; ``None`` if it was not asked.
    """

    term: str
    features: npt.NDArray[np.float64]
    words: tuple[int, ...]
    lost: int
    passage: Callable[[], Passage]
    decoded: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """A spoken answer: its terms, how many of them the transcript does not name, and places.

    ``model``: the weights that wrote the transcript.
    """

    accent: str
    question: str
    model: str
    terms: int
    lost: int
    places: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class Recording:
    """A spoken answer: what was said when, and the transcript aligned with the sound.

    ``meant``: the text's units and their frames; ``said``: its terms; ``model``: the weights that
    wrote the transcript.
    """

    accent: str
    question: str
    meant: tuple[tuple[Phones, int], ...]
    said: tuple[Said, ...]
    words: tuple[str, ...]
    stretch: AlignedClip
    scores: npt.NDArray[np.float16]
    model: str

    @property
    def written(self) -> AlignedTranscript:
        """The transcript aligned with the sound."""
        return self.stretch.written


def answers_of(
    folders: Sequence[Path], *, keep_misspellings: bool
) -> tuple[list[Answer], list[Answer], Misspellings]:
    """What ``speak`` kept, with the places of terms in it, and what is written for what.

    Each answer's places are looked for with the misspellings of the other accents, or the shipped
    ones if they are kept.

    Returns:
        The answers, the same as if nobody knew a model answer (see ``asked_without_answer``), and
        what is written for what.
    """
    with tempfile.TemporaryDirectory() as home:
        hearing = load_hearing(ClientSettings(home=Path(home)))
        recordings = list(recordings_of(folders, hearing))
        shipped = respelled_model().misspellings
        pairs = [] if keep_misspellings else [(each.accent, pairs_of(each)) for each in recordings]
        without = {
            accent: shipped
            if keep_misspellings
            else misspellings.learn(pair for of, found in pairs for pair in found if of != accent)
            for accent in {each.accent for each in recordings}
        }
        known, unknown = (
            [
                answer_of(each, hearing, without[each.accent], asked(each.question))
                for each in recordings
            ]
            for asked in (
                lambda question: hearing.asked(_questions()[question]),
                cache(lambda question: asked_without_answer(hearing, _questions()[question])),
            )
        )
    if keep_misspellings:
        return known, unknown, shipped
    return known, unknown, misspellings.learn(pair for _, found in pairs for pair in found)


def recordings_of(folders: Sequence[Path], hearing: AnswerHearing) -> Iterator[Recording]:
    """The answers of some folders, each read and aligned."""
    for file in sorted(file for folder in folders for file in folder.glob("*.json")):
        kept = json.loads(file.read_text())
        sound = np.load(file.with_suffix(".npz"))
        scores, samples = sound["scores"], sound["samples"].astype(np.float32) / PCM
        meant, said = text_said(hearing, kept["text"], scores.astype(np.float32))
        transcript = Transcript.model_validate(kept["t"])
        parts = hearing.spotter.take_apart([word.text for word in transcript.words])
        wholes = [transcript.words[index] for index in parts.whole]
        written = AlignedTranscript.align(
            scores.astype(np.float32),
            lay_out(parts.words, hearing.spotter.spot(parts.words)),
            [(word.start_s or 0.0, word.end_s or 0.0) for word in wholes],
            [word.confidence for word in wholes],
        )
        texts = [word.text for word in transcript.words]
        stretch = AlignedClip(Clip(samples), written, texts, parts.words, parts.whole)
        model = transcript.model or ""
        yield Recording(kept["accent"], kept["q"], meant, said, parts.words, stretch, scores, model)


def text_said(
    hearing: AnswerHearing, text: str, scores: Floats
) -> tuple[tuple[tuple[Phones, int], ...], tuple[Said, ...]]:
    """The units of a text with their first frames, and its terms."""
    words = hearing.spotter.take_apart(text.split()).words
    layout = lay_out(words, hearing.spotter.spot(words))
    chain = word_states(layout.phones)
    said_as = phrase_model().said_as
    meant = np.log(np.exp(np.clip(scores, -20, 20)) @ said_as.T + np.float32(1e-9))
    path = best_path(meant, chain, width=WIDTH)
    if path is None:
        return (), ()
    frames = unit_frames(AlignedTranscript(layout, chain, path.states, ()))
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


def asked_without_answer(hearing: AnswerHearing, question: Question) -> Keywords:
    """What to listen for as if the question had no model answer.

    A question is about all the terms of its model answer, and so of what is spoken here, but only
    about two of three terms that people say in their own answers to it.
    """
    spotter = hearing.spotter
    whole = spotter.named(question.full_text)
    named = spotter.named(question.model_copy(update={"model_answer": ""}).full_text)
    others = [terms for terms in together() if terms != whole]
    return hearing.asked_about(question.key_phrases, named, related(named, others))


def answer_of(
    each: Recording, hearing: AnswerHearing, learned: Misspellings, asked: Keywords
) -> Answer:
    """An answer with the places where terms may have been said that nobody wrote."""
    written, words, scores = each.written, each.words, each.scores.astype(np.float32)
    first, frames = len(asked.phrases), unit_frames(written)
    named = [
        (hearing.spotter.by_its_sound(target.term), frames[unit][0], frames[unit][1] + 1)
        for unit, target in enumerate(written.layout.target)
        if target is not None
    ]
    lost = [one for one in each.said if not any(same(one, other, 0.3) for other in named)]
    ordinary, soundings = hearing.ordinary, asked.soundings
    near = sounds_like(written, words, soundings, ordinary, learned, first)
    found = term_places(
        [
            place
            for place in candidates(scores, written, asked.wanted, phrase_model().said_as, near)
            if place.index >= first and place.words
        ],
        written,
        words,
        soundings,
        ordinary,
        first,
        replace(respelled_model(), misspellings=learned),
    )
    places = []
    for at, (place, sounding) in enumerate(found.places):
        here = (hearing.spotter.by_its_sound(sounding.term), place.start, place.end)
        of = [at for at, one in enumerate(lost) if same(one, here, 0.5)]
        passage = partial(each.stretch.passage, place, found.name(at), is_prompted=True)
        lost_there = of[0] if of else -1
        places.append(Place(sounding.term, found.rows[at], place.words, lost_there, passage))
    return Answer(each.accent, each.question, each.model, len(each.said), len(lost), tuple(places))


def decoded_answer(answer: Answer, odds: Floats, engines: Mapping[str, Transcriber]) -> Answer:
    """The answer with what the decoder says of the places where the sound leaves doubt.

    Args:
        answer: as ``answer_of`` gave it.
        odds: log odds of each place by the sound.
        engines: by the weights that wrote the transcripts.
    """
    asked = TermPlaces((), np.zeros((0, 0)), odds).doubtful(len(odds) / ASKED_A_SECOND)
    passages = [answer.places[at].passage() for at in asked]
    places = [*answer.places]
    found = asked_about(passages, engines[answer.model].decode)
    for at, decoded in zip(asked, found, strict=True):
        places[at] = replace(places[at], decoded=decoded)
    return replace(answer, places=tuple(places))


@cache
def _questions() -> dict[str, Question]:
    return {question.id: question for question in load_bank().questions}


def same(one: Said, other: Said, share: float) -> bool:
    """Whether two stretches are the same term, and share so much of the shorter."""
    together = min(one[2], other[2]) - max(one[1], other[1])
    return one[0] == other[0] and together > share * min(one[2] - one[1], other[2] - other[1])
