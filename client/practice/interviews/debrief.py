"""The debrief of an interview: by signal, the first half minute, moments to hear, a verdict.

Everything follows from the reports of its answers, by rule, with the evidence beside it.
"""

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from client.practice.interviews.models import (
    AnswerLine,
    Debrief,
    FirstImpression,
    Moment,
    SignalLine,
    ToPractice,
)
from client.practice.interviews.record import InterviewRecord
from server.contract import CoverageEvidence, Report, clock
from server.contract.bands import band
from server.contract.scoring import taken_off

FIRST_S: Final = 30.0
MOST_MOMENTS: Final = 3
MOST_TO_PRACTICE: Final = 3
USUAL_QUESTIONS: Final = 3
"""How many questions a candidate is expected to have."""
CLOSING_ASK: Final = "That is all from me. What are your questions for us?"
CLOSING_MOST_S: Final = 120.0
STEPS: Final = (0.35, 0.55, 0.75)
"""Mean scores of all that was asked from which the next step of a scale begins."""
SCALES: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "phone-screen": ("would not go on", "would rather not go on", "goes on", "goes on at once"),
    "coding": ("no hire", "leaning no hire", "leaning hire", "hire"),
    "system-design": ("below the bar", "just below the bar", "at the bar", "above the bar"),
    "behavioral": ("strong concerns", "some concerns", "good evidence", "strong evidence"),
}
OTHER_SCALE: Final = ("not convincing", "partly convincing", "convincing", "very convincing")
_ASKS: Final = re.compile(
    r"\?|\b(?:what|how|why|who|when|which|where|could you|can you|do you|is there|are there)\b",
    re.IGNORECASE,
)

Reports = Mapping[int, tuple[int, Report]]
"""Number of the question → attempt and report."""


def debrief_of(
    record: InterviewRecord, lines: Sequence[AnswerLine], reports: Reports, score: float | None
) -> Debrief:
    """The debrief; ``score``: the mean over all that was asked, ``None``: nothing has a report."""
    verdict, evidence = _verdict(record, lines, score)
    return Debrief(
        verdict=verdict,
        verdict_evidence=evidence,
        signals=_signals(record, lines),
        first=_first(reports),
        moments=_moments(reports),
        tomorrow=_tomorrow(lines, reports),
        closing=record.closing,
        closing_remark=_closing_remark(record.closing),
    )


def _verdict(
    record: InterviewRecord, lines: Sequence[AnswerLine], score: float | None
) -> tuple[str, str]:
    scored = [each for each in lines if each.score is not None]
    if score is None or not scored:
        return "", ""
    words = SCALES.get(record.round, OTHER_SCALE)[sum(score >= each for each in STEPS)]
    best = max(scored, key=lambda each: each.score or 0.0)
    worst = min(scored, key=lambda each: each.score or 0.0)
    evidence = f"Mean score {score:.0%} of {len(lines)} asked"
    silent = sum(each.state not in ("given", "answered") for each in lines)
    evidence += f", {silent} without an answer" if silent else ""
    evidence += f"; best question {best.number} ({best.score:.0%})"
    if worst is not best:
        evidence += f", weakest question {worst.number} ({worst.score:.0%})"
    return words, f"{evidence}."


def _signals(record: InterviewRecord, lines: Sequence[AnswerLine]) -> tuple[SignalLine, ...]:
    found: dict[str, list[AnswerLine]] = {}
    for asked, line in zip(record.asked, lines, strict=True):
        for signal in asked.signals:
            if line.score is not None:
                found.setdefault(signal, []).append(line)
    made = [
        SignalLine(
            signal=signal,
            score=fmean(each.score or 0.0 for each in own),
            numbers=tuple(each.number for each in own),
        )
        for signal, own in found.items()
    ]
    return tuple(sorted(made, key=lambda each: each.score))


def _first(reports: Reports) -> FirstImpression | None:
    """Of the first answer whose words have times."""
    for number, (attempt_id, report) in sorted(reports.items()):
        words = report.transcript.words
        timed = [at for at, word in enumerate(words) if (word.start_s or FIRST_S) < FIRST_S]
        if not timed:
            continue
        last = timed[-1]
        begins_s = words[timed[0]].start_s or 0.0
        return FirstImpression(
            number=number,
            attempt_id=attempt_id,
            text=" ".join(words[at].text for at in timed).strip(),
            begins_s=begins_s,
            words=len(timed),
            fillers=sum(each.word_index <= last for each in report.delivery.fillers),
            phrases=tuple(
                each.phrase
                for each in report.coverage.phrases
                if each.status == "covered"
                and each.evidence is not None
                and (each.evidence.start_s or FIRST_S) < FIRST_S
            ),
        )
    return None


def _moments(reports: Reports) -> tuple[Moment, ...]:
    """What to hear again: the best, what sounds wrong most, a long silence, more that is good."""
    good: list[Moment] = []
    by_score = sorted(reports.items(), key=lambda each: -each[1][1].overall)
    for number, (attempt_id, report) in by_score:
        said = [
            each
            for each in report.coverage.phrases
            if each.status == "covered" and each.evidence is not None and not each.negated
        ]
        if said:
            best = max(said, key=lambda each: each.weight)
            good.append(_moment(number, attempt_id, best.evidence, f"Well said: {best.phrase}."))
    found = good[:1]
    doubted = [each for each in reports.items() if each[1][1].doubtful is not None]
    if doubted:
        number, (attempt_id, report) = max(doubted, key=lambda each: taken_off(each[1][1]))
        found.append(_moment(number, attempt_id, report.doubted, "This sounds wrong or vague."))
    paused = [
        (pause.end_s - pause.start_s, pause.start_s, number, attempt_id)
        for number, (attempt_id, report) in reports.items()
        for pause in report.delivery.pauses
        if pause.end_s - pause.start_s >= band("long_pause")
    ]
    if paused:
        length_s, start_s, number, attempt_id = max(paused)
        why = f"Your longest silence, {length_s:.1f} s: say that you are thinking."
        found.append(
            Moment(number=number, attempt_id=attempt_id, start_s=start_s, text="", why=why)
        )
    return tuple([*found, *good[1:]][:MOST_MOMENTS])


def _moment(number: int, attempt_id: int, said: CoverageEvidence | None, why: str) -> Moment:
    return Moment(
        number=number,
        attempt_id=attempt_id,
        start_s=said.start_s if said else None,
        text=said.text if said else "",
        why=why,
    )


def _tomorrow(lines: Sequence[AnswerLine], reports: Reports) -> tuple[ToPractice, ...]:
    """The aims of the weakest answers."""
    weakest = sorted(
        (each for each in lines if each.number in reports), key=lambda each: each.score or 0.0
    )
    found: list[ToPractice] = []
    for line in weakest[:MOST_TO_PRACTICE]:
        attempt_id, report = reports[line.number]
        if report.aim is not None:
            found.append(
                ToPractice(
                    number=line.number,
                    question_id=line.question_id,
                    attempt_id=attempt_id,
                    kind=report.aim.kind,
                    text=report.aim.text,
                )
            )
    return tuple(found)


def _closing_remark(closing: str | None) -> str:
    if closing is None:
        return ""
    count = questions_in(closing)
    if not count:
        return (
            "You had no question. Prepare three: what the team works on next, how success is "
            "measured, what it finds hardest."
        )
    if count < USUAL_QUESTIONS:
        return f"You asked {count}; prepare {USUAL_QUESTIONS}."
    return ""


def questions_in(text: str) -> int:
    """How many questions somebody asked, by the sentences and clauses that ask something."""
    clauses = re.split(
        r"(?<=[.?!])|\band(?=\s+(?:what|how|why|who|when|which|where)\b)"
        r"|(?=\b(?:what|how|why|when|where) (?:would|do|does|did|could|can|should|will)\b)",
        text,
        flags=re.IGNORECASE,
    )
    return sum(bool(_ASKS.search(each)) for each in clauses)


def first_lines(first: FirstImpression) -> str:
    """The first impression in a sentence."""
    phrases = f", with {', '.join(first.phrases)}" if first.phrases else ", no key phrase yet"
    fillers = f"{first.fillers} filler{'' if first.fillers == 1 else 's'}"
    return (
        f"Question {first.number}: you began after {first.begins_s:.1f} s; in the first "
        f"{FIRST_S:.0f} s {first.words} words, {fillers}{phrases}."
    )


def moment_line(moment: Moment) -> str:
    """A moment in a sentence."""
    quote = f" “{moment.text}”" if moment.text else ""
    return f"Question {moment.number} at {clock(moment.start_s)}: {moment.why}{quote}"
