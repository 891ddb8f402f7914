"""Hearing for drills."""

from functools import cache
from typing import TYPE_CHECKING

from client.practice.drills.items import Item
from client.practice.drills.session import DrillVerdict, HearDrill
from pronunciation.clip import Clip
from pronunciation.errors import HearingError

if TYPE_CHECKING:
    from pronunciation.hearing import Hearing


@cache
def drill_hearing() -> HearDrill:
    """The hearing; its model loads at the first take."""
    from pronunciation.hearing import Hearing

    hearing = Hearing()

    def hear(clip: Clip, item: Item) -> DrillVerdict:
        # "to record" is said as it is shown, or the term alone. Of 55 such prompts said by the
        # app's voice, 50 were heard as right within the prompt and 28 by the term alone.
        within = None if item.prompt == item.term else _within_prompt(hearing, clip, item)
        return within or _alone(hearing, clip, item)

    return hear


def _alone(hearing: "Hearing", clip: Clip, item: Item) -> DrillVerdict:
    from pronunciation.hearing import hear_drill

    heard = hear_drill(hearing, clip, item.readings, [each.phones for each in item.mistakes])
    return DrillVerdict(heard.outcome, heard.phones, heard.confidence, heard.start_s, heard.end_s)


def _within_prompt(hearing: "Hearing", clip: Clip, item: Item) -> DrillVerdict | None:
    """The verdict on the term within its prompt; ``None``: the prompt was not said."""
    from pronunciation.hearing import Target

    words = item.prompt.split()
    place = _place(item)
    if place is None:
        return None
    mistakes = tuple(each.phones for each in item.mistakes)
    target = Target(item.term, place, len(item.term.split()), item.readings, mistakes)
    try:
        [heard] = hearing.hear(clip, words, [target])
    except HearingError:
        return None
    return DrillVerdict(heard.verdict, heard.phones, heard.confidence, heard.start_s, heard.end_s)


def _place(item: Item) -> int | None:
    """Index of the term's first word in the prompt."""
    words = [word.casefold().strip(".,;:!?") for word in item.prompt.split()]
    term = item.term.casefold().split()
    for start in range(len(words) - len(term) + 1):
        if words[start : start + len(term)] == term:
            return start
    return None
