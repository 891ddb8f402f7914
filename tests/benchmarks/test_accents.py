import pytest

from benchmarks.accents import ACCENTS, LEARNED_FROM, choose
from benchmarks.neural_voice import NeuralVoice
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon


@pytest.mark.parametrize(
    ("accent", "phones", "said"),
    [
        ("American", "wi θˈɪŋk.", "wi θˈɪŋk."),
        ("German", "wi θˈɪŋk ðæt bˈæd, ɛnd ɡˈAmz.", "vi sˈɪŋk zɛt bˈɛt, ɛnt ɡˈAms."),
        ("German", "bˈɛdɪŋ", "bˈɛdɪŋ"),
        ("Spanish", "skˈɪp ðə vˈæn", "ɛskˈip də bˈɑn"),
        ("Mandarin", "ðə kˈɔst ʌv ɡˈɪt.", "də kˈɔs ʌw ɡˈi."),
        ("Indian", "wɪð θɹˈi", "vɪd tɹˈi"),
        ("French", "hi θˈɪŋks ʤˈɑb", "i sˈiŋks ʒˈɑb"),
        ("Japanese", "ðə lˈæst bˈɪɡ ɹˈul", "zə ɹˈɑst bˈɪɡʊ ɹˈuɹ"),
        ("Brazilian", "stˈɑp tˈim ɹˈæk", "istˈɑpi ʧˈim hˈɛki"),
        ("Korean", "fˈAl ðə lˈɔst pˈAʤ stˈɛp", "pˈAl də lˈɔst pˈAʤi sʊtˈɛp"),
        ("Arabic", "pˈɹɑbləm stˈɑp vˈɛɹi", "bˈɹɑbləm istˈɑb fˈɪɹi"),
        ("Russian", "wˈɪθ ðə bˈæd kˈɪŋ", "vˈis zə bˈɛt kˈin"),
        ("Italian", "hˈæv smˈɔl ðˈɪs.", "ˈɛv zmˈɔl dˈisə."),
    ],
)
def test_an_accents_sounds(accent: str, phones: str, said: str) -> None:
    assert ACCENTS[accent](phones) == said


@pytest.mark.parametrize(
    ("accent", "phones", "said"),
    [
        ("Swedish", "ʤˈɑbz wˈɪð", "jˈɑbs vˈɪd"),
        ("Greek", "ʃˈɛʤul", "sˈɛdzul"),
        ("Turkish", "stˈæɹt wˈɛb", "sɪtˈɛɹt vˈɛp"),
        ("Vietnamese", "pˈAʤ skˈɛʤul", "bˈA skˈɛzun"),
        ("Thai", "vˈæljuz ɹˈul", "wˈæljut lˈun"),
        ("Polish", "θɹˈi kˈɪŋ", "fɹˈi kˈink"),
        ("Dutch", "zˈɪɹO ɡˈʌvəɹn", "sˈɪɹO kˈəvəɹn"),
        ("Filipino", "fˈæst vˈIb", "pˈɑst bˈIb"),
    ],
)
def test_the_sounds_of_accents_to_learn_from(accent: str, phones: str, said: str) -> None:
    assert LEARNED_FROM[accent](phones) == said
    assert [each.name for each in choose([accent])] == [accent]
    assert accent not in ACCENTS


def test_an_unknown_accent_lists_the_known() -> None:
    assert [accent.name for accent in choose([])] == list(ACCENTS)
    with pytest.raises(SystemExit, match="no accent 'Martian'; known are American, German"):
        choose(["American", "Martian"])


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


def test_terms_are_said_as_taught(lexicon: Lexicon) -> None:
    voice = NeuralVoice(lexicon)

    [sentence] = voice.phones("We run RoCE, not GPUs.")

    assert "ɹˈɑki," in sentence
    assert "ʤˌipˌijˈuz." in sentence
    assert voice.terms("We run RoCE, not GPUs.") == ["RoCE", "GPU"]


def test_a_spoken_sentence_is_sound_at_16_khz(lexicon: Lexicon) -> None:
    clip = NeuralVoice(lexicon).say("We measure first.", ACCENTS["German"])

    assert clip.sample_rate_hz == 16_000
    assert 1.0 < clip.duration_s < 4.0
