"""Hard cues of denial, in the manner of NegEx (Chapman et al. 2001)."""

import re
from collections.abc import Callable
from itertools import pairwise

from server.grading.answer import Answer, TokenSpan
from server.grading.english import (
    ARTICLES,
    CLAUSE_STARTS,
    FUNCTION_WORDS,
    SUBJECTS,
    parts_of_speech,
    word_set,
)
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE

MAX_SCOPE = 9
"""Tokens between a cue and what it negates; NegEx uses five words, but speech has more between."""
MAX_AFTER = 10
"""Tokens after a phrase within which it may be denied."""
MAX_REACH = 40
"""``MAX_SCOPE`` including fillers and repeated starts, so that an endless stutter ends the
scope."""
PURPOSE_REACH = 5
"""Tokens between "so that" and a denial that states a purpose."""
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


# Right before the phrase, these words say that it was given up.
_GIVEN_UP = {
    ("away", "from"), ("rid", "of"), ("decided", "against"), ("stopped", "using"),
    ("advise", "against"), ("advised", "against"), ("opted", "against"), ("instead", "of"),
}  # fmt: skip
_SPEAKER = OWN_STORY - word_set("was were had did didn't wasn't weren't hadn't") | word_set(
    "team company colleagues nobody none"
)
_HAVING = word_set("has have had does do did can could would will")
_FINDING = word_set("find found see seen saying say tell explain")
_BY_NAME = re.compile(r"\bknow (?:\w+ )?by name\b(?! space)|\bheard the name\b")

# Cues that count only with the word after them.
_NEEDS_NEXT = {
    "instead": frozenset({"of"}),
    "rather": frozenset({"than"}),
    "unfamiliar": frozenset({"with"}),
    "none": frozenset({"of"}),
}
# These negate the noun phrase that follows, not the rest of the clause.
_OF_NOUNS = word_set("no without neither nor instead rather unlike lack lacked lacks")
# "don't forget X", "cannot ignore X", "doesn't replace X" all affirm X.
_AFFIRMED_BY_VERB = word_set("""
    forget forgetting ignore skip lose losing miss waste wasting underestimate overstate overlook
    neglect exhaust break block hurt exceed overload saturate stop only just until disable
    """)
_ASKING = word_set("what how where why whether if")
# "…, only RabbitMQ": what follows is an exception, and so affirmed.
_EXCEPTIONS = word_set("only just but except always rather instead")
_PARTICIPLE_CUES = word_set("avoided skipped dropped abandoned")
# "no oversubscription in the back end": what follows these exists.
_PLACE = word_set("in on at from inside within")
# Before these, "again" and "since then" tell of a result ("not one rollback since"); "we never used
# FSDP again" tells what was given up.
_RESULTS = word_set("""
    had have has been was were need needed require required see saw seen got get happened happen
    """)
_SINCE_WHEN = word_set("then that this last")
# After these, "without X" opens a statement: "because without surface tension the loaf spreads".
_BEFORE_STATEMENT = word_set("because since as that so therefore whereas while")
_CONDITIONAL = word_set("would wouldn't can't cannot couldn't you'd we'd")

Denies = Callable[[Answer, TokenSpan], bool]
"""Whether the words of a span are denied."""


def is_denied(answer: Answer, span: TokenSpan) -> bool:
    """Whether the words of ``span`` are denied.

    Never in a run-on text. Without punctuation, one in a hundred of the phrases that the
    development answers and model answers affirm would count as denied, by a denial of something
    else.
    """
    if answer.run_on:
        return False
    if _given_up(answer, span[0]) or _only_known_by_name(answer, span):
        return True
    cue = _cue_before(answer, span[0])
    if cue is not None and (_denied_twice(answer, cue, span) or _only_limited(answer, cue, span)):
        return False
    if cue is not None and (_is_statement(answer, cue) or _is_result(answer, cue, span)):
        cue = None
    return _denied_before(answer, cue, span) or denied_after(answer, span[1])


def _given_up(answer: Answer, start: int) -> bool:
    """Whether the phrase names what was given up: "we moved away from Istio"."""
    place = start - 1
    while place > 0 and answer.raw(place) in ARTICLES:
        place -= 1
    whole = place > 0 and all(answer.tokens[at].gap == NO_BREAK for at in range(place, start + 1))
    return whole and (answer.raw(place - 1), answer.raw(place)) in _GIVEN_UP


def _only_known_by_name(answer: Answer, span: TokenSpan) -> bool:
    """Whether the speaker has heard of the phrase and no more."""
    if "name" in answer.by_text:
        around = range(
            max(0, span[0] - MAX_SCOPE), min(len(answer.tokens), span[1] + MAX_AFTER + 2)
        )
        near = [answer.raw(at) for at in around if answer.sentence[at] == answer.sentence[span[0]]]
        if _BY_NAME.search(" ".join(near)):
            return True
    before = [answer.raw(at) for at in range(span[0] - 3, span[0])]
    if before[-2:] in (["heard", "of"], ["heard", "about"]):
        return True
    said = " ".join([*before, ""])
    return said.endswith(("no idea what ", "no idea how ", "really explain ", "cannot explain "))


def _is_statement(answer: Answer, cue: int) -> bool:
    """Whether the denial is about a thing or about people in general, not about the speaker.

    "A spot instance has no capacity guarantee", "there is no isolation", "you don't want lock-in",
    "we could not find the cause".
    """
    raw = answer.raw(cue)
    if raw not in NEGATED_AUXILIARY | {"no", "not", "never"}:
        return False
    if answer.raw(cue + 1) in _FINDING or answer.raw(cue + 2) in _FINDING:
        return True
    start = cue
    while (
        start > 0
        and answer.clause[start - 1] == answer.clause[cue]
        and answer.tokens[start].gap == NO_BREAK
    ):
        start -= 1
    before = [answer.raw(at) for at in range(start, cue)]
    if not _SPEAKER.isdisjoint(before):
        return False
    if before[:1] in (["you"], ["you'd"], ["you'll"]):
        return True
    if not {"there", "there's"}.isdisjoint(before):
        sentence = answer.sentence[cue]
        whole = {
            t.raw for t, n in zip(answer.tokens, answer.sentence, strict=True) if n == sentence
        }
        return whole.isdisjoint(OWN_STORY | {"this"})
    copular = raw == "not" and before[-1:] and before[-1] in FINITE and before[-1] not in _HAVING
    copular = copular or raw in ("isn't", "aren't", "wasn't", "weren't")
    named = any(word not in FUNCTION_WORDS and word not in CUES for word in before)
    done = raw != "no" or any("VERB" in parts_of_speech(word) for word in before)
    return named and done and not copular


def _is_result(answer: Answer, cue: int, span: TokenSpan) -> bool:
    """Whether something has not been needed or seen again, so that it was there before.

    "Since then we had eleven releases and not one rollback", "we never needed a rollback again".
    """
    tokens = answer.tokens
    number = answer.sentence[cue]
    start = answer.sentence.index(number)
    stop = next(
        (at for at in range(cue, len(tokens)) if answer.sentence[at] != number), len(tokens)
    )
    again = "again" in {answer.raw(at) for at in range(span[1], min(stop, span[1] + MAX_AFTER))}
    if not again and not any(_is_since(answer, at, stop) for at in range(start, stop)):
        return False
    if answer.raw(cue) == "no" or answer.raw(cue + 1) in ("one", "a"):  # "not one", "not a single"
        verbs = {answer.raw(at) for at in range(start, cue)} & (AUXILIARY | _RESULTS)
        return verbs <= _RESULTS
    between = [answer.raw(at) for at in range(cue + 1, span[0])]
    while len(between) > 1 and between[0] in ("ever", "had", "have") and between[1] in _RESULTS:
        between = between[1:]
    return between[:1] != [] and between[0] in _RESULTS


def _is_since(answer: Answer, place: int, stop: int) -> bool:
    """Whether a "since" is about time: "since then", "since 2023", or at the end."""
    if answer.raw(place) != "since":
        return False
    follower = answer.raw(place + 1)
    ends = place + 1 == stop or answer.tokens[place + 1].gap != NO_BREAK
    return ends or follower in _SINCE_WHEN or follower.isdecimal()


def _denied_before(answer: Answer, place: int | None, span: TokenSpan) -> bool:
    if place is None or _starts_a_clause(answer, place, span):
        return False
    if answer.tokens[place].raw == "without":
        return not _cancelled(answer, place)
    return True


def _starts_a_clause(answer: Answer, cue: int, span: TokenSpan) -> bool:
    """Whether the phrase, after a comma, is the subject of a new clause.

    "It cannot reach the rest, lateral movement is what you fear", "what isn't needed, baseline
    profiles brought the rest".
    """
    tokens = answer.tokens
    commas = [place for place in range(cue + 1, span[0] + 1) if tokens[place].gap == COMMA]
    if not commas:
        return False
    if any(answer.raw(at) in RELATIVE for at in (cue - 1, cue - 2)):
        return True
    behind = span[1] < len(tokens) and tokens[span[1]].gap == NO_BREAK
    return behind and commas[-1] == span[0] and answer.raw(span[1]) in FINITE


def _denied_twice(answer: Answer, cue: int, span: TokenSpan) -> bool:
    """Whether a denial of the phrase is denied: "I wouldn't say that caching isn't useful"."""
    between = {answer.raw(place) for place in range(cue + 1, span[0])}
    return bool(between & THINKING) and answer.raw(span[1]) in NEGATED_AUXILIARY


def _only_limited(answer: Answer, cue: int, span: TokenSpan) -> bool:
    """Whether what follows limits the denial.

    "No X alone", "we did not use X until …", "don't X before …".
    """
    tokens = answer.tokens
    if answer.raw(span[1]) == "alone" or tuple(
        answer.raw(place) for place in range(span[1], span[1] + 3)
    ) in (("on", "its", "own"), ("on", "their", "own")):
        return True
    cue_raw = answer.raw(cue)
    told = cue_raw in ("don't", "never") and tokens[cue].gap != NO_BREAK
    for place in range(span[1], min(len(tokens), span[1] + MAX_AFTER)):
        if tokens[place].gap != NO_BREAK:
            return False
        if tokens[place].raw in ("until", "till", "before") and answer.goes_on(place + 1):
            return told or tokens[place].raw != "before" or cue_raw in ("nobody", "never")
    return False


def _cue_before(answer: Answer, start: int) -> int | None:
    """The nearest cue whose scope reaches ``start``."""
    tokens = answer.tokens
    steps = 0
    commas = 0
    verbs = 0
    places = 0
    for place in range(start - 1, max(-1, start - 1 - MAX_REACH), -1):
        behind = tokens[place + 1]
        if behind.gap == SENTENCE:
            return None
        if behind.gap == COMMA:
            if _opens_clause(answer, place + 1) or behind.raw in _EXCEPTIONS:
                return None
            commas += 1
        raw = tokens[place].raw
        if raw in CUES and _counts(answer, place, start):
            reaches = not (_is_of_nouns(answer, place) and (commas or verbs or places))
            return place if reaches else None
        if raw in CLAUSE_STARTS and raw not in _ASKING and raw not in ("than", "instead"):
            return None
        new_clause = raw in SUBJECTS and raw not in ("this", "that")
        if new_clause and not _under_thinking(answer, place) and answer.raw(place - 1) not in CUES:
            return None
        verbs += raw in AUXILIARY
        places += raw in _PLACE and answer.raw(place - 1) not in CUES
        steps += place not in answer.skipped
        if steps > MAX_SCOPE:
            return None
    return None


def _is_of_nouns(answer: Answer, place: int) -> bool:
    """Whether the cue negates a noun phrase: "no", "without", or "not" without an auxiliary."""
    raw = answer.tokens[place].raw
    if raw == "not":
        return answer.raw(place - 1) not in AUXILIARY
    return raw in _OF_NOUNS


def _opens_clause(answer: Answer, place: int) -> bool:
    """Whether the comma before ``place`` opens a new clause rather than continuing a list."""
    raw, follower = answer.raw(place), answer.raw(place + 1)
    if raw in SUBJECTS or raw in CLAUSE_STARTS:
        return True
    return raw in ("and", "or") and (follower in SUBJECTS or follower in CLAUSE_STARTS)


def _under_thinking(answer: Answer, place: int) -> bool:
    """Whether the denial reaches over the subject: "I don't think we need X"."""
    before = {answer.raw(at) for at in range(max(0, place - 3), place)}
    return bool(before & THINKING) or answer.raw(place - 1) in _ASKING


def _counts(answer: Answer, place: int, start: int) -> bool:
    """Whether the cue at ``place`` really negates what follows."""
    tokens = answer.tokens
    raw, before, after = tokens[place].raw, answer.raw(place - 1), answer.raw(place + 1)
    if raw in _NEEDS_NEXT and after not in _NEEDS_NEXT[raw]:
        return False
    if raw == "no" and place + 1 < len(tokens) and tokens[place + 1].gap == COMMA:
        return False  # "no, sorry, a left join"
    if after == "sure" and answer.raw(place + 2) in ("about", "what"):
        return place + 3 >= start - (answer.raw(start - 1) in ARTICLES)  # "not sure about X"
    if after in AFFIRMED_BY_NEXT or before == "why" or (raw == "not" and after == "that"):
        return False
    if raw in ("not", "no") and before == "or":
        return False
    if raw in _PARTICIPLE_CUES and (before in AUXILIARY or before.endswith("ing")):
        return False  # "capabilities are dropped, and a seccomp profile …"
    window = {answer.raw(at) for at in range(place + 1, min(start, place + 4))}
    if window & _AFFIRMED_BY_VERB:
        return False
    before_it = range(max(0, place - 3), place)
    purpose = range(max(0, place - PURPOSE_REACH), place)  # "so that there are no conflicts"
    if any(answer.raw(at) == "so" and answer.raw(at + 1) == "that" for at in purpose):
        return False
    return not {answer.raw(at) for at in before_it} & {"if", "unless", "when"}


def _ends_statement(answer: Answer, place: int) -> bool:
    """Whether a sentence begins here, or another statement with "and" after a comma."""
    gap = answer.tokens[place].gap
    return gap == SENTENCE or (gap == COMMA and answer.raw(place) in ("and", "but"))


def _cancelled(answer: Answer, place: int) -> bool:
    """Whether a "without" is denied itself ("you cannot train it without X") or is a condition.

    "Without X we would run out of memory" makes the point of X.
    """
    tokens = answer.tokens
    for at in range(place - 1, max(-1, place - 1 - MAX_SCOPE), -1):
        if tokens[at + 1].gap != 0:
            break
        if tokens[at].raw in CUES:
            return True
    after = [answer.raw(at) for at in range(place + 1, min(len(tokens), place + 14))]
    linked = answer.raw(place - 1) in _BEFORE_STATEMENT
    opens = tokens[place].gap != 0 or place == 0 or linked
    if opens and not _CONDITIONAL.isdisjoint(after):
        return True
    # "Without X all tokens run to the same expert" states a fact, not what we did.
    stop = next((at for at in range(place + 1, len(tokens)) if _ends_statement(answer, at)), None)
    rest = {token.raw for token in tokens[place + 1 : stop]}
    whole = tokens[place].gap == SENTENCE or linked
    return whole and len(rest) > 4 and rest.isdisjoint(OWN_STORY)
