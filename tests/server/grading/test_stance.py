"""What a speaker names only to say that he does not know, use or believe in it."""

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import PhraseCoverage
from server.grading import cover_question
from server.grading.sense.vectors import sense_of

QUESTIONS = {question.id: question for question in load_bank().questions}
LEXICON = load_lexicon()


def judged(question_id: str, text: str) -> dict[str, PhraseCoverage]:
    words = text.split()
    found = cover_question(QUESTIONS[question_id], words, LEXICON, sense_of(words))
    return {phrase.phrase: phrase for phrase in found.phrases}


def counts(phrase: PhraseCoverage) -> bool:
    return phrase.status == "covered" and not phrase.negated


DISCLAIMED = [
    "NCCL tests I don't know.",
    "NCCL tests? I have no idea what those are.",
    "I have heard of NCCL tests, but I could not tell you what they do.",
    "People keep talking about NCCL tests, but that is just marketing.",
    "Sorry, what are NCCL tests?",
    "My colleague looked after the NCCL tests, I was not involved.",
]
STOOD_BY = [
    "I start with the NCCL tests, because they take the training code out of it.",
    "Without the NCCL tests I would not know whether it is the network.",
    "Nobody had run the NCCL tests before I did, and they showed two gigabytes a second.",
]


@pytest.mark.parametrize("text", DISCLAIMED)
def test_what_is_disclaimed_does_not_count(text: str) -> None:
    assert not counts(judged("cloud-slow-multi-node-network", text)["NCCL tests"])


@pytest.mark.parametrize(
    ("phrase", "way"),
    [
        ("borrowing idle capacity", "unused cards are lent and not left empty"),
        (
            "published policy",
            "the rules are written down for all to read, so it's not me who decides each time",
        ),
    ],
)
def test_a_way_with_a_not_of_its_own_counts(phrase: str, way: str) -> None:
    question = "mlp-fair-share-and-priority"
    assert (
        way in next(each for each in QUESTIONS[question].key_phrases if each.phrase == phrase).ways
    )
    assert counts(judged(question, way)[phrase])


@pytest.mark.parametrize("text", STOOD_BY)
def test_a_denial_of_something_else_leaves_the_phrase_alone(text: str) -> None:
    assert counts(judged("cloud-slow-multi-node-network", text)["NCCL tests"])


@pytest.mark.parametrize(
    "text",
    [
        "I have six years of professional experience.",
        "I'm an infrastructure engineer with six years of experience. I studied electrical "
        "engineering and I started as a network administrator.",
    ],
)
def test_nothing_is_disclaimed_without_a_word_of_doubt(text: str) -> None:
    assert counts(judged("tell-me-about-yourself", text)["years of experience"])


@pytest.mark.parametrize(
    "text",
    [
        "I put a taint on these nodes, because otherwise web pods eat their CPU. What it cannot do "
        "is half a card, for this I need MIG or time slicing.",
        "I put a taint on these nodes, so web pods do not go there.",
        "I taint the nodes. I don't want that web pods eat the CPU.",
    ],
)
def test_a_negative_about_something_else_beside_it_disclaims_nothing(text: str) -> None:
    assert counts(judged("mlp-how-a-pod-gets-a-gpu", text)["taint"])


@pytest.mark.parametrize(
    "text",
    [
        "There is the taint. I never understood it.",
        "Taints are in the docs. Never used them.",
        "We have a taint on these nodes, but I don't know what it is for.",
    ],
)
def test_what_a_later_clause_says_of_it_disclaims_it(text: str) -> None:
    assert not counts(judged("mlp-how-a-pod-gets-a-gpu", text)["taint"])


def test_who_did_it_in_other_words_and_names_it_to_deny_it_said_it() -> None:
    told = "I put the former model live again before looking for the reason."
    denied = "We never did a rollback before."

    found = judged("rollback-on-a-friday", f"{told} {denied}")["rollback"]

    assert counts(found)
    assert found.how == "own_words"
    assert found.evidence is not None
    assert found.evidence.text == told.rstrip(".")
    assert judged("rollback-on-a-friday", denied)["rollback"].negated


def test_one_mention_that_the_speaker_stands_by_is_enough() -> None:
    text = "NCCL tests I did not know at all back then. Today I start with the NCCL tests."
    assert counts(judged("cloud-slow-multi-node-network", text)["NCCL tests"])


def test_a_name_in_another_sense_is_at_most_asked_about() -> None:
    text = (
        "During that outage I was so nervous that I could feel my own heartbeat in my ears, and it "
        "took me a coffee to calm down."
    )
    assert not counts(judged("recover-within-thirty-minutes", text)["heartbeat"])


@pytest.mark.parametrize(
    "text",
    [
        "so i run the nccl tests on two nodes and then on eight and i look at the bandwidth and "
        "the log says which network it took and the exact number i dont know it was low",
        "um we run the nccl tests then we look and rdma i dont know",
    ],
)
def test_text_without_punctuation_makes_no_denial(text: str) -> None:
    assert counts(judged("cloud-slow-multi-node-network", text)["NCCL tests"])


def test_a_name_said_in_a_clause_that_means_it_is_not_in_other_words() -> None:
    text = (
        "So there is a small daemon on every GPU node which talks to the kubelet and says, I "
        "have eight cards here, and this one is healthy and that one is not. After this the "
        "node shows nvidia.com/gpu equals eight in its capacity. Now when my pod says in the "
        "limits, I want one GPU, the scheduler looks for a node with a free one. It does not "
        "know which card, it only counts. The kubelet then asks this daemon for a concrete "
        "card and gives it to the container."
    )
    found = judged("mlp-how-a-pod-gets-a-gpu", text)["kubelet"]
    assert (found.status, found.how) == ("covered", "exact")
