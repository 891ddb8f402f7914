"""Candidates by words: where an answer has the words of a key phrase, and how they stand there.

The words may be inflected, derived, respelled, joined, or apart and in another order. Nothing is
decided here: how closely they stand together, and what stands between them, are features.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from math import log
from typing import Final, NamedTuple

from server.grading.answer import Answer, TokenSpan
from server.grading.english import (
    AUXILIARIES,
    FUNCTION_WORDS,
    contrast,
    is_generic,
    is_known_english,
    parts_of_speech,
    rank,
    word_class,
    word_set,
)
from server.grading.numbers import SCALES
from server.grading.phrases import CompiledPhrase, Tier, Unit, Variant
from server.grading.quantities import MEASURES, is_whole_of_share
from server.grading.tokenizer import NO_BREAK, SENTENCE

MAX_NEAR: Final = 8
"""Places of one unit tried on either side; the closest one wins anyway."""
MAX_OTHER_SIDE_WORDS: Final = 2
"""Words between two units if the same unit is closer on the other side."""
MIN_UNITS_TO_SPARE_ONE: Final = 4
"""From this many units on, a generic one inside may be missing ("layer four [load] balancing")."""
MAX_CANDIDATES: Final = 8
"""Of one phrase, the closest first; an answer rarely names a phrase more often."""
_LOOSE_FAMILY: Final = ("er", "or", "ism", "ness")
_GENITIVES: Final = word_set("of for in on per between among from by at to into across within with")
_PRONOUNS: Final = word_set("it them him her us me you")
_BEFORE_VERBS: Final = word_class("before_verbs")
_RATE: Final = word_set("per a an each every")
_PARTICLES: Final = word_set("back out up down off over")

FEATURES: Final = (
    "whole", "share", "tier", "contiguous", "content_between", "function_between", "turned",
    "genitive", "verb_between", "comma", "clause_break", "pronoun_between", "joint", "units",
    "weight", "least_rank", "phrase_rank", "letters", "alias", "acronym", "headless", "is_name",
    "everyday_use", "sibling", "replaced", "goes_on", "particle_missing", "digit_missing",
)  # fmt: skip
"""Whether the whole phrase is there, or the weighted share of it; how its words were found; what
stands between and beside them; what kind of phrase it is. Ranks are logarithms."""


class Place(NamedTuple):
    """Tokens ``start`` to ``end`` of the answer say units ``first`` to ``last`` of the variant."""

    start: int
    end: int
    tier: Tier
    first: int
    last: int


class Named(NamedTuple):
    """Words that may name a phrase, or a part of it.

    Attributes:
        tokens: the tokens that carry it, in order.
        how: the way it was said, as the report names it.
        row: ``FEATURES``.
    """

    tokens: tuple[int, ...]
    how: str
    row: tuple[float, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all of the phrase, an alias or an acronym is there, however apart."""
        return bool(self.row[0])

    @property
    def is_literal(self) -> bool:
        """Whether the phrase itself, an alias or an acronym is there, word after word."""
        return bool(self.row[0] and self.row[3]) and self.row[2] in (0, 1, 3) and not self.row[20]


def by_words(answer: Answer, phrase: CompiledPhrase) -> list[Named]:
    """Every place that may say a wording of a phrase or some of its words, the closest first."""
    keys = answer.keys & phrase.units_of.keys()
    if not keys:
        return []
    found: dict[tuple[int, ...], Named] = {}
    others: list[set[int]] = []
    for variant, places in _propose(answer, phrase, keys):
        if answer.strict and not _is_contiguous(answer, variant, places):
            continue
        named = _named(answer, variant, places)
        if _is_another_quantity(answer, variant, places):
            others.append(set(named.tokens))
            continue
        known = found.get(named.tokens)
        if known is None or _closeness(named) > _closeness(known):
            found[named.tokens] = named
    kept = [
        each
        for each in found.values()
        if each.is_whole or not any(other.issuperset(each.tokens) for other in others)
    ]
    return sorted(kept, key=_closeness, reverse=True)[:MAX_CANDIDATES]


def _is_another_quantity(answer: Answer, variant: Variant, places: Sequence[Place]) -> bool:
    """Whether a number lacks its scale, or stands in another order or with another unit.

    "Four per million", "1 to 10" for "10 to 1", "15 ms", "50 a minute".
    """
    starts = {place.first: place.start for place in places}
    for place in places:
        unit, after = variant.units[place.first], variant.units[place.last : place.last + 1]
        if not after:
            continue
        is_number, start = unit.text[-1].isdecimal(), starts.get(place.last)
        if is_number and after[0].text in SCALES and start != place.end:
            return True
        is_turned = start is not None and start < place.start
        if is_number and is_turned and after[0].text[-1].isdecimal():
            return True
        if start is None and after[0].lemma in MEASURES:
            if is_number and is_whole_of_share(answer.tokens, place.start):
                return True
            beside = [token.lemma for token in answer.tokens[place.end : place.end + 2]]
            measure = next((each for each in beside if each not in _RATE), "")
            if measure in MEASURES and measure != after[0].lemma:
                return True
    return False


def _closeness(named: Named) -> tuple[float, ...]:
    whole, share, tier, contiguous, content, function = named.row[:6]
    return whole, contiguous, -tier, share, -content - 0.3 * function, -named.tokens[0]


def _propose(
    answer: Answer, phrase: CompiledPhrase, keys: Set[str]
) -> Iterator[tuple[Variant, list[Place]]]:
    found: dict[int, dict[TokenSpan, Tier]] = {}
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
        by_unit = [_places(answer, variant, number, found) for number in range(len(variant.units))]
        if len(variant.units) == 1:
            for place in by_unit[0]:
                if place.tier is not Tier.DERIVED or _stands_alone(answer, variant.units[0], place):
                    yield variant, [place]
            continue
        yield from ((variant, places) for places in _together(answer, variant, by_unit, joined))
        if not answer.strict:
            yield from ((variant, places) for places in _parts(answer, by_unit, joined))


def _named(answer: Answer, variant: Variant, places: Sequence[Place]) -> Named:
    said = {number for place in places for number in range(place.first, place.last)}
    missing = [number for number in variant.needed if number not in said]
    whole = not missing or (
        len(variant.needed) >= MIN_UNITS_TO_SPARE_ONE
        and len(missing) == 1
        and variant.units[missing[0]].weight < 1.0
        and 0 < missing[0] < variant.needed[-1]
    )
    tier = max(place.tier for place in places)
    tokens = tuple(sorted({at for place in places for at in range(place.start, place.end)}))
    row = (
        float(whole),
        sum(variant.units[n].weight for n in said if n in variant.needed)
        / sum(variant.units[n].weight for n in variant.needed),
        float(tier),
        float(_is_contiguous(answer, variant, places)),
        *_between(answer, places),
        float(variant.joint),
        float(len(variant.needed)),
        max(variant.units[n].weight for n in said),
        max(_log_rank(variant.units[n]) for n in said),
        max(_log_rank(variant.units[n]) for n in variant.needed),
        float(sum(len(answer.tokens[at].text) for at in tokens)),
        float(variant.origin == "alias"),
        float(variant.origin == "acronym" or tier is Tier.ACRONYM),
        float(variant.headless),
        float(any(variant.units[n].name or variant.units[n].named for n in said)),
        float(_is_everyday_use(answer, variant, places)),
        float(not whole and _is_beside_sibling(answer, places[0])),
        float(_is_replaced(answer, variant, places, missing)),
        float(_goes_on(answer, places)),
        float(any(variant.units[n].text in _PARTICLES for n in missing)),
        float(any(variant.units[n].text.isdecimal() for n in missing)),
    )
    return Named(tokens, _how(variant, tier, row), row)


def _how(variant: Variant, tier: Tier, row: Sequence[float]) -> str:
    if tier is Tier.SPELLING or variant.headless or not row[3]:
        return "fuzzy"
    if variant.origin != "exact":
        return variant.origin
    return {Tier.ACRONYM: "acronym", Tier.EXACT: "exact"}.get(tier, "inflected")


def _log_rank(unit: Unit) -> float:
    return log(2.0 + min(rank(unit.text), rank(unit.lemma), 60_000))


def _is_contiguous(answer: Answer, variant: Variant, places: Sequence[Place]) -> bool:
    """Whether only fillers and the phrase's own words are between the places, in order."""
    for left, right in pairwise(places):
        passed = variant.units[left.last : right.first]
        between = {answer.tokens[place].text for place in range(left.end, right.start)}
        if right.first < left.last or any(
            not unit.optional or unit.text not in between for unit in passed
        ):
            return False
        for place in range(left.end, right.start):
            token = answer.tokens[place]
            if place in answer.skipped:
                continue
            if token.text not in variant.texts or token.gap != NO_BREAK:
                return False
        if right.start > left.end and answer.tokens[right.start].gap == SENTENCE:
            return False
    return True


def _between(answer: Answer, places: Sequence[Place]) -> tuple[float, ...]:
    """The features from ``content_between`` to ``pronoun_between``."""
    content = function = turned = genitive = verb = comma = breaks = pronoun = 0
    for left, right in pairwise(places):
        turned += right.first < left.first
        breaks += answer.clause[left.start] != answer.clause[right.start]
        comma += any(answer.tokens[at].gap != NO_BREAK for at in range(left.end, right.start + 1))
        for at in range(left.end, right.start):
            raw = answer.tokens[at].raw
            if at in answer.skipped:
                continue
            if raw in FUNCTION_WORDS:
                function += 1
                genitive += raw in _GENITIVES
                verb += raw in AUXILIARIES
                pronoun += raw in _PRONOUNS
            else:
                content += 1
                verb += parts_of_speech(raw) == {"VERB"}
    return tuple(map(float, (content, function, turned, genitive, verb, comma, breaks, pronoun)))


def _is_everyday_use(answer: Answer, variant: Variant, places: Sequence[Place]) -> bool:
    """Whether a name is used as the ordinary word that it also is: "a spark of hope"."""
    place = places[0]
    if len(variant.units) > 1 or place.end - place.start > 1:
        return False
    unit, token = variant.units[0], answer.tokens[place.start]
    if not (unit.named or place.tier is Tier.SPELLING) or not is_known_english(token.raw):
        return False
    written = answer.words[token.first].strip("\"'([{“‘")
    if written[:1].isupper() and answer.raw(place.start - 1) and not token.gap > 1:
        return False
    before, after = answer.raw(place.start - 1), answer.raw(place.end)
    acts = "VERB" in parts_of_speech(token.raw)  # "we go on with that"
    acts = acts and before in _BEFORE_VERBS and written[:1].islower()
    return acts or before in ("a", "an") or after == "of"


def _goes_on(answer: Answer, places: Sequence[Place]) -> bool:
    """Whether another head follows: "columnar files" says nothing about columnar storage."""
    end = places[-1].end
    if not answer.goes_on(end) or end in answer.skipped or answer.raw(end) in FUNCTION_WORDS:
        return False
    return "NOUN" in (parts_of_speech(answer.raw(end)) or {"NOUN"})


def _is_replaced(
    answer: Answer, variant: Variant, places: Sequence[Place], missing: Sequence[int]
) -> bool:
    """Whether the opposite of a missing word is beside the rest: "leases that are long lived"."""
    start, end = places[0].start, places[-1].end
    around = range(max(0, start - 1), min(len(answer.tokens), end + 1))
    return any(
        contrast(variant.units[number].lemma, answer.tokens[place].lemma)
        for number in missing
        for place in around
        if not (place == end and answer.tokens[place].gap != NO_BREAK)
        and not (place < start and answer.tokens[start].gap != NO_BREAK)
    )


def _is_beside_sibling(answer: Answer, place: Place) -> bool:
    """Whether there is another qualifier, or another head, in place of the phrase's own.

    "dynamic batching" for "continuous batching", "pinned processes" for "pinned memory".
    """
    if place.first > 0:
        before = place.start - 1
        if before < 0 or not answer.goes_on(place.start):
            return False
        return answer.raw(before) not in FUNCTION_WORDS and before not in answer.skipped
    after = place.end
    if not answer.goes_on(after) or after in answer.skipped:
        return False
    return answer.raw(after) not in FUNCTION_WORDS and is_generic(answer.tokens[after].lemma)


def _places(
    answer: Answer,
    variant: Variant,
    number: int,
    found: dict[int, dict[TokenSpan, Tier]],
) -> list[Place]:
    """Where one unit occurs, in order; an adverb ("in parallel") is not part of a phrase."""
    unit = variant.units[number]
    spans = found.get(id(unit))
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


def look_up(answer: Answer, unit: Unit) -> dict[TokenSpan, Tier]:
    """All places of a unit, each with its closest tier; none if the answer has none of its keys."""
    found: dict[TokenSpan, Tier] = {}
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
    if len(unit.text) == 1:  # the R of "R&D" is no name
        words, tokens = answer.words, answer.tokens
        found = {at: tier for at, tier in found.items() if "&" not in words[tokens[at[0]].first]}
    if answer.prefixed:
        return {
            span: tier
            for span, tier in found.items()
            if span[0] not in answer.prefixed or answer.tokens[span[0] - 1].text == unit.before
        }
    return found


def _digits_apart(answer: Answer, text: str) -> Iterator[TokenSpan]:
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
