"""What the sentences of an answer are worth, on a question that the network never saw."""

from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.grading import grade
from server.grading.answer import spans_of
from server.grading.by_meaning import AnswerVectors
from server.grading.credit import Credit, sentence_credits, whole_sentences
from server.grading.tokenizer import tokenize
from tests.server.grading.conftest import Submit

BREAD = Question(
    id="bread",
    round="domain-deep-dive",
    kind="explain",
    topic="Baking",
    prompt="Why does bread dough rest before it goes into the oven, and how long?",
    model_answer=(
        "While the dough rests, the yeast turns sugar into gas, and the gluten holds the bubbles. "
        "At room temperature that takes about an hour, in the fridge a whole night. "
        "If I bake it too early, the crumb is dense."
    ),
    key_phrases=(KeyPhrase(phrase="yeast"), KeyPhrase(phrase="gluten")),
)


def credits_of(*sentences: str) -> tuple[Credit, ...]:
    words = " ".join(sentences).split()
    vectors = AnswerVectors.of(words, spans_of(words, tokenize(words)))
    return sentence_credits(BREAD, words, vectors)


def test_what_the_model_answer_says_is_worth_more_than_talk_and_what_is_wrong() -> None:
    right, talk, wrong = credits_of(
        "The yeast makes gas while it rests, and the gluten keeps the bubbles in.",
        "I like baking very much, and my family likes it too.",
        "Resting cools the salt down, so that the gluten disappears and the bread gets hard.",
    )

    assert right.worth > talk.worth
    assert right.worth > wrong.worth
    assert wrong.wrong > right.wrong


def test_each_sentence_is_read_once_and_alone() -> None:
    first, second = "The yeast needs an hour.", "It is a nice smell, isn't it?"

    together, alone = credits_of(first, second), credits_of(first) + credits_of(second)

    assert [each.span for each in together] == [(0, 5), (5, 12)]
    assert [each.worth for each in together] == [each.worth for each in alone]


def test_a_fact_in_other_words_scores_far_above_a_wrong_one(
    submit: Submit, lexicon: Lexicon
) -> None:
    asked = {"prompt": "What does the yeast do in a dough?", "answer_seconds": 20}
    told = {"model_answer": "It turns sugar into gas, so that the dough rises."}
    phrases = (KeyPhrase(phrase="turns sugar into gas"), KeyPhrase(phrase="the dough rises"))
    question = BREAD.model_copy(update={**asked, **told, "key_phrases": phrases})

    def score(text: str) -> float:
        said = submit(text).model_copy(update={"question_id": question.id})
        return grade(question, said, lexicon, "b").overall

    right = score(
        "It eats the sweet part of the flour and makes bubbles, and that lifts the dough."
    )
    assert right > 0.5
    assert right > score("It gives the crust its color, because it burns in the oven.") + 0.2


def test_a_span_within_another_is_no_sentence_of_its_own() -> None:
    assert whole_sentences([(0, 4), (0, 9), (4, 9), (9, 12)]) == [1, 3]
