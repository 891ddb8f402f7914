"""Every entry of the tables: what it says is wrong is offered its repairs, and these are not."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

import pytest

from server.language.notes import Checker, parsed, rules
from server.language.proposals import CHECKS, Check, Sentence, Shape, propose
from server.language.wording import Friends
from server.language.words import article, listed, lists, load, marked
from tests.server.language.test_notes import words as spoken

Pair = tuple[str, Sequence[str]]
AT_ONCE = 20


@cache
def sentences(text: str) -> list[Sentence]:
    return list(parsed(text, None))


def repaired(check: Check, lines: Iterable[str]) -> dict[str, set[str]]:
    """Each line with what a check makes of it; several are parsed as one text, which is quicker."""
    found: dict[str, set[str]] = {line: set() for line in lines}
    every = list(found)
    for some in (every[at : at + AT_ONCE] for at in range(0, len(every), AT_ONCE)):
        ends = [len(" ".join(some[: at + 1])) for at in range(len(some))]
        for sentence in sentences(" ".join(some)):
            for each in propose(sentence, [("", check)]):
                start, end = sentence.offset + each.start, sentence.offset + each.end
                at = next(at for at, last in enumerate(ends) if start <= last)
                line, first = some[at], ends[at] - len(some[at])
                found[line].add(line[: start - first] + each.new + line[end - first :])
    return found


def faults(check: Check, pairs: Sequence[Pair]) -> list[str]:
    """Of wrong sentences with their repairs those that do not hold."""
    wrong = repaired(check, (said for said, _ in pairs))
    right = repaired(check, (each for _, rights in pairs for each in rights))
    lost = [f"{said} | {one}" for said, rights in pairs for one in rights if one not in wrong[said]]
    return lost + [f"{said} => {new}" for said, new in right.items() if new]


def pair(line: str) -> Pair:
    before, said, rights, after = marked(line)
    return before + said + after, [before + right + after for right in rights]


def test_phrases() -> None:
    assert faults(dict(CHECKS)["phrase"], [pair(line) for line in load("phrases.yaml")]) == []


def test_collocations() -> None:
    data = load("collocations.yaml")
    lines = [line.split(" < ") for lines in data["topics"].values() for line in lines]
    said = [(*say.split(" _ "), wrong) for say, instead in lines for wrong in instead.split(", ")]
    for do, wrongs in data["general"].items():
        for no, noun in ((no, noun) for no, nouns in wrongs.items() for noun in nouns.split()):
            bare = noun in listed("mass") or noun.endswith("s")
            said.append((do, noun if bare else f"{article(noun)} {noun}", no))
    pairs = [(f"We should {no} {what}.", [f"We should {do} {what}."]) for do, what, no in said]
    assert faults(dict(CHECKS)["collocation"], pairs) == []


@pytest.mark.parametrize("tongues", load("false_friends.yaml"))
def test_false_friends(tongues: str) -> None:
    for one, line in load("false_friends.yaml")[tongues].items():
        assert faults(Friends.read([one]).edits, [pair(line)]) == []
        for tongue in tongues.split() if one[0] == "1" else ():  # noted without the model
            notes = Checker().notes(spoken(pair(line)[0]), tongue)
            assert [note.rule for note in notes] == ["false-friend"], (tongue, line)


@pytest.mark.parametrize("name", load("shapes.yaml"))
def test_shapes(name: str) -> None:
    pairs = rules()[name].wrong
    for line in load("shapes.yaml")[name]:
        wrong = repaired(Shape.read(line).edits, (said for said, _ in pairs))
        right = repaired(Shape.read(line).edits, (better for _, better in pairs))
        assert any(better in wrong[said] and not right[better] for said, better in pairs), line


def test_words_taken_for_others() -> None:
    pairs = rules()["word-choice"].wrong
    for word, others in load("grammar.yaml")["confusions"].items():
        made = [{re.sub(rf"(?i)\b{word}\b", o, no).lower() for no, _ in pairs} for o in others]
        assert not any(each.isdisjoint(yes.lower() for _, yes in pairs) for each in made), word


def test_prepositions() -> None:
    data = load("grammar.yaml")
    said = [("preposition-missing", v, f"{v} {p}") for v, p in data["needs_preposition"].items()]
    direct = data["direct_verbs"]
    said += [("preposition", f"{verb} {no}", verb) for verb in direct for no in direct[verb]]
    for part, be in ("verb", ""), ("adjective", "be "):
        for yes, word in ((p, w) for p, ws in data[f"{part}_prepositions"].items() for w in ws):
            known = {yes, *direct.get(word, ()), *lists().also_right(part, word)}
            no = next(each for each in data["verb_prepositions"] if each not in known)
            said.append(("preposition", f"{be}{word} {no}", f"{be}{word} {yes}"))
    for rule in "preposition", "preposition-missing":
        rows = [[f"We can {each} the job." for each in row[1:]] for row in said if row[0] == rule]
        assert faults(dict(CHECKS)[rule], [(no, [yes]) for no, yes in rows]) == []
