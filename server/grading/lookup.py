"""Where one word or term of a phrase stands in an answer, however it was written or heard.

As it is, inflected, derived, written apart ("check pointing"), spelt ("F S D P", "eff ess dee
pee"), as the lexicon's expansions and spellings, by its sound ("cooper netties") or misspelt.
"""

from collections import defaultdict
from collections.abc import Iterator

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from server.grading.answer import Answer, Span
from server.grading.english import is_known_english, rank, word_set
from server.grading.families import family
from server.grading.hits import Tier
from server.grading.homophones import same_sound
from server.grading.phrases import RARE_RANK, Unit
from server.grading.sounds import first_vowel, join_keys, loose, sound_key
from server.grading.stems import stem
from server.grading.tokens import NO_BREAK, SENTENCE
from server.grading.vocabulary import FUNCTION_WORDS, GENERIC, PREFIX_WORDS

__all__ = ["misheard", "spans_of"]

MAX_SOUND_WINDOW = 4
"""Words a transcriber makes of one unknown term ("in finny band" is three)."""
MIN_SOUND_CONSONANTS = 4
MIN_SHORT_SOUND_CONSONANTS = 3
MIN_SHORT_SOUND_RATIO = 65.0
"""Names of three consonants are misheard, too ("cafe ka"), but must be spelt nearly alike."""
MIN_SOUND_RATIO = 55.0
MIN_UNKNOWN_RATIO = 75.0
MIN_NEAR_RATIO = 76.0
MIN_MISSPELT_LETTERS = 5
MIN_MISSPELT_CONSONANTS = 3
MAX_MISSPELT_LENGTH_DIFFERENCE = 3
MIN_KNOWN_MISHEARD_RATIO = 70.0
COMMON_MISHEARD_RANK = 1000
MAX_LETTERS = 4
"""Acronyms of so many letters; everyday words are no pieces of them."""
MIN_NEAR_CONSONANTS = 4

_LETTER_NAMES = {
    "ay": "a", "bee": "b", "be": "b", "cee": "c", "see": "c", "sea": "c", "dee": "d", "ee": "e",
    "eff": "f", "ef": "f", "gee": "g", "jee": "g", "aitch": "h", "haitch": "h", "eye": "i",
    "jay": "j", "kay": "k", "el": "l", "ell": "l", "em": "m", "en": "n", "oh": "o", "pee": "p",
    "pea": "p", "cue": "q", "queue": "q", "are": "r", "ar": "r", "ess": "s", "es": "s",
    "tee": "t", "tea": "t", "you": "u", "yew": "u", "vee": "v", "ex": "x", "why": "y", "wye": "y",
    "zee": "z", "zed": "z",
}  # fmt: skip
# Pieces of coined names, as they sound ("pie torch", "my sequel").
_PIECE_NAMES = {"pie": "py", "pi": "py", "sequel": "sql", "cube": "kube", "coop": "kube"}
_NAMES_OF = defaultdict(list)
for _name, _letter in _LETTER_NAMES.items():
    _NAMES_OF[_letter].append(_name)
for _name, _piece in _PIECE_NAMES.items():
    _NAMES_OF[_piece[0]].append(_name)
_SPACED_PARTICLES = word_set("over under")
"""Prefixes that a transcriber writes as words of their own: "over subscribed"."""
_SPACED_PREFIXES = word_set("non un semi self anti quasi pseudo")
_NEGATIVE_PREFIXES = (
    "un", "non", "in", "im", "ir", "il", "a", "an", "de", "dis", "re", "pre", "post", "sub",
    "super", "over", "under", "multi", "mono", "inter", "intra", "anti", "hyper", "hypo", "auto",
    "co", "out", "up", "down", "micro", "macro", "semi", "mis",
)  # fmt: skip
_RIVAL_PREFIXES = (
    ("hyper", "hypo"), ("over", "under"), ("pre", "post"), ("inter", "intra"), ("up", "down"),
    ("micro", "macro"), ("mono", "multi"), ("mono", "poly"), ("in", "out"), ("in", "ex"),
    ("im", "ex"), ("en", "de"), ("pro", "anti"), ("sub", "super"), ("ante", "post"),
    ("homo", "hetero"), ("brady", "tachy"), ("ab", "ad"), ("endo", "exo"), ("maxi", "mini"),
    ("pre", "re"), ("de", "re"), ("pre", "pro"), ("ex", "en"), ("sup", "dep"),
)  # fmt: skip


def _consume(answer: Answer, start: int, text: str) -> int | None:
    """The token behind those that spell ``text`` from ``start`` on, two at the least.

    Each token is a piece of the text or, for one letter, that letter's name.
    """
    tokens = answer.tokens
    if (
        len(text) <= MAX_LETTERS
        and len(tokens[start].text) > 1
        and tokens[start].raw in FUNCTION_WORDS
    ):
        return None  # "at a", "so I": too common to be pieces of an acronym
    rest = text
    at = start
    while rest and at < len(tokens) and at - start < 8:
        token = tokens[at]
        if at > start and token.gap == SENTENCE:
            return None
        if rest.startswith(token.text):
            follower = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if at == start and token.text == "a" and len(rest) > 4 and len(follower) > 1:
                return None  # "a synchronous call" is not asynchronous
            rest = rest[len(token.text) :]
        elif _LETTER_NAMES.get(token.raw) == rest[0]:
            rest = rest[1:]
        elif at > start and token.text in (rest + "s", rest + "es"):  # "S S tables", "A C Ls"
            rest = ""
        elif (piece := _PIECE_NAMES.get(token.raw)) and rest.startswith(piece):
            rest = rest[len(piece) :]
        elif at in answer.skipped and at > start:
            pass
        elif rest[-1] == "s" and rest == "s":
            break
        else:
            return None
        at += 1
    return at if not rest and at - start > 1 else None


def _joined_inflected(answer: Answer, start: int, unit: Unit) -> tuple[int, Tier] | None:
    """Two or three tokens written apart that are one word of the unit's stem.

    Behind a hyphened prefix also one of its family ("de-duplicated").
    """
    tokens, key = answer.tokens, unit.stem
    joined = tokens[start].text
    if len(joined) < 2 or not key.startswith(joined[:2]):
        return None
    first = tokens[start].stem
    for at in range(start + 1, min(len(tokens), start + 3)):
        if tokens[at].gap != NO_BREAK or not tokens[at].text.isalpha():
            return None
        joined += tokens[at].text
        first += tokens[at].text
        if first == key:  # "rolls back" is a rollback
            return at + 1, Tier.INFLECTED
        if len(joined) >= len(key) - 1 and stem(joined) == key:
            return at + 1, Tier.INFLECTED
        prefixed = tokens[start].text in _SPACED_PARTICLES or (
            tokens[start].text in PREFIX_WORDS and tokens[at].inside
        )
        if prefixed and len(unit.family) > 4 and family(joined) == unit.family:
            return at + 1, Tier.DERIVED
    return None


def _prefixed(answer: Answer, start: int, unit: Unit) -> bool:
    """Whether a prefix before the token makes another word of it ("non-blocking")."""
    if start == 0:
        return False
    before = answer.tokens[start - 1]
    if before.text == unit.before:
        return False
    if answer.tokens[start].inside:
        return before.text in PREFIX_WORDS or before.text in ("micro", "macro", "multi", "cross")
    return before.text in _SPACED_PREFIXES


def _opposite(one: str, other: str) -> bool:
    """Whether one word is the other with a prefix ("asynchronous", "synchronous")."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    for first, second in _RIVAL_PREFIXES:
        for left, right in ((one, other), (other, one)):
            if left.startswith(first) and right.startswith(second):
                rest, other_rest = left[len(first) :], right[len(second) :]
                if rest[:2] == other_rest[:2]:
                    return True
    for prefix in _NEGATIVE_PREFIXES:
        if longer.startswith(prefix) and not shorter.startswith(prefix):
            rest = longer[len(prefix) :]
            if rest[:1] == shorter[:1] and fuzz.ratio(rest, shorter) > 85:
                return True
    return False


def _digits_apart(answer: Answer, text: str) -> Iterator[tuple[int, int]]:
    """Where "1.3" was read "one three" or "two point oh"."""
    digits = text.split(".")
    if len(digits) != 2 or not all(part.isdecimal() for part in digits):
        return
    tokens = answer.tokens
    for start in answer.by_text.get(digits[0], ()):
        rest = [token.text for token in tokens[start + 1 : start + 3]]
        if rest[:1] == [digits[1]]:
            yield start, start + 2
        elif rest[:1] == ["point"] and rest[1:] in ([digits[1]], ["oh"], ["o"]):
            yield start, start + 3


def _spelt(answer: Answer, unit: Unit) -> Iterator[tuple[int, int, Tier]]:
    """Places where the unit is written apart or spelt letter by letter."""
    text = unit.text
    if len(text) < 2:
        return
    if text[0].isdecimal():
        yield from ((*span, Tier.EXACT) for span in _digits_apart(answer, text))
        return
    if text.endswith("ctl") and len(text) > 4:  # "kubectl" is read "kube control"
        for start in answer.by_text.get(text[:-3], ()):
            if start + 1 < len(answer.tokens) and answer.tokens[start + 1].text == "control":
                yield start, start + 2, Tier.FUZZY
    if text.endswith("db") and len(text) >= 6 and unit.name and rank(text[:-2]) >= RARE_RANK:
        for start in answer.by_text.get(text[:-2], ()):  # "Mongo", said for MongoDB
            yield start, start + 1, Tier.FUZZY
    starts: set[int] = set()
    for head in unit.heads & answer.heads:
        starts.update(answer.by_text.get(head, ()), answer.by_stem.get(head, ()))
    for name in _NAMES_OF.get(text[0], ()):
        starts.update(answer.by_text.get(name, ()))
    for start in sorted(starts):
        token = answer.tokens[start]
        head = token.text
        if head == text:
            continue
        end: int | None = None
        if text.startswith(head) or token.raw in _LETTER_NAMES or token.raw in _PIECE_NAMES:
            end = _consume(answer, start, text)
        tier = Tier.EXACT
        joins = unit.stem.startswith(head) or unit.stem.startswith(token.stem)
        if end is None and joins and len(text) >= 5:
            end, tier = _joined_inflected(answer, start, unit) or (None, tier)
        if end is not None:
            yield start, end, tier


def _sounding(answer: Answer, unit: Unit) -> Iterator[tuple[int, int]]:
    """Places of up to ``MAX_SOUND_WINDOW`` words that together sound like the unit."""
    consonants = len(unit.sound.lstrip("A"))
    if consonants < MIN_SHORT_SOUND_CONSONANTS:
        return
    short = consonants < MIN_SOUND_CONSONANTS
    heads = unit.sound_heads & answer.by_sound.keys()
    for start in sorted(start for head in heads for start in answer.by_sound[head]):
        key = answer.sounds[start]
        end = start + 1
        while unit.sound.startswith(key):
            if (
                key == unit.sound
                and answer.tokens[start].stem != unit.stem  # "preload the" is said as written
                and (not short or _short_name(answer, start, end, unit))
                and _sounds_alike(answer, start, end, unit)
            ):
                yield start, end
            if end == len(answer.tokens) or end - start == MAX_SOUND_WINDOW:
                break
            if answer.tokens[end].gap != NO_BREAK or not answer.sounds[end]:
                break
            key = join_keys(key, answer.sounds[end])
            end += 1


def _short_name(answer: Answer, start: int, end: int, unit: Unit) -> bool:
    """Whether words may be a coined name of three consonants ("cafe ka").

    So little sound needs more: two words, spelt nearly like the name.
    """
    if not unit.name or end - start < 2:
        return False
    text = "".join(token.text for token in answer.tokens[start:end])
    return fuzz.ratio(text, unit.text) >= MIN_SHORT_SOUND_RATIO


def _misspelt(answer: Answer, unit: Unit) -> Iterator[tuple[int, int]]:
    """Places of a word that English does not know and that is close to the unit ("idempotant")."""
    if len(unit.text) < MIN_MISSPELT_LETTERS or not unit.sound:
        return
    consonants = len(unit.sound.lstrip("A"))
    for place in answer.unknown.get(unit.sound[0], ()):
        token = answer.tokens[place]
        if abs(len(token.text) - len(unit.text)) > MAX_MISSPELT_LENGTH_DIFFERENCE:
            continue
        if token.stem == unit.stem:
            continue
        ratio = fuzz.ratio(token.text, unit.text, score_cutoff=MIN_UNKNOWN_RATIO)
        if not ratio:
            continue
        key = answer.sounds[place]
        same = key == unit.sound and consonants >= MIN_MISSPELT_CONSONANTS
        near = (
            ratio >= MIN_NEAR_RATIO
            and consonants >= MIN_NEAR_CONSONANTS
            and key[:1] == unit.sound[:1]
            and Levenshtein.distance(key, unit.sound, score_cutoff=1) <= 1
        )
        if (same or near) and not _opposite(token.text, unit.text):
            yield place, place + 1


def _sounds_alike(answer: Answer, start: int, end: int, unit: Unit) -> bool:
    text = "".join(token.text for token in answer.tokens[start:end])
    if text == unit.text or fuzz.ratio(text, unit.text) < MIN_SOUND_RATIO:
        return False
    if _opposite(text, unit.text):
        return False
    if end - start == 1:
        token = answer.tokens[start]
        # A single word that English knows is what was said, unless it is spoken the same.
        if start not in answer.coined:
            return (
                sound_key(text) == sound_key(unit.text)
                and first_vowel(text) == first_vowel(unit.text)
                and token.stem not in GENERIC
                and not is_known_english(unit.text)
            )
        return True
    return first_vowel(text) in _near_vowels(first_vowel(unit.text)) and _odd(
        answer, start, end, text, unit
    )


def _odd(answer: Answer, start: int, end: int, text: str, unit: Unit) -> bool:
    """Whether words make so little sense together that they may be one term, misheard.

    "finny" of "in finny band" is no word one expects; "the tensor" and "that training" are just
    what they say, however close they sound to DTensor and "draining".
    """
    tokens = answer.tokens[start:end]
    if any(token.stem in GENERIC for token in tokens):
        return False
    if any(place in answer.coined for place in range(start, end)):
        return True
    if any(token.raw in FUNCTION_WORDS and len(token.raw) > 2 for token in tokens):
        return False
    rare = any(rank(token.text) >= RARE_RANK for token in tokens)
    return rare and fuzz.ratio(text, unit.text) >= MIN_KNOWN_MISHEARD_RATIO


def _near_vowels(vowel: str) -> str:
    return {"u": "uo", "o": "ou", "e": "eia", "i": "iey", "a": "aeo", "y": "yie"}.get(vowel, vowel)


def spans_of(answer: Answer, unit: Unit) -> dict[Span, Tier]:
    """All places of a unit, each with its closest tier."""
    known = answer.found.get(id(unit))
    if known is None:
        known = answer.found[id(unit)] = _look_up(answer, unit)
    return known


def _look_up(answer: Answer, unit: Unit) -> dict[Span, Tier]:
    found: dict[Span, Tier] = {}

    def put(start: int, end: int, tier: Tier) -> None:
        if _prefixed(answer, start, unit):
            return
        if (start, end) not in found or tier < found[start, end]:
            found[start, end] = tier

    for place in answer.by_text.get(unit.text, ()):
        put(place, place + 1, Tier.EXACT)
    if unit.letters:
        for place in answer.by_text.get(unit.text + "s", ()):
            put(place, place + 1, Tier.INFLECTED)
    else:
        for place in answer.by_stem.get(unit.stem, ()):
            put(place, place + 1, Tier.INFLECTED)
        for place in answer.by_family.get(unit.family, ()):
            put(place, place + 1, Tier.DERIVED)
    for start, end, tier in _spelt(answer, unit):
        put(start, end, tier)
    for symbol in unit.symbols:
        for start, end, form in answer.symbols.get(symbol, ()):
            if form != "exact":
                put(start, end, Tier.ACRONYM if form == "acronym" else Tier.FUZZY)
            elif end - start > 1:  # a single word was looked up by its own keys
                said = " ".join(token.text for token in answer.tokens[start:end])
                put(start, end, Tier.EXACT if said == symbol else Tier.INFLECTED)
    if not answer.strict:
        for start, end in _sounding(answer, unit) if unit.fuzzy else ():
            put(start, end, Tier.FUZZY)
        for start, end in _misspelt(answer, unit):
            put(start, end, Tier.FUZZY)
    return found


def misheard(text: str, key: str, unit: Unit) -> bool:
    """Whether a word beside the rest of its phrase may be the unit, misheard ("KV cash").

    Args:
        text: the word of the answer.
        key: its stem.
        unit: what the phrase has there.
    """
    if same_sound(text, unit.text):
        return True
    if (
        text in FUNCTION_WORDS
        or key in GENERIC
        or not text.isalpha()
        or len(text) < 4
        or _opposite(text, unit.text)
    ):
        return False
    sound = loose(sound_key(text))
    consonants = len(unit.sound.lstrip("A"))
    if sound != unit.sound or first_vowel(text) != first_vowel(unit.text):
        return False
    if is_known_english(text) and consonants < 3:
        common = rank(text) < COMMON_MISHEARD_RANK
        return not common and fuzz.ratio(text, unit.text) >= MIN_KNOWN_MISHEARD_RATIO
    return consonants >= 2 and fuzz.ratio(text, unit.text) >= MIN_SOUND_RATIO
