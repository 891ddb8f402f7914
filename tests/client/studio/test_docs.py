"""The studio's page in the docs against the studio."""

import re
from pathlib import Path

from tests.client.studio.browser.test_accessibility import PAGES


def test_every_page_stands_in_the_docs(project_root: Path) -> None:
    text = (project_root / "docs" / "studio.md").read_text(encoding="utf-8")
    table = text.partition("## Pages")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(/[^`]*)`", table)) == set(PAGES)


def test_the_readmes_pictures_are_there_light_and_dark_and_not_heavy(project_root: Path) -> None:
    text = (project_root / "README.md").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|srcset)="(docs/images/[^"]+)"', text)
    schemes = [each.rpartition("-")[2] for each in named]
    assert schemes.count("light.png") == schemes.count("dark.png") > 0
    for each in named:
        assert 10_000 < (project_root / each).stat().st_size < 150_000
