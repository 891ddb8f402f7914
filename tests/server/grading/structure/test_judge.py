"""Which parts answers say. The sentences are written for the tests and stand in no rubric."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Beat, KeyPhrase, Kind, Question
from server.contract import Structure, StructurePart, Word
from server.grading.answer import read_answer
from server.grading.by_meaning import AnswerVectors
from server.grading.grader import structure_of, term_index
from server.grading.structure_parts import judge_structure, parts_of, passages, with_fitting_asks

ASKED_PARTS = Path(__file__).parents[3] / "data" / "asked_parts.txt"
STORY = """
Three years ago I worked at a weather service in Oslo, and the forecast finished two hours too late
every morning. My boss asked me to get it done before six. I timed each step with a stopwatch
script, and I found that reading the input took half of the run. So I moved the input to local
disks, and I split the biggest file into eighty pieces. I also asked the forecasters which maps they
never open, and I removed nine of them. After a month the run went from seven hours down to three
and a half. I learned that I should have asked the people who use it before touching any code.
"""
SPOKEN = """
so um last year in my company in Chengdu the database team they wait two day for one backup my
manager ask me to make it faster so first I go to the team and I sit with them one afternoon then I
write small tool and I test with ten table and I see the compression is using only one core so I
change it to sixteen thread and I put the copy on second network card in the end the backup is
finish in five hour not forty eight I learn I must look at it by myself and not only read the ticket
"""
EMPTY = """
Thank you for this question. Communication is really the key in such situations, and I am a person
who always keeps everybody informed. We had some challenges with the performance, and we followed
the best practices and worked together as one team. In the end the stakeholders were very satisfied
with the outcome, and everybody appreciated our efforts. I believe that teamwork and a positive
attitude are what matters most, and that you should always be proactive.
"""
NOUNS = """
Kubernetes, Kafka, Redis, Spark, Airflow, Prometheus, Grafana, Terraform, Argo CD, MLflow, Kubeflow,
Ray, Triton, vLLM, InfiniBand, NVLink, NCCL, Slurm, Lustre, Ceph, MinIO, S3, load balancer, cache,
queue, failover, checkpoint, autoscaling, cost, trade-off, latency, throughput.
"""
DESIGN = """
I assume two thousand customers who upload forty photos a day each. That's eighty thousand photos,
times three megabytes is two hundred and forty gigabytes a day. Uploads go straight to the bucket,
and a small event puts each photo in a queue, from which twelve workers pull. I'd take a queue over
calling the workers directly, because a burst at noon would otherwise knock them over. If a worker
dies in the middle, its photo becomes visible again after two minutes and the next one takes it.
Twelve spot machines cost about nine dollars a day. In one sentence, store first, work later, and
never lose a photo.
"""


def _question(kind: Kind, beats: Sequence[Beat] = ()) -> Question:
    return Question(
        id="q",
        round="behavioral",
        kind=kind,
        topic="Any",
        prompt="Tell me about it.",
        model_answer="None.",
        key_phrases=(KeyPhrase(phrase="any"),),
        beats=tuple(beats),
    )


def _judge(kind: Kind, text: str, beats: Sequence[Beat] = ()) -> Structure:
    return judge_structure(_question(kind, beats), text.split(), (), _sense(text))


@cache
def _sense(text: str) -> AnswerVectors:
    """Some texts are judged again and again."""
    words = text.split()
    spans = read_answer(words, term_index(Lexicon(version="", terms=()))).spans
    return AnswerVectors.of(words, spans)


def _said(structure: Structure) -> set[str]:
    return {part.name for part in structure.parts if part.status == "said"}


def test_a_story_has_all_its_parts() -> None:
    found = _judge("story", STORY)
    assert _said(found) == {"situation", "task", "own actions", "result", "lesson"}
    assert found.score == 1.0


def test_a_story_without_punctuation_tenses_and_articles_counts_as_well() -> None:
    assert {"situation", "own actions", "result", "lesson"} <= _said(_judge("story", SPOKEN))


@pytest.mark.parametrize("kind", ["explain", "story", "design", "code"])
def test_fluent_emptiness_and_nouns_earn_little(kind: Kind) -> None:
    assert _judge(kind, EMPTY).score <= 0.25
    assert _judge(kind, NOUNS).score <= 0.25


def test_we_did_all_of_it_is_no_own_action() -> None:
    assert "own actions" not in _said(_judge("story", STORY.replace("I ", "we ")))


def test_a_result_needs_a_number() -> None:
    vague = STORY.replace(
        "After a month the run went from seven hours down to three\nand a half.",
        "After that the run was much faster and people were happy.",
    )
    assert vague != STORY
    assert "result" not in _said(_judge("story", vague))


def test_a_design_has_all_its_parts() -> None:
    found = _judge("design", DESIGN)
    assert found.score == 1.0, [part.name for part in found.parts if part.status == "missing"]


def test_a_missing_part_comes_with_its_question() -> None:
    found = _judge("design", EMPTY)
    estimate = next(part for part in found.parts if part.name == "estimate")
    assert (estimate.status, estimate.evidence) == ("missing", None)
    assert estimate.ask.startswith("Can you put rough numbers on it")


def test_a_beat_of_the_question_is_judged_by_its_ways() -> None:
    beat = Beat(
        name="asked the users",
        ask="Whom did you ask?",
        ways=(
            "I went around and asked the readers which pages they really look at",
            "I asked the people who use it what they need and what they never touch",
            "I interviewed five of the users",
            "I asked the forecasters which of the maps they really need",
        ),
    )
    assert "asked the users" in _said(_judge("story", STORY, [beat]))
    assert "asked the users" not in _said(_judge("story", EMPTY, [beat]))


def test_evidence_has_words_and_times() -> None:
    words = [
        Word(text=text, start_s=float(at), end_s=at + 0.5) for at, text in enumerate(STORY.split())
    ]
    texts = [word.text for word in words]
    found = judge_structure(_question("story"), texts, words, _sense(" ".join(texts)))
    result = next(part for part in found.parts if part.name == "result")
    assert result.evidence is not None
    assert "seven hours" in result.evidence.text
    indices = result.evidence.word_indices
    assert (result.evidence.start_s, result.evidence.end_s) == (indices[0], indices[-1] + 0.5)
    assert " ".join(texts[at] for at in indices).strip(".,") == result.evidence.text


def test_nothing_said_is_nothing_found() -> None:
    nothing = AnswerVectors((), np.zeros((0, 384), np.float32))
    assert judge_structure(_question("code"), [], (), nothing).score == 0.0


def test_passages_are_spans_that_share_no_word_and_long_ones_are_two() -> None:
    spans = [(0, 5), (4, 9), (9, 12), (5, 9)]
    assert passages(spans, np.array([0.3, 0.9, 0.5, 0.4])) == 3
    assert passages(spans, np.array([0.3, 0.9, -0.1, -np.inf])) == 1
    assert passages(spans, np.array([-1.0, -np.inf, -0.1, -2.0])) == 0
    assert passages([(0, 18)], np.array([0.1])) == 1
    assert passages([(0, 19)], np.array([0.1])) == 2
    assert passages([(0, 19)], np.array([-0.1])) == 0


def test_a_reason_is_found_in_a_short_answer() -> None:
    said = "I would take InfiniBand, because its credit-based flow control never drops packets."
    assert {"direct answer", "reason"} <= _said(_judge("explain", said))


def test_half_of_a_part_counts_half() -> None:
    one = _judge("story", "I wrote a small script that replays the requests of last Monday.")
    both = _judge(
        "story",
        "I wrote a small script that replays the requests of last Monday. Then I moved the cache "
        "to the local disk and restarted the workers one by one.",
    )
    assert _said(one) == _said(both) == {"own actions"}
    assert one.score == pytest.approx(both.score / 2)


@pytest.mark.parametrize(
    ("kind", "part", "sentence", "quoted"),
    [
        ("story", "situation", 0, "Oslo"),
        ("story", "result", -2, "seven hours"),
        ("story", "lesson", -1, "learned"),
        ("design", "estimate", 1, "gigabytes a day"),
        ("design", "trade-off", 3, "queue over"),
        ("design", "failure and recovery", 4, "a worker dies"),
        ("design", "cost", 5, "nine dollars"),
    ],
)
def test_a_part_is_quoted_where_it_is_said(
    kind: Kind, part: str, sentence: int, quoted: str
) -> None:
    told = " ".join((STORY if kind == "story" else DESIGN).split())
    assert quoted in re.split(r"(?<=[.]) ", told)[sentence]
    found = {each.name: each for each in _judge(kind, told).parts}[part]
    assert found.evidence is not None
    assert quoted in found.evidence.text


@pytest.mark.parametrize(
    ("kind", "part", "sentence"),
    [("story", "lesson", -1), ("design", "trade-off", 3), ("design", "cost", 5)],
)
def test_a_part_that_is_cut_out_is_asked_for(kind: Kind, part: str, sentence: int) -> None:
    told = re.split(r"(?<=[.]) ", " ".join((STORY if kind == "story" else DESIGN).split()))
    del told[sentence]
    assert part not in _said(_judge(kind, " ".join(told)))


@pytest.mark.slow
def test_model_answers_have_all_parts() -> None:
    """One in thirty; `aloud bank validate` notes what a new one lacks."""
    missing = {
        (question.id, part.name)
        for question in load_bank().questions[::30]
        for part in structure_of(question, question.model_answer.split()).parts
        if part.status == "missing"
    }
    assert missing == set()


@pytest.mark.parametrize(
    "said",
    [
        "The drawback is that you depend on one vendor and it costs more per port.",
        "It stops paying off below about thirty nodes.",
    ],
)
def test_a_limit_needs_no_contrast_where_it_is_called_one(said: str) -> None:
    assert "limit" in _said(_judge("explain", said))


@pytest.mark.parametrize("line", ASKED_PARTS.read_text("utf-8").splitlines())
def test_a_part_is_asked_for_where_it_fits(line: str) -> None:
    named, part, prompt, text, said, asked = line.split("|")
    kind = cast("Kind", named)
    parts = [
        StructurePart(name=each.name, status="said" if each.name == said else "missing")
        for each in parts_of(kind)
    ]
    question = _question(kind).model_copy(update={"prompt": prompt})
    structure = Structure(kind=kind, parts=tuple(parts), score=0.0)
    found = with_fitting_asks(structure, question, text.split())
    (ask,) = (each.ask for each in found.parts if each.name == part)
    assert ask.startswith(asked) and bool(ask) == bool(asked)
