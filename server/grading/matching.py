"""Finding one variant of a key phrase in an answer.

Every unit of the variant is looked up for its places (*arcs*) in the answer; then, sentence by
sentence, the arcs that stand closest together are taken and what stands between them is priced.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from server.grading.answer import Answer
from server.grading.distance import (
    COST_MODIFIER,
    contiguous,
    gap_cost,
    limit_of,
    linked_allowance,
    modifies_another,
    turned_cost,
)
from server.grading.hits import Arc, Hit, Tier
from server.grading.homophones import has_homophone, same_sound
from server.grading.lookup import misheard, spans_of
from server.grading.phrases import Unit, Variant
from server.grading.tokens import NO_BREAK

__all__ = ["arcs_of", "find_hits", "joined_arcs"]

MIN_UNITS_TO_SPARE_ONE = 4
"""From so many units on, a generic one inside may be missing ("layer four [load] balancing")."""
MAX_JOINT_WORDS = 14
"""Reach of "X and Y", whose halves may stand apart in one sentence."""

MAX_FILLERS = 8
"""Fillers and repeated starts between two words of a phrase."""
MAX_NEAR = 8
"""Arcs of one unit that are tried on either side; the closest wins anyway."""
MAX_OTHER_SIDE_WORDS = 2
"""Words between the two of a phrase where a nearer one of them stands on the other side."""
MAX_PRONOUN_WORDS = 16
"""Reach of "it" and "them" back to what they stand for."""
COST_PRONOUN = 1.0
_PRONOUNS = frozenset({"it", "them"})
_SUBJECT_PRONOUNS = frozenset({"it", "they", "which"})
_PASSIVE = frozenset({"is", "are", "was", "were", "gets", "get", "got"})
_IS_DONE = frozenset({"it's", "they're"})


def arcs_of(answer: Answer, variant: Variant) -> list[list[Arc]]:
    """For each unit its arcs; an arc over several units stands with the first of them."""
    known: list[list[Arc]] | None = answer.arcs.get(id(variant))
    if known is not None:
        return known
    lists: list[list[Arc]] = []
    answer.arcs[id(variant)] = lists
    several = len(variant.units) > 1
    for number, unit in enumerate(variant.units):
        spans = spans_of(answer, unit)
        if not spans:
            lists.append([])
            continue
        arcs = [
            Arc(start, end, tier, number, number + 1)
            for (start, end), tier in spans.items()
            if not (
                several
                and end - start == 1
                and start in answer.idioms
                and answer.tokens[start - 1].text != unit.before
            )
        ]
        lists.append(sorted(arcs, key=lambda arc: arc.start))
    return lists


def joined_arcs(answer: Answer, variant: Variant) -> list[Arc]:
    """Places where adjacent units are written as one word ("allreduce")."""
    out: list[Arc] = []
    for first, last, text, key in variant.joined:
        for place in answer.by_text.get(text, ()):
            out.append(Arc(place, place + 1, Tier.EXACT, first, last))
        for place in answer.by_stem.get(key, ()):
            out.append(Arc(place, place + 1, Tier.INFLECTED, first, last))
    return out


def _assign(
    answer: Answer, variant: Variant, by_unit: Sequence[Sequence[Arc]], joined: Sequence[Arc]
) -> Iterator[list[Arc]]:
    """Ways to cover all units with arcs of one sentence: around every arc the nearest others."""
    needed = [number for number, unit in enumerate(variant.units) if not unit.optional]
    if len(needed) >= MIN_UNITS_TO_SPARE_ONE:
        empty = [number for number in needed if not by_unit[number]]
        if len(empty) == 1 and 0 < empty[0] < needed[-1] and variant.units[empty[0]].weight < 1.0:
            needed.remove(empty[0])
    sentences: dict[int, list[list[Arc]]] = {}
    for number, arcs in enumerate(by_unit):
        for arc in arcs:
            lists = sentences.setdefault(answer.sentence[arc.start], [[] for _ in variant.units])
            lists[number].append(arc)
    joined_in: dict[int, list[Arc]] = defaultdict(list)
    for arc in joined:
        joined_in[answer.sentence[arc.start]].append(arc)
        sentences.setdefault(answer.sentence[arc.start], [[] for _ in variant.units])
    for sentence, lists in sentences.items():
        spans = joined_in.get(sentence, [])
        if any(
            not lists[number] and not any(a.first <= number < a.last for a in spans)
            for number in needed
        ):
            continue
        seeds = min((lists[number] for number in needed if lists[number]), key=len, default=[])
        for arcs in lists:
            arcs.sort(key=_start_of)
        for seed in [*seeds, *spans]:
            chosen = _around(seed, lists, needed)
            if chosen is None:
                continue
            yield chosen
            other = _other_side(seed, chosen, lists) if len(needed) == 2 else None
            if other is not None:
                yield other


def _start_of(arc: Arc) -> int:
    return arc.start


def _near(arcs: Sequence[Arc], start: int) -> Sequence[Arc]:
    """The arcs next to a place, from arcs in order: an answer may be one endless sentence."""
    if len(arcs) <= 2 * MAX_NEAR:
        return arcs
    at = bisect_left(arcs, start, key=_start_of)
    return arcs[max(0, at - MAX_NEAR) : at + MAX_NEAR]


def _around(seed: Arc, lists: Sequence[Sequence[Arc]], needed: Sequence[int]) -> list[Arc] | None:
    chosen = [seed]
    covered = set(range(seed.first, seed.last))
    order = sorted((n for n in needed if n not in covered), key=lambda n: abs(n - seed.first))
    for number in order:
        best: Arc | None = None
        best_distance = 1e9
        anchor = min(chosen, key=lambda arc: abs(arc.first - number))
        for arc in _near(lists[number], anchor.start):
            if any(arc.start < other.end and other.start < arc.end for other in chosen):
                continue
            if number > anchor.first:
                ahead = arc.start - anchor.end
                distance = ahead if ahead >= 0 else -ahead + 1.5
            else:
                ahead = anchor.start - arc.end
                distance = ahead if ahead >= 0 else -ahead + 1.5
            distance += arc.tier * 0.01
            if distance < best_distance:
                best, best_distance = arc, distance
        if best is None:
            return None
        chosen.append(best)
    return sorted(chosen, key=lambda arc: arc.start)


def _other_side(
    seed: Arc, chosen: Sequence[Arc], lists: Sequence[Sequence[Arc]]
) -> list[Arc] | None:
    """A pair with the nearest arc on the other side of the seed.

    In "it appends to its log and replicates the log" the nearer log is not the one meant.
    """
    if len(chosen) != 2:
        return None
    (partner,) = (arc for arc in chosen if arc is not seed)
    arcs = _near(lists[partner.first], seed.start)
    if partner.start < seed.start:
        behind = [arc for arc in arcs if 0 <= arc.start - seed.end <= MAX_OTHER_SIDE_WORDS]
        return [seed, min(behind, key=_start_of)] if behind else None
    before = [arc for arc in arcs if 0 <= seed.start - arc.end <= MAX_OTHER_SIDE_WORDS]
    return [max(before, key=_start_of), seed] if before else None


def find_hits(answer: Answer, variant: Variant) -> list[Hit]:
    """All places where the whole variant was said."""
    by_unit = arcs_of(answer, variant)
    joined = joined_arcs(answer, variant)
    if len(variant.units) == 1:
        unit = variant.units[0]
        return [
            Hit(variant, (arc,), arc.tier, 0.0)
            for arc in by_unit[0]
            if arc.tier != Tier.DERIVED or (not answer.strict and _stands_alone(answer, unit, arc))
        ]
    if not joined and not any(by_unit):
        return []
    if not answer.strict:
        _add_by_context(answer, variant, by_unit)
    if not joined and _too_little(variant, by_unit):
        return []
    hits: list[Hit] = []
    limit = limit_of(variant)
    for arcs in _assign(answer, variant, by_unit, joined):
        tier = Tier(max(arc.tier for arc in arcs))
        if answer.strict and tier is Tier.DERIVED:
            continue
        if contiguous(answer, arcs, variant):
            hits.append(Hit(variant, tuple(arcs), tier, 0.0))
            continue
        if answer.strict:
            continue
        cost = sum(gap_cost(answer, variant, left, right) for left, right in pairwise(arcs))
        cost += turned_cost(answer, variant, arcs)
        cost += COST_MODIFIER * modifies_another(answer, arcs)
        joint = variant.joint and arcs[-1].start - arcs[0].end <= MAX_JOINT_WORDS
        if cost <= limit + linked_allowance(answer, variant, arcs) or joint:
            hits.append(Hit(variant, tuple(arcs), tier, cost))
    if not hits and not answer.strict:
        hits.extend(_by_pronoun(answer, variant, by_unit))
    return hits


def _too_little(variant: Variant, by_unit: Sequence[Sequence[Arc]]) -> bool:
    """Whether so many units were not said anywhere that no sentence can hold the variant."""
    needed = missing = 0
    for unit, arcs in zip(variant.units, by_unit, strict=True):
        if not unit.optional:
            needed += 1
            missing += not arcs
    return missing > (needed >= MIN_UNITS_TO_SPARE_ONE)


def _by_pronoun(
    answer: Answer, variant: Variant, by_unit: Sequence[Sequence[Arc]]
) -> Iterator[Hit]:
    """Where a verb takes up its object by a pronoun.

    "Many small files … we compact them", "a deadline, and it is propagated".
    """
    needed = [number for number, unit in enumerate(variant.units) if not unit.optional]
    head = variant.units[needed[-1]]
    if len(needed) != 2 or not head.deverbal or head.glued:
        return
    tokens = answer.tokens
    for verb in by_unit[needed[1]]:
        if verb.tier > Tier.DERIVED or tokens[verb.start].text == head.text:
            continue
        taken_up = verb.end < len(tokens) and tokens[verb.end].raw in _PRONOUNS
        if not (taken_up and tokens[verb.end].gap == NO_BREAK) and not _done_to_it(answer, verb):
            continue
        objects = [
            arc
            for arc in _near(by_unit[needed[0]], verb.start)
            if verb.start - MAX_PRONOUN_WORDS <= arc.start < verb.start
            and arc.tier <= Tier.INFLECTED
            and answer.sentence[verb.start] - answer.sentence[arc.start] <= 1
        ]
        if objects:
            yield Hit(variant, (objects[-1], verb), Tier.FUZZY, COST_PRONOUN)


def _done_to_it(answer: Answer, verb: Arc) -> bool:
    """Whether the verb says what is done to "it": "a deadline, and it is propagated"."""
    tokens = answer.tokens
    if not tokens[verb.start].raw.endswith("ed"):
        return False
    before = [token.raw for token in tokens[max(0, verb.start - 2) : verb.start]]
    return bool(before) and (
        before[-1] in _IS_DONE or (before[0] in _SUBJECT_PRONOUNS and before[-1] in _PASSIVE)
    )


_LOOSE_FAMILY = ("er", "or", "ism", "ness")


def _stands_alone(answer: Answer, unit: Unit, arc: Arc) -> bool:
    """Whether a derivation will do for a phrase of one word: "quantized" for "quantization"."""
    token = answer.tokens[arc.start]
    if len(unit.family) < 4 or unit.weight < 1.0:
        return False
    return not (unit.stem.endswith(_LOOSE_FAMILY) or token.stem.endswith(_LOOSE_FAMILY))


def _add_by_context(answer: Answer, variant: Variant, by_unit: list[list[Arc]]) -> None:
    """Recognise a unit by its sound where its neighbour in the phrase stands right beside it."""
    tokens = answer.tokens
    for number, unit in enumerate(variant.units):
        if not any(by_unit[max(0, number - 1) : number + 2]):
            continue
        if not unit.text.isalpha() or (len(unit.text) < 4 and not has_homophone(unit.text)):
            continue
        for side in (-1, 1):
            other = number + side
            if not 0 <= other < len(variant.units):
                continue
            for arc in by_unit[other]:
                if arc.tier > Tier.DERIVED:
                    continue
                place = arc.end if side < 0 else arc.start - 1
                for _ in range(MAX_FILLERS):
                    # "the right ahead log": a filler may be the word itself, misheard
                    if place not in answer.skipped or same_sound(tokens[place].text, unit.text):
                        break
                    place -= side
                if not 0 <= place < len(tokens) or tokens[place].stem == unit.stem:
                    continue
                behind = place if side < 0 else arc.start
                if tokens[behind].gap != NO_BREAK:
                    continue
                if misheard(tokens[place].text, tokens[place].stem, unit):
                    by_unit[number].append(Arc(place, place + 1, Tier.FUZZY, number, number + 1))
