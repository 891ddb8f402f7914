from pronunciation.lexicon_loader import load_lexicon
from scripts import spellings


def test_the_data_is_of_terms_in_the_lexicon() -> None:
    known = {term.term for term in load_lexicon()}
    kept = spellings.read()

    assert kept
    assert set(kept) <= known
    assert all(count > 0 for counts in kept.values() for count in counts.values())
