"""The one parse of an answer: its tokens, sentences, clauses and spans, indexed for search."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

from server.grading.english import (
    ADVERBIAL,
    AUXILIARIES,
    CLAUSE_STARTS,
    DISFLUENCIES,
    DISFLUENT_PHRASES,
    FUNCTION_WORDS,
    PREFIX_WORDS,
    SUBJECTS,
    is_known_english,
    is_odd,
    word_class,
    word_set,
)
from server.grading.phones import WordPhones, phones_of_words
from server.grading.terms import Form, TermIndex
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE, Token, tokenize

Span = tuple[int, int]
"""First word and the word after the last."""

MIN_CLAUSE_WORDS: Final = 4
"""A shorter clause is joined to its neighbor."""
MAX_CLAUSE_WORDS: Final = 18
"""A longer one is cut, because it has no punctuation or its sentence does not end."""
MAX_SPAN_WORDS: Final = 40
_OPENERS: Final = word_class("openers")


def _word_gaps(words: Sequence[str], tokens: Sequence[Token]) -> list[int]:
    """The break before each word, and one at the end."""
    gaps = [NO_BREAK] * len(words) + [SENTENCE]
    for token in tokens:
        if not token.inside:
            gaps[token.first] = max(gaps[token.first], token.gap)
    return gaps


def spans_of(words: Sequence[str], tokens: Sequence[Token]) -> tuple[Span, ...]:
    """What is compared with a phrase: each clause, two in a row in a sentence, each sentence."""
    gaps = _word_gaps(words, tokens)
    found: set[Span] = set()
    clauses: list[Span] = []
    start = first = 0
    for at in range(len(words)):
        length = at + 1 - start
        ends = gaps[at + 1] == SENTENCE
        if not (ends or length >= MAX_CLAUSE_WORDS):
            opens = length >= MAX_CLAUSE_WORDS // 2 and words[at + 1].casefold() in _OPENERS
            if not (opens or (gaps[at + 1] == COMMA and length >= MIN_CLAUSE_WORDS)):
                continue
        if clauses and length < MIN_CLAUSE_WORDS:
            clauses[-1] = (clauses[-1][0], at + 1)
        else:
            clauses.append((start, at + 1))
        start = at + 1
        if ends:
            pairs = ((one[0], other[1]) for one, other in pairwise(clauses))
            found |= {*clauses, *pairs, (first, start)}
            clauses, first = [], start
    return tuple(sorted(span for span in found if span[1] - span[0] <= MAX_SPAN_WORDS))


TokenSpan = tuple[int, int]
"""First token and the token after the last."""

MIN_RUN_ON = 20
"""A text without punctuation is taken to be several sentences from this many tokens on."""
_SPACED_PREFIXES = word_set("non un semi self anti quasi pseudo")
_JOINED_PREFIXES = PREFIX_WORDS | {"micro", "macro", "multi", "cross"}
_PREFIXES = _SPACED_PREFIXES | _JOINED_PREFIXES
_MAX_REPEAT = 3
_MAX_JOINED = 3
"""Words into which a transcriber may split one; letters are joined up to ``_MAX_LETTERS``."""
_MAX_LETTERS = 8
_MAX_JOINED_CHARS = 24

_DISFLUENT_BY_FIRST: dict[str, list[tuple[str, ...]]] = {}
for _phrase in DISFLUENT_PHRASES:
    _DISFLUENT_BY_FIRST.setdefault(_phrase[0], []).append(_phrase)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's tokens and where to find them.

    Attributes:
        words: the answer's words as written.
        tokens: comparable tokens of them.
        by_text: token text → places; likewise ``by_lemma`` and ``by_family``.
        joined: text of neighboring tokens joined into one word → their places; only texts that
            occur in, or begin, the phrases that are searched for.
        symbols: term → places where it was said in any of its forms, and how.
        skipped: tokens without content: fillers, repeated starts, words broken off.
        adverbial: tokens that are part of an adverb ("in parallel").
        prefixed: tokens that a prefix before them turns into another word ("non-blocking").
        sentence: the number of each token's sentence; ``clause``: of its clause.
        phones: how the words sound; empty if only the spelling counts.
        odd: tokens that are neither English words nor terms, such as a transcriber writes when at a
            loss.
        keys: all texts, lemmas, families, symbols and joined texts.
        run_on: a longer text without any punctuation, so that its sentence ends are unknown.
        strict: whether only literal matches count (a rough transcript).
        spans: word ranges that may each say one thing, in order: clauses and sentences.
    """

    words: tuple[str, ...]
    tokens: tuple[Token, ...]
    by_text: dict[str, list[int]]
    by_lemma: dict[str, list[int]]
    by_family: dict[str, list[int]]
    joined: dict[str, list[TokenSpan]]
    symbols: dict[str, list[tuple[int, int, Form]]]
    skipped: frozenset[int]
    adverbial: frozenset[int]
    prefixed: frozenset[int]
    sentence: tuple[int, ...]
    clause: tuple[int, ...]
    phones: WordPhones
    odd: frozenset[int]
    keys: frozenset[str]
    run_on: bool
    strict: bool
    spans: tuple[Span, ...]

    def raw(self, place: int) -> str:
        """The token as it was written, in lower case; empty outside the answer."""
        return self.tokens[place].raw if 0 <= place < len(self.tokens) else ""

    def goes_on(self, place: int) -> bool:
        """Whether there is a token at ``place`` with no break before it."""
        return 0 <= place < len(self.tokens) and self.tokens[place].gap == NO_BREAK


class Openings(Protocol):
    """What will be searched for: the phrases of a question."""

    def may_go_on(self, text: str) -> bool:
        """Whether something that may be written in pieces begins with ``text``."""


def read_answer(
    words: Sequence[str],
    terms: TermIndex,
    phrases: Openings | None = None,
    *,
    strict: bool = False,
) -> Answer:
    """Tokenize and index an answer.

    Args:
        words: the answer's words in order, as written.
        terms: the lexicon's expansions and transcribers' spellings.
        phrases: what will be searched for; by default anything.
        strict: compare spelling only, without sound and without spelling variants of terms.
    """
    tokens = tokenize(words)
    by_text: dict[str, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        by_text[token.text].append(place)
    by_lemma: dict[str, list[int]] = defaultdict(list)
    by_family: dict[str, list[int]] = defaultdict(list)
    for places in by_text.values():
        by_lemma[tokens[places[0]].lemma] += places
        by_family[tokens[places[0]].family] += places
    skipped = _skipped(tokens)
    sentence, clause = _clauses(tokens)
    joined = _joined(tokens, skipped, phrases)
    symbols = terms.find(tokens, strict=strict)
    return Answer(
        words=tuple(words),
        tokens=tokens,
        by_text=dict(by_text),
        by_lemma=dict(by_lemma),
        by_family=dict(by_family),
        joined=joined,
        symbols=symbols,
        skipped=skipped,
        adverbial=frozenset(
            place
            for first, second in ADVERBIAL
            for place in by_text.get(second, ())
            if place and tokens[place - 1].text == first
        ),
        prefixed=_prefixed(by_text, tokens),
        sentence=sentence,
        clause=clause,
        phones=phones_of_words(() if strict else tokens),
        odd=frozenset(
            place
            for text, places in by_text.items()
            if is_odd(text) and text not in terms.known_words
            for place in places
        ),
        keys=frozenset().union(by_text, by_lemma, by_family, symbols, joined),
        run_on=len(tokens) >= MIN_RUN_ON and all(token.gap == NO_BREAK for token in tokens[1:]),
        strict=strict,
        spans=spans_of(words, tokens),
    )


def _prefixed(by_text: Mapping[str, Sequence[int]], tokens: Sequence[Token]) -> frozenset[int]:
    """The tokens that follow a prefix which turns them into another word."""
    behind = [
        place + 1
        for prefix in _PREFIXES & by_text.keys()
        for place in by_text[prefix]
        if place + 1 < len(tokens)
    ]
    return frozenset(
        place
        for place in behind
        if tokens[place - 1].text
        in (_JOINED_PREFIXES if tokens[place].inside else _SPACED_PREFIXES)
    )


def _clauses(tokens: Sequence[Token]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of each token's sentence and clause.

    A clause begins with a sentence, a conjunction ("because"), or a subject pronoun, at the "and"
    or comma before it.
    """
    sentence: list[int] = []
    clause: list[int] = []
    sentences = clauses = 0
    for place, token in enumerate(tokens):
        sentences += token.gap == SENTENCE
        opens = token.raw in ("and", "or") and _is_subject(tokens, place + 1)
        starts = token.gap == SENTENCE or token.raw in CLAUSE_STARTS
        clauses += starts or opens or (token.raw in SUBJECTS and _is_subject(tokens, place))
        sentence.append(sentences)
        clause.append(clauses)
    return tuple(sentence), tuple(clause)


def _is_subject(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token is a pronoun that opens a clause: "I", but not the I of "X I D"."""
    raw = tokens[place].raw if place < len(tokens) else ""
    if raw == "it":  # an object before a preposition or the end: "we restored it from there"
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if after is None or after.gap != NO_BREAK:
            return False
        return after.raw not in FUNCTION_WORDS or after.raw in AUXILIARIES
    if raw != "i":
        return raw in SUBJECTS
    around = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return not any(len(token.raw) == 1 and token.raw != "a" for token in around)


def _joined(
    tokens: Sequence[Token], skipped: frozenset[int], phrases: Openings | None
) -> dict[str, list[TokenSpan]]:
    """Neighboring tokens as one word: "check pointing", "F S D P"."""
    joined: dict[str, list[TokenSpan]] = defaultdict(list)
    texts = [token.text for token in tokens]
    for start, text in enumerate(texts):
        if phrases is not None and not phrases.may_go_on(text):
            continue
        whole, spelled = text, int(len(text) == 1)
        if text == "a" and start + 1 < len(texts) and len(texts[start + 1]) > 1:
            continue  # "a synchronous call" is not asynchronous
        for at in range(start + 1, min(len(texts), start + _MAX_LETTERS)):
            following = texts[at]
            words = at + 1 - start - spelled
            if words > _MAX_JOINED or tokens[at].gap == SENTENCE:
                break
            if tokens[at].gap and len(following) > 1:  # "in C, sharp and fast"
                break
            if len(following) == 1:
                spelled += 1
            elif at in skipped:
                continue
            whole += following
            if len(whole) > _MAX_JOINED_CHARS:
                break
            if phrases is not None and not phrases.may_go_on(whole):
                break
            joined[whole].append((start, at + 1))
    return dict(joined)


def _skipped(tokens: Sequence[Token]) -> frozenset[int]:
    out: set[int] = set()
    raws = tuple([token.raw for token in tokens])
    for place, token in enumerate(tokens):
        if token.cut or token.raw in DISFLUENCIES:
            out.add(place)
        if token.raw in _DISFLUENT_BY_FIRST:
            for phrase in _DISFLUENT_BY_FIRST[token.raw]:
                if raws[place : place + len(phrase)] == phrase:
                    out.update(range(place, place + len(phrase)))
    for place, (token, follower) in enumerate(pairwise(tokens)):  # "degra, degradation"
        if follower.gap != COMMA:
            continue
        longer = len(follower.text) > len(token.text) > 2 and follower.text.startswith(token.text)
        if longer and not is_known_english(token.text):
            out.add(place)
    # "the model, the model": the first one has no content
    live = [place for place in range(len(tokens)) if place not in out]
    texts = [tokens[place].text for place in live]
    for size in range(1, _MAX_REPEAT + 1):
        for at, (text, again) in enumerate(zip(texts, texts[size:], strict=False)):
            if text != again or text.isdecimal():
                continue
            repeats = texts[at : at + size] == texts[at + size : at + 2 * size]
            if repeats and tokens[live[at + size]].gap != SENTENCE:
                out.update(live[at : at + size])
    return frozenset(out)
