import pytest

from pronunciation.hearing.spotting import TermSpotter
from pronunciation.terms import Lexicon, Mistake, Term


@pytest.fixture
def spotter() -> TermSpotter:
    return TermSpotter(
        Lexicon(
            version="test",
            terms=(
                Term(
                    term="RoCE",
                    kind="word",
                    say="ROCK-ee",
                    readings=("R AA1 K IY0",),
                    mistakes=(
                        Mistake(phones="R OW1 S", tip="Rocky."),
                        Mistake(phones="R OW1 CH", tip="Rocky."),
                    ),
                    written_as=("roce", "rocky"),
                ),
                Term(
                    term="KV cache",
                    kind="hybrid",
                    say="kay-vee KASH",
                    readings=("K EY2 V IY2 K AE1 SH",),
                    written_as=("kv cash",),
                ),
                Term(term="cache", kind="word", say="KASH", readings=("K AE1 SH",)),
            ),
        )
    )


def places(spotter: TermSpotter, text: str, **how: object) -> list[tuple[str, str]]:
    words = text.split()
    return [
        (s.term, " ".join(words[s.word_index :][: s.n_words]))
        for s in spotter.spot(words, **how)  # type: ignore[arg-type]
    ]


def test_names_and_transcribers_spellings_longest_first(spotter: TermSpotter) -> None:
    assert places(spotter, "the KV caches, a KV cash and the cache use rocky.") == [
        ("KV cache", "KV caches,"),
        ("KV cache", "KV cash"),
        ("cache", "cache"),
        ("RoCE", "rocky."),
    ]


def test_words_of_every_sentence_are_no_name_written_apart() -> None:
    terms = [
        ("IAM", ()),
        ("Redis", ()),
        ("API", ("a p i",)),
        ("LinkedIn", ()),
        ("IOPS", ("i ops",)),
    ]
    lexicon = Lexicon(
        version="test",
        terms=tuple(
            Term(term=name, kind="word", say="x", readings=("AY1",), written_as=also)
            for name, also in terms
        ),
    )
    text = "I am sure the red is an A P I of linked in with I ops"
    assert places(TermSpotter(lexicon), text) == [
        ("API", "A P I"),
        ("LinkedIn", "linked in"),
        ("IOPS", "I ops"),
    ]


def test_a_word_from_another_world_may_be_the_term_said_wrong(spotter: TermSpotter) -> None:
    ordinary = {"then", "is", "cheaper"}
    [spot] = spotter.spot(["then", "rose", "is", "cheaper"], ordinary)
    assert spot.term == "RoCE"
    assert spot.own == "R OW Z"
    assert (spot.basis, spot.readings) == ("alike", ("R AA1 K IY0",))


def test_a_word_that_people_in_the_field_say_is_itself(spotter: TermSpotter) -> None:
    assert places(spotter, "then rose is cheaper", ordinary={"then", "rose", "is"}) == []


def test_nothing_competes_where_the_question_is_about_the_term(spotter: TermSpotter) -> None:
    [spot] = spotter.spot(["roach"], ordinary=set(), expected={"RoCE"})
    assert (spot.term, spot.own) == ("RoCE", "")


def test_the_same_sound_without_a_reason_is_left_alone(spotter: TermSpotter) -> None:
    assert places(spotter, "roach", ordinary=set()) == []


def test_what_only_resembles_the_term_is_left_alone(spotter: TermSpotter) -> None:
    # R OW D differs from R OW S by a phone that nobody confuses with it.
    assert places(spotter, "road", ordinary=set(), expected={"RoCE"}) == []


def test_sound_alikes_are_only_looked_for_when_asked(spotter: TermSpotter) -> None:
    assert places(spotter, "then rose is cheaper") == []


def test_the_terms_that_a_text_names(spotter: TermSpotter) -> None:
    assert spotter.named("Would you take RoCE, or a cache-only node?") == {"RoCE", "cache"}


def test_terms_that_are_said_alike_have_one_name_by_their_sound() -> None:
    terms = [("queue", ("K Y UW1",)), ("Kueue", ("K Y UW0",)), ("Q", ("K Y UW1", "K UW1"))]
    spotter = TermSpotter(
        Lexicon(
            version="test",
            terms=tuple(
                Term(term=term, kind="word", say="x", readings=readings) for term, readings in terms
            ),
        )
    )
    names = [spotter.by_its_sound(name) for name in ("queue", "Kueue", "Q", "unknown")]
    assert names == ["queue", "queue", "Q", "unknown"]
