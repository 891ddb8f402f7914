"""The confirmer: which of the layers' proposals hold, and what they say about each phrase.

It checks whether the words belong together (``ties``), whether a sibling was meant, whether half a
phrase is its distinctive half, and whether the phrase was only denied (``denial``). A passage earns
credit for one phrase only; the best match comes first.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from server.grading.answer import Answer
from server.grading.denial import Denies, is_denied
from server.grading.lexis.vocabulary import FUNCTION_WORDS, contrast, is_generic
from server.grading.lexis.words import is_known_english, parts_of_speech, rank
from server.grading.proposals import How, Layer, Place, Proposal
from server.grading.sense.thresholds import (
    EVERYDAY_RANK,
    FUZZY_PENALTY,
    MIN_PART,
    MIN_TELLING_PART,
    PART_SCORE,
)
from server.grading.sound import propose_sounds
from server.grading.surface import propose_words
from server.grading.ties import PARTICLES, contiguous, tie_cost
from server.grading.tokenizer import NO_BREAK
from server.grading.units import CompiledPhrase, Tier, Variant

LAYERS: tuple[Layer, ...] = (propose_words, propose_sounds)
"""The most certain first: a phrase that one layer finds is not searched for by the next."""
MAX_TRIED, MAX_AFFIRMED = 200, 4
"""Findings of one phrase that are checked for denial, and affirmed ones that are kept."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Words that say a phrase, as tokens, in order.

    ``denied``: the speaker says not to do or know it.
    """

    phrase: CompiledPhrase
    words: tuple[int, ...]
    how: How
    score: float
    whole: bool
    variant: Variant | None = None
    denied: bool = False


def confirm(
    answer: Answer, phrases: Sequence[CompiledPhrase], denies: Denies = is_denied
) -> list[Finding | None]:
    """The finding for each phrase, in their order; ``None`` if it was not said."""
    shared = Counter(unit for phrase in phrases for unit in _lemmas(phrase))
    found: dict[int, list[Finding]] = defaultdict(list)
    parts: list[Proposal] = []
    for layer in LAYERS:
        missing = [phrase for phrase in phrases if id(phrase) not in found]
        for proposal in layer(answer, missing):
            if proposal.whole:
                finding = _whole(answer, proposal)
                if finding is not None:
                    found[id(proposal.phrase)].append(finding)
            else:
                parts.append(proposal)
    chosen: dict[int, Finding] = {}
    taken: set[int] = set()
    _choose(answer, found, denies, chosen, taken)
    halves: dict[int, list[Finding]] = defaultdict(list)
    for proposal in parts:  # for phrases that were not said in full
        key = id(proposal.phrase)
        if key not in chosen and _is_distinctive(answer, proposal, shared):
            halves[key].append(_finding(proposal, proposal.how, proposal.score * PART_SCORE))
    _choose(answer, halves, denies, chosen, taken)
    return [chosen.get(id(phrase)) for phrase in phrases]


def _lemmas(phrase: CompiledPhrase) -> set[str]:
    return {unit.lemma for unit in phrase.variants[0].units} if phrase.variants else set()


def _finding(proposal: Proposal, how: How, score: float) -> Finding:
    return Finding(proposal.phrase, proposal.words, how, score, proposal.whole, proposal.variant)


def _whole(answer: Answer, proposal: Proposal) -> Finding | None:
    """The finding from a proposal of the whole phrase, if its words belong together."""
    variant, places = proposal.variant, proposal.places
    if variant is None:
        return _finding(proposal, proposal.how, proposal.score)
    if _is_ordinary(answer, variant, places) or (
        variant.headless and (places[0].tier is not Tier.EXACT or _goes_with(answer, places))
    ):
        return None
    if len(places) == 1 or contiguous(answer, variant, places):
        return _finding(proposal, proposal.how, proposal.score)
    if answer.strict:
        return None
    cost = tie_cost(answer, variant, places)
    if cost is None:
        return None
    return _finding(proposal, "fuzzy", proposal.score - FUZZY_PENALTY - cost)


def _is_ordinary(answer: Answer, variant: Variant, places: Sequence[Place]) -> bool:
    """Whether a name is used as the ordinary word that it also is: "a spark of hope"."""
    place = places[0]
    if len(variant.units) > 1 or place.end - place.start > 1:
        return False
    unit, token = variant.units[0], answer.tokens[place.start]
    named = unit.named or place.tier is Tier.SPELLING
    if not named or not is_known_english(token.raw):
        return False
    written = answer.words[token.first].strip("\"'([{“‘")
    if written[:1].isupper() and answer.raw(place.start - 1) and not token.gap > 1:
        return False
    before, after = answer.raw(place.start - 1), answer.raw(place.end)
    return before in ("a", "an") or after == "of"


def _goes_with(answer: Answer, places: Sequence[Place]) -> bool:
    """Whether another head follows: "columnar files" says nothing about columnar storage."""
    end = places[-1].end
    follows = answer.goes_on(end) and end not in answer.skipped
    if not follows or answer.raw(end) in FUNCTION_WORDS:
        return False
    return "NOUN" in (parts_of_speech(answer.raw(end)) or {"NOUN"})


def _is_distinctive(answer: Answer, part: Proposal, shared: Counter[str]) -> bool:
    """Whether the words are the distinctive half of their phrase, and of no other phrase."""
    variant = part.variant
    if variant is None or len(variant.units) < 2:
        return False
    said = {number for place in part.places for number in range(place.first, place.last)}
    if len(said) == 1 and 0 not in said:  # a single word is no evidence unless it opens the phrase
        return False
    missing = [number for number in variant.needed if number not in said]
    if not missing or not _is_telling(answer, part, said, missing, shared):
        return False
    return not (_replaced(answer, part, missing) or _beside_sibling(answer, part.places[0]))


def _is_telling(
    answer: Answer,
    part: Proposal,
    said: Set[int],
    missing: Sequence[int],
    shared: Counter[str],
) -> bool:
    """Whether the units ``said`` identify the phrase without the ``missing`` ones."""
    assert part.variant is not None
    units, needed = part.variant.units, part.variant.needed
    own = [number for number in said if shared[units[number].lemma] < 2]
    if not own:
        return False
    total = sum(units[number].weight for number in needed)
    share = sum(units[number].weight for number in said if number in needed) / total
    if any(len(units[n].text) > 1 and units[n].text.isdecimal() for n in missing) and not any(
        units[n].rare for n in said
    ):
        return False  # "port 22" says nothing about port 179
    if any(units[n].text in PARTICLES for n in missing):
        return False  # "hold on" is not half of "holdout"
    if len(said) == 1:
        only = units[next(iter(said))]
        telling = only.rare or (
            len(units) == 2
            and only.weight >= 1.0
            and rank(only.text) >= EVERYDAY_RANK
            and part.places[0].tier
            is Tier.EXACT  # "I record it" says nothing about recording rules
        )
        return telling and share >= MIN_TELLING_PART
    if share < MIN_PART and len(said) * 2 < len(needed):
        return False
    if all(min(rank(units[n].text), rank(units[n].lemma)) < EVERYDAY_RANK for n in own):
        return False  # "it broke down" says nothing about "broke down the spend"
    if all(units[number].weight < 1.0 for number in said):
        return share >= MIN_PART and contiguous(answer, part.variant, part.places)
    return True


def _replaced(answer: Answer, part: Proposal, missing: Sequence[int]) -> bool:
    """Whether the opposite of a missing word is beside the rest: "leases that are long lived"."""
    assert part.variant is not None
    start, end = part.places[0].start, part.places[-1].end
    around = range(max(0, start - 1), min(len(answer.tokens), end + 1))
    return any(
        contrast(part.variant.units[number].lemma, answer.tokens[place].lemma)
        for number in missing
        for place in around
        if not (place == end and answer.tokens[place].gap != NO_BREAK)
        and not (place < start and answer.tokens[start].gap != NO_BREAK)
    )


def _beside_sibling(answer: Answer, place: Place) -> bool:
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


def _choose(
    answer: Answer,
    found: Mapping[int, list[Finding]],
    denies: Denies,
    chosen: dict[int, Finding],
    taken: set[int],
) -> None:
    """Adds the best finding for each phrase; a passage counts for two only if it names both."""
    ranked = [_ranked(answer, findings, denies) for findings in found.values()]
    for finding in sorted((f for findings in ranked for f in findings), key=_order):
        key = id(finding.phrase)
        if key in chosen or _is_spent(finding, taken):
            continue
        chosen[key] = finding
        taken.update(finding.words)


def _is_spent(finding: Finding, taken: set[int]) -> bool:
    """Whether the words earned credit for another phrase; for a part, one such word is enough."""
    if not finding.whole:
        return not taken.isdisjoint(finding.words)
    return _is_loose(finding) and taken.issuperset(finding.words)


def _is_loose(finding: Finding) -> bool:
    """Whether words that another phrase earned credit for may not count for this one."""
    return not finding.whole or finding.how in ("fuzzy", "sound")


def _ranked(answer: Answer, findings: Sequence[Finding], denies: Denies) -> list[Finding]:
    """The most certain findings of one phrase, up to the affirmed one that is surely chosen."""
    out: list[Finding] = []
    affirmed = 0
    for finding in sorted(findings, key=_order)[:MAX_TRIED]:
        if denies(answer, (finding.words[0], finding.words[-1] + 1)):
            out.append(replace(finding, denied=True))
            continue
        out.append(finding)
        affirmed += 1
        if affirmed == MAX_AFFIRMED or not _is_loose(finding):
            break
    return out


def _order(finding: Finding) -> tuple[bool, float, int]:
    """Affirmed before denied, then the most certain, then the first."""
    return finding.denied, -finding.score, finding.words[0]
