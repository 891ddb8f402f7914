"""Key phrases in other words: what the surface and sound layers leave open, by meaning."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from question_bank.models import KeyPhrase, Question
from server.contract import (
    Coverage,
    PhraseCoverage,
    PhraseStatus,
    Word,
    coverage_score,
    evidence_of,
)
from server.grading.sense.clauses import Span
from server.grading.sense.clearness import clearness_of
from server.grading.sense.fusion import Sensed, sense_phrases
from server.grading.sense.logistic import sigmoid
from server.grading.sense.thresholds import (
    COVERED_FROM,
    COVERED_FROM_UNCLEAR,
    COVERED_FROM_WEAK,
    COVERED_LEAD,
    COVERED_SCORE,
    POSSIBLE_FROM,
    POSSIBLE_LEAD,
    SPOKEN_OF_FROM,
    SPOKEN_OF_FROM_SHORT,
    SPOKEN_OF_FROM_WEAK,
)
from server.grading.sense.vectors import AnswerSense

_LITERAL: Final = ("exact", "inflected", "alias", "acronym")
"""How a phrase was found if its own name was said."""


@dataclass(frozen=True, eq=False)
class Spoken:
    """An answer that is judged by meaning.

    Attributes:
        texts: its words.
        words: the same with their times; empty for a typed answer.
        sense: its spans and their vectors.
        is_denied: whether the words of a span are denied.
    """

    texts: Sequence[str]
    words: Sequence[Word]
    sense: AnswerSense
    is_denied: Callable[[Span], bool]

    @cached_property
    def clearness(self) -> float:
        """See ``clearness_of``."""
        return clearness_of(word.confidence for word in self.words)


def with_own_words(
    coverage: Coverage, question: Question, spoken: Spoken
) -> tuple[Coverage, float | None]:
    """The coverage with what the answer says in other words, and how far it is believed.

    A phrase that is missing or half said becomes ``covered`` if a clause surely says it. A missing
    one becomes ``possible`` if a clause probably does. Half a phrase becomes ``missing`` if the
    answer does not seem to say it. A phrase that the clause denies stays as it was. One that is
    named only to deny it becomes ``covered`` if a clause elsewhere surely says that it was done ("I
    went back to the old version … we had no rollback before"). Words in one of the bank's near
    misses are no evidence, and a name is only ``possible`` if its sentence or the answer seems to
    be about something else. What a transcriber hardly understood need not be as close to a phrase,
    and does not sound wrong.

    Args:
        coverage: from the words.
        question: its phrases are in the same order.
        spoken: the answer.

    Returns:
        The coverage, and ``SensedAnswer.believed``.
    """
    sensed = sense_phrases(question, spoken.sense, spoken.texts, coverage.phrases)
    clearness = spoken.clearness
    phrases = tuple(
        phrase
        if found is None
        else _judged(key, phrase, replace(found, weakness=found.weakness * clearness), spoken)
        for key, phrase, found in zip(
            question.key_phrases, coverage.phrases, sensed.phrases, strict=True
        )
    )
    believed = sensed.believed
    if believed is not None:
        believed = round(1.0 - clearness * (1.0 - believed), 3)
    return Coverage(score=coverage_score(phrases), phrases=phrases), believed


def _judged(
    key: KeyPhrase, phrase: PhraseCoverage, found: Sensed, spoken: Spoken
) -> PhraseCoverage:
    said = () if phrase.evidence is None else phrase.evidence.word_indices
    # a name needs more to be taken for a near miss than words that may say something else anyway
    misses = found.repeated if phrase.how in _LITERAL else found.near_misses
    if said and any(start <= said[0] and said[-1] < end for start, end in misses):
        phrase = phrase.model_copy(update={"status": "missing", "how": None, "evidence": None})
    is_sure = _is_sure(found, spoken)
    if phrase.status == "covered":
        if phrase.negated and found.word_for_word and not spoken.is_denied((said[0], said[-1] + 1)):
            # a way may contain a "not", which the regression takes for a disclaimer
            return phrase.model_copy(update={"negated": False})
        if phrase.negated:
            return _said_elsewhere(phrase, found, spoken)
        if found.word_for_word or _is_own(key, phrase):
            return phrase
        if found.spoken_of is None or found.spoken_of >= _name_bar(found):
            return phrase
        doubtful = {"status": "possible", "confidence": round(sigmoid(found.spoken_of), 3)}
        named, phrase = phrase, phrase.model_copy(update=doubtful)
        if found.span[0] <= said[0] < found.span[1]:
            # A clause that merely names it is close to it by that name alone.
            is_meant = found.spoken_of >= SPOKEN_OF_FROM and is_sure
            return named if is_meant and not spoken.is_denied(found.span) else phrase
        elif is_sure and not spoken.is_denied(found.span) and _names(found, said, spoken):
            return named  # in a clause that means it
    sure = found.word_for_word or is_sure
    if not sure and _is_chance_half(phrase, found):
        return phrase.model_copy(update={"status": "missing", "how": None, "evidence": None})
    likely = (
        phrase.status == "missing"
        and found.probability >= POSSIBLE_FROM
        and found.lead >= POSSIBLE_LEAD
    )
    if not (sure or likely) or found.span in found.near_misses or spoken.is_denied(found.span):
        return phrase
    return _in_own_words(phrase, found, spoken, "covered" if sure else "possible")


def _said_elsewhere(phrase: PhraseCoverage, found: Sensed, spoken: Spoken) -> PhraseCoverage:
    """A denied phrase, or the same as said by a clause that does not hold the denied words."""
    denied = () if phrase.evidence is None else phrase.evidence.word_indices
    apart = not any(found.span[0] <= at < found.span[1] for at in denied)
    sure = found.word_for_word or _is_sure(found, spoken)
    if not (apart and sure) or found.span in found.near_misses or spoken.is_denied(found.span):
        return phrase
    return _in_own_words(phrase, found, spoken, "covered")


def _names(found: Sensed, said: Sequence[int], spoken: Spoken) -> bool:
    """Whether the words that name a phrase elsewhere are also in the span."""
    name = " ".join(spoken.texts[at] for at in said)
    return _bare(name) in _bare(" ".join(spoken.texts[slice(*found.span)]))


def _in_own_words(
    phrase: PhraseCoverage, found: Sensed, spoken: Spoken, status: PhraseStatus
) -> PhraseCoverage:
    return phrase.model_copy(
        update={
            "status": status,
            "how": "own_words",
            "confidence": found.probability,
            "evidence": evidence_of(spoken.texts, spoken.words, range(*found.span)),
            "negated": False,
        }
    )


def _is_chance_half(phrase: PhraseCoverage, found: Sensed) -> bool:
    """Whether an answer shares a word or two with a phrase that it does not seem to say.

    In the development answers, 8 in 10 such halves belong to phrases that were not said, and 7 in
    10 of the other halves to phrases that were.
    """
    half = phrase.status == "partial" and phrase.how != "listed" and not phrase.negated
    return half and found.probability < POSSIBLE_FROM


def _is_sure(found: Sensed, spoken: Spoken) -> bool:
    sound = _between(COVERED_FROM_UNCLEAR, COVERED_FROM, spoken.clearness)
    return (
        found.probability >= _between(sound, COVERED_FROM_WEAK, found.weakness)
        and found.score >= COVERED_SCORE * spoken.clearness
        and found.lead >= COVERED_LEAD
    )


def _name_bar(found: Sensed) -> float:
    """The logit that a name needs; the rest of a whole answer that sounds right vouches for it."""
    sound = _between(SPOKEN_OF_FROM_SHORT, SPOKEN_OF_FROM, found.wholeness)
    return _between(sound, SPOKEN_OF_FROM_WEAK, found.weakness)


def _between(one: float, other: float, share: float) -> float:
    """The threshold that is this share of the way from one to the other."""
    return one + (other - one) * share


def _is_own(key: KeyPhrase, phrase: PhraseCoverage) -> bool:
    """Whether the words found are an alias that the candidate added.

    The evidence leaves out words like "it" at the ends.
    """
    if phrase.how != "alias" or phrase.evidence is None or not key.own:
        return False
    said = _bare(phrase.evidence.text)
    return any(said in own or own in said for own in map(_bare, key.own))


def _bare(text: str) -> str:
    """The words alone, with a space on both sides."""
    words = " ".join(re.findall(r"[^\W_]+", text.casefold()))
    return f" {words} "
