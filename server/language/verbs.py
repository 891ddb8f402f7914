"""Checks of verbs: agreement, forms, tenses with their times, conditionals, questions, negation."""

import re
from collections.abc import Iterator
from typing import Any

from lemminflect import getAllLemmas  # type: ignore[import-untyped]

from server.language.proposals import Edit, Sentence, check
from server.language.words import MODALS, inflect, listed, lists, word_set

_PAST_TIME = re.compile(
    r"\b(yesterday|ago|last (week|month|year|night|time|summer|monday|tuesday|wednesday|thursday"
    r"|friday|spring|winter|quarter|sprint)"
    r"|in (19|20)\d\d|when i (was|joined|started)|at that time|back then|in the past)\b",
    re.I,
)
_PERIOD = re.compile(
    r"\b(since|for) (about |almost |more than |over |the last |the past |nearly )?([a-z]+ )?"
    r"(\d+|two|three|four|five|six|seven|eight|nine|ten|many|several|a|some|few|about|almost|more|years|i|long|last|january|"
    r"february|march|april|may|june|july|august|september|october|november|december|monday|childhood|then|the)\b",
    re.I,
)
_LENGTHS = word_set(
    """
    year years month months week weeks day days hour hours minute minutes time decade decades
    while
    """
)
_NUMBERS = word_set(
    """
    a an one two three four five six seven eight nine ten many several some few couple long
    almost about over more nearly past twenty thirty
    """
)
_MONTHS = word_set(
    """
    january february march april may june july august september october november december
    """
)
_PLURAL_SUBJECTS = word_set("we they you these those people both many several")
_SINGULAR_SUBJECTS = word_set(
    """
    he she it this everyone everybody someone somebody nobody everything something nothing
    anyone anybody anything each
    """
)
_EITHER = word_set(
    """
    lot couple number team majority bunch data rest half variety group staff police none family
    company kind any all most some that which who what more
    """
)
_CONTRACTED = {"'s", "'re", "'m", "'ve", "'d", "'ll", "’s", "’re", "’m", "’ve", "’d", "’ll"}
_VERB_TAGS = ("VB", "VBP", "VBZ", "VBD", "VBG", "VBN")
_CONDITIONS = word_set("if when unless once until before after whenever")


def number_of(subject: Any) -> str | None:
    """The number: "i", "s" for singular, "p" for plural; None where it may be either."""
    low = subject.lower_
    if any(child.dep_ == "conj" for child in subject.children):
        return (
            "p" if any(c.lower_ == "and" for c in subject.children) and low not in ("or",) else None
        )
    if low == "i":
        return "i"
    if low in _PLURAL_SUBJECTS:
        return "p"
    if low in _SINGULAR_SUBJECTS:
        return "s"
    if low in _EITHER:
        return None
    if subject.tag_ in ("NNS", "NNPS"):
        return None if low in lists().words("no_singular") else "p"
    if subject.tag_ in ("NN", "VBG"):
        return "s"
    return None


@check("agreement")
def _agreement(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        at, low, lemma = token.i, token.lower_, token.lemma_.lower()
        if token.tag_ not in ("VBP", "VBZ", "VBD", "VB") or low in _CONTRACTED:
            continue
        if s.word(at - 1) in MODALS | {"to", "n't", "not", "do", "does", "did", "let", "'d"}:
            if not (
                lemma in ("be", "have", "do")
                and token.pos_ == "AUX"
                and s.word(at - 1) not in MODALS | {"to"}
            ):
                continue
        if token.tag_ == "VBD" and lemma != "be":
            continue
        if token.tag_ == "VB" and token.dep_ not in (
            "ROOT",
            "ccomp",
            "advcl",
            "relcl",
            "conj",
            "acl",
            "aux",
        ):
            continue
        others = _others_in_number(low, lemma, token.tag_)
        subject = s.subject(token)
        relative = subject is not None and subject.lower_ in ("which", "that", "who")
        if relative and token.head.pos_ in ("NOUN", "PRON") and token.dep_ == "relcl":
            subject = token.head
        there = s.word(at - 1) == "there" or (s.word(at + 1) == "there" and lemma == "be")
        singular = low in ("is", "was", "has", "does") or token.tag_ == "VBZ"
        if there and lemma == "be":
            begin = at + 1 if s.word(at - 1) == "there" else at + 2
            noun = next((t for t in s.doc[begin : begin + 6] if t.tag_ in ("NN", "NNS")), None)
            number = None if noun is None else "p" if noun.tag_ == "NNS" else None
            if noun is not None and noun.tag_ == "NN" and s.word(begin) in ("a", "an", "one", "no"):
                number = "s"
        else:
            number = number_of(subject) if subject is not None else None
        for other in others:
            if number is None:
                strength = 0.0
            elif number == "p":
                strength = 1.0 if singular else -1.0
            elif number == "i":
                strength = 1.0 if (singular and low != "was") or low in ("are", "were") else -1.0
                if (low in ("is", "are") and other != "am") or (low == "were" and other != "was"):
                    continue
            else:
                strength = 1.0 if not singular else -1.0
                if (
                    low == "were"
                    and s.word(at - 1) in ("it", "he", "she", "i")
                    and any(w in ("if", "as", "wish", "though") for w in s.low[:at])
                ):
                    strength = -1.0
            if relative and strength == 1.0:
                strength = 0.6
            yield at, at + 1, other, strength
    for at in range(len(s) - 2):  # "every servers have"
        if (
            s.word(at) in ("each", "every")
            and s.tag(at + 1) in ("NN", "NNS")
            and s.tag(at + 2) in ("VBP", "VBZ")
        ):
            yield (
                at + 1,
                at + 3,
                f"{inflect(s.lemma(at + 1), 'NN')} {inflect(s.lemma(at + 2), 'VBZ')}",
                1.0,
            )


def _others_in_number(low: str, lemma: str, tag: str) -> list[str]:
    if lemma == "be":
        return {
            "is": ["are", "am"],
            "are": ["is", "am"],
            "am": ["is", "are"],
            "was": ["were"],
            "were": ["was"],
            "be": ["is", "are"],
        }.get(low, [])
    if tag == "VBZ":
        return [inflect(lemma, "VB")]
    return [inflect(lemma, "VBZ")]


@check("verb-form")
def _after_auxiliary(s: Sentence) -> Iterator[Edit]:
    """After modals, "do" and "to" the base form; after "have" the participle."""
    for token in s.doc:
        at, low, lemma = token.i, token.lower_, token.lemma_.lower()
        if low in _CONTRACTED or not token.text.isalpha():
            continue
        verb = token.tag_ in _VERB_TAGS or "VERB" in getAllLemmas(low)
        if not verb:
            continue
        if token.tag_ not in _VERB_TAGS:
            lemma = getAllLemmas(low)["VERB"][0]
        before, far = s.word(at - 1), s.word(at - 2)
        helper = far if before in ("n't", "not") or s.tag(at - 1) == "RB" else before
        if s.tag(at - 1) == "PRP" and s.word(at - 2) in MODALS | {"did", "does", "do"} and at > 1:
            question = s.asks or s.word(at - 3) in (
                "",
                "what",
                "how",
                "why",
                "when",
                "where",
                "who",
            )
            helper = far if question else helper
        base = inflect(lemma, "VB")
        do = helper in ("do", "does", "did") and token.i - 1 >= 0
        if ((helper in MODALS and helper not in ("'d",)) or do) and (
            low != base
            and token.tag_ in _VERB_TAGS
            and not (helper in ("do", "does", "did") and token.tag_ == "VBG" and before == helper)
        ):
            yield at, at + 1, base, 1.0
        if (
            before == "to"
            and s.pos(at - 1) == "PART"
            and low != base
            and token.tag_ in ("VBD", "VBN", "VBZ", "VBP")
        ):
            yield at, at + 1, base, 1.0
        if (
            helper in ("have", "has", "had", "'ve")
            and token.tag_ in ("VBD", "VB", "VBP", "VBZ", "NN", "VBN")
            and lemma not in ("have",)
        ):
            participle = inflect(lemma, "VBN")
            if (
                participle != low
                and before != "to"
                and (token.tag_ != "NN" or base in ("work", "change", "use", "test", "change"))
            ):
                yield at, at + 1, participle, 1.0 if token.tag_ in ("VBD",) else 0.6
        if helper in ("have", "has", "'ve") and token.tag_ == "VBG":
            yield at, at, "been", 0.7
            yield at, at + 1, inflect(lemma, "VBN"), 0.5
        be = (
            s.lemma(at - 1) == "be"
            or before in ("'m", "'re")
            or (s.lemma(at - 2) == "be" and s.tag(at - 1) == "RB")
        )
        if be and token.tag_ in ("VB", "VBP", "NN", "VBD", "VBZ") and base and lemma != "be":
            yield at, at + 1, inflect(lemma, "VBG"), 0.5
            if inflect(lemma, "VBN") != low:
                yield at, at + 1, inflect(lemma, "VBN"), 0.5
            if (
                s.word(at - 1) in ("am", "is", "are", "'m", "'re", "'s", "was", "were")
                and token.tag_ != "NN"
            ):
                past = s.word(at - 1) in ("was", "were")
                form = inflect(
                    lemma, "VBD" if past else "VBZ" if s.word(at - 1) in ("is", "'s") else "VBP"
                )
                yield (
                    at - 1,
                    at + 1,
                    form,
                    1.0 if lemma in listed("never_with_be") else 0.5,
                )
        if be and token.tag_ in ("VBN", "VBD") and lemma in lists().words("intransitive"):
            was = s.word(at - 1)
            if was in ("is", "are", "was", "were", "'s", "'re", "been"):
                form = inflect(
                    lemma,
                    "VBN"
                    if was == "been"
                    else "VBD"
                    if was in ("was", "were")
                    else "VBZ"
                    if was in ("is", "'s")
                    else "VBP",
                )
                yield at - 1, at + 1, form, 1.0
                if was in ("is", "are"):
                    yield at - 1, at + 1, inflect(lemma, "VBD"), 0.7
        if (
            s.pos(at - 1) == "ADP"
            and before not in ("to", "but", "than", "except")
            and token.tag_ in ("VB", "VBP", "VBD")
            and token.dep_
            in ("pcomp", "pobj", "amod", "ROOT", "advcl", "xcomp", "acl", "compound", "prep")
        ):
            yield at, at + 1, inflect(lemma, "VBG"), 1.0 if token.tag_ != "VBD" else 0.5
        if (
            before in ("without", "by", "before", "after")
            and token.tag_ == "NN"
            and s.pos(at + 1) in ("DET", "PRON")
        ):
            yield at, at + 1, inflect(lemma, "VBG"), 0.8
        if token.tag_ == "VBD" and inflect(lemma, "VBN") != low and be:
            yield at, at + 1, inflect(lemma, "VBN"), 1.0
        if (
            token.tag_ == "VBN"
            and inflect(lemma, "VBD") != low
            and s.pos(at - 1) in ("PRON", "NOUN", "PROPN")
            and token.dep_ in ("ROOT", "conj", "ccomp", "advcl")
        ):
            yield at, at + 1, inflect(lemma, "VBD"), 0.8
    for at in range(len(s) - 1):
        if (
            s.word(at) in MODALS - {"ca", "wo", "'ll"} | {"must"}
            and s.word(at + 1) == "to"
            and s.tag(at + 2) == "VB"
        ):
            yield at + 1, at + 2, "", 1.0
        if s.word(at) == "to" and s.word(at + 1) in ("can", "could", "must"):
            yield at + 1, at + 2, "have to" if s.word(at + 1) == "must" else "be able to", 1.0
        if s.word(at) in ("will", "would", "'ll", "may", "might") and s.word(at + 1) in (
            "can",
            "could",
            "must",
        ):
            yield (
                at,
                at + 2,
                f"{s.word(at)} {'have to' if s.word(at + 1) == 'must' else 'be able to'}",
                1.0,
            )
            yield at, at + 1, "", 0.7
        if (
            s.word(at) in ("must", "should", "could", "can", "might")
            and s.pos(at + 1) in ("ADJ", "ADP")
            and s.tag(at + 1) in ("JJ", "JJR")
        ):
            yield at + 1, at + 1, "be", 0.8
        if (
            s.tag(at) == "MD"
            and s.tag(at + 1) == "VBN"
            and s.word(at + 1) not in ("had",)
            and s.word(at) != "'d"
        ):
            yield at + 1, at + 1, "be", 0.7
            yield at + 1, at + 1, "have", 0.5


@check("made-to-do")
def _bare_after_make(s: Sentence) -> Iterator[Edit]:
    for at in range(len(s) - 3):
        if s.lemma(at) in ("make", "let", "have") and s.word(at + 1) in listed("told_persons"):
            if s.word(at + 2) == "to" and s.tag(at + 3) == "VB":
                yield at + 2, at + 3, "", 0.9 if s.lemma(at) != "have" else 0.2
            if s.tag(at + 2) in ("VBZ", "VBD", "VBG") and s.lemma(at) != "have":
                yield at + 2, at + 3, inflect(s.lemma(at + 2), "VB"), 0.6


@check("gerund-infinitive")
def _gerund_or_infinitive(s: Sentence) -> Iterator[Edit]:
    gerund, infinitive = lists().words("gerund_verbs"), lists().words("infinitive_verbs")
    objects = lists().words("object_infinitive")
    subject_to_object = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
    for token in s.doc:
        at, lemma = token.i, token.lemma_.lower()
        before, word = s.lemma(at - 1), token.lower_
        if token.lower_ == "to" and s.tag(at + 1) in ("VB", "VBP", "NN") and at + 1 < len(s):
            verb = s.lemma(at + 1)
            ing = inflect(verb, "VBG")
            prep = s.word(at - 1) in listed("gerund_prepositions")
            strength = (
                1.0
                if before in gerund or prep
                else 0.5
                if s.word(at - 1) in ("worth", "busy")
                else -0.3
            )
            if s.tag(at + 1) == "VB" and (s.pos(at - 1) in ("VERB", "ADP", "SCONJ", "ADJ", "NOUN")):
                yield at, at + 2, ing, strength
            if s.tag(at + 1) == "VB" and s.pos(at - 1) in ("VERB", "ADJ", "NOUN", "ADV"):
                used = s.word(at - 1) == "used" and (
                    s.lemma(at - 2) in ("be", "get") or s.word(at - 2) in ("'m", "'re")
                )
                forward = s.word(at - 1) == "forward" or s.word(at - 1) in (
                    "accustomed",
                    "committed",
                    "dedicated",
                )
                yield at, at + 2, f"to {ing}", 0.8 if used or forward else -0.5
                for preposition in ("for", "of", "in", "at", "on"):
                    right = (
                        lists().governed("adjective").get(s.word(at - 1))
                        or lists().governed("verb").get(before)
                        or lists().governed("noun").get(before)
                    )
                    yield (
                        at,
                        at + 2,
                        f"{preposition} {ing}",
                        0.6
                        if right == preposition and s.word(at - 1) not in listed("infinitive_too")
                        else -0.5,
                    )
            if s.word(at - 1) == "for":
                yield at - 1, at, "", 1.0
        if token.tag_ == "VBG" and at:
            if before in infinitive or (
                s.pos(at - 1) == "ADJ" and s.word(at - 1) in listed("infinitive_adjectives")
            ):
                yield at, at + 1, f"to {lemma}", 1.0 if before not in ("need", "intend") else 0.2
            if s.word(at - 1) == "for" and s.pos(at - 1) == "ADP":
                yield at - 1, at + 1, f"to {lemma}", 0.4
            elif s.word(at - 1) in ("of", "in", "about", "on") and s.lemma(at - 2) in infinitive | {
                "way",
                "chance",
                "ability",
            }:
                yield at - 1, at + 1, f"to {lemma}", 0.3
            if s.word(at - 1) == "to" and s.pos(at - 1) == "PART":
                yield at, at + 1, lemma, 0.6
        if token.tag_ in ("VB", "VBP") and at and s.pos(at - 1) == "VERB":
            if before in infinitive and s.word(at - 1) not in ("need",):
                yield at, at, "to", 1.0
            if before in gerund:
                yield at, at + 1, inflect(lemma, "VBG"), 1.0
            elif before in ("start", "stop", "keep", "spend", "go", "like", "try", "begin"):
                yield at, at + 1, inflect(lemma, "VBG"), 0.6
                yield at, at, "to", 0.6
        if (
            token.tag_ in ("VB", "VBP")
            and s.tag(at - 1) == "PRP"
            and s.lemma(at - 2) in objects
            and s.word(at - 1) in ("me", "us", "him", "them", "her")
        ):
            yield at, at, "to", 0.8
        if (
            s.pos(at - 1) == "ADJ"
            and token.tag_ == "VB"
            and s.word(at - 1) in listed("infinitive_adjectives")
        ):
            yield at, at, "to", 0.9
        if (
            lemma in ("want", "need", "expect", "like", "ask")
            and s.word(at + 1) == "that"
            and token.pos_ == "VERB"
        ):
            chunk = s.chunk_from(at + 2)
            if (
                chunk is not None
                and chunk.end < len(s)
                and s.pos(chunk.end) in ("VERB", "AUX")
                and lemma != "expect"
            ):
                who = subject_to_object.get(chunk.text.lower(), chunk.text)
                skip = chunk.end + (1 if s.tag(chunk.end) == "MD" and chunk.end + 1 < len(s) else 0)
                yield at + 1, skip + 1, f"{who} to {s.lemma(skip)}", 0.8
        if (
            lemma in ("suggest", "recommend", "propose")
            and s.word(at + 1) in ("me", "us", "him", "them", "you")
            and s.word(at + 2) == "to"
        ):
            pronoun = {"me": "I", "us": "we", "him": "he", "them": "they", "you": "you"}[
                s.word(at + 1)
            ]
            yield at + 1, at + 3, f"that {pronoun}", 1.0
            yield at + 1, at + 4, inflect(s.lemma(at + 3), "VBG") if at + 3 < len(s) else "", 0.7
        if (
            lemma in ("allow", "permit", "enable", "help", "encourage")
            and token.pos_ == "VERB"
            and token.tag_ != "VBN"
            and s.word(at + 1) == "to"
            and s.tag(at + 2) == "VB"
            and lemma != "help"
        ):
            for whom in ("us", "you", "me"):
                yield at + 1, at + 1, whom, 0.9
            yield at + 1, at + 3, inflect(s.lemma(at + 2), "VBG"), 0.7
        if word == "prevent" and s.word(at + 2) == "to":
            yield at + 2, at + 4, f"from {inflect(s.lemma(at + 3), 'VBG')}", 0.8
    for at in range(1, len(s) - 1):
        if s.word(at) == "spend" or s.lemma(at) == "spend":
            for place in range(at + 1, min(at + 6, len(s) - 1)):
                if (
                    s.word(place) == "to"
                    and s.tag(place + 1) == "VB"
                    and s.tag(place - 1) in ("NN", "NNS")
                ):
                    yield place, place + 2, inflect(s.lemma(place + 1), "VBG"), 0.7


@check("tense")
def _tense(s: Sentence) -> Iterator[Edit]:
    text = str(s.doc.text)
    past, period = bool(_PAST_TIME.search(text)), bool(_PERIOD.search(text))
    finite = [t for t in s.doc if t.tag_ in ("VBD", "VBP", "VBZ") and t.lemma_ not in ("do",)]
    stative = lists().words("stative")
    for token in s.doc:
        at, low, lemma, tag = token.i, token.lower_, token.lemma_.lower(), token.tag_
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        helped = s.word(at - 1) in MODALS | {"to", "n't", "not", "do", "does", "did", "let"}
        if (
            lemma == "have"
            and token.pos_ in ("AUX", "VERB")
            and nxt is not None
            and low in ("have", "has", "'ve", "'s")
        ):
            place = at + 1
            while place < len(s) and s.tag(place) == "RB":
                place += 1
            if (
                s.tag(place) in ("VBN", "VBD")
                and s.word(place) != "been"
                and place - at <= 2
                and not helped
            ):
                adverbs = f"{s.text(at + 1, place)} " if place > at + 1 else ""
                own = inflect(s.lemma(place), "VBD")
                yield at, place + 1, f"{adverbs}{own}", 1.0 if past and not period else -0.6
            elif s.word(place) == "been" and not helped and past and not period:
                plural = s.word(at - 1) in ("we", "they", "you")
                yield at, place + 1, "were" if plural else "was", 0.7
        if (
            tag in ("VBP", "VBZ")
            and low not in _CONTRACTED
            and not helped
            and token.pos_ in ("VERB", "AUX")
        ):
            others = [
                t for t in finite if (t is not token and t.lemma_ not in ("be",)) or t.tag_ == "VBD"
            ]
            rest_past = [t for t in finite if t is not token]
            all_past = bool(rest_past) and all(t.tag_ == "VBD" for t in rest_past)
            if lemma == "be":
                own = "was" if low in ("is", "am") else "were"
            else:
                own = inflect(lemma, "VBD")
            del others
            yield at, at + 1, own, 0.8 if past and not period else 0.4 if all_past else -0.4
            third = tag == "VBZ" or low == "is"
            has = "has" if third else "have"
            progressive = lemma == "be" and nxt is not None and nxt.tag_ == "VBG"
            cue = 1.0 if period else -0.6
            joined = _since_places(s, at)
            repairs: list[tuple[int, str]] = []
            if progressive and nxt is not None:
                repairs = [
                    (at + 2, f"{has} been {nxt.lower_}"),
                    (at + 2, f"{has} {inflect(nxt.lemma_.lower(), 'VBN')}"),
                ]
            elif lemma == "be":
                repairs = [(at + 1, f"{has} been")]
            elif token.pos_ == "VERB":
                repairs = [
                    (at + 1, f"{has} {inflect(lemma, 'VBN')}"),
                    (at + 1, f"{has} been {inflect(lemma, 'VBG')}"),
                ]
            for end, new in repairs:
                yield at, end, new, cue
                if joined and end <= joined:  # the verb and "since" are one repair
                    between = f"{s.text(end, joined)} " if joined > end else ""
                    yield at, joined + 1, f"{new} {between}for", 1.0
        if (
            low in ("'m", "'re", "'s", "’m", "’re", "’s")
            and nxt is not None
            and token.lemma_ in ("be", "have", "'s", low)
        ):
            third = s.word(at - 1) in ("he", "she", "it")
            have = "'s" if third else "'ve"
            cue = 1.0 if period else -0.6
            repairs = []
            if nxt.tag_ == "VBG":
                repairs = [
                    (at + 2, f"{have} been {nxt.lower_}"),
                    (at + 2, f"{have} {inflect(nxt.lemma_.lower(), 'VBN')}"),
                ]
            elif low != "'s" or third:
                repairs = [(at + 1, f"{have} been")]
            joined = _since_places(s, at)
            for end, new in repairs:
                if s.word(at - 1) in ("i", "we", "they", "you", "he", "she", "it"):
                    yield at, end, new, cue
                    if joined and end <= joined:
                        between = f"{s.text(end, joined)} " if joined > end else ""
                        yield at, joined + 1, f"{new} {between}for", 1.0
            if nxt.tag_ == "VBG" and nxt.lemma_.lower() in stative and low != "'s":
                yield (
                    at,
                    at + 2,
                    inflect(nxt.lemma_.lower(), "VBP"),
                    1.0 if nxt.lower_ not in ("having", "loving", "mattering") else 0.3,
                )
        if low == "'ve" and nxt is not None and nxt.tag_ in ("VBN", "VBD") and nxt.lower_ != "been":
            yield (
                at,
                at + 2,
                inflect(nxt.lemma_.lower(), "VBD"),
                1.0 if past and not period else -0.6,
            )
        if low in ("am", "is", "are", "was", "were") and nxt is not None and nxt.tag_ == "VBG":
            form = "VBZ" if low == "is" else "VBD" if low in ("was", "were") else "VBP"
            sure = nxt.lemma_.lower() in stative and nxt.lower_ != "having"
            yield at, at + 2, inflect(nxt.lemma_.lower(), form), 1.0 if sure else 0.1
        if tag == "VBD" and low not in _CONTRACTED and not helped and token.pos_ == "VERB":
            others = [t for t in finite if t is not token]
            present = bool(others) and all(t.tag_ in ("VBP", "VBZ") for t in others)
            form = (
                "VBZ"
                if (subject := s.subject(token)) is not None and number_of(subject) == "s"
                else "VBP"
            )
            yield at, at + 1, inflect(lemma, form), 0.0 if present and not past else -0.7
            if period and re.search(r"\bsince\b", text, re.I) and len(finite) == 1:
                yield (
                    at,
                    at + 1,
                    f"{'has' if form == 'VBZ' else 'have'} {inflect(lemma, 'VBN')}",
                    0.6,
                )
        if (
            tag == "VBG"
            and token.dep_ == "ROOT"
            and s.pos(at - 1) == "PRON"
            and s.word(at - 1) in ("i", "we", "they", "he", "she", "it", "you")
        ):
            be = {"i": "am", "he": "is", "she": "is", "it": "is"}.get(s.word(at - 1), "are")
            yield at, at, be, 0.8
            yield at, at, {"am": "was", "is": "was", "are": "were"}[be], 0.5


def _since_places(s: Sentence, at: int) -> int | None:
    """Where a "since" with a length of time stands behind a verb."""
    for place in range(at + 1, min(len(s), at + 10)):
        if s.word(place) == "since" and _is_length(s, place + 1):
            return place
    return None


def _is_length(s: Sentence, at: int) -> bool:
    """Whether a length of time begins here ("three years", "a long time")."""
    if re.fullmatch(r"(19|20)\d\d", s.word(at)):
        return False
    number = s.word(at) in _NUMBERS or s.word(at).isdigit()
    ends = next((p for p in range(at, min(at + 5, len(s))) if s.word(p) in _LENGTHS), None)
    return number and ends is not None and s.word(ends + 1) not in ("ago", "later")


@check("since-for")
def _since_for(s: Sentence) -> Iterator[Edit]:
    for at in range(len(s) - 1):
        word = s.word(at)
        if word == "since":
            yield at, at + 1, "for", 1.0 if _is_length(s, at + 1) else -0.7
        if word == "for":
            begins = (
                bool(re.fullmatch(r"(19|20)\d\d", s.word(at + 1)))
                or s.word(at + 1) in _MONTHS
                or s.word(at + 1) == "yesterday"
            )
            if begins:
                yield at, at + 1, "since", 1.0
        if word in ("during", "in", "from") and _is_length(s, at + 1):
            yield at, at + 1, "for", 0.6 if word != "in" else -0.2
        if (
            word == "before"
            and _is_length(s, at + 1)
            and (at + 4 >= len(s) or s.doc[min(at + 3, len(s) - 1)].is_punct)
        ):
            end = next(
                (p for p in range(at + 1, min(at + 5, len(s))) if s.word(p) in _LENGTHS), None
            )
            if end is not None:
                yield at, end + 1, f"{s.text(at + 1, end + 1)} ago", 0.8


@check("conditional")
def _conditional(s: Sentence) -> Iterator[Edit]:
    for at in range(len(s) - 1):
        if s.word(at) not in ("will", "would", "'ll", "'d"):
            continue
        back = s.low[max(0, at - 5) : at]
        opener = next((w for w in back if w in _CONDITIONS or w in ("wish", "soon")), None)
        verb = at + 1
        if s.word(verb) in ("n't", "not"):
            continue
        asked = any(
            w in ("asked", "ask", "know", "wonder", "see", "sure", "check", "wondered", "idea")
            for w in back
        )
        if opener == "if" and asked:
            continue
        if opener is None or "," in back or not s.tag(verb).startswith("VB"):
            continue
        lemma = s.lemma(verb)
        subject = s.word(at - 1)
        third = subject in ("he", "she", "it") or s.tag(at - 1) == "NN"
        strength = 1.0
        if s.word(at) in ("will", "'ll"):
            form = (
                "am"
                if lemma == "be" and subject == "i"
                else inflect(lemma, "VBZ" if third else "VBP")
            )
            yield at, verb + 1, form, strength if opener != "before" else 0.5
        else:
            past = "were" if lemma == "be" else inflect(lemma, "VBD")
            if opener in ("if", "wish", "unless"):
                yield at, verb + 1, past, strength
                if lemma == "be":
                    yield at, verb + 1, "was", strength
                if lemma == "have" and s.tag(verb + 1) == "VBN":
                    yield at, verb + 1, "had", 1.0
    if s.word(0) in ("if", "when") or "if" in s.low:
        for at in range(1, len(s) - 1):
            # the clause of "if" holds a past, the other one "will"
            if s.word(at) == "will" and "if" in s.low and any(t.tag_ == "VBD" for t in s.doc):
                yield at, at + 1, "would", 0.4
            if s.word(at) == "would" and any(t.tag_ == "VBZ" for t in s.doc) and s.low[0] == "if":
                yield at, at + 1, "will", 0.1
            if s.word(at) == "if" and s.tag(at + 2) in ("VBP", "VBZ", "VB") and "would" in s.low:
                lemma = s.lemma(at + 2)
                own = "were" if lemma == "be" else inflect(lemma, "VBD")
                yield at + 2, at + 3, own, 0.3
            if (
                s.word(at) in ("'d", "would")
                and s.word(at + 1) != "have"
                and s.tag(at + 1) == "VB"
                and "had" in s.low
                and s.low.index("had") < at
            ):
                yield at, at + 2, f"would have {inflect(s.lemma(at + 1), 'VBN')}", 0.2


_WH = ("WP", "WRB", "WDT")
_INTRODUCE = word_set(
    """
    know understand explain remember ask tell see show wonder find figure describe idea sure
    check me you us him them about on of decide learn discuss say forget matter care depend
    understand question
    """
)


@check("embedded-question")
def _embedded_question(s: Sentence) -> Iterator[Edit]:
    auxiliaries = listed("question_auxiliaries")
    for token in s.doc:
        at = token.i
        if token.tag_ not in _WH and token.lower_ not in ("if", "whether", "how"):
            continue
        introduced = at > 0 and (
            s.lemma(at - 1) in _INTRODUCE
            or s.word(at - 1) in _INTRODUCE
            or s.pos(at - 1) in ("ADP",)
        )
        if not introduced:
            continue
        # a question that is quoted, or one of its own, begins with its own capital or after a comma
        for place in (at + 1, at + 2, at + 3):
            if s.word(place) not in auxiliaries:
                continue
            chunk = s.chunk_from(place + 1)
            if chunk is None:
                break
            end = chunk.end
            auxiliary = s.doc[place]
            verb = end if end < len(s) else None
            text = s.text(place + 1, end)
            outer = s.asks and not (
                at > 1 and s.word(0) in ("do", "can", "could", "did", "would", "will")
            )
            strength = 0.9 if not outer else 0.2
            if auxiliary.lemma_ != "do":
                word = "is" if auxiliary.lower_ == "'s" else auxiliary.text
                if (
                    place == at + 1
                    and token.lower_ in ("what", "who")
                    and s.pos(end)
                    not in ("VERB", "ADJ", "ADV", "PUNCT", "ADP", "SCONJ", "CCONJ", "AUX")
                    and end < len(s)
                ):
                    strength = 0.3
                yield place, end, f"{text} {word}", strength
                longer = end
                while (
                    longer < len(s)
                    and s.pos(longer) in ("ADP", "NOUN", "DET", "ADJ", "PROPN")
                    and not s.doc[longer].is_punct
                ):
                    longer += 1
                if longer > end:
                    yield place, longer, f"{s.text(place + 1, longer)} {word}", strength
            elif verb is not None and s.tag(verb) in ("VB", "VBP", "NN"):
                tag = {"do": "VBP", "does": "VBZ", "did": "VBD"}[auxiliary.lower_]
                yield place, verb + 1, f"{text} {inflect(s.lemma(verb), tag)}", strength
            break


@check("question")
def _question(s: Sentence) -> Iterator[Edit]:
    if not s.asks:
        return
    for at in range(len(s) - 2):
        if s.tag(at) not in ("WP", "WRB") or at > 1:
            continue
        if s.tag(at + 1) == "PRP" and s.tag(at + 2) in ("VBP", "VBD", "VB", "VBZ"):
            verb = s.doc[at + 2]
            if verb.pos_ == "AUX" and verb.lemma_ != "do":
                yield at + 1, at + 3, f"{verb.text} {s.doc[at + 1].text}", 0.8
            else:
                do = "did" if verb.tag_ == "VBD" else "does" if verb.tag_ == "VBZ" else "do"
                yield at + 1, at + 3, f"{do} {s.doc[at + 1].text} {verb.lemma_}", 0.8


_ANY = {
    "no": "any",
    "nothing": "anything",
    "nobody": "anybody",
    "none": "any",
    "nowhere": "anywhere",
    "never": "ever",
    "neither": "either",
}


@check("negation")
def _negation(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        at, word = token.i, token.lower_
        back = s.low[max(0, at - 6) : at]
        if word in _ANY and any(
            w in ("n't", "not", "never", "nobody", "without", "hardly", "nothing") for w in back
        ):
            cut = any(
                w in (",", "but", "and", "or", "because", "that", "if")
                for w in back[_last(back, ("n't", "not", "never", "nobody", "without")) :]
            )
            yield at, at + 1, _ANY[word], -0.3 if cut else 1.0
            if word == "nobody":
                yield at, at + 1, "anyone", -0.3 if cut else 1.0
        if (
            word in ("n't", "not")
            and at
            and any(
                w in ("nobody", "nothing", "never", "none", "hardly", "neither", "unless")
                for w in s.low[max(0, at - 5) : at]
            )
        ):
            helper = s.word(at - 1)
            if helper in ("do", "does", "did") and s.tag(at + 1).startswith("VB"):
                form = inflect(s.lemma(at + 1), {"do": "VBP", "does": "VBZ", "did": "VBD"}[helper])
                yield at - 1, at + 2, form, 0.8
            elif helper:
                yield (
                    at - 1,
                    at + 1,
                    {"ca": "can", "wo": "will"}.get(helper, s.doc[at - 1].text),
                    0.8,
                )
        if (
            word == "not"
            and s.pos(at - 1) in ("PRON", "NOUN")
            and s.tag(at + 1) in ("VB", "VBP", "VBZ", "VBD")
            and s.word(at - 1) != "why"
            and s.pos(at + 1) == "VERB"
        ):
            do = (
                "did"
                if s.tag(at + 1) == "VBD"
                else "does"
                if s.tag(at + 1) == "VBZ" or s.word(at - 1) in ("he", "she", "it")
                else "do"
            )
            yield at, at + 2, f"{do} not {s.lemma(at + 1)}", 0.8
        if word in ("already", "some", "something", "someone") and any(
            w in ("n't", "not") for w in s.low[max(0, at - 4) : at]
        ):
            yield (
                at,
                at + 1,
                {"already": "yet", "some": "any", "something": "anything", "someone": "anyone"}[
                    word
                ],
                0.1,
            )
        if (
            word in ("also", "too")
            and (at + 1 == len(s) or s.doc[at + 1].is_punct)
            and any(w in ("n't", "not") for w in s.low[:at])
        ):
            yield at, at + 1, "either", 0.7


def _last(words: list[str], wanted: tuple[str, ...]) -> int:
    return max((at for at, word in enumerate(words) if word in wanted), default=0)


@check("subject-missing")
def _missing_subject(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        at = token.i
        before = s.doc[at - 1] if at else None
        if (
            token.tag_ not in ("VBZ", "VBD", "VBP", "MD")
            or token.text.startswith("'")
            or token.lower_ in ("'s",)
        ):
            continue
        if s.subject(token) is not None or (
            token.dep_ in ("aux", "auxpass") and s.subject(token.head) is not None
        ):
            continue
        if any(
            c.dep_ in ("expl", "csubj", "nsubj", "nsubjpass", "csubjpass") for c in token.children
        ):
            continue
        start = (
            before is None
            or before.pos_ in ("SCONJ", "CCONJ", "PUNCT")
            or before.lower_ in listed("clause_openers")
        )
        if not start:
            continue
        joined = before is not None and before.pos_ == "CCONJ" and token.dep_ == "conj"
        opener = before is None
        question = s.asks and opener
        if question or (
            (opener and token.tag_ == "VBP" and token.lower_ not in ("is",))
            and token.lemma_ != "be"
        ):
            continue
        if token.lemma_ == "be" or token.tag_ == "MD" or token.lower_ in listed("impersonal_verbs"):
            strength = (
                -0.7 if joined else 0.9 if not opener or token.lower_ in ("is", "was") else 0.5
            )
            yield at, at, "it", strength
            if token.lemma_ == "be" and s.tag(at + 1) in ("DT", "JJ", "NNS", "CD", "NN"):
                yield at, at, "there", strength - 0.3
        elif before is not None and not joined and token.tag_ in ("VBD", "VBP"):
            yield at, at, "we", 0.2
            yield at, at, "I", 0.2
    for at in range(1, len(s)):  # "in my team is a rule", "here are many"
        token = s.doc[at]
        if (
            token.lower_ in ("is", "are", "was", "were")
            and s.subject(token) is None
            and s.word(0) in ("in", "on", "at")
        ):
            yield at, at, "there", 0.6
        if token.lemma_ == "exist" and s.subject(token) is None:
            yield at, at + 1, "there are" if s.tag(at + 1) in ("NNS", "JJ") else "there is", 0.6
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
            strength = (
                0.6 if verbless and head.pos_ not in ("VERB", "ADP") else 0.2 if verbless else -0.4
            )
            for be in (
                ("am", "was")
                if before == "i"
                else ("are", "were")
                if before in ("we", "you", "they", "these", "those")
                else ("is", "was")
            ):
                yield at, at, be, strength
        elif (
            s.pos(at - 1) == "NOUN"
            and s.pos(at) in ("ADJ", "ADV")
            and s.doc[at - 1].dep_ in ("nsubj", "ROOT", "npadvmod", "compound", "dep")
        ):
            be = "are" if s.tag(at - 1) == "NNS" else "is"
            yield at, at, be, 0.1
            yield at, at, {"are": "were", "is": "was"}[be], 0.0
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
        if (
            before in ("not", "n't")
            and s.tag(at) == "VBG"
            and s.word(at - 2) in ("i", "we", "they", "he")
        ):
            yield at - 1, at - 1, {"i": "am", "he": "is"}.get(s.word(at - 2), "are"), 0.6
