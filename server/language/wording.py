"""Checks of wording: collocations, fixed phrases, words taken for others, order, false friends."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from lemminflect import getAllLemmas  # type: ignore[import-untyped]

from server.language.patterns import find
from server.language.proposals import NO_DOUBT, Edit, Sentence, Shape, check
from server.language.words import american, inflect, listed, lists, load, marked, respelled

_LONGEST_PHRASE = 7
_OBJECTS = ("dobj", "obj", "attr", "pobj", "oprd", "dative", "nsubjpass")
_NOMINAL = ("PROPN", "NOUN", "DET", "ADJ", "NUM")
_ADVERBS = lists().words("movable_adverbs")


@cache
def _pairs() -> dict[str, list[tuple[str, tuple[str, ...], str]]]:
    """Last word of a noun, in the singular → (wrong verb, whole noun, right verb)."""
    pairs: dict[str, list[tuple[str, tuple[str, ...], str]]] = {}
    data = load("collocations.yaml")
    lines = (line.partition(" < ") for lines in data["topics"].values() for line in lines)
    said = [
        (*say.split(" _ "), wrong) for say, _, instead in lines for wrong in instead.split(", ")
    ]
    for right, wrongs in data["general"].items():
        said += [(right, noun, wrong) for wrong, nouns in wrongs.items() for noun in nouns.split()]
    for right, object_, wrong in said:
        noun = tuple(re.findall(r"\w+|-", re.sub("^(an?|the) ", "", object_.lower())))
        one = getAllLemmas(noun[-1], "NOUN").get("NOUN", noun[-1:])[0]
        pairs.setdefault(one, []).append((wrong, noun, right))
    return pairs


@check("collocation")
def _collocation(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        if token.pos_ not in ("NOUN", "PROPN", "VERB", "ADJ"):
            continue
        known = [*_pairs().get(token.lemma_.lower(), ()), *_pairs().get(token.lower_, ())]
        if not known:
            continue
        # "it makes testing easier", "completed by the deadline", "passed the exam the second time"
        around = token.dep_ in ("nsubj", "compound") and token.head.i > token.i
        around |= token.dep_ in ("pobj", "npadvmod") and token.head.lower_ != "of"
        verbs = [token.head] if token.dep_ in _OBJECTS else []
        if token.dep_ == "relcl" or any(child.dep_ == "relcl" for child in token.children):
            verbs += [child for child in token.children if child.dep_ == "relcl"]
        verbs += [t for t in s.doc[max(0, token.i - 5) : token.i] if t.pos_ in ("VERB", "AUX")]
        for verb in dict.fromkeys(verbs):
            lemma = american(verb.lemma_.lower())
            for wrong, noun, right in dict.fromkeys(known):
                first, _, particle = wrong.partition(" ")
                if lemma != first or (around and not particle and verb.i < token.i):
                    continue
                end = verb.i + 1
                if particle:
                    if s.word(verb.i + 1) != particle:
                        continue
                    end += 1
                words = len(noun)
                before = s.low[max(0, token.i - words + 1) : token.i]
                if words > 1 and tuple(before) != noun[:-1]:
                    continue
                object_ = token.dep_ in _OBJECTS and token.head is verb
                tag = verb.tag_ if verb.tag_.startswith("VB") else "VB"
                new = inflect(right, tag)
                mass = token.lower_ in lists().words("mass") - lists().words("counted_too")
                if mass and s.word(end) in ("a", "an"):  # "took a feedback"
                    new, end = f"{new} {s.text(end + 1, token.i + 1)}", token.i + 1
                yield verb.i, end, new, 0.9 if object_ and words > 1 else 0.7


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    """Wrong phrase → right ones, each in lower case but for "I"."""
    found: dict[str, tuple[str, ...]] = {}
    for before, said, rights, _ in map(marked, load("phrases.yaml")):
        lower = [
            right if re.match(r"I\b", right) else right[0].lower() + right[1:] for right in rights
        ]
        found[said.lower()] = rights if before else tuple(lower)
    return found


@check("phrase")
def _phrase(s: Sentence) -> Iterator[Edit]:
    text = str(s.doc.text).lower()
    for start in range(len(s)):
        begin = s.doc[start].idx
        for end in range(start + 1, min(len(s), start + _LONGEST_PHRASE) + 1):
            last = s.doc[end - 1]
            if last.is_punct:
                break
            stop = last.idx + len(last.text)
            for better in _phrases().get(text[begin:stop], ()):
                at = text.find(better.lower(), max(0, begin - len(better)))
                if not (0 <= at <= begin and stop <= at + len(better)):  # "a few weeks ago"
                    yield start, end, better, 0.9


@check("spelling")
def _spelling(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        for right in respelled(token.text):
            if right[0] == token.text[0]:  # "kueue", "fsync" and "cgroup" are names
                yield token.i, token.i + 1, right, 1.0
        for right in lists().raw["sound_alike"].get(token.lower_, ()):
            yield token.i, token.i + 1, right, 0.7


@check("pattern")
def _pattern(s: Sentence) -> Iterator[Edit]:
    """The table of patterns, which also works without a parse."""
    places: list[int] = []
    words: list[str] = []
    for token in s.doc:
        if token.is_punct:
            continue
        before = s.doc[token.i - 1]
        if words and token.i and not before.whitespace_ and not before.is_punct:
            words[-1] += token.lower_
        else:
            places.append(token.i)
            words.append(token.lower_)
    text = " ".join(words)
    for hit in find(text):
        first = text[: hit.start].count(" ")
        last = first + text[hit.start : hit.end].count(" ")
        end = places[last + 1] if last + 1 < len(places) else len(s)
        while end > places[last] + 1 and s.doc[end - 1].is_punct:
            end -= 1
        if "…" in hit.better or "(" in hit.better or hit.better.startswith(("the -", "people +")):
            continue
        better = " ".join("I" if word == "i" else word for word in hit.better.split())
        part = s.doc[places[last]].dep_ == "compound"  # "to make a research plan"
        if not (part or any(token.is_punct for token in s.doc[places[first] : end])):
            yield places[first], end, better, 1.0


@check("word-choice")
def _confusion(s: Sentence) -> Iterator[Edit]:
    table = lists().raw["confusions"]
    for token in s.doc:
        at, word = token.i, token.lower_
        if token.is_punct or (at and not s.doc[at - 1].whitespace_ and word.startswith("'")):
            continue
        for other in table.get(word, ()):
            sure = _sure_of(s, at, word, other)
            if sure and not (token.tag_ == "PRP" and word in ("i", "you", "we")):
                yield at, at + 1, other, sure


def _sure_of(s: Sentence, at: int, word: str, other: str) -> float:
    """How sure it is that one word stands for the other, by what is around it."""
    nxt, tag, pos = s.word(at + 1), s.tag(at + 1), s.pos(at + 1)
    before = s.word(at - 1)
    negated = any(w in ("n't", "not", "never") for w in s.low[:at])
    persons = any(
        w in ("i", "we", "he", "she", "people", "you", "'m") for w in s.low[max(0, at - 4) : at]
    )
    final = at + 1 >= len(s) or s.doc[at + 1].is_punct
    if word == "other":
        alone = s.pos(at - 1) not in ("DET", "PRON") and before not in ("each", "no")
        return 0.8 if tag == "NN" and alone else 0.0
    if word == "too":
        return 1.0 if negated and final else 0.0
    if word in ("until", "till"):
        done = any(s.lemma(p) in listed("done_by_then") for p in range(at))
        when = pos in ("PROPN", "DET", "NOUN", "NUM", "ADJ")
        helped = any(t.tag_ == "MD" for t in s.doc[:at])
        return (1.0 if helped else 0.7) if done and not negated and when else 0.0
    if word == "while":
        clause = any(t.dep_ in ("nsubj", "nsubjpass") for t in s.doc[at + 1 : at + 5])
        return 1.0 if pos in ("DET", "NOUN") and not clause else 0.0
    if word == "because":
        clause = any(t.dep_ in ("nsubj", "nsubjpass", "expl") for t in s.doc[at + 1 : at + 8])
        named = pos in ("DET", "NOUN", "ADJ", "PROPN", "PRON")
        return 0.9 if named and not clause and nxt not in ("of", "it", "we", "i") else 0.0
    if word in ("despite", "although"):
        clause = any(t.dep_ in ("nsubj", "nsubjpass", "expl") for t in s.doc[at + 1 : at + 5])
        return 0.7 if clause == (word == "despite") and nxt != "the" else 0.0
    if word.endswith("ing"):
        feels = s.lemma(at - 1) in ("be", "feel", "become", "get")
        feels = feels or before in ("very", "so", "really", "'m")
        return 0.8 if persons and feels else 0.0
    if word in ("then", "than"):
        compared = any(
            t.tag_ in ("JJR", "RBR") or t.lower_ in ("more", "less", "rather", "other")
            for t in s.doc[max(0, at - 4) : at]
        )
        return 1.0 if compared == (word == "then") else 0.0
    if word in listed("noun_or_verb"):
        noun_wanted = before in listed("noun_follows")
        verb_wanted = before in listed("verb_follows")
        verb_form = other in listed("verbs_confused")
        return 0.8 if (verb_wanted and verb_form) or (noun_wanted and not verb_form) else 0.0
    return 0.0


@check("word-order")
def _order(s: Sentence) -> Iterator[Edit]:
    for token in s.doc:
        at, word = token.i, token.lower_
        nxt = s.doc[at + 1] if at + 1 < len(s) else None
        adverb = (token.pos_ == "ADV" and word in _ADVERBS) or (
            token.tag_ == "RB" and word.endswith("ly") and len(word) > 4
        )
        inner = (
            at > 0
            and not s.doc[at - 1].is_punct
            and s.doc[at - 1].whitespace_
            and token.whitespace_
        )
        if adverb and inner:
            left = s.doc[at - 1]
            verb_left = left.pos_ == "VERB" and left.tag_ != "VBG"
            if (
                verb_left
                and nxt is not None
                and nxt.pos_ in ("DET", "NOUN", "PRON", "PROPN", "ADJ", "NUM")
            ):
                often = word in listed("mid_adverbs")
                chunk = s.chunk_from(at + 1)
                own = chunk is not None and chunk.root.dep_ == "dobj" and chunk.root.head is left
                begun = s.tag(at + 1) == "PRP$" or s.word(at + 1) in listed("object_begins")
                begun = begun and word not in listed("focus_adverbs")
                timed = chunk is None or chunk.root.lower_ in listed("spans", "times_of_no_object")
                own, begun = own or (begun and not timed), begun and not timed
                heavy = chunk is None or s.word(chunk.end) in listed("heavy_before")
                certain = own and not heavy and word.endswith("ly")
                follows = chunk is not None and chunk.root.dep_ == "nsubj"  # "say probably I can"
                sure = 0.9 if certain else 0.7 if often and not follows else 0.0
                sure = NO_DOUBT if begun and word in listed("frequencies") else sure
                if sure:
                    yield at - 1, at + 1, f"{word} {left.text}", sure
                if chunk is not None and certain and len(chunk) < 4:
                    yield at, chunk.end, f"{chunk.text} {word}", NO_DOUBT
        if token.pos_ == "VERB" and not token.text.startswith("'"):
            yield from _object_after_adverb(s, at)
        late = token.tag_ == "VBD" and nxt is not None and nxt.dep_ == "nsubj" and nxt.head is token
        if late and nxt is not None and nxt.lower_ in ("i", "we", "he", "she", "they") and at:
            said = token.lemma_ in listed("saying_verbs", "asking_verbs") or token.pos_ == "AUX"
            if not said and not s.asks:
                yield at, at + 2, f"{nxt.text} {token.text}", 0.9
        if word in listed("inverted") and nxt is not None and nxt.lower_ in listed("who_inverts"):
            yield from _inverted(s, at)
        if token.tag_ == "PRP" and s.pos(at - 1) != "NOUN":
            yield from _time_before_verb(s, at)


def _inverted(s: Sentence, at: int) -> Iterator[Edit]:
    """Only questions and "never have I" turn subject and verb: "in my last job had I to do it"."""
    opens = s.pos(0) in ("ADP", "ADV") or s.word(0) in listed("times_of_subject")
    left = s.low[:at]
    turned = not listed("inverting").isdisjoint(left) or {",", ":", ";", '"'} & set(left)
    if at and opens and not s.asks and not turned and s.pos(at - 1) not in ("VERB", "AUX", "ADP"):
        yield at, at + 2, f"{s.text(at + 1, at + 2)} {s.text(at, at + 1)}", NO_DOUBT


def _time_before_verb(s: Sentence, at: int) -> Iterator[Edit]:
    """A time stands before the subject or at the end: "I last month passed the exam"."""
    last = s.word(at + 1) == "last" and s.word(at + 2) in listed("spans")
    verb = at + 3 if last else at + 2
    if not (last or s.word(at + 1) in ("yesterday", "today")) or s.tag(verb) != "VBD":
        return
    end = next((p for p in range(verb, len(s)) if s.doc[p].is_punct or s.pos(p) == "CCONJ"), len(s))
    yield at + 1, end, f"{s.text(verb, end)} {s.text(at + 1, verb)}", NO_DOUBT


def _object_after_adverb(s: Sentence, at: int) -> Iterator[Edit]:
    """Before its object stands what belongs behind it: "I speak very well English"."""
    end = at + 1
    manner = s.word(end + 1) in listed("end_adverbs") or s.word(end + 1).endswith("ly")
    if (
        (s.word(end) in ("very", "so", "really", "quite") and manner)
        or (s.word(end) in ("every", "last") and s.word(end + 1) in listed("spans"))
        or (s.word(end) == "on" and s.word(end + 1).rstrip("s") in listed("days"))
        or (s.text(end, end + 2).lower() == "a lot" and s.tag(end + 2) in ("DT", "PRP$", "NNP"))
    ):
        end += 2
    elif s.word(end) in listed("end_adverbs"):
        end += 1
    last, own = end, [c for c in s.doc[at].children if c.dep_ == "dobj" and c.lower_ != "lot"]
    while s.pos(last) in _NOMINAL and s.word(last) not in listed("spans"):
        last += 1
    object_ = s.tag(last - 1).startswith("NN") and s.tag(at + 1) not in ("JJ", "JJR")
    if at + 1 < end < last and object_ and not any(c.i < end for c in own):
        yield at + 1, last, f"{s.text(end, last)} {s.text(at + 1, end)}", 0.9


@dataclass(frozen=True)
class Friends:
    """What speakers of a language say, each with what they mean and how sure it is; and shapes."""

    words: Mapping[str, Sequence[tuple[str, float]]]
    shapes: Sequence[Shape]

    @classmethod
    def read(cls, entries: Iterable[str]) -> "Friends":
        """The entries of some languages in ``data/false_friends.yaml``."""
        words: dict[str, list[tuple[str, float]]] = {}
        shapes = []
        for entry in entries:
            if "=>" in entry:
                shapes.append(Shape.read(entry))
                continue
            said, _, rights = entry.removeprefix("1.0 ").partition(" > ")
            sure = 1.0 if entry.startswith("1.0 ") else 0.7
            words.setdefault(said, []).extend((right, sure) for right in rights.split(" / "))
        return cls(words, shapes)

    def edits(self, s: Sentence) -> Iterator[Edit]:
        """What they mean instead."""
        for shape in self.shapes:
            yield from shape.edits(s)
        for token in s.doc:
            at, tag, lemma = token.i, token.tag_, american(token.lemma_.lower())
            lemmas = {word for found in getAllLemmas(token.lower_).values() for word in found}
            for word in {lemma, token.lower_, *lemmas}:
                as_is = word == token.lower_ != lemma  # "deceived" is no form of "deceive"
                for right, sure in self.words.get(word, ()):
                    new = inflect(right, tag) if tag[:2] == "VB" and not as_is else right
                    if tag == "NNS" and not as_is:
                        first, _, last = right.rpartition(" ")
                        new = f"{first} {inflect(last, tag)}".strip()
                    yield at, at + 1, new, sure
                    if tag[:2] == "VB" and s.word(at + 1) in ("to", "at", "in", "on"):
                        yield at, at + 2, new, sure
            for end in range(at + 2, min(at + 3, len(s)) + 1):
                for right, sure in self.words.get(s.text(at, end).lower(), ()):
                    yield at, end, right, sure


@cache
def _friends(tongue: str) -> Friends:
    table = load("false_friends.yaml")
    known = [table[tongues] for tongues in table if {tongue, "any"} & set(tongues.split())]
    return Friends.read(entry for entries in known for entry in entries)


@check("false-friend")
def _false_friend(s: Sentence) -> Iterator[Edit]:
    yield from _friends(s.tongue or "any").edits(s)
