"""A field that somebody adds: its rounds, signals, plan and opener, as docs/bank.md has them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from question_bank.loader import load_bank
from server.bank_versions.check import check_bank_path
from tests.question_bank.conftest import problems_of


def sample(project_root: Path, heading: str) -> str:
    """The first YAML sample of a section of docs/bank.md."""
    text = (project_root / "docs" / "bank.md").read_text(encoding="utf-8")
    section = text.split(f"## {heading}\n", 1)[1]
    found = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found.group(1)


@pytest.fixture
def nursing(project_root: Path, write_bank: Any) -> Path:
    """The bank that the docs write, as it stands."""
    bank: Path = write_bank(
        {
            "fields/nursing.yaml": sample(project_root, "A field"),
            "roles/ward-nurse.yaml": sample(project_root, "A role of another field"),
        }
    )
    return bank


def test_a_field_has_its_own_rounds_signals_plan_and_opener(nursing: Path) -> None:
    bank = load_bank([nursing])
    field = bank.field_of("ward-nurse")
    assert field.title == "Nursing"
    assert [each.id for each in field.rounds] == ["phone-screen", "patient-scenario", "behavioral"]
    assert field.rounds[0].prepare == load_bank().rounds[0].prepare, "named only: for everybody"
    assert [each.id for each in field.signals] == ["patient-safety", "teamwork"]
    assert [each.title for each in field.plan] == ["The first week", "The last week"]
    (opener, *_) = bank.asked(role="ward-nurse", round="behavioral")
    assert opener.id == "about-yourself-nurse" and opener.role is None
    scenario = bank.asked(role="ward-nurse", round="patient-scenario")[0]
    assert scenario.kind == "design", "the round says it"
    assert [each.phrase for each in scenario.key_phrases][:1] == ["call for help"]
    assert {each.role for each in bank.related("ward-nurse")} == {"ward-nurse", None}


def test_other_fields_notice_nothing(nursing: Path) -> None:
    before, after = load_bank(), load_bank([nursing])
    for role in before.roles:
        assert after.asked(role=role.id) == before.asked(role=role.id)
        assert after.field_of(role.id) == before.field_of(role.id)
        assert after.related(role.id) == before.related(role.id)


def test_the_bank_of_the_docs_passes_the_check(nursing: Path) -> None:
    checked = check_bank_path(nursing)
    assert (checked.faults, checked.questions) == ([], 3)


def test_a_role_without_a_field_has_the_rounds_of_its_questions_and_the_common_plan(
    write_bank: Any, question: dict[str, Any]
) -> None:
    role = {"id": "baker", "title": "Baker", "summary": "Bakes.", "topics": ["Anything"]}
    bank = load_bank([write_bank({"roles/baker.yaml": role | {"questions": [question]}})])
    field = bank.field_of("baker")
    assert [each.id for each in field.rounds] == ["coding"]
    assert [week.rounds for week in field.plan] == [(), ("coding",), ()]
    assert field.signals == ()


def test_a_round_is_added_for_everybody_and_a_replaced_one_changes_the_fields_below(
    write_bank: Any, question: dict[str, Any]
) -> None:
    bank = write_bank(
        {
            "rounds.yaml": [
                {"id": "take-home", "minutes": [60, 120], "kind": "code"},
                {"id": "coding", "title": "Pairing", "minutes": [30, 40]},
            ],
            "own.yaml": [question | {"round": "take-home"}],
        }
    )
    loaded = load_bank([bank])
    assert loaded.rounds[-1].title == "Take home"
    own = loaded.question("own-question")
    assert own is not None and own.kind == "code"
    titles = [each.title for each in loaded.field_of("ml-platform-engineer").rounds]
    assert "Pairing" in titles and "Coding round" not in titles
    (note,) = check_bank_path(bank, ways=False).notes
    changes = "minutes 45–60 → 30–40, prepare, tests, title Coding round → Pairing"
    assert f"round 'coding': replaces the built-in one ({changes}) for" in note
    assert "ml-platform-engineer" in note and note.endswith(" questions")


def test_what_is_not_known_is_said_with_what_there_is(
    write_bank: Any, question: dict[str, Any], project_root: Path
) -> None:
    field = yaml.safe_load(sample(project_root, "A field"))
    field["plan"][0]["rounds"] = ["lunch"]
    field["signals"].append("teamwork")
    bank = write_bank(
        {
            "fields/nursing.yaml": field,
            "own.yaml": [question | {"field": "nursing", "round": "phone-scren"}],
        }
    )
    week, twice, typo = problems_of(bank)
    assert "field 'nursing': signals[2]: 'teamwork' appears twice" in twice
    assert "field 'nursing': plan[0].rounds[0]: unknown value 'lunch'; one of 'phone-" in week
    assert typo.endswith("'patient-scenario', 'behavioral'; did you mean 'phone-screen'?")
