"""The surface layer: finds a key phrase by its words, inflected, respelled or joined.

It looks up the places of every unit of a wording and proposes, for each sentence, the places that
are closest together. The confirmer decides whether they belong together.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from server.grading.answer import Answer, Span
from server.grading.proposals import How, Place, Proposal
from server.grading.sense.thresholds import MAX_OTHER_SIDE_WORDS, MIN_UNITS_TO_SPARE_ONE
from server.grading.units import CompiledPhrase, Tier, Unit, Variant

MAX_NEAR = 8
"""Places of one unit tried on either side; the closest one wins anyway."""
TIER_SCORES = {
    Tier.EXACT: 1.0, Tier.INFLECTED: 0.98, Tier.DERIVED: 0.9, Tier.ACRONYM: 0.95,
    Tier.SPELLING: 0.85,
}  # fmt: skip
_LOOSE_FAMILY = ("er", "or", "ism", "ness")


def propose_words(answer: Answer, phrases: Sequence[CompiledPhrase]) -> Iterator[Proposal]:
    """Every place that may say a wording of a phrase, or some of its words."""
    for phrase in phrases:
        keys = answer.keys & phrase.units_of.keys()
        if keys:
            yield from _propose(answer, phrase, keys)


def _propose(answer: Answer, phrase: CompiledPhrase, keys: Set[str]) -> Iterator[Proposal]:
    found = answer.found
    for key in keys:
        for unit in phrase.units_of[key]:
            if id(unit) not in found:
                found[id(unit)] = look_up(answer, unit)
    for variant in phrase.variants:
        joined = _joined_places(answer, variant) if variant.joined else []
        said = [number for number, unit in enumerate(variant.units) if found.get(id(unit))]
        lone = len(said) == 1 and said[0] > 0 and len(variant.needed) > 1
        if not joined and (not said or lone):  # alone it is no evidence unless it opens the phrase
            continue
        by_unit = [_places(answer, variant, number) for number in range(len(variant.units))]
        if len(variant.units) == 1:
            for place in by_unit[0]:
                if place.tier is not Tier.DERIVED or _stands_alone(answer, variant.units[0], place):
                    yield _proposal(phrase, variant, [place])
            continue
        for places in _together(answer, variant, by_unit, joined):
            yield _proposal(phrase, variant, places)
        if not answer.strict:
            for places in _parts(answer, by_unit, joined):
                yield _proposal(phrase, variant, places, whole=False)


def _proposal(
    phrase: CompiledPhrase, variant: Variant, places: Sequence[Place], *, whole: bool = True
) -> Proposal:
    if len(places) == 1:  # nearly always
        (place,) = places
        tier, words = place.tier, tuple(range(place.start, place.end))
    else:
        tier = max([place.tier for place in places])
        words = tuple(sorted({at for place in places for at in range(place.start, place.end)}))
    how: How = "inflected"
    if tier is Tier.SPELLING or variant.headless:
        how = "fuzzy"
    elif variant.origin != "exact":
        how = variant.origin
    elif tier is Tier.ACRONYM:
        how = "acronym"
    elif tier is Tier.EXACT:
        how = "exact"
    score = TIER_SCORES[tier] - 0.05 * variant.headless
    return Proposal("surface", phrase, words, how, score, whole, variant, tuple(places))


def _places(answer: Answer, variant: Variant, number: int) -> list[Place]:
    """Where one unit occurs, in order; an adverb ("in parallel") is not part of a phrase."""
    unit = variant.units[number]
    spans = answer.found.get(id(unit))
    if not spans:
        return []
    places = [Place(start, end, tier, number, number + 1) for (start, end), tier in spans.items()]
    if answer.adverbial and len(variant.units) > 1:
        places = [place for place in places if not _is_in_adverb(answer, place, unit)]
    if len(places) > 1:
        places.sort(key=_start_of)
    return places


def _is_in_adverb(answer: Answer, place: Place, unit: Unit) -> bool:
    """Whether a place is part of an adverb that is not in the phrase."""
    return (
        place.end - place.start == 1
        and place.start in answer.adverbial
        and answer.tokens[place.start - 1].text != unit.before
        and not (place.tier is Tier.EXACT and place.first == 0)
    )


def _joined_places(answer: Answer, variant: Variant) -> list[Place]:
    """Where adjacent units are written as one word ("allreduce")."""
    out: list[Place] = []
    for first, last, text, key in variant.joined:
        for place in answer.by_text.get(text, ()):
            out.append(Place(place, place + 1, Tier.EXACT, first, last))
        for place in answer.by_lemma.get(key, ()):
            out.append(Place(place, place + 1, Tier.INFLECTED, first, last))
    return out


def look_up(answer: Answer, unit: Unit) -> dict[Span, Tier]:
    """All places of a unit, each with its closest tier; none if the answer has none of its keys."""
    found: dict[Span, Tier] = {}
    for place in answer.by_text.get(unit.text, ()):
        found[place, place + 1] = Tier.EXACT
    if unit.letters:
        for place in answer.by_text.get(unit.text + "s", ()):
            found.setdefault((place, place + 1), Tier.INFLECTED)
    else:
        for place in answer.by_lemma.get(unit.lemma, ()):
            found.setdefault((place, place + 1), Tier.INFLECTED)
        if not answer.strict:
            for place in answer.by_family.get(unit.family, ()):
                found.setdefault((place, place + 1), Tier.DERIVED)

    def put(start: int, end: int, tier: Tier) -> None:
        found[start, end] = min(tier, found.get((start, end), tier))

    if not answer.joined.keys().isdisjoint(unit.keys):
        for text in (unit.text, unit.text + "s"):
            for start, end in answer.joined.get(text, ()):
                spelled = all(len(token.text) == 1 for token in answer.tokens[start : end - 1])
                if spelled or not unit.letters:
                    put(start, end, Tier.EXACT)
        for text, tier in unit.forms:
            for start, end in answer.joined.get(text, ()):
                put(start, end, tier)
    if "." in unit.text:
        for start, end in _digits_apart(answer, unit.text):
            put(start, end, Tier.EXACT)
    for symbol in unit.symbols:
        for start, end, form in answer.symbols.get(symbol, ()):
            if form != "exact":
                put(start, end, Tier.ACRONYM if form == "acronym" else Tier.SPELLING)
            elif end - start > 1:  # a single word is looked up by its own keys
                said = " ".join(token.text for token in answer.tokens[start:end])
                put(start, end, Tier.EXACT if said == symbol else Tier.INFLECTED)
    if answer.prefixed:
        return {
            span: tier
            for span, tier in found.items()
            if span[0] not in answer.prefixed or answer.tokens[span[0] - 1].text == unit.before
        }
    return found


def _digits_apart(answer: Answer, text: str) -> Iterator[Span]:
    """Where "1.3" was read "one three" or "two point oh"."""
    digits = text.split(".")
    if len(digits) != 2 or not all(part.isdecimal() for part in digits):
        return
    for start in answer.by_text.get(digits[0], ()):
        rest = [token.text for token in answer.tokens[start + 1 : start + 3]]
        if rest[:1] == [digits[1]]:
            yield start, start + 2
        elif rest[:1] == ["point"] and rest[1:] in ([digits[1]], ["oh"], ["o"]):
            yield start, start + 3


def _stands_alone(answer: Answer, unit: Unit, place: Place) -> bool:
    """Whether a derivation counts for a phrase of one word: "quantized" for "quantization"."""
    said = answer.tokens[place.start].lemma
    if len(unit.text) < 4 or unit.weight < 1.0:
        return False
    return not (unit.lemma.endswith(_LOOSE_FAMILY) or said.endswith(_LOOSE_FAMILY))


def _together(
    answer: Answer,
    variant: Variant,
    by_unit: Sequence[Sequence[Place]],
    joined: Sequence[Place],
) -> Iterator[list[Place]]:
    """Ways to cover all units within one sentence: each place with the nearest others."""
    needed = list(variant.needed)
    if len(needed) >= MIN_UNITS_TO_SPARE_ONE:
        empty = [number for number in needed if not by_unit[number]]
        if len(empty) == 1 and 0 < empty[0] < needed[-1] and variant.units[empty[0]].weight < 1.0:
            needed.remove(empty[0])
    for number in needed:
        if not by_unit[number] and not any(each.first <= number < each.last for each in joined):
            return  # not in any sentence
    groups: dict[int, list[Place]] = defaultdict(list)
    for place in (*(place for places in by_unit for place in places), *joined):
        groups[answer.sentence[place.start]].append(place)
    for group in groups.values():
        lists: list[list[Place]] = [[] for _ in variant.units]
        spans = [place for place in group if place.last - place.first > 1]
        for place in sorted(group, key=_start_of):
            if place.last - place.first == 1:
                lists[place.first].append(place)
        if any(
            not lists[number] and not any(span.first <= number < span.last for span in spans)
            for number in needed
        ):
            continue
        seeds = min((lists[number] for number in needed if lists[number]), key=len, default=[])
        for seed in (*seeds, *spans):
            chosen = _around(seed, lists, needed)
            if chosen is None:
                continue
            yield chosen
            other = _other_side(seed, chosen, lists)
            if other is not None:
                yield other


def _start_of(place: Place) -> int:
    return place.start


def _near(places: Sequence[Place], start: int) -> Sequence[Place]:
    """The places next to a token, by bisection, because an answer may be one endless clause."""
    if len(places) <= 2 * MAX_NEAR:
        return places
    at = bisect_left(places, start, key=_start_of)
    return places[max(0, at - MAX_NEAR) : at + MAX_NEAR]


def _around(
    seed: Place, lists: Sequence[Sequence[Place]], needed: Sequence[int]
) -> list[Place] | None:
    chosen = [seed]
    order = [number for number in needed if not seed.first <= number < seed.last]
    for number in sorted(order, key=lambda n: abs(n - seed.first)):
        anchor = min(chosen, key=lambda place: abs(place.first - number))
        best: Place | None = None
        best_distance = 1e9
        for place in _near(lists[number], anchor.start):
            if any(place.start < other.end and other.start < place.end for other in chosen):
                continue
            ahead = place.start - anchor.end if number > anchor.first else anchor.start - place.end
            away = (ahead if ahead >= 0 else 1.5 - ahead) + place.tier * 0.01
            if away < best_distance:
                best, best_distance = place, away
        if best is None:
            return None
        chosen.append(best)
    return sorted(chosen, key=_start_of)


def _other_side(
    seed: Place, chosen: Sequence[Place], lists: Sequence[Sequence[Place]]
) -> list[Place] | None:
    """A pair with the nearest place on the other side of the seed.

    In "it appends to its log and replicates the log", the nearer log is not the one that is meant.
    """
    if len(chosen) != 2 or seed not in chosen:
        return None
    (partner,) = (place for place in chosen if place is not seed)
    places = _near(lists[partner.first], seed.start)
    if partner.start < seed.start:
        behind = [p for p in places if 0 <= p.start - seed.end <= MAX_OTHER_SIDE_WORDS]
        return [seed, min(behind, key=_start_of)] if behind else None
    before = [p for p in places if 0 <= seed.start - p.end <= MAX_OTHER_SIDE_WORDS]
    return [max(before, key=_start_of), seed] if before else None


MAX_PART_SEEDS = 200
"""Places at which a part is tried; nobody says a word this often in an answer."""


def _parts(
    answer: Answer, by_unit: Sequence[Sequence[Place]], joined: Sequence[Place]
) -> Iterator[list[Place]]:
    """Runs of neighboring places of different units, and each place alone.

    Leaves out a place of a single unit that does not open the phrase, because it is no evidence.
    """
    places = sorted(
        (p for each in (*by_unit, joined) for p in each if p.tier < Tier.SPELLING), key=_start_of
    )[:MAX_PART_SEEDS]
    run: list[Place] = []
    for before, place in pairwise([None, *places]):
        assert place is not None
        apart = before is None or (
            answer.clause[before.start] != answer.clause[place.start]
            or place.start - before.end > MAX_OTHER_SIDE_WORDS
            or place.start < before.end
        )
        if apart or any(p.first < place.last and place.first < p.last for p in run):
            if len(run) > 1 or (run and _may_tell(run[0])):
                yield run
            run = []
        run = [*run, place]
        if len(run) > 1 and _may_tell(place):
            yield [place]
    if len(run) > 1 or (run and _may_tell(run[0])):
        yield run


def _may_tell(place: Place) -> bool:
    """Whether a place alone may be a distinctive part of its phrase."""
    return place.first == 0 or place.last - place.first > 1
