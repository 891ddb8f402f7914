"""Finding the distinctive half of a phrase where the whole was not said."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from server.grading.answer import Answer
from server.grading.distance import PARTICLES, contiguous, gap_cost
from server.grading.english import rank
from server.grading.hits import Arc, Hit, Tier
from server.grading.matching import arcs_of, joined_arcs
from server.grading.phrases import Variant
from server.grading.tokens import NO_BREAK
from server.grading.vocabulary import FUNCTION_WORDS, GENERIC, KIND_HEADS, contrast

__all__ = ["find_part", "says_the_whole"]

MIN_PART = 0.5
"""Share of a phrase's meaning that makes it partly said …"""
MIN_TELLING_PART = 0.3
"""… or this much, where the part is a name or a rare word that opens the phrase."""
EVERYDAY_RANK = 1500
"""A word more common than this tells nothing when it stands alone ("long")."""
MIN_TELLING_WEIGHT = 1.5
"""Weight of a rare word or a name, which alone says what kind of thing is meant."""
MAX_SEEDS = 200
"""Places in one sentence at which a part is tried; no one says a word so often in a sentence."""
MAX_CLOSE = 12
"""Places around one that may make a part with it."""
MAX_PART_GAP = 4.0
MAX_GENERIC_PART_GAP = 0.5
"""Between generic words, which make a part only where they stand together ("shared memory")."""


def find_part(answer: Answer, variant: Variant) -> Hit | None:
    """The best place where the distinctive half of the variant was said, if there is one."""
    if answer.strict or len(variant.units) < 2:
        return None
    found, joined = arcs_of(answer, variant), joined_arcs(answer, variant)
    if not joined and not any(found):
        return None
    by_unit = [[arc for arc in arcs if arc.tier < Tier.FUZZY] for arcs in found]
    units = variant.units
    total = sum(unit.weight for unit in units if not unit.optional)
    best: Hit | None = None
    best_share = 0.0
    sentences: dict[int, list[Arc]] = defaultdict(list)
    for arc in [arc for arcs in by_unit for arc in arcs] + joined:
        sentences[answer.sentence[arc.start]].append(arc)
    for arcs in sentences.values():
        arcs.sort(key=lambda arc: arc.start)
        for seed in arcs[:MAX_SEEDS]:
            chosen, gap = _part_around(answer, variant, seed, arcs)
            said = {n for arc in chosen for n in range(arc.first, arc.last)}
            share = sum(units[n].weight for n in said if not units[n].optional) / total
            if share > best_share and _tells(answer, variant, chosen, said, share, gap):
                tier = Tier(max(arc.tier for arc in chosen))
                best, best_share = Hit(variant, tuple(chosen), tier, 0.0), share
    return best


def says_the_whole(answer: Answer, part: Hit) -> bool:
    """Whether what is missing only names the kind of thing: "the wildcard" of a certificate.

    What was said must be telling, stand as it does in the phrase, and have no other head behind it
    ("columnar files" says nothing of columnar storage).
    """
    units = part.variant.units
    said = {n for arc in part.arcs for n in range(arc.first, arc.last)}
    missing = [n for n, unit in enumerate(units) if not unit.optional and n not in said]
    if not missing or min(missing) < max(said) or part.tier is not Tier.EXACT:
        return False
    if not all(units[n].stem in KIND_HEADS for n in missing):
        return False
    telling = any(units[n].weight >= MIN_TELLING_WEIGHT for n in said) or (
        len(said) > 1 and any(units[n].weight >= 1.0 for n in said)
    )
    if not telling or not contiguous(answer, part.arcs, part.variant):
        return False
    end = part.span[1]
    if end >= len(answer.tokens) or answer.tokens[end].gap != NO_BREAK:
        return True
    return answer.tokens[end].stem not in GENERIC | KIND_HEADS


def _part_around(
    answer: Answer, variant: Variant, seed: Arc, arcs: Sequence[Arc]
) -> tuple[list[Arc], float]:
    """The arcs near one, and what stands between them at the widest."""
    chosen = [seed]
    widest = 0.0
    at = bisect_left(arcs, seed.start, key=lambda arc: arc.start)
    close = arcs[max(0, at - MAX_CLOSE) : at + MAX_CLOSE]
    for arc in sorted(close, key=lambda arc: abs(arc.start - seed.start)):
        if any(n in range(o.first, o.last) for o in chosen for n in range(arc.first, arc.last)):
            continue
        if any(arc.start < o.end and o.start < arc.end for o in chosen):
            continue
        near = min(chosen, key=lambda o: abs(o.start - arc.start))
        left, right = (arc, near) if arc.start < near.start else (near, arc)
        gap = gap_cost(answer, variant, left, right)
        if gap <= MAX_PART_GAP:
            chosen.append(arc)
            widest = max(widest, gap)
    return sorted(chosen, key=lambda arc: arc.start), widest


def _tells(
    answer: Answer,
    variant: Variant,
    chosen: Sequence[Arc],
    said: set[int],
    share: float,
    gap: float,
) -> bool:
    """Whether the part that was said is the distinctive one."""
    units = variant.units
    needed = [n for n, unit in enumerate(units) if not unit.optional]
    missing = [n for n in needed if n not in said]
    if _replaced(answer, variant, chosen, missing):
        return False
    number = any(len(units[n].text) > 1 and units[n].text.isdecimal() for n in missing)
    if number and not any(units[n].rare for n in said):
        return False  # "port 22" says nothing of port 179
    ends = {arc.last: arc.end for arc in chosen}
    if any(
        units[n].text in PARTICLES
        and ends.get(n, len(answer.tokens)) < len(answer.tokens)
        and answer.tokens[ends[n]].raw in PARTICLES | {"on", "in"}
        for n in missing
    ):
        return False  # "hold on" is no half of "holdout"
    if len(said) >= len(needed):
        # All of it, but too far apart: half the point, unless its words are everybody's.
        return all(units[n].weight >= 1.0 for n in needed)
    opens = min(said) == 0 and not _with_sibling(answer, chosen[0])
    if len(said) == 1:
        only = units[next(iter(said))]
        telling = only.rare or (
            len(units) == 2
            and only.weight >= 1.0
            and rank(only.text) >= EVERYDAY_RANK
            and chosen[0].tier is Tier.EXACT  # "I record it" says nothing of recording rules
        )
        return opens and telling and share >= MIN_TELLING_PART
    if share < MIN_PART and len(said) * 2 < len(needed):
        return False
    if all(units[n].weight < 1.0 for n in said):
        sibling = _with_sibling(answer, chosen[0])
        return share >= MIN_PART and not sibling and gap <= MAX_GENERIC_PART_GAP
    return opens or not _with_sibling(answer, chosen[0])


def _replaced(
    answer: Answer, variant: Variant, chosen: Sequence[Arc], missing: Sequence[int]
) -> bool:
    """Whether the opposite of a word that is missing stands with those that were said.

    "Credentials that are long lived" for "short-lived credentials".
    """
    around = range(max(0, chosen[0].start - 1), min(len(answer.tokens), chosen[-1].end + 1))
    return any(
        contrast(variant.units[n].stem, answer.tokens[place].stem)
        for n in missing
        for place in around
        if not (place == chosen[-1].end and answer.tokens[place].gap != NO_BREAK)
        and not (place < chosen[0].start and answer.tokens[chosen[0].start].gap != NO_BREAK)
    )


def _with_sibling(answer: Answer, arc: Arc) -> bool:
    """Whether another qualifier, or another head, stands where the phrase has its own.

    "dynamic batching" for "continuous batching", "pinned processes" for "pinned memory".
    """
    tokens = answer.tokens
    if arc.first > 0:
        before = arc.start - 1
        if before < 0 or tokens[arc.start].gap != NO_BREAK:
            return False
        return tokens[before].raw not in FUNCTION_WORDS and before not in answer.skipped
    after = arc.end
    if after >= len(tokens) or tokens[after].gap != NO_BREAK or after in answer.skipped:
        return False
    head = tokens[after]
    return head.raw not in FUNCTION_WORDS and head.stem in GENERIC
