"""The debrief of an interview: by signal, the first half minute, moments to hear, a verdict.

Everything follows from the reports of its answers, by rule, with the evidence beside it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from textwrap import shorten
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
from server.contract import CoverageEvidence, Report, Transcript, clock
from server.contract.report import evidence_of
from server.contract.scoring import band, challenged, taken_off

FIRST_S: Final = 30.0
MOST_MOMENTS: Final = 3
MOST_QUOTED: Final = 200
"""Characters of a moment's words: a transcript may come without the ends of its sentences."""
_PLACES: Final = ("How you began.", "How you ended.", "In between: is the point clear?")
MOST_TO_PRACTICE: Final = 3
USUAL_QUESTIONS: Final = 3
"""How many questions a candidate is expected to have."""
CLOSING_ASK: Final = "That is all from me. What are your questions for us?"
CLOSING_MOST_S: Final = 120.0
STEPS: Final = (0.35, 0.55, 0.75)
"""Mean scores of all that was asked from which the next step of a scale begins."""
SCALES: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "phone-screen": ("does not advance", "may not advance", "advances", "clearly advances"),
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
        moments=moments_of(reports),
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
                if each.is_said
                and each.evidence is not None
                and (each.evidence.start_s or FIRST_S) < FIRST_S
            ),
        )
    return None


def moments_of(reports: Reports) -> tuple[Moment, ...]:
    """What to hear again: the best, the weakest, a long silence, more that is good, and so on."""
    by_score = sorted(reports.items(), key=lambda each: -each[1][1].overall)
    good = [each for number, kept in by_score for each in _well_said(number, *kept)]
    found: list[Moment] = []
    weak = [*_weakest(by_score), *_longest_silence(reports)]
    for each in (*good[:1], *weak, *good[1:], *_sentences(reports)):
        heard = (other.text for other in found if other.number == each.number and other.text)
        if not each.text or not any(each.text in text or text in each.text for text in heard):
            found.append(each)
    return tuple(found[:MOST_MOMENTS])


def _well_said(number: int, attempt_id: int, report: Report) -> Iterator[Moment]:
    """The weightiest phrase that was said, or else part of the structure."""
    parts = report.structure.parts if report.structure else ()
    said = [
        (each.weight, each.phrase, each.evidence)
        for each in report.coverage.phrases
        if each.is_said and each.evidence is not None
    ] or [(each.weight, each.name, each.evidence) for each in parts if each.evidence is not None]
    if said:
        _, name, evidence = max(said, key=lambda each: each[0])
        yield _moment(number, attempt_id, evidence, f"Well said: {name}.")


def _weakest(by_score: Sequence[tuple[int, tuple[int, Report]]]) -> Iterator[Moment]:
    """What sounds wrong most, or else what the aim of the weakest answer is about."""
    doubted = [each for each in by_score if challenged(each[1][1]) is not None]
    if doubted:
        number, (attempt_id, report) = max(doubted, key=lambda each: taken_off(each[1][1]))
        yield _moment(number, attempt_id, report.doubted, "This sounds wrong or vague.")
    elif by_score and (aim := by_score[-1][1][1].aim) is not None:
        number, (attempt_id, report) = by_score[-1]
        places = report.transcript.places_of(aim.quote) or report.transcript.sentences[:1]
        for each in places[:1]:
            why = f"Your weakest answer, {report.overall:.0%}. {aim.text}"
            yield _moment(number, attempt_id, _said(report.transcript, each), why)


def _longest_silence(reports: Reports) -> Iterator[Moment]:
    paused = [
        (pause.end_s - pause.start_s, pause.start_s, number, attempt_id)
        for number, (attempt_id, report) in reports.items()
        for pause in report.delivery.pauses
        if pause.end_s - pause.start_s >= band("long_pause")
    ]
    if paused:
        length_s, start_s, number, attempt_id = max(paused)
        why = f"Your longest silence, {length_s:.1f} s: say that you are thinking."
        yield Moment(number=number, attempt_id=attempt_id, start_s=start_s, text="", why=why)


def _sentences(reports: Reports) -> list[Moment]:
    """How the answers began, how they ended, and what is between, the longest first."""
    found: list[tuple[int, int, Moment]] = []
    for number, (attempt_id, report) in sorted(reports.items()):
        places = report.transcript.sentences
        for at, each in enumerate(places):
            rank = 0 if at == 0 else 1 if at == len(places) - 1 else 2
            moment = _moment(number, attempt_id, _said(report.transcript, each), _PLACES[rank])
            found.append((rank, -len(each) if rank == 2 else 0, moment))
    return [moment for *_, moment in sorted(found, key=lambda each: each[:2])]


def _said(transcript: Transcript, place: range) -> CoverageEvidence:
    return evidence_of(transcript.tokens, transcript.words, place)


def _moment(number: int, attempt_id: int, said: CoverageEvidence | None, why: str) -> Moment:
    return Moment(
        number=number,
        attempt_id=attempt_id,
        start_s=said.start_s if said else None,
        text=shorten(said.text, MOST_QUOTED, placeholder=" …") if said else "",
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


def sections_of(debrief: Debrief) -> Iterator[tuple[str, list[str]]]:
    """The titles of what there is to say, after the verdict, and the lines below each."""
    said = (f"“{debrief.closing}”" if debrief.closing else "", debrief.closing_remark)
    for title, lines in (
        ("By signal", [_signal_line(each) for each in debrief.signals]),
        ("The first half minute", [first_lines(debrief.first)] if debrief.first else []),
        ("Moments to hear", [moment_line(each) for each in debrief.moments]),
        (
            "To practice tomorrow",
            [f"{each.text} (question {each.number}, {each.kind})" for each in debrief.tomorrow],
        ),
        ("Your questions for us", [each for each in said if each]),
    ):
        if lines:
            yield title, lines


def _signal_line(line: SignalLine) -> str:
    numbers = ", ".join(map(str, line.numbers))
    name = line.signal.replace("-", " ").capitalize()
    return f"{name}: {line.score:.0%} (question{'s' * (len(line.numbers) > 1)} {numbers})"


def first_lines(first: FirstImpression) -> str:
    """The first impression in a sentence."""
    phrases = f"key phrases: {', '.join(first.phrases)}" if first.phrases else "no key phrase yet"
    fillers = f"{first.fillers} filler{'' if first.fillers == 1 else 's'}"
    return (
        f"Question {first.number}: you began after {first.begins_s:.1f} s. In the first "
        f"{FIRST_S:.0f} s: {first.words} words, {fillers}, {phrases}."
    )


def moment_line(moment: Moment) -> str:
    """A moment in a sentence."""
    quote = f" “{moment.text}”" if moment.text else ""
    return f"Question {moment.number} at {clock(moment.start_s)}: {moment.why}{quote}"
