"""Whether words of one clause belong together the way the words of a phrase do.

"Checkpointing of the gradient", "we quantize the weights" and "the weights are quantized" say what
"gradient checkpointing" and "weight quantization" say: a genitive, a verb and its object, or a
passive ties the words. "Control over the flow" and "the gang met on Friday" do not.
"""

from collections.abc import Sequence
from itertools import pairwise

from server.grading.answer import Answer
from server.grading.lexis.vocabulary import (
    ARTICLES,
    AUXILIARIES,
    FUNCTION_WORDS,
    SUBJECTS,
    contrast,
)
from server.grading.lexis.words import is_only_verb, parts_of_speech, word_set
from server.grading.proposals import Place
from server.grading.sense.thresholds import (
    COST_OF_TURNING,
    COST_OF_WORD,
    MAX_JOINT_WORDS,
    MAX_PRONOUN_WORDS,
    MAX_TURNS,
    MAX_WORDS_BETWEEN,
    MAX_WORDS_BETWEEN_GENERIC,
    MAX_WORDS_BETWEEN_TELLING,
    MIN_UNITS_FOR_CLOSENESS,
)
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE
from server.grading.units import Tier, Unit, Variant

_BEING = word_set("is are was were be been being get gets got become becomes stay stays remain")
_HAVING = word_set("has have had with carry carries gets")
_ADVERBS = word_set("""
    not never also then often always usually just only even now already still really very quite too
    so more less mostly all both each either again
    """)
_AUXILIARY = _ADVERBS | _BEING | AUXILIARIES | word_set("it's they're to need needs needed")
_BEFORE_A_VERB = SUBJECTS | _AUXILIARY | word_set("please let's and then")
_GENITIVES = word_set("of for in on per between among from by at to into across within")
"""Prepositions that introduce what a noun is about: "the limit on requests"."""
_WITH = word_set("with through as against")
_OBJECTS = word_set("it them him her us me you")
_IN = word_set("in inside on of")
_ORDERING = word_set("to from versus")
_AND = word_set("and or")
_RELATIVE = word_set("that which")
_DETERMINERS = ARTICLES | word_set("all both each every most many much several no one two other")
PARTICLES = word_set("back out up down off over")


def contiguous(answer: Answer, variant: Variant, places: Sequence[Place]) -> bool:
    """Whether only fillers and the phrase's own words are between the places, in order.

    A comma is allowed between two words, but not before an article: "drain, the node" is two
        things.
    """
    for left, right in pairwise(places):
        passed = variant.units[left.last : right.first]
        between = {answer.tokens[place].text for place in range(left.end, right.start)}
        if right.first < left.last or any(
            not unit.optional or unit.text not in between for unit in passed
        ):
            return False
        for place in range(left.end, right.start):
            token = answer.tokens[place]
            if place in answer.skipped:
                continue
            if token.text not in variant.texts or token.gap != NO_BREAK:
                return False
        if right.start > left.end and answer.tokens[right.start].gap == SENTENCE:
            return False
    return True


def tie_cost(answer: Answer, variant: Variant, places: Sequence[Place]) -> float | None:
    """How loosely the places are tied, 0 being the tightest; ``None`` if they are not tied."""
    if variant.joint:
        apart = places[-1].start - places[0].end
        return COST_OF_WORD if apart <= MAX_JOINT_WORDS else None
    needed = [unit for unit in variant.units if not unit.optional]
    generic = all(unit.weight < 1.0 for unit in needed)
    limit = MAX_WORDS_BETWEEN_GENERIC if generic else MAX_WORDS_BETWEEN
    starts = frozenset(place.start for place in places)
    cost, turns = 0.0, 0
    for left, right in pairwise(places):
        gap = _Gap(answer, variant, left, right, starts)
        if gap.comma and not (gap.listed or gap.is_taken_up()):
            return None
        if gap.apart:
            words = 0 if gap.is_taken_up() else gap.relative_words()
        else:
            words = gap.turned_words() if gap.turned else gap.ordered_words()
        if words is None and not gap.apart and len(needed) >= MIN_UNITS_FOR_CLOSENESS:
            words = gap.close_words()
        telling = gap.turned and variant.units[left.first].rare
        most = MAX_WORDS_BETWEEN_TELLING if telling else MAX_WORDS_BETWEEN if gap.turned else limit
        if words is None or words > most:
            return None
        turns += gap.turned
        cost += COST_OF_WORD * words + COST_OF_TURNING * gap.turned
    if turns > (MAX_TURNS if len(needed) >= MIN_UNITS_FOR_CLOSENESS else 1):
        return None
    return cost + COST_OF_WORD


class _Gap:
    """What separates two neighboring places of a phrase.

    Attributes:
        turned: the two are in the reverse order of the phrase.
        comma: a comma is between them, other than around a filler.
        apart: they are in two clauses.
        listed: they may be parts of an enumeration ("gradient and activation checkpointing").
    """

    def __init__(
        self,
        answer: Answer,
        variant: Variant,
        left: Place,
        right: Place,
        starts: frozenset[int],
    ) -> None:
        self.answer, self.left, self.right, self._starts = answer, left, right, starts
        self.units, self.texts = variant.units, variant.texts
        tokens = answer.tokens
        self.turned = right.first < left.first
        self.at = [place for place in range(left.end, right.start) if place not in answer.skipped]
        self.raws = [tokens[place].raw for place in self.at]
        self.comma = len(self.at) == right.start - left.end and any(
            tokens[place].gap == COMMA for place in range(left.end, right.start + 1)
        )
        self.apart = answer.clause[left.start] != answer.clause[right.start]
        self.listed = any(raw in _AND for raw in self.raws[:-1])

    def ordered_words(self) -> int | None:
        """How many content words are between two words in the phrase's order, if they are tied."""
        if not self.raws:
            return 0
        if self._glued() or self._contrasts():
            return None
        unit = self.units[self.right.first]
        if unit.text in PARTICLES and self.right.first == self.left.last:
            return self._count(allowed=_DETERMINERS | _BEING)  # "roll the change back"
        if self.listed:
            plain = self._count(allowed=_AND | ARTICLES)
            return plain - 1 if plain and self.raws[-1] not in FUNCTION_WORDS else None
        if all(raw in _AUXILIARY for raw in self.raws):  # "the weights are quantized"
            return 0 if self._is_predicate() else None
        if self.raws == ["of"] and unit.glued:  # "big O of one"
            return 0
        if self.raws[-1] in _AUXILIARY - {"to"} and self._is_predicate():
            # "the state file is locked", "data from the future is leaking"
            return self._count(allowed=_AUXILIARY | _GENITIVES | _DETERMINERS)
        if self.raws[0] in _BEING:  # "the schemas are in a registry"
            return (
                None if self._qualifies_another() else self._count(allowed=_BEING | _IN | ARTICLES)
            )
        if self.raws[0] in _HAVING:  # "each partition has its limit"
            return self._count(allowed=_DETERMINERS | _HAVING)
        if self.raws[0] in ("in", "inside", "on") and self._said_as_verb():  # "shuffle in a buffer"
            return None if self._qualifies_another() else self._count(allowed=_DETERMINERS | _IN)
        own = {text for text in self.texts if text in FUNCTION_WORDS}
        if own & _GENITIVES:  # "resume from the latest checkpoint", "promote them to production"
            return self._count(allowed=_DETERMINERS | _AUXILIARY | _GENITIVES | _OBJECTS | own)
        if own & set(self.raws) or self._takes_object():
            return self._count(allowed=_DETERMINERS | _OBJECTS | own)
        return self._count(allowed=frozenset())

    def turned_words(self) -> int | None:
        """The same in reverse order: the head of the phrase comes first."""
        answer, left, right = self.answer, self.left, self.right
        head, other = self.units[left.first], self.units[right.first]
        particle = head.text in PARTICLES or (right.first and other.text in PARTICLES)
        if other.text.isdecimal():  # "an oversubscription of 2 to 1"
            return 0 if self.raws in (["of"], ["is"], ["was"]) else None
        if particle:
            return None
        if self._glued() or self._is_sibling(other):
            return None
        raw = answer.raw(right.end - 1)
        if all(word in _AUXILIARY | _DETERMINERS | {"by", "in", "on"} for word in self.raws):
            if raw.endswith("ly"):  # "it scales very horizontally"
                return 0
            if any(word in _BEING or word.endswith("'s") for word in self.raws):
                done = raw.endswith("ed") or not self._qualifies_another()
                return 0 if done else None  # "the pool is warm"
        if not self.raws and raw.endswith(("ed", "ing")):  # "hosts reserved for a year"
            return 0
        if self.raws[-1:] and self.raws[-1] in _BEING and self._is_predicate():
            # "training with the parameter server was asynchronous"
            links = _GENITIVES | _DETERMINERS | _BEING | {"with"}
            return None if self._qualifies_another() else self._count(allowed=links)
        if not self.raws and parts_of_speech(raw) == {"ADJ"}:  # "a back off exponential"
            return None if self._qualifies_another() else 0
        if self.raws[:1] and self.raws[0] in _RELATIVE:
            words = [word for word in self.raws[1:] if word not in _AUXILIARY]
            return len(words) if not self._qualifies_another() else None
        if self._qualifies_another():
            return None
        verb = self._said_as_verb()
        links = _GENITIVES | (
            {"with", "through", "as", "it", "them"} if verb or head.deverbal else set()
        )
        if any(word in links for word in self.raws):
            return self._count(allowed=_DETERMINERS | _ADVERBS | links)
        return self._count(allowed=_DETERMINERS | _ADVERBS) if verb else None

    def relative_words(self) -> int | None:
        """The same if a relative clause says what is done: "the impact (which) we measured"."""
        words = self.raws[self.raws[:1] in (["which"], ["that"]) :]
        pronoun = words[:1] in (["we"], ["i"], ["they"], ["you"])
        verb = self.answer.raw(self.right.end - 1)
        done = verb.endswith(("ed", "en")) or is_only_verb(verb)
        done = done or (pronoun and "VERB" in parts_of_speech(verb))
        fits = pronoun and all(word in _AUXILIARY for word in words[1:])
        return 0 if fits and done and not self._qualifies_another() else None

    def is_taken_up(self) -> bool:
        """Whether the verb refers back to its object: "if a node is sick I drain it"."""
        answer, right = self.answer, self.right
        verb, after = answer.raw(right.end - 1), answer.raw(right.end)
        if self.turned or not self.apart or len(self.raws) > MAX_PRONOUN_WORDS:
            return False
        before = [answer.raw(place) for place in (right.start - 2, right.start - 1)]
        if after in ("it", "them") and answer.goes_on(right.end):
            return before[-1] in _BEFORE_A_VERB and "VERB" in (parts_of_speech(verb) or {"VERB"})
        done = before[0] in ("it", "they") and before[1] in _BEING
        return verb.endswith(("ed", "en")) and (done or before[1] in ("it's", "they're"))

    def close_words(self) -> int | None:
        """How many words are between two of several: no verb of another statement, no pronoun."""
        left, right = (self.units[place.first] for place in (self.left, self.right))
        particle = self.right.first > 0 and right.text in PARTICLES
        particle = particle or (left.text in PARTICLES and self.right.first + 1 == self.left.first)
        if particle or (self.turned and self._is_ordered_by_nature({left.text, right.text})):
            return None
        if self._glued() or self._contrasts():
            return None
        links = _GENITIVES | _AND | _HAVING | _RELATIVE | {"through", "via", "as"}
        return self._count(allowed=_DETERMINERS | _AUXILIARY | links)

    def _count(self, *, allowed: frozenset[str]) -> int | None:
        """Content words in the gap; ``None`` if it has a forbidden function word or verb."""
        words = [raw for raw in self.raws if raw not in allowed]
        if any(raw in FUNCTION_WORDS or is_only_verb(raw) for raw in words):
            return None
        return len(words)

    def _glued(self) -> bool:
        unit = self.units[self.right.first]
        apart = [raw for raw in self.raws if raw != "of" and raw not in self.texts]
        return unit.glued and self.right.first == self.left.last and bool(apart)

    def _is_ordered_by_nature(self, texts: set[str]) -> bool:
        """Whether the phrase has a number or a "to", which fix the order of its words."""
        return any(text.isdecimal() for text in texts) or not _ORDERING.isdisjoint(self.texts)

    def _contrasts(self) -> bool:
        return not self.listed and any(
            contrast(self.units[place.first].lemma, self.answer.tokens[at].lemma)
            for at in self.at
            for place in (self.left, self.right)
        )

    def _is_sibling(self, other: Unit) -> bool:
        """Whether the head has another qualifier: "tensor parallelism for the data"."""
        before = self.left.start - 1
        return self.answer.goes_on(self.left.start) and contrast(
            other.lemma, self.answer.tokens[before].lemma
        )

    def _takes_object(self) -> bool:
        """Whether the left word is a verb, in the phrase ("drain the node") or as it was said."""
        unit, said = self.units[self.left.first], self.answer.tokens[self.left.start]
        if "VERB" not in parts_of_speech(unit.lemma):
            return False
        if said.lemma == unit.lemma and not ARTICLES.isdisjoint(self.texts):
            return True
        qualifying = unit.text.endswith(("ed", "en", "ing"))  # "we stream the dataset"
        return qualifying and said.text != unit.text and self._said_as_verb()

    def _said_as_verb(self) -> bool:
        """Whether the head of the phrase was said as a verb: "we quantize the weights"."""
        unit, said = self.units[self.left.first], self.answer.tokens[self.left.start]
        if said.raw.endswith(("ing", "ed")) or is_only_verb(said.raw):
            return True
        if "VERB" not in (parts_of_speech(said.raw) or {"VERB"}):
            return False
        before = self.answer.raw(self.left.start - 1)
        return bool(
            self.left.tier is Tier.DERIVED
            or before in _BEFORE_A_VERB
            or (self.raws[:1] and self.raws[0] in ARTICLES)
            or (said.text != unit.text and unit.deverbal)
        )

    def _is_predicate(self) -> bool:
        """Whether the right word says what is done with the left one, or how it is."""
        raw = self.answer.raw(self.right.end - 1)
        if raw.endswith(("ed", "ing", "en")) or is_only_verb(raw):
            return True
        if any(word in _BEING or word.endswith("'s") for word in self.raws):
            return "ADJ" in parts_of_speech(raw)
        return "VERB" in (parts_of_speech(raw) or {"VERB"})

    def _qualifies_another(self) -> bool:
        """Whether the right word goes with a noun that follows: "in a cold winter"."""
        answer, end = self.answer, self.right.end
        if not answer.goes_on(end) or end in answer.skipped or end in self._starts:
            return False
        if answer.clause[end] != answer.clause[self.right.start]:
            return False
        raw = answer.raw(end)
        if raw in FUNCTION_WORDS | _AUXILIARY | {"one", "ones"} or raw.endswith("ly"):
            return False
        parts = parts_of_speech(raw) or {"NOUN"}
        return "NOUN" in parts and "ADV" not in parts and not answer.tokens[end].text.isdecimal()
