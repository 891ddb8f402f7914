"""Checks of noun phrases: articles, number, countability, prepositions, pronouns, adjectives."""

import re
from collections.abc import Iterator
from typing import Any, Final

from lemminflect import getAllLemmas  # type: ignore[import-untyped]

from server.language.proposals import NO_DOUBT, SURE, UNVOUCHED, Edit, Sentence, check
from server.language.words import (
    american,
    article,
    compared,
    frequent_words,
    inflect,
    listed,
    lists,
    word_set,
)

_PLURAL_CUES = listed("plural_cues")
_SINGULAR_CUES = word_set("a an this that each every another one")
_DETERMINERS = listed("determiners")
_OF_PLURAL = listed("of_plural")
_ALTERNATIVES: Final = ("in", "on", "at", "to", "for", "of", "with", "from", "by", "about", "into")
_PREPOSITIONS = frozenset(
    (*_ALTERNATIVES, "since", "during", "over", "through", "than", "as", "towards", "per", "like")
)
_DAYS = listed("days")
_MONTHS = listed("months")
_FIELDS = frozenset(lists().raw["fields_of_study"])
_FLAT = word_set("quick slow careful serious easy bad perfect automatic")
"""Adjectives that the tagger takes for adverbs where they stand for one."""
_TIMES = word_set("year month week day hour minute second time while bit moment")
_YEAR = re.compile(r"(?:19|20)\d\d")
_UNIQUE = listed("unique")
_NUMBER = {"this": "these", "that": "those", "these": "this", "those": "that"} | dict(
    another="other", every="all", each="all"
)
"""What stands with several instead of one, or with one."""
_JOBS = listed("jobs")
_PERSON = re.compile(r"[a-z]{3}(er|or|ist|cian)$")


def _is_mass(token: Any) -> bool:
    return token.lemma_.lower() in lists().words("mass")


def _determined(sentence: Sentence, start: int, head: Any) -> list[Any]:
    return [
        token
        for token in sentence.doc[start : head.i + 1]
        if token.dep_ == "det"
        or (token.dep_ == "poss" and (token.i > start or not token.is_lower))
        or token.tag_ in ("PRP$", "WP$", "WDT")
        or (token.tag_ == "POS" and (token.i - 1 > start or not sentence.doc[start].is_lower))
        or (token.lower_ in _DETERMINERS and token is not head)
    ]


@check("article-missing")
def _missing_article(s: Sentence) -> Iterator[Edit]:
    verbless = not any(t.tag_ in ("VBD", "VBZ", "VBP", "MD", "VB") for t in s.doc)
    for edit in () if verbless else _articles(s):  # "new team, same rules" is no sentence
        opener = s.word(edit[0]) in listed("openers") and edit[0] == 0
        as_lead = s.word(0) == "as" and edit[0] == 1  # "as tech lead, you write less code"
        made = s.word(edit[0] - 1) in listed("appointed") and s.tag(edit[0] - 1) == "VBN"
        as_lead = as_lead or made  # "I was made team lead"
        second = s.word(edit[0] - 1) == "as" and s.word(edit[0]) in listed("ordinals")
        if not (opener or as_lead or second):
            yield edit


def _is_paired(s: Sentence, at: int) -> bool:
    """Two bare nouns: "man and machine", "server after server"."""
    twice = s.word(at) in (s.word(at - 2), s.word(at + 2))
    behind = s.word(at + 1) in ("and", "or") and s.tag(at + 2) == "NN"
    return twice or behind or (s.word(at - 1) in ("and", "or") and s.tag(at - 2) == "NN" and at < 5)


def _must_be_determined(s: Sentence, start: int, head: Any) -> float:
    """How sure it is that a noun cannot stand alone here; 0 where it may."""
    noun = head.tag_ == "NN" and head.lemma_.lower() in listed("counted_always")
    near = {s.word(start - 1)}
    near |= {s.word(head.i + 1)} if s.pos(head.i + 1) != "PART" else set()  # "opportunity to lead"
    paired = near & {"and", "or", "by", "to", "per", "via", "nor"} or s.tag(start - 1) == "CC"
    named = s.tag(head.i + 1) in ("CD", "NN", "NNS", "NNP") or (head.text[0].isupper() and head.i)
    row = s.word(head.i + 1) == "," and any(c.dep_ in ("conj", "appos") for c in head.children)
    if not noun or paired or named or row or s.word(start) in listed("bare_starts"):
        return 0.0
    if head.dep_ in ("dobj", "attr", "nsubj", "nsubjpass"):
        return 0.9
    return 0.85 if head.dep_ == "pobj" and s.word(start - 1) in listed("before_single") else 0.0


def _articles(s: Sentence) -> Iterator[Edit]:
    for chunk in s.chunks:
        head, start = chunk.root, chunk.start
        if head.pos_ == "PRON" or head.tag_ not in ("NN", "NNS", "NNP", "VBG"):
            continue
        if head.dep_ == "ROOT" and start == 0:  # "small company, you see": spoken without a verb
            continue
        if s.doc[start].tag_ == "PDT" and start + 1 <= head.i:
            start += 1
        if _determined(s, start, head) or any(t.tag_ == "CD" for t in s.doc[start : head.i]):
            continue
        if _is_paired(s, head.i) or s.text(start, head.i + 1).lower() in lists().raw["bare_pairs"]:
            continue
        before, first = s.word(start - 1), s.doc[start].text
        superlative = any(
            t.tag_ in ("JJS", "RBS") or t.lower_ in _UNIQUE for t in s.doc[start : start + 2]
        )
        if superlative and before not in ("at", "the") and s.tag(start - 1) not in ("PRP$", "POS"):
            if start:
                yield start, start, "the", 1.0
            continue
        ordinal = start < head.i and first.lower() in listed("ordinals")
        if ordinal and s.pos(start - 1) == "ADP" and head.lower_ not in listed("after_ordinals"):
            yield start, start, "the", 1.0
        known = head.lemma_.lower() in listed("things", "persons") and head.tag_ == "NN"
        sure = _must_be_determined(s, start, head)
        if sure:
            if s.lemma(start - 1) not in listed("introducing"):
                yield start, start, "the", sure
        elif known and head.dep_ in ("nsubj", "nsubjpass") and start == head.i:
            yield start, start, "the", 0.7
        if head.tag_ not in ("NN", "VBG") or _is_mass(head):
            continue
        a = article(first)
        job = head.lower_ in _JOBS or _PERSON.search(head.lower_) is not None
        job = job and head.lower_ != "number"  # "as employee number ten"
        if job and (before == "as" or s.lemma(start - 1) in ("be", "become", "'m", "'s")):
            yield start, start, a, 1.0
        elif sure or (known and head.dep_ in ("attr", "dobj")):
            yield start, start, a, sure or 0.7
        if s.word(start - 1) in ("such", "what", "quite"):
            yield start, start, a, 0.7
    for at in range(2, len(s)):  # "my wife is nurse", "she is experienced tester"
        first = at
        while first and s.tag(first - 1) in ("JJ", "NN", "VBN"):
            first -= 1
        person = s.word(at) in _JOBS | listed("persons") and s.tag(at) in ("NN", "JJ")
        if person and s.lemma(first - 1) in ("be", "become") and s.pos(at + 1) != "NOUN":
            yield first, first, article(s.doc[first].text), 1.0
    for at in range(len(s)):  # before a number word or an adjective that no noun phrase holds
        if at and s.tag(at) in ("JJS", "RBS") and s.pos(at - 1) not in ("DET", "PRON", "PART"):
            if s.word(at - 1) not in ("the", "at", "my", "our", "your", "their") and s.word(
                at
            ) not in ("least", "most"):
                yield at, at, "the", 0.7


@check("article-needless")
def _needless_article(s: Sentence) -> Iterator[Edit]:
    for chunk in s.chunks:
        head = chunk.root
        for token in _determined(s, chunk.start, head):
            if token.lower_ not in ("a", "an", "the") or token.i + 1 >= len(s):
                continue
            if token.lower_ == "the":
                whole = s.text(token.i + 1, head.i + 1).lower()
                meal = head.lower_ in listed("meals")
                meal = meal and s.lemma(token.i - 1) in ("have", "eat", "for")
                after = s.word(head.i + 1)
                narrowed = {"of", "that", "which", "with", "we"} if meal else listed("narrowing")
                field = whole in _FIELDS and after not in ("of", "that", "which", "we")
                free = after not in narrowed and (meal or not list(head.rights))
                if field or (free and (meal or whole in listed("general_nouns"))):
                    now = head.dep_ == "nsubj" and head.head.tag_ in ("VBZ", "VBP")
                    yield token.i, token.i + 1, "", 0.9 if meal or now else 0.7
            else:
                plural = head.tag_ == "NNS" and not any(
                    t.tag_ == "CD" or t.lower_ in ("few", "lot", "couple", "hundred") for t in chunk
                )
                mass = _is_mass(head) and head.lower_ not in lists().words("counted_too")
                before = s.word(token.i - 1)
                never = head.lower_ in listed("never_plural") and before not in ("half", "many")
                never = never and head.lower_ != "knowledge"
                if never or mass:
                    yield token.i, token.i + 1, "", NO_DOUBT if never else 1.0
                elif plural:  # as one repair, because "a server" is the other one
                    yield token.i, head.i + 1, s.text(token.i + 1, head.i + 1), 1.0
                if never or plural or mass:
                    yield token.i, token.i + 1, "some", 0.7
    for at in range(len(s) - 1):
        twice = s.word(at) == "the" and s.word(at + 1) in listed("after_no_article")
        if twice or (s.word(at) in ("a", "an", "the") and s.word(at + 1) in listed("possessives")):
            yield at, at + 1, "", 1.0
        field = s.word(at) == "the" and f"{s.word(at + 1)} {s.word(at + 2)}" in _FIELDS
        if field and s.pos(at + 3) not in ("NOUN", "ADP"):
            yield at, at + 1, "", 0.7
        if s.word(at) == "the" and s.word(at + 1) in listed("bare_names"):
            part = s.pos(at + 2) in ("NOUN", "PROPN", "ADJ", "NUM") or s.word(at + 2) in ("-", "'s")
            part = part or s.tag(at + 2) in ("VBG", "VBN") or s.word(at + 2) in listed("narrowing")
            if not part:
                yield at, at + 1, "", 0.9


@check("article-perhaps")
def _perhaps_article(s: Sentence) -> Iterator[Edit]:
    """Any noun phrase with another article: the model knows which things are spoken of so."""
    for chunk in s.chunks:
        head, start = chunk.root, chunk.start
        if head.tag_ not in ("NN", "NNS", "NNP", "VBG") or head.pos_ == "PRON":
            continue
        determined = _determined(s, start, head)
        for token in determined:
            if token.lower_ in ("a", "an", "the"):
                yield token.i, token.i + 1, "", UNVOUCHED
        if not determined and not any(t.tag_ == "CD" for t in s.doc[start : head.i]) and start:
            yield start, start, "the", UNVOUCHED
            if head.tag_ in ("NN", "VBG"):
                yield start, start, article(s.doc[start].text), UNVOUCHED


@check("number-perhaps")
def _perhaps_number(s: Sentence) -> Iterator[Edit]:
    for chunk in s.chunks:
        head = chunk.root
        glued = head.i > 0 and not s.doc[head.i - 1].whitespace_
        plural = inflect(head.lemma_.lower(), "NNS")
        plain = head.tag_ == "NN" and head.is_lower and head.is_alpha and not glued
        plain = plain and not any(token.lower_ in _SINGULAR_CUES for token in chunk)
        known = head.lower_ in frequent_words() and head.lower_ not in listed("number_words")
        if plain and plural[-1] == "s" and known:
            yield head.i, head.i + 1, plural, UNVOUCHED


@check("article-choice")
def _article_choice(s: Sentence) -> Iterator[Edit]:
    for at in range(len(s) - 1):
        if s.word(at) in ("a", "an") and s.pos(at + 1) != "PUNCT" and s.doc[at].whitespace_:
            right = article(s.doc[at + 1].text)
            if right != s.word(at):
                yield at, at + 1, right, 1.0
            head = s.doc[at].head
            unique = s.word(at + 1) in _UNIQUE or s.tag(at + 1) == "JJS"
            unique = unique and s.word(at + 1) not in listed("also_of_several")
            family = ("only child", "only son", "only daughter")
            unique = unique and s.text(at + 1, at + 3).lower() not in family
            if head.pos_ == "NOUN" and unique:
                yield at, at + 1, "the", 1.0


@check("number")
def _number(s: Sentence) -> Iterator[Edit]:
    keep = listed("no_singular", "number_words")
    for token in s.doc:
        if token.tag_ not in ("NN", "NNS") or not token.is_alpha or token.lower_ in keep:
            continue
        if token.lower_[:-1] in listed("adjectives_made_plural") and token.lower_[-1] == "s":
            yield token.i, token.i + 1, token.lower_[:-1], NO_DOUBT
        at, lemma = token.i, token.lemma_.lower()
        other = inflect(lemma, "NNS" if token.tag_ == "NN" else "NN").lower()
        if other == token.lower_ or len(lemma) < 3:
            continue
        near = [child.lower_ for child in token.children if child.i < at]
        left = s.low[max(0, at - 3) : at]
        if token.tag_ == "NN":
            part = token.dep_ in ("compound", "amod") or s.tag(at + 1) in ("NN", "NNS")
            if part or _is_mass(token):
                continue
            counted = any(w in _PLURAL_CUES or (w.isdigit() and w not in ("1", "0")) for w in near)
            a_kind = token.dep_ == "attr" and lemma in listed("counted_in_kinds")
            counted = counted and not (a_kind and token.head.lemma_ == "be" and not s.asks)
            of = token.dep_ == "pobj" and token.head.lower_ == "of"
            of = of and token.head.head.lower_ in _OF_PLURAL
            if counted or (of and listed("before_plurals") & {*s.low[token.head.i + 1 : at]}):
                yield at, at + 1, other, 1.0
        else:
            mass = lemma in lists().words("mass")
            singular = any(w in _SINGULAR_CUES for w in near) and not any(
                w in _PLURAL_CUES or w in ("few", "hundred", "lot", "or") for w in (*near, *left)
            )
            certain = lemma in lists().words("never_plural")
            amount = not {"lot", "much", "all"}.isdisjoint(left)
            certain = certain or (lemma in ("work", "staff") and amount)
            verb = s.tag(at - 1) == "RB" and "VERB" in getAllLemmas(token.lower_)
            part = s.pos(at + 1) in ("ADJ", "NOUN", "PROPN")  # "a services multi-repo setup"
            if certain or (singular and not verb):  # "that probably encodes it"
                counted = mass and s.word(at - 1) in ("many", "several", "few")
                sure = 0.7 if counted else SURE if certain else 0.7 if part else 1.0
                yield at, at + 1, lemma if mass else other, sure
            if s.word(at - 1) in ("a", "an", "one", "this", "that", "every", "each") and not mass:
                right = lists().raw["in_the_plural"].get(s.word(at - 1), "")
                yield at - 1, at + 1, f"{right} {token.lower_}".strip(), 0.7
            if mass and s.word(at - 1) in ("many", "several", "few"):
                word = {"many": "a lot of", "several": "some", "few": "a little"}[s.word(at - 1)]
                yield at - 1, at + 1, f"{word} {lemma}", SURE
    for at in range(len(s) - 2):  # "a five years project"
        if s.tag(at) == "CD" and s.tag(at + 1) == "NNS" and s.tag(at + 2) in ("NN", "NNS"):
            singular_ = inflect(s.lemma(at + 1), "NN")
            if s.word(at - 1) in ("a", "an", "the", "my", "our") or s.tag(at + 2) == "NN":
                yield at, at + 2, f"{s.word(at)}-{singular_}", 0.7
            if s.word(at + 1) in ("years", "months", "weeks") and s.lemma(at + 2) == "experience":
                yield at + 2, at + 3, "of experience", 1.0


@check("countability")
def _countability(s: Sentence) -> Iterator[Edit]:
    for at in range(len(s) - 1):
        word, nxt = s.word(at), s.doc[at + 1]
        far = s.doc[at + 2] if at + 2 < len(s) and nxt.pos_ == "ADJ" else nxt
        counted = far.tag_ == "NNS" and far.lower_ != "people"
        if word == "much" and counted and s.word(at - 1) not in ("pretty", "very"):
            yield at, at + 1, "many", 1.0
            if s.word(at - 1) != "how":
                yield at, at + 1, "a lot of", 0.7
        if word == "much" and far.lower_ == "people":
            yield at, at + 1, "many", 0.7
        if word == "less" and far.tag_ == "NNS" and s.word(at - 1) not in ("or", "no", "a"):
            yield at, at + 1, "fewer", 0.7
        if word == "many" and (_is_mass(far) or far.tag_ == "NN") and s.word(at + 1) != "a":
            if _is_mass(far) or far.lower_ in ("time", "work", "experience", "help", "support"):
                yield at, at + 1, "a lot of", 1.0
                yield at, at + 1, "much", 1.0
        if word in ("few", "fewer") and _is_mass(far):
            yield at, at + 1, "little" if word == "few" else "less", 0.7
        if word in ("a", "an") and _is_mass(far) and far.lower_ not in lists().words("counted_too"):
            yield at, at + 1, "some", 0.8
            yield at, at + 1, "a piece of", 0.8
        if (
            word in ("this", "that")
            and (far.tag_ == "NNS" and far.lower_ != "data")
            and nxt.dep_
            in ("amod", "compound", "nsubj", "dobj", "pobj", "nsubjpass", "attr", "conj")
        ):
            if s.doc[at].dep_ == "det":
                yield at, far.i + 1, f"{_NUMBER[word]} {s.text(at + 1, far.i + 1)}", 1.0
        acts = s.pos(far.i + 1) in ("DET", "PRON") and "VERB" in getAllLemmas(far.lower_)
        one = far.tag_ == "NN" and far.dep_ != "compound" and not acts  # "how those impact us"
        if word in ("these", "those") and one and s.doc[at].dep_ == "det":
            yield at, far.i + 1, f"{_NUMBER[word]} {s.text(at + 1, far.i + 1)}", 0.7
        if word in ("another", "every", "each") and far.tag_ == "NNS" and s.tag(at + 1) != "CD":
            singular = inflect(far.lemma_.lower(), "NN")
            if far is nxt:
                yield at + 1, at + 2, singular, 1.0
            yield at, far.i + 1, f"{_NUMBER[word]} {s.text(at + 1, far.i + 1)}", 0.7


def _time_preposition(s: Sentence, at: int) -> str | None:
    """The preposition that the time behind "in", "on" or "at" takes."""
    nxt, noun = s.word(at + 1), s.chunk_from(at + 1)
    end = noun.end if noun is not None else at + 2
    last, alone = s.word(end - 1), s.word(end) != "of"
    counted = end - at > 3 and s.word(end - 2) in listed("ordinals") | {"last"}
    if nxt in _DAYS or (last == "day" and counted):
        return "on"
    if s.text(at + 1, end).lower() == "the end":
        return "at" if not alone and s.word(at) == "on" else None
    if s.tag(at + 1) == "CD" and s.word(at + 2) in ("o'clock", "am", "pm", "a.m.", "p.m."):
        return "at"
    half = nxt == "the" and end == at + 3 and last in ("morning", "afternoon", "evening") and alone
    month = nxt in _MONTHS and s.tag(at + 2) != "CD"
    return "in" if half or month or _YEAR.fullmatch(nxt) else None


@check("preposition")
def _preposition(s: Sentence) -> Iterator[Edit]:
    table = lists()
    for token in s.doc:
        at, word = token.i, token.lower_
        if word not in _PREPOSITIONS or token.pos_ not in ("ADP", "PART", "SCONJ", "ADV"):
            continue
        infinitive = word == "to" and s.tag(at + 1) in ("VB", "VBP")
        if infinitive or (token.text[0].isupper() and at):
            continue
        governor = s.doc[at - 1] if at else None
        wanted: str | None = None
        wrong = False
        if governor is not None:
            part = {"VERB": "verb", "ADJ": "adjective", "NOUN": "noun"}.get(governor.pos_)
            if governor.lower_ in listed("participle_adjectives"):
                part = "adjective"
            if part:
                lemma = (
                    governor.lower_ if part == "adjective" else american(governor.lemma_.lower())
                )
                wanted = table.governed(part).get(lemma)
                if part == "verb" and word in listed("never_governed"):
                    wanted = None  # "it could benefit, like desktop apps"
                if wanted and word != wanted:
                    done_by = part == "verb" and governor.tag_ == "VBN" and word == "by"
                    known = done_by or word in table.also_right(part, lemma)
                    wrong = part != "noun" and not known
                elif wanted:
                    wanted = None
                    continue
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        time = None
        if nxt is not None and word in ("in", "on", "at"):
            time = _time_preposition(s, at)
        right = time or (wanted if wrong else None)
        if right and right != word:
            yield at, at + 1, right, 1.0
        if nxt is not None and not nxt.is_punct:
            direct = (
                governor is not None
                and governor.pos_ == "VERB"
                and word in table.raw["direct_verbs"].get(american(governor.lemma_.lower()), ())
            )
            pair = f"{american(governor.lemma_)} {word}" if governor is not None else ""
            never = pair in table.raw["never_together"]
            if never or (direct and nxt.tag_ != "VBG"):
                yield at, at + 1, "", NO_DOUBT if never else 1.0


@check("preposition-missing")
def _missing_preposition(s: Sentence) -> Iterator[Edit]:
    table = lists()
    needs = table.raw["needs_preposition"]
    objects = listed("bare_objects")
    for token in s.doc[:-1]:
        at = token.i + 1
        follower = s.doc[at]
        if (
            follower.pos_ not in ("NOUN", "PROPN", "PRON", "DET", "ADJ", "NUM")
            or follower.dep_ not in objects
        ):
            continue
        if follower.tag_ in ("WP", "WDT", "EX") or follower.lower_ in listed("never_bare_objects"):
            continue
        lemma = american(token.lemma_.lower())
        if token.pos_ == "VERB":
            wanted = needs.get(lemma)
            left = lemma == "graduate" and follower.lower_ in listed("graduated")
            if wanted and not left:  # "I graduated high school"
                thing = follower.dep_ in listed("dependents") and follower.lower_ not in listed(
                    "bare_determiners"
                )
                if any(s.lemma(place) in _TIMES for place in range(at, at + 3)):
                    thing = False
                if thing:
                    yield at, at, wanted, 1.0


@check("comparative")
def _comparative(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        at, word = token.i, token.lower_
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        if word == "more" and s.word(at - 1) == "the" and nxt is not None and nxt.pos_ == "ADJ":
            of_all = any(w in ("ever", "career", "life") for w in s.low[at : at + 8])
            if of_all and "than" not in s.low:
                yield at, at + 1, "most", 0.9
        if token.tag_ in ("JJR", "RBR") and s.word(at - 1) == "," and s.word(0) == "the":
            if s.tag(1) in ("JJR", "RBR") and s.low.index(",") == at - 1:
                yield at, at, "the", NO_DOUBT
        kinds = getAllLemmas(nxt.lower_) if nxt is not None else {}
        base = kinds.get("ADJ", ("",))[0]
        twice = bool(base) and base != s.word(at + 1) and base[-1:] != "r" and "NOUN" not in kinds
        twice = (twice and s.word(at + 1).endswith(("er", "est"))) or s.word(at + 1) in (
            "better",
            "worse",
        )
        if (
            word in ("more", "most", "less")
            and nxt is not None
            and (twice or nxt.pos_ in ("ADJ", "ADV"))
        ):
            if s.word(at + 2) == "-":  # "more higher-level code"
                continue
            if nxt.tag_ in ("JJR", "RBR", "JJS", "RBS") or twice:
                yield at, at + 1, "", NO_DOUBT if twice and word != "less" else 1.0
                if twice and compared(base, "JJR") is None:
                    yield at + 1, at + 2, base, NO_DOUBT
            elif word != "less":
                own = compared(nxt.lemma_.lower(), "JJR" if word == "more" else "JJS")
                noun = s.pos(at + 2) in ("NOUN", "PROPN") and word == "more"
                if own and not noun and (len(nxt.text) <= 5 or nxt.text.endswith("y")):
                    yield at, at + 2, own, 1.0
        after = s.low[at + 1 : at + 6]
        if (
            token.tag_ in ("JJ", "RB")
            and len(word) < 14
            and word not in listed("never_compared_here")
        ):
            if any(w in ("than", "then") for w in after) and s.word(at - 1) not in listed(
                "compared_by"
            ):
                own = compared(token.lemma_.lower(), "JJR")
                yield at, at + 1, own or f"more {token.text}", 1.0
        if token.tag_ in ("JJR", "RBR") and len(word) >= 4:
            base = token.lemma_.lower()
            if s.word(at - 1) in ("very", "too", "so"):
                yield at - 1, at, "much", 1.0
            if s.word(at - 1) == "as":
                yield at, at + 1, base, 0.7
            if base != word and compared(base, "JJR") != word and word != f"{base}r":
                yield at, at + 1, f"more {base}", 0.7
            superlative = compared(base, "JJS")
            if s.word(at - 1) in ("the", "my", "our") and superlative:
                of_all = any(w in ("ever", "career", "life") for w in s.low[at : at + 8])
                if of_all and "than" not in s.low:
                    yield at, at + 1, superlative, 1.0
        if token.tag_ == "JJS" and any(w == "than" for w in after):
            own = compared(token.lemma_.lower(), "JJR")
            if own:
                yield at, at + 1, own, 0.8
        if word in ("that", "then", "as"):
            clause = s.tag(at + 1) == "PRP" and s.lemma(at + 2) == "be" and "so" not in s.low[:at]
            if (word != "that" or clause) and any(
                t.tag_ in ("JJR", "RBR")
                or t.lower_ in ("more", "less", "fewer", "rather", "better")
                for t in s.doc[max(0, at - 3) : at]
            ):
                yield at, at + 1, "than", 0.9 if word == "that" else 0.7
        if word in ("than", "like", "that", "then") and any(
            w == "as" for w in s.low[max(0, at - 3) : at - 1]
        ):
            yield at, at + 1, "as", 1.0 if word != "that" else 0.7
        if word in ("than", "that", "like", "with", "of") and s.word(at - 1) == "same":
            yield at, at + 1, "as", 0.8
        if word == "enough" and nxt is not None and nxt.pos_ in ("ADJ", "ADV"):
            counts = s.pos(at + 2) == "NOUN" or word_set("just now already more") & {nxt.lower_}
            ends = s.word(at + 2) in ("to", "for", "and", "") or s.pos(at + 2) == "PUNCT"
            if not counts:
                sure = NO_DOUBT if ends and nxt.pos_ == "ADJ" else 1.0
                yield at, at + 2, f"{nxt.text} enough", sure


@check("adverb")
def _adverb(s: Sentence) -> Iterator[Edit]:
    link = lists().words("link_verbs")
    for token in s.doc:
        at, word = token.i, token.lower_
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        before = s.doc[at - 1] if at else None
        flat = token.tag_ == "JJ" or word in _FLAT
        if flat and len(word) > 3 and word != "real" and not word.endswith("ly") and word.isalpha():
            adverb = _adverb_of(word)
            back = (
                s.doc[at - 2]
                if at > 1
                and before is not None
                and before.lower_ in ("very", "so", "really", "too", "quite", "more")
                else before
            )
            free = nxt is None or nxt.pos_ not in ("NOUN", "PROPN", "ADJ", "NUM")
            verb = back is not None and back.pos_ == "VERB"
            if verb and back is not None and back.lemma_.lower() not in link and free:
                strength = 0.8
            elif (
                before is not None
                and nxt is not None
                and (
                    (
                        before.pos_ in ("AUX", "PART", "PRON")
                        and nxt.tag_ in ("VB", "VBN", "VBG", "VBD")
                        and nxt.pos_ == "VERB"
                    )
                    or (before.lemma_ == "be" and nxt.pos_ == "ADJ")
                )
            ):
                strength = 0.7
            else:
                continue
            yield at, at + 1, {"good": "well", "fast": "fast"}.get(word, adverb), strength


def _adverb_of(word: str) -> str:
    if word.endswith("le"):
        return f"{word[:-1]}y"
    if word.endswith("y"):
        return f"{word[:-1]}ily"
    if word.endswith("ic"):
        return f"{word}ally"
    return f"{word}ly"
