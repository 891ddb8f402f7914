from client.engines.bank_vocabulary import BankVocabulary, bank_vocabulary, entries
from pronunciation.terms import Lexicon, Term
from question_bank.models import (
    Bank,
    KeyPhrase,
    Landscape,
    Question,
    Role,
    SpotlightTerm,
    VocabularyCategory,
)

WORDS = """
batch B AE CH, cache K AE SH, shard SH AA R D, point P OY N T, check CH EH K, tail T EY L,
latency L EY T AH N S IY, plan P L AE N, node N OW D, one W AH N, hundred HH AH N D R AH D,
ninety N AY N T IY, nine N AY N, three TH R IY, un AH N, tested T EH S T IH D, stall S T AO L,
of AH V, go G OW
"""
LETTERS = "g. JH IY, h. EY CH, p. P IY, s. EH S, u. Y UW"
"""Their names, as the CMU dictionary has them."""
DICTIONARY = dict(each.strip().split(" ", 1) for each in f"{WORDS}, {LETTERS}".split(","))


def bank() -> Bank:
    role = Role(
        id="r",
        title="R",
        summary="Keeps nodes going.",
        topics=("Tail Latency",),
        spotlight=(SpotlightTerm(term="NCCL", definition="of", example="go"),),
        vocabulary=(VocabularyCategory(category="c", terms=("batch / cache", "go of")),),
        scenarios=("one",),
        landscape=Landscape(responsibilities=(), employers=(), salaries=(), salary_year=2025),
    )
    question = Question(
        id="q",
        role="r",
        round="coding",
        topic="Tail Latency",
        prompt="Plan",
        model_answer="we shard the stalling cache and 8 nodes",
        key_phrases=(KeyPhrase(phrase="stall point shard", aliases=("hundred stalls",)),),
    )
    return Bank(
        version="v", roles=(role,), rounds=(), signals=(), plan=(), help=(), questions=(question,)
    )


def lexicon() -> Lexicon:
    return Lexicon(
        version="w",
        terms=(
            Term(term="NCCL", kind="word", say="NICK-ul", readings=("N IH1 K AH0 L",)),
            Term(term="Go", kind="word", say="GO", readings=("G OW1",)),
        ),
    )


def vocabulary() -> BankVocabulary:
    return bank_vocabulary(bank(), lexicon())


def test_terms_of_the_roles_go_in_as_terms() -> None:
    found = {entry.key: entry for entry in entries(vocabulary(), DICTIONARY.get)}

    assert found["Tail_Latency"].readings == ("T EY L L EY T AH N S IY",)
    assert found["Tail_Latency"].written == (("Tail", 3), ("Latency", 7))
    assert found["NCCL"].readings == ("N IH K AH L",)


def test_no_key_phrase_and_no_answer_goes_in_as_a_phrase() -> None:
    found = entries(vocabulary(), DICTIONARY.get)

    written = {" ".join(word for word, _ in entry.written).lower() for entry in found}
    for phrase in ("stall point shard", "hundred stalls", "stall point", "point shard"):
        assert phrase not in written
    # their single words do, as everybody's
    assert {"stalling", "stalls"} <= written


def test_what_the_dictionary_knows_is_not_added_again() -> None:
    keys = {entry.key for entry in entries(vocabulary(), DICTIONARY.get)}

    assert not {"batch", "cache", "Go", "shard", "8"} & keys
    assert "go_of" not in keys  # so short a term would be heard everywhere


def test_a_word_is_said_by_lexicon_dictionary_or_rule() -> None:
    words = ("sharded", "GPUs", "p99", "NCCL", "kubectl")
    known = BankVocabulary("v", (), words, vocabulary().readings)
    found = {entry.key: entry.readings[0] for entry in entries(known, DICTIONARY.get)}

    assert found["NCCL"] == "N IH K AH L"
    assert found["GPUs"] == "JH IY P IY Y UW Z"
    assert found["sharded"].startswith("SH AA R D")
    assert found["p99"].startswith("P IY N AY N T IY N AY N")
    assert found["kubectl"]
