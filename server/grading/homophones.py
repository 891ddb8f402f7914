"""Words that a transcriber writes one for the other, as they sound (nearly) alike."""

from collections import defaultdict

__all__ = ["has_homophone", "same_sound"]

_HOMOPHONES = tuple(
    frozenset(group.split())
    for group in (
        "queue cue q", "cache cash cashe", "weight wait", "weights waits", "write right rite",
        "site sight cite", "byte bite", "sync sink", "tier tear", "root route", "router rooter",
        "brake break", "principal principle", "role roll", "load lode", "complement compliment",
        "discrete discreet", "base bass", "serial cereal", "cell sell", "raise rays",
        "pier peer", "peering pearing", "flow floe", "idle idol", "mode mowed",
        "lead led",
        "block bloc", "caching cashing", "cached cashed", "queues cues",
        "shard shared",
        "stationary stationery", "suite sweet", "bit bid", "patch batch", "batching patching",
        "pods pots", "pod pot", "taint tent", "tenant tenet", "ledger lecher", "quote coat",
        "sale sail", "gain gane", "stake steak", "main mane", "plane plain", "sensor censor",
        "lite light", "py pie pi", "peak peek pique", "mail male", "key quay", "ware wear",
        "course coarse", "whole hole", "pair pear", "straight strait", "vein vain", "wrap rap",
        "ring wring", "great grate", "flair flare", "fair fare", "current currant",
        "phase faze", "profit prophet", "past passed", "paced paste", "packed pact",
        "mist missed", "band banned", "bolder boulder", "tax tacks", "links lynx", "locks lox",
        "prints prince", "mince mints", "tense tents", "scene seen", "sum some", "council counsel",
        "console consul", "carrot caret", "chord cord", "dense dents", "tracks tracts",
        "presence presents", "residence residents", "patience patients", "seed cede",
        "lessen lesson", "billed build", "board bored",
        "chunk junk", "hertz hurts", "lane lain", "leased least", "lone loan",
        "manner manor", "metal medal", "miner minor", "morning mourning",
        "naval navel", "pause paws", "piece peace", "poll pole", "polling poling", "pore pour",
        "pray prey", "real reel", "seam seem", "sheer shear", "shoot chute", "slay sleigh",
        "sole soul", "stair stare", "steal steel", "tail tale", "team teem", "thrown throne",
        "tide tied", "toe tow", "told tolled", "wade weighed", "waste waist",
        "week weak", "which witch", "worn warn", "yoke yolk", "ascent assent", "canvas canvass",
        "knot not", "lock loch", "knead need", "rain reign", "sauce source",
        "tick tic", "cents sense",
        "dual duel", "die dye", "heap heep", "hash hatch", "mutex mutics", "fleet fleeting",
    )
)  # fmt: skip
_SAME_SOUND: dict[str, list[frozenset[str]]] = defaultdict(list)
for _group in _HOMOPHONES:
    for _word in _group:
        _SAME_SOUND[_word].append(_group)


def has_homophone(text: str) -> bool:
    """Whether another word is known to sound the same."""
    return text in _SAME_SOUND


def same_sound(text: str, other: str) -> bool:
    """Whether two words are known to sound the same."""
    return any(other in group for group in _SAME_SOUND.get(text, ()))
