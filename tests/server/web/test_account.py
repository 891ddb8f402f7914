"""Signing in with a browser: sessions, forms, headers, and what others try with them."""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from types import SimpleNamespace
from urllib.parse import quote

import httpx
import pytest
from fastapi.testclient import TestClient
from itsdangerous import TimestampSigner, URLSafeTimedSerializer

from server.accounts.throttle import PER_NAME_AND_ADDRESS
from server.attempts.service import Service
from server.core.errors import StoreError
from server.core.settings import ServerSettings
from server.web.app import create_app
from server.web.http.gate import SESSION_COOKIE
from tests.worlds.people import PASSWORD, People

PAGE = {"Accept": "text/html"}


@pytest.fixture
def browser(world: People) -> TestClient:
    return world.client(**PAGE)


def token_of(page: httpx.Response) -> str:
    """What the page's forms send along."""
    found = re.search(r'name="csrftoken" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


def sign_in(
    browser: TestClient, name: str = "ana", password: str = PASSWORD, **fields: str
) -> httpx.Response:
    token = token_of(browser.get("/sign-in"))
    sent = {"csrftoken": token, "name": name, "password": password, **fields}
    return browser.post("/sign-in", data=sent)


def signed_in(world: People, name: str) -> tuple[TestClient, str]:
    """A browser that is signed in, and its forms' token."""
    browser = world.client(**PAGE)
    assert sign_in(browser, name).status_code == 303
    return browser, token_of(browser.get("/account"))


def test_a_page_leads_to_signing_in_and_back(browser: TestClient) -> None:
    away = browser.get("/account?tab=tokens")
    assert (away.status_code, away.headers["location"]) == (
        303,
        "/sign-in?next=/account%3Ftab%3Dtokens",
    )
    page = browser.get(away.headers["location"])
    assert 'value="/account?tab=tokens"' in page.text
    back = sign_in(browser, next="/account?tab=tokens")
    assert (back.status_code, back.headers["location"]) == (303, "/account?tab=tokens")
    assert "Ana" in browser.get("/account").text
    again = browser.get("/sign-in?next=/jobs")
    assert (again.status_code, again.headers["location"]) == (303, "/jobs")


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example", "//evil.example", "/\\evil.example", "evil", "javascript:alert(1)",
     "/a\nb", "\\\\evil.example", "/%0d\x00"],
)  # fmt: skip
def test_signing_in_never_leads_elsewhere(browser: TestClient, elsewhere: str) -> None:
    assert sign_in(browser, next=elsewhere).headers["location"] == "/"


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(browser: TestClient) -> None:
    """Over https: ``test_second_factor``."""
    cookie = sign_in(browser).headers["set-cookie"].lower()
    assert "aloud_session=" in cookie
    assert "httponly" in cookie and "samesite=lax" in cookie and "secure" not in cookie


@pytest.mark.parametrize(("name", "password"), [("ana", "wrong password"), ("nobody", PASSWORD)])
def test_a_wrong_sign_in_keeps_the_name_and_not_the_password(
    browser: TestClient, name: str, password: str
) -> None:
    reply = sign_in(browser, name, password)
    assert reply.status_code == 401
    assert f'value="{name}"' in reply.text and "Name or password is wrong." in reply.text
    assert password not in reply.text
    assert browser.get("/account").status_code == 303


def test_too_many_wrong_passwords_are_told_with_the_time_to_wait(browser: TestClient) -> None:
    for _ in range(PER_NAME_AND_ADDRESS):
        assert sign_in(browser, password="wrong password").status_code == 401
    reply = sign_in(browser)
    assert reply.status_code == 429
    assert 0 < int(reply.headers["retry-after"]) <= 900
    assert "try again in" in reply.text


def test_signing_out_ends_the_session_of_this_browser(world: People) -> None:
    browser, token = signed_in(world, "ana")
    other, _ = signed_in(world, "ana")
    assert browser.post("/sign-out", data={"csrftoken": token}).status_code == 303
    assert browser.get("/account").status_code == 303
    assert other.get("/account").status_code == 200


def test_a_copy_of_the_cookie_opens_nothing_once_its_browser_signed_out(world: People) -> None:
    browser, token = signed_in(world, "ana")
    copied = {"Cookie": f"{SESSION_COOKIE}={browser.cookies[SESSION_COOKIE]}"}
    thief = world.client(**PAGE)
    assert thief.get("/account", headers=copied).status_code == 200
    browser.post("/sign-out", data={"csrftoken": token})
    assert thief.get("/account", headers=copied).status_code == 303
    assert sign_in(browser, "ana").status_code == 303
    assert browser.get("/account").status_code == 200
    assert thief.get("/account", headers=copied).status_code == 303


def test_a_cookie_that_names_no_session_is_none(world: People) -> None:
    ana = world.by_name["ana"]
    kept = {"account": ana.id, "epoch": ana.session_epoch}
    signed = TimestampSigner(world.accounts.secret()).sign(b64encode(json.dumps(kept).encode()))
    cookie = {"Cookie": f"{SESSION_COOKIE}={signed.decode()}"}
    assert world.client(**PAGE).get("/account", headers=cookie).status_code == 303


def test_signing_out_everywhere_ends_all_and_leaves_tokens(world: People) -> None:
    browser, token = signed_in(world, "ana")
    other, _ = signed_in(world, "ana")
    browser.post("/account/sign-out-everywhere", data={"csrftoken": token})
    assert [each.get("/account").status_code for each in (browser, other)] == [303, 303]
    assert world.client("ana").get("/api/v1/attempts").status_code == 200


def test_nobody_is_signed_in_as_somebody_else_by_a_foreign_form(browser: TestClient) -> None:
    reply = browser.post("/sign-in", data={"name": "ana", "password": PASSWORD})
    assert reply.status_code == 403
    assert "aloud_session" not in browser.cookies


def test_a_token_and_a_cookie_together_count_as_the_token(world: People) -> None:
    browser, _ = signed_in(world, "ed")
    known = {"Authorization": f"Bearer {world.tokens['ana']}"}
    assert browser.get("/admin/accounts", headers=known).status_code == 403
    for wrong in ("Bearer nonsense", "bearer nonsense", "BEARER " + world.tokens["revoked"]):
        reply = browser.post(
            "/admin/accounts", data={"name": "mallory"}, headers={"Authorization": wrong}
        )
        assert reply.status_code in (401, 403)
    assert {each.name for each in world.accounts.all()} == set(world.by_name)


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def test_what_people_type_is_shown_as_text(world: People) -> None:
    world.accounts.change(world.by_name["ana"].id, role="candidate", display_name=HOSTILE[:80])
    world.accounts.cohorts.change(world.spring.id, name=HOSTILE[:80], audio_days=None)
    world.accounts.tokens.add(world.by_name["ed"].id, HOSTILE[:80])
    browser, token = signed_in(world, "ed")
    pages = [browser.get(path) for path in ("/account", "/admin/accounts", "/admin/cohorts")]
    pages.append(
        browser.post(
            "/admin/accounts", data={"csrftoken": token, "name": HOSTILE, "display_name": HOSTILE}
        )
    )
    pages.append(sign_in(world.client(**PAGE), HOSTILE, HOSTILE))
    pages.append(world.client(**PAGE).get("/sign-in?next=" + quote("/" + HOSTILE)))
    pages.append(browser.get("/invitation/" + quote(HOSTILE, safe="")))
    for page in pages:
        assert "<script>alert" not in page.text and "<img src=x" not in page.text
    assert all("&lt;script&gt;alert(1)" in page.text for page in pages[:4])


def test_an_invitation_in_the_browser(world: People) -> None:
    browser, token = signed_in(world, "ed")
    made = browser.post(
        "/admin/accounts",
        data={"csrftoken": token, "name": "fay", "role": "coach", "cohort": world.autumn.id},
    )
    link = re.search(r"http://localhost(/invitation/[\w-]+)", made.text)
    assert link
    guest = world.client(**PAGE)
    page = guest.get(link[1])
    assert "Welcome, fay" in page.text
    sent = {"csrftoken": token_of(page), "password": "short", "again": "short"}
    assert "at least 10 characters" in guest.post(link[1], data=sent).text.lower()
    sent |= {"password": PASSWORD, "again": "something else"}
    assert "passwords differ" in guest.post(link[1], data=sent).text
    sent |= {"again": PASSWORD}
    assert guest.post(link[1], data=sent).headers["location"] == "/account"
    assert "autumn" in guest.get("/account").text
    assert guest.get(link[1]).status_code == 404
    members = world.accounts.cohorts.get(world.autumn.id).members
    assert ("fay", "coach") in [(each.account.name, each.as_role) for each in members]


def test_tokens_and_password_on_the_account_page(world: People) -> None:
    browser, token = signed_in(world, "ana")
    page = browser.post("/account/tokens", data={"csrftoken": token, "label": "tablet"})
    secret = re.search(r"aloud_[\w-]{43}", page.text)
    assert secret
    known = {"Authorization": f"Bearer {secret[0]}"}
    assert world.client(**known).get("/api/v1/attempts").json()["total"] == 1
    assert secret[0] not in browser.get("/account").text
    new = next(
        each for each in world.accounts.tokens.of(world.by_name["ana"].id) if each.label == "tablet"
    )
    browser.post(f"/account/tokens/{new.id}/revoke", data={"csrftoken": token})
    assert world.client(**known).get("/api/v1/attempts").status_code == 401
    wrong = {"csrftoken": token, "old": "not it at all", "password": "b" * 5, "again": "b" * 5}
    assert "old password is wrong" in browser.post("/account/password", data=wrong).text
    right = {"old": PASSWORD, "password": "another good one", "again": "another good one"}
    reply = browser.post("/account/password", data={"csrftoken": token, **right})
    assert "Your password has been changed" in reply.text
    assert browser.get("/account").status_code == 200  # this browser stays
    assert sign_in(world.client(**PAGE)).status_code == 401


def test_leaving_takes_everything_along_and_leaves_nothing(
    world: People, make: SimpleNamespace
) -> None:
    mine = world.of("ana")
    for _ in range(25):  # more than a page
        mine.submit(make.submission())
    browser, token = signed_in(world, "ana")
    archive = browser.get("/account/export")
    assert "attachment" in archive.headers["content-disposition"]
    assert archive.json() | {"exported_at": None} == mine.export_all().model_dump(
        mode="json", exclude={"next_after_id"}
    ) | {"exported_at": None}
    wrong = browser.post("/account/delete", data={"csrftoken": token, "password": "not it"})
    assert "The password is wrong." in wrong.text and mine.history().total == 26
    gone = browser.post("/account/delete", data={"csrftoken": token, "password": PASSWORD})
    assert gone.headers["location"] == "/sign-in"
    assert mine.history().total == 0
    assert browser.get("/account").status_code == 303
    assert "ana" not in {each.name for each in world.accounts.all()}


def test_an_account_is_deleted_only_by_its_name(world: People) -> None:
    browser, token = signed_in(world, "ed")
    path = f"/admin/accounts/{world.by_name['ana'].id}/delete"
    assert "Nothing is deleted" in browser.post(path, data={"csrftoken": token, "name": "ben"}).text
    assert browser.post(path, data={"csrftoken": token, "name": " Ana "}).status_code == 303
    assert world.of("ana").history().total == 0


def test_a_failure_is_a_page_for_people_and_a_problem_for_programs(world: People) -> None:
    browser, _ = signed_in(world, "ana")
    page = browser.get("/admin/accounts")
    assert page.status_code == 403 and "may not manage accounts" in page.text
    assert page.headers["content-type"].startswith("text/html")
    reply = world.client("ana").get("/admin/accounts")
    assert reply.json()["code"] == "not-allowed"
    missing = browser.get("/nothing/here")
    assert missing.status_code == 404 and "Go to the home page" in missing.text


@pytest.mark.parametrize(
    "settings", [{"reachable": True}, {"hosts": ("localhost", "aloud.example.org")}]
)
def test_a_reachable_server_without_accounts_serves_nobody(
    new_service: Callable[[], Service], settings: dict[str, object]
) -> None:
    service = new_service()
    app = create_app(
        ServerSettings.model_validate({"database_url": "sqlite://", **settings}), service=service
    )
    client = TestClient(app, base_url="http://localhost")
    reply = client.get("/api/v1/attempts")
    assert (reply.status_code, reply.json()["code"]) == (503, "no-accounts")
    assert "aloud user add" in reply.json()["detail"]
    assert client.get("/healthz").status_code == 200


def test_the_first_account_closes_an_open_server_at_once_and_for_good(
    new_service: Callable[[], Service], make: SimpleNamespace
) -> None:
    service = new_service()
    service.submit(make.submission())
    app = create_app(ServerSettings(database_url="sqlite://"), service=service)
    client = TestClient(app, base_url="http://localhost")
    assert client.get("/api/v1/attempts").json()["total"] == 1
    assert "Aloud server" in client.get("/", headers=PAGE).text
    refused = client.get("/coach", headers=PAGE)
    assert refused.status_code == 403
    assert "<code>aloud user add NAME --role admin</code>" in refused.text
    assert "Go to the home page" in refused.text
    accounts = app.state.context.accounts
    ana = accounts.add("ana", "candidate")
    assert client.get("/api/v1/attempts").status_code == 401
    known = {"Authorization": f"Bearer {accounts.tokens.add(ana.id, 'laptop').secret}"}
    assert client.get("/api/v1/attempts", headers=known).json()["total"] == 0
    accounts.delete(ana.id)
    assert client.get("/api/v1/attempts").status_code == 401


def test_a_database_that_fails_lets_nobody_in(
    world: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(world.accounts, "actor_of_token", fail)
    reply = world.client("ana").get("/api/v1/attempts")
    assert (reply.status_code, reply.json()["code"]) == (503, "store-unusable")


def test_strangers_do_not_lock_out_a_browser_that_signed_in_before(world: People) -> None:
    browser, token = signed_in(world, "ana")
    browser.post("/sign-out", data={"csrftoken": token})
    stranger = world.client(**PAGE)
    for _ in range(PER_NAME_AND_ADDRESS):
        assert sign_in(stranger, "ana", "wrong password").status_code == 401
    # from the same address, as behind one router
    assert sign_in(stranger, "ana").status_code == 429
    assert sign_in(browser, "ana").status_code == 303


def test_the_mark_of_a_known_browser_is_kept_from_scripts_and_other_pages(
    world: People, browser: TestClient
) -> None:
    marks = [
        each
        for each in sign_in(browser).headers.get_list("set-cookie")
        if each.startswith("aloud_known=")
    ]
    assert len(marks) == 1
    for part in ("httponly", "samesite=lax", "path=/sign-in", "max-age="):
        assert part in marks[0].lower()
    # what stands in it, and not its base64, in which any three letters may stand by chance
    mark = marks[0].split(";")[0].removeprefix("aloud_known=")
    readable, content = URLSafeTimedSerializer("another key").loads_unsafe(mark)
    assert not readable, "it is signed with the server's own key"
    assert all(re.fullmatch("[0-9a-f]+", part) for part in content), "digests, and no name"
