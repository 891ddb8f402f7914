"""Every accepted reading and every mistake of a term, as pages show them side by side."""

from starlette.testclient import TestClient

from client.studio.state.studio import Studio
from client.studio.views.ways import ways_of
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Mistake
from tests.client.studio.test_corrections import answer


def test_the_taught_reading_comes_first_and_mistakes_carry_their_tips() -> None:
    tip = "Two syllables."
    ways = ways_of(
        "RoCE", "ROCK-ee", ("R AA1 K IY0", "R OW1 K IY0"), [Mistake(phones="R OW1 S", tip=tip)]
    )
    assert [(each.say, each.ipa) for each in ways.right] == [
        ("ROCK-ee", "ˈɹɑki"),
        ("ROH-kee", "ˈɹoʊki"),
    ]
    assert [(each.say, each.ipa, each.tip) for each in ways.wrong] == [("ROHSS", "ˈɹoʊs", tip)]
    assert ways.wrong[0].sound == "/sound/reading?term=RoCE&phones=R+OW1+S"


def test_a_report_has_each_way_of_each_of_its_terms_to_be_heard(
    client: TestClient, studio: Studio
) -> None:
    page = client.get(f"/attempts/{answer(studio)}").text
    term = load_lexicon().get("RoCE")
    assert term is not None
    shown = ways_of(term.term, term.say, term.readings, term.mistakes)
    assert len(shown.right) + len(shown.wrong) > 2
    for way in (*shown.right, *shown.wrong):
        assert f'data-sound="{way.sound.replace("&", "&amp;")}"' in page
        assert f"/{way.ipa}/" in page
