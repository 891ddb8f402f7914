"""Which questions come next in a rehearsal."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from question_bank.models import Question


def choose_questions(
    questions: Sequence[Question],
    last_practiced: Mapping[str, datetime],
    count: int,
    rng: random.Random,
) -> list[Question]:
    """Pick questions: never practiced first, then longest ago first; topics take turns.

    Args:
        questions: what there is to choose from.
        last_practiced: question id → when it was last answered.
        count: how many; fewer come back where there are fewer.
        rng: breaks ties.
    """
    never = datetime.min.replace(tzinfo=UTC)
    waiting = sorted(
        rng.sample(list(questions), len(questions)),
        key=lambda question: last_practiced.get(question.id, never),
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
