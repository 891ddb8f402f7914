"""The delivery of an answer as the pages show it: figures and what they are compared with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from server.contract import Delivery, band, duration
from server.ui.verdict_words import fillers_text


@dataclass(frozen=True)
class Figure:
    """A number with its unit; ``note`` says what it is measured against."""

    label: str
    value: str
    unit: str = ""
    note: str = ""


@dataclass(frozen=True)
class Metric:
    """A measure of the delivery: its name, unit and precision, wherever it is shown."""

    label: str
    unit: str
    digits: int = 0

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


PACE: Final = Metric("Pace", "words per minute")
ARTICULATION: Final = Metric("Articulation", "syllables per second", digits=1)
LONGEST_PAUSE: Final = Metric("Longest pause", "seconds", digits=1)
FIRST_WORD: Final = Metric("First word after", "seconds", digits=1)
FIRST_POINT: Final = Metric("First point after", "seconds", digits=1)
AT_ONCE_S: Final = 1.0
RUN: Final = Metric("From pause to pause", "syllables", digits=1)
FILLERS: Final = Metric("Fillers, at least", "a minute", digits=1)
_MAX_REPEATED: Final = 3


def figures_of(delivery: Delivery) -> tuple[Figure, ...]:
    """What could be measured, in the order of the page."""
    figures: list[Figure] = []
    if delivery.words_per_minute is not None:
        pace = PACE.number(delivery.words_per_minute)
        figures.append(Figure(PACE.label, pace, PACE.unit))
    if delivery.answer_s is not None:
        target = f"of {duration(delivery.target_s)} min"
        figures.append(Figure("Length", duration(delivery.answer_s), target))
    figures.append(Figure("Words", str(delivery.words)))
    if delivery.articulation_rate is not None:
        rate = ARTICULATION.number(delivery.articulation_rate)
        figures.append(
            Figure(
                ARTICULATION.label,
                rate,
                ARTICULATION.unit,
                f"pauses left out; American English: about {band('articulation'):.0f}",
            )
        )
    if delivery.longest_pause_s is not None:
        longest = f"the longest {delivery.longest_pause_s:.1f} s" if delivery.pauses else ""
        where = f"; {_places(delivery)}" if longest and _places(delivery) else ""
        figures.append(Figure("Pauses", str(len(delivery.pauses)), "", longest + where))
    for metric, value in timings(delivery):
        figures.append(Figure(metric.label, metric.number(value), metric.unit))
    if fillers_text(delivery):
        figures.append(_filler_figure(delivery))
    if delivery.repeated_starts:
        count = str(len(delivery.repeated_starts))
        figures.append(Figure("Said twice", count, "", _repeated(delivery)))
    if delivery.self_corrections:
        figures.append(Figure("Taken back", str(delivery.self_corrections), "", "at least"))
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
    for metric, value in timings(delivery):
        at_once = metric is FIRST_POINT and value < AT_ONCE_S
        yield "to the point at once" if at_once else f"{metric.label.lower()} {metric.text(value)}"
    if fillers_text(delivery):
        yield fillers_text(delivery)
    if delivery.repeated_starts:
        yield f"said twice: {_repeated(delivery)}"
    if delivery.self_corrections:
        yield f"taken back: at least {delivery.self_corrections}"


def measured(delivery: Delivery) -> Iterator[tuple[Metric, float]]:
    """Every measure that answers to different questions can be held against."""
    fillers = len(delivery.fillers) / delivery.answer_s * 60.0 if delivery.answer_s else None
    for metric, value in (
        (PACE, delivery.words_per_minute),
        (ARTICULATION, delivery.articulation_rate),
        (LONGEST_PAUSE, delivery.longest_pause_s),
        (FILLERS, fillers),
    ):
        if value is not None:
            yield metric, value
    yield from timings(delivery)


def timings(delivery: Delivery) -> Iterator[tuple[Metric, float]]:
    """When it began, when it came to the point, and how long it ran between pauses."""
    for metric, value in (
        (FIRST_WORD, delivery.first_word_s),
        (FIRST_POINT, delivery.first_point_s),
        (RUN, delivery.mean_run),
    ):
        if value is not None:
            yield metric, value


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
        return Figure("Fillers", str(count))
    note = f"{'at least: ' if count else ''}engines leave many out"
    return Figure("Fillers", str(count), "transcribed", note)


def filler_counts(delivery: Delivery) -> tuple[tuple[str, int], ...]:
    """How often each filler was said, the most frequent first."""
    counts: dict[str, int] = {}
    for filler in delivery.fillers:
        text = filler.text.casefold()
        counts[text] = counts.get(text, 0) + 1
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
