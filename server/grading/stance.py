"""Whether the speaker affirms what a mention names, or denies, disclaims, wishes or asks about it.

"We never used X", "X? No idea", "X I only know from a slide", "people say X, that is a myth", "we
should have used X". The features are cues in the manner of NegEx (Chapman et al. 2001): the nearest
one before the mention, how far its scope has to reach, what cancels it; what follows; and classes
of words around. One model weighs them (``model.py``). A denial of something else is no denial of
the mention: "RDMA is the same in both. It doesn't need PFC".
"""

from functools import cache
from itertools import pairwise
from typing import Final

from server.grading.answer import Answer, TokenSpan
from server.grading.english import (
    AUXILIARIES,
    CLAUSE_STARTS,
    FUNCTION_WORDS,
    SUBJECTS,
    lemma,
    parts_of_speech,
    word_class,
)
from server.grading.model import shipped_model
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE

REACH: Final = 14
"""Words of the sentence considered on either side."""
NEXT_REACH: Final = 8
"""Words considered in the next sentence: "X? Never tried it."."""
_FAR: Final = 15.0

_CUES: Final = (
    "has", "distance", "commas", "verbs", "places", "subject", "clause_start", "other_clause",
    "of_a_noun", "negated_verb", "never", "given_up", "affirmed_next", "affirmed_verb", "condition",
    "purpose", "or_before", "speaker", "you", "there", "named_subject", "thinking", "double",
    "comma_at_once", "finding", "exception",
)  # fmt: skip
_AFTER: Final = (
    "negation_after", "negation_after_far", "denial_after", "comma_after", "behind_but",
    "neither_after", "ends_at_once", "verb_after", "next_never",
)  # fmt: skip
_OTHER: Final = (
    "asked", "asked_at_once", "asking", "wish_before", "should_have", "heard_of", "by_name",
    "instead_of", "away_from", "without", "without_opens", "would_after", "until_after", "alone",
    "again", "since", "short", "opens", "run_on", "no_idea", "learn_before", "if_before",
)  # fmt: skip
_CLASSES: Final = ("negation", "know", "use", "reject", "speaker", "others", "link", "but")
_PLACES: Final = ("clause_before", "clause_after", "before", "after", "next")
_SCOPE: Final = ("reaches", "statement", "result", "cancelled", "limited", "fronted", "denied")
FEATURES: Final = (
    *_SCOPE, *_CUES, *_AFTER, *_OTHER,
    *(f"{place}_{name}" for place in _PLACES for name in _CLASSES),
    *(f"{place}_no_{name}" for place in _PLACES for name in ("know", "use", "speaker")),
)  # fmt: skip


def denied(answer: Answer, span: TokenSpan) -> float:
    """The chance that the words of a span of tokens are denied, 0 to 1."""
    if not _is_doubtful(answer, span):
        return 0.0
    return float(shipped_model("stance").chances([stance_row(answer, span)])[0])


def denied_by_cue(answer: Answer, span: TokenSpan) -> bool:
    """Whether the scope of a cue reaches a span: for whole quotes, which no mention was like."""
    return bool(_scope_features(answer, span, _sentence(answer, span))[-1])


@cache
def _doubts() -> frozenset[str]:
    own = ("only", "just", "forget", "what", "what's", "are", "rather", "away", "instead", "if")
    names = ("negation", "know", "reject", "others", "given_up", "wish", "of_a_noun")
    return frozenset(own).union(*map(word_class, names))


def _is_doubtful(answer: Answer, span: TokenSpan) -> bool:
    """Whether any word or mark of doubt is near: without one there is nothing to weigh."""
    start, stop = _sentence(answer, span)
    behind = _sentence_behind(answer, stop)
    around = (*range(start, span[0]), *range(span[1], behind))
    praised = {at for at in around if _is_praise(answer, at) or _is_praise(answer, at + 1)}
    doubtful = any(answer.raw(at) in _doubts() for at in around if at not in praised)
    return doubtful or _is_asked(answer, stop)


def _is_praise(answer: Answer, at: int) -> bool:
    """Whether a cue only makes praise stronger: "couldn't be happier", "can't praise it enough"."""
    cannot = answer.raw(at) in ("can't", "couldn't", "cannot", "cant", "couldnt")
    if not (cannot or (answer.raw(at) == "not" and answer.raw(at - 1) in ("can", "could"))):
        return False
    first, second, *rest = (answer.raw(each) for each in range(at + 1, at + 9))
    if first == "be":
        return second in ("more", "better", "prouder", "happier", "easier", "simpler", "clearer")
    return first in word_class("praise") and not {"enough", "more"}.isdisjoint((second, *rest))


def stance_row(answer: Answer, span: TokenSpan) -> list[float]:
    """``FEATURES`` of the words of a span of tokens."""
    start, stop = _sentence(answer, span)
    behind = _sentence_behind(answer, stop)
    opens = _clause_edge(answer, span[0], start, -1)
    closes = _clause_edge(answer, span[1], stop, 1)
    row = [*_scope_features(answer, span, (start, stop)), *_cue_features(answer, span, start)]
    row += _after_features(answer, span, stop, behind)
    row += _other_features(answer, span, (start, stop), opens)
    places = (
        (opens, span[0]), (span[1], closes), (start, span[0]), (span[1], stop), (stop, behind),
    )  # fmt: skip
    classes: list[float] = []
    pairs: list[float] = []
    for first, last in places:
        said = {answer.raw(at) for at in range(first, last)}
        has = {name: float(not said.isdisjoint(word_class(name))) for name in _CLASSES}
        classes += has.values()
        pairs += [has["negation"] * has[name] for name in ("know", "use", "speaker")]
    return row + classes + pairs


def _scope_features(answer: Answer, span: TokenSpan, sentence: tuple[int, int]) -> list[float]:
    """``_SCOPE``: whether a cue's scope reaches the mention, what takes it back, and the sum."""
    cue = _cue_before(answer, span[0])
    statement = result = cancelled = limited = False
    if cue is not None:
        statement = _is_statement(answer, cue, sentence)
        result = _is_result(answer, cue, span, sentence)
        cancelled = answer.raw(cue) == "without" and _is_condition(answer, cue)
        limited = _is_limited(answer, span) or _opens_clause(answer, cue, span)
    fronted = _denies(answer, span, sentence[1])
    reaches = cue is not None and not answer.run_on
    taken_back = statement or result or cancelled or limited
    found = (reaches, statement, result, cancelled, limited, fronted)
    return [*map(float, found), float(fronted or (reaches and not taken_back))]


def _cue_before(answer: Answer, start: int) -> int | None:
    """The nearest cue whose scope reaches ``start``: NegEx with clauses."""
    tokens = answer.tokens
    cues = word_class("negation") | word_class("of_a_noun") | {"avoided", "skipped", "dropped"}
    steps = stops = 0
    for place in range(start - 1, max(-1, start - 41), -1):
        behind = tokens[place + 1]
        if behind.gap == SENTENCE:
            return None
        if behind.gap == COMMA:
            opens = behind.raw in SUBJECTS or behind.raw in CLAUSE_STARTS
            opens |= behind.raw in ("and", "or") and answer.raw(place + 2) in SUBJECTS
            if opens or behind.raw in word_class("exception"):
                return None
        raw = tokens[place].raw
        stops += behind.gap == COMMA or raw in AUXILIARIES or raw in word_class("place")
        if raw in cues and _counts(answer, place, start):
            of_a_noun = raw in word_class("of_a_noun") or (
                raw == "not" and answer.raw(place - 1) not in AUXILIARIES
            )
            return None if of_a_noun and stops else place
        before = {answer.raw(at) for at in range(max(0, place - 3), place)}
        if raw in CLAUSE_STARTS and raw not in ("what", "how", "where", "why", "if", "than"):
            return None
        if raw in SUBJECTS and raw not in ("this", "that"):
            asking = answer.raw(place - 1) in ("what", "how", "where", "why", "whether", "if")
            if not (asking or before & word_class("thinking") or answer.raw(place - 1) in cues):
                return None
        steps += place not in answer.skipped
        if steps > 9:
            return None
    return None


def _counts(answer: Answer, place: int, start: int) -> bool:
    """Whether the cue at ``place`` really negates what follows."""
    raw, before, after = answer.raw(place), answer.raw(place - 1), answer.raw(place + 1)
    needs = {"instead": "of", "rather": "than", "none": "of"}
    if after != needs.get(raw, after) or after in word_class("affirmed_next"):
        return after == "sure" and answer.raw(place + 2) in ("about", "what")
    if raw == "no" and answer.tokens[place + 1].gap == COMMA:
        return False  # "no, sorry, a left join"
    if before in ("why", "or") or (raw in word_class("given_up") and _is_participle(answer, place)):
        return False
    verbs = {answer.raw(at) for at in range(place + 1, min(start, place + 4))}
    purpose = any(answer.raw(at) == "so" and answer.raw(at + 1) == "that"
                  for at in range(max(0, place - 5), place))  # fmt: skip
    condition = {answer.raw(at) for at in range(max(0, place - 3), place)} & {
        "if",
        "unless",
        "when",
    }
    return not (verbs & word_class("affirmed_verb") or purpose or condition)


def _is_statement(answer: Answer, cue: int, sentence: tuple[int, int]) -> bool:
    """Whether the denial is about a thing or about people in general, not about the speaker.

    "A spot instance has no capacity guarantee", "there is no isolation", "you don't want lock-in",
    "we could not find the cause".
    """
    raw, finding = answer.raw(cue), word_class("finding")
    if raw not in word_class("negated_verb") | {"no", "not", "never"}:
        return False
    if answer.raw(cue + 1) in finding or answer.raw(cue + 2) in finding:
        return True
    own = word_class("speaker") | {"nobody", "none", "company", "was", "were", "had", "did", "this"}
    opens = answer.tokens[cue].gap != NO_BREAK
    first = cue if opens else _clause_edge(answer, cue, sentence[0], -1)
    before = [answer.raw(at) for at in range(first, cue)]
    if not word_class("speaker").isdisjoint(before):
        return False
    if not {"there", "there's"}.isdisjoint(before):
        return own.isdisjoint(answer.raw(at) for at in range(*sentence))
    if before[:1] in (["you"], ["you'd"], ["you'll"]):
        return True
    copular = raw in ("isn't", "aren't", "wasn't", "weren't")
    copular |= raw == "not" and before[-1:] != [] and before[-1] in ("is", "are", "was", "were")
    named = any(word not in FUNCTION_WORDS for word in before)
    done = raw != "no" or any("VERB" in parts_of_speech(word) for word in before)
    return named and done and not copular


def _is_result(answer: Answer, cue: int, span: TokenSpan, sentence: tuple[int, int]) -> bool:
    """Whether something has not been needed or seen again, so that it was there before.

    "Since then we had eleven releases and not one rollback", "we never needed a rollback again".
    """
    since = ("then", "that", "last", "")
    if not any(
        answer.raw(at) == "again" or (answer.raw(at) == "since" and answer.raw(at + 1) in since)
        for at in range(*sentence)
    ):
        return False
    between = [answer.raw(at) for at in range(cue + 1, span[0])]
    return answer.raw(cue) == "no" or not word_class("result").isdisjoint(between)


def _is_limited(answer: Answer, span: TokenSpan) -> bool:
    """Whether what follows takes a denial back: "no X alone", "not X until …", "isn't useless"."""
    if answer.raw(span[1]) == "alone" or answer.raw(span[1]) in word_class("negated_verb"):
        return True
    for at in range(span[1], min(len(answer.tokens), span[1] + 10)):
        if answer.tokens[at].gap != NO_BREAK:
            return False
        if answer.raw(at) in ("until", "till", "before") and answer.goes_on(at + 1):
            return True
    return False


def _opens_clause(answer: Answer, cue: int, span: TokenSpan) -> bool:
    """Whether the mention, after a comma, is the subject of a new clause.

    "It cannot reach the rest, lateral movement is what you fear", "what isn't needed, baseline
    profiles brought the rest".
    """
    commas = [at for at in range(cue + 1, span[0] + 1) if answer.tokens[at].gap == COMMA]
    verb = answer.raw(cue + 2)  # of the main clause: "the ones we couldn't parse sat in X"
    finite = parts_of_speech(verb) == {"VERB"} and lemma(verb) != verb and verb[-3:] != "ing"
    head = answer.raw(cue - 2) if answer.goes_on(cue - 1) else ""
    if finite and cue + 2 < span[0] and answer.raw(cue - 1) in SUBJECTS and head:
        return head not in CLAUSE_STARTS and "VERB" in parts_of_speech(answer.raw(cue + 1))
    relative = not {"which", "that", "who", "what"}.isdisjoint(
        (answer.raw(cue - 1), answer.raw(cue - 2))
    )
    finite = answer.goes_on(span[1]) and answer.raw(span[1]) in AUXILIARIES
    return bool(commas) and (relative or (finite and commas[-1] == span[0]))


def _is_condition(answer: Answer, place: int) -> bool:
    """Whether a "without" makes the point of what it names: "without X we would run out"."""
    before = {answer.raw(at) for at in range(max(0, place - 9), place)}
    if before & word_class("negation"):
        return True
    opens = answer.tokens[place].gap != NO_BREAK or answer.raw(place - 1) in CLAUSE_STARTS
    after = {answer.raw(at) for at in range(place + 1, place + 14)}
    own = word_class("speaker") | {"was", "were", "had", "did"}
    return opens and (bool(after & {"would", "wouldn't", "can't", "cannot"}) or not after & own)


def _denies(answer: Answer, span: TokenSpan, stop: int) -> bool:
    """Whether what follows denies: "was not an option", "we did not use", "but we never did"."""
    rest = [answer.raw(at) for at in range(span[1], min(stop, span[1] + 10))
            if at not in answer.skipped]  # fmt: skip
    while rest and rest[0] in ("but", "and", "which", "although", "one", "ones", "we", "i", "they"):
        rest = rest[1:]
    if rest[:1] == ["never"] or (rest and rest[0] in word_class("negated_verb")):
        rest = rest[1:]
    elif rest[1:2] in (["not"], ["never"]) and rest[0] in AUXILIARIES:
        rest = rest[2:]
    else:
        return False
    return not word_class("denial").isdisjoint(rest[:2]) and rest[0] not in word_class(
        "affirmed_next"
    )


def _cue_features(answer: Answer, span: TokenSpan, start: int) -> list[float]:
    """``_CUES`` of the nearest cue before the mention in its sentence."""
    negation, given_up = word_class("negation"), word_class("given_up")
    cue = next(
        (
            at
            for at in range(span[0] - 1, start - 1, -1)
            if answer.raw(at) in negation
            or (answer.raw(at) in given_up and not _is_participle(answer, at))
            or (answer.raw(at) == "instead" and answer.raw(at + 1) == "of")
            or (answer.raw(at) == "rather" and answer.raw(at + 1) == "than")
            or answer.raw(at) in ("lack", "lacked", "lacks", "unlike")
        ),
        None,
    )
    if cue is None:
        return [0.0, _FAR, *([0.0] * (len(_CUES) - 2))]
    between = range(cue + 1, span[0])
    raws = [answer.raw(at) for at in between]
    commas = [at for at in range(cue + 1, span[0] + 1) if answer.tokens[at].gap == COMMA]
    first = _clause_edge(answer, cue, start, -1)
    before = [answer.raw(at) for at in range(first, cue)]
    raw, after = answer.raw(cue), answer.raw(cue + 1)
    purpose = any(
        answer.raw(at) == "so" and answer.raw(at + 1) == "that" for at in range(cue - 5, cue)
    )
    named = any(word not in AUXILIARIES and word not in SUBJECTS for word in before)
    found = (
        1.0,
        sum(at not in answer.skipped for at in between),
        len(commas),
        sum(word in AUXILIARIES for word in raws),
        sum(word in word_class("place") for word in raws),
        any(word in SUBJECTS and word not in ("this", "that") for word in raws),
        any(word in CLAUSE_STARTS and word != "than" for word in raws),
        answer.clause[cue] != answer.clause[span[0]],
        raw in word_class("of_a_noun") or (raw == "not" and answer.raw(cue - 1) not in AUXILIARIES),
        raw in word_class("negated_verb"),
        raw in ("never", "nobody", "none"),
        raw in given_up,
        after in word_class("affirmed_next") or answer.raw(cue - 1) == "why",
        not word_class("affirmed_verb").isdisjoint(raws[:3]),
        not word_class("condition").isdisjoint(before[-3:]),
        purpose,
        before[-1:] == ["or"],
        not word_class("speaker").isdisjoint(before),
        before[:1] in (["you"], ["you'd"], ["you'll"]),
        not {"there", "there's"}.isdisjoint(before),
        named,
        not word_class("thinking").isdisjoint((*before[-3:], *raws)),
        sum(word in negation for word in (*before, *raws)) > 0,
        bool(commas) and commas[-1] == span[0],
        after in word_class("finding") or answer.raw(cue + 2) in word_class("finding"),
        not word_class("exception").isdisjoint(raws),
    )
    return list(map(float, found))


def _is_participle(answer: Answer, at: int) -> bool:
    """Whether a verb of giving up is passive: "capabilities are dropped, and a profile …"."""
    before = answer.raw(at - 1)
    return before in AUXILIARIES or before.endswith("ing")


def _after_features(answer: Answer, span: TokenSpan, stop: int, behind: int) -> list[float]:
    negation = word_class("negation")
    rest = [answer.raw(at) for at in range(span[1], stop) if at not in answer.skipped]
    near = rest[:5]
    denying = next((at for at, word in enumerate(rest[:9]) if word in negation), None)
    next_raws = [answer.raw(at) for at in range(stop, behind)]
    found = (
        not negation.isdisjoint(near),
        denying is not None,
        denying is not None and not word_class("denial").isdisjoint(rest[denying : denying + 6]),
        span[1] < len(answer.tokens) and answer.tokens[span[1]].gap == COMMA,
        rest[:1] in (["but"], ["although"], ["though"]),
        rest[:1] == ["neither"] or next_raws[:1] in (["no"], ["never"], ["neither"]),
        not rest,
        rest[:1] != [] and rest[0] in AUXILIARIES,
        "never" in next_raws[:3] or "no" in next_raws[:2],
    )
    return list(map(float, found))


def _other_features(
    answer: Answer, span: TokenSpan, sentence: tuple[int, int], opens: int
) -> list[float]:
    start, stop = sentence
    before = [answer.raw(at) for at in range(start, span[0])]
    rest = [answer.raw(at) for at in range(span[1], stop)]
    said = " ".join(before)
    closest = before[-5:]
    asked = _is_asked(answer, stop)
    whole = (*before, *rest)
    found = (
        asked,
        asked and len(rest) < 3,
        asked and bool(before) and before[0] in word_class("asking"),
        not word_class("wish").isdisjoint(closest),
        "should have" in said or "could have" in said or "would have" in said or "wish" in before,
        "heard of" in said or "heard about" in said,
        "by name" in " ".join(whole) or "the name" in said,
        said.endswith(("instead of", "rather than", "instead of a", "rather than a")),
        any((one, two) in _GIVEN_UP for one, two in pairwise(closest)),
        "without" in before[opens - start :],
        "without" in before and before.index("without") <= 1,
        any(
            word in ("would", "wouldn't", "can't", "cannot", "you'd", "we'd") for word in rest[:10]
        ),
        any(word in ("until", "till", "before") for word in rest[:6]),
        rest[:1] == ["alone"] or rest[:3] in (["on", "its", "own"], ["on", "their", "own"]),
        "again" in whole,
        "since" in whole,
        len(whole) < 5,
        span[0] == start,
        answer.run_on,
        "no idea" in " ".join(whole) or "no clue" in " ".join(whole),
        "learn" in closest or "read" in closest or "understand" in closest,
        not word_class("condition").isdisjoint(before[opens - start :]),
    )
    return list(map(float, found))


_GIVEN_UP: Final = {
    ("away", "from"), ("rid", "of"), ("decided", "against"), ("stopped", "using"),
    ("advise", "against"), ("advised", "against"), ("opted", "against"),
}  # fmt: skip


def _sentence(answer: Answer, span: TokenSpan) -> tuple[int, int]:
    """The first token of the mention's sentence and the one after it, within reach."""
    start, stop = span
    while start > 0 and span[0] - start < REACH and answer.tokens[start].gap != SENTENCE:
        start -= 1
    while stop < len(answer.tokens) and stop - span[1] < REACH:
        if answer.tokens[stop].gap == SENTENCE:
            break
        stop += 1
    return start, stop


def _sentence_behind(answer: Answer, stop: int) -> int:
    behind = stop
    while behind < len(answer.tokens) and behind - stop < NEXT_REACH:
        behind += 1
        if behind < len(answer.tokens) and answer.tokens[behind].gap == SENTENCE:
            break
    return behind


def _clause_edge(answer: Answer, place: int, limit: int, step: int) -> int:
    """Where the clause around a place ends in one direction: at a break or a new clause."""
    at = place
    while at != limit:
        if 0 < at < len(answer.tokens) and at != place:
            crosses = answer.clause[at] != answer.clause[at - 1]
            if answer.tokens[at].gap != NO_BREAK or crosses:
                break
        at += step
    return at


def _is_asked(answer: Answer, stop: int) -> bool:
    last = answer.tokens[stop - 1].last if stop else -1
    return last >= 0 and answer.words[last].rstrip("\"'”’)").endswith("?")
