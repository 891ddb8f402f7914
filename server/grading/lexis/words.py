"""What is known about a word: its rank, its spelling, its lemma, its family, its parts of speech.

Lemmas come from the table of the library lemminflect (the NIH SPECIALIST lexicon, and a small model
for words that it lacks), families from ``data/families.txt``, ranks from
``data/english_words.txt``. lemminflect makes 80,000 dictionaries of its table before it looks up
the first word, which takes half a second and 45 MB. Here the table stays sorted text, and a word is
found in it by bisection of its blocks.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from gzip import decompress
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

R = TypeVar("R")

_MOST_WORDS: Final = 65536
"""Words whose results are kept for one function; then it begins again."""


class _Kept(dict[str, R]):
    """Results by word, made when they are looked up for the first time."""

    def __init__(self, make: Callable[[str], R]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> R:
        if len(self) >= _MOST_WORDS:
            self.clear()
        made = self[word] = self._make(word)
        return made


def by_word(make: Callable[[str], R]) -> Callable[[str], R]:
    """``make``, called once for the same word.

    A report looks up its words thousands of times. ``lru_cache`` takes twice as long for each,
    because it writes to memory to remember which word was used last.

    Args:
        make: a pure function of a word.
    """
    return _Kept(make).__getitem__


UNRANKED = 1_000_000
"""Rank of a word that is not among the 30,000 most frequent."""


@cache
def _ranks() -> dict[str, int]:
    text = resources.files("server.grading").joinpath("data/english_words.txt").read_text("utf-8")
    words = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {word: place for place, word in enumerate(words)}


def rank(word: str) -> int:
    """How common a lower-case word is: 0 is the most frequent, ``UNRANKED`` an unlisted one."""
    return _ranks().get(word, UNRANKED)


def is_known_english(word: str) -> bool:
    """Whether a lower-case word is one of the 30,000 most frequent."""
    return word in _ranks()


def word_set(text: str) -> frozenset[str]:
    """The words of a text; keeps word lists readable in the source."""
    return frozenset(text.split())


_TABLE: Final = "lemma_lu.csv.gz"
_OVERRIDES: Final = "lemma_overrides.csv"
_BLOCK_BYTES: Final = 2048
_PART_OF: Final = {"modal": "AUX"}
"""Parts of speech that Universal Dependencies names differently."""

Lemmas = Mapping[str, tuple[str, ...]]
"""Part of speech (``NOUN``, ``VERB``, ``ADJ``, ``ADV``, ``AUX``) → the lemmas of a word."""


def lemmas_in_dictionary(word: str) -> Lemmas:
    """The lemmas of a lower-case word; empty if the dictionary does not have it."""
    found = {}
    for line in _table().lines_of(word.encode()):
        _, part, lemmas = line.decode().split(",")
        found[_PART_OF.get(part, part.upper())] = tuple(lemmas.lower().split("/"))
    found.update(_corrections().get(word, {}))
    return MappingProxyType(found)


def verb_of_unknown(word: str) -> str:
    """The lemma of a verb that is not in the dictionary, from lemminflect's small model.

    The model takes 10 ms to load, and for the bank's joined words ("credit-based") what it says is
    shipped.
    """
    shipped = _shipped("unknown_verbs").get(word)
    return verb_by_model(word) if shipped is None else shipped


def verb_by_model(word: str) -> str:
    """The same, for a word that is not shipped."""
    import lemminflect  # type: ignore[import-untyped]

    return str(lemminflect.getAllLemmasOOV(word, "VERB")["VERB"][0])


@cache
def _shipped(name: str) -> dict[str, str]:
    """What ``scripts/inflections.py`` wrote about the built-in bank's words, by word."""
    file = Path(__file__).parents[1] / "data" / f"{name}.txt"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else ()
    return dict(line.split(":") for line in lines if not line.startswith("#"))


def dictionary_files() -> tuple[Path, ...]:
    """What a lemma is looked up in."""
    return _resource(_TABLE), _resource(_OVERRIDES)


@dataclass(frozen=True)
class _Table:
    """Lines of inflected form, part of speech and lemmas, in the order of the forms.

    Attributes:
        text: the lines, each with a line break before it.
        starts: where the text is cut into blocks: the line breaks before their first lines.
        firsts: the form in the first line of each block.
    """

    text: bytes
    starts: list[int]
    firsts: list[bytes]

    @classmethod
    def of(cls, text: bytes) -> "_Table":
        text = b"\n" + text
        starts = [text.find(b"\n", at) for at in range(0, len(text), _BLOCK_BYTES)]
        starts = [at for at in dict.fromkeys(starts) if 0 <= at < len(text) - 1]
        return cls(text, starts, [text[at + 1 : text.index(b",", at)] for at in starts])

    def lines_of(self, form: bytes) -> list[bytes]:
        """The lines of a form."""
        block = bisect_left(self.firsts, form)  # it begins there or in the block before
        head = b"\n" + form + b","
        start = self.starts[max(0, block - 1)]
        end = self.starts[block] + len(head) if block < len(self.starts) else len(self.text)
        at = -1 if b"," in form else self.text.find(head, start, end)
        found = []
        while at >= 0 and self.text.startswith(head, at):
            end = self.text.find(b"\n", at + 1)
            found.append(self.text[at + 1 : end if end >= 0 else len(self.text)])
            at = end
        return found


@cache
def _table() -> _Table:
    return _Table.of(decompress(_resource(_TABLE).read_bytes()))


@cache
def _corrections() -> dict[str, dict[str, tuple[str, ...]]]:
    """Corrections of the table, for pronouns and a few other words."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in _resource(_OVERRIDES).read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            word, part, lemma = line.strip().split(",")
            found.setdefault(word, {})[part] = (lemma,)
    return found


def _resource(name: str) -> Path:
    """A file of lemminflect, located without importing it."""
    spec = find_spec("lemminflect")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "resources" / name


# British spellings that no suffix rule covers (or whose rule would also hit "hour", "four").
_BRITISH: dict[str, str] = {
    british: own
    for british, own in re.findall(
        r"(\w+)=(\w+)",
        """
        centre=center fibre=fiber litre=liter metre=meter theatre=theater calibre=caliber
        catalogue=catalog dialogue=dialog analogue=analog programme=program grey=gray
        artefact=artifact judgement=judgment acknowledgement=acknowledgment ageing=aging tyre=tire
        cheque=check aluminium=aluminum mould=mold sceptical=skeptical defence=defense
        offence=offense licence=license practise=practice pretence=pretense enrol=enroll
        fulfil=fulfill instalment=installment skilful=skillful storey=story draught=draft
        plough=plow anaesthesia=anesthesia anaemia=anemia paediatric=pediatric
        haemoglobin=hemoglobin oedema=edema oesophagus=esophagus foetus=fetus diarrhoea=diarrhea
        ischaemia=ischemia leukaemia=leukemia maths=math routeing=routing queueing=queuing
        centred=centered
        """,
    )
}
_SPELLINGS = (
    (re.compile(r"^(behavi|col|fav|hon|lab|neighb|harb|hum|rum|vap|endeav|vig|od|arm|glam|tum|parl"
                r"|rig|sav|splend|cand|clam|ferv|val|disc?ol|demean)our"), r"\1or"),
    (re.compile(r"^(label|model|travel|cancel|signal|level|channel|total|tunnel|fuel|dial|rival"
                r"|marshal|panel|spiral|unravel|trial)l(ed|ing|er|ers|or|ors)$"), r"\1\2"),
    (re.compile(r"is(e|ed|es|er|ers|ing|ation|ations|able|ational)$"), r"iz\1"),
    (re.compile(r"ys(e|ed|er|ers|ing)$"), r"yz\1"),
    (re.compile(r"^(cent|fib|met|lit)r(es|ed)$"), r"\1er\2"),
)  # fmt: skip
_PREFIXES = (
    "hyper", "hypo", "inter", "intra", "micro", "macro", "multi", "over", "under", "super", "semi",
    "anti", "auto", "trans", "non", "pre", "sub", "dis", "mis", "un", "re", "de", "co",
)  # fmt: skip
COMMON_RANK = 5_000
"""Words up to this rank of English make compounds."""
_KEPT = word_set("https data ops aws ios does access less least most last further later")
"""Words whose lemma, or plural, is a different word in this field."""
_PLURAL_ACRONYM = re.compile(r"^[b-df-hj-np-tv-z]{2,3}us$")
"""Plurals of acronyms in u ("GPUs", "SKUs"); no noun in -us looks like them."""
_OWN_ENDINGS = (
    ("ization", "ize"), ("izer", "ize"), ("ator", "ate"), ("ation", "ate"), ("ability", "able"),
    ("er", "e"), ("er", ""), ("or", ""),
)  # fmt: skip
"""Derivations that no dictionary has ("autoscaler", "tokenization")."""
_REGULAR_ENDINGS = (
    *_OWN_ENDINGS, ("ically", "ic"), ("bly", "ble"), ("ily", "y"), ("ly", ""), ("ness", ""),
    ("iness", "y"), ("able", "e"), ("able", ""), ("wise", ""), ("less", ""),
)  # fmt: skip
"""Derivations in which the word that they are made from keeps its meaning or most of its sound."""


_NOT_LETTERS = re.compile(r"[^a-z']")


@by_word
def letters_of(word: str) -> str:
    """A written word in lower case, letters and apostrophes only."""
    return _NOT_LETTERS.sub("", word.casefold().replace("’", "'"))


@by_word
def american(word: str) -> str:
    """The American spelling of a lower-case word, as a key ("enterprize" is also one)."""
    for ending in ("", "s"):
        base: str | None = _BRITISH.get(word.removesuffix(ending))
        if base is not None:
            return base + ending
    if len(word) < 5:
        return word
    for british, own in _SPELLINGS:
        word = british.sub(own, word)
    return word


@by_word
def lemma(word: str) -> str:
    """The key that a word's inflections share.

    Args:
        word: lower case. Anything but ASCII letters is returned unchanged.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()) or word in _KEPT:
        return word
    word = american(word)
    known = lemmas_in_dictionary(word) or _british_lemmas(word)
    if not known:
        return _unknown_lemma(word)
    for part in ("VERB", "NOUN", "ADJ"):
        if part == "ADJ" and not known.keys() <= {"ADJ", "ADV"}:
            break  # "number" is not a comparative of "numb"
        base = american(min(known.get(part, (word,)), key=rank))
        if base != word:
            # "embeddings" → "embedding" → "embed"
            return lemma(base) if part == "NOUN" and base.endswith("ing") else base
    return word


def _british_lemmas(word: str) -> Lemmas:
    """Lemmas of a key that no dictionary has because its -ise became -ize."""
    other = re.sub(r"iz(e|es|ed|ing)$", r"is\1", word)
    return lemmas_in_dictionary(other) if other != word else {}


def _unknown_lemma(word: str) -> str:
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        singular = word[:-2] if word.endswith(("ches", "shes", "xes")) else word[:-1]
        return lemma(singular)
    if _PLURAL_ACRONYM.match(word):
        return word[:-1]
    if word.endswith(("ing", "ed")) and len(word) > 5:
        base = verb_of_unknown(word)
        return base.removesuffix("e") if is_known_english(base.removesuffix("e")) else base
    return word


@by_word
def inflections(key: str) -> frozenset[str]:
    """The regular forms of a lemma, with which joined words are compared."""
    shipped = _shipped("inflections").get(key)
    return make_inflections(key) if shipped is None else frozenset(shipped.split())


def make_inflections(key: str) -> frozenset[str]:
    """The same, for a lemma that is not shipped; takes 1 ms."""
    short, double = key[:-1], key + key[-1:]
    forms = {key, key + "s", key + "es", key + "ed", key + "d", key + "ing", double + "ed",
             double + "ing", short + "ing", short + "ies", short + "ied"}  # fmt: skip
    return frozenset(form for form in forms if lemma(form) == key)


@cache
def relatives() -> dict[str, tuple[str, ...]]:
    """The lemmas of each family, by its key."""
    members: dict[str, list[str]] = {}
    for member, key in _families().items():
        members.setdefault(key, []).append(member)
    return {key: tuple(group) for key, group in members.items()}


@cache
def _families() -> dict[str, str]:
    text = resources.files("server.grading").joinpath("data/families.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {member: members[0] for members in lines for member in members}


@by_word
def family(word: str) -> str:
    """The key of a word's family: noun, verb, adjective and adverb of one root.

    "replication" and "replicate", "consistency" and "consistent". Not "production" and "product".
    """
    key = lemma(word)
    known = _families().get(key) or _families().get(american(word))
    if known is not None:
        return known
    if len(key) >= 6 and not is_known_english(key):
        for ending, base in _OWN_ENDINGS:
            root = key.removesuffix(ending) + base
            if key.endswith(ending) and (root in _families() or lemmas_in_dictionary(root)):
                return _families().get(root, root)
    return key


@by_word
def parts_of_speech(word: str) -> frozenset[str]:
    """Which of NOUN, VERB, ADJ, ADV a lower-case word may be; empty if it is in no dictionary."""
    known = lemmas_in_dictionary(american(word)) or _british_lemmas(word)
    return frozenset(known)


def is_only_verb(word: str) -> bool:
    """Whether a word is a verb and nothing else ("told", "sold"); participles may qualify."""
    parts = parts_of_speech(word)
    return bool(parts) and parts <= {"VERB", "AUX"} and not word.endswith(("ing", "ed"))


@by_word
def is_odd(word: str) -> bool:
    """Whether a token is not English: in no dictionary, not a number, not a letter."""
    if len(word) < 4 or not word.isalpha() or is_known_english(word):
        return False
    if parts_of_speech(word) or parts_of_speech(lemma(word)) or family(word) in _families():
        return False
    if any(map(_is_word, _roots(word))):
        return False
    return not any(  # "dataset", "timestamp"
        rank(word[:at]) < COMMON_RANK and rank(lemma(word[at:])) < COMMON_RANK
        for at in range(4, len(word) - 2)
    )


def _roots(word: str) -> Iterator[str]:
    """What a word may be made from, by its prefix or ending."""
    for prefix in _PREFIXES:
        if word.startswith(prefix):
            yield word.removeprefix(prefix)
            break
    for ending, base in _REGULAR_ENDINGS:
        if word.endswith(ending):
            root = word.removesuffix(ending)
            yield root + base
            if ending == "able" and root[-1:] == root[-2:-1]:
                yield root[:-1]  # "pluggable"


def _is_word(word: str) -> bool:
    key = lemma(word)
    known = is_known_english(word) or is_known_english(key)
    return len(word) > 3 and (known or bool(parts_of_speech(key)))
