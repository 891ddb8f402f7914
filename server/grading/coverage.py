"""Which key phrases an answer said, how, and where."""

from collections.abc import Sequence

from server.contract import Coverage, CoverageEvidence, PhraseCoverage, Word, coverage_score
from server.grading.answer import Answer
from server.grading.confirm import Finding, confirm
from server.grading.phrases import CompiledPhrase

_TRIM = "\"'“”‘’()[]{}.,;:!?…"


def _evidence(answer: Answer, finding: Finding, words: Sequence[Word]) -> CoverageEvidence:
    own: list[int] = []
    if finding.variant is not None and finding.how != "fuzzy":  # the "to" of "time to first token"
        span = range(finding.words[0], finding.words[-1] + 1)
        own = [at for at in span if answer.tokens[at].text in finding.variant.texts]
    indices = sorted(
        {
            index
            for place in (*finding.words, *own)
            for index in range(answer.tokens[place].first, answer.tokens[place].last + 1)
        }
    )
    text = " ".join(answer.words[indices[0] : indices[-1] + 1]).strip(_TRIM)
    timed = [words[index] for index in indices] if words else []
    starts = [word.start_s for word in timed if word.start_s is not None]
    ends = [word.end_s for word in timed if word.end_s is not None]
    return CoverageEvidence(
        text=text,
        start_s=min(starts) if starts else None,
        end_s=max(ends) if ends else None,
        word_indices=tuple(indices),
    )


def _judged(
    answer: Answer, phrase: CompiledPhrase, finding: Finding | None, words: Sequence[Word]
) -> PhraseCoverage:
    source = phrase.source
    return PhraseCoverage(
        phrase=source.phrase,
        status="missing" if finding is None else "covered" if finding.whole else "partial",
        how=finding.how if finding else None,
        evidence=_evidence(answer, finding, words) if finding else None,
        negated=finding.denied if finding else False,
        weight=source.weight,
        why=source.why,
        follow_up=source.follow_up,
    )


def cover_phrases(
    answer: Answer, phrases: Sequence[CompiledPhrase], words: Sequence[Word]
) -> Coverage:
    """Judge every phrase and score the whole.

    Args:
        answer: the answer, ready for searching.
        phrases: compiled key phrases.
        words: the answer's words with their times; empty for a typed answer.

    Returns:
        The verdicts in the order of the phrases, and their score.
    """
    findings = confirm(answer, phrases)
    judged = tuple(
        _judged(answer, phrase, finding, words)
        for phrase, finding in zip(phrases, findings, strict=True)
    )
    return Coverage(score=coverage_score(judged), phrases=judged)
