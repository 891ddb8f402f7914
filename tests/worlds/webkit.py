"""Real WebKit for tests: Debian's WebKitGTK, driven by its own WebDriver."""

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.worlds.browser_page import TIMEOUT_S, Page
from tests.worlds.ports import free_port

DRIVER: Final = Path("/usr/bin/WebKitWebDriver")
SCREEN: Final = Path("/usr/bin/Xvfb")
NO_WEBKIT: Final = "no WebKit: apt install webkit2gtk-driver xvfb"
BROWSERS: Final = tuple(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"))
"""Debian puts it into the folder of the machine's kind."""
IS_THERE: Final = DRIVER.exists() and SCREEN.exists() and bool(BROWSERS)
ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's id; source: W3C WebDriver, section 12."""
_SCREEN_SIZE: Final = "1400x1000x24"


class WebKitPage(Page):
    """The one tab of a WebKit; see ``Page``."""

    def __init__(self, driver_url: str, browser: Path) -> None:
        self._session = driver_url
        options = {"binary": str(browser), "args": ["--automation", "--enable-media-stream=true"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        made = self._call("POST", "/session", capabilities=wanted)
        self._session += f"/session/{made['sessionId']}"
        self._call("POST", "/timeouts", script=round(TIMEOUT_S * 1000))

    def goto(self, url: str) -> None:
        self._call("POST", "/url", url=url)

    def evaluate(self, expression: str) -> Any:
        return self._call("POST", "/execute/sync", script=f"return {expression}", args=[])

    def click(self, selector: str) -> None:
        self.wait_for_element(selector)
        found = self._call("POST", "/element", using="css selector", value=selector)
        self._call("POST", f"/element/{found[ELEMENT]}/click")

    def resize(self, width_px: int, height_px: int) -> None:
        """Show the page in so many pixels; the window's frame takes some more."""
        self._call("POST", "/window/rect", width=width_px, height=height_px)

    def close(self) -> None:
        """End the browser."""
        self._call("DELETE", "")

    def _call(self, method: str, path: str, **params: Any) -> Any:
        body = json.dumps(params).encode() if method == "POST" else None
        request = urllib.request.Request(self._session + path, data=body, method=method)
        try:
            with urllib.request.urlopen(request, timeout=2 * TIMEOUT_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise LookupError(f"{method} {path}: {error.read().decode()[:500]}") from error


@contextmanager
def webkit(environment: Mapping[str, str]) -> Iterator[WebKitPage]:
    """A WebKit on a screen of its own.

    Args:
        environment: leads it to the sound server whose microphone it records.
    """
    if not IS_THERE:
        pytest.skip(NO_WEBKIT)
    with tempfile.TemporaryDirectory(prefix="aloud-webkit-") as folder, _screen() as display:
        port = free_port()
        # a container gives WebKit no namespaces of its own to lock its processes in
        own = {"HOME": folder, "DISPLAY": display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        driver = subprocess.Popen(
            [DRIVER, f"--port={port}"],
            env={**os.environ, **environment, **own},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for_port(port, driver)
            page = WebKitPage(f"http://127.0.0.1:{port}", BROWSERS[0])
            try:
                yield page
            finally:
                page.close()
        finally:
            driver.terminate()
            driver.wait(TIMEOUT_S)


@contextmanager
def _screen() -> Iterator[str]:
    """An X server without a screen; it writes the number of the display that it found free."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [SCREEN, "-displayfd", str(writing), "-screen", "0", _SCREEN_SIZE, "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as numbers:
            yield f":{numbers.readline().strip()}"
    finally:
        server.terminate()
        server.wait(TIMEOUT_S)


def _wait_for_port(port: int, driver: "subprocess.Popen[bytes]") -> None:
    end_s = time.monotonic() + TIMEOUT_S
    while driver.poll() is None and time.monotonic() < end_s:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail("WebKitWebDriver does not listen")
