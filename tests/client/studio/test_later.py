"""An application that is made when it is needed first."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from client.studio.app import DeferredApp


def test_it_is_made_once_by_the_first_that_needs_it() -> None:
    made: list[str] = []

    def make() -> Starlette:
        made.append(threading.current_thread().name)
        time.sleep(0.05)
        return Starlette(routes=[Route("/there", lambda _: PlainTextResponse("yes"))])

    later = DeferredApp(make)
    assert made == []
    with ThreadPoolExecutor(4) as pool:
        apps = [each.result() for each in [pool.submit(later.get_ready) for _ in range(4)]]
    assert len(made) == 1 and len(set(map(id, apps))) == 1
    client = TestClient(later)
    assert client.get("/there").text == "yes"
    assert client.get("/elsewhere").status_code == 404
    assert len(made) == 1


def test_what_fails_is_tried_again() -> None:
    answers = iter([OSError("no"), Starlette()])

    def make() -> Starlette:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    later = DeferredApp(make)
    with pytest.raises(OSError, match="no"):
        later.get_ready()
    assert TestClient(later).get("/").status_code == 404
