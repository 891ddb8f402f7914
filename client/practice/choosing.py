"""Which questions come next in a rehearsal, and which there are to choose from."""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from question_bank.models import ABOUT_ONESELF, Question, RoundName

NEWCOMER_QUESTIONS: Final = 5
"""A first week's practice: from then on easy and hard questions take turns by chance."""


def choose_questions(
    questions: Sequence[Question],
    last_practiced: Mapping[str, datetime],
    count: int,
    rng: random.Random,
    *,
    opening: RoundName | None = None,
    topics: Mapping[str, float] | None = None,
) -> list[Question]:
    """Pick questions: never practiced first, then longest ago first; topics take turns.

    Whoever has practiced only a few questions gets the easiest of those first. What the bank lets
    the round ``opening`` begin with comes before all of them.

    Args:
        questions: what there is to choose from.
        last_practiced: question id → when it was last answered.
        count: how many; fewer come back where there are fewer.
        rng: breaks ties.
        opening: the round that these questions begin.
        topics: mean scores by topic, 0 to 1; the weakest come first, unknown ones count as 0.5.
    """
    known = topics or {}
    is_newcomer = len(last_practiced) < NEWCOMER_QUESTIONS
    never = datetime.min.replace(tzinfo=UTC)
    waiting = sorted(
        rng.sample(list(questions), len(questions)),
        key=lambda question: (
            opening not in question.opens,
            round(known.get(question.topic, 0.5), 1),
            last_practiced.get(question.id, never),
            question.difficulty if is_newcomer else 0,
        ),
    )
    chosen: list[Question] = []
    taken: dict[str, int] = {}
    while waiting and len(chosen) < count:
        fewest = min(taken.get(question.topic, 0) for question in waiting)
        pick = next(q for q in waiting if taken.get(q.topic, 0) == fewest)
        waiting.remove(pick)
        chosen.append(pick)
        taken[pick.topic] = taken.get(pick.topic, 0) + 1
    return chosen


def first_question(questions: Iterable[Question]) -> Question | None:
    """The easiest question about the candidates themselves, which needs no preparation.

    One that begins interviews comes before all others.
    """
    there = list(questions)
    stories = [each for each in there if each.kind in ABOUT_ONESELF] or there
    stories = [each for each in stories if each.opens] or stories
    return min(stories, key=lambda each: (each.difficulty, each.answer_seconds), default=None)


def find_questions(questions: Iterable[Question], words: str) -> list[Question]:
    """The questions that have every one of these words in prompt, topic or key phrases."""
    wanted = words.casefold().split()
    return [each for each in questions if all(word in _text_of(each) for word in wanted)]


def in_order(questions: Iterable[Question], scores: Mapping[str, float]) -> list[Question]:
    """For a list to choose from: untried first, the easiest first; then the weakest answer first.

    Args:
        questions: what there is to choose from.
        scores: question id → score of its latest answer, 0 to 1.
    """

    def place(question: Question) -> tuple[float, int]:
        return scores.get(question.id, -1.0), question.difficulty

    return sorted(questions, key=place)


def _text_of(question: Question) -> str:
    phrases = (each.phrase for each in question.key_phrases)
    return " ".join((question.prompt, question.topic, *phrases)).casefold()
