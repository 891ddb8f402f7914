"""The verdict on each key phrase: made once, from everything that three ways of looking found.

``by_words``, ``by_sound`` and ``by_meaning`` propose passages of the answer that may say a phrase,
and what the hearing found in the recording is one more. Each passage becomes one row of features,
and ``cross_encoder`` reads its sentence with the phrase in mind; one model gives it a calibrated
chance from both, and the best passage decides the phrase, which is *covered*,
*possible* (the report asks about it) or *missing*.

A row speaks of its own sentence. Of the rest of the answer it knows only what can but grow when
somebody goes on speaking (how much else is said, how close any sentence comes to the question), and
the model never lowers a chance for that. So a further sentence lowers no phrase, and the order of
sentences does not matter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

import numpy as np

from question_bank.models import KeyPhrase, Question
from server.contract import (
    Coverage,
    CoverageEvidence,
    HeardPhrase,
    PhraseCoverage,
    PhraseStatus,
    Structure,
    Word,
    coverage_score,
    evidence_of,
)
from server.contract.transcript import clearness_of
from server.grading import by_meaning, by_sound, by_words, cross_encoder, stance
from server.grading.answer import Answer, Span
from server.grading.by_meaning import AnswerVectors, Credit, Floats, QuestionVectors, Stems
from server.grading.by_words import Named
from server.grading.model import shipped_linear, shipped_model
from server.grading.numbers import SCALES
from server.grading.phrases import CompiledPhrase
from server.grading.quantities import MEASURES

COVERED_FROM: Final = 0.78
LITERAL_FROM, LITERAL_FROM_PLAIN, OWN_WORDS_FROM_PLAIN = 0.5, 0.6, 0.9
"""The chances from which a phrase is covered. One that is named word for word and affirmed in its
own clause needs little more than an even chance; in a bank without ways a little more, because
nothing there tells another sense. Both were chosen on `net`, `shop`, `seen3`, the plain banks and
the templates of `scripts/labeled.py` with files held out. Words of the speaker's own need most in
such a bank: from 0.9 on, nine of ten are right in five banks that nothing was learned from."""
WORD_FOR_WORD: Final = 0.94
"""Cosine from which a span is one of the bank's sentences, except for a filler or an ending. In the
development answers, no span that does not say a phrase exceeds 0.91 with one of its ways."""
HEARD_FROM: Final = 0.5
"""The hearing's chance from which a phrase heard in the recording counts. It is reached by 0.4 % of
the phrases that nobody said, and by 74 % of those that the text lost
(`scripts/train_phrases.py`)."""
POSSIBLE_FROM: Final = 0.30
"""The chance from which the report asks."""
SPELLING_FROM: Final = 0.45
"""The same for a spelling that Whisper wrote for the phrase before and that says nothing else: the
script that collects them (`scripts/phrase_spellings.py`) has decided already."""
WORDS_FROM: Final = 0.6
"""The same where only words and sounds are known. On judgments that nothing was learned from, 0.97
of what is covered was said, and 0.95 of what was said is covered."""
DENIED_FROM: Final = 0.5
"""The chance from which a mention counts as denied."""
SPANS_TRIED: Final = 3
"""Spans of each phrase that are looked at for their meaning alone, the closest ones."""
ALIASES_READ: Final = 3
"""By the cross-encoder, beside the phrase."""
SHARE_OF_WORD: Final = 0.4
"""A word is at a passage of the recording that holds this share of it."""
NOT_THERE: Final = -1.0
"""The value of features that a passage cannot have: without words, vectors or ways."""

WHOLE_ANSWER: Final = ("others", "others_best", "others_named", "topic", "topic3")
"""How much the answer says of the question's other phrases: the mean of their best spans, the best
one, and the share that is named; and how close its sentences come to the prompt."""
FEATURES: Final = (
    "mentioned", "literal",
    *by_words.FEATURES,
    *(f"sound_{name}" for name in by_sound.FEATURES),
    "heard", "denied",
    *by_meaning.SPAN_FEATURES,
    "span_score", "lead", *by_meaning.CLAIMS, *by_meaning.BESIDE, *WHOLE_ANSWER,
    "worth", "wrong", "has_vectors", "has_ways", "clearness",
)  # fmt: skip
NEVER_LOWER: Final = frozenset((
    "mentioned", "literal", "whole", "share", "contiguous", "sound_known", "sound_slack", "heard",
    "way", "ways3", "name", "why", "model", "way_metric", "ways3_metric", "why_metric",
    "center_metric", "way_z", "overlap", "model_overlap", "way_less_near_miss", "span_score",
    "lead", "beside_way",
    "beside_why", "beside_anything", "around_shared", "worth", *WHOLE_ANSWER,
))  # fmt: skip
"""Features of which more never lowers a chance."""
NEVER_HIGHER: Final = frozenset((
    "content_between", "comma", "clause_break", "everyday_use", "sibling", "replaced", "denied",
    "sound_distance", "near_miss", "near_miss_metric", "against_ways", "against_why",
    "particle_missing", "digit_missing", "clearness", "wrong",
))  # fmt: skip
"""Features of which more never raises a chance."""


@dataclass(frozen=True, eq=False)
class Passage:
    """Words that may say a phrase.

    Attributes:
        words: the words of the transcript that are shown as evidence.
        how: the way it was said, as the report names it.
        denied: the chance that the speaker denies it.
        row: ``FEATURES``.
        times: where it was heard in the recording.
    """

    words: tuple[int, ...]
    how: str
    denied: float
    row: tuple[float, ...]
    times: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class _Mention:
    tokens: tuple[int, ...]
    how: str
    named: Named | None
    sounded: tuple[float, ...]
    heard: HeardPhrase | None
    denied: float


@dataclass(frozen=True, eq=False)
class Meaning:
    """An answer compared with its question."""

    question: QuestionVectors
    answer: AnswerVectors
    stems: Stems
    features: Floats
    scores: Floats
    credits: Sequence[Credit]

    def credit_at(self, word: int) -> tuple[float, float]:
        """What the sentence of a word is worth, and how wrong it is."""
        found = (each for each in self.credits if each.span[0] <= word < each.span[1])
        return next(((each.worth, each.wrong) for each in found), (NOT_THERE, NOT_THERE))


def passages_of(
    answer: Answer,
    phrases: Sequence[CompiledPhrase],
    *,
    meaning: "Meaning | None" = None,
    words: Sequence[Word] = (),
    heard: Sequence[HeardPhrase] = (),
) -> list[list[Passage]]:
    """For each phrase the passages that may say it, with their features.

    Args:
        answer: the parsed answer.
        phrases: those of the question, compiled.
        meaning: the answer beside its question; without it only words and sounds are known.
        words: the answer's words with times and confidence; empty for a typed answer.
        heard: phrases found in the recording.
    """
    mentions = _mentions(answer, phrases, words, heard)
    whole = _whole_answer(mentions, meaning, len(phrases))
    clearness = clearness_of(words)
    found: list[list[Passage]] = []
    for at, phrase in enumerate(phrases):
        closing = (float(meaning is not None), float(bool(phrase.source.ways)), clearness)
        own = [
            _passage(answer, at, mention, None, meaning, whole[at], closing)
            for mention in mentions[at]
        ]
        if meaning is not None:
            best = np.argsort(-meaning.scores[at])[:SPANS_TRIED]
            for number in best.tolist():
                inside = _inside(answer, mentions[at], meaning.answer.spans[number])
                own.append(_passage(answer, at, inside, number, meaning, whole[at], closing))
        found.append(own)
    return found


def chances_of(
    found: Sequence[Sequence[Passage]], readings: Sequence[Sequence[float]] = ()
) -> list[list[float]]:
    """The calibrated chance of each passage.

    Args:
        found: the passages of each phrase.
        readings: of ``readings_of``; none where only words and sounds are known.
    """
    rows = [passage.row for own in found for passage in own]
    if not rows:
        return [[] for _ in found]
    logits = shipped_model("phrase").logits(rows)
    if readings:
        read = np.array([each for own in readings for each in own])
        both = shipped_linear("cross").logits(cross_rows(rows, logits, read))
        # what else stands in its sentence takes nothing from a name that is affirmed, and the
        # bank's own words for a phrase need no reading
        clear = [_is_affirmed(each) or _is_the_banks(each) for own in found for each in own]
        logits = np.where(clear, logits, both)
    chances = iter((1.0 / (1.0 + np.exp(-logits))).tolist())
    return [[max(next(chances), _heard(passage)) for passage in own] for own in found]


def cross_rows(rows: Sequence[Sequence[float]], logits: Floats, readings: Floats) -> Floats:
    """What is weighed of passages, (n, 5): both logits, whether there are ways, both if so."""
    ways = np.array([row[_HAS_WAYS] for row in rows])
    return np.stack((logits, readings, ways, logits * ways, readings * ways), axis=1)


def readings_of(
    answer: Answer, phrases: Sequence[CompiledPhrase], found: Sequence[Sequence[Passage]]
) -> list[list[float]]:
    """The cross-encoder's logit for the sentence of each passage."""
    pairs = []
    for phrase, own in zip(phrases, found, strict=True):
        told = text_read(phrase.source)
        for passage in own:
            first, last = passage.words[0], passage.words[-1]
            around = [each for each in answer.spans if each[0] <= first and last < each[1]]
            start, end = max(around, key=lambda s: s[1] - s[0], default=(first, last + 1))
            pairs.append((told, " ".join(answer.words[start:end])))
    logits = iter(cross_encoder.logits(pairs).tolist())
    return [[next(logits) for _ in own] for own in found]


def text_read(phrase: KeyPhrase) -> str:
    """What the cross-encoder is told of a phrase."""
    return "; ".join((phrase.phrase, *phrase.aliases[:ALIASES_READ]))


def _heard(passage: Passage) -> float:
    """The hearing's own chance that a phrase is in the recording and affirmed; 0 if it is not."""
    sure = passage.row[_HEARD] if passage.times is not None else 0.0
    return sure if passage.denied < DENIED_FROM else 0.0


@dataclass(frozen=True)
class Judged:
    """What an answer says.

    Attributes:
        coverage: the verdict on each phrase, in their order, and their score.
        numbers: ``ANSWER_FEATURES`` but for the structure; ``None`` where only words are known.
        doubted: the words that sound most wrong; ``None`` where none do.
    """

    coverage: Coverage
    numbers: dict[str, float] | None = None
    doubted: CoverageEvidence | None = None

    def told(self, structure: Structure) -> dict[str, float]:
        """``ANSWER_FEATURES``."""
        return {
            **(self.numbers or {}),
            # where no structure is asked for, what is said is all
            "structure": structure.score if structure.is_judged else self.coverage.score,
            "is_story": float(structure.kind == "story"),
            "is_introduction": float(structure.kind == "introduction"),
        }

    def quality(self, structure: Structure) -> float:
        """What raters would give the whole answer, 0 to 1."""
        told = self.told(structure)
        if not structure.asked:
            row = [told[name] for name in FACT_FEATURES]
            return float(1.0 / (1.0 + np.exp(-shipped_linear("fact").logits(np.array(row)))))
        row = [told[name] for name in ANSWER_FEATURES]
        return min(1.0, max(0.0, float(shipped_model("quality").logits([row])[0])))

    @property
    def is_worthy(self) -> bool:
        """Whether most of its words are in sentences worth credit, and none sounds wrong."""
        return self.doubted is None and (self.numbers or {}).get("worth_mean", 0.0) > 0.5

    def is_off_topic(self, quality: float) -> bool:
        """Whether it answers another question: by its words, and raters would give it nothing."""
        numbers = self.numbers or {}
        row = np.array([numbers[name] for name in TOPIC_FEATURES])
        return quality < OFF_TOPIC_BELOW and bool(shipped_linear("topic").logits(row) < 0.0)


def judge(
    answer: Answer,
    phrases: Sequence[CompiledPhrase],
    *,
    question: Question | None = None,
    vectors: AnswerVectors | None = None,
    words: Sequence[Word] = (),
    heard: Sequence[HeardPhrase] = (),
    credits_of: Sequence[Credit] = (),
) -> Judged:
    """Judges an answer; arguments as ``passages_of``, and what its sentences are worth."""
    meaning = compared(question, vectors, answer.words, credits_of)
    found = passages_of(answer, phrases, meaning=meaning, words=words, heard=heard)
    readings = readings_of(answer, phrases, found) if meaning is not None else []
    judged = tuple(
        _verdict(answer, phrase, own, chances, words)
        for phrase, own, chances in zip(phrases, found, chances_of(found, readings), strict=True)
    )
    coverage = Coverage(score=coverage_score(judged), phrases=judged)
    if meaning is None or not credits_of:
        return Judged(coverage)
    numbers = answer_numbers(meaning, coverage, readings, credits_of)
    worst = max(credits_of, key=lambda each: each.wrong)
    doubted = None
    if worst.wrong >= DOUBTED_FROM:
        doubted = evidence_of(answer.words, words, range(*worst.span))
    return Judged(coverage, numbers, doubted)


DOUBTED_FROM: Final = 0.85
"""The chance that a sentence is wrong from which it is quoted as such: of those above, some 86 %
are wrong, on questions that the network has not seen."""
OFF_TOPIC_BELOW: Final = 0.2
"""Of 550 answers, those to another question had 0.07 at most, right ones in words far from the
question's 0.26 at least; one of these had less only because a quarter of its words was garbled."""
TOPIC_FEATURES: Final = ("coverage", "topic", "topic3", "best_mean", "best_top")
ANSWER_FEATURES: Final = (
    "coverage", "covered", "structure", "worth_mean", "worth_top3", "worth_sum", "wrong_mean",
    "wrong_top", "wrong_top3", "topic3", "best_mean", "best_top", "read_mean", "read_top", "words",
    "has_ways", "is_story", "is_introduction",
)  # fmt: skip
"""What the quality of a whole answer goes by: the share of the phrases said, and said for sure; of
the parts; what its sentences are worth by word, the best three, and all, and how wrong they are by
word, at worst, and the worst three; how close it comes to the prompt and to the phrases; what the
cross-encoder reads of these on the mean and at best; its length."""
FACT_FEATURES: Final = ("read_mean", "best_mean", "closeness", "names", "named")
"""The same for a question of fact; how close the whole answer comes to the phrases; for how many
names of the phrases the bank has, and what is said counts by that: where it has many, a good answer
says one. Its length is not among them: that is the habit of who wrote the answers."""
RISING: Final = frozenset((
    "coverage", "covered", "structure", "read_mean", "read_top",
    "worth_mean", "worth_top3", "worth_sum",
))  # fmt: skip
FALLING: Final = frozenset(("wrong_mean", "wrong_top", "wrong_top3"))


def answer_numbers(
    meaning: Meaning,
    coverage: Coverage,
    readings: Sequence[Sequence[float]],
    credits_of: Sequence[Credit],
) -> dict[str, float]:
    """``ANSWER_FEATURES`` that do not depend on the structure, and ``TOPIC_FEATURES``."""
    read = [1.0 / (1.0 + math.exp(-max(own))) if own else 0.0 for own in readings]
    lengths = np.array([each.span[1] - each.span[0] for each in credits_of])
    worth = np.array([each.worth for each in credits_of])
    wrong = np.array([each.wrong for each in credits_of])
    prompt = np.sort(meaning.question.vectors[-1] @ meaning.answer.vectors.T)
    best = 1.0 / (1.0 + np.exp(-meaning.scores.max(axis=1)))
    told = meaning.question
    names = np.concatenate([told.vectors[group["names"]] for group in told.groups]).mean(axis=0)
    said = meaning.answer.vectors.mean(axis=0)
    covered = [phrase.status == "covered" for phrase in coverage.phrases]
    per_phrase = fmean(
        len(range(*group["names"].indices(len(told.vectors)))) for group in told.groups
    )
    return {
        "coverage": coverage.score,
        "covered": fmean(covered),
        "worth_mean": float(lengths @ worth / lengths.sum()),
        "worth_top3": float(np.sort(worth)[-3:].sum()),
        "worth_sum": float(worth.sum()),
        "wrong_mean": float(lengths @ wrong / lengths.sum()),
        "wrong_top": float(wrong.max()),
        "wrong_top3": float(np.sort(wrong)[-3:].sum()),
        "topic": float(prompt[-1]),
        "topic3": float(prompt[-3:].mean()),
        "names": math.log(per_phrase),
        "named": math.log(per_phrase) * coverage.score,
        "closeness": float(names @ said / (np.linalg.norm(names) * np.linalg.norm(said))),
        "best_mean": float(best.mean()),
        "best_top": float(best.max()),
        "read_mean": fmean(read),
        "read_top": max(read),
        "words": math.log(1 + len(meaning.stems.bare)),
        "has_ways": float(any(len(told.stems) > 12 for told in meaning.question.told)),
    }


def _verdict(
    answer: Answer,
    compiled: CompiledPhrase,
    found: Sequence[Passage],
    chances: Sequence[float],
    words: Sequence[Word],
) -> PhraseCoverage:
    phrase = compiled.source
    if compiled.numbers and not any(_has(answer, *each) for each in compiled.numbers):
        # without ways nothing but its number says a quantity: "1.5 seconds" is not "5 seconds"
        kept = [at for at, each in enumerate(found) if _names_it(each)]
        found, chances = [found[at] for at in kept], [chances[at] for at in kept]
    best = max(range(len(found)), key=lambda at: _rank(found[at], chances[at]), default=None)
    chance = 0.0 if best is None else chances[best]
    status: PhraseStatus = "missing"
    if best is not None and chance >= _covered_from(found[best]):
        status = "covered"
    else:
        own = [at for at, each in enumerate(found) if not _is_a_near_miss(each)]
        best = max(own, key=lambda at: _rank(found[at], chances[at]), default=None)
        chance = 0.0 if best is None else chances[best]
        if chance >= POSSIBLE_FROM or any(_is_a_way(each) for each in found):
            status = "possible"
    literal = [at for at, each in enumerate(found) if _is_affirmed(each)]
    if literal and status != "covered":  # named and affirmed is never passed over
        best = max(literal, key=chances.__getitem__)
        # without punctuation nobody knows where a sentence ends, so nothing else is held against
        # it; and what has no other sense can only have been meant
        told = _deciding(found[best])["has_ways"]
        is_sure = answer.run_on or (compiled.has_one_sense and not told)
        status = "covered" if is_sure else "possible"
    shown = found[best] if best is not None and status != "missing" else None
    denied = None
    if status != "covered":
        named = [each for each in found if each.row[_LITERAL] and each.denied >= DENIED_FROM]
        if named and (status == "missing" or (best is not None and found[best] in named)):
            denied = shown = named[0]
            status = "covered"  # said, but denied
    evidence = None
    if shown is not None:
        evidence = evidence_of(answer.words, words, shown.words)
        if shown.times is not None:
            start_s, end_s = shown.times
            evidence = evidence.model_copy(update={"start_s": start_s, "end_s": end_s})
    return PhraseCoverage(
        phrase=phrase.phrase,
        status=status,
        how=shown.how if shown else None,
        evidence=evidence,
        negated=denied is not None,
        confidence=round(chance, 3),
        weight=phrase.weight,
        why=phrase.why,
        follow_up=phrase.follow_up,
    )


def _has(answer: Answer, number: str, unit: str) -> bool:
    """Whether an answer has a number, and not of something else; "one" may be "a"."""
    if number == "1":
        return not unit or unit in answer.by_lemma
    for at in answer.by_text.get(number, ()):
        after = answer.tokens[at + 1].lemma if at + 1 < len(answer.tokens) else ""
        if not unit or after == unit or not (unit in SCALES or after in MEASURES):
            return True
    return False


def _covered_from(passage: Passage) -> float:
    """The chance from which a passage covers its phrase; more than 1 where it can only ask."""
    if passage.times is not None and _heard(passage) >= HEARD_FROM:
        return HEARD_FROM
    row = _deciding(passage)
    if row["near_miss"] >= WORD_FOR_WORD and row["near_miss"] > row["way"]:
        return _ONLY_ASKS  # the bank says that this sentence is something else
    if row["literal"] and not row["everyday_use"] and passage.denied < DENIED_FROM:
        return LITERAL_FROM if row["has_ways"] else LITERAL_FROM_PLAIN
    if _is_a_way(passage) and passage.denied < DENIED_FROM:
        return LITERAL_FROM
    if row["sound_known"] and passage.denied < DENIED_FROM:
        return SPELLING_FROM
    sounded = row["sound_distance"] < 1.0
    if not row["has_vectors"]:
        # words that stand apart may belong together or not: without their meaning, only ask
        told = (row["contiguous"] and row["whole"] and not row["headless"]) or sounded
        return WORDS_FROM if told and not row["everyday_use"] else _ONLY_ASKS
    if not (row["has_ways"] or row["whole"] or sounded):
        return OWN_WORDS_FROM_PLAIN
    return COVERED_FROM


_ONLY_ASKS: Final = 2.0


def _is_affirmed(passage: Passage) -> bool:
    """Whether the phrase is there word for word, affirmed, and not as an everyday word."""
    row = _deciding(passage)
    known = row["near_miss"] < WORD_FOR_WORD or row["near_miss"] <= row["way"]
    affirmed = passage.denied < DENIED_FROM and not row["everyday_use"]
    return bool(row["literal"]) and affirmed and known


def _names_it(passage: Passage) -> bool:
    """Whether it can say a quantity of which the number is not in the text."""
    row = _deciding(passage)
    sounded = row["sound_distance"] < 1.0 or row["sound_known"]
    return bool(row["has_ways"] or row["whole"] or sounded or passage.times is not None)


def _is_a_way(passage: Passage) -> bool:
    """Whether the passage is one of the bank's ways of saying its phrase."""
    return bool(_deciding(passage)["has_ways"]) and _is_the_banks(passage)


def _is_the_banks(passage: Passage) -> bool:
    """Whether the bank says its phrase in these words, in any of its texts."""
    row = _deciding(passage)
    return row["way"] >= max(WORD_FOR_WORD, row["near_miss"])


def _is_a_near_miss(passage: Passage) -> bool:
    """Whether it names nothing of its phrase, and the bank says something else in such words.

    Of 5,700 labeled phrases, 17 are no longer asked about by this and ``_without_names_of_others``;
    none of them was said.
    """
    row = _deciding(passage)
    return not row["mentioned"] and row["near_miss"] > row["way"]


def _rank(passage: Passage, chance: float) -> tuple[bool, int, float]:
    """Of passages that cover a phrase, its own words show it best, all of them."""
    covers = chance >= _covered_from(passage)
    named = covers and passage.row[_LITERAL] and passage.how != "own_words"
    return covers, len(passage.words) if named else 0, chance


_LITERAL: Final = FEATURES.index("literal")
_DECIDING: Final = (
    "mentioned", "literal", "whole", "contiguous", "headless", "everyday_use", "sound_distance",
    "sound_known", "has_vectors", "has_ways", "way", "near_miss",
)  # fmt: skip
_DECIDED_BY: Final = tuple(FEATURES.index(name) for name in _DECIDING)


def _deciding(passage: Passage) -> dict[str, float]:
    """The features that set the chance from which a passage counts, by name."""
    return dict(zip(_DECIDING, (passage.row[at] for at in _DECIDED_BY), strict=True))


def _mentions(
    answer: Answer,
    phrases: Sequence[CompiledPhrase],
    words: Sequence[Word],
    heard: Sequence[HeardPhrase],
) -> list[list[_Mention]]:
    sounded = by_sound.by_sound(answer, phrases)
    found: list[list[_Mention]] = []
    named_words: set[int] = set()
    for at, phrase in enumerate(phrases):
        own: list[_Mention] = []
        for named in by_words.by_words(answer, phrase):
            denied = stance.denied(answer, (named.tokens[0], named.tokens[-1] + 1))
            own.append(_Mention(named.tokens, named.how, named, by_sound.NOT_HEARD, None, denied))
        for tokens, row in sounded[at]:
            denied = stance.denied(answer, (tokens[0], tokens[-1] + 1))
            own.append(_Mention(tokens, "sound", None, row, None, denied))
        found.append(own)
        named_words.update(
            token for each in own if each.named and each.named.is_literal for token in each.tokens
        )
    found = [_without_names_of_others(at, found) for at in range(len(found))]
    by_name = {phrase.source.phrase: at for at, phrase in enumerate(phrases)}
    for sound in sorted(heard, key=lambda each: -each.confidence):
        at = by_name.get(sound.phrase, -1)
        tokens = _tokens_at(answer, sound, words)
        # a passage of the recording, and words that carry a phrase, count for no other phrase
        if at < 0 or answer.strict or not tokens or named_words.issuperset(tokens):
            continue
        if by_sound.names_sibling(answer, tokens, phrases[at]):
            continue
        denied = stance.denied(answer, (tokens[0], tokens[-1] + 1))
        found[at].append(_Mention(tokens, "heard", None, by_sound.NOT_HEARD, sound, denied))
        if sound.confidence >= HEARD_FROM and denied < DENIED_FROM:
            named_words.update(tokens)
    return found


def _without_names_of_others(at: int, found: Sequence[Sequence[_Mention]]) -> list[_Mention]:
    """The mentions of a phrase without parts of it that are another phrase's own name.

    "Priority flow control" says PFC, and nothing of PFC storms.
    """
    names = [
        set(each.tokens)
        for other, mentions in enumerate(found)
        if other != at
        for each in mentions
        if each.named and each.named.is_literal
    ]
    return [
        each
        for each in found[at]
        if each.named is None
        or each.named.is_whole
        or not any(name.issuperset(each.tokens) for name in names)
    ]


def _tokens_at(answer: Answer, heard: HeardPhrase, words: Sequence[Word]) -> tuple[int, ...]:
    """The tokens written where a phrase was heard."""
    places = {
        index
        for index, word in enumerate(words)
        if word.start_s is not None
        and word.end_s is not None
        and min(word.end_s, heard.end_s) - max(word.start_s, heard.start_s)
        > SHARE_OF_WORD * (word.end_s - word.start_s)
    }
    return tuple(at for at, token in enumerate(answer.tokens) if token.first in places)


def compared(
    question: Question | None,
    vectors: AnswerVectors | None,
    words: Sequence[str],
    credits_of: Sequence[Credit],
) -> Meaning | None:
    """An answer beside its question; ``None`` without either, or without words."""
    if question is None or vectors is None or not vectors.spans:
        return None
    told, stems = by_meaning.question_vectors(question), Stems(words)
    features = by_meaning.span_features(told, vectors, stems)
    scores = shipped_linear("span").logits(features)
    return Meaning(told, vectors, stems, features, scores, credits_of)


def _whole_answer(
    mentions: Sequence[Sequence[_Mention]], meaning: Meaning | None, count: int
) -> list[tuple[float, ...]]:
    """``WHOLE_ANSWER`` for each phrase."""
    named = [
        float(
            any(each.named and each.named.is_literal and each.denied < DENIED_FROM for each in own)
        )
        for own in mentions
    ]
    others_named = [(sum(named) - own) / max(1, count - 1) for own in named]
    if meaning is None:
        return [(NOT_THERE, NOT_THERE, share, NOT_THERE, NOT_THERE) for share in others_named]
    best = 1.0 / (1.0 + np.exp(-meaning.scores.max(axis=1)))
    prompt = np.sort(meaning.question.vectors[-1] @ meaning.answer.vectors.T)
    topic, topic3 = float(prompt[-1]), float(prompt[-3:].sum() / 3)
    rows: list[tuple[float, ...]] = []
    for at in range(count):
        beside = np.delete(best, at)
        mean, top = (beside.mean(), beside.max()) if len(beside) else (0.0, 0.0)
        rows.append((float(mean), float(top), others_named[at], topic, topic3))
    return rows


def _inside(answer: Answer, mentions: Sequence[_Mention], span: Span) -> _Mention | None:
    """The closest mention within a span."""
    for each in mentions:
        first, last = answer.tokens[each.tokens[0]].first, answer.tokens[each.tokens[-1]].last
        if span[0] <= first and last < span[1]:
            return each
    return None


def _passage(
    answer: Answer,
    phrase: int,
    mention: _Mention | None,
    span: int | None,
    meaning: Meaning | None,
    whole: tuple[float, ...],
    closing: tuple[float, ...],
) -> Passage:
    """One row: a mention in the span that fits it best, or a span with what it mentions."""
    said: tuple[int, ...] = ()
    if mention is not None:
        tokens = [answer.tokens[at] for at in mention.tokens]
        said = tuple(sorted({at for each in tokens for at in range(each.first, each.last + 1)}))
    named = mention.named if mention else None
    row = [
        float(mention is not None),
        float(named is not None and named.is_literal),
        *(named.row if named else (0.0,) * len(by_words.FEATURES)),
        *(mention.sounded if mention else by_sound.NOT_HEARD),
        mention.heard.confidence if mention and mention.heard else 0.0,
        mention.denied if mention else 0.0,
    ]
    words = said if span is None or meaning is None else tuple(range(*meaning.answer.spans[span]))
    credit = meaning.credit_at((said or words)[0]) if meaning else (NOT_THERE, NOT_THERE)
    row += [*_meaning_row(phrase, said, span, meaning), *whole, *credit, *closing]
    if span is not None:
        return Passage(words, "own_words", row[_DENIED], tuple(row))
    assert mention is not None
    times = (mention.heard.start_s, mention.heard.end_s) if mention.heard else None
    return Passage(said, mention.how, mention.denied, tuple(row), times)


_HEARD: Final = FEATURES.index("heard")
_HAS_WAYS: Final = FEATURES.index("has_ways")
_DENIED: Final = FEATURES.index("denied")
_OF_MEANING: Final = FEATURES.index("others") - _DENIED - 1


def _meaning_row(
    phrase: int, said: Sequence[int], span: int | None, meaning: Meaning | None
) -> list[float]:
    """The features from ``SPAN_FEATURES`` to ``BESIDE``."""
    if meaning is None:
        return [NOT_THERE] * _OF_MEANING
    spans = meaning.answer.spans
    holding = [at for at, (a, b) in enumerate(spans) if said and a <= said[0] and said[-1] < b]
    if span is None:
        if not holding:
            return [NOT_THERE] * _OF_MEANING
        span = max(holding, key=lambda at: float(meaning.scores[phrase, at]))
    own = float(meaning.scores[phrase, span])
    others = np.delete(meaning.scores[:, span], phrase)
    row = [*meaning.features[phrase, span].tolist(), own, own - float(others.max(initial=-9.0))]
    row += meaning.stems.claims(spans[span], meaning.question, phrase)
    if not holding:
        return [*row, *([NOT_THERE] * len(by_meaning.BESIDE))]
    stretch = min(spans[at][0] for at in holding), max(spans[at][1] for at in holding)
    row += by_meaning.beside_name(meaning.question, phrase, meaning.answer, holding)
    row += meaning.stems.around(meaning.question, phrase, said, stretch)
    return row
