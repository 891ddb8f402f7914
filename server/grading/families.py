"""Words of one root brought to one key: "replicate" and "replication".

Wider than ``stem``, and so only trusted where the rest of a phrase is there too. The rules are
those of derivation, as conservative as those of inflection in ``stems.py``.
"""

from functools import lru_cache

from server.grading.english import is_known_english, word_set
from server.grading.stems import american, one_ending, stem

__all__ = ["family"]

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
            value = one_ending(_PAIRS[form])
            return value if value in _UNDERIVED else _strip_family(value)
        for prefix in _REPEATING:  # "retransmission" goes with "retransmit"
            rest = form.removeprefix(prefix)
            if rest != form and len(rest) >= _MIN_PREFIXED and rest in _PAIRS:
                return prefix + _strip_family(one_ending(_PAIRS[rest]))
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
