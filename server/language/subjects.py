"""Checks of subjects and pronouns: the one that is missing, the one too many, the wrong one."""

import re
from collections.abc import Iterator
from typing import Any

from server.language.proposals import CLAUSES, NO_DOUBT, WHO, Edit, Sentence, check
from server.language.words import NOMINATIVE, OBJECTIVE, inflect, listed, word_set

_DOER = re.compile(r"[a-z]{3}(er|or|ist|cian|man|woman|body|ee)$")
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
        own = begin - 1 - (s.pos(begin - 1) == "ADV")  # "I'd say that maybe also helped"
        if own != at - 1 and s.word(own) == "that":
            continue
        warned = s.word(at + 1) == "n't" and s.lemma(at + 2) in listed("told_not_to")
        if warned and before in _REASONS:  # "because don't forget, it's live"
            continue
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
        plain = lemma == "be" or token.tag_ == "MD" or impersonal
        if joined:
            likely = before == "but" and impersonal and token.tag_ != "MD"
        else:
            likely = plain or before in _REASONS
        if not (likely or outside):
            continue
        strength = 1.0 if outside else 0.9 if plain and not joined else 0.7
        there = s.word(after) in listed("after_there") or s.tag(after) in ("CD", "NNS")
        if lemma == "be" and there and verb is token:
            yield begin, begin, "there", strength
            strength -= 0.2
        yield begin, begin, "it", strength
        if not outside and not adjective and before in _REASONS and word not in ("is", "are"):
            for who in ("he", "she", "they", "we", "I"):
                third = who in ("he", "she")
                if token.tag_ in ("VBD", "MD") or (token.tag_ == "VBZ") == third:
                    yield begin, begin, who, strength
    for at in range(1, len(s)):  # "in my team is a rule", "here are many"
        token = s.doc[at]
        if token.lemma_ == "be" and token.tag_ != "VB" and s.subject(token) is None:
            named = s.tag(at + 1) in ("DT", "CD", "JJ", "NNS")
            if named and s.pos(0) == "ADP" and s.word(at + 1) in listed("after_there"):
                yield at, at, "there", 0.9
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
        finite = any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in s.doc)
        passive = (
            s.tag(at) == "VBN" and s.pos(at - 1) in ("NOUN", "PRON") and s.word(at + 1) == "by"
        )
        if passive and (s.doc[at].dep_ in CLAUSES or not finite):
            be = "were" if s.tag(at - 1) == "NNS" or before in ("we", "they") else "was"
            yield at, at, be, 0.8
        lone = before in WHO and s.doc[at].dep_ in CLAUSES
        if s.tag(at) == "VBN" and lone and inflect(s.lemma(at), "VBD") != word:
            yield at, at, "has" if before in ("he", "she", "it") else "have", 0.7


_VERBS = ("VERB", "AUX")
_SELF = {"me": "myself", "us": "ourselves", "them": "themselves"}
_SEXED = {
    "he": ("she", "it"),
    "him": ("her", "it"),
    "his": ("her", "its"),
    "she": ("he", "it"),
    "her": ("his", "its"),
}
_AGAIN = ("it", "them", "him", "her")
_RELATIVES = {"that", "which", "who", "whom", "where"}
_POINTING = word_set("the this that these those my our your his her their")
_AMOUNTS = ("many", "several", "few", "two", "three", "some")
_ITS = {"they": "it", "them": "it", "their": "its"}


def _is_person(token: Any) -> bool:
    lemma = token.lemma_.lower()
    if lemma in listed("persons", "women", "men", "jobs"):
        return True
    named = token.lower_.rstrip(".") in listed("women_named", "men_named")
    likely = _DOER.search(lemma) and lemma not in listed("things", "no_doers")
    return named or (token.pos_ == "NOUN" and bool(likely))


def _people(s: Sentence, before: int) -> list[set[bool]]:
    """The persons named before a place: whether each is a woman, empty where that is not said.

    "My manager, Laura" is one.
    """
    found: list[set[bool]] = []
    last = -2
    for token in s.doc[:before]:
        said_of = token.dep_ == "attr" or "as" in s.low[max(0, token.i - 2) : token.i]
        if token.pos_ not in ("NOUN", "PROPN") or said_of:  # "my wife works as a nurse"
            continue
        if not (_is_person(token) or token.pos_ == "PROPN"):
            continue
        one = found and not s.text(last + 1, token.i).strip(" ,")
        if token.pos_ == "PROPN" and not (one or _is_person(token)):
            continue
        if not one:
            found.append(set())
        word, lemma = token.lower_.rstrip("."), token.lemma_.lower()
        found[-1] |= {True} if lemma in listed("women") or word in listed("women_named") else set()
        found[-1] |= {False} if lemma in listed("men") or word in listed("men_named") else set()
        last = token.i
    return found


def _next_clause(s: Sentence, noun: int, at: int) -> bool:
    """Whether a pronoun stands in a later clause than the noun: else it means something else."""
    return any(t.lower_ == "," or t.pos_ in ("CCONJ", "SCONJ") for t in s.doc[noun:at])


def _other_sex(s: Sentence, at: int) -> Iterator[Edit]:
    """By the nouns that the sentence names before: "my sister … his team", "the database … he"."""
    word = s.word(at)
    other, thing = _SEXED[word] if s.tag(at) != "PRP" or word != "her" else ("him", "it")
    nouns = [t for t in s.doc[:at] if t.pos_ == "NOUN" and t.head.i != at]
    cleft = s.word(at - 2) == "it" and s.lemma(at - 1) == "be"  # "it was her they asked"
    if cleft or set(s.low[:at]) & listed("persons_named"):
        return
    if people := _people(s, at):
        woman = {word not in ("she", "her")}
        if all(each == woman for each in people):
            yield at, at + 1, other, 1.0
    elif nouns and not s.people_before and _next_clause(s, nouns[0].i, at):
        known = any(t.lemma_.lower() in listed("things") for t in nouns)
        if word != "him" or s.doc[at].head.lemma_ not in listed("said_to_persons"):
            yield at, at + 1, thing, 0.9 if known else 0.7


def _one_thing(s: Sentence, at: int) -> Iterator[Edit]:
    """One thing is no "they": "the framework is popular because they can train models"."""
    nouns = [t for t in s.doc[:at] if t.pos_ in ("NOUN", "PROPN") and t.dep_ != "compound"]
    things = [t for t in nouns if t.tag_ == "NN" and t.lemma_.lower() in listed("things")]
    told = s.plural_before or {"and", "they", "them"} & set(s.low[:at])
    if nouns and len(things) == len(nouns) and not told and _next_clause(s, nouns[-1].i, at):
        verb = s.doc[at + 1] if at + 1 < len(s) else None
        new = _ITS[s.word(at)]
        if verb is not None and s.word(at) == "they" and verb.tag_ in ("VBP", "VBD"):
            was = {"were": "was"}.get(verb.lower_, verb.text)
            third = was if verb.tag_ == "VBD" else inflect(verb.lemma_, "VBZ")
            yield at, at + 2, f"{new} {third}", 0.7
        else:
            yield at, at + 1, new, 0.7


def _said_again(s: Sentence, at: int) -> bool:
    """Whether an object is said twice: "the tool that we use it"."""
    verb = s.doc[at].head
    if s.doc[at].dep_ == "pobj" and verb.head.dep_ == "relcl":
        if "where" in s.low[:at] and verb.lower_ not in ("in", "at", "from"):
            return False  # "a place where they work on it"
        verb = verb.head
    doer = s.subject(verb)
    if verb.dep_ != "relcl" or doer is None or doer.lower_ in ("that", "which", "who"):
        return False
    if s.text(max(0, verb.head.i - 1), verb.head.i + 1).lower() == "for all":
        return False  # "for all that I loved it, it had to go"
    opens = {t.lower_ for t in s.doc[verb.head.i + 1 : doer.i + 1]}
    plural = verb.head.tag_ in ("NNS", "NNPS")
    return bool(opens & _RELATIVES) and plural == (s.word(at) == "them")


def _wrong_case(s: Sentence, at: int) -> Iterator[Edit]:
    """Subject forms for objects, object forms for subjects, and "myself" for either."""
    token, word = s.doc[at], s.word(at)
    joined = token.head if token.dep_ == "conj" else token
    named = s.lemma(at - 1) in listed("names_words")  # "my colleague uses they"
    if word in OBJECTIVE and joined.dep_ in ("dobj", "pobj", "dative") and not named:
        plain = joined is token and s.pos(at - 1) in ("VERB", "ADP")
        if plain or joined is not token:
            yield at, at + 1, OBJECTIVE[word], 1.0 if plain else 0.7
    opens = at == 0 or s.doc[at - 1].is_punct or s.pos(at - 1) in ("CCONJ", "SCONJ")
    acts = joined.dep_ in ("nsubj", "nsubjpass") and s.tag(at + 1) in _FINITE
    if word in NOMINATIVE and opens and acts and word != "her":
        yield at, at + 1, NOMINATIVE[word], 0.9 if joined is token else 0.7
    if word.endswith(("self", "selves")) and s.lemma(at - 1) in listed("never_reflexive"):
        if s.lemma(at - 1) != "feel" or s.pos(at + 1) in ("ADJ", "ADV", "VERB"):
            yield at, at + 1, "", NO_DOUBT
    elif word == "myself" and joined.dep_ in ("nsubj", "nsubjpass") and s.pos(at - 1) != "VERB":
        yield at, at + 1, "I", 0.9


@check("pronoun")
def _pronoun(s: Sentence) -> Iterator[Edit]:
    things = listed("things")
    if s.word(0) == "myself" and s.tag(1) in ("NNP", "NN"):
        yield 0, 1, "I'm", NO_DOUBT
    for token in s.doc:
        at, word = token.i, token.lower_
        before = s.doc[at - 1] if at else None
        if word in _SEXED:
            yield from _other_sex(s, at)
        if word in _ITS:
            yield from _one_thing(s, at)
        yield from _wrong_case(s, at)
        if word in _AGAIN and token.dep_ in ("dobj", "pobj") and _said_again(s, at):
            where = token.dep_ == "pobj" and "where" in s.low[:at]
            yield at - where, at + 1, "", NO_DOUBT
        chunk = s.chunk_from(at + 1) if s.tag(at + 1) in ("DT", "PRP$") else None
        named = chunk is not None and chunk.root.lemma_ not in listed("spans", "days")
        if named and word == "it" and s.pos(at - 1) == "VERB":
            yield at, at + 1, "", 0.7
        relates, owned = word in ("which", "who", "that"), s.word(at + 1) in listed("theirs")
        if relates and owned and s.pos(at - 1) == "NOUN" and s.pos(at + 2) == "NOUN":
            yield at, at + 2, "whose", 0.8
        place = word == "it" and at > 1 and s.pos(0) == "ADP" and s.word(at + 2) in _AMOUNTS
        if place and s.lemma(at + 1) in ("have", "be"):  # "in my city it has many parks"
            were = s.tag(at + 1) == "VBD" and "there were"
            yield at, at + 2, were or "there are", 0.8
        doer = s.subject(before) if before is not None and before.pos_ == "VERB" else None
        if word in _SELF and doer is not None and OBJECTIVE.get(doer.lower_) == word:
            yield at, at + 1, _SELF[word], 0.8
            if word == "us":
                yield at, at + 1, "each other", 0.9
        doubled = word in ("he", "she", "it", "they", "we") and s.tag(at + 1) in _FINITE
        if doubled and s.pos(at - 1) in ("NOUN", "PROPN"):
            # "my manager he said": the noun before is the subject as well
            first = at - 1
            while first and s.pos(first - 1) in ("DET", "ADJ", "NOUN", "PROPN", "PRON", "ADP"):
                first -= 1
            opens = first == 0 or s.doc[first - 1].is_punct or s.pos(first - 1)[1:] == "CONJ"
            if opens and s.pos(first) != "ADP":
                yield at, at + 1, "", 0.7
        if relates and before is not None and before.pos_ in ("NOUN", "PRON"):
            noun = before.lemma_.lower()
            if word == "which" and _is_person(before):
                yield at, at + 1, "who", 1.0 if noun in listed("persons", "jobs") else 0.7
                yield at, at + 1, "that", 0.7
            if noun in things and noun not in listed("collective") and word == "who":
                yield at, at + 1, "that", 1.0
                yield at, at + 1, "which", 0.7
        some = s.word(at - 1) in ("all", "everything", "something", "nothing", "anything")
        asked = s.lemma(at - 1) in listed("introduces_questions", "clues")  # "no idea what it is"
        known = before is not None and any(c.lower_ in _POINTING for c in before.children)
        if word == "what" and ((s.pos(at - 1) == "NOUN" and (known or not asked)) or some):
            yield at, at + 1, "that", 1.0
        judged = token.pos_ == "VERB" and s.lemma(at) in ("find", "make", "consider", "think")
        if judged and s.pos(at + 1) == "ADJ" and s.word(at + 2) in ("to", "that"):
            yield at + 1, at + 1, "it", 0.8
