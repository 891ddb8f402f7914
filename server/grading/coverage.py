"""Which key phrases an answer said, how, and where."""

from collections.abc import Sequence

from server.contract import (
    Coverage,
    CoverageEvidence,
    HeardPhrase,
    PhraseCoverage,
    Word,
    coverage_score,
    evidence_of,
)
from server.grading.answer import Answer
from server.grading.confirm import Finding, confirm
from server.grading.denial import Denies, is_denied
from server.grading.lexis.vocabulary import FUNCTION_WORDS
from server.grading.lexis.words import lemma
from server.grading.sense.thresholds import HEARD_FROM, SHARE_OF_WORD
from server.grading.sound import shared_ends, siblings
from server.grading.units import CompiledPhrase


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
    answer: Answer,
    phrases: Sequence[CompiledPhrase],
    words: Sequence[Word],
    heard: Sequence[HeardPhrase] = (),
    denies: Denies = is_denied,
) -> Coverage:
    """Judge every phrase and score the whole.

    Args:
        answer: the answer, prepared for search.
        phrases: compiled key phrases.
        words: the answer's words with their times; empty for a typed answer.
        heard: phrases found in the recording.
        denies: whether the speaker denies what the given words name.

    Returns:
        The verdicts in the order of the phrases, and their score.
    """
    findings = confirm(answer, phrases, denies)
    judged = tuple(
        _judged(answer, phrase, finding, words)
        for phrase, finding in zip(phrases, findings, strict=True)
    )
    if heard and words and not answer.strict:
        judged = _with_heard(judged, answer, phrases, words, heard)
    return Coverage(score=coverage_score(judged), phrases=judged)


def _with_heard(
    judged: Sequence[PhraseCoverage],
    answer: Answer,
    phrases: Sequence[CompiledPhrase],
    words: Sequence[Word],
    heard: Sequence[HeardPhrase],
) -> tuple[PhraseCoverage, ...]:
    """The verdicts, with the phrases that are in the recording but not in the words.

    The surest comes first. A passage of the recording, and words that carry a phrase, count for no
    other phrase.
    """
    found = {each.phrase: each for each in judged}
    compiled = {each.source.phrase: each for each in phrases}
    taken = {
        index
        for each in judged
        if each.status == "covered" and each.evidence
        for index in each.evidence.word_indices
    }
    for each in sorted(heard, key=lambda heard: -heard.confidence):
        before = found.get(each.phrase)
        if before is None or not before.is_open or each.confidence < HEARD_FROM:
            continue
        place = _words_at(each, words)
        if taken.issuperset(place) or not _may_stand_for(answer, place, compiled[each.phrase]):
            continue
        taken.update(place)
        times = {"start_s": each.start_s, "end_s": each.end_s}
        found[each.phrase] = before.model_copy(
            update={
                "status": "covered",
                "how": "heard",
                "confidence": each.confidence,
                "evidence": evidence_of(answer.words, words, place).model_copy(update=times),
            }
        )
    return tuple(found[each.phrase] for each in judged)


def _words_at(heard: HeardPhrase, words: Sequence[Word]) -> list[int]:
    """The words written where a phrase was heard."""
    return [
        index
        for index, word in enumerate(words)
        if word.start_s is not None
        and word.end_s is not None
        and min(word.end_s, heard.end_s) - max(word.start_s, heard.start_s)
        > SHARE_OF_WORD * (word.end_s - word.start_s)
    ]


def _may_stand_for(answer: Answer, place: Sequence[int], phrase: CompiledPhrase) -> bool:
    """Whether a transcriber may have written these words for a phrase that the speaker affirms.

    Not if they name its sibling ("hot replicas" for "warm replicas"), if they are denied, or if the
    transcriber wrote nothing there.
    """
    tokens = [
        at
        for at, token in enumerate(answer.tokens)
        if place and place[0] <= token.first and token.last <= place[-1]
    ]
    if not tokens or is_denied(answer, (tokens[0], tokens[-1] + 1)):
        return False
    written = [answer.tokens[at].text for at in tokens]
    here = set(map(lemma, written))
    if any(here.issuperset(map(lemma, _content(wording.texts))) for wording in phrase.soundings):
        return True  # "a spot in instances": its other name, "reserved instances", is no objection
    for wording in phrase.soundings:
        first, last = shared_ends(wording.texts, written)
        meant = wording.texts[first : len(wording.texts) - last]
        if siblings(meant, written[first : len(written) - last]):
            return False
    return True


def _content(texts: Sequence[str]) -> list[str]:
    """The words that carry meaning; all of them if none does."""
    return [text for text in texts if text not in FUNCTION_WORDS] or [*texts]
