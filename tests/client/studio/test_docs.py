"""The studio's page in the docs against the studio."""

import re
from pathlib import Path

from tests.client.studio.browser.test_accessibility import PAGES


def test_every_page_stands_in_the_docs(project_root: Path) -> None:
    text = (project_root / "docs" / "studio.md").read_text(encoding="utf-8")
    table = text.partition("## Pages")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(/[^`]*)`", table)) == set(PAGES)


def test_every_link_of_the_docs_leads_somewhere(project_root: Path) -> None:
    text = (project_root / "docs" / "studio.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\(([^)#]+)\)", text)
    files = re.findall(r"`((?:client|server|tests|benchmarks)/[\w./]+)`", text)
    assert named
    assert all((project_root / "docs" / each).exists() for each in named)
    missing = [each for each in files if not (project_root / each).exists()]
    assert not missing
