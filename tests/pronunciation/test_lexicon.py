"""The built-in lexicon: complete for the roles, consistent, and decidable by ear."""

import re
from collections import defaultdict

import pytest

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import VOWELS, base_phone
from pronunciation.terms import Term

LEXICON = load_lexicon()
TERMS = {term.term: term for term in LEXICON}

VOCABULARY = """
GPU cluster, InfiniBand, RoCE, NVLink, FSDP, DeepSpeed, ZeRO, tensor parallelism,
pipeline parallelism, gradient checkpointing, KV cache, continuous batching, paged attention,
speculative decoding, quantisation, vLLM, TensorRT-LLM, throughput, latency SLA, request batching,
compute budget, GPU utilisation, spot instance, preemption, scaling laws, Chinchilla, FLOPs,
mixed precision, bf16, training run cost, gradient explosion, checkpointing, feature store,
model registry, skew, gradient clipping, loss spike, NaN, backpropagation, learning rate,
batch size, AllReduce, ring topology, parameter server, gradient compression, fault tolerance,
device plugin, resource quota, priority class, HBM, GDDR, PCIe, OOM, SLA, HPC, autoscaling, pipeline
"""
TOOLS = """
DCGM, Slurm, Kubernetes, GPU Operator, nvidia-smi, PyTorch, DDP, Horovod, NCCL, MPI, Volcano, Kueue,
Kubeflow, Argo Workflows, SageMaker, Vertex AI, Azure ML, Terraform, Pulumi, Lustre, GPFS, S3, GCS,
RDMA, NVSwitch, Linux, Python, C++, K8s, GPUDirect, etcd, kubectl, Ceph, CUDA, cuDNN, ROCm, Triton,
SGLang, GGUF, LoRA, QLoRA, RLHF, MoE, YAML, SQL, OAuth, nginx, Grafana, Prometheus, Helm, Istio
"""
COMPANIES = """
NVIDIA, CoreWeave, Lambda, Google, Meta, LinkedIn, Stripe, Uber, Airbnb, AWS, GCP, Azure, OpenAI,
Anthropic, DeepMind, FAIR, xAI, Mistral, Oracle, AMD, Intel, Cerebras, Graphcore, Apple, Microsoft,
Amazon, Netflix, Databricks, Anyscale, Modal, Replicate, Together AI
"""
"""What the roles' vocabulary lists, tool tables and tables of employers name."""

MISLEADING = {
    "camel", "red is", "read is", "as three", "am i", "i am", "demon", "hip", "rest", "zero",
    "epic", "queue|Kueue", "asset", "pseudo", "in video", "are back", "our back", "any scale",
    "a 100", "a hundred", "afro", "chef", "atom", "park a", "customize", "air flow", "cute", "sass",
}  # fmt: skip
"""Spellings that also are everyday words of IT talk: they would credit what nobody said."""

DISTINCTIVE = {
    "RoCE": "rocky", "NCCL": "nickel", "nginx": "engine x", "KV cache": "kv cash",
    "InfiniBand": "in finny band", "kubectl": "cube control", "etcd": "etsy d",
}  # fmt: skip

FIRST_ALTERNATIVE = re.compile(r",? or |, | \(|;")


def vowels(phones: str) -> list[str]:
    return [phone for phone in phones.split() if base_phone(phone) in VOWELS]


def by_ear(phones: str) -> str:
    """Phones with what fluent speech makes alike written alike.

    Weak vowels: no ear tells AH0 from IH0, and a Briton's ER0 is AH0. A glide Y grows by itself
    between IY, EY or AY and UW. An EY0 melts into a following EY. N before SH grows a T.
    """
    alike = re.sub(r"\b(?:IH|UH|ER)0", "AH0", phones)
    alike = re.sub(r"\b((?:IY|EY|AY)\d) UW", r"\1 Y UW", alike)
    alike = re.sub(r"\bEY0 (EY\d)", r"\1", alike)
    return re.sub(r"\b([NT]) SH\b", r"\1 CH", alike).replace("T CH", "CH")


def spelled_out(term: Term) -> str | None:
    """The letters of a term that is said letter by letter, in capitals."""
    letters = re.sub(r"[^A-Za-z]", "", term.term).upper()
    return letters if term.kind == "letters" else None


def names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("\n", " ").split(",")]


def test_it_is_large_enough() -> None:
    assert len(LEXICON) >= 220


def test_the_roles_vocabulary_is_there() -> None:
    wanted = names(VOCABULARY) + names(TOOLS) + names(COMPANIES)
    assert [name for name in wanted if LEXICON.get(name) is None] == []


def test_the_respelling_is_that_of_the_first_reading() -> None:
    for term in LEXICON:
        syllables = re.split(r"[\s-]+", FIRST_ALTERNATIVE.split(term.say)[0])
        stresses = [vowel[-1] for vowel in vowels(term.readings[0])]
        assert len(syllables) == len(stresses), term
        loud = [place for place, syllable in enumerate(syllables) if syllable.isupper()]
        assert loud == [place for place, digit in enumerate(stresses) if digit == "1"], term


def test_every_mistake_can_be_told_from_every_reading() -> None:
    for term in LEXICON:
        accepted = {by_ear(reading) for reading in term.readings}
        assert accepted.isdisjoint(by_ear(mistake.phones) for mistake in term.mistakes), term


def test_every_term_has_a_mistake_and_each_tip_is_a_sentence() -> None:
    for term in LEXICON:
        assert term.mistakes, term
        assert all(re.match(r"[A-Z].*\.$", each.tip, re.DOTALL) for each in term.mistakes), term


def test_r_is_said_or_dropped_where_a_letter_r_ends_before_a_consonant() -> None:
    for name, british in (("RPC", "AA2 P IY2 S IY1"), ("PR", "P IY2 AA1")):
        assert british in TERMS[name].readings
    assert "D AA1 K AH0" not in TERMS["Docker"].readings
    assert "D AO1 K AH0" in TERMS["Docker"].readings, "a Briton's o, and no r"


@pytest.mark.parametrize("letter", ["H", "Z"])
def test_both_names_of_h_and_z(letter: str) -> None:
    both = {"H": ("EY[12] CH", "HH EY[12] CH"), "Z": ("Z IY[12]", "Z EH[12] D")}[letter]
    found = 0
    for term in LEXICON:
        if letter not in (spelled_out(term) or ""):
            continue
        found += 1
        for name in both:
            assert any(re.search(rf"(?<!HH ){name}", reading) for reading in term.readings), term
    assert found > 0


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("data", {"D EY1 T AH0", "D AE1 T AH0", "D AA1 T AH0"}),
        ("router", {"R AW1 T ER0", "R UW1 T ER0", "R UW1 T AH0"}),
        ("schedule", {"S K EH1 JH UH0 L", "SH EH1 D Y UW0 L"}),
        ("SQL", {"EH2 S K Y UW2 EH1 L", "S IY1 K W AH0 L"}),
        ("JWT", {"JH AA1 T"}),
        ("daemon", {"D IY1 M AH0 N", "D EY1 M AH0 N"}),
        ("Parquet", {"P AA0 R K EY1", "P AA1 K EY2"}),
        ("epoch", {"EH1 P AH0 K", "IY1 P AA2 K"}),
        ("Kubernetes", {"K UW2 B ER0 N EH1 T IY0 Z", "K Y UW2 B AH0 N EH1 T IY0 Z"}),
    ],
)
def test_the_field_is_divided(name: str, readings: set[str]) -> None:
    assert readings <= set(TERMS[name].readings)


def test_no_everyday_words_stand_for_a_term() -> None:
    for spelling, _, only in (misleading.partition("|") for misleading in MISLEADING):
        owners = [t.term for t in LEXICON if spelling in t.written_as]
        assert not (only in owners if only else owners), (spelling, owners)


def test_what_a_transcriber_hears_is_kept() -> None:
    for name, spelling in DISTINCTIVE.items():
        assert spelling in TERMS[name].written_as, name


def test_a_spelling_stands_for_one_term() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for term in LEXICON:
        for spelling in (term.term.casefold(), *term.written_as):
            owners[spelling].add(term.term)
    assert {spelling: of for spelling, of in owners.items() if len(of) > 1} == {}


def test_spellings_are_lower_case() -> None:
    assert [s for term in LEXICON for s in term.written_as if s != s.lower()] == []


def test_british_and_american_spelling() -> None:
    ending = re.compile(r"(?<!s)i[sz](e|er|ation)\b")
    for term in LEXICON:
        if ending.search(term.term):
            written = {term.term.casefold(), *term.written_as}
            both = {ending.sub(rf"i{letter}\1", term.term.casefold()) for letter in "sz"}
            if term.term[0].islower():
                assert both <= written, term.term


def test_the_kind_agrees_with_the_reading() -> None:
    """A term of letters has at least one vowel for each letter; W has three."""
    for term in LEXICON:
        letters = spelled_out(term)
        if letters is not None:
            assert len(vowels(term.readings[0])) == len(letters) + 2 * letters.count("W"), term.term
