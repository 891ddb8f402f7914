"""An item for any term of the lexicon: one that a set has, else one of the person's own."""

from client.core.errors import DrillError
from client.core.settings import ClientSettings
from client.practice.drills.items import Item, ItemSets, item_of
from client.practice.drills.own_items import (
    OWN_SET,
    item_id,
    own_item,
    read_own_items,
    write_own_items,
)
from pronunciation.terms import Lexicon


def item_for(sets: ItemSets, lexicon: Lexicon, settings: ClientSettings, name: str) -> Item:
    """What drills a term. Where no set has it, it joins the person's own items and comes back.

    Args:
        sets: what can be drilled.
        lexicon: how terms are said.
        settings: name the file of own items.
        name: the term.

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
