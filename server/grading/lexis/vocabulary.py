"""General word lists: which words carry meaning, and which are common."""

from functools import cache
from importlib import resources

from server.grading.lexis.words import lemma, parts_of_speech, rank, word_set

ARTICLES = word_set("a an the this that these those our my your their its his her some any")

FUNCTION_WORDS = word_set("""
    a an the this that these those our my your their its his her some any against toward towards
    within around behind beyond upon about during of for to in on at by with from into onto
    through across between among per via as than over under and or nor & / is are was were be
    been being am do does did done has have had having will would shall should can could may
    might must it it's that's there there's we i you they he she them us me him one's each every
    all both either which who whose what where when while very really quite just also too so
    then now here still already only even much more most we're we've we'd we'll i'm i've i'd
    i'll you're you've you'd you'll they're they've don't isn't wasn't aren't weren't doesn't
    didn't not no
    """)
"""Words that hardly matter between the words of a phrase."""

DISFLUENCIES = word_set("""
    um uh uhm umm er erm ah eh hm hmm hmmm mm mhm uhh ehm like basically actually literally
    honestly obviously well yeah okay ok right so-called please maybe perhaps say
    """)
DISFLUENT_PHRASES = (
    ("you", "know"), ("i", "mean"), ("sort", "of"), ("kind", "of"), ("let's", "say"),
    ("i", "think"), ("i", "guess"), ("how", "do", "you", "say"), 
    ("what", "do", "you", "call", "it"),
    ("so", "called"), ("if", "you", "like"), ("as", "it", "were"), ("i", "would", "say"),
    ("i'd", "say"), ("how", "to", "say"), ("what's", "it", "called"), ("no", "sorry"),
    ("believe", "it", "or", "not"), ("as", "they", "say"), ("as", "we", "say"), ("you", "see"),
    ("to", "be", "honest"), ("of", "course"), ("or", "rather"), ("sorry",), ("as", "you", "know"),
)  # fmt: skip

SUBJECTS = word_set("""
    i we you they he she it i'm i've i'd i'll we're we've we'd we'll you're you've you'd you'll
    they're they've they'd they'll he's she's it's there there's that's
    everybody everyone somebody someone nobody
    """)
AUXILIARIES = word_set("""
    is are was were be been being am has have had do does did will would can could should may might
    must isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't can't
    cannot couldn't shouldn't
    """)
CLAUSE_STARTS = word_set("""
    because but however so therefore since although though whereas while unless until if when
    whenever otherwise before where why how whether else yet plus hence thus
    meanwhile finally afterwards versus vs than
    """)

PREFIX_WORDS = word_set(
    "over under non un semi self anti quasi pseudo sub pre post re de dis in ir im"
)
"""Prefixes that turn a term into another one, even if written as a separate word."""
PREFIXES = PREFIX_WORDS | word_set("""
    a an auto bi bio co con contra counter cross cyber down electro ex extra fore hyper hypo il
    infra inter intra kilo macro mal mega meta micro mid mini mis mono multi nano neo off omni on
    out para peri photo poly pro proto retro super supra tele thermo trans tri ultra uni up v
    """)
"""Prefixes that make another word of a word."""

VACUOUS_HEADS = frozenset(
    lemma(word)
    for word in word_set("""
    strategy technique approach mechanism pattern method process practice concept principle
    model-based algorithm protocol methodology style framework tool tooling theory idea scheme model
    """)
)
"""Heads that only name the kind of thing: the "pattern" in "circuit breaker pattern"."""

KIND_HEADS = frozenset(
    lemma(word)
    for word in word_set("time point score deployment rollout release storage certificate delivery")
)
"""Heads that a speaker may leave out after a distinctive word: the "storage" after "ephemeral"."""

EVERYDAY_RANK = 5000
_FIELD = frozenset(
    lemma(word)
    for word in word_set("""
    long short high low fast slow hard close first last
    accuracy alert api asynchronous availability backup bandwidth batch batching buffer cache
    checkpoint chunk cluster computation compute consistency consumption container continuous cpu
    deploy deployment distributed dynamic embed gpu gradient horizontal incremental inference
    isolation kernel latency log metric module multi node offline optimization output parallel
    parallelism parameter partition pipeline precision probe query queue rack reliability replica
    replication scheduler shard static storage synchronous tensor throughput token transaction
    utilization vector vertical visibility
    """)
)


def is_generic(word: str) -> bool:
    """Whether a lemma occurs in so many terms that it alone is no evidence for any of them.

    Everyday nouns, verbs and adjectives are, and the everyday words of the field.
    """
    everyday = rank(word) < EVERYDAY_RANK and "ADV" not in parts_of_speech(word)
    return everyday or word in _FIELD


# Prepositions and words that form an adverb: "in parallel" is not a kind of parallelism.
ADVERBIAL = {
    ("in", "parallel"), ("in", "general"), ("in", "order"), ("in", "case"), ("in", "time"),
    ("at", "scale"), ("in", "practice"), ("in", "production"), ("on", "time"), ("in", "line"),
    ("in", "total"), ("on", "average"), ("at", "first"), ("at", "last"), ("in", "short"),
    ("our", "own"), ("my", "own"), ("your", "own"), ("their", "own"), ("its", "own"),
    ("at", "rest"), ("by", "hand"), ("in", "turn"), ("in", "detail"), ("in", "advance"),
}  # fmt: skip


@cache
def _contrast_index() -> dict[str, tuple[frozenset[str], ...]]:
    text = resources.files("server.grading").joinpath("data/siblings.txt").read_text("utf-8")
    index: dict[str, tuple[frozenset[str], ...]] = {}
    for line in text.splitlines():
        group = frozenset(lemma(word) for word in line.split()) if line[:1] != "#" else frozenset()
        for word in group:
            index[word] = (*index.get(word, ()), group)
    return index


def contrast(one: str, other: str) -> bool:
    """Whether two lemmas are siblings that exclude each other before a head ("data", "tensor")."""
    return one != other and any(other in group for group in _contrast_index().get(one, ()))
