"""What the sentences of an answer are worth, on a question that the network never saw."""

from question_bank.models import KeyPhrase, Question
from server.grading.answer import spans_of
from server.grading.by_meaning import AnswerVectors
from server.grading.credit import Credit, sentence_credits, whole_sentences
from server.grading.tokenizer import tokenize

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


def test_a_span_within_another_is_no_sentence_of_its_own() -> None:
    assert whole_sentences([(0, 4), (0, 9), (4, 9), (9, 12)]) == [1, 3]
