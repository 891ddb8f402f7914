"""What went best in an interview and what to work on, by rule, each pointing at its evidence."""

from collections.abc import Mapping, Sequence
from typing import Final

from client.practice.interviews.models import AnswerLine, TermOverAll
from server.contract import MAX_POINTS, SummaryPoint, band

STRONG_SCORE: Final = 0.7
"""Most of what a listener waits for was said."""
WEAK_SCORE: Final = 0.5
"""Less than half of it was."""
_OFTEN: Final = 2
"""Said right once may be luck."""

_Ranked = tuple[float, str, SummaryPoint]
"""Weight, kind, point."""


def strongest(
    answers: Sequence[AnswerLine],
    always_right: Mapping[str, Sequence[int]],
    words_per_minute: float | None,
) -> tuple[SummaryPoint, ...]:
    """Up to three points; ``always_right``: terms → numbers of the answers they were said in."""
    points: list[_Ranked] = []
    for at, line in enumerate(answers):
        if line.score is not None and line.score >= STRONG_SCORE:
            text = f"Question {line.number}, {line.topic}: {_share(line)}."
            points.append((5 + line.score, "coverage", _point(text, f"answers[{at}].score")))
    if len(answers) > 1 and all(line.state == "answered" for line in answers):
        text = f"You answered all {len(answers)} questions."
        points.append((4.0, "answered", _point(text, "answered")))
    if words_per_minute is not None and band("pace_slow") <= words_per_minute <= band("pace_fast"):
        text = (
            f"Your pace was comfortable: {words_per_minute:.0f} words per minute over all answers."
        )
        points.append((4.5, "pace", _point(text, "words_per_minute")))
    for term, numbers in always_right.items():
        if len(numbers) >= _OFTEN:
            text = f"You said “{term}” right every time ({len(numbers)})."
            weight = 4.2 + min(len(numbers), 9) / 100
            points.append((weight, "terms", _point(text, f"answers[{numbers[0] - 1}]")))
    return _mixed(points)


def weakest(
    answers: Sequence[AnswerLine], terms: Sequence[TermOverAll], words_per_minute: float | None
) -> tuple[SummaryPoint, ...]:
    """Up to three points; ``terms``: those said wrong, the most often first."""
    points: list[_Ranked] = []
    silent = [line for line in answers if line.state not in ("answered", "given")]
    if silent:
        named = _numbers([line.number for line in silent])
        text = f"{named[0].upper()}{named[1:]} got no answer: say at least what you would try."
        points.append((9.0, "answered", _point(text, f"answers[{answers.index(silent[0])}]")))
    for at, line in enumerate(answers):
        if line.score is not None and line.score < WEAK_SCORE:
            missing = f" Start with “{line.missing[0]}”." if line.missing else ""
            some = line.covered or line.when_asked
            few = f"only {_share(line)}" if some else f"none of {line.phrases} key phrases"
            text = f"Question {line.number}, {line.topic}: {few}.{missing}"
            points.append((8 - line.score, "coverage", _point(text, f"answers[{at}].score")))
    for at, term in enumerate(terms):
        times = "once" if term.mispronounced == 1 else f"{term.mispronounced} times"
        text = f"Practice “{term.term}”: you mispronounced it {times}. Say {term.expected}."
        weight = 6.5 + min(term.mispronounced, 5) * 0.3
        points.append((weight, "terms", _point(text, f"terms[{at}]")))
    return _mixed([*points, *_delivery(answers, words_per_minute)])


def _delivery(answers: Sequence[AnswerLine], words_per_minute: float | None) -> list[_Ranked]:
    points: list[_Ranked] = []
    if words_per_minute is not None and words_per_minute > band("pace_fast"):
        text = f"Slow down a little: {words_per_minute:.0f} words per minute over all answers."
        points.append((6.6, "pace", _point(text, "words_per_minute")))
    elif words_per_minute is not None and words_per_minute < band("pace_slow"):
        text = f"Speak a little faster: {words_per_minute:.0f} words per minute over all answers."
        points.append((6.2, "pace", _point(text, "words_per_minute")))
    paused = [line for line in answers if (line.longest_pause_s or 0.0) >= band("long_pause")]
    if paused:
        worst = max(paused, key=lambda line: line.longest_pause_s or 0.0)
        text = (
            f"Your longest pause lasted {worst.longest_pause_s:.1f} s, in question {worst.number}: "
            "say that you are thinking."
        )
        at = answers.index(worst)
        points.append((6.4, "pauses", _point(text, f"answers[{at}].longest_pause_s")))
    timed = [line for line in answers if line.answer_s]
    total_s = sum(line.answer_s or 0.0 for line in timed)
    fillers = sum(line.fillers or 0 for line in timed)
    if total_s and fillers / total_s * 60.0 >= band("fillers"):
        text = f"Replace fillers with a short silence: at least {fillers} were heard."
        points.append((6.8, "fillers", _point(text, "fillers")))
    points += _lengths(timed, answers)
    return points


def _lengths(timed: Sequence[AnswerLine], answers: Sequence[AnswerLine]) -> list[_Ranked]:
    points: list[_Ranked] = []
    shares = {line.number: (line.answer_s or 0.0) / line.target_s for line in timed}
    short = [line for line in timed if shares[line.number] < band("short_answer")]
    long = [line for line in timed if shares[line.number] > band("long_answer")]
    for lines, text in (
        (short, "Say more: you used less than half of the time, in {}."),
        (long, "Be briefer: you took half as long again as expected, in {}."),
    ):
        if lines:
            evidence = f"answers[{answers.index(lines[0])}].answer_s"
            point = _point(text.format(_numbers([line.number for line in lines])), evidence)
            points.append((6.3, "length", point))
    return points


def _numbers(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"question {numbers[0]}"
    *first, last = map(str, numbers)
    return f"questions {', '.join(first)} and {last}"


def _share(line: AnswerLine) -> str:
    asked = f", {line.when_asked} when asked" if line.when_asked else ""
    return f"{line.covered} of {line.phrases} key phrases{asked}"


def _point(text: str, evidence: str) -> SummaryPoint:
    return SummaryPoint(text=text, evidence=evidence)


def _mixed(points: Sequence[_Ranked]) -> tuple[SummaryPoint, ...]:
    """The weightiest points, at most two of one kind while others wait."""
    ranked = sorted(points, key=lambda each: -each[0])
    chosen: list[_Ranked] = []
    for limit in (2, MAX_POINTS):
        for each in ranked:
            alike = sum(other[1] == each[1] for other in chosen)
            if len(chosen) < MAX_POINTS and each not in chosen and alike < limit:
                chosen.append(each)
    return tuple(point for _, _, point in sorted(chosen, key=lambda each: -each[0]))
