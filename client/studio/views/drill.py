"""A drill as the page shows it, with all its texts."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from client.practice.drills.items import REPLAY_MARGIN_S, VERDICTS, Item, Step, Tone
from client.studio.views.ways import Ways, WayView, text_url, way_of, ways_of
from server.contract import DrillVerdictName


@dataclass(frozen=True)
class CardView:
    """What is to be said.

    Attributes:
        ask: shown instead of the prompt until it is said; empty: the prompt.
        again: it was up in this drill before.
        sound: where the app's own voice says it.
        ways: everything it is taken for, right or wrong; ``None`` for a phrase.
        silence_stop_s: a take ends after this much silence.
        time_limit_s: no take takes longer.
    """

    item_id: str
    prompt: str
    ask: str
    sentence: str
    reading: WayView
    again: bool
    sound: str
    ways: Ways | None
    silence_stop_s: float
    time_limit_s: float


@dataclass(frozen=True)
class StepView:
    """The verdict on a take.

    Attributes:
        undecided: nothing was decided; the same item stays up.
        confidence: 0 to 1; ``None`` if nothing was heard.
        heard: the reading heard.
        expected: the reading taught; only if another was heard.
        tip: what helps against the mistake.
        note: what to do, where nothing was decided.
        coming: when the item comes again.
        waiting: why the take waits in the outbox.
        from_s: the term within the take, with a margin; ``None`` if nothing was said.
        to_s: its end.
    """

    verdict: DrillVerdictName
    sign: str
    tone: Tone
    words: str
    undecided: bool
    confidence: float | None
    heard: WayView | None
    expected: WayView | None
    tip: str
    note: str
    coming: str
    waiting: str
    from_s: float | None
    to_s: float | None


@dataclass(frozen=True)
class ResultView:
    """The result of one item; ``rank`` orders them, those to work on first."""

    item_id: str
    prompt: str
    sign: str
    tone: Tone
    words: str
    coming: str
    rank: int


def view_card(item: Item, *, again: bool) -> CardView:
    """An item that is up."""
    return CardView(
        item_id=item.id,
        prompt=item.prompt,
        ask=item.ask,
        sentence=item.sentence,
        reading=_reading(item, item.readings[0]),
        again=again,
        sound=f"/sound/drill/{quote(item.id, safe='')}",
        ways=None if item.phrases else ways_of(item.term, item.say, item.readings, item.mistakes),
        silence_stop_s=item.silence_stop_s,
        time_limit_s=item.time_limit_s,
    )


def view_step(step: Step, now: datetime) -> StepView:
    """The result of a take."""
    heard = step.heard
    sign, tone, words = VERDICTS[heard.verdict]
    undecided = step.is_undecided
    decided = heard.phones if not undecided else None
    missed = heard.verdict == "mispronounced"
    return StepView(
        verdict=heard.verdict,
        sign=sign,
        tone=tone,
        words=words.capitalize(),
        undecided=undecided,
        confidence=None if heard.verdict == "nothing" else heard.confidence,
        heard=_reading(step.item, decided) if decided else None,
        expected=_reading(step.item, step.item.readings[0]) if missed else None,
        tip=step.tip,
        note=step.note,
        coming=_coming(step, now) if not undecided else "",
        waiting=step.waiting,
        from_s=None if heard.start_s is None else max(heard.start_s - REPLAY_MARGIN_S, 0.0),
        to_s=None if heard.end_s is None else heard.end_s + REPLAY_MARGIN_S,
    )


def view_result(item: Item, step: Step | None, misses: int, now: datetime) -> ResultView:
    """The result of an item over a whole drill.

    Args:
        item: the item.
        step: the last take with a verdict; ``None``: it was skipped.
        misses: how often it was said wrong.
        now: the time.
    """
    sign: str
    tone: Tone
    if step is None:
        sign, tone, words, rank = "–", "warn", "skipped", 2
    elif step.heard.verdict == "mispronounced":
        sign, tone, words, rank = "✗", "bad", "to work on", 0
    elif misses:
        times = "one miss" if misses == 1 else f"{misses} misses"
        sign, tone, words, rank = "✓", "good", f"right after {times}", 1
    else:
        sign, tone, words, rank = "✓", "good", "right at once", 3
    next_time = coming(step.card.due, now) if step is not None and step.card is not None else ""
    return ResultView(item.id, item.prompt, sign, tone, words, next_time, rank)


def coming(due: datetime, now: datetime) -> str:
    """When an item comes again, in words."""
    days = (due.astimezone().date() - now.astimezone().date()).days
    left_s = (due - now).total_seconds()
    if left_s <= 60:
        return "now"
    if left_s < 3600:
        minutes = round(left_s / 60)
        return f"in {minutes} minute{'' if minutes == 1 else 's'}"
    if days == 0:
        return "later today"
    return "tomorrow" if days == 1 else f"in {days} days"


def _coming(step: Step, now: datetime) -> str:
    if step.comes_back:
        return "in this drill"
    return coming(step.card.due, now) if step.card is not None else ""


def _reading(item: Item, phones: str) -> WayView:
    if words := item.phrases.get(phones):
        return WayView(words, "", text_url(words))
    return way_of(item.term, phones, item.respelling(phones))
