"""Checks of verbs: agreement, forms, tenses with their times, conditionals, questions, negation."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from lemminflect import getAllLemmas  # type: ignore[import-untyped]

from server.language.proposals import CLAUSES, NO_DOUBT, SURE, WHO, Edit, Sentence, check
from server.language.words import (
    MODALS,
    OBJECTIVE,
    frequent_words,
    inflect,
    listed,
    lists,
    word_set,
)

_PAST_TIME = re.compile(
    r"\b(yesterday(?!'s)|ago|last (week|month|year|night|time|summer|monday|tuesday|wednesday"
    r"|thursday|friday|spring|winter|quarter|sprint)"
    r"|in (19|20)\d\d|(?<!even )(?<!like )when i (was|joined|started)|at that time|back then"
    r"|in the past)\b",
    re.I,
)
_PERIOD = re.compile(
    r"\b(since (about |almost |more than |over |the last |the past |nearly )?([a-z]+ )?"
    r"(\d+|two|three|four|five|six|seven|eight|nine|ten|many|several|a|some|few|about|almost|more|years|i|long|last|january|"
    r"february|march|april|may|june|july|august|september|october|november|december|monday|childhood|then|the)"
    r"|for ([\w'-]+ ){0,4}?((day|week|month|quarter|year|decade)s?"
    r"|while|ages|long|time|life))\b",
    re.I,
)
_PLANNED = re.compile(r"for (the|this) (?!last|past|previous|whole|entire)", re.I)
"""A time that a plan takes: "I'm here for the week"."""
_LENGTHS = listed("lengths")
_NUMBERS = listed("length_numbers")
_PLURAL_SUBJECTS = word_set("we they you these those people both many several")
_SINGULAR_SUBJECTS = listed("singular_subjects")
_PERSONS = word_set("i we you they he she")
_EITHER = listed("either_number")
_CONTRACTED = {"'s", "'re", "'m", "'ve", "'d", "'ll", "’s", "’re", "’m", "’ve", "’d", "’ll"}
_OBJECTS = word_set("me us him them her you")
_VERB_TAGS = ("VB", "VBP", "VBZ", "VBD", "VBG", "VBN")
_HAS = ("have", "has", "'ve", "'s")
_STATIVE = dict.fromkeys(listed("stative_mostly"), 0.7) | dict.fromkeys(listed("stative"), 1.0)
"""How sure it is that a verb takes no -ing form."""
_QUOTES = word_set("say go ask tell think")
"""Who tells a story says "he says" before what was said."""
_CONDITIONS = word_set("if when unless once until before after whenever")


def number_of(subject: Any) -> str | None:
    """The number: "i", "s" for singular, "p" for plural; None where it may be either."""
    low = subject.lower_
    if low == "it" and subject.i and subject.nbor(-1).pos_ == "ADP":
        return None  # "the hours after it were bad"
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
        of = next((c for c in subject.children if c.lower_ == "of"), None)
        counted = of is not None and any(c.tag_ == "NNS" for c in of.children)
        amount = low in ("lot", "majority", "couple", "number")
        amount = amount and subject.left_edge.lower_ == "a"
        return "p" if counted and (amount or low in ("most", "all", "some")) else None
    if subject.tag_ == "NNS":
        counted = any(child.tag_ == "CD" for child in subject.children)  # "two hours is a lot"
        either = (counted and _is_a_sum(subject)) or low in listed("no_singular")
        return None if either else "p"
    if subject.tag_ in ("NN", "VBG"):
        named = subject.text[0].isupper() and low not in frequent_words()  # a team: "Leinster were"
        return None if named or low in listed("collective") else "s"
    return None


def _is_a_sum(subject: Any) -> bool:
    """Whether what is counted is one thing: "two engineers is a team", "five gigs is little"."""
    after = list(subject.head.children)
    one = any((c.dep_ == "attr" and c.tag_ == "NN") or c.lower_ in listed("sizes") for c in after)
    return subject.lower_ in listed("measures") or (one and subject.head.lemma_ == "be")


@check("agreement")
def _agreement(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        at, low, lemma = token.i, token.lower_, token.lemma_.lower()
        if token.tag_ not in ("VBP", "VBZ", "VBD", "VB") or low in _CONTRACTED:
            continue
        if at == 0 and low == "be":  # "be it Java or Kotlin"
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
        wished = (token.head, *token.head.children)
        if token.tag_ in ("VB", "VBP") and token.dep_ == "ccomp" and _is_wished(wished):
            continue
        if token.tag_ == "VB" and token.dep_ not in (*CLAUSES, "relcl", "acl", "aux"):
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
        for other in others if number else ():
            if number == "i":
                wished_were = low == "were" and {"if", "as", "wish", "though"} & {*s.low[:at]}
                wrong = (singular and low != "was") or (low in ("are", "were") and not wished_were)
                if (low in ("is", "are") and other != "am") or (low == "were" and other != "was"):
                    continue
            else:
                wrong = singular == (number == "p")
                if low == "were" and {"if", "as", "wish", "though"} & {*s.low[:at]}:
                    wrong = wrong and number == "p"
            if wrong:
                plain = _is_plain(s, at) and not _is_wished(wished)
                doubtful = relative or (s.word(at - 1) == "," and s.tag(at - 2) in _VERB_TAGS)
                yield at, at + 1, other, 0.7 if doubtful else SURE if plain else 1.0
    yield from _untagged_verb(s)


def _is_wished(near: Iterable[Any]) -> bool:
    """Whether a verb stands after one that takes a subjunctive ("suggested he go")."""
    return any(each.lemma_ in listed("wishes") for each in near)


def _is_plain(s: Sentence, at: int) -> bool:
    """Whether a verb follows its pronoun at once, and can be no past, object or wish."""
    before, lemma = s.word(at - 1), s.lemma(at)
    if before not in ("he", "she", "we", "they") or s.word(at - 2) in _CONDITIONS | {"that"}:
        return s.tag(at - 1) in ("NN", "PRP") and (s.word(at), s.word(at + 1)) == ("do", "n't")
    return s.word(at) in ("was", "is") or inflect(lemma, "VBD") != s.word(at)


def _untagged_verb(s: Sentence) -> Iterator[Edit]:
    """A verb that the tagger takes for a noun: "if a deployment fail, we roll back"."""
    verbless = not any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in s.doc)
    for at in range(2, len(s) - 1):
        if s.tag(at) not in ("NN", "VB", "VBP") or s.word(at) not in getAllLemmas(s.word(at)).get(
            "VERB", ()
        ):
            continue
        first = at - 1
        while first and s.pos(first) in ("NOUN", "ADJ", "PROPN"):
            first -= 1
        if s.tag(at - 1) != "NN" or s.tag(first) not in ("DT", "PRP$") or not first:
            continue
        ends = s.word(at + 1) == "," or s.tag(at + 1) in ("PRP", "DT", "PRP$")
        time = s.word(first - 2) in ("every", "each") and s.word(first - 1) == "time"
        if ends and (s.word(first - 1) in _CONDITIONS | {"because"} or time):
            yield at, at + 1, inflect(s.word(at), "VBZ"), 1.0
        if verbless:
            past = _PAST_TIME.search(s.doc.text) is not None
            yield at, at + 1, inflect(s.word(at), "VBD" if past else "VBZ"), 0.9


def _others_in_number(low: str, lemma: str, tag: str) -> list[str]:
    if lemma == "be":
        return list(lists().raw["be_in_number"].get(low, []))
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
            question = s.asks or s.word(at - 3) in listed("question_words") | {""}
            helper = far if question else helper
        base = inflect(lemma, "VB")
        do = helper in ("do", "does", "did") and at and lemma != "be"  # "all I do is ask"
        if ((helper in MODALS and helper not in ("'d",)) or do) and (
            low != base
            and token.tag_ in _VERB_TAGS
            and not (helper in ("do", "does", "did") and token.tag_ == "VBG" and before == helper)
        ):
            yield at, at + 1, base, 1.0
        finite = token.tag_ in ("VBD", "VBN", "VBZ", "VBP")
        if before == "to" and s.pos(at - 1) == "PART" and low != base and finite:
            yield at, at + 1, base, 1.0
        had = helper in ("have", "has", "had", "'ve") and lemma != "have"
        if had and token.tag_ in ("VBD", "VB", "VBP", "VBZ", "VBN"):
            participle = inflect(lemma, "VBN")
            if participle != low and low != "got" and before != "to":
                yield at, at + 1, participle, 1.0 if token.tag_ == "VBD" else 0.7
        be = (
            s.lemma(at - 1) == "be"
            or before in ("'m", "'re")
            or (s.lemma(at - 2) == "be" and s.tag(at - 1) == "RB")
        )
        if be and token.tag_ in ("VB", "VBP", "NN", "VBD", "VBZ") and base and lemma != "be":
            if (
                s.word(at - 1) in ("am", "is", "are", "'m", "'re", "'s", "was", "were")
                and token.tag_ != "NN"
            ):
                past = s.word(at - 1) in ("was", "were")
                form = inflect(
                    lemma, "VBD" if past else "VBZ" if s.word(at - 1) in ("is", "'s") else "VBP"
                )
                yield at - 1, at + 1, form, 1.0 if lemma in listed("never_with_be") else 0.7
        if be and token.tag_ in ("VBN", "VBD") and lemma in lists().words("intransitive"):
            was = s.word(at - 1)
            if was in ("is", "are", "was", "were", "'s", "'re", "been"):
                tags = {"been": "VBN", "was": "VBD", "were": "VBD", "is": "VBZ"}
                if was != "'s":  # it may be "has"
                    yield at - 1, at + 1, inflect(lemma, tags.get(was, "VBP")), 1.0
                if was in ("is", "are"):
                    yield at - 1, at + 1, inflect(lemma, "VBD"), 0.7
        if (
            s.pos(at - 1) == "ADP"
            and before not in ("to", "but", "than", "except")
            and token.tag_ in ("VB", "VBP")
            and token.dep_
            in ("pcomp", "pobj", "amod", "ROOT", "advcl", "xcomp", "acl", "compound", "prep")
        ):
            bare = before in ("of", "without", "by", "for") and s.pos(at + 1) in ("DET", "PRON")
            yield at, at + 1, inflect(lemma, "VBG"), NO_DOUBT if bare else 1.0
        if (
            before in ("without", "by", "before", "after", "for", "of")
            and token.tag_ in ("NN", "VB", "VBP")
            and s.pos(at + 1) in ("DET", "PRON")
        ):
            yield at, at + 1, inflect(lemma, "VBG"), 0.8
        if token.tag_ == "VBD" and inflect(lemma, "VBN") != low and be:
            yield at, at + 1, inflect(lemma, "VBN"), 1.0
        lone = s.pos(at - 1) in ("PRON", "NOUN", "PROPN") and token.dep_ in CLAUSES
        if token.tag_ == "VBN" and inflect(lemma, "VBD") != low and lone:
            yield at, at + 1, inflect(lemma, "VBD"), 0.8


@check("gerund-infinitive")
def _gerund_or_infinitive(s: Sentence) -> Iterator[Edit]:
    gerund, infinitive = lists().words("gerund_verbs"), lists().words("infinitive_verbs")
    for token in s.doc:
        at, lemma = token.i, token.lemma_.lower()
        before = s.lemma(at - 1)
        if token.lower_ == "to" and s.tag(at + 1) in ("VB", "VBP", "NN") and at + 1 < len(s):
            verb = s.lemma(at + 1)
            ing = inflect(verb, "VBG")
            prep = s.word(at - 1) in listed("gerund_prepositions")
            # "he came in to help"
            particle = s.word(at - 1) in ("in", "on", "about", "by", "over", "through")
            prep = prep and not (particle and s.pos(at - 2) not in ("NOUN", "ADJ"))
            after = s.pos(at - 1) in ("VERB", "ADP", "SCONJ", "ADJ", "NOUN")
            if s.tag(at + 1) == "VB" and after and (before in gerund or prep):
                yield at, at + 2, ing, 1.0
            if s.tag(at + 1) == "VB" and s.pos(at - 1) in ("VERB", "ADJ", "NOUN", "ADV"):
                place = at - 3 if s.word(at - 2) in ("not", "n't", "really") else at - 2
                used = s.word(at - 1) == "used" and (
                    s.lemma(place) == "get"
                    or (s.lemma(place) == "be" and s.word(place - 1) in _PERSONS)
                )
                forward = s.word(at - 1) in ("forward", "accustomed", "committed", "dedicated")
                if used or forward:
                    yield at, at + 2, f"to {ing}", 0.8
        eager = s.word(at - 1) in listed("infinitive_adjectives") and s.pos(at - 2) != "NOUN"
        eager = eager and s.pos(at - 1) == "ADJ"
        if token.tag_ == "VBG" and at:
            if before in infinitive or eager:
                passive = s.pos(at + 1) in ("", "PUNCT", "ADP", "ADV")  # "it wants looking at"
                doubt = before in ("need", "intend") or (before == "want" and passive)
                doubt = doubt or s.word(at - 1) == "manage"  # "a way to manage testing this"
                if not doubt:
                    yield at, at + 1, f"to {lemma}", 1.0
            if s.word(at - 1) == "to" and s.pos(at - 1) == "PART":
                yield at, at + 1, lemma, 0.7
        if token.tag_ in ("VB", "VBP") and at and s.pos(at - 1) == "VERB":
            if before in infinitive and s.word(at - 1) not in ("need",):
                yield at, at, "to", 1.0
            if before in gerund:
                yield at, at + 1, inflect(lemma, "VBG"), 1.0
            elif before in ("start", "stop", "keep", "spend", "go", "like", "try", "begin"):
                yield at, at + 1, inflect(lemma, "VBG"), 0.7
        if eager and token.tag_ == "VB":
            yield at, at, "to", 0.9
        wishes = token.pos_ == "VERB" and lemma in ("want", "need", "expect", "like", "ask")
        if wishes and s.word(at + 1) == "that":
            chunk = s.chunk_from(at + 2)
            acts = chunk is not None and s.pos(chunk.end) in ("VERB", "AUX")
            if chunk is not None and acts and lemma != "expect":
                asked = lemma == "ask" and s.tag(chunk.end) in ("VB", "VBP")
                if asked and number_of(chunk.root) != "p":  # "I'd ask that the vendor send someone"
                    continue
                who = OBJECTIVE.get(chunk.text.lower(), chunk.text)
                skip = chunk.end + (1 if s.tag(chunk.end) == "MD" and chunk.end + 1 < len(s) else 0)
                yield at + 1, skip + 1, f"{who} to {s.lemma(skip)}", 0.8
        allows = token.pos_ == "VERB" and token.tag_ != "VBN"
        allows = allows and lemma in ("allow", "permit", "enable", "encourage")
        if allows and s.word(at + 1) == "to" and s.tag(at + 2) == "VB":
            for whom in ("us", "you", "me"):
                yield at + 1, at + 1, whom, 0.9
            yield at + 1, at + 3, inflect(s.lemma(at + 2), "VBG"), 0.7
    for at in (each.i for each in s.doc if each.lemma_ == "spend"):
        for place in range(at + 2, min(at + 6, len(s) - 1)):
            base = getAllLemmas(s.word(place + 1)).get("VERB", ("",))[0]
            if s.word(place) == "to" and s.lemma(place - 1) in _LENGTHS and base:
                yield place, place + 2, inflect(base, "VBG"), 1.0


@check("tense")
def _tense(s: Sentence) -> Iterator[Edit]:
    text = str(s.doc.text)
    past = bool(_PAST_TIME.search(text))
    since = any(t.lower_ == "since" and t.dep_ == "prep" for t in s.doc)
    any_period = since or bool(_PERIOD.search(text))
    for token in s.doc:
        at, low, lemma, tag = token.i, token.lower_, token.lemma_.lower(), token.tag_
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        named = s.word(at - 1) in WHO
        period = any_period and _says_how_long(token)
        helped = s.word(at - 1) in MODALS | {"'d", "to", "n't", "not", "do", "does", "did", "let"}
        helped = helped or (s.tag(at - 1) == "RB" and s.word(at - 2) in MODALS | {"'d"})
        has = lemma == "have" and token.pos_ in ("AUX", "VERB") and low in _HAS
        apart = past and _is_past_apart(token)
        if has and past and not apart and not period and not helped:
            place = at + 1
            while s.tag(place) == "RB":
                place += 1
            done = s.tag(place) in ("VBN", "VBD") and s.word(place) != "been"
            if done and place - at <= 2:
                adverbs = f"{s.text(at + 1, place)} " if place > at + 1 else ""
                own = inflect(s.lemma(place), "VBD")
                finished = _says_when(s.doc[place])
                yield at, place + 1, f"{adverbs}{own}", NO_DOUBT if finished else 1.0
            elif s.word(place) == "been":
                plural = s.word(at - 1) in ("we", "they", "you")
                yield at, place + 1, "were" if plural else "was", 0.7
        if (
            tag in ("VBP", "VBZ")
            and low not in _CONTRACTED
            and not helped
            and token.pos_ in ("VERB", "AUX")
            and not (lemma in _QUOTES and nxt is not None and nxt.is_punct)
        ):
            if past and not period:
                was = "was" if low in ("is", "am") else "were"
                own = was if lemma == "be" else inflect(lemma, "VBD")
                yield at, at + 1, own, 1.0 if _says_when(token) else 0.8
            have = "has" if tag == "VBZ" or low == "is" else "have"
            progressive = lemma == "be" and nxt is not None and nxt.tag_ == "VBG"
            time = s.word(at - 2) == "time" and s.word(at - 1) in _PERSONS
            first = time and s.word(at - 3) in ("first", "second", "third", "only")
            repairs: tuple[str, ...] = ()
            if progressive and nxt is not None:
                done_so_far = inflect(nxt.lemma_.lower(), "VBN")
                repairs = (f"{have} been {nxt.lower_}", f"{have} {done_so_far}")
            elif lemma == "be":
                repairs = (f"{have} been",)
            elif token.pos_ == "VERB":
                perfect, ing = inflect(lemma, "VBN"), inflect(lemma, "VBG")
                repairs = (f"{have} {perfect}", f"{have} been {ing}")
            end = at + 2 if progressive else at + 1
            yield from _perfect(s, at, end, repairs, lasts=period or first)
        if (
            low in ("'m", "'re", "'s", "’m", "’re", "’s")
            and nxt is not None
            and token.lemma_ in ("be", "have", "'s", low)
        ):
            third = s.word(at - 1) in ("he", "she", "it")
            have = "'s" if third else "'ve"
            progressive = nxt.tag_ == "VBG"
            if named and progressive:
                perfect = inflect(nxt.lemma_.lower(), "VBN")
                repairs = (f"{have} been {nxt.lower_}", f"{have} {perfect}")
                yield from _perfect(s, at, at + 2, repairs, lasts=period)
            elif named and (low != "'s" or third):
                yield from _perfect(s, at, at + 1, (f"{have} been",), lasts=period)
            if nxt.tag_ == "VBG" and nxt.lemma_.lower() in _STATIVE and low != "'s":
                yield at, at + 2, inflect(nxt.lemma_.lower(), "VBP"), _STATIVE[nxt.lemma_.lower()]
        done = low == "'ve" and nxt is not None and nxt.tag_ in ("VBN", "VBD") and past
        if done and nxt is not None and nxt.lower_ != "been" and not (period or apart):
            yield at, at + 2, inflect(nxt.lemma_.lower(), "VBD"), 1.0
        if low in ("am", "is", "are", "was", "were") and nxt is not None and nxt.tag_ == "VBG":
            form = "VBZ" if low == "is" else "VBD" if low in ("was", "were") else "VBP"
            settling = nxt.lower_ == "agreeing" and s.word(at + 2) == "on"
            if (sure := _STATIVE.get(nxt.lemma_.lower())) and not settling:
                yield at, at + 2, inflect(nxt.lemma_.lower(), form), sure
        if tag == "VBG" and token.dep_ == "ROOT" and s.pos(at - 1) == "PRON" and named:
            be = {"i": "am", "he": "is", "she": "is", "it": "is"}.get(s.word(at - 1), "are")
            yield at, at, be, 0.8


def _perfect(s: Sentence, at: int, end: int, repairs: Iterable[str], lasts: bool) -> Iterator[Edit]:
    """The perfect of what goes on to this day; with it the "since" of a length, as one repair."""
    lasts = lasts and not (s.word(at - 1) == "it" and _is_length(s, at + 1))  # "it's a week since"
    since = _since_places(s, at)
    for new in repairs:
        if lasts:
            yield at, end, new, 1.0
        if since and end <= since:
            between = f"{s.text(end, since)} " if since > end else ""
            yield at, since + 1, f"{new} {between}for", 1.0


def _says_when(verb: Any) -> bool:
    """Whether a finished time belongs to the verb itself ("two years ago it has left")."""
    kinds = ("npadvmod", "advmod", "prep", "advcl")
    parts = [child for child in verb.children if child.dep_ in kinds]
    return any(_PAST_TIME.search(verb.doc[p.left_edge.i : p.right_edge.i + 1].text) for p in parts)


def _is_past_apart(verb: Any) -> bool:
    """Whether another verb has the finished time ("I've found that it was hard in 2016")."""
    own = verb.head if verb.dep_ in ("aux", "auxpass") else verb
    begins = [match.start() for match in _PAST_TIME.finditer(verb.doc.text)]
    for time in (token for token in verb.doc if token.idx in begins):
        verbs = (each for each in time.ancestors if each.pos_ in ("VERB", "AUX"))
        owner = next(verbs, own)
        if time.lower_ == "when" and owner.dep_ == "advcl":  # a clause is the time of its head
            owner = next(verbs, own)
        if owner == own or not (own.dep_ == "conj" or own.is_ancestor(owner)):
            return False
    return True


def _says_how_long(verb: Any) -> bool:
    """Whether a period stands in the verb's own clause ("I work here since May")."""
    own = verb.head if verb.dep_ in ("aux", "auxpass") else verb
    finite = ("VBD", "VBP", "VBZ", "MD")
    later = (t.i for t in verb.doc[own.i + 1 :] if t.tag_ in finite and not t.is_ancestor(own))
    clause = verb.doc[own.left_edge.i : next(later, len(verb.doc))]
    since = any(t.lower_ == "since" and t.dep_ == "prep" for t in clause)
    lasts = any(not _PLANNED.match(each[0]) for each in _PERIOD.finditer(clause.text))
    away = verb.lemma_ in ("be", "'s") and verb.doc[own.i + 1].lower_ in listed("away")
    return since or (lasts and not away)


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


@check("conditional")
def _conditional(s: Sentence) -> Iterator[Edit]:
    for at in range(len(s) - 1):
        if s.word(at) not in ("will", "would", "'ll", "'d"):
            continue
        back = s.low[max(0, at - 5) : at]
        opener = next((w for w in back if w in _CONDITIONS or w in ("wish", "soon")), None)
        verb = at + 1
        lemma = s.lemma(verb)
        asked = not listed("asking_verbs").isdisjoint(back)
        if opener is None or "," in back or (opener in ("if", "when") and asked):
            continue
        if s.tag(verb) not in ("VB", "VBP") or (
            s.word(at) == "'d" and inflect(lemma, "VBN") == lemma
        ):
            continue  # "'d" before a participle is "had"
        subject = s.word(at - 1)
        third = subject in ("he", "she", "it") or s.tag(at - 1) == "NN"
        willing = (
            lemma in ("help", "suit", "insist", "keep", "like", "mind", "prefer", "please")
            or subject == "you"
        )
        certain = opener in ("if", "unless") and s.word(at) in ("will", "would")
        # "if he'll take the job, I'm glad"
        promised = opener == "if" and s.word(at) in ("'ll", "'d")
        if willing or promised:
            continue
        strength = NO_DOUBT if certain else 1.0
        if s.word(at) in ("will", "'ll"):
            form = "am" if lemma == "be" and subject == "i" else None
            form = form or inflect(lemma, "VBZ" if third else "VBP")
            other = opener == "if" and "would" in s.low[:at]
            if other:
                yield at, verb + 1, "were" if lemma == "be" else inflect(lemma, "VBD"), strength
            elif opener != "before":
                yield at, verb + 1, form, strength
        elif opener in ("if", "wish", "unless"):
            yield at, verb + 1, "were" if lemma == "be" else inflect(lemma, "VBD"), strength
            if lemma == "be":
                yield at, verb + 1, "was", strength
            if lemma == "have" and s.tag(verb + 1) == "VBN":
                yield at, verb + 1, "had", strength
            if s.low.count("would") == 1:
                yield at, verb + 1, inflect(lemma, "VBZ" if third else "VBP"), min(strength, 0.7)
    if s.word(0) == "if":
        yield from _result(s)


def _result(s: Sentence) -> Iterator[Edit]:
    """The clause that says what then happens, or would have."""
    inside = range(1, s.low.index(",") if "," in s.low else len(s))
    had = any(
        s.word(at) in ("had", "'d") and "VBN" in (s.tag(at + 1), s.tag(at + 2)) for at in inside
    )
    for at in range(len(s) - 2):
        word, negated = s.word(at), s.word(at + 1) in ("n't", "not")
        verb = at + 2 if negated else at + 1
        if at in inside:
            own = "were" if s.lemma(at) == "be" else inflect(s.lemma(at), "VBD")
            unreal = "would" in s.low and s.word(1) != "you"
            present = s.tag(at) in ("VBP", "VBZ") and s.pos(at) in ("VERB", "AUX")
            if present and at < 5 and unreal:
                yield at, at + 1, own, 0.8
            continue
        if not had or s.tag(verb) != "VB" or s.tag(verb + 1) == "VBN":
            continue
        done = inflect(s.lemma(verb), "VBN")
        if s.lemma(verb) == "be" or "now" in s.low or "today" in s.low:
            continue
        helper = f"would{s.doc[at].whitespace_}{s.word(at + 1)}" if negated else "would"
        if word in ("would", "will", "'d", "'ll", "wo") or (word == "did" and negated):
            if negated and word != "would":
                helper = "wouldn't" if s.word(at + 1) == "n't" else "would not"
            yield at, verb + 1, f"{helper} have {done}", 0.9


_WH = ("WP", "WRB", "WDT")
_INTRODUCE = listed("introduces_questions")


@check("embedded-question")
def _embedded_question(s: Sentence) -> Iterator[Edit]:
    auxiliaries = listed("question_auxiliaries")
    for token in s.doc:
        at = token.i
        if token.tag_ not in _WH and token.lower_ not in ("if", "whether", "how"):
            continue
        if token.lower_ == "whatever":  # "whatever is the current version"
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
            if s.tag(place) in ("PRP", "EX"):
                break
            if s.word(place) not in auxiliaries:
                continue
            chunk = s.chunk_from(place + 1)
            if chunk is None:
                break
            end = chunk.end
            auxiliary = s.doc[place]
            verb = end if end < len(s) else None
            text = s.text(place + 1, end)
            if s.asks and not (
                at > 1 and s.word(0) in ("do", "can", "could", "did", "would", "will")
            ):
                break
            asking = s.lemma(at - 1) in listed("asking_verbs") or s.word(at - 1) in _OBJECTS
            strength = NO_DOUBT if asking and not s.asks else 0.9
            if auxiliary.lemma_ != "do":
                word = "is" if auxiliary.lower_ == "'s" else auxiliary.text
                if (
                    place == at + 1
                    and token.lower_ in ("what", "who")
                    and s.pos(end)
                    not in ("VERB", "ADJ", "ADV", "PUNCT", "ADP", "SCONJ", "CCONJ", "AUX")
                    and end < len(s)
                ):
                    break
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
            elif (
                chunk.root.lower_ in getAllLemmas(chunk.root.lower_).get("VERB", ())
                and len(chunk) > 2
            ):
                tag = {"do": "VBP", "does": "VBZ", "did": "VBD"}[auxiliary.lower_]
                said = inflect(chunk.root.lower_, tag)
                yield place, end, f"{s.text(place + 1, end - 1)} {said}", strength
            elif verb is not None and s.tag(verb) in ("VB", "VBP", "NN"):
                tag = {"do": "VBP", "does": "VBZ", "did": "VBD"}[auxiliary.lower_]
                yield place, verb + 1, f"{text} {inflect(s.lemma(verb), tag)}", strength
            break


_ANY: dict[str, str] = lists().raw["any_for_no"]


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
            noun = token.head if token.dep_ == "det" else token
            denied = any(c.dep_ == "neg" and c.lower_ != "never" for c in noun.head.children)
            sure = NO_DOUBT if denied and noun.dep_ == "dobj" else 1.0
            sure = sure if word != "none" else 0.8
            cut = cut or (word == "nothing" and noun.dep_ == "attr") or noun.dep_ == "nsubj"
            meant = s.low.count(word) > 1 or not {"just", "simply"}.isdisjoint(back)
            cut = cut or (word == "nothing" and meant)  # "you can't just do nothing"
            if not cut:
                yield at, at + 1, _ANY[word], sure
            if word == "nobody" and not cut:
                yield at, at + 1, "anyone", sure
            if word == "never" and s.word(at - 1) in ("n't", "not") and at > 1:
                yield at - 2, at, {"ca": "can", "wo": "will"}.get(far := s.word(at - 2), far), 1.0
        negated = not listed("negated_already").isdisjoint(s.low[max(0, at - 5) : at])
        helper, begun = s.word(at - 1), set(s.low[:at])
        meant = helper in ("never", "that") or s.low.count("nothing") > 1  # "I've never not had"
        if word in ("n't", "not") and at and negated and not (meant or {"that", "who"} & begun):
            none = {"nobody", "nothing", "none"} & begun
            sure = NO_DOUBT if none and not {",", "but", "and"} & begun else 0.8
            if helper in ("do", "does", "did") and s.tag(at + 1).startswith("VB"):
                form = inflect(s.lemma(at + 1), {"do": "VBP", "does": "VBZ", "did": "VBD"}[helper])
                yield at - 1, at + 2, form, sure
            elif helper:
                positive = {"ca": "can", "wo": "will"}.get(helper, s.doc[at - 1].text)
                yield at - 1, at + 1, positive, sure
        acts = s.tag(at + 1) in ("VB", "VBP", "VBZ", "VBD") and s.pos(at + 1) == "VERB"
        who = s.pos(at - 1) in ("PRON", "NOUN") and s.word(at - 1) != "why"
        if word == "not" and who and acts:
            third = s.tag(at + 1) == "VBZ" or s.word(at - 1) in ("he", "she", "it")
            do = "did" if s.tag(at + 1) == "VBD" else "does" if third else "do"
            yield at, at + 2, f"{do} not {s.lemma(at + 1)}", 0.8


def _last(words: list[str], wanted: tuple[str, ...]) -> int:
    return max((at for at, word in enumerate(words) if word in wanted), default=0)
