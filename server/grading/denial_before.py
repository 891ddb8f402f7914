"""What stands before a phrase: the nearest cue of denial whose scope reaches it."""

from server.grading.answer import Answer
from server.grading.denial_words import (
    AFFIRMED_BY_NEXT,
    AUXILIARY,
    CUES,
    OWN_STORY,
    THINKING,
)
from server.grading.lexis.english import word_set
from server.grading.lexis.vocabulary import ARTICLES, CLAUSE_STARTS, SUBJECTS
from server.grading.sense.thresholds import MAX_REACH, MAX_SCOPE, PURPOSE_REACH
from server.grading.tokens import COMMA, SENTENCE

# A cue that counts only with the word behind it.
_NEEDS_NEXT = {
    "instead": frozenset({"of"}),
    "rather": frozenset({"than"}),
    "unfamiliar": frozenset({"with"}),
    "none": frozenset({"of"}),
}
# These negate the noun phrase that follows, not the rest of the clause.
_OF_NOUNS = word_set("no without neither nor instead rather unlike lack lacked lacks")
# "don't forget X", "cannot ignore X", "doesn't replace X": the point is made all the same.
_AFFIRMED_BY_VERB = word_set("""
    forget forgetting ignore skip lose losing miss waste wasting underestimate overstate overlook
    neglect exhaust break block hurt exceed overload saturate stop only just until disable
    """)
_ASKING = word_set("what how where why whether if")
# "…, only RabbitMQ": what follows is the exception, and affirmed.
_EXCEPTIONS = word_set("only just but except always rather instead")
_PARTICIPLE_CUES = word_set("avoided skipped dropped abandoned")
# "no oversubscription in the back end": what follows these is there.
_PLACE = word_set("in on at from inside within")
_CONDITIONAL = word_set("would wouldn't can't cannot couldn't you'd we'd")


def cue_before(answer: Answer, start: int) -> int | None:
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
    """Whether the comma before ``place`` opens a new clause rather than goes on with a list."""
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


def cancelled(answer: Answer, place: int) -> bool:
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
    opens = tokens[place].gap != 0 or place == 0
    if opens and not _CONDITIONAL.isdisjoint(after):
        return True
    # "Without X all tokens run to the same expert": how it is, not what we did.
    clause = next((at for at in range(place + 1, len(tokens)) if tokens[at].gap == SENTENCE), None)
    rest = {token.raw for token in tokens[place + 1 : clause]}
    return tokens[place].gap == SENTENCE and len(rest) > 4 and rest.isdisjoint(OWN_STORY)
