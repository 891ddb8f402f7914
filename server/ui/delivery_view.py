"""The delivery of an answer as the pages show it: figures and what they are compared with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from server.contract import Delivery, band, duration
from server.ui.verdict_words import fillers_text


@dataclass(frozen=True)
class Metric:
    """A measure of the delivery: its name, unit and precision, wherever it is shown.

    ``of``: its value, which answers to different questions can be held against; ``None``: it could
        not be measured.
    """

    label: str
    unit: str
    of: Callable[[Delivery], float | None]
    digits: int = 1

    @property
    def title(self) -> str:
        """The name with the unit, for a table."""
        return f"{self.label}, {self.unit}"

    def number(self, value: float) -> str:
        """The value without its unit."""
        return f"{value:.{self.digits}f}"

    def text(self, value: float) -> str:
        """The value with its unit."""
        return f"{self.number(value)} {self.unit}"


@dataclass(frozen=True)
class Figure:
    """A number with its unit; ``note`` says what it is measured against.

    ``metric``: whose own range stands beside it.
    """

    label: str
    value: str
    unit: str = ""
    note: str = ""
    metric: Metric | None = None


def _a_minute(count: Callable[[Delivery], int | None]) -> Callable[[Delivery], float | None]:
    def rate(delivery: Delivery) -> float | None:
        number = count(delivery)
        return number / delivery.answer_s * 60 if delivery.answer_s and number is not None else None

    return rate


PACE: Final = Metric("Pace", "words per minute", attrgetter("words_per_minute"), digits=0)
ARTICULATION: Final = Metric(
    "Articulation", "syllables per second", attrgetter("articulation_rate")
)
LONGEST_PAUSE: Final = Metric("Longest pause", "seconds", attrgetter("longest_pause_s"))
FIRST_POINT: Final = Metric("First point after", "seconds", attrgetter("first_point_s"))
TIMINGS: Final = (
    Metric("First word after", "seconds", attrgetter("first_word_s")),
    FIRST_POINT,
    Metric("From pause to pause", "syllables", attrgetter("mean_run")),
)
"""When it began, when it came to the point, and how long it ran between pauses."""
BETWEEN: Final = Metric(
    "Pauses between clauses", "a minute", _a_minute(attrgetter("pauses_between"))
)
INSIDE: Final = Metric("Pauses inside clauses", "a minute", _a_minute(attrgetter("pauses_inside")))
FILLERS: Final = Metric("Fillers, at least", "a minute", _a_minute(lambda said: len(said.fillers)))
TAKEN_BACK: Final = Metric(
    "Taken back, at least", "a minute", _a_minute(attrgetter("self_corrections"))
)
METRICS: Final = (
    PACE, ARTICULATION, LONGEST_PAUSE, BETWEEN, INSIDE, *TIMINGS, FILLERS, TAKEN_BACK,
)  # fmt: skip
AT_ONCE_S: Final = 1.0
_MAX_REPEATED: Final = 3


def figures_of(delivery: Delivery) -> tuple[Figure, ...]:
    """What could be measured, in the order of the page."""
    figures: list[Figure] = []

    def add(metric: Metric, note: str = "") -> None:
        if (value := metric.of(delivery)) is not None:
            figures.append(Figure(metric.label, metric.number(value), metric.unit, note, metric))

    add(PACE)
    if delivery.answer_s is not None:
        target = f"of {duration(delivery.target_s)} min"
        figures.append(Figure("Length", duration(delivery.answer_s), target))
    figures.append(Figure("Words", str(delivery.words)))
    add(ARTICULATION, f"pauses left out; a rough guide: {band('articulation'):.0f}")
    if delivery.longest_pause_s is not None:
        longest = f"the longest {delivery.longest_pause_s:.1f} s" if delivery.pauses else ""
        count = str(len(delivery.pauses))
        figures.append(Figure("Pauses", count, "", longest, LONGEST_PAUSE))
    for metric in (BETWEEN, INSIDE, *TIMINGS):
        add(metric)
    if fillers_text(delivery):
        figures.append(_filler_figure(delivery))
    if delivery.repeated_starts:
        count = str(len(delivery.repeated_starts))
        figures.append(Figure("Said twice", count, "", _repeated(delivery)))
    if delivery.self_corrections:
        count = str(delivery.self_corrections)
        figures.append(Figure("Taken back", count, "", "at least", TAKEN_BACK))
    return tuple(figures)


def delivery_lines(delivery: Delivery) -> Iterator[str]:
    """The same as text, for a terminal and for files."""
    yield f"{delivery.words} words"
    if delivery.answer_s is not None:
        yield f"{delivery.answer_s:.0f} s of {delivery.target_s:.0f} s"
    if delivery.words_per_minute is not None:
        yield PACE.text(delivery.words_per_minute)
    if delivery.articulation_rate is not None:
        yield f"{ARTICULATION.text(delivery.articulation_rate)} of speech"
    if delivery.longest_pause_s is not None:
        count = len(delivery.pauses)
        longest = f"{count} pause{'s' * (count > 1)}, the longest {delivery.longest_pause_s:.1f} s"
        where = f" ({_places(delivery)})" if _places(delivery) else ""
        yield longest + where if count else "no pauses"
    for metric in TIMINGS:
        if (value := metric.of(delivery)) is not None:
            at_once = metric is FIRST_POINT and value < AT_ONCE_S
            named = f"{metric.label.lower()} {metric.text(value)}"
            yield "to the point at once" if at_once else named
    if fillers_text(delivery):
        yield fillers_text(delivery)
    if delivery.repeated_starts:
        yield f"said twice: {_repeated(delivery)}"
    if delivery.self_corrections:
        yield f"taken back: at least {delivery.self_corrections}"


def _places(delivery: Delivery) -> str:
    """Where the pauses stand; those between clauses help a listener."""
    if delivery.pauses_inside is None or delivery.pauses_between is None:
        return ""
    return f"{delivery.pauses_between} between clauses, {delivery.pauses_inside} inside"


def _repeated(delivery: Delivery) -> str:
    texts = ", ".join(f"“{start.text}”" for start in delivery.repeated_starts[:_MAX_REPEATED])
    return texts + (" …" if len(delivery.repeated_starts) > _MAX_REPEATED else "")


def _filler_figure(delivery: Delivery) -> Figure:
    """Engines drop many fillers, so none transcribed does not mean none said."""
    count = len(delivery.fillers)
    if not delivery.fillers_are_lower_bound:
        return Figure("Fillers", str(count), metric=FILLERS)
    note = f"{'at least: ' if count else ''}engines leave many out"
    return Figure("Fillers", str(count), "transcribed", note, FILLERS)


def filler_counts(delivery: Delivery) -> tuple[tuple[str, int], ...]:
    """How often each filler was said, the most frequent first."""
    counts: dict[str, int] = {}
    for filler in delivery.fillers:
        text = filler.text.casefold()
        counts[text] = counts.get(text, 0) + 1
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
