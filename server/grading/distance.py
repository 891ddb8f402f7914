"""The price of what stands between the words of a phrase.

A phrase said as it is written costs nothing; words between, another order, another clause cost more
and more, until its words only happen to be in the same sentence.
"""

from collections.abc import Sequence
from itertools import pairwise

from server.grading.answer import Answer
from server.grading.english import word_set
from server.grading.hits import Arc, Tier
from server.grading.phrases import Variant
from server.grading.stems import stem
from server.grading.tokens import COMMA, NO_BREAK
from server.grading.vocabulary import (
    ARTICLES,
    CLAUSE_STARTS,
    FUNCTION_WORDS,
    SUBJECTS,
    contrast,
)

__all__ = [
    "COST_MODIFIER",
    "PARTICLES",
    "contiguous",
    "gap_cost",
    "limit_of",
    "linked_allowance",
    "modifies_another",
    "turned_cost",
]

# Prices of what stands between the words of a phrase, chosen on judgments/dev.yaml.
COST_COMMA = 0.5
COST_ARTICLE = 0.2
COST_LINK = 0.4
COST_AND = 0.5
COST_WORD = 1.0
COST_CLAUSE = 2.0
COST_SUBJECT = 2.0
COST_RELATIVE = 0.6
COST_NEGATION = 1.5
COST_CONTRAST = 3.0
COST_TURNED = 0.5
COST_MODIFIER = 1.5
COST_OWN_ARTICLE = 1.0
"""Where the head has an article of its own it is another thing ("a round trip, and the robin")."""
LIMIT_GENERIC = 2.8
"""For phrases of generic words alone ("data parallelism"): a word or two between, no more."""
LIMIT_MIXED = 3.4
LIMIT_TELLING = 4.5
LIMIT_PER_FURTHER_UNIT = 1.0
ALLOWANCE_LINKED = 1.2
"""One more word may stand where "of" or "for" ties the two; it cost no precision on any of the
judgments (dev, heldout, fresh)."""
MAX_COST_OF_A_GAP = 3.0

_THINGS = frozenset(
    stem(word)
    for word in word_set("""
    store storage cache log index key map table node budget pool queue set bucket block page state
    type rate size price cost point scale model server batch parallel cluster instance network
    policy graph tree list array string number class file path field port
    """)
)
"""Heads that as a verb before their noun mean something else: to "store features" is no store."""
_RELATIVE = frozenset(["that", "which", "who", "it", "them"])
PARTICLES = frozenset(["back", "out", "up", "down", "off", "over"])
_PREPOSITIONS = frozenset(["of", "in", "for", "with", "from", "at", "by", "to"])
_AND = frozenset(("and", "or"))
_NUMBER_TIES = frozenset(("of", "is", "are", "was", "were"))
_ACTORS = ("er", "or")
_BEING = frozenset(("is", "are", "was", "were"))
_MEASURES = frozenset(stem(word) for word in word_set("number amount lot pile share bunch"))
"""A word before these counts or measures: "a huge number of pages" has no huge pages."""


def gap_cost(answer: Answer, variant: Variant, left: Arc, right: Arc) -> float:
    """What the tokens between two arcs cost."""
    tokens = answer.tokens
    cost = 0.0
    conjunction = False
    listed = False
    content = 0
    contrasting = False
    units = variant.units
    for place in range(left.end, right.start):
        token = tokens[place]
        if place in answer.skipped:
            continue
        if token.gap == COMMA:
            cost += COST_COMMA
            conjunction = True
        raw = token.raw
        if token.text in _AND:
            conjunction = listed = True
            cost += COST_AND
        elif raw in _RELATIVE:
            cost += COST_RELATIVE
        elif raw in CLAUSE_STARTS:
            cost += COST_CLAUSE
        elif raw in ("not", "no", "never", "without") or raw.endswith("n't"):
            cost += COST_NEGATION
        elif raw in ARTICLES or token.text in variant.texts:
            cost += COST_ARTICLE
        elif raw in SUBJECTS:
            cost += COST_SUBJECT
        elif raw in FUNCTION_WORDS:
            cost += COST_LINK
            measured = raw == "of" and tokens[place - 1].stem in _MEASURES and place - 1 >= left.end
            cost += COST_CONTRAST * (measured and left.first < right.first)
        else:
            content += 1
            cost += COST_WORD
            contrasting |= any(contrast(units[arc.first].stem, token.stem) for arc in (left, right))
        if cost > MAX_COST_OF_A_GAP * 2:
            return cost
    if right.start < len(tokens) and tokens[right.start].gap == COMMA:
        cost += 0 if any(p in answer.skipped for p in range(left.end, right.start)) else COST_COMMA
    if content and right.start > left.end and left.first < right.first:
        own = tokens[right.start - 1].raw in ("a", "an", "the") and right.tier <= Tier.INFLECTED
        stated = any(tokens[place].raw in _BEING for place in range(left.end, right.start))
        cost += COST_OWN_ARTICLE * (own + (own and stated))  # "the weak point was the scaling"
    glued = units[right.first].glued and right.first == left.last
    if glued and any(
        place not in answer.skipped
        and tokens[place].text != "of"
        and tokens[place].text not in variant.texts
        for place in range(left.end, right.start)
    ):
        cost += COST_CONTRAST * 2
    if units[right.first].text in PARTICLES and left.last == right.first:
        # Between verb and particle stands its object: "roll the change back".
        between = {tokens[place].raw for place in range(left.end, right.start)}
        cost += COST_CONTRAST * bool(between & _PREPOSITIONS)
        cost += 2 * COST_CONTRAST * bool(between & _AND)
    if units[left.first].text in PARTICLES and left.first == right.last:
        cost += COST_CONTRAST * 2  # "go back and roll out" is no rollback
    if contrasting and not listed:
        cost += COST_CONTRAST
    if conjunction and content == 0 and not variant.joint:
        # "load and test" is no load test.
        cost += 2 * COST_CONTRAST if len(units) == 2 else 0
    return cost


def _is_verb(answer: Answer, variant: Variant, head: Arc, modifier: Arc) -> bool:
    """Whether turned units stand as verb and object or subject and verb.

    "sharding the state", "leaks memory", "scale vertically", "the gradient vanishes".
    """
    tokens = answer.tokens
    unit = variant.units[1]
    said, other = tokens[head.start], tokens[modifier.start]
    if other.text.endswith("ly"):
        return True
    qualifier = variant.units[0].text
    if qualifier.endswith("ed") or (qualifier.endswith("ing") and other.text != qualifier):
        return True  # "the gradient vanishes", "instances reserved for a year"
    if unit.stem in _THINGS and not unit.text.endswith("ing"):
        return False
    if head.tier is Tier.DERIVED or said.text.endswith(("ing", "ed")):
        return True
    if unit.deverbal:
        return said.text != unit.text
    after = tokens[head.end].raw if head.end < len(tokens) else ""
    return after in ARTICLES or (said.text.endswith("s") and not unit.text.endswith("s"))


def _number_astray(answer: Answer, variant: Variant, arcs: Sequence[Arc]) -> bool:
    """Whether a number no longer stands before what it counts: "half a year later one".

    Right behind it, tied to it, a number counts it all the same: "an oversubscription of 2 to 1".
    """
    starts = {arc.first: arc.start for arc in arcs}
    ends = {arc.end for arc in arcs}
    for number, start in starts.items():
        if not variant.units[number].text.isdecimal() or starts.get(number + 1, start) > start:
            continue
        before = start - 1
        while before > 0 and (
            answer.tokens[before].raw == "to" or answer.tokens[before].text.isdecimal()
        ):  # "2 to 1"
            before -= 1
        if number and number + 1 == len(variant.units) and starts.get(number - 1, 0) > start:
            return True  # "the batch, one size" is no batch size one
        tied = before in ends and answer.tokens[before].raw in _NUMBER_TIES
        if starts.get(number + 1, start) < start and not tied:
            return True
    return False


def turned_cost(answer: Answer, variant: Variant, arcs: Sequence[Arc]) -> float:
    """What it costs that the units stand in another order."""
    turns = sum(1 for one, two in pairwise(arcs) if one.first > two.first)
    if not turns:
        return 0.0
    if _number_astray(answer, variant, arcs):
        return COST_CONTRAST * 2
    if variant.texts[:2] == ("time", "to"):
        return COST_CONTRAST * 2  # "the first time the token" is no time to first token
    if len(variant.units) == 2:
        head, modifier = arcs[0], arcs[1]
        before = head.start - 1
        if (
            before >= 0
            and answer.tokens[head.start].gap == NO_BREAK
            and contrast(variant.units[modifier.first].stem, answer.tokens[before].stem)
        ):
            return COST_CONTRAST * 2  # "tensor parallelism for the data" is no data parallelism
        if _of_its_own(answer, modifier):
            return COST_CONTRAST
        if modifier.tier is Tier.DERIVED and variant.units[modifier.first].text.endswith(_ACTORS):
            return COST_CONTRAST  # "the election of a tech lead" is no leader election
        between = range(head.end, modifier.start)
        linked = any(
            answer.tokens[place].raw in FUNCTION_WORDS and answer.tokens[place].raw not in ARTICLES
            for place in between
            if place not in answer.skipped
        )
        if not linked and not _is_verb(answer, variant, head, modifier):
            return COST_CONTRAST
    return COST_TURNED * turns


def _of_its_own(answer: Answer, modifier: Arc) -> bool:
    """Whether a word behind its head qualifies a thing of its own: "started in a cold winter"."""
    tokens = answer.tokens
    end = modifier.end
    return (
        modifier.start > 0
        and tokens[modifier.start - 1].raw in ("a", "an")
        and end < len(tokens)
        and tokens[end].gap == NO_BREAK
        and end not in answer.skipped
        and tokens[end].raw not in FUNCTION_WORDS | CLAUSE_STARTS | SUBJECTS | {"one", "ones"}
    )


def limit_of(variant: Variant) -> float:
    """The most a hit of the variant may cost: little where its words are everybody's."""
    units = [unit for unit in variant.units if not unit.optional]
    telling = sum(unit.weight >= 1.0 for unit in units)
    base = (
        LIMIT_GENERIC if telling == 0 else LIMIT_TELLING if telling == len(units) else LIMIT_MIXED
    )
    return base + LIMIT_PER_FURTHER_UNIT * max(0, len(units) - 2)


def linked_allowance(answer: Answer, variant: Variant, arcs: Sequence[Arc]) -> float:
    """What a hit may cost more because its words are tied by "of" or "for".

    "A freshness target of one minute for the features" still speaks of the features' freshness;
    the head must be a telling word, and stand first.
    """
    if len(variant.units) != 2 or len(arcs) != 2 or arcs[0].first < arcs[1].first:
        return 0.0
    head, modifier = arcs
    place = modifier.start - 1
    while place >= head.end and (answer.tokens[place].raw in ARTICLES or place in answer.skipped):
        place -= 1
    tied = place >= head.end and answer.tokens[place].raw in ("of", "for")
    telling = variant.units[head.first].rare and head.tier <= Tier.INFLECTED
    return ALLOWANCE_LINKED if tied and telling else 0.0


def modifies_another(answer: Answer, arcs: Sequence[Arc]) -> bool:
    """Whether the last of the words, another form than the phrase's, goes with what follows it.

    In "the pipeline runs on parallel machines" nothing says pipeline parallelism.
    """
    last = arcs[-1]
    if last.tier is not Tier.DERIVED or last.end >= len(answer.tokens):
        return False
    follower = answer.tokens[last.end]
    return follower.gap == NO_BREAK and follower.raw not in FUNCTION_WORDS


def contiguous(answer: Answer, arcs: Sequence[Arc], variant: Variant) -> bool:
    """Whether nothing but fillers and the phrase's own words stands between the arcs, in order."""
    for left, right in pairwise(arcs):
        between = {answer.tokens[place].text for place in range(left.end, right.start)}
        passed = variant.units[left.last : right.first]
        if right.first < left.last or any(
            not unit.optional or unit.text not in between for unit in passed
        ):
            return False  # an optional word may stand there, nothing else
        for place in range(left.end, right.start):
            if place not in answer.skipped and answer.tokens[place].text not in variant.texts:
                return False
    return True
