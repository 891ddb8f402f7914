"""What is denied, and what only looks like it."""

import pytest

DENIED = [
    ("FSDP", "we never used FSDP"),
    ("gradient accumulation", "we didn't need gradient accumulation either"),
    ("mixed precision", "trained without mixed precision"),
    ("Kafka", "we took Redis instead of Kafka"),
    ("Kafka", "rather than Kafka we took Redis"),
    ("chargeback", "it is no longer a chargeback"),
    ("RLHF", "I don't know what RLHF is"),
    ("service mesh", "I don't think we need a service mesh"),
    ("FSDP", "FSDP was not an option"),
    ("pipeline parallelism", "pipeline parallelism we did not use"),
    ("GPUDirect Storage", "there is GPUDirect Storage but we haven't used it"),
    ("CDN", "we have no CDN and no queue"),
    ("message queue", "we have no CDN and no message queue"),
    ("gang scheduling", "Gang scheduling, we never had it."),
    ("XML", "XML, we have none any more."),
    ("canary release", "Canary release? No, never."),
    ("Puppet", "We did without Chef. Puppet neither."),
    ("leader election", "none of the services had leader election"),
    ("gang scheduling", "so there was no gang scheduling at all"),
    ("Istio", "we moved away from Istio"),
    ("spot instances", "we considered spot instances but decided against them"),
    ("RabbitMQ", "we use Kafka, not RabbitMQ, but NATS"),
    ("blob signing", "Blob signing? No. We had other problems."),
    ("vector clock", "Vector clocks I haven't had a chance to use."),
    ("hash ring", "I'm not sure about the hash ring"),
    ("edge cache", "An edge cache was too dear for us so we skipped it."),
    ("live patching", "Live patching is something I would never do in production."),
    ("FSDP", "I never used FSDP before."),
    ("Kafka", "Without Kafka we were faster."),
    ("Kafka", "I moved it, because without Kafka we were faster."),
    ("FSDP", "After that we never used FSDP again."),
    ("FSDP", "We turned it off, and since then we never used FSDP."),
    ("FSDP", "We had no FSDP since the version was too old."),
    ("rollback", "We never needed a rollback."),
]  # fmt: skip

AFFIRMED = [
    ("mixed precision", "not only mixed precision but also bigger batches"),
    ("load test", "you cannot skip the load test"),
    ("warm-up", "don't forget the warm-up"),
    ("rate limiter", "a rate limiter is not optional"),
    ("FSDP", "why not FSDP"),
    ("NVLink", "you can't train it without NVLink"),
    ("gradient checkpointing", "Without gradient checkpointing we would run out of memory"),
    ("data loader", "we never used DDP, we wrote a faster data loader"),
    ("left join", "no, sorry, a left join"),
    ("concurrent users", "the cache and not the weights is what limits concurrent users"),
    ("circuit breaker", "It isn't slow. A circuit breaker opens."),
    ("edge cache", "We didn't use an edge cache until traffic doubled, then we did."),
    ("health probe", "I wouldn't trust a health probe alone."),
    ("jitter", "Without jitter all clients come back at the same moment."),
    ("cordon", "Don't cordon the node before you have a spare."),
    ("hash ring", "I'm sure about the hash ring."),
    ("bank conflicts", "with padding so that there are no bank conflicts"),
    ("NATS", "we use Kafka, not RabbitMQ, but NATS"),
    ("Kafka", "we use Kafka, not RabbitMQ, but NATS"),
    ("NATS", "we never ran Kafka, only NATS"),
    ("seccomp", "Privileges are dropped, and a seccomp profile stays."),
    ("cold start", "It cannot keep up, cold start is what hurts."),
    ("lazy loading", "I cut what isn't needed at first, lazy loading brought the rest"),
    ("sharding", "I wouldn't say that sharding isn't worth it"),
    ("checkpoint", "The checkpoint, we never lose it."),
    ("concurrent requests",
     "it, and not the weights, often sets the limit on concurrent requests"),
    ("rollback", "Since then we had eleven releases and not one rollback."),
    ("rollback", "Since last March not a single rollback was needed."),
    ("rollback", "After that we never needed a rollback again."),
    ("rollback", "We haven't needed a rollback since."),
    ("surface tension", "because without surface tension the loaf spreads in the oven"),
    ("surface tension",
     "I saw that without surface tension the loaf spreads out, and I like mine to be tall."),
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "said"), DENIED)
def test_a_denied_phrase_is_found_and_flagged(judge, phrase, said):
    found = judge(phrase, said)

    assert found.status == "covered"
    assert found.negated


@pytest.mark.parametrize(("phrase", "said"), AFFIRMED)
def test_an_affirmed_phrase_is_not_flagged(judge, phrase, said):
    found = judge(phrase, said)

    assert found.status == "covered"
    assert not found.negated


def test_one_affirmative_mention_is_enough(judge):
    found = judge(
        "tensor parallelism", "First no tensor parallelism. Then we added tensor parallelism."
    )

    assert not found.negated
    assert found.evidence is not None
    assert found.evidence.word_indices == (7, 8)


def test_a_text_without_punctuation_makes_no_denial(judge):
    said = (
        "nobody wanted a long night so I checked every link that was not healthy gradient "
        "checkpointing then gave us the memory back and the run went on"
    )

    assert not judge("gradient checkpointing", said).negated
    assert judge("gradient checkpointing", "We never used gradient checkpointing.").negated
