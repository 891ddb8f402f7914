"""Every way a phrase may be said, and what must not pass for it."""

from pathlib import Path

import pytest
import yaml

from question_bank.loader import load_bank
from question_bank.models import KeyPhrase
from server.contract import Word
from server.grading import cover, cover_question

FILE = Path(__file__).parent / "judgments" / "sentences.yaml"
SENTENCES = yaml.safe_load(FILE.read_text("utf-8"))
COVERED = [
    (each["phrase"], each["said"], each.get("how")) for each in SENTENCES if each["is"] == "covered"
]
NOT_COVERED = [(each["phrase"], each["said"]) for each in SENTENCES if each["is"] == "not covered"]


@pytest.mark.parametrize(("phrase", "said", "how"), COVERED)
def test_a_phrase_is_found_however_it_is_said(judge, phrase, said, how):
    """Words that stand apart or in another order are asked about: only their meaning can tell."""
    found = judge(phrase, said)

    assert found.status == "covered" or (found.how == "fuzzy" and found.status == "possible")
    assert not found.negated
    assert how is None or found.how == how or "fuzzy" in (how, found.how)
    assert found.evidence is not None
    assert found.evidence.word_indices


@pytest.mark.parametrize(("phrase", "said"), NOT_COVERED)
def test_another_term_covers_nothing(judge, phrase, said):
    assert judge(phrase, said).status != "covered"


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("asynchronous distributed checkpointing", "each rank does distributed checkpointing"),
        ("ring all-reduce bandwidth", "a ring all-reduce per step"),
        ("InfiniBand fabric", "over InfiniBand we get more"),
    ],
)
def test_the_distinctive_half_is_not_the_phrase(judge, phrase, said):
    assert judge(phrase, said).status != "covered"


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("continuous batching", "the batch size is eight"),
        ("continuous batching", "dynamic batching"),
        ("data parallelism", "the data is big"),
        ("training cost", "training takes a week"),
        ("feature store", "object store"),
        ("shard 179", "it is on shard 17"),
        ("idempotent producer", "we make the consumer idempotent"),
        ("short-lived leases", "the leases were long lived"),
        ("holdout set", "Hold on, I set the labels."),
        ("recording rules", "I record the traces"),
    ],
)
def test_a_generic_half_is_missing(judge, phrase, said):
    found = judge(phrase, said)

    assert found.status == "missing"
    assert found.evidence is None
    assert found.how is None


def test_an_alias_is_named_as_such(judge):
    assert (
        judge("continuous batching", "in-flight batching", aliases=["in-flight batching"]).how
        == "alias"
    )


def test_another_concept_that_serves_as_well_counts_as_an_alias(lexicon):
    phrase = KeyPhrase(phrase="warm pool", any_of=("placeholder pods",))

    found = cover([phrase], ["We", "keep", "placeholder", "pods."], lexicon).phrases[0]

    assert (found.status, found.how) == ("covered", "alias")


def test_one_stretch_of_words_earns_credit_for_one_phrase(lexicon):
    phrases = [KeyPhrase(phrase="ring all-reduce bandwidth"), KeyPhrase(phrase="ring all-reduce")]

    longer, shorter = cover(phrases, ["a", "ring", "all-reduce", "per", "step"], lexicon).phrases

    assert (longer.status, shorter.status) == ("missing", "covered")


def test_a_name_inside_a_longer_one_counts(lexicon):
    phrases = [KeyPhrase(phrase="Redis"), KeyPhrase(phrase="Redis Cluster")]

    coverage = cover(phrases, ["it", "runs", "on", "a", "Redis", "Cluster"], lexicon)

    assert [phrase.status for phrase in coverage.phrases] == ["covered", "covered"]


def test_evidence_points_at_words_and_times(lexicon):
    words = tuple(
        Word(text=text, start_s=at, end_s=at + 0.5)
        for at, text in enumerate(["So", "we", "use", "continuous,", "um,", "batching,", "always."])
    )

    found = cover([KeyPhrase(phrase="continuous batching")], words, lexicon).phrases[0]

    assert found.evidence is not None
    assert found.evidence.word_indices == (3, 5)
    assert (found.evidence.start_s, found.evidence.end_s) == (3.0, 5.5)
    assert found.evidence.text == "continuous, um, batching"


def test_the_score_weighs_phrases_and_counts_nothing_for_a_denied_one(lexicon):
    phrases = [
        KeyPhrase(phrase="quorum", weight=3),
        KeyPhrase(phrase="InfiniBand fabric", weight=2),
        KeyPhrase(phrase="Kafka", weight=1),
        KeyPhrase(phrase="backpressure", weight=2),
    ]

    coverage = cover(
        phrases, ["A", "quorum", "over", "InfiniBand.", "We", "never", "used", "Kafka."], lexicon
    )

    assert [phrase.status for phrase in coverage.phrases] == [
        "covered",
        coverage.phrases[1].status,
        "covered",
        "missing",
    ]
    assert coverage.phrases[1].status != "covered"
    assert coverage.phrases[2].negated
    assert 3 / 8 <= coverage.score < 5 / 8


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("Kubernetes", "the cooper netties cluster"),
        ("RoCE", "a rocky start"),
        ("KV cache", "KV cash"),
        ("gradient checkpointing", "checkpointing of the gradient"),
        ("quantization", "we quantize it"),
        ("InfiniBand fabric", "InfiniBand"),
    ],
)
def test_a_rough_transcript_is_taken_at_its_letters(judge, phrase, said):
    assert judge(phrase, said, strict=True).status == "missing"


def test_a_rough_transcript_still_counts_what_it_says(judge):
    assert (
        judge("gradient checkpointing", "um gradient checkpointing", strict=True).status
        == "covered"
    )
    assert judge("FSDP", "f s d p", strict=True).status == "covered"


def test_a_rough_transcript_counts_a_compound_with_or_without_its_hyphen(judge):
    phrase = "ticket-based access control"

    for said in ("a ticket based access control", "a ticket-based access control"):
        found = judge(phrase, said, strict=True)
        assert (found.status, found.how) == ("covered", "exact")
    assert judge(phrase, "a ticket access control", strict=True).status == "missing"


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("adaptive routing", "On the other hand, Rocky runs over ordinary Ethernet."),
        ("adaptive routing", "The difference is how they avoid losing packets."),
        ("pause storms", "There I have to set up priority flow control on every switch."),
    ],
)
def test_words_of_another_phrase_or_a_near_miss_are_not_perhaps_said(lexicon, phrase, said):
    question = load_bank().question("infiniband-or-roce")
    assert question is not None

    found = {each.phrase: each for each in cover_question(question, said.split(), lexicon).phrases}

    assert found[phrase].status == "missing"
