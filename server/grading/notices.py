"""The notices of a report: what its reader should know of how the answer came about."""

from typing import Final

from server.contract import SoundProblem, SoundQuality, Submission

ROUGH_NOTICE = (
    "This is a rough transcript made without Whisper: phrases you did say may be shown as missing, "
    "and the structure is not judged, so the score is the least that the answer earns. "
    "`aloud models pull base.en` gives a better one."
)
HEARING_NOTICE = "How terms were said could not be judged: {problem}."
UNINTELLIGIBLE_NOTICE = "Speech at {times} could not be understood; it is not graded."
CORRECTED_NOTICE = "The candidate corrected words of the transcript: {corrections}."
MAX_LISTED_CORRECTIONS = 10
"""The transcript marks them all."""
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
    """All that apply to an answer, before any judge's."""
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
    corrected = submission.transcript.corrected_texts
    if corrected:
        listed = [_correction(now, was) for now, was in corrected[:MAX_LISTED_CORRECTIONS]]
        if len(corrected) > len(listed):
            listed.append(f"and {len(corrected) - len(listed)} more")
        notices.append(CORRECTED_NOTICE.format(corrections=", ".join(listed)))
    return tuple(notices)


def _correction(now: str, was: str) -> str:
    if not now:
        return f"“{was}” taken out"
    return f"“{now}” for “{was}”" if was else f"“{now}” put in"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def sound_notice(quality: SoundQuality | None) -> str:
    """One line about the sound, with what to do; empty where nothing is wrong or was measured."""
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
    # a file whose end is missing declares more than came: nothing stands for its end
    if quality.declared_s is None:
        return f", {missing_s} s cannot be read and count as silence"
    return f", {missing_s} s of {quality.declared_s:.1f} s cannot be read"
