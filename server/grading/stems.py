"""Words brought to a common form: spelling variants, inflection, word family.

Three keys of growing breadth, each a plain string that equal words share:

* ``american``: one spelling for "optimise" and "optimize", "behaviour" and "behavior".
* ``stem``: one key for the inflections of a word ("shard", "shards", "sharded", "sharding").
* ``family``: one key for a word and its nearest derivations ("replicate", "replication"). Wider,
  and so only trusted where the rest of a phrase is there too.

The rules are conservative on purpose: two different words must not share a key. They are English
morphology after Quirk et al., *A Comprehensive Grammar of the English Language*, app. I, cut down
to what a key phrase needs; exceptions are listed where a rule would merge two words.
"""

import re
from functools import lru_cache

from server.grading.english import is_known_english, word_set

__all__ = ["american", "family", "stem"]

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
        word = word.replace("ered", "ered")
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
        return base if len(base) < 4 or base in _WHOLE else _final(base)
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
        return _final(_base_of_verb(word[:-3]))
    if word.endswith("ied") and len(word) >= 5:
        return _final(word[:-3] + "y")
    if word.endswith("eed") and len(word) >= 7 and is_known_english(word[:-1]):
        return _final(word[:-1])  # "disagreed", "guaranteed"
    if word.endswith("ed") and len(word) >= 5 and _has_vowel(word[:-2]) and word[-3] != "e":
        return _final(_base_of_verb(word[:-2]))
    return _final(word)


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


def _final(word: str) -> str:
    """One ending for "cache" and "cach(ing)", "label" and "labell(ing)"."""
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if len(word) > 4 and word.endswith("ll"):
        word = word[:-1]
    return word


# Nouns whose suffix is no derivation from the verb that would be left ("production" is not
# "product", "department" is not "depart"); they keep their own key.
_UNDERIVED = word_set("""
    production product direction function fraction section portion option position condition
    tradition addition edition mission version session station relation nation ration million
    billion trillion occasion passion question region religion union opinion champion action
    traction auction caution fiction friction junction mention motion potion pension tension
    department apartment environment document segment element moment argument commitment
    statement government equipment compartment comment cement experiment instrument supplement
    implement complement payment entity quality quantity security community city capacity
    identity property party empty liberty poverty beauty plenty pretty facility university
    density velocity commodity majority minority priority authority unity utility ability
    electricity eternity purity gravity parity charity clarity container server counter number
    letter order layer computer register character folder header master cluster filter buffer
    pointer power tower user paper water super proper hyper router owner member center meter
    under over after other either never ever river silver corner factor vector sector tensor
    error mirror operator doctor actor author motor minor major sensor color processor executor
    monitor editor message image stage page package language percentage information
    foundation patient patience instance instant distance distant balance finance advance chance
    entrance science sentence sequence audience evidence conference currency current agency
    agent client event percent recent accident incident president parent student content extent
    present presence absent absence talent permanent apparent transparent relevant constant
    important giant fragment segment augment tenant plant grant want restaurant infant assistant
    merchant intent patent component opponent continent component urgent prudent latent
    advantage damage garbage village average voltage image usage
    """)
_PAIRS = {
    "failure": "fail", "loss": "lose", "choice": "choose", "analysis": "analyz",
    "proof": "prov", "growth": "grow", "recovery": "recover", "discovery": "discover",
    "delivery": "deliver", "response": "respond", "retention": "retain", "removal": "remov",
    "approval": "approv", "retrieval": "retriev", "renewal": "renew", "arrival": "arriv",
    "traversal": "travers", "withdrawal": "withdraw", "maintenance": "maintain",
    "explanation": "explain", "reduction": "reduc", "deduction": "deduc", "induction": "induc",
    "expansion": "expand", "extension": "extend", "conversion": "convert", "inversion": "invert",
    "division": "divid", "decision": "decid", "revision": "reviz", "collision": "collid",
    "subscription": "subscrib", "description": "describ", "consumption": "consum",
    "assumption": "assum", "absorption": "absorb", "acquisition": "acquir",
    "provision": "provision", "latency": "latency", "staleness": "stale", "stability": "stabl",
    "strategic": "strategy", "statistic": "statistic", "diagnosis": "diagnos",
    "proposal": "propos", "disposal": "dispos", "appraisal": "apprais", "referral": "refer",
    "reversal": "revers", "dismissal": "dismiss", "denial": "deny", "rehearsal": "rehears",
    "compliance": "comply", "compliant": "comply", "variance": "vary", "variation": "vary",
    "variant": "vary", "ownership": "own", "introduction": "introduc", "competition": "compet",
    "transmission": "transmit", "permission": "permit", "admission": "admit",
    "submission": "submit", "omission": "omit", "intervention": "interven",
    "prevention": "prevent", "attention": "attention", "utilisation": "utiliz",
    "evolution": "evolve", "recognition": "recognize", "erosion": "erode",
    "corrosion": "corrode", "satisfaction": "satisfy", "descent": "descend", "noisy": "noiz",
    "risky": "risk", "dimensionality": "dimension", "explosion": "explode",
    "invasion": "invade", "exposure": "expose", "closure": "close", "disclosure": "disclose",
    "leadership": "lead", "seasonality": "seasonal", "causality": "cause", "causal": "cause",
    "behavioral": "behavior", "structural": "structure", "architectural": "architecture",
    "environmental": "environment", "departmental": "department", "breach": "breach",
    "heat": "heat", "belief": "believe", "relief": "relieve", "advice": "advise",
    "weight": "weigh", "flight": "fly", "sight": "see", "speech": "speak", "sale": "sell",
    "birth": "birth", "death": "die", "dead": "die", "health": "health", "healthy": "health",
    "safely": "safe", "hunger": "hunger", "defensive": "defense", "offensive": "offense",
    "expense": "expend", "successful": "success", "succeed": "success",
    "practitioner": "practice", "importance": "important", "reconciliation": "reconcil",
    "supervision": "superviz", "fusion": "fus", "exclusion": "exclud", "inclusion": "includ",
    "intrusion": "intrud", "conclusion": "conclud", "occlusion": "occlud",
    "dispersion": "dispers", "contention": "contend", "emission": "emit",
    "concurrency": "concurrent", "coverage": "cover", "elongation": "elongat",
    "synthesis": "synthesiz", "emphasis": "emphasiz", "hypothesis": "hypothes",
    "prediction": "predict", "detection": "detect", "speculation": "specul",
    "occurrence": "occur", "recurrence": "recur", "preference": "prefer",
    "reference": "reference", "inference": "infer",
    "tolerance": "tolerat", "toleration": "tolerat", "accuracy": "accurat",
    "allocation": "allocat", "leakage": "leak", "storage": "stor", "shrinkage": "shrink",
    "breakage": "break", "security": "secur", "verification": "verify",
    "classification": "classify", "notification": "notify", "identification": "identify",
    "modification": "modify", "specification": "specify", "simplification": "simplify",
    "certification": "certify", "qualification": "qualify", "amplification": "amplify",
    "unification": "unify", "clarification": "clarify", "justification": "justify",
    "diversification": "diversify", "quantification": "quantify", "application": "application",
    "owner": "own", "membership": "member", "measurable": "measur", "classed": "classify",
    "reclamation": "reclaim", "proclamation": "proclaim", "acclamation": "acclaim",
    "throttle": "throttl", "stratification": "stratify", "encryption": "encrypt",
}  # fmt: skip
_MIN_FAMILY_BODY = 4
_REPEATING = ("re", "de", "pre", "over", "under", "mis")
"""Prefixes before which a noun keeps its irregular verb."""
_MIN_PREFIXED = 6


# Clipped words of shop talk and the words they stand for.
_CLIPPED = {
    "config": "configuration", "configs": "configuration", "auth": "authentication",
    "repo": "repository", "repos": "repository", "prod": "production", "db": "database",
    "dbs": "database", "app": "application", "apps": "application", "dev": "development",
    "async": "asynchronous", "sync": "synchronous", "perf": "performance",
    "env": "environment", "envs": "environment", "param": "parameter", "params": "parameter",
    "hyperparam": "hyperparameter", "hyperparams": "hyperparameter", "spec": "specification",
    "specs": "specification", "stats": "statistics", "docs": "documentation",
    "infra": "infrastructure", "postgres": "postgresql", "max": "maximum", "min": "minimum",
    "avg": "average", "temp": "temperature", "lab": "laboratory", "labs": "laboratory",
    "meds": "medication", "admin": "administrator", "ops": "operations", "tech": "technical",
    "comms": "communication", "dedup": "deduplication", "dedupe": "deduplication",
    "autoscale": "autoscaler", "prefill": "prefill", "retro": "retrospective",
    "sec": "security", "deps": "dependency", "dep": "dependency", "evals": "evaluation",
    "eval": "evaluation", "ack": "acknowledgment", "acks": "acknowledgment",
    "dataset": "dataset", "quant": "quantization", "recon": "reconciliation",
}  # fmt: skip


@lru_cache(maxsize=65536)
def family(word: str) -> str:
    """The key of a word's family: noun, verb, adjective and adverb of one root.

    "replication" and "replicate", "consistency" and "consistent", "scheduler" and "scheduling",
    "parallelism" and "parallel". Not "replica", "production"/"product", "operator"/"operation".
    """
    word = _CLIPPED.get(word, word)
    key = stem(word)
    if not key.isalpha():
        return key
    full = american(word)
    singular = full[:-1] if full.endswith("s") and not full.endswith(("ss", "us", "is")) else full
    if singular.endswith("ie") and full.endswith("ies"):
        singular = singular[:-2] + "y"
    for form in (singular, key):
        if form in _PAIRS:
            value = _final(_PAIRS[form])
            return value if value in _UNDERIVED else _strip_family(value)
        for prefix in _REPEATING:  # "retransmission" goes with "retransmit"
            rest = form.removeprefix(prefix)
            if rest != form and len(rest) >= _MIN_PREFIXED and rest in _PAIRS:
                return prefix + _strip_family(_final(_PAIRS[rest]))
    if len(key) < 5 or singular in _UNDERIVED or key in _UNDERIVED:
        return key
    return _strip_family(key)


_FAMILY_SUFFIXES: tuple[tuple[str, str], ...] = (
    ("izational", "iz"), ("ization", "iz"), ("izability", "iz"), ("izabl", "iz"), ("izer", "iz"),
    ("osition", "os"),
    ("ification", "ify"), ("ifier", "ify"), ("ational", "at"), ("ation", "at"), ("ator", "at"),
    ("atory", "at"),
    ("ativ", "at"), ("ability", "abl"), ("ibility", "ibl"), ("abl", "abl"), ("ibl", "ibl"),
    ("entiv", "ent"), ("ment", ""), ("ency", ""), ("enc", ""), ("ent", ""), ("ancy", ""),
    ("anc", ""), ("ant", ""), ("icity", "ic"), ("ity", ""), ("ectiv", "ect"),
    ("ership", ""), ("ty", ""), ("scription", "scrib"), ("olution", "olv"), ("ersion", "ert"),
    ("ension", "end"),
    ("ption", "pt"), ("ction", "ct"), ("ssion", "ss"), ("stion", "st"), ("ntion", "nt"),
    ("ution", "ut"), ("etion", "et"), ("usion", "us"), ("ertion", "ert"), ("ortion", "ort"),
    ("ical", "ic"), ("ism", ""), ("ness", ""), ("er", ""), ("or", ""),
)  # fmt: skip
# "consistent" belongs to "consistency"; "fragment" to no "fragmency".
_NEEDS_KNOWN = {
    "ent": ("ence", "ency"), "ant": ("ance", "ancy"), "ity": ("", "e"), "ty": ("", "e"),
    "ership": ("er",),
}  # fmt: skip
_MIN_BODY = {"ent": 4, "ant": 4, "enc": 4, "anc": 4, "ency": 4, "ancy": 4, "er": 4, "or": 4}


def _strip_family(key: str) -> str:
    if key.startswith("parallel"):
        return "parallel"
    for suffix, root in _FAMILY_SUFFIXES:
        body = key.removesuffix(suffix)
        if body == key or len(body) < _MIN_BODY.get(suffix, 3):
            continue
        if len(body + root) < _MIN_FAMILY_BODY:
            continue
        if suffix in _NEEDS_KNOWN and not any(
            is_known_english(body + ending) for ending in _NEEDS_KNOWN[suffix]
        ):
            continue
        if (
            suffix in ("ation", "atory")
            and not is_known_english(body + "ate")
            and (is_known_english(body) or is_known_english(body + "e"))
        ):  # "reservation" is of "reserve", "validation" of "validate"
            return body if body in _UNDERIVED else _strip_family(body)
        if suffix == "ness" and body.endswith("ed"):
            return _strip_family(stem(body))  # "groundedness" is being grounded
        if suffix in ("er", "or") and body[-1] == body[-2] != "l":
            body = body[:-1]
        return (body + root).removesuffix("e")
    return key
