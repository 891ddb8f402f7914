"""A program from its first invitation to a share taken back, in Chromium on real processes.

``aloud serve`` is the server, ``aloud`` the candidate's studio with a token for it. Each person has
a browser profile of their own. Nothing waits by time: what takes a while is waited for by the page.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlalchemy import update

from client.audio.wav import write_wav
from client.backend.opening import open_backend
from client.core.settings import load_settings
from client.data.own_recordings import OwnRecordings
from client.engines.base import assemble
from pronunciation.clip import Clip
from server.contract import Submission
from server.core.settings import sqlite_url
from server.db.database import Database
from server.db.tables import ShareLinkRow
from tests.worlds.chromium import TIMEOUT_MS, in_a_browser
from tests.worlds.ports import free_port
from tests.worlds.queues import wait_for
from tests.worlds.studio_parts import ScriptedTranscriber, tone

pytestmark = pytest.mark.browser

PROJECT: Final = Path(__file__).resolve().parents[3]
ALOUD: Final = (sys.executable, "-c", "from client.cli import main; main()")
QUESTION: Final = "infiniband-or-roce"
ANSWER_S: Final = 40.0
"""So long that it still plays when it is looked at, also on a busy machine."""
PASSWORDS: Final = {"ed": "ed has a long password", "ana": "ana's password is long"}
COACH_PASSWORD: Final = "cleo chose this one"


@dataclass
class Machines:
    """The server, the candidate's machine, and a browser profile for each person.

    Attributes:
        server: the server's address.
        folder: where both keep what is theirs.
    """

    server: str
    folder: Path
    browser: Browser
    faults: list[str] = field(default_factory=list)
    people: dict[str, Page] = field(default_factory=dict)

    def page_of(self, who: str) -> Page:
        """The page that somebody has open, in a profile of their own."""
        if who not in self.people:
            context = self.browser.new_context(base_url=self.server)
            context.set_default_timeout(TIMEOUT_MS)
            page = context.new_page()
            page.on("pageerror", lambda error: self.faults.append(f"{page.url}: {error}"))
            self.people[who] = page
        return self.people[who]

    def environment(self, who: str) -> dict[str, str]:
        """What a command of the server's owner or of the candidate sees."""
        apart = {key: value for key, value in os.environ.items() if not key.startswith("ALOUD_")}
        return apart | {"ALOUD_HOME": str(self.folder / who)}

    def command(self, who: str, *arguments: str, stdin: str = "") -> str:
        """What a command of theirs prints."""
        done = subprocess.run(
            [*ALOUD, *arguments],
            env=self.environment(who),
            cwd=PROJECT,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@contextmanager
def running(folder: Path, who: str, *arguments: str) -> Iterator[str]:
    """A command that serves on a free port of loopback, and its address."""
    port = str(free_port())
    home = folder / who
    home.mkdir(exist_ok=True)
    apart = {key: value for key, value in os.environ.items() if not key.startswith("ALOUD_")}
    with (folder / f"{who}.log").open("w+") as log:
        process = subprocess.Popen(
            [*ALOUD, *arguments, "--port", port],
            env=apart | {"ALOUD_HOME": str(home)},
            cwd=PROJECT,
            stdout=log,
            stderr=log,
        )
        address = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            assert process.poll() is None, (folder / f"{who}.log").read_text()
            try:
                return httpx.get(f"{address}/static/ui/aloud.css", trust_env=False).is_success
            except httpx.HTTPError:
                return False

        try:
            wait_for(answers)
            yield address
        finally:
            process.terminate()
            process.wait(120)


@pytest.mark.slow
def test_from_the_first_invitation_to_a_share_taken_back(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with running(tmp_path, "server", "serve") as server:

        def story(browser: Browser) -> None:
            machines = Machines(server, tmp_path, browser)
            invitations = an_admin_makes_the_program(machines)
            a_coach_comes_by_invitation(machines, invitations["cleo"])
            token = a_candidate_makes_a_token(machines, invitations["ana"])
            attempt_id = an_answer_is_given(machines, token)
            with running(tmp_path, "ana", "--server", server, "--no-browser") as studio:
                link = the_candidate_shares_it(machines, studio, attempt_id)
                a_guest_comments(machines, link)
                the_coach_reviews_it(machines, attempt_id)
                the_candidate_answers_the_coach(machines, attempt_id)
                expired = the_candidate_takes_it_back(machines, attempt_id)
            nobody_else_sees_it(machines, attempt_id, [link, expired])
            the_coach_signs_out_everywhere(machines)
            assert machines.faults == []

        in_a_browser(story)


def an_admin_makes_the_program(machines: Machines) -> dict[str, str]:
    """The first account from the command line, the rest in the browser; returns the invitations."""
    first = machines.command("server", "user", "add", "ed", "--role", "admin")
    page = machines.page_of("ed")
    accept(page, urlsplit(first).path, PASSWORDS["ed"])
    page.get_by_role("link", name="Cohorts", exact=True).click()
    page.fill("#new-name", "Spring")
    send(page, "Create the cohort")
    expect(page.get_by_role("heading", name="Spring")).to_be_visible()
    page.get_by_role("link", name="Accounts", exact=True).click()
    invitations = {}
    for name, shown, role in (("ana", "Ana Silva", "candidate"), ("cleo", "Cleo Martin", "coach")):
        page.fill("#name", name)
        page.fill("#display_name", shown)
        page.select_option("#role", role)
        page.select_option("#cohort", label="Spring")
        send(page, "Create an invitation")
        message = page.get_by_role("status").filter(has_text=shown)
        invitations[name] = message.locator("code").inner_text()
        assert invitations[name].startswith(f"{machines.server}/invitation/")
    page.get_by_role("link", name="Accounts", exact=True).click()
    expect(page.locator("main")).to_contain_text("Cleo Martin")
    expect(page.locator("main")).not_to_contain_text(invitations["ana"])  # shown once
    return invitations


def a_coach_comes_by_invitation(machines: Machines, invitation: str) -> None:
    """The page says that two passwords differ and that a password is wrong; the link works once."""
    page = machines.page_of("cleo")
    page.goto(invitation)
    page.fill("#password", COACH_PASSWORD)
    page.fill("#again", f"{COACH_PASSWORD}!")
    with page.expect_navigation():
        page.locator("main").get_by_role("button").click()
    expect(page.get_by_role("alert")).to_contain_text("differ")
    accept(page, invitation, COACH_PASSWORD)
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_url("**/sign-in")
    page.goto(invitation)
    expect(page.get_by_role("alert")).to_contain_text("not valid")

    page.goto("/coach/queue")
    sign_in(page, "cleo", "not the password")
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    assert page.input_value("#name") == "cleo"
    sign_in(page, "cleo", COACH_PASSWORD)
    page.wait_for_url("**/coach/queue")  # where they wanted to go
    expect(page.locator(".empty")).to_contain_text("Nothing is waiting")

    page.get_by_role("link", name="Cohorts", exact=True).click()
    page.fill("#criteria", "Structure | says first what it is about | 5")
    page.get_by_role("button", name="Save the rubric").click()
    page.wait_for_url(re.compile(r"/coach\?cohort=\d+#rubric$"))


def a_candidate_makes_a_token(machines: Machines, invitation: str) -> str:
    """It is shown once; ``aloud login`` takes it."""
    page = machines.page_of("ana")
    accept(page, invitation, PASSWORDS["ana"])
    send(page, "Sign out", exact=True)
    sign_in(page, "ana", PASSWORDS["ana"])
    page.fill("#label", "laptop")
    send(page, "Create a token")
    message = page.get_by_role("status")
    token = message.locator("code").filter(has_text=re.compile("^aloud_")).inner_text()
    page.goto("/account")
    expect(page.locator("#tokens-list")).to_contain_text("laptop")
    assert token not in page.content()
    said = machines.command("ana", "login", machines.server, stdin=f"{token}\n")
    assert said == f"signed in to {machines.server}"
    return token


def an_answer_is_given(machines: Machines, token: str) -> int:
    """As the studio hands it in: the transcript to the server, the recording stays here."""
    settings = load_settings(server=machines.server, home=machines.folder / "ana", env={})
    assert settings.token == token
    clip = Clip(tone(ANSWER_S))
    engine = ScriptedTranscriber()
    submission = Submission(
        submission_id=uuid4().hex,
        question_id=QUESTION,
        created_at=datetime.now(UTC),
        transcript=assemble(
            engine.recognize(clip),
            engine=engine.name,
            model=engine.model,
            duration_s=clip.duration_s,
        ),
    )
    settings.recordings.mkdir()
    write_wav(clip, OwnRecordings(settings.recordings).path_of(submission.submission_id))
    with open_backend(settings) as backend:
        return backend.submit(submission).id


def the_candidate_shares_it(machines: Machines, studio: str, attempt_id: int) -> str:
    """With the cohort and the recording, and by a link; returns the link."""
    page = machines.page_of("studio")
    page.goto(f"{studio}/attempts/{attempt_id}")
    expect(page.locator(".transcript")).to_contain_text("credit-based")
    page.get_by_role("link", name="Share with a coach").click()
    expect(page.locator(".empty")).to_contain_text("Nobody else")
    page.select_option("#cohort", label="Spring")
    page.check("#audio-cohort")
    send(page, "Share with the cohort")
    expect(page.get_by_role("region", name="Who sees it now")).to_contain_text("Coaches of Spring")
    until(page, lambda: page.get_by_text("The recording is on the server"))
    page.fill("#label", "A friend")
    send(page, "Create a link")
    link = page.get_by_role("status").locator("code").inner_text()
    assert link.startswith(f"{machines.server}/s/")
    return link


def a_guest_comments(machines: Machines, link: str) -> None:
    """Without an account: reads, hears nothing, as the link is without the recording."""
    page = machines.page_of("guest")
    page.goto(link)
    expect(page.locator("main")).to_contain_text("Ana Silva")
    assert page.locator("audio").count() == 0
    page.fill("#signed", "Gil")
    page.fill("#comment-text", "I would begin with the <b>cost</b>.")
    send(page, "Comment", exact=True)
    expect(page.locator("#comments")).to_contain_text("I would begin with the <b>cost</b>.")
    page.goto("/coach/queue")  # a link opens nothing else
    page.wait_for_url(re.compile(r"/sign-in\?next=/coach/queue$"))


def the_coach_reviews_it(machines: Machines, attempt_id: int) -> None:
    """From the queue: play, comment on a word, answer, score, correct a verdict, done."""
    page = machines.page_of("cleo")
    page.goto("/coach/queue")
    entry = page.locator(".list-row").filter(has_text="Ana Silva")
    entry.get_by_role("link").click()
    page.wait_for_url(f"**/coach/attempts/{attempt_id}")

    until(page, lambda: page.locator("audio[data-recording]"))
    page.focus("#main")
    page.keyboard.press("Space")
    page.wait_for_selector(".word.playing")
    wait_for(lambda: page.evaluate("document.querySelector('audio').currentTime > 0.2"))
    page.keyboard.press("Space")
    wait_for(lambda: page.evaluate("document.querySelector('audio').paused"))

    page.focus("#w-0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("c")
    page.keyboard.type("Say what it stands for.")
    send(page, "Comment", exact=True)
    mine = page.locator(".review-comment").filter(has_text="Say what it stands for.")
    expect(mine).to_contain_text("InfiniBand")

    guests = page.locator(".review-comment").filter(has_text="Gil")
    unfold(guests, "Reply")
    guests.locator("textarea[name=text]").last.fill("Or with the risk.")
    send(guests, "Reply")
    expect(page.locator(".review-comment").filter(has_text="Gil")).to_contain_text("with the risk")

    page.fill("#score-1", "4")
    send(page, "Save the scores")
    expect(page.locator("#rubric")).to_contain_text("Cleo Martin")

    wrong = page.locator("#phrases li").filter(has=page.locator(".verdict.bad")).first
    unfold(wrong, "Wrong verdict?")
    send(wrong, "It was said")
    expect(page.locator("#corrections")).to_contain_text("corrected by Cleo Martin")

    page.focus("#main")
    page.keyboard.press("d")
    page.wait_for_url("**/coach/queue")
    expect(page.locator(".empty")).to_contain_text("Nothing is waiting")


def the_candidate_answers_the_coach(machines: Machines, attempt_id: int) -> None:
    """In the studio; the coach sees the answer."""
    page = machines.page_of("studio")
    page.goto(f"{studio_of(page)}/attempts/{attempt_id}/comments")
    main = page.locator("main")
    for said in ("Say what it stands for.", "by Cleo Martin", "says Cleo Martin", "Gil"):
        expect(main).to_contain_text(said)
    comment = main.locator("li").filter(has_text="Say what it stands for.")
    unfold(comment, "Reply")
    comment.get_by_label("Your reply").fill("I will, thank you.")
    send(comment, "Reply")
    expect(main).to_contain_text("I will, thank you.")

    coach = machines.page_of("cleo")
    coach.goto(f"/coach/attempts/{attempt_id}")
    expect(coach.locator("#comments")).to_contain_text("I will, thank you.")


def the_candidate_takes_it_back(machines: Machines, attempt_id: int) -> str:
    """The link is ended, the share with the cohort taken back; returns a link that expired."""
    page = machines.page_of("studio")
    page.goto(f"{studio_of(page)}/attempts/{attempt_id}/share")
    page.fill("#label", "Too late")
    send(page, "Create a link")
    expired = page.get_by_role("status").locator("code").inner_text()
    with_database(machines, expire_links_for("Too late"))
    machines.page_of("guest").goto(expired)
    expect(machines.page_of("guest").get_by_role("alert")).to_contain_text("not valid")

    send(page, "End this link (A friend)")
    expect(page.get_by_role("region", name="Who sees it now")).to_contain_text("A friend: ended")
    send(page, "Stop sharing (Spring")
    expect(page.get_by_role("region", name="Who sees it now")).not_to_contain_text("Spring")
    expect(page.get_by_text("The recording is on the server")).to_have_count(0)
    return expired


def nobody_else_sees_it(machines: Machines, attempt_id: int, links: list[str]) -> None:
    """The coach finds nothing, and the links lead to a page that says so."""
    coach = machines.page_of("cleo")
    coach.goto("/coach/queue?state=all")
    expect(coach.locator("main")).not_to_contain_text("Ana Silva")
    reply = coach.goto(f"/coach/attempts/{attempt_id}")
    assert reply is not None and reply.status == 404
    guest = machines.page_of("guest")
    for link in links:
        reply = guest.goto(link)
        assert reply is not None and reply.status == 404
        expect(guest.get_by_role("alert")).to_contain_text("ask who sent it for a new one")


def the_coach_signs_out_everywhere(machines: Machines) -> None:
    """One browser ends the sessions of all."""
    there, here = machines.page_of("cleo"), machines.page_of("cleo's phone")
    here.goto("/")
    sign_in(here, "cleo", COACH_PASSWORD)
    here.wait_for_url("**/coach")
    here.goto("/account")
    here.get_by_role("button", name="Sign out in all browsers").click()
    here.wait_for_url("**/sign-in")
    there.goto("/coach")
    there.wait_for_url(re.compile(r"/sign-in\?next=/coach$"))


def accept(page: Page, invitation: str, password: str) -> None:
    """Chooses a password."""
    page.goto(invitation)
    page.fill("#password", password)
    page.fill("#again", password)
    page.locator("main").get_by_role("button").click()
    page.wait_for_url("**/account")


def sign_in(page: Page, name: str, password: str) -> None:
    """Fills in the form that is there."""
    page.fill("#name", name)
    page.fill("#password", password)
    send(page, "Sign in")


def send(part: Page | Locator, button: str, *, exact: bool = False) -> None:
    """Presses the button of a form, and waits until the page that comes is there.

    By the keyboard, for the reason that ``unfold`` gives.
    """
    page = part if isinstance(part, Page) else part.page
    with page.expect_navigation():
        part.get_by_role("button", name=button, exact=exact).press("Enter")


def unfold(part: Locator, summary: str) -> None:
    """Opens details by the keyboard.

    A page that loads scrolls to the fragment of its address, and a click between press and release
    would miss; a key does not.
    """
    part.page.wait_for_load_state()
    part.locator("summary").filter(has_text=summary).press("Enter")


def until(page: Page, there: Callable[[], Locator]) -> None:
    """Loads the page again until it shows what the server makes in the background."""

    def seen() -> bool:
        if there().count():
            return True
        page.reload()
        return False

    wait_for(seen)


def studio_of(page: Page) -> str:
    """The address of the studio that a page is on."""
    parts = urlsplit(page.url)
    return f"{parts.scheme}://{parts.netloc}"


def expire_links_for(label: str) -> Callable[[Database], None]:
    """Two weeks have passed."""

    def expire(database: Database) -> None:
        with database.write() as session:
            past = datetime.now(UTC) - timedelta(seconds=1)
            session.execute(
                update(ShareLinkRow).where(ShareLinkRow.label == label).values(expires_at=past)
            )

    return expire


def with_database(machines: Machines, change: Callable[[Database], None]) -> None:
    """Changes what the server keeps, as time would."""
    database = Database(sqlite_url(machines.folder / "server" / "aloud.db"))
    try:
        change(database)
    finally:
        database.close()
