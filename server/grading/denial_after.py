"""Denials after the phrase: "… was not an option", "… we never turned it on"."""

from itertools import pairwise

from server.grading.answer import Answer
from server.grading.lexis.words import word_set
from server.grading.sense.thresholds import MAX_AFTER
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE

AUXILIARY = word_set("""
    is are was were be been being am have has had do does did will would can could should may might
    must i'm we're it's they're that's there's
    """)
NEGATED_AUXILIARY = word_set("""
    don't doesn't didn't isn't wasn't aren't weren't haven't hasn't hadn't won't wouldn't can't
    couldn't shouldn't needn't mustn't ain't cannot dont doesnt didnt isnt wasnt arent werent havent
    hasnt hadnt wouldnt couldnt shouldnt
    """)
CUES = (
    word_set("""
        not never no without neither nor hardly barely none instead rather unlike unfamiliar
        avoided skipped dropped abandoned lack lacked lacks nobody
        """)
    | NEGATED_AUXILIARY
)
# "not only X", "not just", "not until": what follows is affirmed or left open.
AFFIRMED_BY_NEXT = word_set("""
    only just merely simply necessarily until unless sure enough because yet optional negotiable
    matter doubt question wonder later least always everything matter surprise problem more less
    """)
THINKING = word_set("think believe know remember say recall guess mean see sure")
RELATIVE = word_set("which that who what")
FINITE = AUXILIARY - word_set("be been being am")
OWN_STORY = word_set("""
    i we my our us me i'm we're i've we've i'd we'd was were had did didn't wasn't weren't hadn't
    """)


_FRONTED_OBJECTS = word_set("it them that this those one any")
_DENIALS = word_set("""
    use used using need needed needing necessary required require option something available enabled
    enable involved considered relevant supported applied tried try worth allowed touch touched have
    do done there part
    """)
_SOMETHING = word_set("something term name word thing topic")
_CHANCES = word_set("chance time opportunity reason occasion")
_GIVEN_UP_AFTER = {
    (verb, pronoun)
    for verb in ("against", "dropped", "abandoned", "skipped", "rejected")
    for pronoun in ("it", "them", "that")
}
# Verbs of starting to use something; denying them denies their object: "we never turned it on".
_TAKEN_UP = word_set("""
    turn turned switch switched enable run ran adopt adopted deploy deployed bother bothered install
    installed introduce introduced buy bought build built implement implemented write wrote support
    want wanted like choose chose get got set had
    """)


def denied_after(answer: Answer, end: int) -> bool:
    """Whether what follows denies: "was not an option", "we did not use", "but we never did"."""
    if _fronted(answer, end) or _answered_no(answer, end) or _decided_against(answer, end):
        return True
    tokens = answer.tokens
    rest: list[str] = []
    for place in range(end, min(len(tokens), end + MAX_AFTER)):
        if tokens[place].gap == SENTENCE:
            break
        if tokens[place].gap == COMMA and not (
            place == end and tokens[place].raw in ("but", "which", "although", "though")
        ):
            break
        if place not in answer.skipped:
            rest.append(tokens[place].raw)
    if not rest:
        return False
    if (
        rest[0] in ("is", "was") and _SOMETHING & set(rest[1:4]) and rest[1] != "not"
    ):  # "X is something I'd never do"
        at = next(at for at, word in enumerate(rest) if word in _SOMETHING)
        rest = [word for word in rest[at + 1 :] if word not in ("that", "which")] or rest
        if {"not", "never"} & set(rest[:3]) and "familiar" in rest[:5]:
            return True
    if rest[0] in ("one", "ones"):  # "the wildcard one we don't use anymore"
        rest = rest[1:]
    opener = bool(rest) and rest[0] in ("but", "which", "although", "though", "and")
    if opener:
        rest = rest[1:]
    subject = bool(rest) and rest[0] in ("we", "i", "they")
    if subject:
        rest = rest[1:]
        if rest[:1] == ["not"]:  # "we not use", as some say it
            rest = ["never", *rest[1:]]
    elif opener and rest[:1] not in (["was"], ["is"], ["were"], ["wasn't"], ["isn't"], ["never"]):
        return False
    return _denies(rest, needs_object=opener and subject)


def _fronted(answer: Answer, end: int) -> bool:
    """Whether the phrase is a topic put first and then denied: "DNSSEC, we never turned it on"."""
    tokens = answer.tokens
    if end >= len(tokens) or tokens[end].gap != COMMA or tokens[end].raw not in ("we", "i", "they"):
        return False
    rest: list[str] = []
    for place in range(end + 1, min(len(tokens), end + MAX_AFTER)):
        if tokens[place].gap != NO_BREAK:
            break
        rest.append(tokens[place].raw)
    if rest[:2] == ["have", "none"] or rest[:2] == ["had", "none"]:
        return True
    denied = bool(rest) and (
        rest[0] in NEGATED_AUXILIARY or "never" in rest[:2] or rest[1:2] == ["not"]
    )
    taken_up = not _FRONTED_OBJECTS.isdisjoint(rest[1:])
    return denied and taken_up and not (_DENIALS | _TAKEN_UP).isdisjoint(rest)


def _decided_against(answer: Answer, end: int) -> bool:
    """Whether the phrase was weighed and given up: "…, but we decided against it"."""
    rest: list[str] = []
    for place in range(end, min(len(answer.tokens), end + MAX_AFTER + 2)):
        if answer.tokens[place].gap == SENTENCE:
            break
        rest.append(answer.tokens[place].raw)
    turns = rest[:1] == ["but"] or rest[:2] == ["and", "then"]
    if turns and any(
        (one, two) in _GIVEN_UP_AFTER for one, two in pairwise(rest) if one != rest[0]
    ):
        return True
    return any(
        link in ("so", "and", "then")
        and subject in ("we", "i", "they")
        and not _GIVEN_UP_AFTER.isdisjoint(pairwise(rest[at + 2 : at + 5]))
        for at, (link, subject) in enumerate(pairwise(rest))
    )


def _answered_no(answer: Answer, end: int) -> bool:
    """Whether the phrase is asked and answered, "Terraform? No, never", or "Ansible neither"."""
    tokens = answer.tokens
    if end >= len(tokens):
        return False
    follower, second = tokens[end].raw, answer.raw(end + 1)
    closes = end + 1 == len(tokens) or tokens[end + 1].gap == SENTENCE
    if tokens[end].gap == SENTENCE:
        return (follower in ("never", "no") and closes) or (follower == "no" and second == "never")
    return follower == "neither" and closes


def _denies(rest: list[str], *, needs_object: bool) -> bool:
    """Whether the words deny: an auxiliary negated, then "used", "an option" or the like."""
    if not rest:
        return False
    at = 0
    if rest[0] in NEGATED_AUXILIARY or rest[0] == "never":
        at = 1
    elif len(rest) > 1 and rest[0] in AUXILIARY and rest[1] in ("not", "never"):
        at = 2
    else:
        return False
    tail = rest[at : at + 8]
    if tail[:1] in (["had"], ["have"], ["got"]) and not _CHANCES.isdisjoint(tail[1:4]):
        tail = tail[1:]
        while tail and (tail[0] in _CHANCES or tail[0] in ("a", "the", "any")):
            tail = tail[1:]
    tail = tail[:4]
    if tail[:1] and tail[0] in AFFIRMED_BY_NEXT:
        return False
    while tail and tail[0] in ("an", "a", "really", "ever", "even", "actually", "to", "been", "be"):
        tail = tail[1:]
    if not tail or tail[0] not in _DENIALS:
        return False
    if needs_object:
        return len(tail) == 1 or any(word in ("it", "them", "that", "this", "one") for word in tail)
    return True
