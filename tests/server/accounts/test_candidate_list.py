"""A list of candidates becomes accounts with invitations: all of them or none."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from server.accounts.candidate_list import MOST_CANDIDATES, invite_all, read_list
from server.accounts.service import AccountService
from server.core.errors import ConflictError, InvalidInputError, NotFoundError
from server.db.tables import AuditRow


@pytest.mark.parametrize(
    "text",
    [
        "ana.silva,Ana Silva\nben,Ben\n",
        "\ufeffName;Shown name\r\nana.silva;Ana Silva\r\n\r\nben;Ben",
        "ana.silva\tAna  Silva\t\nben\tBen\t\n\t\n",
        'e-mail, name\n"ana.silva", "Ana Silva"\n Ben , Ben\n',
    ],
)
def test_names_come_from_any_csv(accounts: AccountService, text: str) -> None:
    found = read_list(accounts, text)
    assert [(each.name, each.display_name, each.fault) for each in found] == [
        ("ana.silva", "Ana Silva", ""),
        ("ben", "Ben", ""),
    ]


def test_a_name_alone_is_shown_as_it_was_typed(accounts: AccountService) -> None:
    (found,) = read_list(accounts, "Ana.Silva")
    assert (found.name, found.display_name) == ("ana.silva", "Ana.Silva")


def test_faults_stand_on_their_lines(accounts: AccountService) -> None:
    accounts.add("old", "candidate")
    found = read_list(accounts, "name\nana\nno good name\nANA\nold\nx,X,Y\n")
    assert [(each.line, bool(each.fault), each.has_account) for each in found] == [
        (2, False, False),
        (3, True, False),
        (4, True, False),
        (5, False, True),
        (6, True, False),
    ]
    assert "already on the list" in found[2].fault and "two columns" in found[4].fault
    with pytest.raises(InvalidInputError, match="nobody was invited"):
        invite_all(accounts, found)
    assert [each.name for each in accounts.all()] == ["old"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("name\n\n", "empty"),
        ('"ana', "line 1 is not CSV"),
        ("\n".join(f"c{each}" for each in range(MOST_CANDIDATES + 1)), "at most 300"),
    ],
)
def test_what_is_no_list_is_refused(accounts: AccountService, text: str, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        read_list(accounts, text)


def test_everybody_new_is_invited_into_the_cohort(accounts: AccountService) -> None:
    admin = accounts.add("ed", "admin")
    accounts.add("old", "candidate")
    cohort = accounts.cohorts.add("spring")
    invited = invite_all(
        accounts, read_list(accounts, "ana,Ana\nold\nben"), cohort_id=cohort.id, by=admin.id
    )
    assert [each.account.name for each in invited] == ["ana", "ben"]
    for each in invited:
        assert accounts.invitations.account(each.secret) == each.account
    members = accounts.cohorts.get(cohort.id).members
    assert [(each.account.name, each.as_role) for each in members] == [
        ("ana", "candidate"),
        ("ben", "candidate"),
    ]
    with accounts.database.read() as session:
        noted = session.scalars(select(AuditRow.action).where(AuditRow.actor_id == admin.id)).all()
    assert sorted(noted) == sorted(
        ["account.add.candidate", "cohort.assign.candidate", "invitation.add"] * 2
    )


@pytest.mark.every_database
def test_a_name_taken_meanwhile_invites_nobody(accounts: AccountService) -> None:
    found = read_list(accounts, "ana\nben")
    accounts.add("ben", "candidate")
    with pytest.raises(ConflictError, match="nobody was invited"):
        invite_all(accounts, found)
    assert [each.name for each in accounts.all()] == ["ben"]


def test_a_cohort_that_is_gone_invites_nobody(accounts: AccountService) -> None:
    with pytest.raises(NotFoundError):
        invite_all(accounts, read_list(accounts, "ana"), cohort_id=99)
    assert accounts.all() == ()


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_a_list_or_one_clear_error(accounts: AccountService, text: str) -> None:
    try:
        found = read_list(accounts, text)
    except InvalidInputError:
        return
    good = [each for each in found if not each.fault]
    assert len({each.name for each in good}) == len(good)
