"""Whether the speaker affirms what a mention names, or disclaims knowing, using or believing in it.

"X? No idea", "X I only know from a slide", "people say X, that is a myth", "I'd switch X off": a
logistic regression decides from classes of words around the mention and the vector of its clause.
``scripts/train_stance.py`` fits it on sentence frames written for the purpose, disclaiming and
affirming, and on mentions that coaches ticked. Without vectors, it makes no decision; ``denial``
has rules on the words alone.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from server.grading.answer import Answer, Span
from server.grading.denial import Denies, is_denied
from server.grading.lexis.words import by_word, letters_of, word_set
from server.grading.sense.logistic import Logistic
from server.grading.sense.thresholds import DISCLAIMED_FROM, MAX_UNBROKEN
from server.grading.sense.vectors import AnswerSense
from server.grading.tokenizer import NO_BREAK

REACH: Final = 14
"""Words of the sentence considered on either side."""
NEXT_REACH: Final = 8
"""Words considered in the next sentence: "X? Never tried it."."""

_CLASSES: Final = {
    "no": word_set("""
        not no never none neither nor without hardly barely cannot nobody nothing don't doesn't
        didn't isn't wasn't aren't weren't haven't hasn't hadn't won't wouldn't can't couldn't
        shouldn't dont didnt doesnt couldnt cant wouldnt havent ain't yet
        """),
    "know": word_set("""
        know knew known knows idea clue sure understand understood remember recall explain explained
        tell familiar heard hear name term word mean means meaning read seen saw look looked mystery
        foreign follow say blank forgot forgotten forget new
        """),
    "use": word_set("""
        use used using try tried touch touched work worked experience need needed do done did have
        had deal turned run ran met come came
        """),
    "reject": word_set("""
        against drop dropped skip skipped rip ripped abandon abandoned waste overrated myth nonsense
        hype hyped buzzword pointless irrelevant useless ignore disagree wrong marketing expensive
        leave left rid removed gave threw off bother point matter matters believe overkill
        """),
    "i": word_set("i i'm i've i'd i'll me my myself"),
    "we": word_set("we we've we'd our us we're team"),
    "others": word_set("""
        people they some somebody someone everybody everyone others colleague colleagues book blog
        vendor vendors he she
        """),
    "link": word_set("so because since until before then once if when"),
    "but": word_set("but however though although"),
}
_DOUBTS: Final = frozenset().union(
    *(_CLASSES[name] for name in ("no", "know", "reject", "others")),
    word_set("""
        only just without forget rather what what's are do knowledge zero google guess guessed
        guessing escapes beyond head lost ends gap greek thought away avoid avoided talked thrown
        """),
)
"""Every disclaimer has one of these words or a question mark nearby. Mentions without them that the
regression took for disclaimers ("with six years of experience", "I ran a blameless postmortem")
were half of its finds in model answers and none of the disclaimers in its frames."""
_CLASSES_OF: Final[dict[str, int]] = {}
"""The classes of each word, as bits in the order of the classes."""
for _at, _words in enumerate(_CLASSES.values()):
    for _word in _words:
        _CLASSES_OF[_word] = _CLASSES_OF.get(_word, 0) | 1 << _at
_ASKING: Final = word_set("what is do are could should sorry can did")
_LINKS: Final = word_set("because so since but however although though whereas while otherwise if")
_LEADS: Final = _LINKS | word_set("and or well um uh oh no sorry honestly frankly")
_BACK: Final = word_set("it its that that's this them those these one any what they")
_JUDGING: Final = (
    _CLASSES["know"]
    | _CLASSES["reject"]
    | word_set("need needed necessary use used useful useless difference important relevant worth")
)
_SUBJECTLESS: Final = _CLASSES["no"] - word_set("no none nobody nothing without") | {"only", "just"}
_SHORT_CLAUSE: Final = 4
"""Words of a clause that is no statement of its own: "No idea.", "I don't know"."""
_END: Final = re.compile(r"[.?!]['\"”]?$")
_COMMA: Final = re.compile(r"[,;:]$")


@dataclass(frozen=True, eq=False)
class StanceModel:
    """The regression, and the names of the word features that it was fitted on."""

    names: tuple[str, ...]
    logistic: Logistic


@cache
def shipped_model() -> StanceModel:
    """What ``scripts/train_stance.py`` wrote."""
    file = resources.files("server.grading").joinpath("data/stance.json")
    stored = json.loads(file.read_text("utf-8"))
    return StanceModel(tuple(stored["names"]), Logistic.from_json(stored))


class Stance:
    """The speaker's stance toward what an answer names."""

    def __init__(self, words: Sequence[str], sense: AnswerSense) -> None:
        self._words = words
        self._sense = sense

    def disclaims(self, first: int, last: int) -> bool:
        """Whether the speaker disclaims what words ``first`` to ``last`` name.

        Not if only a sentence about something else speaks for it.
        """
        if not _is_doubtful(self._words, first, last):
            return False
        vector = clause_vector(self._sense, first, last)
        opening = _bare(self._words[max(0, first - 2) : first])
        if vector is None or "without" in opening:  # "without X I'd not know" is left to the rules
            return False
        model = shipped_model()
        both = (self._words, _without_aside(self._words, first, last))
        for words in {len(each): each for each in both}.values():  # often they are the same
            told = word_features(words, first, last)
            row = np.concatenate(([told[name] for name in model.names], vector))
            if model.logistic.logits(row) < DISCLAIMED_FROM:
                return False
        return True


def denies_with(answer: Answer, sense: AnswerSense | None) -> Denies:
    """How to tell whether a mention is denied: by the rules and, with vectors, also by stance."""
    unbroken = all(token.gap == NO_BREAK for token in answer.tokens[1:])
    if sense is None or (unbroken and len(answer.tokens) > MAX_UNBROKEN):
        return is_denied
    stance = Stance(answer.words, sense)

    def denies(answer: Answer, span: Span) -> bool:
        first, last = answer.tokens[span[0]].first, answer.tokens[span[1] - 1].last
        return is_denied(answer, span) or stance.disclaims(first, last)

    return denies


def clause_vector(sense: AnswerSense, first: int, last: int) -> npt.NDArray[np.float32] | None:
    """The vector of the shortest span that contains the words."""
    holding = [
        (end - start, at)
        for at, (start, end) in enumerate(sense.spans)
        if start <= first and last < end
    ]
    return sense.vectors[min(holding)[1]] if holding else None


def _without_aside(words: Sequence[str], first: int, last: int) -> Sequence[str]:
    """The words without the next sentence, unless that one may be about the mention.

    What follows a question may always answer it.
    """
    stop = _sentence(words, first, last + 1)[1]
    parts = _clauses(words, stop, _sentence_behind(words, stop))
    states = _ends(words[stop - 1]) and "?" not in words[stop - 1]
    apart = states and not any(_concerns(words[start:end]) for start, end in parts)
    return words[:stop] if apart else words


def _is_doubtful(words: Sequence[str], first: int, last: int) -> bool:
    """Whether a word or mark of doubt is beside a mention, or in a clause that may be about it.

    In "I put a taint on the nodes, so web pods do not go there", the "not" is about the pods.
    """
    before, after = _sentence(words, first, last + 1)
    behind = _sentence_behind(words, after)
    if "?" in "".join(words[last:behind]):
        return True
    for start, end in (*_clauses(words, before, after), *_clauses(words, after, behind)):
        own = start <= last and first < end
        around = (*words[start : min(first, end)], *words[max(start, last + 1) : end])
        doubts = not _DOUBTS.isdisjoint(_bare(around if own else words[start:end]))
        if doubts and (own or _concerns(words[start:end])):
            return True
    return False


def _clauses(words: Sequence[str], start: int, stop: int) -> list[Span]:
    """The clauses of a passage: a comma or a conjunction begins one."""
    bare = _bare(words[start:stop])
    opens = [
        at
        for at in range(start + 1, stop)
        if _pauses(words[at - 1])
        or _ends(words[at - 1])
        or bare[at - start] in _LINKS
        or (bare[at - start] == "and" and bare[at - start + 1 : at - start + 2] <= ["i", "we"])
    ]
    return list(pairwise([start, *opens, stop])) if start < stop else []


def _concerns(clause: Sequence[str]) -> bool:
    """Whether a clause beside a mention may be about it, or about what the speaker knows of it.

    "Never tried it", "I could not tell you what they do", "that is a myth", but not "web pods do
    not go there" or "what it cannot do is half a card", which state something.
    """
    own = _bare(clause)
    while own and own[0] in _LEADS:
        own = own[1:]
    if not own or own[0] in _SUBJECTLESS or len(own) <= _SHORT_CLAUSE:
        return True
    told = set(own)
    if own[-1] != "that" != own[0]:  # "I don't want that it waits"
        told.discard("that")
    if not told.isdisjoint(_CLASSES["i"] | _CLASSES["we"]):
        return not told.isdisjoint(_BACK | _JUDGING)
    if "?" in clause[-1]:
        return not told.isdisjoint(_BACK)
    if own[0] in _BACK:
        return not told.isdisjoint(_JUDGING)
    return not told.isdisjoint(_CLASSES["reject"])


def _sentence(words: Sequence[str], first: int, end: int) -> tuple[int, int]:
    """Where the sentence of the words starts and stops, within the reach that is considered."""
    start, stop = first, end
    while start > 0 and first - start < REACH and not _ends(words[start - 1]):
        start -= 1
    while stop < len(words) and stop - end < REACH and not _ends(words[stop - 1]):
        stop += 1
    return start, stop


def _sentence_behind(words: Sequence[str], stop: int) -> int:
    """Where the sentence that starts at ``stop`` ends, within the reach that is considered."""
    behind = stop
    while behind < len(words) and behind - stop < NEXT_REACH:
        behind += 1
        if _ends(words[behind - 1]):
            break
    return behind


def word_features(words: Sequence[str], first: int, last: int) -> dict[str, float]:
    """The words around the mention: in its clause, its sentence and the next sentence."""
    end = last + 1
    start, stop = _sentence(words, first, end)
    behind = _sentence_behind(words, stop)
    opens = max((at + 1 for at in range(start, first) if _pauses(words[at])), default=start)
    closes = min((at + 1 for at in range(last, stop) if _pauses(words[at])), default=stop)
    before, after = _bare(words[start:first]), _bare(words[end:stop])
    clause_before, clause_after = _bare(words[opens:first]), _bare(words[end : max(end, closes)])
    asked = words[stop - 1].endswith("?")
    told = {
        "asked": float(asked),
        "asked_at_once": float(asked and stop - end < 3),
        "asking": float(asked and bool(before) and before[0] in _ASKING),
        "why": float("why" in before or "how" in before),
        "without": float("without" in clause_before),
        "no_before": float("no" in clause_before[-2:]),
        "there": float("there" in clause_before),
        "only": float("only" in clause_before or "just" in clause_before),
        "heard_of": float("heard of" in " ".join(before) or "heard about" in " ".join(before)),
        "forget": float("forget" in clause_before),
        "would_not": float("wouldn't" in clause_before or "would not" in " ".join(clause_before)),
        "rather": float("rather" in clause_before),
        "short": float(stop - first < 6),
        "no_only": float(_is_followed(clause_before, _CLASSES["no"], ("only", "just"))),
        "no_away": _nearest(clause_before[::-1]),
        "no_behind": _nearest(clause_after),
    }
    for place, own in (
        ("clause_before", clause_before),
        ("clause_after", clause_after),
        ("before", before),
        ("after", after),
        ("next", _bare(words[stop:behind])),
    ):
        classes = 0
        for word in own:
            classes |= _CLASSES_OF.get(word, 0)
        told |= _features_of(place, classes)
        told[f"{place}_length"] = min(len(own), 12) / 12
    return told


@cache
def _features_of(place: str, classes: int) -> dict[str, float]:
    """The classes of words that a passage has, as in ``_CLASSES_OF``, and some of them together."""
    has = {name: float(classes >> at & 1) for at, name in enumerate(_CLASSES)}
    speaker = max(has["i"], has["we"])
    told = {
        **has,
        "no_know": has["no"] * has["know"],
        "no_use": has["no"] * has["use"],
        "no_speaker": has["no"] * speaker,
        "no_link": has["no"] * has["link"],
        "i_know": has["i"] * has["know"],
        "i_no_know": has["i"] * has["no"] * has["know"],
        "speaker_no_use": speaker * has["no"] * has["use"],
    }
    return {f"{place}_{name}": value for name, value in told.items()}


def _bare(words: Sequence[str]) -> list[str]:
    return [letters_of(word) for word in words]


@by_word
def _ends(word: str) -> bool:
    return bool(_END.search(word))


@by_word
def _pauses(word: str) -> bool:
    return bool(_COMMA.search(word))


def _nearest(words: Sequence[str]) -> float:
    """The distance to the nearest negation, 0 to 1; 1 if there is none."""
    return min((at for at, word in enumerate(words) if word in _CLASSES["no"]), default=12) / 12


def _is_followed(words: Sequence[str], first: frozenset[str], then: tuple[str, ...]) -> bool:
    return any(word in first and follower in then for word, follower in pairwise(words))
