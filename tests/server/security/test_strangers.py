"""What strangers and other browsers get: no file's name, no driver's text, no other's form."""

import re
from pathlib import Path

import pytest
from sqlalchemy import select, update

from server.db.tables import AuditRow, JobFileRow
from tests.server.security.test_attacks import runs_in
from tests.server.web.test_account import PAGE, sign_in, signed_in, token_of
from tests.worlds.people import PASSWORD, People


def test_a_broken_database_is_told_without_its_place_or_its_drivers_words(world: People) -> None:
    known, stranger, page = world.client("ana"), world.client(), world.client("ana", **PAGE)
    path = Path(str(world.service.database.engine.url.database))
    world.service.database.close()
    path.write_bytes(b"no database at all" * 100)
    for client, asked in (
        (stranger, "/healthz"),
        (stranger, "/readyz"),
        (stranger, "/sign-in"),
        (stranger, f"/s/{world.link}"),
        (known, "/api/v1/attempts"),
        (known, "/api/v1/drills/queue"),
        (page, "/account"),
    ):
        reply = client.get(asked)
        assert reply.status_code >= 500 or asked == "/sign-in", asked
        for secret in (str(path.parent), path.name, "sqlite", "not a database", "Traceback"):
            assert secret not in reply.text, asked
    posted = stranger.post("/sign-in", data={"name": "ana", "password": PASSWORD})
    assert str(path.parent) not in posted.text


def test_a_forms_token_is_worth_nothing_in_another_session(world: People) -> None:
    own, token = signed_in(world, "ana")
    others = signed_in(world, "ben")[1]
    before = world.client(**PAGE)
    anonymous = token_of(before.get("/sign-in"))
    for wrong in (others, anonymous, token[:-1], token.upper(), "", "ü"):
        reply = own.post("/account/tokens", data={"csrftoken": wrong, "label": "x"})
        assert (reply.status_code, "not from a page of this server" in reply.text) == (403, True)
    assert own.post("/account/tokens", data={"csrftoken": token, "label": "x"}).status_code == 200


def test_signing_in_again_makes_old_forms_worthless(world: People) -> None:
    browser = world.client(**PAGE)
    visit = token_of(browser.get("/sign-in"))
    assert sign_in(browser).status_code == 303
    first = token_of(browser.get("/account"))
    assert first != visit
    browser.post("/sign-out", data={"csrftoken": first})
    assert sign_in(browser).status_code == 303
    for old in (visit, first):
        reply = browser.post("/account/tokens", data={"csrftoken": old, "label": "x"})
        assert reply.status_code == 403


def test_a_cookie_planted_by_another_site_of_the_domain_makes_no_form_valid(world: People) -> None:
    browser, _ = signed_in(world, "ana")
    planted = signed_in(world, "ben")[1]
    for name in ("csrftoken", "aloud_csrf"):
        browser.cookies.set(name, planted, domain="localhost.local")
    reply = browser.post("/account/tokens", data={"csrftoken": planted, "label": "x"})
    assert reply.status_code == 403


def test_who_stored_and_activated_a_version_of_the_bank_is_in_the_audit(world: People) -> None:
    browser, token = signed_in(world, "cleo")
    sent = {"csrftoken": token, "yaml": "", "lexicon_yaml": "", "note": "first", "do": "save"}
    assert browser.post("/coach/bank/edit", data=sent).status_code == 303
    for path in ("/coach/bank/1/activate", "/coach/bank/none/activate"):
        assert browser.post(path, data={"csrftoken": token}).status_code == 303, path
    with world.service.database.read() as session:
        rows = session.execute(
            select(AuditRow.actor_id, AuditRow.action, AuditRow.object)
            .where(AuditRow.action.like("bank.%"))
            .order_by(AuditRow.id)
        ).all()
    cleo = world.by_name["cleo"].id
    assert [tuple(row) for row in rows] == [
        (cleo, "bank.add", "bank version 1"),
        (cleo, "bank.activate", "bank version 1"),
        (cleo, "bank.activate", "no bank version"),
    ]


@pytest.mark.parametrize(
    "name",
    ['../../etc/"passwd"', "a\r\nSet-Cookie: x=y", "\u202egpj.exe", "..\\x", "%2e%2e%2fx", "é"],
)
def test_a_files_name_stays_inside_its_header_and_its_folder(world: People, name: str) -> None:
    with world.service.database.write() as session:
        session.execute(update(JobFileRow).values(name=name))
    reply = world.client("ana").get(f"/api/v1/jobs/{world.extra['job_id']}/file")
    assert reply.status_code == 200
    sent = reply.headers["content-disposition"]
    assert sent.isascii() and sent.isprintable()
    assert "set-cookie" not in reply.headers
    plain = re.fullmatch(r"attachment; filename=\"([^\"\\%]*)\"; filename\*=UTF-8''\S*", sent)
    assert plain and "/" not in plain[1]


REORDERING = "good\u202e reven \u2066x\u2069 answer"


def test_characters_that_reorder_text_are_shown_and_kept(world: People) -> None:
    attempt = f"/api/v1/attempts/{world.attempt.id}"
    said = world.client("cleo").post(
        f"{attempt}/comments", json={"kind": "answer", "text": REORDERING, "external_id": "ab" * 16}
    )
    assert said.json()["comments"][0]["text"] == REORDERING
    page = world.client("cleo", **PAGE).get(f"/coach/attempts/{world.attempt.id}").text
    shown, _, typed = page.partition("<textarea")
    assert "good[U+202E] reven [U+2066]x[U+2069] answer" in shown
    assert "\u202e" not in shown
    assert REORDERING in typed, "what is sent back stays as it was typed"
    assert runs_in(page) == []


def test_the_owner_deletes_a_single_comment_of_somebody_without_an_account(world: People) -> None:
    link = f"/s/{world.link}/attempts/{world.attempt.id}"
    guest = world.client(**PAGE)
    sent = {"csrftoken": token_of(guest.get(link)), "signed": "Dr. Who", "kind": "answer"}
    for text in ("rude", "kind"):
        assert guest.post(f"{link}/comments", data=sent | {"text": text}).status_code == 303
    attempt = f"/api/v1/attempts/{world.attempt.id}"
    by_cleo = {"kind": "answer", "text": "hers", "external_id": "cd" * 16}
    world.client("cleo").post(f"{attempt}/comments", json=by_cleo)
    written = {
        each["text"]: each
        for each in world.client("ana").get(f"{attempt}/review").json()["comments"]
    }
    assert {text: each["no_account"] for text, each in written.items()} == {
        "rude": True,
        "kind": True,
        "hers": False,
    }
    rude = f"{attempt}/comments/{written['rude']['external_id']}"
    for who in ("cleo", "ben", "ed"):
        assert world.client(who).delete(rude).status_code in (403, 404)
    ana = world.client("ana")
    assert ana.delete(f"{attempt}/comments/{'cd' * 16}").status_code == 403
    assert ana.delete(rude).status_code == 204
    assert ana.delete(rude).status_code == 404
    left = ana.get(f"{attempt}/review").json()["comments"]
    assert {each["text"] for each in left} == {"kind", "hers"}
