"""Three things that went well and three to work on, by rule, each pointing at its evidence."""

from collections.abc import Sequence
from typing import Final

from server.contract import (
    CORRECTED_NOTICE,
    MAX_POINTS,
    Coverage,
    Delivery,
    Language,
    Pronunciation,
    SaidTerm,
    SoundProblem,
    SoundQuality,
    Structure,
    Submission,
    Summary,
    SummaryPoint,
    band,
    pace_text,
    said_terms,
)
from server.contract.transcript import clearness_of

WELL_BUILT_FROM: Final = 0.5
"""How right an answer must sound for its structure to be praised."""


_Point = tuple[float, str, str]
"""How much it matters, the sentence, and what it rests on."""
_PACE: Final = "delivery.words_per_minute"
"""Out of its band it is always among what to work on: the listener hears it in every sentence."""


def _quoted(text: str) -> str:
    return f"“{text}”"


def _believed(structure: Structure) -> float:
    return 1.0 if structure.believed is None else structure.believed


def _well(
    coverage: Coverage,
    terms: Sequence[SaidTerm],
    delivery: Delivery,
    structure: Structure | None,
) -> list[_Point]:
    out: list[_Point] = []
    said = [(at, phrase) for at, phrase in enumerate(coverage.phrases) if phrase.is_said]
    total = len(coverage.phrases)
    if said and len(said) == total:
        out.append((10, "You made every key point.", "coverage.score"))
    whole = structure and structure.parts and all(p.status == "said" for p in structure.parts)
    if structure and whole and _believed(structure) >= WELL_BUILT_FROM:
        text = "Your answer has every part that it needs."
        out.append((9, text, "structure.score"))
    for at, phrase in sorted(said, key=lambda entry: (-entry[1].weight, entry[0])):
        text = f"You brought up {_quoted(phrase.phrase)}."
        out.append((5 + phrase.weight, text, f"coverage.phrases[{at}]"))
    for said_term in terms:
        term = said_term.first
        if term.verdict == "correct" and term.is_clear:
            text = f"You said {_quoted(term.term)} right."
            evidence = f"pronunciation.terms[{said_term.at}]"
            out.append((4 + term.confidence, text, evidence))
    if (rate := delivery.words_per_minute) is not None and not pace_text(rate):
        text = f"Your pace was comfortable: {rate:.0f} words per minute."
        out.append((5.5, text, _PACE))
    return out


def _work(
    coverage: Coverage,
    terms: Sequence[SaidTerm],
    delivery: Delivery,
    language: Language,
    structure: Structure | None,
) -> list[_Point]:
    out: list[_Point] = []
    for at, part in enumerate(structure.parts if structure else ()):
        if part.when_asked is not None:
            text = f"Said only when asked: {part.name}."
            out.append((4.0, text, f"structure.parts[{at}]"))
        elif part.status == "missing":
            text = f"Not said: {part.name}." + (f" They may ask: {part.ask}" if part.ask else "")
            out.append((7.4, text, f"structure.parts[{at}]"))
    for at, phrase in enumerate(coverage.phrases):
        name = _quoted(phrase.phrase)
        if phrase.when_asked is not None:
            text, urgency = f"You said {name} only when asked: say it at once.", 3.0
        elif phrase.negated:
            text, urgency = f"You only said {name} to deny it: say where it would help.", 6.5
        elif phrase.status == "missing":
            text, urgency = f"You did not say {name}.", 6.0
        elif phrase.status == "possible":
            text, urgency = f"Did you mean {name}? Say it in clear words.", 5.5
        elif phrase.status == "partial":
            text, urgency = f"You said only part of {name}.", 5.0
        else:
            continue
        if phrase.why:
            text += f" {phrase.why}"
        out.append((urgency + phrase.weight, text, f"coverage.phrases[{at}]"))
    for said_term in terms:
        term = said_term.first
        if term.verdict == "mispronounced":
            text = f"Practice {_quoted(term.term)}: say {term.expected}."
            if len(said_term.places) > 1 and said_term.times:
                text += f" You said it at {said_term.times}."
            evidence = f"pronunciation.terms[{said_term.at}]"
            out.append((7.5 + term.confidence, text, evidence))
    if text := pace_text(delivery.words_per_minute):
        out.append((6.6, text, _PACE))
    per_minute = _per_minute(delivery)
    if per_minute is not None and per_minute >= band("fillers"):
        text = f"Replace fillers by a short silence: at least {len(delivery.fillers)} were heard."
        out.append((6.8, text, "delivery.fillers"))
    if delivery.longest_pause_s is not None and delivery.longest_pause_s >= band("long_pause"):
        text = (
            f"Your longest pause took {delivery.longest_pause_s:.1f} s: say that you are thinking."
        )
        out.append((6.4, text, "delivery.longest_pause_s"))
    if delivery.answer_s is not None:
        share = delivery.answer_s / delivery.target_s
        if share > band("long_answer"):
            text = f"Shorten: {delivery.answer_s:.0f} s, where {delivery.target_s:.0f} s is enough."
            out.append((6.3, text, "delivery.answer_s"))
        elif share < band("short_answer"):
            text = f"Say more: {delivery.answer_s:.0f} s of the {delivery.target_s:.0f} s you have."
            out.append((6.3, text, "delivery.answer_s"))
    for group in language.groups():
        note = group.first
        text = f"Instead of {_quoted(note.said)}: {note.better}."
        if group.count > 1:
            text += f" {group.count} remarks of this kind ({group.name})."
        out.append((5.8 + min(1.0, note.weight / 4), text, f"language.notes[{group.at}]"))
    return out


def _per_minute(delivery: Delivery) -> float | None:
    if delivery.answer_s is None or delivery.answer_s <= 0:
        return None
    return len(delivery.fillers) / delivery.answer_s * 60.0


def _mixed(points: list[_Point], always: str = "") -> tuple[SummaryPoint, ...]:
    """The weightiest points, at most two of one kind while there are others.

    ``always``: what rests on this is among them whatever else there is.
    """
    ranked = sorted(points, key=lambda point: -point[0])
    chosen: list[_Point] = []
    for limit in (2, MAX_POINTS):
        for point in ranked:
            if len(chosen) == MAX_POINTS:
                break
            kind = _kind(point)
            if point not in chosen and sum(_kind(other) == kind for other in chosen) < limit:
                chosen.append(point)
    sure = next((point for point in ranked if point[2] == always), None)
    if sure is not None and sure not in chosen:
        chosen[-1] = sure
    return tuple([SummaryPoint(text=text, evidence=evidence) for _, text, evidence in chosen])


def _kind(point: _Point) -> str:
    return point[2].partition(".")[0]


def summarize(
    coverage: Coverage,
    pronunciation: Pronunciation,
    delivery: Delivery,
    language: Language,
    structure: Structure | None = None,
) -> Summary:
    """Up to three points each way, all of them shown in the report."""
    terms = said_terms(pronunciation.terms)
    return Summary(
        went_well=_mixed(_well(coverage, terms, delivery, structure)),
        work_on=_mixed(_work(coverage, terms, delivery, language, structure), always=_PACE),
    )


ROUGH_NOTICE = (
    "This is a rough transcript made without Whisper: phrases you did say may be shown as missing, "
    "and the structure is not judged, so the score is the least that the answer earns. "
    "`aloud models pull base.en` gives a better one."
)
HEARING_NOTICE = "How terms were said could not be judged: {problem}."
UNINTELLIGIBLE_NOTICE = "Speech at {times} could not be understood; it is not graded."
UNCLEAR_NOTICE = (
    "Whisper was unsure of many words of this answer, so less is needed for a key phrase to count "
    "as said in other words. If words are wrong, correct them."
)
UNCLEAR_UNDER: Final = 0.81
"""Mean confidence under which the report says so; most speakers with a strong accent are below."""
MAX_LISTED_CORRECTIONS = 10
"""The transcript marks all of them."""
SHORTEST_MISSING_S: Final = 0.1
"""Less is not said in figures."""

_REMEDIES: Final[dict[SoundProblem, str]] = {
    "damaged": "the file is damaged{missing}: copy or record it again",
    "clipped": "it is too loud, and peaks of your speech are cut off: move back a hand's width or "
    "turn the microphone down",
    "quiet": "it is too quiet ({speech} dBFS): move closer or turn the microphone up",
    "noisy": "it is noisy, your speech is only {above} dB above the room: close the window, turn "
    "the fan or the music off, or use a headset",
    "far": "the microphone is far away, or the room echoes: move closer or use a headset",
    "hum": "the mains hum at {hum} Hz: use another socket or cable, or unplug the charger",
    "one_channel": "only the {channel} channel has sound, which was used alone: check the cable",
    "opposite": "the channels are each other's opposite and were turned around: swap the poles of "
    "one, or record in mono",
    "offset": "it had a constant offset, which was taken out: another sound card or cable has none",
}


def notices_of(submission: Submission) -> tuple[str, ...]:
    """All notices that apply to an answer, except those about a judge."""
    notices = [ROUGH_NOTICE] if submission.transcript.is_rough else []
    problem = (submission.evidence.hearing_problem or "").strip().rstrip(".")
    if problem:
        notices.append(HEARING_NOTICE.format(problem=problem))
    if submission.evidence.unintelligible:
        times = ", ".join(
            f"{_clock(each.start_s)} to {_clock(each.end_s)}"
            for each in submission.evidence.unintelligible
        )
        notices.append(UNINTELLIGIBLE_NOTICE.format(times=times))
    sound = sound_notice(submission.evidence.sound)
    if sound:
        notices.append(sound)
    unclear = clearness_of(submission.transcript.words) < UNCLEAR_UNDER
    if unclear and not submission.transcript.is_rough:
        notices.append(UNCLEAR_NOTICE)
    corrected = submission.transcript.corrected_texts
    if corrected:
        listed = [_correction(now, was) for now, was in corrected[:MAX_LISTED_CORRECTIONS]]
        if len(corrected) > len(listed):
            listed.append(f"and {len(corrected) - len(listed)} more")
        notices.append(f"{CORRECTED_NOTICE}{', '.join(listed)}.")
    return tuple(notices)


def _correction(now: str, was: str) -> str:
    if not now:
        return f"“{was}” taken out"
    return f"“{now}” for “{was}”" if was else f"“{now}” put in"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def sound_notice(quality: SoundQuality | None) -> str:
    """One line about the sound and what to do; empty if nothing is wrong or was measured."""
    if quality is None or not quality.problems:
        return ""
    parts = [
        _REMEDIES[problem].format(
            missing=_missing(quality),
            speech=f"{quality.speech_dbfs or 0.0:.0f}",
            above=f"{(quality.speech_dbfs or 0.0) - (quality.noise_dbfs or 0.0):.0f}",
            hum=quality.hum_hz,
            channel=quality.channels,
        )
        for problem in quality.problems
    ]
    return f"The sound: {'; '.join(parts)}."


def _missing(quality: SoundQuality) -> str:
    """How much of a damaged file is missing, as far as it is known."""
    if not quality.missing_s:
        return ""
    is_short = quality.missing_s < SHORTEST_MISSING_S
    missing_s = f"less than {SHORTEST_MISSING_S}" if is_short else f"{quality.missing_s:.1f}"
    if quality.misses_more:
        part = "a part" if is_short else f"{missing_s} s or more"
        return f", {part} cannot be read (this kind of file does not say how much is missing)"
    # a truncated file declares more than there is, and nothing fills in for its end
    if quality.declared_s is None:
        return f", {missing_s} s cannot be read and count as silence"
    return f", {missing_s} s of {quality.declared_s:.1f} s cannot be read"
