"""Real Chromium for tests."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

T = TypeVar("T")

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
"""Chromium without the parts that show windows: a third less processor time for the same pages."""
NO_CHROMIUM = "no Chromium: apt install chromium-headless-shell"
TIMEOUT_MS = 60_000
"""Machines that run other tests at the same time are slow."""


def in_a_browser(drive: Callable[[Browser], T]) -> T:
    """What ``drive`` returns for a browser whose profiles are thrown away afterwards.

    All tests of a process share the browser. It has a thread of its own: while Playwright is open,
    ``asyncio.run`` fails in its thread.
    """
    if not CHROMIUM.exists():
        pytest.skip(NO_CHROMIUM)
    return _shared().thread.submit(_shared().run, drive).result()


def close_browser() -> None:
    """Ends what ``in_a_browser`` started."""
    if _shared.cache_info().currsize:
        _shared().thread.submit(_shared().close).result()
        _shared().thread.shutdown()
        _shared.cache_clear()


class _Shared:
    """A browser, started when first asked for, and the thread that it belongs to."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, "chromium")
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def run(self, drive: Callable[[Browser], T]) -> T:
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        if self._browser is None or not self._browser.is_connected():
            arguments = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
            self._browser = self._playwright.chromium.launch(
                executable_path=CHROMIUM, args=arguments
            )
        expect.set_options(timeout=TIMEOUT_MS)
        try:
            return drive(self._browser)
        finally:
            for context in self._browser.contexts:
                context.close()

    def close(self) -> None:
        if self._browser is not None:
            self._browser.close()
        if self._playwright is not None:
            self._playwright.stop()


@cache
def _shared() -> _Shared:
    return _Shared()


def signed_in(address: str, secret: str, drive: Callable[[Page], None]) -> None:
    """Runs ``drive`` on a page of a server, signed in by a token; no script may have raised."""

    def run(browser: Browser) -> None:
        faults: list[str] = []
        context = browser.new_context(
            base_url=address, extra_http_headers={"authorization": f"Bearer {secret}"}
        )
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        drive(page)
        context.close()
        assert faults == []

    in_a_browser(run)
