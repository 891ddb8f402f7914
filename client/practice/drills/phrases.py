"""Phrases to say, each against what learners say instead; and a person's own errors among them.

They are heard as terms are: the phones of the phrase against those of the wrong one. Own errors are
not kept anywhere: what was noted and what was said right since follows from the reports, so
deleted, imported and regraded answers need no second thought. The drills keep the takes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from itertools import islice, product
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from pronunciation.g2p import pronunciations
from question_bank.strict_yaml import parse_yaml
from server.contract import LanguageNote, Report

LANGUAGE_SET: Final = "language"
"""The set of a person's own errors of language."""
COLLOCATIONS: Final = "collocations"
PHRASE_SETS: Final = frozenset({LANGUAGE_SET, COLLOCATIONS})
"""Sets of phrases, not of terms."""
MOST_READINGS: Final = 4
"""Of one phrase, from the ways its words may be said; the usual way of each comes first."""


class _Collocation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: str
    noun: str
    wrong: tuple[str, ...] = Field(min_length=1)
    sentence: str


@dataclass(frozen=True)
class Phrase:
    """A phrase to say.

    Attributes:
        id: of its drill item.
        set: the set it belongs to.
        prompt: the sentence around it.
        right: the words that matter.
        wrong: what is said instead, with a tip each.
        about: a line beside it.
        is_mastered: it need not come back.
        ask: shown instead of the prompt until it is said; empty: the prompt.
    """

    id: str
    set: str
    prompt: str
    right: str
    wrong: tuple[tuple[str, str], ...]
    about: str = ""
    is_mastered: bool = False
    ask: str = ""


def readings_of(words: str) -> tuple[str, ...]:
    """How words may be said, in ARPAbet, the usual way first; empty if nothing is.

    Raises:
        HearingError: one is in no dictionary, and no voice can read it.
    """
    ways = [found for word in words.split() if (found := pronunciations(word))]
    said = (" ".join(phone for word in each for phone in word) for each in product(*ways))
    return tuple(filter(None, islice(dict.fromkeys(said), MOST_READINGS)))


@cache
def collocations() -> tuple[Phrase, ...]:
    """The collocations of code review, incidents, deployment and planning, to be recalled."""
    text = resources.files(__package__).joinpath("collocations.yaml").read_text("utf-8")
    phrases = []
    for entry in parse_yaml(text, "collocations.yaml").data:
        each = _Collocation.model_validate(entry)
        right = f"{each.verb} {each.noun}"
        tip = f"The usual verb is “{each.verb}”."
        wrong = tuple((f"{verb} {each.noun}", tip) for verb in each.wrong)
        ask = each.sentence.replace(right, f"… {each.noun}", 1)
        name = f"{COLLOCATIONS}-{right.replace(' ', '-').casefold()}"
        phrases.append(Phrase(name, COLLOCATIONS, each.sentence, right, wrong, ask=ask))
    return tuple(phrases)


SAID_RIGHT_TWICE: Final = 2
"""An error is mastered once so many later answers have it right."""
LONGEST_PROMPT: Final = 14
"""Words to say at a time: at a slow pace, about eight seconds."""
_ARTICLES: Final = frozenset({"a", "an", "the"})
_CONTENT_FROM: Final = 4
"""Words from this length on may prove themselves; "of" alone proves nothing."""
_ENDINGS: Final = ("ing", "ed", "es", "s", "e")


@dataclass(frozen=True)
class OwnError:
    """One error, however often it was made.

    Attributes:
        note: the latest remark on it.
        times: how often it was noted.
        right: how many answers in a row have had it right since.
        noted_at: when it was noted first.
    """

    note: LanguageNote
    times: int
    right: int
    noted_at: datetime

    @property
    def id(self) -> str:
        """Of its drill item."""
        return error_id(self.note.said, self.note.better)

    @property
    def is_mastered(self) -> bool:
        """Whether it need not come back."""
        return self.right >= SAID_RIGHT_TWICE

    @property
    def phrase(self) -> Phrase:
        """What to say."""
        note = self.note
        wrong, about = ((note.said, note.why),), f"You said “{note.said}”."
        prompt = _prompt(note)
        return Phrase(self.id, LANGUAGE_SET, prompt, note.better, wrong, about, self.is_mastered)


def error_id(said: str, better: str) -> str:
    """The id of the drill item for an error."""
    words = f"{said} → {better}".casefold()
    return f"{LANGUAGE_SET}-{sha256(words.encode()).hexdigest()[:16]}"


def own_errors(reports: Iterable[Report]) -> list[OwnError]:
    """The errors of these answers, those made most often and latest first.

    Remarks on style are no errors: they name no sentence to say. A rough transcript proves nothing.
    """
    found: dict[str, OwnError] = {}
    heard = (each for each in reports if not each.transcript.is_rough)
    for report in sorted(heard, key=lambda each: each.created_at):
        words = _answer_words(report.transcript.text)
        noted = {
            error_id(note.said, note.better): note
            for note in report.language.notes
            if note.sentence
        }
        there = frozenset(words)
        for name, error in found.items():
            if name not in noted and _has_right(words, there, error.note):
                found[name] = replace(error, right=error.right + 1)
        for name, note in noted.items():
            before = found.get(name)
            times, first = (before.times, before.noted_at) if before else (0, report.created_at)
            found[name] = OwnError(note, times + 1, 0, first)
    return sorted(found.values(), key=lambda each: (-each.times, -each.noted_at.timestamp()))


def _prompt(note: LanguageNote) -> str:
    """The corrected sentence, or as much around its repair as can be said at a time."""
    words, term = note.sentence.split(), _words(note.better)
    plain = [_plain(each) for each in words]
    at = next((n for n in range(len(words)) if plain[n : n + len(term)] == term), None)
    if at is None:
        return note.better
    if len(words) <= LONGEST_PROMPT:
        return note.sentence
    room = max(0, LONGEST_PROMPT - len(term))
    first = max(0, at - room // 2)
    last = min(len(words), at + len(term) + room - (at - first))
    starts = [n for n in range(first, at + 1) if n == 0 or words[n - 1][-1] in ",;:"]
    ends = [n for n in range(at + len(term), last + 1) if words[n - 1][-1] in ",;:.?!"]
    first, last = (starts or [first])[0], (ends or [last])[-1]
    return " ".join(words[first:last]).strip(" ,;:")


@dataclass(frozen=True)
class _Proof:
    """The fewest words that show an error said right, and wrong: "depends on", "depends of".

    ``any_form``: the first of them is a neighbor of the words that differ, in any form.
    """

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    any_form: bool = False


@lru_cache(maxsize=1000)
def _proof(said: str, better: str) -> _Proof:
    """The words that differ; small ones and those left out with a neighbor.

    Of an article and of a word at the beginning, it is the next longer word ("made a mistake"),
    else the word before.
    """
    wrong, right = _words(said), _words(better)
    codes = SequenceMatcher(None, wrong, right, autojunk=False).get_opcodes()
    changes = [code for code in codes if code[0] != "equal"]
    if not changes:
        return _Proof(tuple(right), tuple(wrong))
    _, i1, i2, j1, j2 = changes[0]
    differ = {*wrong[i1:i2], *right[j1:j2]}
    if j1 < j2 and i1 < i2 and all(len(each) >= _CONTENT_FROM for each in differ):
        return _Proof(tuple(right[j1:j2]), tuple(wrong[i1:i2]))
    if j1 > 0 and not differ <= _ARTICLES:
        return _Proof(tuple(right[j1 - 1 : j2]), tuple(wrong[i1 - 1 : i2]), any_form=True)
    after = next((n for n in range(j2, len(right)) if len(right[n]) >= _CONTENT_FROM), j2)
    return _Proof(tuple(right[j1 : after + 1]), tuple(wrong[i1 : i2 + after - j2 + 1]))


def _has_right(words: Sequence[str], there: frozenset[str], note: LanguageNote) -> bool:
    """Whether an answer says it right, and never wrong; ``there``: its words, each once."""
    proof = _proof(note.said, note.better)
    if not proof.any_form and proof.right[-1] not in there:
        return False
    right, wrong = _count(words, proof.right, proof), _count(words, proof.wrong, proof)
    # "a developer" has "developer" in it, which alone is wrong: the longer one decides
    if _ends_with(proof.right, proof.wrong):
        wrong -= right
    elif _ends_with(proof.wrong, proof.right):
        right -= wrong
    return right > 0 and wrong == 0


def _ends_with(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    """Whether one stands in the other, at its end or its beginning."""
    size = len(shorter)
    return size < len(longer) and shorter in (longer[-size:], longer[:size])


def _count(words: Sequence[str], wanted: tuple[str, ...], proof: _Proof) -> int:
    def form(word: str) -> str:
        return _stem(word) if proof.any_form else word

    size, first = len(wanted), form(wanted[0])
    return sum(
        form(words[n]) == first and tuple(words[n + 1 : n + size]) == wanted[1:]
        for n in range(len(words) - size + 1)
    )


def _stem(word: str) -> str:
    """The neighbor in any form: "depend on" shows what "depends on" shows."""
    ends = (end for end in _ENDINGS if word.endswith(end) and len(word) > len(end) + 3)
    end = "" if word.endswith("ss") else next(ends, "")
    return word.removesuffix(end)


@lru_cache(maxsize=200)
def _answer_words(text: str) -> Sequence[str]:
    """Kept, because a page of progress asks for them four times and waits twice as long without."""
    return _words(text)


def _words(text: str) -> list[str]:
    return [plain for each in text.split() if (plain := _plain(each))]


def _plain(word: str) -> str:
    return word.replace("’", "'").strip('.,;:!?"()“”').casefold()
