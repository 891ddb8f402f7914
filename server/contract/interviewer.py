"""What an interviewer asks after an answer: it follows from the report, and so is repeatable.

Asked is about the key phrase or part of most weight that is missing or vague, or what was said
wrong; never about what was said, or was perhaps said.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from server.contract.follow_ups import MOST_FOLLOW_UPS, MOST_PROBES, FollowUp, FollowUpKind
from server.contract.report import PhraseCoverage, Report, Structure, StructurePart
from server.contract.scoring import PHRASE_SHARE, taken_off
from server.contract.transcript import says_we

ASKED_UP_TO: Final = 0.12
ASKED_OF_UNTOUCHED: Final = 0.3
WEAK_UNDER: Final = 0.4
ASKED_OF_WEAK: Final = 0.35
"""The chance that a phrase was said, up to which it is asked about; where no word of it was said,
outside of stories; and in answers with a score under this. Of 95 answers with labels, in the better
ones none of 70 phrases up to 0.12 was said, from there to 0.3 11 of 59: 4 in stories, and 6 of the
others share a word with the answer."""
CHALLENGED_FROM: Final = 0.5
CHALLENGE_SHARE: Final = 0.1
SHORTEST_CHALLENGED: Final = 6
"""A challenge needs this many points taken off, and words that sound wrong. It weighs little beside
a gap: of 14 such quotes of the sets "final9" and "mix8", 5 were wrong, the rest right or vague. Of
13 in a blind set, 1 of 8 with less taken off was sensible."""
PART_SHARE: Final = 0.6
"""What a part weighs beside a key phrase of the same points, except in stories and introductions:
its question fits many answers, that of a phrase only this one."""
PRESUMES: Final = 0.7
"""What a question weighs that speaks of something nobody named: "the invoice", "even worse"."""
ANSWERED: Final = 0.4
"""The same where one sentence of the answer has all of the question's words."""
NOT_A_STORY: Final = 0.5
"""What the parts of a story weigh where the question asks for none: "Why do you like ...?"."""
NUMBERS_GIVEN: Final = 3
"""An answer with so many numbers is not asked how large it all gets."""
AGAIN: Final = 0.6
"""What a second question of the same kind is worth beside one of another kind."""
SECOND_FROM: Final = 0.04
"""What a gap weighs at least that is worth a second question."""
MOST_QUOTED: Final = 14
FOUND_NOTHING: Final = "And if you find nothing with all that, where do you look next?"
"""Where an explanation of what does not work would be asked for its limit, after a search."""
SAME_UP_TO: Final = 6
"""Letters up to which two forms of a word are the same: "priority", "priorities"."""

_BEGINNINGS: Final = frozenset({"direct answer", "approach", "steps", "summary"})
"""Nobody asks for the idea, or for it in one sentence, after an answer that has it."""
_NUMBER_PARTS: Final = frozenset({"estimate", "result"})
_PROBED: Final = ("requirements", "estimate", "components", "failure and recovery", "cost")
_TOLD: Final = frozenset({"story", "introduction"})
_DESCRIBED: Final = frozenset({"explain", "design", "code"})
_NEEDS_NUMBER: Final = frozenset({"story", "design", "introduction"})
_NUMBER: Final = re.compile(
    r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred|thousand|million|billion|percent|half|twice|double|doubled|halved|dozen)\b",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(r"\b(for example|for instance|such as|e\.g|like when|once we|say you)")
_REASON: Final = re.compile(r"\b(because|since|so|that's why|which means|therefore)\b", re.I)
_GOES_ON: Final = re.compile(r"^(and|but|so|then) |\b(even|still)\b")
_NAMED: Final = re.compile(r"\b(?:the|those|these) ((?:[a-z'-]+ ?){1,2})")
_NO_STORY: Final = re.compile(r"(why|what (makes|draws|do you))\b", re.I)
_COSTS: Final = re.compile(
    r"\b(complexity|costs?|fast|slow|memory|large|million|billion|thousand|sort|efficient)", re.I
)
_PLANS: Final = re.compile(r"\b(I'd|I would|I'll|I will|has to|should|must)\b")
"""What somebody would do is no claim to be sure of."""
_SEARCH: Final = re.compile(r"\b(find out|how do you (check|look|find)|what do you check)\b", re.I)
_WEIGHED: Final = re.compile(
    r"\b(instead|rather than|not enough|alternative|versus|compared)\b", re.I
)
_SENTENCE: Final = re.compile(r"[^.!?]+")
_WORD: Final = re.compile(
    r"\b(?!(?:about|been|before|could|does|done|else|first|from|have|just|know|last|made|make|many"
    r"|more|most|much|need|next|only|other|rest|right|same|should|than|that|their|them|then|there|these"
    r"|they|this|those|were|what|when|where|which|whole|will|with|would|your|yourself)\b)"
    r"([a-z][a-z'-]{2,}?[a-z])(?:'s|ing|ed|es|e|s|ly)?\b"
)
"""A word that names or does something, without its ending."""


@dataclass(frozen=True)
class Gap:
    """Something that is missing or wrong, and how much it weighs: its share of all points.

    ``evidence`` points into the report, e.g. ``coverage.phrases[2]``.
    """

    weight: float
    asked: FollowUp
    evidence: str


def next_follow_up(
    report: Report, prompt: str = "", *, probes: bool = False, perhaps: Collection[str] = ()
) -> FollowUp | None:
    """What is asked next, or ``None``: nothing is left, or enough was asked.

    Args:
        report: of the answer, with the follow-ups so far.
        prompt: what was asked; a question may take up its words.
        probes: go through a design part by part, as a real round does.
        perhaps: key phrases that may yet be heard in the sound; none is asked about.
    """
    asked = [each.asked for each in report.follow_ups]
    design = probes and report.structure is not None and report.structure.kind == "design"
    if len(asked) >= (MOST_PROBES if design else MOST_FOLLOW_UPS):
        return None
    kinds = {each.kind for each in asked}
    known: set[tuple[str, str]] = {(each.kind, each.about) for each in asked}
    known |= {("phrase", each) for each in perhaps}
    if ("own_part", "own actions") in known:
        known.add(("part", "task"))  # the same question in other words
    asked_before = {each.ask for each in asked}
    new = [
        each
        for each in gaps(report)
        if (each.asked.kind, each.asked.about) not in known and each.asked.ask not in asked_before
    ]
    fits = {each.asked: _fits(each.asked, prompt, report) for each in new}
    left = [each for each in new if fits[each.asked]]
    for name in _PROBED if design else ():
        for each in left:
            if each.asked.about == name:
                return each.asked

    def weight(gap: Gap) -> float:
        again = AGAIN if gap.asked.kind in kinds else 1.0
        return gap.weight * again * fits[gap.asked]

    best = max(left, key=weight, default=None)
    if best is None or (asked and best.weight < SECOND_FROM):
        return None
    is_search = best.asked.about == "limit" and _SEARCH.search(prompt)
    return best.asked.model_copy(update={"ask": FOUND_NOTHING}) if is_search else best.asked


def _fits(asked: FollowUp, prompt: str, report: Report) -> float:
    """How well a question follows what was asked and said; 0: not at all."""
    said, kind = report.transcript.text, report.structure.kind if report.structure else ""
    if asked.kind != "phrase":
        if asked.about == "requirements" and _NUMBER.search(prompt):
            return 0.0  # the question has given them
        if asked.about == "estimate" and len(_NUMBER.findall(said)) >= NUMBERS_GIVEN:
            return 0.0
        if asked.about in _BEGINNINGS and report.overall >= WEAK_UNDER:
            return 0.0
        if asked.about == "complexity or cost" and not _COSTS.search(prompt):
            return 0.0
        if asked.about == "task" and not says_we(said):
            return 0.0  # whoever says "I" has told it
        if asked.about == "trade-off" and _WEIGHED.search(said):
            return 0.0
        if kind in _TOLD and not {*_NUMBER.findall(asked.ask)} <= {*_NUMBER.findall(said)}:
            return 0.0  # it speaks of another story
        return NOT_A_STORY if kind == "story" and _NO_STORY.match(prompt) else 1.0
    ask, told = asked.ask.casefold(), said.casefold()
    known, things = _words(f"{prompt.casefold()} {told}"), _words(ask)
    named = [_words(each) for each in _NAMED.findall(ask)]
    if _GOES_ON.search(ask) or any(each and each.isdisjoint(known) for each in named):
        return PRESUMES
    asks = things and not ask.startswith("what about")
    answered = asks and any(things <= _words(each) for each in _SENTENCE.findall(told))
    return ANSWERED if answered else 1.0


def _touches(named: set[str], told: set[str]) -> bool:
    """Whether a word of a name was said, in some form: "sync" of "syncthreads"."""
    return any(
        name.startswith(word) or word.startswith(name) or name[:SAME_UP_TO] == word[:SAME_UP_TO]
        for name in named
        for word in told
    )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def gaps(report: Report) -> list[Gap]:
    """Everything that could be asked about, the gravest first; none of it was said."""
    found = [*_phrases(report), *_parts(report), *_challenge(report)]
    found += [*_number(report, found), *_weak_point(report)]
    return sorted(found, key=lambda each: -each.weight)


def _phrases(report: Report) -> Iterator[Gap]:
    phrases, structure = report.coverage.phrases, report.structure
    total = sum(each.weight for each in phrases)
    share = PHRASE_SHARE[structure.kind] if structure and _has_parts(structure) else 1.0
    told = _words(report.transcript.text.casefold())
    is_told = structure is not None and structure.kind in _TOLD
    for at, phrase in enumerate(phrases):
        chance, up_to = _chance(phrase), ASKED_UP_TO
        if report.overall < WEAK_UNDER:
            up_to = ASKED_OF_WEAK
        elif not is_told and not _touches(_words(phrase.phrase.casefold()), told):
            up_to = ASKED_OF_UNTOUCHED
        if phrase.negated or phrase.when_asked or chance >= up_to:
            continue
        ask = phrase.follow_up.strip() or made_from(phrase.phrase)
        weight = share * phrase.weight * (1.0 - chance) / total
        yield Gap(weight, _asked("phrase", ask, phrase.phrase), f"coverage.phrases[{at}]")


def _chance(phrase: PhraseCoverage) -> float:
    if phrase.status == "covered" or phrase.corrected is not None:
        return 1.0 if phrase.status == "covered" else 0.0
    if phrase.confidence is not None:
        return phrase.confidence
    return 0.0 if phrase.status in ("missing", "partial") else 1.0


def _parts(report: Report) -> Iterator[Gap]:
    structure = report.structure
    if structure is None or not _has_parts(structure) or report.off_topic:
        return
    total = sum(each.weight for each in structure.parts)
    share = 1.0 - PHRASE_SHARE[structure.kind]
    share *= 1.0 if structure.kind in _TOLD else PART_SHARE
    for at, part in enumerate(structure.parts):
        if part.status == "said" or part.when_asked or not part.ask:
            continue
        asked = _asked_for(part, report.transcript.text)
        if asked is not None:
            yield Gap(share * part.weight / total, asked, f"structure.parts[{at}]")


def _asked_for(part: StructurePart, said: str) -> FollowUp | None:
    """The question for a missing part; ``None`` where the answer has what it would ask for."""
    if part.name == "own actions" and says_we(said):
        ask = "You said “we”. What did you do yourself, step by step?"
        return _asked("own_part", ask, part.name)
    if part.name == "example or number":
        if _EXAMPLE.search(said) or _NUMBER.search(said):
            return None
        return _asked("example", part.ask, part.name)
    if part.name == "reason" and _REASON.search(said):
        return None
    if part.name in _NUMBER_PARTS and not _NUMBER.search(said):
        return _asked("number", part.ask, part.name)
    return _asked("part", part.ask, part.name)


def _challenge(report: Report) -> Iterator[Gap]:
    off, doubted = taken_off(report), report.doubtful
    if doubted is None or off < CHALLENGED_FROM:
        return
    words = doubted.text.split()
    if len(words) < SHORTEST_CHALLENGED or _PLANS.search(doubted.text):
        return
    quote = " ".join(words[:MOST_QUOTED])
    if len(words) > MOST_QUOTED:
        clause = quote.rpartition(",")[0]  # nobody breaks off in the middle of one
        quote = clause if len(clause) > len(quote) / 2 else f"{quote} …"
    ask = f"You said: “{quote}”. Are you sure? What is that based on?"
    yield Gap(off * CHALLENGE_SHARE, FollowUp(kind="challenge", ask=ask, quote=quote), "doubted")


def _number(report: Report, found: list[Gap]) -> Iterator[Gap]:
    """A number, where none was said at all and no part asks for it."""
    structure = report.structure
    if not _has_parts(structure) or structure is None or structure.kind not in _NEEDS_NUMBER:
        return
    is_asked = any(each.asked.kind == "number" for each in found)
    if not is_asked and not _NUMBER.search(report.transcript.text):
        ask = "Can you put a number on that? How much was it, roughly?"
        yield Gap(0.02, FollowUp(kind="number", ask=ask), "delivery.words")


def _weak_point(report: Report) -> Iterator[Gap]:
    """What is asked after an answer that lacks nothing else."""
    structure = report.structure
    if structure is not None and _has_parts(structure) and structure.kind in _DESCRIBED:
        asked = FollowUp(kind="part", ask="What is the weakest point of what you just described?")
        yield Gap(0.005, asked, "structure")


def made_from(phrase: str) -> str:
    """A question for a key phrase whose bank has none."""
    return f"What about {phrase.strip().rstrip('.?!')}? How does that come in here?"


def _has_parts(structure: Structure | None) -> bool:
    return structure is not None and structure.asked and structure.is_judged


def _asked(kind: FollowUpKind, ask: str, about: str) -> FollowUp:
    return FollowUp(kind=kind, ask=ask[:500], about=about)
