import pytest

from pronunciation.errors import HearingError
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import VOWELS, base_phone
from pronunciation.respelling import for_people
from pronunciation.respelling.for_people import spoken_words


def cut(phones: str, name: str) -> str:
    words = spoken_words(tuple(phones.split()), name)
    return "".join(
        {" ": " / ", "-": " - "}.get(word.joint, "") + " ".join(word.phones) for word in words
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("device plugin", "D IH0 V AY2 S / P L AH1 G IH2 N"),
        ("device plugin", "D EH1 V AH0 S / P L UW1 G IH0 N"),  # both words mistaken
        ("loss spike", "L AO2 S / EH0 S P AY1 K"),
        ("GPU Operator", "JH IY2 P IY2 Y UW2 / AA1 P ER0 EY2 T ER0"),
        ("training run cost", "T R EY1 N IH0 NG / R AH1 N / K AO1 S T"),
        ("Azure ML", "AE2 ZH AH0 R / EH2 M EH1 L"),  # ER of two phones
        ("SR-IOV", "EH2 S AA2 R - AY2 OW2 V IY1"),  # the dictionary's SR is "senior"
        ("on-demand", "AA2 N - D IH0 M AE1 N D"),
        ("CRI-O", "K R AY1 - OW2"),
        ("RoCE", "R AA1 K IY0"),
    ],
)
def test_a_reading_is_cut_where_the_words_of_its_name_meet(name: str, said: str) -> None:
    assert cut(said.replace(" /", "").replace(" -", ""), name) == said


@pytest.mark.parametrize("name", ["", "—", "device —", "one two three four five six"])
def test_what_cannot_be_cut_stays_whole(name: str) -> None:
    phones = "D IH0 V AY2 S P L AH1 G IH2 N"
    assert cut(phones, name) == phones


def test_a_reading_of_other_words_stays_whole() -> None:
    assert cut("R OW1 K IY0", "compute node") == "R OW1 K IY0"


def test_without_espeak_a_name_that_needs_it_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> None:
        raise HearingError("espeak-ng's library cannot be loaded")

    monkeypatch.setattr(for_people, "pronunciations", fails)
    assert cut("B L AA1 B F EY1 S", "blob face") == "B L AA1 B F EY1 S"


def test_every_name_of_several_words_in_the_lexicon_is_cut_into_all_of_them() -> None:
    names = [term for term in load_lexicon() if len(term.term.replace("-", " ").split()) > 1]
    assert len(names) > 40
    for term in names:
        for phones in [*term.readings, *(each.phones for each in term.mistakes)]:
            words = spoken_words(tuple(phones.split()), term.term)
            assert len(words) == len(term.term.replace("-", " ").split()), (term.term, phones)
            assert " ".join(phone for word in words for phone in word.phones) == phones
            assert all(any(base_phone(each) in VOWELS for each in word.phones) for word in words)
