"""The list of accounts of a large program: page by page, and found by name."""

import re
from types import SimpleNamespace

import pytest

from server.accounts.models import ROLES
from server.attempts.service import Service
from tests.server.people import People, people

MANY = 60


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    made = people(service, make.submission("I use paged attention"))
    for number in range(MANY):
        made.accounts.add(f"x{number:02}", ROLES[0], display_name=f"Xenia Ö. {number:02}")
    return made


def listed(world: People, **query: str) -> tuple[list[str], str]:
    """The sign-in names that the page lists, and the page."""
    page = world.client("ed", accept="text/html").get("/admin/accounts", params=query)
    assert page.status_code == 200
    return re.findall(r"Type (\S+) to delete", page.text), page.text


def test_every_account_is_on_one_of_the_pages(world: People) -> None:
    first, page = listed(world)
    assert "65 accounts" in page and "Page 1 of 2" in page
    second, _ = listed(world, page="2")
    assert (len(first), len(second)) == (50, 15)
    assert {*first, *second} == {each.name for each in world.accounts.all()}
    beyond, page = listed(world, page="9")
    assert beyond == [] and "Nobody matches" in page


@pytest.mark.parametrize(
    ("sought", "names"), [("X0", 10), (" ö. 17 ", 1), ("ana", 1), ("<b>", 0), ("%", 0)]
)
def test_accounts_are_found_by_a_piece_of_either_name(
    world: People, sought: str, names: int
) -> None:
    found, page = listed(world, find=sought)
    assert len(found) == names and "65 accounts" in page
    assert "<b>" not in page
    assert ("Show all" in page) and ("Nobody matches" in page) == (names == 0)


def test_a_small_program_needs_no_search(service: Service, make: SimpleNamespace) -> None:
    found, page = listed(people(service, make.submission("I use paged attention")))
    assert len(found) == 5 and 'id="find"' not in page
