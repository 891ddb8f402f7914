"""The list of accounts of a large program: page by page, and found by name."""

import re
from types import SimpleNamespace

import pytest

from server.accounts.models import ROLES
from server.attempts.service import Service
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.people import People, people

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


def test_a_list_is_previewed_and_then_invited(world: People) -> None:
    browser = world.client("ed", accept="text/html")
    assert "Invite a list" in browser.get("/admin/accounts/list").text
    typed = {"list": "nina,<b>Nina</b>\nana", "cohort": str(world.spring.id)}
    before = len(world.accounts.all())

    preview = browser.post("/admin/accounts/list", data=typed)
    assert preview.status_code == 200 and "Create 1 invitation<" in preview.text
    assert "Nothing: the account exists" in preview.text and "<b>Nina" not in preview.text
    assert len(world.accounts.all()) == before

    made = browser.post("/admin/accounts/list", data=typed | {"do": "create"})
    assert made.status_code == 200 and "<b>Nina" not in made.text
    links = re.findall(r"http://localhost(/invitation/[\w-]+)", made.text)
    assert len(links) == 2 and links[0] == links[1], "in the table, and in the text to copy"
    assert world.client(accept="text/html").get(links[0]).status_code == 200
    nina = world.accounts.named("nina")
    assert nina.id in {
        each.account.id for each in world.accounts.cohorts.get(world.spring.id).members
    }

    again = browser.post("/admin/accounts/list", data=typed | {"do": "create"})
    assert "already has an account" in again.text


def test_a_list_with_a_fault_invites_nobody(world: People) -> None:
    browser = world.client("ed", accept="text/html")
    before = world.accounts.all()
    reply = browser.post("/admin/accounts/list", data={"list": "nina\n? ?", "do": "create"})
    assert reply.status_code == 422 and "1 line to correct" in reply.text
    assert "Create 1" not in reply.text and world.accounts.all() == before
    empty = browser.post("/admin/accounts/list", data={"list": " \n", "cohort": "x"})
    assert empty.status_code == 422 and "The list is empty" in empty.text
