"""Which key phrases an answer said, how, and where."""

from collections.abc import Sequence

from server.contract import (
    Coverage,
    CoverageEvidence,
    PhraseCoverage,
    Word,
    coverage_score,
    evidence_of,
)
from server.grading.answer import Answer
from server.grading.confirm import Finding, confirm
from server.grading.phrases import CompiledPhrase


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
    return evidence_of(answer.words, words, indices)


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
