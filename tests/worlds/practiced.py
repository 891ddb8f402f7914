"""Weeks of made-up practice, the same at every run: for screenshots and for tests of many answers.

The answers are the bank's model answers with sentences left out, hesitations put in and terms said
wrong, ever less of it from week to week; the reports are graded by the real grader.
"""

import random
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from unittest.mock import patch

import numpy as np

from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.practice.drills.items import ItemSets
from client.practice.interviews import Interviews, last_practiced, plan_interview
from pronunciation.terms import Lexicon
from question_bank.models import Question
from server.contract import (
    ArchivedAttempt,
    Correction,
    DrillReview,
    Evidence,
    HeardTerm,
    Pause,
    Submission,
    Transcript,
    Word,
)
from server.grading.encoder import Encoder, Vectors

__all__ = [
    "archived_copies",
    "corrected_copies",
    "hold_interview",
    "practice",
    "practice_drills",
    "remembered_sentences",
    "spoken_answer",
]

_VECTORS: Final[dict[str, Vectors]] = {}
FIRST_SKILL: Final = 0.45
LAST_SKILL: Final = 0.9


@contextmanager
def remembered_sentences() -> Iterator[None]:
    """What several answers share is encoded once: half of all sentences here.

    The vectors are the same: one does not depend on what is encoded beside it.
    """
    encode = Encoder.encode

    def remembering(self: Encoder, sentences: Sequence[str]) -> Vectors:
        new = [each for each in dict.fromkeys(sentences) if each not in _VECTORS]
        _VECTORS.update(zip(new, encode(self, new), strict=True))
        known = [_VECTORS[each] for each in sentences]
        return np.stack(known) if known else encode(self, [])

    with patch.object(Encoder, "encode", remembering):
        yield


@remembered_sentences()
def practice(
    backend: Backend,
    lexicon: Lexicon,
    *,
    until: datetime,
    roles: Sequence[str],
    answers: int = 60,
    days: int = 40,
) -> list[int]:
    """Answer the roles' questions, some of them again and again; returns the attempts' ids.

    Args:
        backend: where the answers are stored.
        lexicon: names the terms that are heard.
        until: when the last answer was given.
        roles: the roles practiced, most of the time the first one.
        answers: how many.
        days: over how many days.
    """
    rng = random.Random(7)
    pools = [list(backend.questions(role=role)) for role in roles]
    ids = []
    for number in range(answers):
        done = (number + 1) / answers
        pool = pools[0] if rng.random() < 0.7 else rng.choice(pools)
        question = pool[min(int(rng.expovariate(1 / 5)), len(pool) - 1)]
        said_at = until - timedelta(days=days * (1 - done), minutes=37 * (number % 5))
        submission = spoken_answer(
            question, lexicon, FIRST_SKILL + (LAST_SKILL - FIRST_SKILL) * done, said_at, rng
        )
        ids.append(backend.submit(submission).id)
    return ids


def spoken_answer(
    question: Question, lexicon: Lexicon, skill: float, said_at: datetime, rng: random.Random
) -> Submission:
    """The model answer as somebody of this skill (0 to 1) would give it."""
    words: list[Word] = []
    pauses: list[Pause] = []
    heard: list[HeardTerm] = []
    now_s = 0.6
    sentences = question.model_answer.replace("? ", ". ").split(". ")
    kept = [each for each in sentences if rng.random() < skill] or sentences[:1]
    for sentence in kept:
        for text in f"{sentence.rstrip('.')}.".split():
            if rng.random() < (1 - skill) * 0.07:
                words.append(_word(rng.choice(["Um,", "uh,", "you know,"]).split()[0], now_s))
                now_s = (words[-1].end_s or now_s) + 0.25
            words.append(_word(text, now_s))
            now_s = (words[-1].end_s or now_s) + 0.05
            found = _heard(words, lexicon, skill, rng)
            if found is not None:
                heard.append(found)
        pause_s = rng.uniform(0.4, 0.8 + 1.6 * (1 - skill))
        pauses.append(Pause(start_s=round(now_s, 2), end_s=round(now_s + pause_s, 2)))
        now_s += pause_s
    return Submission(
        submission_id=uuid.UUID(int=rng.getrandbits(128)).hex,
        question_id=question.id,
        created_at=said_at,
        transcript=Transcript(
            text=" ".join(word.text for word in words),
            engine="faster-whisper",
            model="base.en",
            duration_s=round(now_s, 2),
            words=tuple(words),
        ),
        evidence=Evidence(
            answer_start_s=0.6,
            answer_end_s=pauses[-1].start_s,
            pauses=tuple(pauses[:-1]),
            heard=tuple(heard),
            hearing_version="made-up",
        ),
    )


def practice_drills(backend: Backend, sets: ItemSets, *, until: datetime, days: int = 40) -> None:
    """Drill some items of every set, each time some hours after they came due."""
    rng = random.Random(11)
    for set_name, items in sets.sets.items():
        for place, item in enumerate(items[:16]):
            said_at = until - timedelta(days=days - 2 * place, hours=place)
            wrong_share = 0.5
            while said_at <= until:
                wrong = rng.random() < wrong_share
                reviewed = backend.drills.review(
                    DrillReview(
                        review_id=uuid.UUID(int=rng.getrandbits(128)).hex,
                        item_id=item.id,
                        drill_set=set_name,
                        reviewed_at=said_at,
                        verdict="mispronounced" if wrong else "correct",
                        phones=item.readings[0],
                        confidence=0.9,
                    )
                )
                assert reviewed.card is not None
                wrong_share /= 2
                said_at = max(reviewed.card.due, said_at) + timedelta(hours=rng.uniform(1, 40))


def hold_interview(
    backend: Backend,
    settings: ClientSettings,
    lexicon: Lexicon,
    *,
    role: str,
    minutes: int,
    answers: int,
) -> str:
    """Hold a phone screen with so many questions answered; it is not ended. Returns its id."""
    rng = random.Random(minutes)
    bank, interviews = backend.bank(), Interviews.of(settings)
    chosen = next(each for each in bank.roles if each.id == role)
    plan = plan_interview(bank, role, bank.rounds[0].id, minutes, last_practiced(backend), rng)
    record = interviews.start(chosen, bank.rounds[0], minutes, plan)
    for _ in range(answers):
        current = interviews.get(record.id).current
        assert current is not None, "an interview must have more questions than answers"
        question = backend.question(current.question_id)
        submission = spoken_answer(question, lexicon, 0.7, interviews.now(), rng)
        attempt = backend.submit(submission)
        interviews.answer(record.id, question.id, submission.submission_id, attempt.id)
    return record.id


def archived_copies(backend: Backend, count: int) -> list[ArchivedAttempt]:
    """Copies of what is stored, an hour apart and with ids of their own: many answers, quickly."""
    originals = backend.export_all().attempts
    copies = []
    for number in range(count):
        original = originals[number % len(originals)]
        said_at = original.submission.created_at - timedelta(hours=1 + number)
        graded = original.reports[-1]
        report = graded.report.model_copy(update={"created_at": said_at})
        copies.append(
            original.model_copy(
                update={
                    "submission": original.submission.model_copy(
                        update={
                            "submission_id": uuid.UUID(int=1 + number).hex,
                            "created_at": said_at,
                        }
                    ),
                    "reports": (graded.model_copy(update={"report": report}),),
                }
            )
        )
    return copies


def corrected_copies(attempts: Sequence[ArchivedAttempt]) -> list[ArchivedAttempt]:
    """The same, a coach having found in each that its first missing phrase was said."""
    return [
        each.model_copy(
            update={
                "corrections": tuple(
                    Correction(
                        external_id=each.submission.submission_id,
                        target="phrase",
                        name=phrase.phrase,
                        verdict="covered",
                        author="Cleo",
                        created_at=each.submission.created_at,
                    )
                    for phrase in each.reports[-1].report.coverage.phrases
                    if phrase.status == "missing"
                )[:1]
            }
        )
        for each in attempts
    ]


def _word(text: str, start_s: float) -> Word:
    end_s = start_s + 0.14 + 0.045 * len(text)
    return Word(text=text, start_s=round(start_s, 2), end_s=round(end_s, 2), confidence=0.93)


def _heard(
    words: Sequence[Word], lexicon: Lexicon, skill: float, rng: random.Random
) -> HeardTerm | None:
    """How the last word was said, where it is a term."""
    term = lexicon.get(words[-1].text.strip(".,:;()"))
    if term is None:
        return None
    # each term has a difficulty of its own: some are learned early, some stay hard
    hardness = random.Random(term.term).random() if term.mistakes else 0.0
    wrong = rng.random() < hardness * (1.25 - skill)
    last = words[-1]
    return HeardTerm(
        term=term.term,
        word_index=len(words) - 1,
        verdict="mispronounced" if wrong else "correct",
        phones=term.mistakes[0].phones if wrong else term.readings[0],
        confidence=0.9,
        start_s=last.start_s or 0.0,
        end_s=last.end_s or 0.0,
    )
