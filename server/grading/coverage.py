"""Which key phrases an answer said, how, and where."""

from collections.abc import Sequence

from server.contract import Coverage, CoverageEvidence, PhraseCoverage, Word, coverage_score
from server.grading.answer import Answer
from server.grading.hits import Hit, Tier
from server.grading.matching import find_hits
from server.grading.negation import is_negated
from server.grading.partial import find_part, says_the_whole
from server.grading.phrases import CompiledPhrase

__all__ = ["cover_phrases"]

_TRIM = "\"'“”‘’()[]{}.,;:!?…"


def _how(hit: Hit) -> str:
    if hit.tier is Tier.FUZZY or hit.cost > 0:
        return "fuzzy"
    if hit.variant.origin != "exact":
        return hit.variant.origin
    if hit.tier is Tier.ACRONYM:
        return "acronym"
    if hit.tier is Tier.EXACT:
        return "exact"
    return "inflected"


def _best(answer: Answer, hits: Sequence[Hit]) -> tuple[Hit, bool] | None:
    """The hit to show: affirmed before denied, then the closest to the phrase's own words."""
    if not hits:
        return None
    judged = [(is_negated(answer, hit.span), hit) for hit in hits]
    origin = {"exact": 0, "alias": 1, "acronym": 2}
    negated, hit = min(
        judged,
        key=lambda entry: (
            entry[0],
            entry[1].cost > 0,
            entry[1].tier is Tier.FUZZY,
            origin[entry[1].variant.origin],
            entry[1].tier,
            entry[1].cost,
            entry[1].span,
        ),
    )
    return hit, negated


def _evidence(answer: Answer, hit: Hit, words: Sequence[Word]) -> CoverageEvidence:
    own = [
        place
        for place in range(*hit.span)
        if hit.cost == 0 and answer.tokens[place].text in hit.variant.texts
    ]  # the "to" of "time to first token"
    indices = sorted(
        {
            index
            for place in (*hit.tokens, *own)
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


def _judge(answer: Answer, phrase: CompiledPhrase, words: Sequence[Word]) -> PhraseCoverage:
    source = phrase.source
    best = _best(answer, [hit for v in phrase.variants for hit in find_hits(answer, v)])
    common = {"phrase": source.phrase, "weight": source.weight}
    texts = {"why": source.why, "follow_up": source.follow_up}
    if best is not None:
        hit, negated = best
        return PhraseCoverage.model_validate(
            {
                **common,
                **texts,
                "status": "covered",
                "how": _how(hit),
                "evidence": _evidence(answer, hit, words),
                "negated": negated,
            }
        )
    parts = [part for v in phrase.variants if (part := find_part(answer, v)) is not None]
    if parts:
        whole = [part for part in parts if says_the_whole(answer, part)]
        hit = (whole or parts)[0]
        return PhraseCoverage.model_validate(
            {
                **common,
                **texts,
                "status": "covered" if whole else "partial",
                "how": "fuzzy" if whole else _how(hit),
                "evidence": _evidence(answer, hit, words),
                "negated": is_negated(answer, hit.span),
            }
        )
    return PhraseCoverage.model_validate({**common, **texts, "status": "missing"})


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
    judged = tuple(_judge(answer, phrase, words) for phrase in phrases)
    return Coverage(score=coverage_score(judged), phrases=judged)
