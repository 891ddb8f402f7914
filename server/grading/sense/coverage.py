"""Key phrases that the words do not settle, looked for by their sense."""

from collections.abc import Callable, Sequence

from question_bank.models import Question
from server.contract import Coverage, CoverageEvidence, PhraseCoverage, Word, coverage_score
from server.grading.sense.clauses import Span
from server.grading.sense.fusion import Sensed, sense_phrases, shipped_fusion
from server.grading.sense.vectors import AnswerSense

SAME_CLAUSE = 0.99
"""Spans that share so much are of one clause."""
_TRIM = "\"'“”‘’()[]{}.,;:!?…"


def with_own_words(
    coverage: Coverage,
    question: Question,
    texts: Sequence[str],
    words: Sequence[Word],
    sense: AnswerSense,
    is_denied: Callable[[Span], bool],
) -> Coverage:
    """The coverage with the phrases that the answer says in other words.

    A phrase that is missing or half said becomes ``covered`` where the sense is sure of a clause,
    and a missing one ``possible`` where it is likely; what the clause denies stays as it was.

    Args:
        coverage: by the words.
        question: its phrases are in the same order.
        texts: the answer's words.
        words: the same with their times; empty for a typed answer.
        sense: the answer's spans and vectors.
        is_denied: whether the words of a span are denied.
    """
    half_said = [phrase.status == "partial" for phrase in coverage.phrases]
    sensed = sense_phrases(question, sense, texts, half_said)
    phrases = list(coverage.phrases)
    taken: list[Span] = []
    surest_first = sorted(
        ((found, at) for at, found in enumerate(sensed) if found is not None),
        key=lambda entry: -entry[0].probability,
    )
    for found, at in surest_first:
        if phrases[at].status == "covered":
            continue
        phrases[at] = _judged(phrases[at], found, texts, words, is_denied, taken)
        if phrases[at].status == "covered":
            taken.append(found.span)
    return Coverage(score=coverage_score(phrases), phrases=tuple(phrases))


def _judged(
    phrase: PhraseCoverage,
    found: Sensed,
    texts: Sequence[str],
    words: Sequence[Word],
    is_denied: Callable[[Span], bool],
    taken: Sequence[Span],
) -> PhraseCoverage:
    fusion = shipped_fusion()
    sure = found.probability >= fusion.covered_from
    likely = (
        phrase.status == "missing"
        and found.probability >= fusion.possible_from
        # A clause that surely says one phrase is no reason to ask about its siblings.
        and not any(_share(found.span, other) >= SAME_CLAUSE for other in taken)
    )
    if not (sure or likely) or is_denied(found.span):
        return phrase
    return phrase.model_copy(
        update={
            "status": "covered" if sure else "possible",
            "how": "own_words",
            "confidence": found.probability,
            "evidence": _evidence(found.span, texts, words),
            "negated": False,
        }
    )


def _share(one: Span, other: Span) -> float:
    """How much of the shorter of two spans lies in the other."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, common) / min(one[1] - one[0], other[1] - other[0])


def _evidence(span: Span, texts: Sequence[str], words: Sequence[Word]) -> CoverageEvidence:
    start, end = span
    timed = words[start:end]
    starts = [word.start_s for word in timed if word.start_s is not None]
    ends = [word.end_s for word in timed if word.end_s is not None]
    return CoverageEvidence(
        text=" ".join(texts[start:end]).strip(_TRIM),
        start_s=min(starts) if starts else None,
        end_s=max(ends) if ends else None,
        word_indices=tuple(range(start, end)),
    )
