"""A bank finds its questions by id and by role."""

import pytest

from question_bank.errors import UnknownNameError
from question_bank.loader import load_bank
from question_bank.models import Bank


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load_bank()


def test_every_question_is_found_by_its_id(bank: Bank) -> None:
    assert [bank.question(each.id) for each in bank.questions] == list(bank.questions)
    assert bank.question("no-such-question") is None


def test_a_role_is_asked_its_own_questions_and_those_that_open_every_interview(bank: Bank) -> None:
    shared = [each for each in bank.questions if each.role is None]
    for role in bank.roles:
        of_field = [each for each in shared if each.field in (role.field, "everyone")]
        if not any(each.opens for each in of_field):
            of_field += [each for each in shared if each.field is None and each.opens]
        expected = tuple(
            each
            for each in sorted(bank.questions, key=lambda each: not each.opens)
            if each.role == role.id or each in of_field
        )
        assert bank.asked(role=role.id) == expected
        in_round = tuple(each for each in expected if each.in_round("phone-screen"))
        assert bank.asked(role=role.id, round="phone-screen") == in_round
        assert {each.role for each in in_round} == {None, role.id}
    assert bank.asked() == bank.questions
    with pytest.raises(UnknownNameError, match="no role 'nobody'; it has ai-"):
        bank.asked(role="nobody")


def test_a_copy_with_other_questions_finds_those(bank: Bank) -> None:
    first, role = bank.questions[0], bank.roles[0].id
    assert bank.question(first.id) is first and bank.asked(role=role)
    other = first.model_copy(update={"id": "another", "role": role})
    copied = bank.model_copy(update={"questions": (other,)})
    assert copied.question(first.id) is None
    assert copied.question("another") is other
    assert copied.asked(role=role) == (other,)
    assert bank.question("another") is None
    same = Bank.model_validate_json(bank.model_dump_json())
    assert same == bank and same.question(first.id) == first
