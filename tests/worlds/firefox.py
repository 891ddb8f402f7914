"""Real Firefox for tests, driven by WebDriver BiDi: Debian's own has no other driver's protocol."""

import itertools
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.worlds.browser_page import TIMEOUT_S, Page

FIREFOX: Final = Path("/usr/bin/firefox-esr")
NO_FIREFOX: Final = "no Firefox: apt install firefox-esr"
LOG: Final = "stderr.log"
_PREFERENCES: Final[Mapping[str, object]] = {
    "media.navigator.permission.disabled": True,  # the microphone is allowed
    "media.autoplay.default": 0,
    "media.autoplay.blocking_policy": 0,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,
}


class FirefoxPage(Page):
    """The one tab of a Firefox; ``faults`` are the errors that scripts raised."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.faults: list[str] = []
        self._call("session.new", capabilities={})
        self._call("session.subscribe", events=["log.entryAdded"])
        [tab] = self._call("browsingContext.getTree")["contexts"]
        self._tab: str = tab["context"]

    def goto(self, url: str) -> None:
        """Open an address and wait until it is loaded."""
        self._call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def resize(self, width_px: int, height_px: int) -> None:
        """Show the page in so many pixels."""
        viewport = {"width": width_px, "height": height_px}
        self._call("browsingContext.setViewport", context=self._tab, viewport=viewport)

    def evaluate(self, expression: str) -> Any:
        """What an expression of JavaScript gives, as JSON could hold it."""
        result = self._call(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        value = result["result"].get("value")
        return None if value is None else json.loads(value)

    def click(self, selector: str) -> None:
        """Click in the middle of an element, as a hand does."""
        self.wait_for_element(selector)
        found = self._call(
            "script.evaluate",
            expression=f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center', behavior: 'instant'}); return e; })()",
            target={"context": self._tab},
            awaitPromise=False,
        )
        # where it is then: the page may move between two calls
        origin = {"type": "element", "element": {"sharedId": found["result"]["sharedId"]}}
        actions = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "hand", "actions": actions}
        self._call("input.performActions", context=self._tab, actions=[pointer])

    def press(self, key: str) -> None:
        """Press and release a key."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        keys = {"type": "key", "id": "keys", "actions": actions}
        self._call("input.performActions", context=self._tab, actions=[keys])

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=TIMEOUT_S))
            if answer.get("type") == "event":
                self._note(answer)
            elif answer.get("id") == number:
                if answer.get("type") == "error":
                    raise LookupError(f"{method}: {answer['error']}: {answer['message']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _note(self, event: dict[str, Any]) -> None:
        entry = event["params"]
        if entry.get("level") == "error" and entry.get("type") == "javascript":
            self.faults.append(str(entry.get("text")))


@contextmanager
def firefox(environment: Mapping[str, str]) -> Iterator[FirefoxPage]:
    """A Firefox with a profile of its own; no script may have raised.

    Args:
        environment: leads it to the sound server whose microphone it records.
    """
    if not FIREFOX.exists():
        pytest.skip(NO_FIREFOX)
    with tempfile.TemporaryDirectory(prefix="aloud-firefox-") as folder:
        profile = Path(folder)
        lines = [f"user_pref({json.dumps(n)}, {json.dumps(v)});" for n, v in _PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        options = ["--headless", "--no-remote", "--remote-debugging-port=0"]
        with (profile / LOG).open("wb") as log:
            process = subprocess.Popen(
                [FIREFOX, *options, "--profile", folder],
                env={**os.environ, **environment, "HOME": folder, "MOZ_CRASHREPORTER_DISABLE": "1"},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        try:
            address = _address_of(profile / LOG, process)
            with connect(f"{address}/session", max_size=None, open_timeout=TIMEOUT_S) as socket:
                page = FirefoxPage(socket)
                yield page
                assert page.faults == []
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address_of(log: Path, process: "subprocess.Popen[bytes]") -> str:
    """What it writes once it listens: ``WebDriver BiDi listening on ws://127.0.0.1:PORT``."""
    end_s = time.monotonic() + TIMEOUT_S
    while process.poll() is None and time.monotonic() < end_s:
        for line in log.read_text("utf-8", "replace").splitlines():
            if "WebDriver BiDi listening on" in line:
                return line.split()[-1]
        time.sleep(0.1)
    pytest.fail(f"Firefox does not listen: {log.read_text('utf-8', 'replace')[-500:]}")
