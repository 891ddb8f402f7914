"""Every way a phrase may be said, and what must not pass for it."""

import pytest

from question_bank.models import KeyPhrase
from server.contract import Word
from server.grading import cover

COVERED = [
    # by their sound
    ("InfiniBand", "we connect them with infinite bend", "sound"),
    ("paged attention", "it has page the tension", "sound"),
    ("load shedding", "at the limit we do load shading", "sound"),
    ("straggler", "one stragler makes it slow", "sound"),
    # as it was seen written
    ("RabbitMQ", "the jobs wait in rebitemq for a worker", "sound"),
    ("CIDR", "each office gets a cider of its own", "sound"),
    ("SR-IOV", "the pods get sraov devices", "sound"),
    ("FP8", "we train in fpad now", "sound"),
    ("free list", "a freed block goes back to the freeleast", "sound"),
    ("remote state", "the team keeps it in remost days", "sound"),
    # tied within one clause
    ("gradient checkpointing", "the gradients are checkpointed", "fuzzy"),
    ("measured impact", "the impact we measured", "fuzzy"),
    ("TPU oversubscription", "the TPUs are oversubscribed", "fuzzy"),
    ("vCPU pinning", "we pin the vCPUs", "fuzzy"),
    ("SKU rationalisation", "a rationalisation of the SKUs", "fuzzy"),
    ("rollout", "it was rolled out in May", "inflected"),
    ("schema rollback", "we rolled the schema back", "fuzzy"),
    ("volume backup", "the volumes are backed up", "fuzzy"),
    ("region failover", "it fails over to the second region", "fuzzy"),
    ("interrupt polling", "the interrupts are polled", "fuzzy"),
    ("log deduplication", "logs get de-duplicated", "fuzzy"),
    ("request retransmission", "requests are re-transmitted", "fuzzy"),
    ("service ownership", "each service has an owner", "fuzzy"),
    ("cluster membership", "who is a member of the cluster", "fuzzy"),
    ("memory reclamation", "the kernel reclaims memory", "fuzzy"),
    ("claim groundedness", "the claims are grounded in documents", "fuzzy"),
    ("catalogue staleness", "a staleness bound of thirty seconds for the catalogue", "fuzzy"),
    ("measurable outcome", "an outcome which we measured", "fuzzy"),
    ("ticket-based access control", "a ticket based access control", "exact"),
    # phrase, what was said, how
    ("replication lag", "the replication lag was four seconds", "exact"),
    ("Replication Lag", "REPLICATION, LAG!", "exact"),
    ("vector index", "two vector indices per shard", "inflected"),
    ("cache warming", "we warmed the caches with cache warmed copies", "inflected"),
    ("sharding", "the table is sharded", "inflected"),
    ("utilisation", "GPU utilization", "inflected"),
    ("behaviour tree", "a behavior tree", "inflected"),
    ("data centre", "two data centers", "inflected"),
    ("failover", "we failed over to the other region", "inflected"),
    ("SLO", "our service level objective", "acronym"),
    ("service level objective", "our S L O is strict", "acronym"),
    ("FSDP", "we wrap it in F S D P", "exact"),
    ("FSDP", "we wrap it in f.s.d.p. now", "exact"),
    ("FSDP", "we wrap it in F-S-D-P", "exact"),
    ("FSDP", "eff ess dee pee", "sound"),
    ("FSDP", "with fully sharded data parallelism", "acronym"),
    ("fully sharded data parallel", "with FSDP it fits", "acronym"),
    ("mean time to acknowledge (MTTA)", "our M T T A is two minutes", None),
    ("burst buffer pool", "the BBP is full", "acronym"),
    ("reload the page", "then we reload the page again", "exact"),
    ("cordoned the host", "so I cordoned the host by hand", "exact"),
    ("78%", "seventy eight percent of them", "exact"),
    ("78 percent", "it is 78% now", "exact"),
    ("256 GPUs", "two fifty six GPUs", "exact"),
    ("256 GPUs", "two hundred and fifty-six GPUs", "exact"),
    ("3D parallelism", "three D parallelism", "exact"),
    ("p99", "p ninety nine", "exact"),
    ("p99 latency", "the ninety-ninth percentile latency", None),
    ("A100", "an A one hundred", "exact"),
    ("A100", "we trained it on an a hundred", "exact"),
    ("HTTP 404", "H T T P four oh four", "exact"),
    ("TLS 1.3", "T L S one point three", "exact"),
    ("all-reduce", "an AllReduce", "exact"),
    ("AllReduce", "one all reduce", "exact"),
    ("all reduce", "one all-reduce per layer", "exact"),
    ("checkpointing", "check pointing every hour", "exact"),
    ("dataset", "the data set", "exact"),
    ("RoCE", "rocky needs a lossless fabric", "fuzzy"),
    ("NCCL", "the nickel tests hang", "fuzzy"),
    ("KV cache", "the KV cash fills up", "fuzzy"),
    ("InfiniBand", "in finny band is lossless", "fuzzy"),
    ("Kubernetes", "the cooper netties cluster", "fuzzy"),
    ("Alertmanager", "alert manger groups them, alertmanger that is", "sound"),
    ("idempotent", "it must be idempotant", "sound"),
    ("KV cache", "the cache for keys and values", "fuzzy"),
    ("pipeline parallelism", "parallelism of the pipeline", "fuzzy"),
    ("gradient checkpointing", "gradient and activation checkpointing", "fuzzy"),
    ("continuous batching", "continuous, you know, batching", "exact"),
    ("continuous batching", "continuous um continuous batching", "exact"),
    ("continuous batching", "continu- continuous batching", "exact"),
    ("weight quantization", "we quantize the weights", "fuzzy"),
    ("eventual consistency", "reads are eventually consistent", "inflected"),
    ("circuit breaker pattern", "a circuit breaker", "exact"),
    ("precision and recall", "recall is high but the precision is low", "fuzzy"),
    # a head that only names the kind of thing
    ("ephemeral storage", "that part is ephemeral, so it is gone", "fuzzy"),
    ("exactly-once delivery", "then it is exactly once for the reader", "fuzzy"),
    # a verb that takes its object up again
    ("log compaction", "the old logs pile up, so we compact them", "fuzzy"),
    # names written apart, shortened, in the plural
    ("PyArrow", "with pie arrow it is fast", "sound"),
    ("network ACL", "two network A C Ls", "exact"),
    ("ArangoDB", "we put it into arango", "fuzzy"),
    ("decomposition", "we decompose it", None),
    # numbers and ratios
    ("six KV groups", "there are 6 k v groups", "exact"),
    ("3:1 contention", "a three to one contention", "exact"),
    ("3:1 overcommitment", "there is an overcommitment of 3 to 1", "fuzzy"),
    ("overprovisioned pool", "the pool is over provisioned", "fuzzy"),
    # a participle behind its noun; a noun and its adjective; verbs in -ee
    ("reserved hosts", "we have hosts reserved for a year", "fuzzy"),
    ("sensor noise", "the sensors are noisy", "fuzzy"),
    ("disagreement", "they disagreed and I wrote it down", None),
    # the nearer of two places is not always the one that is meant; a filler may be the word
    ("log replication", "it appends to its log and replicates the log", "fuzzy"),
    ("write-ahead journal", "it goes into the right ahead journal", "sound"),
    ("rent versus own", "it's the question of rent or own", None),
    ("span propagation", "each call opens a span and it is propagated", "fuzzy"),
    ("break-even point", "we break even in March", "fuzzy"),
    ("layer fusion", "we fused the layers", "fuzzy"),
    ("blob storage", "it lands in the blob store", "inflected"),
]  # fmt: skip

NOT_COVERED = [
    # its first word sounds right, another one does not
    ("speculative decoding", "speculatively wrong guesses hurt us"),
    ("reproducibility test", "reproducibilities matter in the testing"),
    ("eviction notice", "a word like evictionness means nothing"),
    # was seen written, but usually means what it says
    ("Lustre", "the lawyer lost her files"),
    ("RAM", "the firmware is in rom"),
    ("parameter", "a firewall at the perimeter"),
    ("numerical precision", "we follow a numerical procedure"),
    ("batch size", "we closed the batch, and size mattered less"),
    ("flow control", "control over the flow of visitors"),
    ("Spark", "a spark of hope"),
    ("deadlock", "the lock was dead and the door stayed open"),
    ("service ownership", "we built our own service"),
    ("expert parallelism", "we use tensor parallelism for the experts"),
    ("row storage", "a column storage for the rows"),
    ("vertical scaling", "horizontal scaling in vertical racks"),
    ("catalogue staleness", "the staleness was bad and I told them to buy a catalogue"),
    ("schema rollback", "go back and roll out the schema"),
    ("image backup", "the image is back and up"),
    # phrase, a sentence with a similar, same-rooted or sibling term
    ("data parallelism", "pipeline parallelism and tensor parallelism"),
    ("data parallelism", "we load the data in parallel"),
    ("pipeline parallelism", "the data pipeline runs on parallel machines in parallel"),
    ("continuous batching", "a larger batch size"),
    ("continuous batching", "dynamic batching"),
    ("strong scaling", "weak scaling"),
    ("scale out", "we scale it up"),
    ("online store", "the offline store"),
    ("preemption", "prevention of outages"),
    ("gradient checkpointing", "gradient clipping"),
    ("HBM", "we keep it in HBase"),
    ("NVLink", "the NVSwitch"),
    ("latency", "throughput, lately"),
    ("precision", "recall"),
    ("DDP", "DDR memory"),
    ("spot instance", "an instance type of ours"),
    ("synchronous replication", "replication is asynchronous"),
    ("asynchronous replication", "a synchronous replication"),
    ("StatefulSet", "stateless pods"),
    ("supervised learning", "self-supervised learning, unsupervised learning"),
    ("blocking call", "a non-blocking call"),
    ("left join", "a right outer join"),
    ("inner join", "the inner query, then a left outer join"),
    ("hypertension", "hypotension"),
    ("OpenAI", "an OpenAPI document"),
    ("DeepSpeed", "DeepSeek"),
    ("horizontal pod autoscaler", "the vertical pod autoscaler"),
    ("at-least-once delivery", "at most once delivery"),
    ("time to first token", "time per output token"),
    ("SLO", "it was slow"),
    ("load test", "load and test it"),
    ("A100", "a single H one hundred"),
    ("A100", "we had a hundred and thirty-two of them"),
    ("A100", "the load went to a hundred percent"),
    ("error budget", "The marketing has a budget. An error came up."),
    ("feature store", "We engineer a feature. The store is open."),
    ("Raft", "the draft was ready"),
    ("any-to-any", "a table and a chair"),
    ("silent on idle", "so I went home"),
    ("read after repair", "we rarely do, it is rare"),
    ("gold start", "it could start"),
    ("rollover", "rolls of a little over a meter"),
    ("PDB", "p ninety nine"),
    ("one and a half hours", "an hour and a half later one"),
    ("columnar storage", "columnar files"),
    ("tape library", "a tape of our own, and the library was closed"),
    ("exponential backoff with jitter", "an exponential backoff, three times"),
    ("hot start", "we started in a hot summer"),
    ("time to next frame", "the next time the frame is wrong"),
    ("director election", "the election for a new tech direction"),
    ("pool size two", "we sampled the pool, two sizes fit all"),
    ("tall pages", "a tall number of pages"),
    ("dense scaling", "the dense point was the scaling"),
    ("span propagation", "each call opens a span. A rumour is propagated"),
    ("draft model", "I drafted an email"),
    ("log compaction", "The logs grow. A year later we had a fair. We compact it all."),
]  # fmt: skip


@pytest.mark.parametrize(("phrase", "said", "how"), COVERED)
def test_a_phrase_is_found_however_it_is_said(judge, phrase, said, how):
    found = judge(phrase, said)

    assert found.status == "covered"
    assert how is None or found.how == how
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
def test_the_distinctive_half_is_partial(judge, phrase, said):
    found = judge(phrase, said)

    assert found.status == "partial"
    assert found.evidence is not None


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


def test_the_score_weighs_phrases_and_counts_half_and_denied(lexicon):
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
        "partial",
        "covered",
        "missing",
    ]
    assert coverage.phrases[2].negated
    assert coverage.score == pytest.approx((3 + 0.5 * 2 + 0) / 8)


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
