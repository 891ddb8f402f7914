"""Words brought to a common form: spelling variants and inflection.

Keys of growing breadth, each a plain string that equal words share; ``families.py`` has the widest:

* ``american``: one spelling for "optimise" and "optimize", "behaviour" and "behavior".
* ``stem``: one key for the inflections of a word ("shard", "shards", "sharded", "sharding").

The rules are conservative on purpose: two different words must not share a key. They are English
morphology after Quirk et al., *A Comprehensive Grammar of the English Language*, app. I, cut down
to what a key phrase needs; exceptions are listed where a rule would merge two words.
"""

import re
from functools import lru_cache

from server.grading.english import is_known_english, word_set

__all__ = ["american", "one_ending", "stem"]

_VOWELS = frozenset("aeiouy")
_PLURAL_OF_LETTERS = re.compile(r"^[bcdfghjklmnpqrstvwxz]{2,4}us$")
"""Plurals of acronyms in u ("GPUs", "SKUs"), which no Latin noun in -us looks like."""

# British spellings that no suffix rule reaches (or where a rule would hit "hour", "four", "tyre").
_BRITISH = {
    "centre": "center", "fibre": "fiber", "litre": "liter", "metre": "meter", "theatre": "theater",
    "calibre": "caliber", "catalogue": "catalog", "dialogue": "dialog", "analogue": "analog",
    "programme": "program", "grey": "gray", "artefact": "artifact", "judgement": "judgment",
    "acknowledgement": "acknowledgment", "ageing": "aging", "tyre": "tire", "cheque": "check",
    "aluminium": "aluminum", "mould": "mold", "sceptical": "skeptical", "defence": "defense",
    "offence": "offense", "licence": "license", "practise": "practice", "pretence": "pretense",
    "enrol": "enroll", "fulfil": "fulfill", "instalment": "installment", "skilful": "skillful",
    "storey": "story", "draught": "draft", "plough": "plow", "anaesthesia": "anesthesia",
    "anaemia": "anemia", "paediatric": "pediatric", "haemoglobin": "hemoglobin",
    "oedema": "edema", "oesophagus": "esophagus", "foetus": "fetus", "diarrhoea": "diarrhea",
    "neighbour": "neighbor", "ischaemia": "ischemia", "leukaemia": "leukemia",
    "prologue": "prolog", "epilogue": "epilog", "maths": "math", "routeing": "routing",
    "prefetch": "prefetch",
}  # fmt: skip
_OUR = re.compile(
    r"^(behavi|col|fav|hon|lab|neighb|harb|hum|rum|vap|endeav|vig|od|arm|glam|tum|parl|rig|sav"
    r"|splend|cand|clam|ferv|val|disc?ol|demean|mist?)our"
)
_L_DOUBLED = re.compile(
    r"^(label|model|travel|cancel|signal|level|channel|total|tunnel|parallel|fuel|dial|equal|rival"
    r"|marshal|pencil|counsel|initial|panel|spiral|unravel|libel|funnel|shovel|trial|refuel)l"
    r"(ed|ing|er|ers|or|ors)$"
)

# Irregular forms → base. Verbs and nouns of the kind that technical speech uses.
_IRREGULAR = {
    "ran": "run", "running": "run", "built": "build", "rebuilt": "rebuild", "wrote": "write",
    "written": "write", "rewrote": "rewrite", "rewritten": "rewrite", "kept": "keep",
    "lost": "lose", "chose": "choose", "chosen": "choose", "sent": "send", "resent": "resend",
    "held": "hold", "found": "find", "made": "make", "took": "take", "taken": "take",
    "grew": "grow", "grown": "grow", "broke": "break", "broken": "break", "froze": "freeze",
    "frozen": "freeze", "drew": "draw", "drawn": "draw", "hid": "hide", "hidden": "hide",
    "woke": "wake", "woken": "wake", "fed": "feed", "led": "lead", "bought": "buy",
    "brought": "bring", "caught": "catch", "taught": "teach", "thought": "think", "sold": "sell",
    "told": "tell", "spent": "spend", "bent": "bend", "lent": "lend", "meant": "mean",
    "dealt": "deal", "slept": "sleep", "swept": "sweep", "wept": "weep", "crept": "creep",
    "stuck": "stick", "struck": "strike", "swung": "swing", "sprung": "spring", "sang": "sing",
    "sank": "sink", "sunk": "sink", "shrank": "shrink", "shrunk": "shrink", "drove": "drive",
    "driven": "drive", "gave": "give", "given": "give", "went": "go", "gone": "go", "saw": "see",
    "seen": "see", "knew": "know", "known": "know", "threw": "throw", "thrown": "throw",
    "flew": "fly", "flown": "fly", "began": "begin", "begun": "begin", "won": "win",
    "fell": "fall", "fallen": "fall", "ate": "eat", "eaten": "eat", "spoke": "speak",
    "spoken": "speak", "stole": "steal", "stolen": "steal", "rose": "rise", "risen": "rise",
    "understood": "understand", "stood": "stand", "fought": "fight", "sought": "seek",
    "shot": "shoot", "bound": "bind", "wound": "wind", "ground": "grind", "left": "leave",
    "met": "meet", "paid": "pay", "said": "say", "laid": "lay", "overrode": "override",
    "overridden": "override", "overcame": "overcome", "became": "become", "shown": "show",
    "proven": "prove", "forgot": "forget", "forgotten": "forget", "forgetting": "forget",
    "shook": "shake", "shaken": "shake", "wore": "wear", "worn": "wear", "tore": "tear",
    "torn": "tear", "blew": "blow", "blown": "blow", "wove": "weave", "woven": "weave",
    "beaten": "beat", "bitten": "bite", "rode": "ride", "ridden": "ride", "swore": "swear",
    "sworn": "swear", "forgave": "forgive", "forgiven": "forgive", "undertook": "undertake",
    "undertaken": "undertake", "mistook": "mistake", "mistaken": "mistake", "bred": "breed",
    "bled": "bleed", "fled": "flee", "hung": "hang", "dug": "dig", "spun": "spin",
    "slid": "slide", "lit": "light", "clung": "cling", "strove": "strive",
    "withdrew": "withdraw", "withdrawn": "withdraw", "undid": "undo", "undone": "undo",
    "swapped": "swap", "forecasted": "forecast", "indices": "index", "indexes": "index",
    "vertices": "vertex", "matrices": "matrix", "criteria": "criterion", "analyses": "analysis",
    "hypotheses": "hypothesis", "diagnoses": "diagnosis", "theses": "thesis", "bases": "base",
    "crises": "crisis", "axes": "axis", "phenomena": "phenomenon", "leaves": "leaf",
    "halves": "half", "shelves": "shelf", "lives": "life", "knives": "knife", "wolves": "wolf",
    "children": "child", "people": "person", "mice": "mouse", "men": "man", "women": "woman",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "replicae": "replica", "data": "data",
    "schemata": "schema", "quanta": "quantum", "optima": "optimum", "minima": "minimum",
    "maxima": "maximum", "queueing": "queue", "queuing": "queue", "quizzes": "quiz",
    "buses": "bus", "gases": "gas", "lenses": "lens", "biases": "bias", "biased": "bias",
    "biasing": "bias", "aliases": "alias", "aliasing": "alias", "agreed": "agree",
    "freed": "free", "tied": "tie", "tying": "tie", "died": "die", "dying": "die",
    "lied": "lie", "lying": "lie", "embedded": "embed", "embedding": "embed", "embeddings": "embed",
    "focused": "focus", "focusing": "focus", "using": "use", "used": "use", "uses": "use",
    "better": "good", "worse": "bad", "ops": "ops", "being": "be", "caches": "cache",
    "movies": "movie", "cookies": "cookie", "ties": "tie", "lies": "lie", "dies": "die",
    "shed": "shed", "shedding": "shed", "seeing": "see", "axe": "axe", "zeroes": "zero",
    "zeroed": "zero", "zeroing": "zero", "does": "do", "did": "do", "done": "do", "doing": "do",
    "goes": "go", "going": "go", "has": "have", "had": "have", "having": "have",
}  # fmt: skip

# Words that only look inflected.
_WHOLE = word_set("""
    during nothing something everything anything thing bring king ring sing wing spring string sling
    ceiling morning evening sibling sterling need speed feed seed bleed breed weed deed indeed
    exceed proceed succeed embed hundred sacred kindred naked shed sled bed red led wed fed
    status consensus corpus virus bonus focus campus bus plus thus analysis basis axis thesis
    hypothesis diagnosis crisis synthesis emphasis redis series species news lens bias alias atlas
    canvas gas chaos always perhaps besides https this is as us its was his does less unless
    process access express address success progress stress compress press wireless lossless
    stateless serverless business witness apparatus census surplus radius nexus genius terminus
    prometheus lustre kubernetes aws dns tls nfs ios gcs hdfs iops sms
    supply reply apply multiply comply rely family only early daily friendly likely assembly
    anomaly butterfly monopoly italy july poly jelly belly rally tally ally bully fly ply sly
    """)


@lru_cache(maxsize=65536)
def american(word: str) -> str:
    """The American spelling of a lower-case word, as a key ("enterprize" is one, too).

    ``-ise`` becomes ``-ize`` everywhere, also where it is no suffix: only equality counts.
    """
    base = _BRITISH.get(word)
    if base is not None:
        return base
    if len(word) < 5:
        return word
    for plural in ("s", "es"):
        if word.endswith(plural) and word[: -len(plural)] in _BRITISH:
            return _BRITISH[word[: -len(plural)]] + "s"
    word = _OUR.sub(r"\1or", word)
    word = _L_DOUBLED.sub(r"\1\2", word)
    word = re.sub(r"is(e|ed|es|er|ers|ing|ation|ations|able|ational)$", r"iz\1", word)
    word = re.sub(r"ys(e|ed|er|ers|ing)$", r"yz\1", word)
    if word.startswith(("centr", "fibr", "metr", "litr")):
        word = re.sub(r"^(cent|fib|met|lit)r(es|ed)$", r"\1er\2", word).replace("eres", "ers")
    return word


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _base_of_verb(body: str) -> str:
    """The key of a verb whose ``-ed`` or ``-ing`` was cut off: undouble, drop a final ``e``."""
    if len(body) == 4 and body.endswith("ll"):
        return body  # "rolled" is of "roll", "controlled" of "control"
    if len(body) >= 4 and body[-1] == body[-2] and body[-1] in "bdgmnprtlv":
        return body[:-1]
    return body.removesuffix("e")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The key that a word's inflections share.

    Args:
        word: lower case. Anything that is not letters comes back as it is.
    """
    if len(word) < 4 or not word.isalpha():
        return _IRREGULAR.get(word, word)
    word = american(word)
    base = _IRREGULAR.get(word)
    if base is not None:
        return base if len(base) < 4 or base in _WHOLE else one_ending(base)
    if word in _WHOLE:
        return word
    if _PLURAL_OF_LETTERS.match(word) and not is_known_english(word[:-2] + "e"):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        singular = _singular(word)
        if singular in _WHOLE:
            return singular
        word = _IRREGULAR.get(singular, singular)
    if word.endswith("ly") and len(word) >= 6:
        word = _adjective(word)
    if word in _WHOLE:
        return word
    if word.endswith("ing") and len(word) >= 6 and _has_vowel(word[:-3]):
        return one_ending(_base_of_verb(word[:-3]))
    if word.endswith("ied") and len(word) >= 5:
        return one_ending(word[:-3] + "y")
    if word.endswith("eed") and len(word) >= 7 and is_known_english(word[:-1]):
        return one_ending(word[:-1])  # "disagreed", "guaranteed"
    if word.endswith("ed") and len(word) >= 5 and _has_vowel(word[:-2]) and word[-3] != "e":
        return one_ending(_base_of_verb(word[:-2]))
    return one_ending(word)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _adjective(word: str) -> str:
    """The adjective of an adverb: "dynamically" → "dynamic", "lazily" → "lazy"."""
    if word.endswith("ically"):
        return word[:-4]
    if word.endswith("ily"):
        return word[:-3] + "y"
    if word.endswith(("ably", "ibly")):
        return word[:-1] + "e"
    return word[:-2]


def one_ending(word: str) -> str:
    """One ending for "cache" and "cach(ing)", "label" and "labell(ing)"."""
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if len(word) > 4 and word.endswith("ll"):
        word = word[:-1]
    return word
