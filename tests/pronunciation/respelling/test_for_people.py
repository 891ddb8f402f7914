import pytest

from pronunciation.errors import PhoneError
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.respelling.for_people import respell_phones, respell_phrase


@pytest.mark.parametrize(
    ("phones", "written"),
    [
        ("R AA1 K IY0", "ROCK-ee"),
        ("R OW1 S", "ROHSS"),
        ("K AE1 SH", "KASH"),
        ("K AE0 SH EY1", "ka-SHAY"),
        ("N IH1 K AH0 L", "NICK-ul"),
        ("K UW2 B ER0 N EH1 T IY0 Z", "koo-ber-NET-eez"),
        ("EH2 F EH2 S D IY2 P IY1", "ef-ess-dee-PEE"),
        ("L AH1 S T ER0", "LUSS-ter"),
        ("D EH1 B T", "DEBT"),
        ("AA1 R K AH0 T EH2 K CH ER0", "AR-kuh-teck-cher"),
        ("S IH1 NG ER0", "SING-er"),
        ("AY1 D IY0", "EYE-dee"),
        ("M", "M"),
    ],
)
def test_readings_in_letters(phones: str, written: str) -> None:
    assert respell_phones(phones) == written


@pytest.mark.parametrize(
    ("name", "phones", "written"),
    [
        ("device plugin", "D IY0 V AY2 S P L AH1 G IH2 N", "dee-vighss PLUG-in"),
        ("paged attention", "P EY2 JH D AH0 T EH1 N SH AH0 N", "payjd uh-TEN-shun"),
        ("on-demand", "AA2 N D IH0 M AE1 N D", "on-dih-MAND"),
        ("scaling laws", "S K EY1 L IH0 NG L AO2 Z", "SKAY-ling lawz"),
    ],
)
def test_no_syllable_reaches_over_the_end_of_a_word(name: str, phones: str, written: str) -> None:
    assert respell_phones(phones, name) == written


def test_where_the_stress_lies_shows() -> None:
    assert respell_phones("R EH1 K ER0 D") != respell_phones("R IH0 K AO1 R D")
    assert respell_phones("D IH0 T ER1 M AH0 N").split("-")[1].isupper()


def test_every_reading_and_mistake_of_the_lexicon_can_be_written() -> None:
    for term in load_lexicon():
        spoken = [*term.readings, *(mistake.phones for mistake in term.mistakes)]
        for phones in spoken:
            written = respell_phones(phones, term.term)
            parts = written.replace(" ", "-").split("-")
            assert any(part.isupper() for part in parts), (term.term, phones, written)


def test_what_is_no_arpabet_is_refused() -> None:
    with pytest.raises(PhoneError):
        respell_phones("R QQ1 S")


LEXICON = load_lexicon()


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("RoCE", "ROCK-ee"),
        ("NCCL timeout", "NICK-ul TIME-out"),
        ("private endpoint", "PRY-vut END-point"),
        ("heartbeat", "HART-beet"),
        ("canary release", "kuh-NAIR-ee ree-LEESS"),
        ("all-to-all", "AWL TOO AWL"),
        ("rendezvous", "RON-dih-voo"),
        ("memory (pinned)", "MEM-er-ee PIND"),
    ],
)
def test_terms_are_said_as_taught_and_words_as_the_dictionary_has_them(
    phrase: str, said: str
) -> None:
    assert respell_phrase(phrase, LEXICON) == said


@pytest.mark.parametrize("phrase", ["", "—", " ... "])
def test_nothing_to_say_is_nothing(phrase: str) -> None:
    assert respell_phrase(phrase, LEXICON) == ""


def test_a_word_that_no_dictionary_has_still_gets_one_loud_syllable() -> None:
    said = respell_phrase("blorfinate", LEXICON)
    assert sum(part.isupper() for part in said.split("-")) == 1
