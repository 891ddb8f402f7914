"""Verdicts, scores and corrections in words: the same in pages, files and the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from server.contract import (
    CHALLENGED,
    CORRECTED_NOTICE,
    OFF_TOPIC,
    SOUNDS_WRONG,
    TERM_WORDS,
    TO_THE_POINT,
    CorrectedVerdict,
    Delivery,
    FollowUpReport,
    Language,
    PhraseCoverage,
    Report,
    StructurePart,
    TermVerdict,
    content_score,
    score_rule,
    taken_off,
)

Tone = Literal["good", "warn", "bad", "muted"]

VERDICT_WORDS: Final = {
    "covered": "said",
    "partial": "partly said",
    "possible": "perhaps said",
    "missing": "not said",
    **TERM_WORDS,
}
DENIED: Final = "said, but denied"
SAME_SCORE: Final = 0.0005
"""Stored scores are rounded."""
NO_SOUND: Final = "A text has no sound: say the answer to hear how you say its terms."
PERHAPS_RIGHT: Final = "This is the right way, but the recording is not clear enough to be sure."
NOT_JUDGED: Final = "not judged"
ONLY_ASKED: Final = "said when asked"
PART_WORDS: Final = {"said": "said", "missing": "missing"}
_HOW: Final = {
    "inflected": "in another form",
    "alias": "in other words",
    "acronym": "by its short or long form",
    "fuzzy": "close to it",
    "sound": "recognized by sound",
    "heard": "heard in the recording",
    "own_words": "in your own words",
    "listed": "named in a list, with nothing said about it",
    "judge": "verdict of a language model on these words",
}


def words_of_phrase(phrase: PhraseCoverage) -> str:
    """The verdict on a key phrase."""
    if phrase.when_asked is not None:
        return ONLY_ASKED
    return DENIED if phrase.negated else VERDICT_WORDS[phrase.status]


def words_of_term(term: TermVerdict) -> str:
    """The verdict on how a term was said; without sound, there is none."""
    if term.verdict == "unclear" and term.start_s is None:
        return "not judged"
    return VERDICT_WORDS[term.verdict]


def perhaps_right(term: TermVerdict) -> bool:
    """Whether what was heard, though not clearly, is how the term is said."""
    unsure = term.verdict == "unclear" and term.fault is None
    return unsure and bool(term.heard) and term.heard == term.expected


def tip_of(term: TermVerdict) -> str:
    """What to do about how a term was said; no advice to say what was probably said."""
    return PERHAPS_RIGHT if perhaps_right(term) else term.tip


def how_text(phrase: PhraseCoverage) -> str:
    """How a phrase was said, if not literally; empty if the question about it says so."""
    if phrase.how == "own_words" and question_about(phrase):
        return ""
    return _HOW.get(phrase.how or "", "")


def question_about(phrase: PhraseCoverage) -> str:
    """What the candidate is asked about a phrase that was perhaps said; empty if nothing."""
    is_asked = phrase.status == "possible" and not (phrase.negated or phrase.when_asked)
    return f"Did you mean “{phrase.phrase}”?" if is_asked else ""


def fillers_text(delivery: Delivery) -> str:
    """How many fillers there are; empty for a text without any, which says nothing about them.

    Engines drop many: none transcribed does not mean that none was said.
    """
    count, few = len(delivery.fillers), delivery.fillers_are_lower_bound
    if not count:
        spoken = "no fillers transcribed" if few else "no fillers"
        return "" if delivery.answer_s is None else spoken
    return f"{'at least ' * few}{count} filler{'' if count == 1 else 's'}"


def correction_text(corrected: CorrectedVerdict | None, *, to_owner: bool = False) -> str:
    """Who corrected the verdict, what the grader's was, and why; empty if nobody did.

    Args:
        corrected: the correction.
        to_owner: whether the one who gave the answer reads it.
    """
    if corrected is None:
        return ""
    says = "you say" if to_owner else "the candidate says"
    was = DENIED if corrected.was_negated else VERDICT_WORDS[corrected.was]
    note = " ".join(corrected.note.split())
    if note and corrected.by_owner:
        return f"{says} “I did say it”: “{note}”; graded “{was}”"
    if corrected.by_owner and corrected.was == "mispronounced":
        return f"{says} “I said it right”; graded “{was}”"
    note = f": {note}" if note else ""
    if corrected.by_owner:
        return f"answered by {'you' if to_owner else 'the candidate'}, graded “{was}”{note}"
    return f"corrected by the coach, {corrected.by}; graded “{was}”{note}"


def notices_text(notices: Iterable[str], *, to_owner: bool = False) -> tuple[str, ...]:
    """The notices of a report, for the one who gave the answer or for others (as stored)."""
    if not to_owner:
        return tuple(notices)
    of_owner = CORRECTED_NOTICE.replace("The candidate", "You", 1)
    return tuple(each.replace(CORRECTED_NOTICE, of_owner, 1) for each in notices)


def graded_text(graded_score: float | None, score: float | None) -> str:
    """The grader's own score, to show beside a corrected one; empty if nobody corrected it.

    If a correction leaves the score unchanged, it says so instead of repeating the number.
    """
    if graded_score is None:
        return ""
    graded = f"{graded_score:.0%}"
    if score is not None and f"{score:.0%}" == graded:
        return "corrected, same score"
    return f"corrected, graded {graded}"


def score_text(report: Report) -> str:
    """The score in one line, with the grader's own if it was corrected.

    Reports of earlier graders have only the coverage, and say so.
    """
    name = "coverage" if report.score is None else "score"
    graded = graded_text(report.overall_graded, report.overall)
    return f"{name} {least_text(report)}{report.overall:.0%}" + (f" ({graded})" if graded else "")


def least_text(report: Report) -> str:
    """``at least``, with a space, if the structure could not be judged; otherwise empty."""
    return "at least " if report.structure is not None and report.transcript.is_rough else ""


def note_lines(language: Language, questions: Sequence[int] = ()) -> Iterator[str]:
    """The remarks on the English as text: a line a kind, the worst first, then who found them.

    ``questions``: the number of the question of each remark.
    """
    for group in language.groups():
        note = group.first
        more = f" ({group.name}, {group.count} times)" if group.count > 1 else ""
        where = f"Question {questions[group.at]}: " if questions else ""
        yield f"{where}“{note.said}” → “{note.better}”: {note.why}{more}"
    if left := language.not_shown:
        yield f"Not shown: {left} more remark{'s' * (left > 1)}, of less weight"
    if language.found_by:
        yield language.found_by


def composition_text(report: Report) -> str:
    """The points of the score in one line, with the basis of each part.

    ``42 of 60 points for what you said (5 of 8 key phrases, 1 perhaps) + 25 of 40 for structure (3
    of 4 parts) − 6: some of it sounds wrong (“…”)``. Empty for reports of earlier graders.
    """
    said = sum(each.is_said for each in report.coverage.phrases)
    perhaps = sum(bool(question_about(each)) for each in report.coverage.phrases)
    count = f"{said} of {len(report.coverage.phrases)} key phrases"
    if perhaps:
        count += f", {perhaps} perhaps"
    count += _asked_text(report.coverage.phrases)
    measured = {"key phrases": count, "structure": NOT_JUDGED}
    if report.structure is not None and report.structure.parts:
        parts = report.structure.parts
        built = sum(part.status == "said" for part in parts)
        measured["structure"] = f"{built} of {len(parts)} parts{_asked_text(parts)}"
    texts: list[str] = []
    for part in report.score_parts:
        most, points = part.share * 100, part.share * part.value * 100
        if part.name == SOUNDS_WRONG:
            texts.append(f" − {-points:.0f}: {_doubt_text(report)}")
        elif part.name == TO_THE_POINT:
            texts.append(f" + {points:.0f}: right and to the point")
        elif part.name == OFF_TOPIC:
            texts.append(f" − {-points:.0f}: {NOT_AN_ANSWER}")
        else:
            text = f"{points:.0f} of {most:.0f} points for {_PART_NAMES.get(part.name, part.name)}"
            text += f" ({measured[part.name]})" if part.name in measured else ""
            texts.append(f"{' + ' if texts else ''}{text}")
    return "".join(texts)


def _asked_text(entries: Sequence[PhraseCoverage] | Sequence[StructurePart]) -> str:
    count = sum(each.when_asked is not None for each in entries)
    return f", {count} when asked" if count else ""


def words_of_part(part: StructurePart) -> str:
    """The verdict on a part of the structure."""
    return ONLY_ASKED if part.when_asked is not None else PART_WORDS[part.status]


def added_text(follow_up: FollowUpReport) -> str:
    """What a follow-up added, one sentence; of a probe, what a good reply has."""
    asked, named = follow_up.asked, [each for each in follow_up.added if each != CHALLENGED]
    told = [f"Said when asked: {', '.join(named)}."] if named else []
    if CHALLENGED in follow_up.added:
        told.append("You answered the challenge: half of the points taken off come back.")
    if asked.kind == "probe":
        told.append(f"A good reply: {asked.about}")
    return " ".join(told) or "It added nothing that was missing."


_PART_NAMES: Final = {"key phrases": "what was said"}
NOT_AN_ANSWER: Final = "this does not answer the question"


def _doubt_text(report: Report) -> str:
    """What sounds wrong, with its words; without any, the whole was not worth its points."""
    if report.doubted is None:
        return "it stays vague"
    return f"some of it sounds wrong or vague (“{report.doubted.text}”)"


def rule_text(report: Report) -> str:
    """The rule behind these points; empty if another grader's rule made them."""
    if report.structure is None or not _is_by_this_rule(report):
        return ""
    return score_rule(report.structure.kind)


def _is_by_this_rule(report: Report) -> bool:
    if report.structure is None or not report.score_parts or report.score is None:
        return False
    today = content_score(
        report.coverage, report.structure, taken_off=taken_off(report), off_topic=report.off_topic
    ).score
    return abs(report.score - today) < SAME_SCORE


def correction_lines(report: Report) -> Iterator[tuple[str, str]]:
    """The corrected phrases, then terms: each with its ``correction_text``."""
    for phrase in report.coverage.phrases:
        if phrase.corrected is not None:
            yield phrase.phrase, correction_text(phrase.corrected)
    for term in report.pronunciation.terms:
        if term.corrected is not None:
            yield term.term, correction_text(term.corrected)
