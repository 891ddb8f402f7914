"""Browsers keep stylesheets and scripts, and never use an old one."""

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from server.attempts.service import Service
from server.ui.headers import Assets, SecurityHeaders
from tests.worlds.people import people


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "a.js"
    path.write_text("one();")
    return path


@pytest.fixture
def browser(script: Path) -> TestClient:
    routes = [
        Mount("/static", Assets(directory=script.parent)),
        Route("/", lambda request: HTMLResponse("a page")),
    ]
    app = Starlette(routes=routes)
    app.add_middleware(SecurityHeaders)
    return TestClient(app)


def test_an_unchanged_file_is_not_sent_again(browser: TestClient) -> None:
    first = browser.get("/static/a.js")
    assert (first.status_code, first.text) == (200, "one();")
    assert first.headers["cache-control"] == "no-cache"
    again = browser.get("/static/a.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == "no-cache"
    assert again.headers["x-content-type-options"] == "nosniff"
    # without its digest a file is never taken for unchanged
    aged = browser.get(
        "/static/a.js", headers={"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    )
    assert aged.status_code == 200


def test_a_new_version_of_the_same_size_and_time_is_sent(browser: TestClient, script: Path) -> None:
    """As in packages whose files all carry one time; the server was restarted in between."""
    tag = browser.get("/static/a.js").headers["etag"]
    before = script.stat()
    script.write_text("two();")
    os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))
    from server.ui import headers

    headers._digest.cache_clear()
    fresh = browser.get("/static/a.js", headers={"If-None-Match": tag})
    assert (fresh.status_code, fresh.text) == (200, "two();")


def test_a_file_that_is_changed_while_the_server_runs_is_sent(
    browser: TestClient, script: Path
) -> None:
    tag = browser.get("/static/a.js").headers["etag"]
    script.write_text("three();")
    assert browser.get("/static/a.js", headers={"If-None-Match": tag}).text == "three();"


def test_pages_and_what_is_not_there_are_not_kept(browser: TestClient) -> None:
    for path in ("/", "/static/none.js"):
        assert browser.get(path).headers["cache-control"] == "no-store"


def test_the_server_serves_its_files_so_and_keeps_its_pages_out_of_caches(
    new_service: Callable[[], Service], make: SimpleNamespace
) -> None:
    world = people(new_service(), make.submission("I use paged attention"))
    styles = world.client().get("/static/ui/aloud.css")
    same = {"If-None-Match": styles.headers["etag"]}
    assert world.client().get("/static/ui/aloud.css", headers=same).status_code == 304
    for who, path in ((None, "/sign-in"), ("ana", "/account"), ("ana", "/api/v1/attempts")):
        assert world.client(who).get(path).headers["cache-control"] == "no-store"
