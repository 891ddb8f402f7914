from pathlib import Path

import pytest
import yaml

from question_bank.errors import BankError
from question_bank.loader import load_bank
from question_bank.models import Bank, KeyPhrase, Question
from question_bank.own_aliases import OwnAliases, alias_fault, read_own_aliases, with_own_aliases


def make_bank() -> Bank:
    question = Question(
        id="fabric",
        round="coding",
        topic="Networks",
        prompt="Which fabric?",
        model_answer="Either.",
        key_phrases=(
            KeyPhrase(phrase="pause storms", aliases=("pause frames spread",)),
            KeyPhrase(phrase="adaptive routing"),
        ),
    )
    return Bank(
        version="v1", roles=(), rounds=(), signals=(), plan=(), help=(), questions=(question,)
    )


def read_back(own: OwnAliases) -> object:
    return yaml.safe_load(own.to_yaml())


def test_an_alias_is_added_to_its_phrase_and_changes_the_banks_version() -> None:
    own = OwnAliases().added("fabric", "adaptive routing", "  reroute   around it ")
    bank = with_own_aliases(make_bank(), own)
    first, second = bank.questions[0].key_phrases
    assert first.aliases == ("pause frames spread",)
    assert second.aliases == ("reroute around it",)
    assert bank.version not in ("v1", "")
    again = with_own_aliases(make_bank(), own.added("fabric", "pause storms", "frames storm"))
    assert again.version != bank.version


def test_without_an_alias_that_fits_the_bank_stays_as_it_is() -> None:
    own = OwnAliases({"gone": {"phrase": ("words here",)}, "fabric": {"reworded": ("old words",)}})
    assert with_own_aliases(make_bank(), own) is not None
    assert with_own_aliases(make_bank(), own) == make_bank()


def test_a_reworded_phrase_keeps_its_aliases_under_its_old_name() -> None:
    own = OwnAliases({"fabric": {"pause frames spread": ("frames storm",)}})
    own = own.added("fabric", "pause storms", "frames storm")
    first, _ = with_own_aliases(make_bank(), own).questions[0].key_phrases
    assert first.aliases == ("pause frames spread", "frames storm")


def test_a_name_that_nothing_is_searched_for_any_more_still_finds_its_phrase() -> None:
    bank = make_bank()
    question = bank.questions[0]
    first, *others = question.key_phrases
    renamed = first.model_copy(update={"formerly": ("priority pauses",)})
    bank = bank.model_copy(
        update={"questions": (question.model_copy(update={"key_phrases": (renamed, *others)}),)}
    )
    own = OwnAliases({"fabric": {"priority pauses": ("frames storm",)}})
    phrase = with_own_aliases(bank, own).questions[0].key_phrases[0]
    assert phrase.aliases == (*first.aliases, "frames storm")


def test_what_counts_for_one_phrase_is_not_given_to_another() -> None:
    own = OwnAliases({"fabric": {"adaptive routing": ("Pause Frames Spread", "pause storms")}})
    assert with_own_aliases(make_bank(), own) == make_bank()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    own = OwnAliases().added("fabric", "pause storms", "Überlast: “storm”")
    own = own.added("fabric", "pause storms", "yes no maybe").added("other", "a: b", "c d e f")
    path = tmp_path / "own_aliases.yaml"
    path.write_text(own.to_yaml(), encoding="utf-8")
    assert read_own_aliases(path).entries == own.entries
    assert read_own_aliases(path).of("other", "a: b") == ("c d e f",)
    assert read_own_aliases(tmp_path / "none.yaml").entries == {}


def test_an_alias_can_be_taken_back() -> None:
    own = OwnAliases().added("q", "p", "first words").added("q", "p", "second words")
    assert own.removed("q", "p", "first words").of("q", "p") == ("second words",)
    assert own.removed("q", "p", "never there") is own
    both = own.removed("q", "p", "first words").removed("q", "p", "second words")
    assert both.entries == {} and read_back(both) == {}


@pytest.mark.parametrize(
    ("alias", "fault"),
    [
        ("…", "no letter"),
        ("", "no letter"),
        ("and then it is", "every answer"),
        (" ".join(["word"] * 61), "longer than 60 words"),
    ],
)
def test_words_that_say_nothing_are_refused(alias: str, fault: str) -> None:
    assert fault in alias_fault(alias)
    with pytest.raises(BankError, match=fault):
        OwnAliases().added("q", "p", alias)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("- a\n- b\n", "dictionary"),
        ("Not A Slug:\n  p: [words here]\n", "Not A Slug"),
        ("q:\n  p: words here\n", "q: p: "),
        ("q:\n  p: [the]\n", "every answer"),
        ("q:\n  p: ['  ']\n", "must not be empty"),
        ("q: &a\n  p: [words]\nr: *a\n", "alias"),
        ("q: {p: [x\n", "own_aliases.yaml"),
    ],
)
def test_a_file_that_is_not_valid_is_told_with_its_place(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "own_aliases.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BankError, match=message):
        read_own_aliases(path)


def test_the_built_in_bank_takes_aliases() -> None:
    bank = load_bank()
    question = bank.questions[0]
    own = OwnAliases().added(question.id, question.key_phrases[0].phrase, "zebra crossing words")
    changed = with_own_aliases(bank, own).question(question.id)
    assert changed is not None
    assert changed.key_phrases[0].aliases[-1] == "zebra crossing words"
    assert load_bank().question(question.id) == question


def test_long_words_count_as_a_way_of_saying_it() -> None:
    bank = load_bank()
    question = bank.questions[0]
    phrase = question.key_phrases[0]
    long = "every request that waits joins the batch that runs as soon as one has left it"
    own = OwnAliases().added(question.id, phrase.phrase, long)
    changed = with_own_aliases(bank, own).question(question.id)
    assert changed is not None
    assert changed.key_phrases[0].aliases == phrase.aliases
    assert changed.key_phrases[0].ways == (*phrase.ways, long)


def test_the_bank_is_loaded_with_the_candidates_own_aliases(tmp_path: Path) -> None:
    plain = load_bank(cache=tmp_path)
    question = plain.questions[0]
    phrase = question.key_phrases[0].phrase
    file = tmp_path / "own.yaml"
    assert load_bank(cache=tmp_path, own_aliases=file) == plain  # there is none yet
    own = OwnAliases().added(question.id, phrase, "as my team calls it")
    file.write_text(own.to_yaml(), encoding="utf-8")
    mine = load_bank(cache=tmp_path, own_aliases=file).known_question(question.id)
    assert mine.key_phrases[0].own == ("as my team calls it",)
