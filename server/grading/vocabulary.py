"""What the grader knows about words in general: which carry meaning, which are common."""

from functools import cache

from server.grading.english import word_set
from server.grading.stems import stem

__all__ = [
    "ARTICLES",
    "CLAUSE_STARTS",
    "DISFLUENCIES",
    "FUNCTION_WORDS",
    "GENERIC",
    "KIND_HEADS",
    "PREFIX_WORDS",
    "SUBJECTS",
    "VACUOUS_HEADS",
    "contrast",
]

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
"""Words whose absence or presence between the words of a phrase changes nothing much."""

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
    they're they've they'd they'll he's she's it's there there's that's this that
    everybody everyone somebody someone nobody
    """)
CLAUSE_STARTS = word_set("""
    because but however so therefore then since although though whereas while unless until if when
    whenever otherwise instead before after which who where why how whether else yet plus hence thus
    meanwhile finally afterwards versus vs than
    """)

PREFIX_WORDS = word_set("non un semi self anti quasi pseudo sub pre post re de dis in ir im")
"""Prefixes that, written as a word of their own before a term, make another term of it."""

VACUOUS_HEADS = frozenset(
    stem(word)
    for word in word_set("""
    strategy technique approach mechanism pattern method process practice concept principle
    model-based algorithm protocol methodology style framework tool tooling theory idea scheme model
    """)
)
"""Heads that name no more than the kind of thing: the "pattern" of "circuit breaker pattern"."""

KIND_HEADS = frozenset(
    stem(word)
    for word in word_set("""
    time point score deployment rollout release storage image certificate probe timer delivery
    environment api network
    """)
)
"""Heads that a speaker leaves out behind a telling word: the "probe" of "liveness"."""

GENERIC = frozenset(
    stem(word)
    for word in word_set("""
    long short length depth
    data model train training batch batching parallel parallelism system server service serve memory
    cache store storage node cluster job task request response user client team time cost price rate
    number size scale scaling limit load test check state level layer stage step file table index
    key value query search queue log logging metric monitor monitoring alert policy rule type class
    group set list version update change control flow process processing pipeline network traffic
    throughput latency performance speed bandwidth compute cpu gpu device host machine instance
    container image deploy deployment release run running build design architecture platform
    application app api code function operation error failure fault event stream streaming message
    input output feature label weight parameter gradient learn learning inference token embed
    embedding vector tensor kernel core thread lock schedule scheduling scheduler partition shard
    sharding replica replication backup restore checkpoint checkpointing recovery access security
    role account name space resource request capacity plan planning budget manage management review
    report document analysis study case question answer customer product market business company
    project work result quality risk loss gain score point line rule unit module component object
    method tool framework library software hardware strategy tracking experiment accuracy
    precision recall distributed distribution local global online offline static dynamic automatic
    manual active passive primary secondary high low fast slow big large small single multi first
    last new old good bad strong weak hard soft hot cold warm open close full partial total average
    mean rolling continuous incremental simple complex simple main general special public private
    internal external remote direct shared common normal standard custom basic advanced critical
    efficiency utilization consumption usage optimization communication computation synchronous
    asynchronous horizontal vertical read write commit transaction isolation consistency
    availability reliability visibility support pool buffer window page block chunk channel link
    route routing balance balancing cloud spot reserved instance price discount probe health
    switch power cooling rack center domain zone region area patient care treatment rate interest
    cash account asset sale marketing customer order action item plan goal target role
    """)
)
"""Words of so many terms that one of them alone says nothing of the term."""

_CONTRASTS = tuple(
    frozenset(stem(word) for word in group.split())
    for group in (
        "data pipeline tensor model expert sequence context",
        "strong weak eventual causal",
        "online offline",
        "static dynamic continuous",
        "horizontal vertical",
        "synchronous asynchronous",
        "sync async",
        "hot warm cold",
        "hard soft",
        "blue green canary rolling shadow",
        "spot reserved",
        "left right inner outer cross full",
        "optimistic pessimistic",
        "liveness readiness startup",
        "up out down in",
        "primary secondary",
        "public private hybrid",
        "first last second third",
        "input output",
        "internal external",
        "local global remote",
        "read write",
        "upper lower",
        "forward backward reverse",
        "supervised unsupervised",
        "stateful stateless",
        "true false",
        "positive negative",
        "fixed variable",
        "long short",
        "high low medium",
        "minimum maximum average",
        "symmetric asymmetric",
        "encryption decryption",
        "authentication authorization",
        "shared dedicated exclusive",
        "gradient activation weight optimizer",
        "batch stream streaming",
        "row column",
        "least most exactly",
        "unit integration smoke",
        "short-term long-term",
        "gross net",
        "inbound outbound",
        "ingress egress",
        "north south east west",
        "micro macro",
        "direct indirect",
        "manual automatic",
        "lossy lossless",
        "sparse dense",
        "push pull",
        "producer consumer",
        "rest transit",
        "active passive",
    )
)


@cache
def _contrast_index() -> dict[str, tuple[frozenset[str], ...]]:
    index: dict[str, tuple[frozenset[str], ...]] = {}
    for group in _CONTRASTS:
        for word in group:
            index[word] = (*index.get(word, ()), group)
    return index


def contrast(one: str, other: str) -> bool:
    """Whether two stems are siblings that exclude each other before one head ("data", "tensor")."""
    return one != other and any(other in group for group in _contrast_index().get(one, ()))
