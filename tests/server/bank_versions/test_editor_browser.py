"""The bank's editor and a job's page in a browser, with nothing but the keyboard."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.attempts.store import Store
from server.core.settings import ServerSettings
from server.web.app import create_app
from tests.server.bank_versions.test_text import BANK
from tests.server.conftest import make_submission
from tests.worlds.chromium import signed_in
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.served import served

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Running:
    """A server, and how a coach is known to it."""

    address: str
    secret: str


@pytest.fixture
def running(store: Store, service: Service) -> Iterator[Running]:
    accounts = AccountService(store.database)
    coach = accounts.add("carla", "coach").id
    service.of(accounts.add("ana", "candidate").id).submit(make_submission())
    secret = accounts.tokens.add(coach, "test").secret
    app = create_app(ServerSettings(database_url="sqlite://"), service=service, accounts=accounts)
    with served(app) as address:
        yield Running(address, secret)


def test_a_fault_leads_to_its_line_and_a_version_is_stored_and_graded_with(
    running: Running,
) -> None:
    signed_in(running.address, running.secret, edit_store_and_grade)


def edit_store_and_grade(page: Page) -> None:
    page.goto("/coach/bank/edit")
    page.fill("#yaml", BANK.replace("round: coding", "round: lunch", 1))
    page.focus("#yaml")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-line]")
    page.wait_for_load_state()  # its script listens
    assert "1 fault" in page.locator(":focus").inner_text()
    page.focus("[data-line]")
    page.keyboard.press("Enter")
    selected = page.evaluate(
        "(() => { const a = document.activeElement;"
        " return a.value.slice(a.selectionStart, a.selectionEnd); })()"
    )
    assert selected == "  round: lunch"
    assert page.locator(".code-lines .fault").inner_text().strip() == "3"

    page.fill("#yaml", BANK)
    page.focus("[value=save]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/coach/bank/1")
    page.get_by_role("button", name="Activate").press("Enter")
    page.get_by_text("active", exact=True).wait_for()

    page.goto("/coach/bank")
    page.get_by_role("button", name="See what would change").press("Enter")
    page.wait_for_selector("[data-job-state=done]")
    assert "1 answers graded" in page.inner_text("main")
    assert page.locator("[data-job-cancel]").count() == 0
