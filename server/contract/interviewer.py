"""What an interviewer asks after an answer: it follows from the report, and so is repeatable.

Asked is about the key phrase or part of most weight that is missing or vague, or what was said
wrong; never about what was said, or was perhaps said.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from question_bank.models import ABOUT_ONESELF
from server.contract.report import PhraseCoverage, Report, Structure, StructurePart
from server.contract.scoring import PHRASE_SHARE, WEAK_UNDER, challenged, taken_off
from server.contract.transcript import MOST_FOLLOW_UPS, MOST_PROBES, FollowUp, FollowUpKind, says_we

SURELY_NOT_SAID: Final = 0.1
ASKED_UP_TO: Final = 0.12
ASKED_OF_UNTOUCHED: Final = 0.3
ASKED_OF_WEAK: Final = 0.35
"""The chance that a phrase was said, up to which it surely was not, and up to which it is asked
about; where no word of it was said, outside of stories; in weak answers, and for parts. Of 95
answers with labels, in the better ones none of 70 phrases up to 0.12 was said, from there to 0.3 11
of 59: 4 in stories, and 6 of the others share a word with the answer."""
SHORTEST_CHALLENGED: Final = 6
CHALLENGE_SHARE: Final = 0.1
"""A challenge weighs little beside a gap: of 14 quotes, 5 were wrong, the rest right or vague."""
PART_SHARE: Final = {"design": 0.6, "explain": 0.25, "code": 0.25}
"""What a part weighs beside a key phrase of the same points: its question fits many answers, that
of a phrase only this one. Two raters took none of four about edge cases, limits and cost of code
for the gravest gap, but five of six about parts of a design."""
STOCK: Final = {
    "trade-off": 0.15, "limit": 0.3, "edge cases": 0.3, "complexity or cost": 0.3, "test": 0.3,
    "example or number": 0.5,
}  # fmt: skip
"""What a question that fits any answer is worth beside those that fit only this one: of 1,082
follow-ups to 150 answers, rated by five, none of 32 about parts of code, 1 of 33 about limits, and
7 of 46 for an example went for the gravest gap, but 26 % of the probes."""
PROBE_SHARE: Final = 0.05
"""What a probe weighs after a perfect answer: less than a key phrase or part of a design that is
missing, more than what fits any answer."""
LEAST: Final = 0.01
"""The share of this that it weighs after a weak answer: it is asked if nothing else is left."""
PRESUMES: Final = 0.7
"""What a question weighs that speaks of something nobody named: "the invoice", "even worse"."""
ANSWERED: Final = 0.4
"""The same where one sentence of the answer has all of the question's words."""
AGAIN: Final = 0.6
"""What a second question of the same kind is worth beside one of another kind."""
SECOND_FROM, PROBE_FROM = 0.04, 0.001
"""What a gap weighs at least that is worth a second question, and what a probe: it is for answers
that are not weak."""
MOST_QUOTED: Final = 14
SAME_UP_TO: Final = 6
"""Letters up to which two forms of a word are the same: "priority", "priorities"."""

_NUMBER_PARTS: Final = frozenset({"estimate", "result"})
_PROBED: Final = ("requirements", "estimate", "components", "failure and recovery", "cost")
_NUMBER: Final = re.compile(
    r"\d|\b(two|three|(four|six|seven|eight|nine)(teen)?|five|ten|eleven|twelve|(thir|fif)teen|"
    r"(twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion|percent|half|"
    r"twice|doubled?|halved|dozen)\b",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r"^(and|but|so|then) |\b(even|still)\b")
_NAMED: Final = re.compile(r"\b(?:the|those|these) ((?:[a-z'-]+ ?){1,2})")
_PLANS: Final = re.compile(r"\b(I'd|I would|I'll|I will|has to|should|must)\b")
"""What somebody would do is no claim to be sure of."""
_JOINED: Final = re.compile(r"^(because|since|so|and|but|as|that's why) ", re.I)
_SENTENCE: Final = re.compile(r"[^.!?]+")
_ASKED: Final = re.compile(r"[^.!?]+[.!?]")
_WORD: Final = re.compile(
    r"\b(?!(?:about|been|before|could|does|done|else|from|have|just|know|last|made|make|many"
    r"|more|most|much|need|next|only|other|rest|right|same|should|than|that|their|them|then|there|these"
    r"|they|this|those|were|what|when|where|which|whole|will|with|would|your|yourself)\b)"
    r"([a-z][a-z'-]{2,}?[a-z])(?:'s|ing|ed|es|e|s|ly)?\b"
)
"""A word that names or does something, without its ending."""

_Gap = tuple[float, FollowUp]
"""What it weighs, its share of the points as far as it is certain, and what could be asked."""


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
    known: set[tuple[str, str]] = {(each.kind, each.about) for each in asked}
    known |= {("phrase", each) for each in perhaps}
    if ("own_part", "own actions") in known:
        known.add(("part", "task"))  # the same question in other words
    asked_before = {each.ask for each in asked}
    left = [
        (weight, each)
        for weight, each in _gaps(report, prompt)
        if (each.kind, each.about) not in known and each.ask not in asked_before
    ]
    probed = [each for name in _PROBED if design for _, each in left if each.about == name]
    if probed:
        return probed[0]
    if asked:
        least = {"probe": PROBE_FROM}
        left = [gap for gap in left if gap[0] >= least.get(gap[1].kind, SECOND_FROM)]
    kinds = {each.kind for each in asked}
    left.sort(key=lambda gap: -gap[0] * (AGAIN if gap[1].kind in kinds else 1.0))
    return left[0][1] if left else None


def _follows(ask: str, known: str, told: str) -> float:
    """How well a question follows what is known from the prompt and what was told."""
    ask = ask.casefold()
    known_words, things = _words(known), _words(ask)
    named = [_words(each) for each in _NAMED.findall(ask)]
    if _GOES_ON.search(ask) or any(each and each.isdisjoint(known_words) for each in named):
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


def _gaps(report: Report, prompt: str) -> Iterator[_Gap]:
    """Everything that could be asked about; none of it was said."""
    yield from _question_again(report, prompt)
    yield from _challenge(report)
    yield from _phrases(report, prompt)
    yield from _parts(report)
    good = max(LEAST, (report.overall - WEAK_UNDER) / (1.0 - WEAK_UNDER))
    for probe in () if report.off_topic or _is_untold(report) else report.probes:
        yield PROBE_SHARE * good, _asked("probe", probe.ask, probe.expects)


def _question_again(report: Report, prompt: str) -> Iterator[_Gap]:
    """The question itself, after an answer to another one."""
    asked = [each.strip() for each in _ASKED.findall(prompt)]
    if report.off_topic and asked:
        is_told = report.structure is not None and report.structure.kind in ABOUT_ONESELF
        ask = f"Let me come back to my question. {asked[0 if is_told else -1]}"
        yield 1.0, _asked("part", ask, "answer")


def _phrases(report: Report, prompt: str) -> Iterator[_Gap]:
    phrases, structure = report.coverage.phrases, _judged(report)
    total = sum(each.weight for each in phrases)
    share = PHRASE_SHARE[structure.kind] if structure else 1.0
    if _is_untold(report):
        return  # they ask how a story went on
    told = _said(report).casefold()
    words, known = _words(told), f"{prompt.casefold()} {told}"
    sentences = [_words(each) for each in _SENTENCE.findall(told)]
    is_told = structure is not None and structure.kind in ABOUT_ONESELF
    for phrase in phrases:
        chance, up_to = _chance(phrase), ASKED_UP_TO
        name = _words(phrase.phrase.casefold())
        if report.overall < WEAK_UNDER and not is_told:
            up_to = ASKED_OF_WEAK
            named = len(name) > 1 and any(name <= each for each in sentences)
            if not (phrase.status == "covered" or named):  # its words sound wrong
                chance *= report.overall / (report.overall + max(0.0, taken_off(report)) or 1.0)
        elif not is_told and not _touches(name, words):
            up_to = ASKED_OF_UNTOUCHED
        certain = _certain(chance, up_to)
        if phrase.negated or phrase.when_asked or certain <= 0.0:
            continue
        ask = phrase.follow_up.strip() or made_from(phrase.phrase)
        weight = share * phrase.weight / total * certain * _follows(ask, known, told)
        yield weight, _asked("phrase", ask, phrase.phrase)


def _certain(chance: float, up_to: float) -> float:
    """How certain it is that something was not said; 0 from ``up_to`` on."""
    return min(1.0, max(0.0, up_to - chance) / (up_to - SURELY_NOT_SAID))


def _said(report: Report) -> str:
    """The answer and what was said to its follow-ups."""
    return " ".join([report.transcript.text, *(each.transcript.text for each in report.follow_ups)])


def _is_untold(report: Report) -> bool:
    """Whether a story is asked for and none was told: nothing of it can be asked about yet."""
    structure = _judged(report)
    if structure is None or structure.kind != "story":
        return False
    told = [each.status == "said" and not report.off_topic for each in structure.parts]
    return not any(told) and not any(each.when_asked for each in structure.parts)


def _chance(phrase: PhraseCoverage) -> float:
    if phrase.status == "covered" or phrase.corrected is not None:
        return 1.0 if phrase.status == "covered" else 0.0
    if phrase.confidence is not None:
        return phrase.confidence
    return 0.0 if phrase.status in ("missing", "partial") else 1.0


def _parts(report: Report) -> Iterator[_Gap]:
    structure = _judged(report)
    if structure is None:
        return
    total = sum(each.weight for each in structure.parts)
    share = 1.0 - PHRASE_SHARE[structure.kind]
    share *= PART_SHARE.get(structure.kind, 1.0)
    is_told = structure.kind in ABOUT_ONESELF
    said = _said(report)
    for part in structure.parts:
        if part.status == "said" or part.when_asked or not part.ask:
            continue
        if is_told and not {*_NUMBER.findall(part.ask)} <= {*_NUMBER.findall(said)}:
            continue  # it speaks of another story
        certain = _certain(part.confidence or 0.0, ASKED_OF_WEAK)
        if certain > 0.0:
            worth = share * STOCK.get(part.name, 1.0)
            yield worth * part.weight / total * certain, _asked_for(part, said)


def _asked_for(part: StructurePart, said: str) -> FollowUp:
    """The question for a missing part."""
    if part.name == "own actions" and says_we(said):
        ask = "You said “we”. What did you do yourself, step by step?"
        return _asked("own_part", ask, part.name)
    if part.name == "example or number":
        return _asked("example", part.ask, part.name)
    is_number = part.name in _NUMBER_PARTS and not _NUMBER.search(said)
    return _asked("number" if is_number else "part", part.ask, part.name)


def _challenge(report: Report) -> Iterator[_Gap]:
    """What was said wrong."""
    doubted = challenged(report)
    if doubted is None or _PLANS.search(doubted.text):
        return
    words = _JOINED.sub("", doubted.text).split()
    if len(words) < SHORTEST_CHALLENGED:
        return
    quote = " ".join(words[:MOST_QUOTED])
    if len(words) > MOST_QUOTED:
        clause = quote.rpartition(",")[0]  # nobody breaks off in the middle of one
        quote = clause if len(clause) > len(quote) / 2 else f"{quote} …"
    ask = f"You said: “{quote}”. Are you sure? What is that based on?"
    weight = CHALLENGE_SHARE * taken_off(report)
    yield weight, FollowUp(kind="challenge", ask=ask, quote=quote)


def made_from(phrase: str) -> str:
    """A question for a key phrase whose bank has none."""
    return f"What about {phrase.strip().rstrip('.?!')}? How does that come in here?"


def _judged(report: Report) -> Structure | None:
    structure = report.structure
    return structure if structure and structure.asked and structure.is_judged else None


def _asked(kind: FollowUpKind, ask: str, about: str) -> FollowUp:
    return FollowUp(kind=kind, ask=ask[:500], about=about)
