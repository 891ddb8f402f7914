"""Checks of subjects and pronouns: the one that is missing, the one too many, the wrong one."""

import re
from collections.abc import Iterator
from typing import Any

from server.language.proposals import NO_DOUBT, Edit, Sentence, check
from server.language.words import inflect, listed, lists

_PERSON = re.compile(r"[a-z]{3}(er|or|ist|cian|ant|ent|man|woman|body|one)$")
_FINITE = ("VBZ", "VBD", "VBP", "MD")
_SAYING = listed("saying_verbs")


def _main_verb(token: Any) -> Any:
    """The verb that an auxiliary belongs to; any other is its own."""
    return token.head if token.dep_ in ("aux", "auxpass") else token


def _is_subjectless(token: Any) -> bool:
    """Whether a finite verb has no subject."""
    kinds = ("nsubj", "nsubjpass", "expl", "csubj", "csubjpass")
    return not any(c.dep_ in kinds for each in (token, _main_verb(token)) for c in each.children)


def _fronted(s: Sentence, at: int) -> bool:
    """Whether only an opening phrase or clause stands before a verb: "in my view is"."""
    verb = _main_verb(s.doc[at])
    kinds = ("prep", "npadvmod", "advmod", "advcl", "mark", "cc", "punct", "ccomp", "dep")
    left = [c for c in verb.lefts if c.i < at]
    return bool(left) and left[-1].right_edge.i == at - 1 and all(c.dep_ in kinds for c in left)


_REASONS = ("because", "so", "if", "when", "since")


@check("subject-missing")
def _missing_subject(s: Sentence) -> Iterator[Edit]:
    for token in s.doc[1:]:
        at, word = token.i, token.lower_
        begin = at - (s.word(at - 1) in ("never", "always", "also", "even", "just"))
        before = s.word(begin - 1)
        verb = _main_verb(token)
        lemma = verb.lemma_.lower()
        if (
            token.tag_ not in _FINITE
            or token.text.startswith(("'", "’"))
            or before in ("as", "than")
        ):
            continue
        after = at + 1
        while s.word(after) in listed("between_be_and_adjective"):
            after += 1
        adjective = s.pos(after) == "ADJ" and lemma == "be"
        outside = adjective and any(
            s.word(p) in ("to", "that") for p in (after + 1, after + 2, after + 3)
        )
        told = outside and before == "that"  # "you know that didn't help" is right
        told = told and any(s.lemma(at - back) in _SAYING for back in (2, 3))
        told = told or (before == "that" and s.lemma(at - 2) == "be" and s.pos(at - 3) == "NOUN")
        if before == "that" and not told:
            continue
        subjectless = _is_subjectless(token) or (told and s.doc[at - 1].dep_ != "relcl")
        time = s.subject(token)
        timed = (
            time is not None
            and token.tag_ == "MD"
            and time.right_edge.i == at - 1
            and time.lemma_.lower() in listed("spans", "times_of_subject")
        )
        if not (subjectless or timed) or s.asks or token.dep_ in ("relcl", "acl"):
            continue
        opener = before in listed("clause_openers") or s.tag(begin - 1) in ("IN", "WRB")
        said = s.lemma(at - 1) in _SAYING and s.pos(at - 1) == "VERB"
        joined = before in ("and", "or", "but", "then") or (before == "," and verb.dep_ == "conj")
        if not (opener or said or joined or told or timed or _fronted(s, at)) or s.pos(0) in _VERBS:
            continue
        impersonal = lemma in listed("impersonal_verbs") or outside
        if outside:
            strength = 1.0
        elif joined and not told:
            strength = 0.7 if before == "but" and impersonal and token.tag_ != "MD" else -0.7
        else:
            plain = lemma == "be" or token.tag_ == "MD" or impersonal
            strength = 0.9 if plain else 0.7 if before in _REASONS else 0.6
        there = s.word(after) in listed("after_there") or s.tag(after) in ("CD", "NNS")
        if lemma == "be" and there and verb is token:
            yield begin, begin, "there", strength
            strength -= 0.2
        yield begin, begin, "it", strength
        if not outside and not adjective and strength > 0:
            for who in ("he", "she", "they", "we", "I"):
                third = who in ("he", "she")
                fits = token.tag_ in ("VBD", "MD") or (token.tag_ == "VBZ") == third
                if fits and word not in ("is", "are"):
                    yield begin, begin, who, strength if before in _REASONS else 0.5
    for at in range(1, len(s)):  # "in my team is a rule", "here are many"
        token = s.doc[at]
        if token.lemma_ == "be" and token.tag_ != "VB" and s.subject(token) is None:
            strength = 0.9 if s.word(at + 1) in listed("after_there") else 0.6
            named = s.tag(at + 1) in ("DT", "CD", "JJ", "NNS")
            yield at, at, "there", strength if s.pos(0) == "ADP" and named else -0.7
    if len(s) > 3 and s.word(0) in ("is", "was") and not s.asks:
        yield 0, 1, f"it {s.word(0)}", 1.0
        if s.word(1) in ("a", "an", "many", "no", "two", "some"):
            yield 0, 1, f"there {s.word(0)}", 0.8


@check("verb-missing")
def _missing_be(s: Sentence) -> Iterator[Edit]:
    pronouns = listed("subject_pronouns")
    for at in range(1, len(s)):
        before, word = s.word(at - 1), s.word(at)
        adjective = s.pos(at) == "ADJ" or word in listed("be_is_missing_before")
        if before in pronouns and adjective and s.tag(at - 1) in ("PRP", "DT", "WP", "WDT", "EX"):
            if (s.tag(at - 1) == "DT" and s.pos(at - 1) == "DET") or word in (
                "all",
                "both",
                "same",
                "many",
            ):
                continue
            head = s.doc[at - 1].head
            verbless = not any(
                t.pos_ in ("AUX", "VERB") and t.tag_ in ("VBP", "VBZ", "VBD", "MD")
                for t in s.doc[at : at + 3]
            )
            inside = at > 1 and before not in ("i", "we", "he", "she", "they")  # "made it worse"
            if not verbless or inside or head.pos_ in ("VERB", "ADP"):
                continue
            for be in (
                ("am", "was")
                if before == "i"
                else ("are", "were")
                if before in ("we", "you", "they", "these", "those")
                else ("is", "was")
            ):
                yield at, at, be, 0.7
        if (
            s.tag(at) == "VBN"
            and s.pos(at - 1) in ("NOUN", "PRON")
            and s.word(at + 1) in ("by",)
            and (
                s.doc[at].dep_ in ("ROOT", "conj", "ccomp", "advcl")
                or not any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in s.doc)
            )
        ):
            be = "were" if s.tag(at - 1) == "NNS" or before in ("we", "they") else "was"
            yield at, at, be, 0.8
        if (
            s.tag(at) == "VBN"
            and before in ("i", "we", "they", "you", "he", "she", "it")
            and s.doc[at].dep_ in ("ROOT", "conj", "ccomp", "advcl")
            and inflect(s.lemma(at), "VBD") != word
        ):
            yield at, at, "has" if before in ("he", "she", "it") else "have", 0.7


_POSSESSIVE: dict[str, str] = lists().raw["possessive_of"]
_OBJECT = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}


_VERBS = ("VERB", "AUX")
_SELF = {"me": "myself", "us": "ourselves", "them": "themselves"}
_SEXED = {
    "he": ("she", "it"),
    "him": ("her", "it"),
    "his": ("her", "its"),
    "she": ("he", "it"),
}


def _other_sex(s: Sentence, at: int) -> Iterator[Edit]:
    """By the nouns that the sentence names before: "my sister … his team", "the database … he"."""
    word = s.word(at)
    other, thing = _SEXED[word]
    nouns = [t for t in s.doc[:at] if t.pos_ in ("NOUN", "PROPN") and t.head.i != at]
    women = any(t.lemma_.lower() in listed("women") for t in nouns)
    men = any(t.lemma_.lower() in listed("men") for t in nouns)
    pronouns = set(s.low[:at]) & listed("persons_named")
    others = [t for t in nouns if t.lemma_.lower() in listed("persons") or t.tag_ == "NNP"]
    others = [t for t in others if t.dep_ not in ("nsubj", "attr") or t.head.lemma_ != "be"]
    others = [t for t in others if t.tag_ != "NNP" or t.dep_ != "pobj"]
    if pronouns or s.people_before:
        return
    if women != men:
        if women == (word != "she"):
            yield at, at + 1, other, 0.3 if others else 1.0
        return
    if not women and not others and nouns and nouns[0].dep_ in ("nsubj", "nsubjpass"):
        known = nouns[0].lemma_.lower() in listed("things")
        verb = s.doc[at].head
        touched = word != "him" or verb.lemma_ not in listed("said_to_persons")
        if (known or not _PERSON.search(nouns[0].lower_)) and touched:
            yield at, at + 1, thing, 0.9 if known else 0.5


@check("pronoun")
def _pronoun(s: Sentence) -> Iterator[Edit]:
    persons, things = listed("persons"), listed("things")
    if s.word(0) == "myself" and s.tag(1) in ("NNP", "NN"):
        yield 0, 1, "I'm", NO_DOUBT
    for token in s.doc:
        at, word = token.i, token.lower_
        before = s.doc[at - 1] if at else None
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        if word in _SEXED:
            yield from _other_sex(s, at)
        if (
            word in _OBJECT
            and before is not None
            and (before.pos_ in ("VERB", "ADP"))
            and token.dep_ in ("dobj", "pobj", "dative")
        ):
            yield at, at + 1, _OBJECT[word], 1.0
        doer = s.subject(before) if before is not None and before.pos_ == "VERB" else None
        if word in _SELF and doer is not None and _OBJECT.get(doer.lower_) == word:
            yield at, at + 1, _SELF[word], 0.8
            yield at, at + 1, "", 0.7
            if word in ("us", "them"):
                yield at, at + 1, "each other", 0.9
        if (
            word in ("he", "she", "it", "they", "we")
            and before is not None
            and nxt is not None
            and nxt.tag_ in ("VBP", "VBZ", "VBD", "MD")
            and before.pos_ in ("NOUN", "PROPN")
        ):
            # "my manager he said": the noun before is the subject as well
            first = at - 1
            while first and s.pos(first - 1) in ("DET", "ADJ", "NOUN", "PROPN", "PRON"):
                first -= 1
            if first == 0 or s.doc[first - 1].is_punct or s.pos(first - 1) in ("SCONJ", "CCONJ"):
                yield at, at + 1, "", 0.7
        if (
            word in ("which", "that", "who")
            and before is not None
            and before.pos_ in ("NOUN", "PRON")
        ):
            noun = before.lemma_.lower()
            if noun in persons and word == "which":
                yield at, at + 1, "who", 1.0
                yield at, at + 1, "that", 0.7
            if noun in things and word == "who":
                yield at, at + 1, "that", 1.0
                yield at, at + 1, "which", 0.7
        if (
            word == "what"
            and before is not None
            and (
                before.pos_ == "NOUN"
                or before.lower_ in ("all", "everything", "something", "nothing", "anything")
            )
        ):
            yield at, at + 1, "that", 1.0
        if (
            (
                token.pos_ == "VERB"
                and token.lemma_.lower() in ("find", "make", "consider", "think")
                and nxt is not None
            )
            and nxt.pos_ == "ADJ"
            and s.word(at + 2) in ("to", "that")
        ):
            yield at + 1, at + 1, "it", 0.8
