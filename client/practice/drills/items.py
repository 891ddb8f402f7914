"""Drill items: those of the built-in sets and a person's own, in one form; the result of a take."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

from client.core.durable_file import changed_ns
from client.core.errors import DrillError
from client.core.own_lexicon import own_readings
from client.core.settings import ClientSettings
from client.practice.drills.own_items import (
    OWN_SET,
    OwnItem,
    item_id,
    own_item,
    read_own_items,
    write_own_items,
)
from client.practice.drills.phrases import (
    COLLOCATIONS,
    LANGUAGE_SET,
    Phrase,
    collocations,
    readings_of,
)
from pronunciation.clip import Clip
from pronunciation.drill_sets import DrillItem, load_drills
from pronunciation.errors import HearingError
from pronunciation.lexicon_loader import accepting, load_lexicon
from pronunciation.phones import bare_phones
from pronunciation.respelling.for_people import respell_phones
from pronunciation.terms import Lexicon, Mistake, Term
from server.contract import TERM_WORDS, DrillCard, DrillVerdictName

SILENCE_STOP_S: Final = 0.8
"""The longest gap within a spelled acronym was below 0.5 s."""
TIME_LIMIT_S: Final = 6.0
SENTENCE_SILENCE_STOP_S: Final = 1.5
"""A speaker who looks for the next word of a sentence is not done."""
SENTENCE_LIMIT_S: Final = 12.0
"""Fourteen words at 80 a minute."""

HARD_SOUNDS: Final[Mapping[str, tuple[str, ...]]] = {
    "arabic": ("P B", "V F", "IH EH", "CH SH", "N NG"),
    "bengali": ("S SH", "Z JH", "V B", "TH T", "DH D"),
    "chinese": ("TH S", "DH D", "V W", "R L", "L N", "N NG", "IH IY", "EH AE"),
    "dutch": ("TH S", "TH T", "DH D", "EH AE", "T D", "P B", "K G", "S Z"),
    "french": ("TH S", "DH Z", "IH IY", "UH UW", "CH SH", "JH ZH"),
    "german": ("TH S", "DH Z", "V W", "EH AE", "T D", "P B", "K G", "JH CH", "S Z"),
    "hindi": ("V W", "TH T", "DH D", "EH AE", "AO OW", "Z JH"),
    "italian": ("TH T", "DH D", "IH IY", "EH AE", "S Z", "UH UW"),
    "japanese": ("R L", "TH S", "DH Z", "V B", "S SH", "AA AH", "N NG"),
    "korean": ("R L", "P F", "V B", "TH S", "DH D", "Z JH", "IH IY"),
    "persian": ("V W", "TH S", "DH Z", "IH IY", "UH UW"),
    "polish": ("TH S", "TH T", "DH D", "IH IY", "EH AE", "T D", "N NG"),
    "portuguese": ("TH S", "TH T", "DH D", "IH IY", "EH AE", "CH SH", "UH UW"),
    "russian": ("TH S", "DH Z", "V W", "IH IY", "EH AE", "T D", "N NG"),
    "spanish": ("V B", "IH IY", "S Z", "CH SH", "TH S", "DH D", "AH AA", "JH Y"),
    "tamil": ("V W", "P B", "T D", "K G", "TH T", "DH D", "S SH"),
    "telugu": ("V W", "TH T", "DH D", "AO OW", "Z JH"),
    "turkish": ("TH T", "DH D", "V W", "T D", "P B", "K G", "EH AE", "N NG"),
    "ukrainian": ("TH S", "DH Z", "V W", "IH IY", "EH AE", "N NG"),
    "urdu": ("V W", "TH T", "DH D", "EH AE", "AO OW"),
    "vietnamese": ("TH T", "DH D", "P B", "S SH", "IH IY", "R Z", "L N"),
}
"""Sounds that speakers of a language take for each other (Swan and Smith, Learner English)."""


@dataclass(frozen=True)
class Item:
    """One thing to say.

    Attributes:
        id: results are stored under it.
        set: the set it belongs to.
        prompt: what to say, as it is shown.
        term: the piece of the prompt that is judged.
        say: a respelling for people.
        readings: accepted readings in ARPAbet; the first is the one taught.
        mistakes: wrong readings with a tip each.
        sentence: an example; may be empty.
        phrases: of a phrase, each reading and mistake as it is written; empty: it is a term.
        ask: shown instead of the prompt until it is said; empty: the prompt.
    """

    id: str
    set: str
    prompt: str
    term: str
    say: str
    readings: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    sentence: str = ""
    phrases: Mapping[str, str] = field(default_factory=dict, hash=False)
    ask: str = ""

    @property
    def silence_stop_s(self) -> float:
        """A take of it ends after this much silence."""
        return SENTENCE_SILENCE_STOP_S if self.phrases else SILENCE_STOP_S

    @property
    def time_limit_s(self) -> float:
        """No take of it takes longer; nothing said by then is nothing said."""
        return SENTENCE_LIMIT_S if self.phrases else TIME_LIMIT_S

    @cached_property
    def lexicon(self) -> Lexicon:
        """A lexicon of this item alone: a voice says the term by its first reading."""
        term = Term(term=self.term, kind="word", say=self.say, readings=self.readings)
        return Lexicon(version=self.readings[0], terms=(term,))

    def confuses(self, pairs: Sequence[str]) -> bool:
        """Whether a mistake of it takes one sound of a pair (``TH S``) for the other."""
        wanted = {frozenset(pair.split()) for pair in pairs}
        taught = bare_phones(self.readings[0])
        for mistake in self.mistakes:
            said = bare_phones(mistake.phones)
            if len(said) == len(taught):
                differ = [{a, b} for a, b in zip(taught, said, strict=True) if a != b]
                if len(differ) == 1 and differ[0] in wanted:
                    return True
        return False

    def tip(self, phones: str) -> str:
        """The tip for a mistaken reading; empty if there is none."""
        wanted = bare_phones(phones)
        exact = [each.tip for each in self.mistakes if each.phones == phones]
        alike = [each.tip for each in self.mistakes if bare_phones(each.phones) == wanted]
        return next(iter(exact or alike), "")

    def respelling(self, phones: str) -> str:
        """A reading in plain letters; the taught one as the set writes it; a phrase in words."""
        if phones in self.phrases:
            return self.phrases[phones]
        return self.say if phones == self.readings[0] else respell_phones(phones, self.term)


@dataclass(frozen=True)
class ItemSets:
    """All sets by name, the built-in ones first; ``titles`` for people."""

    sets: Mapping[str, tuple[Item, ...]]
    titles: Mapping[str, str]

    def of(self, name: str | None) -> tuple[Item, ...]:
        """The items of one set; ``None``: of all, one of each in turn.

        Raises:
            DrillError: there is no such set.
        """
        if name is None:
            return tuple(_in_turn(list(self.sets.values())))
        if name not in self.sets:
            raise DrillError(f"there is no drill set {name!r}; there are {', '.join(self.sets)}")
        return self.sets[name]


class DrillItems:
    """All drill items of a person, read again when what they are made from has changed.

    Args:
        settings: gives the settings in force.
        errors: gives what the person says wrong; ``None``: this is not looked at here.
    """

    def __init__(
        self,
        settings: Callable[[], ClientSettings],
        errors: Callable[[], Sequence[Phrase]] | None = None,
    ) -> None:
        self._settings = settings
        self._errors = errors
        self._lock = threading.Lock()
        self._read: tuple[tuple[int | None, int | None, str], ItemSets] | None = None

    def sets(self) -> ItemSets:
        """All sets.

        Raises:
            LexiconError, DrillError: a file of the person's own is not valid.
            BackendError: the server with the person's own errors cannot be asked.
        """
        kept = self._kept()
        return kept if self._errors is None else with_errors(kept, self._errors())

    def _kept(self) -> ItemSets:
        settings = self._settings()
        stamp = (
            changed_ns(settings.own_drills),
            changed_ns(settings.own_readings),
            settings.preferences.mother_tongue,
        )
        with self._lock:
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, load_items(settings))
            return self._read[1]

    def item(self, item_id: str) -> Item | None:
        """One item of any set, or of an own error, mastered or not."""
        found = (item for items in self._kept().sets.values() for item in items)
        item = next((item for item in found if item.id == item_id), None)
        if item is not None or not item_id.startswith(LANGUAGE_SET):
            return item
        return next((item for item in self.errors() if item.id == item_id), None)

    def errors(self) -> tuple[Item, ...]:
        """What drills the person's own errors, mastered or not."""
        return () if self._errors is None else phrase_items(self._errors())


def with_errors(sets: ItemSets, errors: Iterable[Phrase]) -> ItemSets:
    """The sets with what the person says wrong and has not mastered, to be said right."""
    wrong = phrase_items(each for each in errors if not each.is_mastered)
    own = sets.sets.get(LANGUAGE_SET, ())
    return replace(sets, sets={**sets.sets, LANGUAGE_SET: (*wrong, *own)})


def load_items(settings: ClientSettings) -> ItemSets:
    """The built-in sets with the person's own items added, or in place of one of the same id.

    What speakers of the person's mother tongue find hard stands first in its set.

    Raises:
        LexiconError, DrillError: a set or the person's own file is not valid.
    """
    accepted = own_readings(settings)
    built_in = load_drills(load_lexicon(settings.lexicon, settings.cache))
    titles = {name: drill_set.title for name, drill_set in built_in.items()}
    items = {item.id: item_of(item) for drill_set in built_in.values() for item in drill_set}
    titles = {LANGUAGE_SET: "Say it right", **titles, COLLOCATIONS: "Collocations"}
    items |= {item.id: item for item in phrase_items(collocations())}
    for own in read_own_items(settings.own_drills):
        items[own.id] = item_of(own)
        titles.setdefault(own.set, "Your own")
    for name, item in items.items():
        readings, mistakes = accepting(item.readings, item.mistakes, accepted.get(item.term, ()))
        items[name] = replace(item, readings=readings, mistakes=mistakes)
    hard = HARD_SOUNDS.get(settings.preferences.mother_tongue.casefold(), ())
    ordered = sorted(items.values(), key=lambda item: not item.confuses(hard))
    sets = {name: tuple(item for item in ordered if item.set == name) for name in titles}
    return ItemSets(sets=sets, titles=titles)


def phrase_item(phrase: Phrase) -> Item | None:
    """What is said of a phrase; ``None``: how it sounds is not known on this machine."""
    try:
        right = readings_of(phrase.right)
        wrong = {
            phones: (words, tip)
            for words, tip in phrase.wrong
            for phones in readings_of(words)
            if phones not in right
        }
    except HearingError:
        return None
    if not right:
        return None
    return Item(
        id=phrase.id,
        set=phrase.set,
        prompt=phrase.prompt,
        term=phrase.right,
        say=phrase.right,
        readings=right,
        mistakes=tuple(Mistake(phones=each, tip=tip) for each, (_, tip) in wrong.items()),
        phrases=dict.fromkeys(right, phrase.right)
        | {each: words for each, (words, _) in wrong.items()},
        sentence=phrase.about,
        ask=phrase.ask,
    )


def phrase_items(phrases: Iterable[Phrase]) -> tuple[Item, ...]:
    """What is said of these phrases, as far as this machine knows how they sound."""
    return tuple(item for each in phrases if (item := phrase_item(each)) is not None)


def item_of(item: DrillItem | OwnItem) -> Item:
    """An item of either kind in the one form."""
    return Item(
        id=item.id,
        set=item.set,
        prompt=item.prompt,
        term=item.term,
        say=item.say,
        readings=item.readings,
        mistakes=item.mistakes,
        sentence=item.sentence,
    )


def _in_turn(sets: Sequence[Sequence[Item]]) -> list[Item]:
    longest = max(map(len, sets), default=0)
    return [items[n] for n in range(longest) for items in sets if n < len(items)]


def item_for(sets: ItemSets, lexicon: Lexicon, settings: ClientSettings, name: str) -> Item:
    """What drills a term. Where no set has it, it joins the person's own items and comes back.

    Raises:
        DrillError: nobody knows how the term is said, or the file cannot be used.
    """
    wanted = name.casefold()
    for item in sets.of(None):
        if item.term.casefold() == wanted:
            return item
    term = lexicon.get(name)
    if term is None:
        raise DrillError(f"the lexicon does not know how {name!r} is said")
    fields = {
        "id": item_id(OWN_SET, term.term),
        "term": term.term,
        "prompt": term.term,
        "say": term.say,
        "readings": term.readings,
        "mistakes": term.mistakes,
    }
    made = own_item(fields)
    if isinstance(made, list):
        raise DrillError(f"{term.term} cannot be drilled: {'; '.join(made)}")
    kept = read_own_items(settings.own_drills)
    if made.id not in {item.id for item in kept}:
        settings.own_drills.parent.mkdir(parents=True, exist_ok=True)
        write_own_items(settings.own_drills, (*kept, made))
    return item_of(made)


@dataclass(frozen=True)
class DrillVerdict:
    """What the hearing found in one take.

    Attributes:
        verdict: as in ``DrillReview``.
        phones: the reading heard, in ARPAbet; ``None`` if none was.
        confidence: 0 to 1.
        start_s: where the term begins in the clip; ``None`` if nothing was said.
        end_s: where it ends.
    """

    verdict: DrillVerdictName
    phones: str | None = None
    confidence: float = 0.0
    start_s: float | None = None
    end_s: float | None = None


HearDrill = Callable[[Clip, Item], DrillVerdict]
"""Hears how an item was said."""

REPLAY_MARGIN_S: Final = 0.15
"""Sound kept on either side of the term when a person's own take is played."""

Tone = Literal["good", "warn", "bad"]

VERDICTS: Final[Mapping[DrillVerdictName, tuple[str, Tone, str]]] = {
    "correct": ("✓", "good", TERM_WORDS["correct"]),
    "mispronounced": ("✗", "bad", TERM_WORDS["mispronounced"]),
    "unclear": ("?", "warn", TERM_WORDS["unclear"]),
    "something_else": ("?", "warn", "something else was said"),
    "nothing": ("?", "warn", "nothing was said"),
}
"""Sign, tone and words of each verdict."""
UNDECIDED: Final[Mapping[DrillVerdictName, str]] = {
    "unclear": "This says nothing about you; say it again, a little slower.",
    "something_else": "That did not sound like the term. Say only the term.",
    "nothing": "No speech was heard. Speak right after the recording starts; if the level does not "
    "move, check the microphone.",
}
"""What to do after a take in which nothing was decided."""


@dataclass(frozen=True)
class Step:
    """The result of a take.

    Attributes:
        item: what was to be said.
        heard: the verdict.
        tip: what helps against the mistake that was heard; empty if there was none.
        card: the item's card; ``None`` if it has none (yet).
        waiting: why the take waits in the outbox; empty if it does not.
        comes_back: the item comes again in this session.
    """

    item: Item
    heard: DrillVerdict
    tip: str
    card: DrillCard | None
    waiting: str
    comes_back: bool

    @property
    def is_undecided(self) -> bool:
        """Whether the same item stays up."""
        return self.heard.verdict in UNDECIDED

    @property
    def note(self) -> str:
        """What to do, where nothing was decided."""
        note = UNDECIDED.get(self.heard.verdict, "")
        return note.replace("the term", "the sentence") if self.item.phrases else note
