"""The delivery of an answer as the pages show it: figures and what they are compared with."""

from dataclasses import dataclass

from server.contract import Delivery, duration
from server.ui.verdict_words import fillers_text


@dataclass(frozen=True)
class Figure:
    """A number with its unit; ``note`` says what it is measured against."""

    label: str
    value: str
    unit: str = ""
    note: str = ""


def figures_of(delivery: Delivery) -> tuple[Figure, ...]:
    """What could be measured, in the order of the page."""
    figures: list[Figure] = []
    if delivery.words_per_minute is not None:
        figures.append(Figure("Pace", f"{delivery.words_per_minute:.0f}", "words per minute"))
    if delivery.answer_s is not None:
        target = f"of {duration(delivery.target_s)} min"
        figures.append(Figure("Length", duration(delivery.answer_s), target))
    figures.append(Figure("Words", str(delivery.words)))
    if delivery.articulation_rate is not None:
        rate = f"{delivery.articulation_rate:.1f}"
        figures.append(
            Figure("Articulation", rate, "syllables per second", "of speech, pauses left out")
        )
    if delivery.longest_pause_s is not None:
        longest = f"the longest {delivery.longest_pause_s:.1f} s" if delivery.pauses else ""
        figures.append(Figure("Pauses", str(len(delivery.pauses)), "", longest))
    if fillers_text(delivery):
        figures.append(_filler_figure(delivery))
    if delivery.repeated_starts:
        texts = ", ".join(f"“{start.text}”" for start in delivery.repeated_starts[:3])
        more = " …" if len(delivery.repeated_starts) > 3 else ""
        figures.append(Figure("Said twice", str(len(delivery.repeated_starts)), "", texts + more))
    return tuple(figures)


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
