"""Whether a phrase was said only to deny it: the speaker has not, does not or would not do it.

"We never used FSDP" denies, and so does "I only know it by name"; "a spot instance has no capacity
guarantee" states a fact, and says the phrase, and "we never needed a rollback again" tells what
came of the first one.

Scope rules in the manner of NegEx (Chapman et al. 2001, *A simple algorithm for identifying negated
findings*): a cue before the phrase in the same clause negates it, unless it belongs to a
pseudo-negation ("not only"), is conditional ("if we had no …") or is cancelled by another one
("cannot do without"). After the phrase, only plain denials count ("… was not an option").
"""

import re
from collections.abc import Callable

from server.grading.answer import Answer, Span
from server.grading.denial_after import (
    AFFIRMED_BY_NEXT,
    AUXILIARY,
    CUES,
    FINITE,
    NEGATED_AUXILIARY,
    OWN_STORY,
    RELATIVE,
    THINKING,
    denied_after,
)
from server.grading.lexis.vocabulary import ARTICLES, CLAUSE_STARTS, FUNCTION_WORDS, SUBJECTS
from server.grading.lexis.words import parts_of_speech, word_set
from server.grading.sense.thresholds import MAX_AFTER, MAX_REACH, MAX_SCOPE, PURPOSE_REACH
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE

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

Denies = Callable[[Answer, Span], bool]
"""Whether the words of a span are denied."""


def is_denied(answer: Answer, span: Span) -> bool:
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


def _only_known_by_name(answer: Answer, span: Span) -> bool:
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


def _is_result(answer: Answer, cue: int, span: Span) -> bool:
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


def _denied_before(answer: Answer, place: int | None, span: Span) -> bool:
    if place is None or _starts_a_clause(answer, place, span):
        return False
    if answer.tokens[place].raw == "without":
        return not _cancelled(answer, place)
    return True


def _starts_a_clause(answer: Answer, cue: int, span: Span) -> bool:
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


def _denied_twice(answer: Answer, cue: int, span: Span) -> bool:
    """Whether a denial of the phrase is denied: "I wouldn't say that caching isn't useful"."""
    between = {answer.raw(place) for place in range(cue + 1, span[0])}
    return bool(between & THINKING) and answer.raw(span[1]) in NEGATED_AUXILIARY


def _only_limited(answer: Answer, cue: int, span: Span) -> bool:
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
