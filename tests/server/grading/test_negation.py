"""What is denied, and what only looks like it."""

from pathlib import Path

import pytest
import yaml

FILE = Path(__file__).parent / "judgments" / "sentences.yaml"
SENTENCES = yaml.safe_load(FILE.read_text("utf-8"))
DENIED = [(each["phrase"], each["said"]) for each in SENTENCES if each["is"] == "denied"]
AFFIRMED = [(each["phrase"], each["said"]) for each in SENTENCES if each["is"] == "affirmed"]


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
