"""Signing in with a second factor, in a browser."""

import re
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient

from server.accounts.second_factor import STEP_S, new_totp_secret, totp
from server.attempts.service import Service
from server.core.clock import utc_now
from tests.server.web.test_account import PAGE, sign_in, signed_in, token_of
from tests.worlds.people import PASSWORD, People, people


@pytest.fixture
def reachable(new_service: Callable[[], Service], make: SimpleNamespace) -> People:
    submission = make.submission("I use paged attention")
    return people(new_service(), submission, {"hosts": ("aloud.example",)})


def code_at(secret: str, steps: int = 0) -> str:
    return totp(secret, int(utc_now().timestamp()) // STEP_S + steps)


def set_up(browser: TestClient) -> tuple[str, list[str]]:
    """Turns it on as a person does: the secret, and the recovery codes."""
    page = browser.get("/account/second-factor")
    assert "<svg" in page.text and page.headers["cache-control"] == "no-store"
    secret = re.search(r"Key: <code>([A-Z2-7 ]+)</code>", page.text)
    assert secret
    plain = secret[1].replace(" ", "")
    sent = {"csrftoken": token_of(page), "code": code_at(plain), "password": PASSWORD}
    done = browser.post("/account/second-factor", data=sent)
    assert done.status_code == 200, done.text
    codes = re.findall(r"<li><code>([a-z2-7-]+)</code>", done.text)
    assert len(codes) == 10
    return plain, codes


def test_a_password_alone_no_longer_opens_the_account(world: People) -> None:
    browser, _ = signed_in(world, "cleo")
    other, _ = signed_in(world, "cleo")
    secret, codes = set_up(browser)
    assert browser.get("/account").status_code == 200, "this browser proved it"
    assert other.get("/account").status_code == 303, "others sign in again"

    fresh = world.client(**PAGE)
    half = sign_in(fresh, "cleo", next="/coach/queue")
    assert (half.status_code, half.headers["location"]) == (303, "/sign-in/code")
    assert fresh.get("/coach").status_code == 303
    asked = fresh.get("/sign-in/code")
    assert "one-time-code" in asked.text and "cleo" not in asked.text.lower()
    wrong = fresh.post("/sign-in/code", data={"csrftoken": token_of(asked), "code": "000000"})
    assert wrong.status_code == 401 and "wrong" in wrong.text
    forged = fresh.post("/sign-in/code", data={"code": code_at(secret, 1)})
    assert forged.status_code == 403
    right = {"csrftoken": token_of(asked), "code": code_at(secret, 1)}
    done = fresh.post("/sign-in/code", data=right)
    assert (done.status_code, done.headers["location"]) == (303, "/coach/queue")
    assert fresh.get("/coach").status_code == 200

    lost = world.client(**PAGE)
    sign_in(lost, "cleo")
    token = token_of(lost.get("/sign-in/code"))
    assert (
        lost.post("/sign-in/code", data={"csrftoken": token, "code": codes[0]}).status_code == 303
    )
    assert lost.get("/account").status_code == 200


def test_half_a_sign_in_ends_after_minutes_and_with_the_password(
    world: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, _ = signed_in(world, "cleo")
    secret, _ = set_up(browser)
    fresh = world.client(**PAGE)
    sign_in(fresh, "cleo")
    world.accounts.end_sessions(world.by_name["cleo"].id)
    token = token_of(fresh.get("/sign-in/code"))
    late = fresh.post("/sign-in/code", data={"csrftoken": token, "code": code_at(secret, 1)})
    assert late.headers["location"] == "/sign-in", "the password was changed meanwhile"
    sign_in(fresh, "cleo")
    later = utc_now() + timedelta(minutes=6)
    monkeypatch.setattr(world.accounts, "_clock", lambda: later)
    assert fresh.get("/sign-in/code").headers["location"] == "/sign-in"
    stranger = world.client(**PAGE)
    for reply in (stranger.get("/sign-in/code"), stranger.post("/sign-in/code", data={})):
        assert reply.headers["location"] == "/sign-in"


def test_a_reset_by_link_does_not_get_around_it(world: People) -> None:
    browser, _ = signed_in(world, "cleo")
    set_up(browser)
    cleo = world.by_name["cleo"].id
    link = world.accounts.invitations.invite(cleo).secret
    thief = world.client(**PAGE)
    page = thief.get(f"/invitation/{link}")
    assert "signed in on 1 of your machines" in page.text
    new = "some new words here"
    sent = {"csrftoken": token_of(page), "password": new, "again": new}
    reply = thief.post(f"/invitation/{link}", data=sent)
    assert reply.headers["location"] == "/sign-in/code"
    assert thief.get("/account").status_code == 303
    assert world.client("cleo").get("/api/v1/attempts").status_code == 401, "its token is revoked"


def test_turning_it_off_takes_the_password(world: People) -> None:
    browser, _ = signed_in(world, "cleo")
    set_up(browser)
    token = token_of(browser.get("/account/second-factor"))
    for path in ("off", "codes"):
        sent = {"csrftoken": token, "password": "wrong password"}
        reply = browser.post(f"/account/second-factor/{path}", data=sent)
        assert reply.status_code == 401 and "password is wrong" in reply.text
    again = browser.post(
        "/account/second-factor/codes", data={"csrftoken": token, "password": PASSWORD}
    )
    assert len(re.findall(r"<li><code>", again.text)) == 10
    browser.post("/account/second-factor/off", data={"csrftoken": token, "password": PASSWORD})
    assert not world.accounts.get(world.by_name["cleo"].id).has_second_factor
    assert sign_in(world.client(**PAGE), "cleo").headers["location"] == "/"


def test_an_admin_of_a_reachable_server_needs_one(reachable: People) -> None:
    browser, _ = signed_in(reachable, "ed")
    away = browser.get("/admin/accounts")
    assert (away.status_code, away.headers["location"]) == (303, "/account/second-factor")
    assert "need a second factor" in browser.get("/account/second-factor").text
    by_token = reachable.client("ed").get("/admin/accounts")
    assert (by_token.status_code, by_token.json()["code"]) == (403, "second-factor-needed")
    set_up(browser)
    assert browser.get("/admin/accounts").status_code == 200
    assert reachable.client("ed").get("/admin/accounts").status_code == 200


def test_an_admin_removes_a_lost_one_but_not_their_own(world: People) -> None:
    cleo, ed = world.by_name["cleo"].id, world.by_name["ed"].id
    secret = new_totp_secret()
    for each in (cleo, ed):
        world.accounts.second_factors.turn_on(each, secret, code_at(secret))
    client = world.client("ed")
    assert client.post(f"/admin/accounts/{cleo}/drop-second-factor").status_code == 303
    assert client.post(f"/admin/accounts/{ed}/drop-second-factor").status_code == 403
    assert not world.accounts.get(cleo).has_second_factor
    assert world.accounts.get(ed).has_second_factor


def test_over_https_no_other_host_can_set_the_cookies(world: People) -> None:
    https = TestClient(
        world.app, base_url="https://localhost", headers=PAGE, follow_redirects=False
    )
    page = https.get("/sign-in")
    assert "; secure" in page.headers["set-cookie"].lower()
    assert page.headers["strict-transport-security"].startswith("max-age=")
    cookies = sign_in(https).headers.get_list("set-cookie")
    assert sorted(each.partition("=")[0] for each in cookies) == [
        "__Host-aloud_known",
        "__Host-aloud_session",
    ]
    for each in map(str.lower, cookies):
        assert "; secure" in each and "; path=/" in each and "path=/s" not in each
        assert "domain" not in each and "httponly" in each and "samesite=lax" in each
    assert https.get("/account").status_code == 200
    plain = https.cookies["__Host-aloud_session"]
    smuggled = world.client(**PAGE, Cookie=f"aloud_session={plain}")
    smuggled.base_url = "https://localhost"  # type: ignore[assignment]
    assert smuggled.get("/account").status_code == 303, "a cookie that http can set opens nothing"
