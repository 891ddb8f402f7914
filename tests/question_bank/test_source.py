"""Each fault is planted in a valid question and must be found, by file, entry and field."""

from pathlib import Path
from typing import Any

import pytest

from tests.question_bank.conftest import problems_of

AT = "roles/x.yaml: question 'own-question': "
PROBE = {"ask": "Why?", "expects": "A reason."}


def with_change(question: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    target: Any = question
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    return question


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("round",), "lunch", AT + "round: unknown value 'lunch'"),
        (("signals",), ["luck"], AT + "signals[0]: unknown value 'luck'"),
        (("topic",), "  ", AT + "topic: must not be empty"),
        (("difficulty",), 6, AT + "difficulty: must be 5 or less"),
        (("answer_seconds",), "soon", AT + "answer_seconds: must be a whole number"),
        (("model_answer",), None, AT + "model_answer: must be text"),
        (("model_anwser",), "x", AT + "model_anwser: unknown field; did you mean 'model_answer'"),
        (("color",), "x", AT + "color: unknown field"),
        (
            ("key_phrases", 1, "alias"),
            ["x"],
            AT + "key_phrases[1].alias: unknown field; did you mean 'aliases'?",
        ),
        (("probes",), [PROBE, PROBE], AT + "probes[1]: 'Why?' appears twice"),
        (("probes",), [PROBE | {"ask": "Why"}], AT + "probes[0].ask: must be a question or a re"),
        (("probes",), [{"ask": "Why?"}], AT + "probes[0].expects: is required"),
        (("probes",), [PROBE | {"ask": f"{n}?"} for n in range(6)], AT + "probes: has at most 5"),
        (("key_phrases",), [], AT + "key_phrases: "),
        (("key_phrases",), "barrier", AT + "key_phrases: must be a list"),
        (("key_phrases", 0), 7, AT + "key_phrases[0]: must be a mapping"),
        (("key_phrases", 0), "", AT + "key_phrases[0].phrase: must not be empty"),
        (("field",), "gardening", AT + "field: unknown field 'gardening'; one of ai-"),
        (("key_phrases", 0, "phrase"), "", AT + "key_phrases[0].phrase: must not be empty"),
        (("key_phrases", 0, "phrase"), "…", AT + "key_phrases[0].phrase: '…' has no letter"),
        (("key_phrases", 1, "phrase"), 7, AT + "key_phrases[1].phrase: must be text; put 7 in"),
        (("key_phrases", 1, "aliases"), "r", AT + "key_phrases[1].aliases: must be a list"),
        (("key_phrases", 1, "aliases"), [" "], AT + "key_phrases[1].aliases[0]: must not be empty"),
        (
            ("key_phrases", 1, "aliases"),
            ["the rank", "Sync  Point"],
            AT + "key_phrases[1].aliases[1]: 'Sync  Point' is already at key_phrases[0].aliases[0]",
        ),
        (("key_phrases", 1, "phrase"), "BARRIER", AT + "key_phrases[1].phrase: 'BARRIER' is al"),
        (("key_phrases", 1, "weight"), 0, AT + "key_phrases[1].weight: "),
        (("role",), "nobody", AT + "role: unknown role 'nobody'; one of ai-"),
        (
            ("role",),
            "ai-infrastructure-architect",
            AT + "topic: 'Anything' is not a topic of ai-infrastructure-architect; one of GPU ",
        ),
    ],
)
def test_a_planted_fault_is_the_one_that_is_reported(
    write_bank: Any, question: dict[str, Any], path: tuple[Any, ...], value: Any, says: str
) -> None:
    bank = write_bank({"roles/x.yaml": [with_change(question, path, value)]})
    problems = problems_of(bank)
    assert len(problems) == 1
    file, line, rest = problems[0].split(":", 2)
    assert f"{file}:{rest}".startswith(f"{bank}/{says}")
    assert 1 <= int(line) <= len(Path(file).read_text().splitlines())


def test_the_id_names_the_entry_even_when_it_is_the_fault(
    write_bank: Any, question: dict[str, Any]
) -> None:
    bank = write_bank({"x.yaml": [question | {"id": "KV cache"}, "no mapping"]})
    first, second = problems_of(bank)
    assert "question 'KV cache': id: " in first and "lower-case words" in first
    end = len((bank / "x.yaml").read_text().splitlines())
    assert second == f"{bank}/x.yaml:{end}: questions[1]: must be a mapping of fields"


def test_all_problems_of_all_files_are_collected(write_bank: Any, question: dict[str, Any]) -> None:
    bank = write_bank(
        {
            "a.yaml": [question | {"round": "lunch", "difficulty": 0}],
            "b.yaml": "a: [",
            "roles/c.yaml": [question | {"id": "other", "prompt": ""}],
        }
    )
    problems = problems_of(bank)
    assert [p.removeprefix(f"{bank}/").split(":")[0] for p in problems] == [
        "a.yaml",
        "a.yaml",
        "b.yaml",
        "roles/c.yaml",
    ]
    assert not any("\n" in problem for problem in problems)


def test_the_same_id_twice_in_one_bank_is_an_error_in_and_across_files(
    write_bank: Any, question: dict[str, Any]
) -> None:
    bank = write_bank({"a.yaml": [question, question], "roles/b.yaml": [question]})
    within, across = problems_of(bank)
    lines = (bank / "a.yaml").read_text().splitlines()
    first, second = (n for n, line in enumerate(lines, 1) if "id: own-question" in line)
    assert within.startswith(f"{bank}/a.yaml:{second}: question 'own-question': id: is used twice")
    assert across == (
        f"{bank}/roles/b.yaml:{first}: question 'own-question': id: is already used in "
        f"{bank}/a.yaml"
    )


@pytest.mark.parametrize("data", ["just text", {"title": "No id"}, 5])
def test_a_file_of_another_shape_reads_which_shapes_there_are(write_bank: Any, data: Any) -> None:
    (problem,) = problems_of(write_bank({"x.yaml": data}))
    assert "must be a list of questions, a mapping with 'role'" in problem


@pytest.mark.parametrize("data", [[], {"role": "ml-platform-engineer", "questions": []}])
def test_a_file_without_a_question_is_an_error_and_no_empty_bank(
    write_bank: Any, data: Any
) -> None:
    (problem,) = problems_of(write_bank({"x.yaml": data}))
    assert "has no question" in problem


def test_a_lexicon_among_the_questions_is_one_error(write_bank: Any) -> None:
    (problem,) = problems_of(write_bank({"terms.yaml": [{"term": "RoCE", "kind": "word"}]}))
    assert "is a list of terms: keep a lexicon outside" in problem
