import random
from datetime import timedelta

from client.practice.choosing import choose_questions, find_questions, first_question, in_order
from question_bank.models import Question
from tests.client.practice.interviews.conftest import START, question


def of_level(name: str, level: int) -> Question:
    return question(name).model_copy(update={"difficulty": level})


BANK = [of_level("hard", 5), of_level("easy", 1), of_level("middle", 3)]


def ids(questions: list[Question]) -> list[str]:
    return [each.id for each in questions]


def test_newcomers_get_the_easiest_untried_question_first() -> None:
    for seed in range(5):
        assert ids(choose_questions(BANK, {}, 3, random.Random(seed))) == ["easy", "middle", "hard"]
    practiced = {"easy": START}
    assert ids(choose_questions(BANK, practiced, 1, random.Random(1))) == ["middle"]


def test_whoever_has_practiced_gets_easy_and_hard_ones_by_chance() -> None:
    practiced = {f"other-{n}": START - timedelta(days=n) for n in range(5)}
    first = {choose_questions(BANK, practiced, 1, random.Random(seed))[0].id for seed in range(20)}
    assert first == {"easy", "middle", "hard"}


def test_what_begins_a_round_comes_before_all_others_there() -> None:
    opener = of_level("opener", 5).model_copy(update={"opens": ("behavioral",), "role": None})
    bank, practiced = [*BANK, opener], {"opener": START}
    for seed in range(5):
        rng = random.Random(seed)
        assert choose_questions(bank, practiced, 1, rng, opening="behavioral") == [opener]
        assert choose_questions(bank, practiced, 1, rng, opening="coding") != [opener]


def test_the_first_question_of_all_is_about_oneself_and_begins_interviews() -> None:
    story = of_level("story", 1).model_copy(update={"kind": "story"})
    opener = of_level("opener", 2).model_copy(update={"kind": "story", "opens": ("behavioral",)})
    assert first_question([*BANK, story, opener]) == opener
    assert first_question([*BANK, story]) == story
    assert first_question([]) is None


def test_a_list_has_untried_questions_first_and_then_the_weakest_answer() -> None:
    bank = [*BANK, of_level("weak", 4), of_level("strong", 1)]
    scores = {"weak": 0.1, "strong": 0.9}
    assert ids(in_order(bank, scores)) == ["easy", "middle", "hard", "weak", "strong"]


def test_every_word_must_be_found_in_prompt_topic_or_key_phrases() -> None:
    bank = [
        question("a", topic="Caches").model_copy(update={"prompt": "Why a queue?"}),
        question("b", topic="Queues").model_copy(update={"prompt": "Why a store?"}),
    ]
    assert ids(find_questions(bank, "WHY queue")) == ["a", "b"]
    assert ids(find_questions(bank, "queue cache")) == ["a"]
    assert ids(find_questions(bank, "paged attention")) == ["a", "b"]
    assert find_questions(bank, "queue kitchen") == []
    assert find_questions(bank, "  ") == bank
