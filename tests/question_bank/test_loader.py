import gc
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

import question_bank
from question_bank import loader
from question_bank.errors import BankError
from question_bank.loader import load_bank
from question_bank.models import Question
from tests.question_bank.conftest import problems_of

ROLE = "ml-infrastructure-engineer"
TOPIC = "Model serving"


def loaded(bank: Path, question_id: str = "own-question") -> Question:
    found = load_bank([bank]).question(question_id)
    assert found is not None
    return found


def test_a_bare_list_of_its_own_belongs_to_no_role_and_its_topic_is_free(
    write_bank: Any, question: dict[str, Any]
) -> None:
    own = loaded(write_bank({"mine.yaml": [question]}))
    assert (own.role, own.topic) == (None, "Anything")


@pytest.mark.parametrize("name", [f"{ROLE}.yaml", f"roles/{ROLE}.yml"])
def test_a_bare_list_named_for_a_role_belongs_to_it(
    write_bank: Any, question: dict[str, Any], name: str
) -> None:
    assert loaded(write_bank({name: [question | {"topic": TOPIC}]})).role == ROLE


def test_a_mapping_and_a_question_can_name_the_role(
    write_bank: Any, question: dict[str, Any]
) -> None:
    entry = question | {"topic": TOPIC}
    bank = write_bank(
        {
            "a.yaml": {"role": ROLE, "questions": [entry]},
            "b.yaml": [entry | {"id": "second", "role": ROLE}],
        }
    )
    assert loaded(bank).role == loaded(bank, "second").role == ROLE


def test_a_single_file_is_a_bank_too(write_bank: Any, question: dict[str, Any]) -> None:
    assert loaded(write_bank({"mine.yaml": [question]}) / "mine.yaml").id == "own-question"


def test_a_question_of_the_same_id_replaces_the_built_in_one_in_its_place(
    write_bank: Any, question: dict[str, Any]
) -> None:
    built_in = load_bank()
    old = built_in.questions[3]
    bank = load_bank([write_bank({"x.yaml": [question | {"id": old.id}]})])
    assert bank.questions[3].prompt == question["prompt"]
    assert [q.id for q in bank.questions] == [q.id for q in built_in.questions]


def test_of_two_banks_the_later_one_lies_on_top(tmp_path: Path, question: dict[str, Any]) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump([question | {"prompt": name}]))
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    for order, prompt in (([one, two], "two"), ([two, one], "one")):
        own = load_bank(order).question("own-question")
        assert own is not None and own.prompt == prompt


def test_a_new_role_with_questions_and_all_other_parts_are_added_or_replaced(
    write_bank: Any, question: dict[str, Any]
) -> None:
    role = load_bank().roles[0].model_dump(mode="json")
    week = load_bank().plan[0].model_dump(mode="json")
    faq = load_bank().help[0].model_dump(mode="json")
    bank = load_bank(
        [
            write_bank(
                {
                    "roles/my-role.yaml": role
                    | {"id": "my-role", "topics": ["Anything"], "questions": [question]},
                    "plan.yaml": [week | {"title": "Mine"}, week | {"week": 9}],
                    "help.yaml": [faq | {"id": "mine"}],
                }
            )
        ]
    )
    assert bank.role("my-role") is not None
    own = bank.question("own-question")
    assert own is not None and own.role == "my-role"
    assert [w.week for w in bank.plan] == [1, 2, 3, 9] and bank.plan[0].title == "Mine"
    assert bank.help[-1].id == "mine" and len(bank.help) == len(load_bank().help) + 1


def test_a_replaced_role_cannot_leave_a_question_without_its_topic(write_bank: Any) -> None:
    role = load_bank().roles[0].model_dump(mode="json")
    gone, *kept = role["topics"]
    bank = write_bank({"roles/x.yaml": role | {"topics": kept}})
    problems = problems_of(bank)
    lost = [q.id for q in load_bank().questions if q.role == role["id"] and q.topic == gone]
    assert lost and len(problems) == len(lost)
    assert f"role '{role['id']}': topics: '{gone}' is gone, but question '{lost[0]}'" in problems[0]


def test_a_missing_and_an_empty_folder_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="nowhere: there is no such file or folder"):
        load_bank([tmp_path / "nowhere"])
    with pytest.raises(BankError, match=r"has no \.yaml file"):
        load_bank([tmp_path])


def test_load_bank_raises_with_every_problem(write_bank: Any, question: dict[str, Any]) -> None:
    bank = write_bank({"x.yaml": [question | {"round": "lunch", "difficulty": 9}]})
    with pytest.raises(BankError) as caught:
        load_bank([bank])
    assert len(caught.value.faults) == 2
    assert str(caught.value).splitlines() == [str(each) for each in caught.value.faults]


def test_the_version_is_a_digest_of_the_content_alone(
    tmp_path: Path, write_bank: Any, question: dict[str, Any]
) -> None:
    built_in = load_bank()
    copy = tmp_path / "copy"
    shutil.copytree(Path(question_bank.__file__).parent, copy, ignore=lambda *_: ["__pycache__"])
    assert load_bank([copy]).version == built_in.version
    own = write_bank({"x.yaml": [question]})
    changed = load_bank([own]).version
    assert changed != built_in.version
    assert load_bank([own]).version == changed
    write_bank({"x.yaml": [question | {"prompt": "What is a fence?"}]})
    assert load_bank([own]).version not in (changed, built_in.version)


def test_the_built_in_bank_is_read_once_and_quickly() -> None:
    texts = [
        file.read_text("utf-8") for file in Path(question_bank.__file__).parent.rglob("*.yaml")
    ]

    def plain_s() -> float:
        begun_s = time.thread_time()  # other tests' threads may still run
        for text in texts:
            yaml.load(text, yaml.CSafeLoader)
        return time.thread_time() - begun_s

    gc.freeze()  # what thousands of other tests keep would be gone through again and again
    try:
        before_s = plain_s()
        loader._built_in.cache_clear()
        begun_s = time.thread_time()
        bank = load_bank()
        taken_s = time.thread_time() - begun_s
        after_s = plain_s()
    finally:
        gc.unfreeze()
    assert load_bank() is bank
    # Beside a plain reading without positions and checks, which a busy machine slows as much:
    # measured 3.4 times it.
    assert taken_s < 4.5 * max(before_s, after_s)
