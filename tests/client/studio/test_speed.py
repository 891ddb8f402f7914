"""How long the studio takes for each page after 1,000 answers."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from client.core.settings import ClientSettings
from client.practice.drills.items import load_items
from client.practice.interviews import Interviews
from client.practice.progress import all_attempts, question_lines
from client.studio.app import create_studio
from pronunciation.lexicon_loader import load_lexicon
from tests.worlds.practiced import (
    archived_copies,
    corrected_copies,
    hold_interview,
    practice,
    practice_drills,
)
from tests.worlds.studio_parts import ORIGIN, make_studio

LIMIT_S = 0.2
TRIES = 12
PAGES = (
    "/", "/roles/ml-infrastructure-engineer", "/questions", "/practice/cloud-spot-or-on-demand",
    "/drills", "/drills/acronyms", "/history", "/history?page=15",
    "/history?role=ml-infrastructure-engineer&since=2026-01-01", "/progress",
    "/progress?signal=debugging", "/plan", "/attempts/1", "/attempts/{latest}",
    "/attempts/{latest}/versions/1", "/attempts/{latest}/comments", "/attempts/{latest}/share",
    "/attempts/{latest}/compare/{earlier}", "/interview", "/interview/{running}",
    "/interview/{ended}/report", "/microphone", "/settings",
)  # fmt: skip


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], int]]:
    """Opens a page of ``PAGES`` and returns its status.

    The studio has 1,044 answers, most of them corrected by a coach, two interviews, and drills.
    """
    settings = ClientSettings(home=tmp_path_factory.mktemp("practiced"))
    studio = make_studio(settings)
    backend, now = studio.backend, datetime.now(UTC)
    role, lexicon = "ml-infrastructure-engineer", load_lexicon()
    practice(backend, lexicon, until=now, roles=[role], answers=12)
    ended = hold_interview(backend, settings, lexicon, role=role, minutes=20, answers=2)
    Interviews.of(settings).end(ended)
    running = hold_interview(backend, settings, lexicon, role=role, minutes=10, answers=1)
    backend.import_attempts(corrected_copies(archived_copies(backend, 1000)))
    practice_drills(backend, load_items(settings), until=now)
    lines = question_lines(all_attempts(backend))
    line = next(line for line in lines if line.answers > 1)
    with TestClient(create_studio(studio), base_url=ORIGIN) as client:
        known = {
            "latest": line.latest.id,
            "earlier": line.first.id,
            "ended": ended,
            "running": running,
        }
        yield lambda path: client.get(path.format(**known)).status_code


@pytest.mark.parametrize("path", PAGES)
def test_a_page_takes_less_than_200_ms(visit: Callable[[str], int], path: str) -> None:
    spent_s: list[float] = []
    while len(spent_s) < TRIES and not any(each < LIMIT_S for each in spent_s[1:]):
        # processor time, so that other work on the machine does not count
        begun_s = time.process_time()
        assert visit(path) == 200
        spent_s.append(time.process_time() - begun_s)
    # the first visit reads bank, templates and reports, the others show what a visit costs
    assert min(spent_s[1:]) < LIMIT_S, [f"{each:.3f}" for each in spent_s]
