"""Real Chromium for tests."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

T = TypeVar("T")

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
"""Chromium without the parts that show windows: a third less processor time for the same pages."""
NO_CHROMIUM = "no Chromium: apt install chromium-headless-shell"
TIMEOUT_MS = 60_000
"""Machines that run other tests at the same time are slow."""


def in_a_browser(drive: Callable[[Browser], T]) -> T:
    """What ``drive`` returns for a browser that is closed afterwards."""
    if not CHROMIUM.exists():
        pytest.skip(NO_CHROMIUM)

    expect.set_options(timeout=TIMEOUT_MS)
    arguments = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            return drive(browser)
        finally:
            browser.close()


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
