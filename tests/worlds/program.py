"""A coaching program in its sixth week, the same at every run: many people, dozens of answers.

For looking at the server's pages: ``Program.pages`` has every one of them with who looks at it.
"""

import random
import uuid
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Page

from client.data.sharing import as_flac
from pronunciation.clip import Clip
from pronunciation.lexicon_loader import load_lexicon
from server.accounts.models import Account
from server.accounts.second_factor import STEP_S, new_totp_secret, totp
from server.accounts.service import AccountService
from server.attempts.service import Service, create_service
from server.contract import Attempt
from server.core.settings import ServerSettings, sqlite_url
from server.db.tables import JobRow
from server.web.app import create_app
from tests.worlds.people import PASSWORD, cheap_passwords
from tests.worlds.practiced import remembered_sentences, spoken_answer
from tests.worlds.queues import wait_for
from tests.worlds.studio_parts import tone

__all__ = ["PageSeen", "Program", "empty_program", "open_server", "practiced_program"]

CANDIDATES: Final = {
    "ana": "Ana Silva",
    "ben": "Ben Okafor",
    "chen": "Chen Wei",
    "deepa": "Deepa Raman",
    "emil": "Emil Novák",
    "fatima": "Fatima-Zahra El Idrissi Benjelloun",
    "goran": "Goran Petrović",
}
COACHES: Final = {"cleo": "Cleo Martin", "dora": "Dora Lindqvist"}
ROLES: Final = ("ml-infrastructure-engineer", "ai-infrastructure-architect")
ANSWERS: Final = 56
DAYS: Final = 40
SHOWN_SHARE: Final = 0.8
NOW: Final = datetime.now(UTC).replace(microsecond=0)

RUBRIC: Final = """\
Structure | says first what the answer is about | 5
Depth | goes beyond definitions, names a number or a trade-off | 5
Clarity for somebody from another team | explains an acronym at its first use | 10
"""
BANK: Final = """\
- id: own-gpu-quota
  role: ml-infrastructure-engineer
  round: system-design
  topic: {topic}
  prompt: >-
    Two teams share one GPU cluster, and each says that the other takes too much of it.
    What do you do?
  answer_seconds: 150
  difficulty: 3
  model_answer: >-
    I measure first who uses what, by namespace and by hour. Then I give each team a quota with
    borrowing, so that idle GPUs are used, and preemption takes them back when their owner comes.
  key_phrases:
    - phrase: quota
      why: Without one, whoever asks first has everything.
      follow_up: What happens with what a team does not use?
    - phrase: preemption
      aliases: [take them back]
      weight: 2
"""
LEXICON: Final = """\
- term: NVSwitch
  kind: hybrid
  say: en-vee-SWITCH
  readings: [EH2 N V IY2 S W IH1 CH]
"""
COMMENTS: Final = (
    "Good opening. Say a number here: how many, how large, how fast?",
    "You say what it is, and then stop. An interviewer waits for the trade-off: when would you "
    "not do it?\nTry one sentence that begins with “but”.",
    "This is the third time I hear it said like that. Listen to it in the drills once more.",
)


Answer = tuple[str, Attempt]
"""Whose it is, and the answer."""


@dataclass(frozen=True)
class PageSeen:
    """A page of the server, with who looks at it; ``None``: somebody without an account.

    Attributes:
        status: of the answer.
        typed: what is filled in, by selector.
        press: the button that is pressed then.
    """

    path: str
    who: str | None
    status: int = 200
    typed: Mapping[str, str] = field(default_factory=dict)
    press: str = ""

    def open(self, page: Page) -> int:
        """Goes there, and types and presses what there is; the status of the answer."""
        reply = page.goto(self.path)
        for selector, text in self.typed.items():
            page.fill(selector, text)
        if self.press:
            with page.expect_navigation() as sent:
                page.get_by_role("button", name=self.press).click()
            reply = sent.value
        page.wait_for_selector(
            "[data-language]", state="detached"
        )  # two answers come again with it
        assert reply is not None
        return reply.status


@dataclass(frozen=True)
class Program:
    """A server in the middle of a program.

    Attributes:
        app: what is served.
        tokens: by name, what each person is known by.
        pages: by a name of its own, every page with an address and somebody who may see it.
    """

    app: FastAPI
    service: Service
    tokens: dict[str, str]
    pages: dict[str, PageSeen]

    def client(self, who: str) -> TestClient:
        """A client that is known as this person."""
        return TestClient(
            self.app,
            base_url="http://localhost",
            headers={"Authorization": f"Bearer {self.tokens[who]}", "Accept": "text/html"},
        )


def practiced_program(folder: Path) -> Program:
    """Seven candidates, two coaches and an admin, after six weeks."""
    app, service, accounts = _server(folder)
    people = {
        name: accounts.add(name, role, display_name=shown)
        for role, names in (
            ("candidate", CANDIDATES),
            ("coach", COACHES),
            ("admin", {"ed": "Ed Admin"}),
        )
        for name, shown in names.items()
    }
    for name, each in people.items():
        if name != "goran":  # has not used the invitation yet
            accounts.accept(accounts.invitations.invite(each.id).secret, PASSWORD)
    spring = accounts.cohorts.add("Spring 2026", audio_days=60)
    evening = accounts.cohorts.add("Evening group for site reliability engineers, Lisbon")
    for name in CANDIDATES:
        accounts.cohorts.assign(spring.id, people[name].id, "candidate")
    for cohort, name in ((spring, "cleo"), (spring, "dora"), (evening, "cleo")):
        accounts.cohorts.assign(cohort.id, people[name].id, "coach")
    accounts.cohorts.assign(evening.id, people["goran"].id, "candidate")
    left = accounts.add("helena", "candidate", display_name="Helena Costa")
    accounts.disable(left.id)
    tokens = {name: accounts.tokens.add(each.id, "laptop").secret for name, each in people.items()}
    secret = new_totp_secret()
    now_step = int(datetime.now(UTC).timestamp()) // STEP_S
    accounts.second_factors.turn_on(people["dora"].id, secret, totp(secret, now_step))
    lost = accounts.tokens.add(people["ana"].id, "old laptop in the office")
    accounts.tokens.revoke(people["ana"].id, lost.token.id)

    world = Program(app, service, tokens, {})
    answers = _practice(service, people)
    shown = _share(world, answers, spring.id)
    _review(world, shown, spring.id)
    _edit_bank(world)
    jobs = _work(world, people["cleo"].id, spring.id)
    links = _link(world, [each for who, each in answers if who == "ana"])
    invitation = accounts.invitations.invite(people["goran"].id).secret
    first, later = _same_question(shown)
    reviewed = shown[0][1].id
    differs = {"#password": PASSWORD, "#again": "another one"}
    asked, check = "/coach/bank/questions/infiniband-or-roce", "Check and preview"
    world.pages.update(
        {
            "sign-in": PageSeen("/sign-in", None),
            "sign-in-wrong": PageSeen(
                "/sign-in", None, 401, {"#name": "ana", "#password": "not hers"}, "Sign in"
            ),
            "sign-in-code": PageSeen(
                "/sign-in", None, 200, {"#name": "dora", "#password": PASSWORD}, "Sign in"
            ),
            "invitation": PageSeen(f"/invitation/{invitation}", None),
            "invitation-differs": PageSeen(
                f"/invitation/{invitation}", None, 422, differs, "Set the password"
            ),
            "invitation-used": PageSeen("/invitation/used", None, 404),
            "link-answer": PageSeen(links["answer"], None),
            "link-interview": PageSeen(links["interview"], None),
            "link-interview-answer": PageSeen(links["interview-answer"], None),
            "link-ended": PageSeen(links["ended"], None, 404),
            "account": PageSeen("/account", "ana"),
            "account-token": PageSeen(
                "/account", "ana", 200, {"#label": "a third machine"}, "Create a token"
            ),
            "second-factor": PageSeen("/account/second-factor", "cleo"),
            "second-factor-on": PageSeen("/account/second-factor", "dora"),
            "admin-accounts": PageSeen("/admin/accounts", "ed"),
            "admin-invited": PageSeen(
                "/admin/accounts", "ed", 200, {"#name": "ivan"}, "Create an invitation"
            ),
            "admin-list": PageSeen(
                "/admin/accounts/list", "ed", 200, {"#list": "ivo;Ivo\nana"}, "Preview"
            ),
            "admin-list-faults": PageSeen(
                "/admin/accounts/list", "ed", 200, {"#list": "ivo\nno name"}, "Preview"
            ),
            "admin-cohorts": PageSeen("/admin/cohorts", "ed"),
            "overview": PageSeen(f"/coach?cohort={spring.id}", "cleo"),
            "overview-candidate": PageSeen(
                f"/coach?cohort={spring.id}&candidate={people['ana'].id}", "cleo"
            ),
            "queue": PageSeen("/coach/queue", "cleo"),
            "review": PageSeen(f"/coach/attempts/{reviewed}", "cleo"),
            "compare": PageSeen(f"/coach/attempts/{later}/compare/{first}", "cleo"),
            "corrections": PageSeen("/coach/corrections", "cleo"),
            "bank": PageSeen("/coach/bank", "cleo"),
            "bank-edit": PageSeen("/coach/bank/edit", "cleo"),
            "bank-preview": PageSeen("/coach/bank/edit", "cleo", 200, {}, check),
            "bank-faults": PageSeen(
                "/coach/bank/edit", "cleo", 422, {"#yaml": BANK.format(topic="Cooking")}, check
            ),
            "bank-questions": PageSeen("/coach/bank/questions", "cleo"),
            "bank-new-question": PageSeen("/coach/bank/new-question", "cleo"),
            "bank-question": PageSeen(asked, "cleo"),
            "bank-question-preview": PageSeen(
                asked, "cleo", 200, {"#note": "A harder level", "#difficulty": "4"}, check
            ),
            "bank-question-faults": PageSeen(
                asked, "cleo", 422, {"#prompt": "", "#key_phrases-0-weight": "heavy"}, check
            ),
            "bank-version": PageSeen("/coach/bank/2?since=1", "cleo"),
            "exports": PageSeen("/coach/exports", "cleo"),
            "jobs": PageSeen("/jobs", "cleo"),
            **{f"job-{kind}": PageSeen(f"/jobs/{number}", "cleo") for kind, number in jobs.items()},
            "failure": PageSeen("/admin/accounts", "ana", 403),
        }
    )
    return world


def empty_program(folder: Path) -> Program:
    """The first hour: an admin, a coach without a cohort, a coach with one that nobody is in."""
    app, service, accounts = _server(folder)
    people = {
        name: accounts.add(name, role)
        for name, role in (("ed", "admin"), ("cleo", "coach"), ("dora", "coach"))
    }
    cohort = accounts.cohorts.add("Spring 2026")
    accounts.cohorts.assign(cohort.id, people["cleo"].id, "coach")
    tokens = {name: accounts.tokens.add(each.id, "laptop").secret for name, each in people.items()}
    pages = {
        "admin-cohorts": PageSeen("/admin/cohorts", "ed"),
        "jobs": PageSeen("/jobs", "ed"),
        **{
            f"{name}-{who}": PageSeen(path, who)
            for who in ("cleo", "dora")
            for name, path in (
                ("overview", "/coach"),
                ("queue", "/coach/queue"),
                ("exports", "/coach/exports"),
            )
        },
        "corrections": PageSeen("/coach/corrections", "cleo"),
        "bank": PageSeen("/coach/bank", "cleo"),
        "bank-edit": PageSeen("/coach/bank/edit", "cleo"),
    }
    return Program(app, service, tokens, pages)


def open_server(folder: Path) -> Program:
    """No account at all: the server of the one person on this machine."""
    app, service, _ = _server(folder)
    pages = {"first": PageSeen("/", None), "failure": PageSeen("/account", None, 403)}
    return Program(app, service, {}, pages)


def _server(folder: Path) -> tuple[FastAPI, Service, AccountService]:
    settings = ServerSettings(database_url=sqlite_url(folder / "aloud.db"))
    service = create_service(settings)
    accounts = AccountService(service.database, passwords=cheap_passwords())
    return create_app(settings, service=service, accounts=accounts), service, accounts


@remembered_sentences()
def _practice(service: Service, people: dict[str, Account]) -> list[Answer]:
    """Everybody's answers, the oldest first; each person ever better, from a start of their own."""
    rng = random.Random(5)
    lexicon = load_lexicon()
    pools = [service.questions(role=role) for role in ROLES]
    names = [name for name in CANDIDATES if name not in ("goran", "fatima")]
    made = []
    for number in range(ANSWERS):
        done = (number + 1) / ANSWERS
        place = int(rng.triangular(0, len(names), 0))
        who = "fatima" if number == ANSWERS // 2 else names[place]
        pool = pools[0] if rng.random() < 0.8 else pools[1]
        question = pool[min(int(rng.expovariate(1 / 4)), len(pool) - 1)]
        said_at = NOW - timedelta(days=DAYS * (1 - done), minutes=37 * (number % 5) + 20)
        skill = min(0.95, 0.35 + 0.1 * place + 0.4 * done)
        submission = spoken_answer(question, lexicon, skill, said_at, rng)
        made.append((who, service.of(people[who].id).submit(submission)))
    return made


def _share(world: Program, answers: list[Answer], cohort_id: int) -> list[Answer]:
    """What candidates show to the cohort, the oldest first; the first one with its recording."""
    rng = random.Random(6)
    shown = [each for each in answers if rng.random() < SHOWN_SHARE]
    for number, (who, attempt) in enumerate(shown):
        wanted = {"attempt_id": attempt.id, "cohort_id": cohort_id, "with_audio": number == 0}
        world.client(who).post("/api/v1/shares", json=wanted).raise_for_status()
    who, first = shown[0]
    duration_s = first.submission.transcript.duration_s or 1.0
    reply = world.client(who).put(
        f"/api/v1/attempts/{first.id}/recording",
        content=as_flac(Clip(tone(duration_s))),
        headers={"Content-Type": "audio/flac"},
    )
    reply.raise_for_status()
    return shown


def _review(world: Program, shown: list[Answer], cohort_id: int) -> None:
    cleo, dora = world.client("cleo"), world.client("dora")
    _post(cleo, f"/coach/cohorts/{cohort_id}/rubric", criteria=RUBRIC)
    for number, (_, attempt) in enumerate(shown[:24]):
        page = f"/coach/attempts/{attempt.id}"
        coach = dora if number % 3 == 2 else cleo
        words = len(attempt.submission.transcript.words)
        _post(
            coach,
            f"{page}/comments",
            text=COMMENTS[number % 3],
            kind="span",
            word_from=words // 3,
            word_to=min(words // 3 + 4, words - 1),
        )
        if 0 < number < 14:
            _post(coach, f"{page}/state", state="done")
        wrong = [each for each in attempt.report.coverage.phrases if each.status == "missing"]
        if wrong and number % 4 == 0:
            _post(
                coach,
                f"{page}/corrections",
                target="phrase",
                name=wrong[0].phrase,
                verdict="covered",
                note="in other words, at the end",
            )
        terms = [each for each in attempt.report.pronunciation.terms if each.verdict != "correct"]
        if terms and number % 3 == 0:
            _post(
                dora,
                f"{page}/corrections",
                target="term",
                name=terms[0].term,
                verdict="correct",
                note="",
            )
    who, first = shown[0]
    page = f"/coach/attempts/{first.id}"
    praise = "The pause before the number works well."
    _post(dora, f"{page}/comments", text=praise, kind="moment", at_s=8.5)
    _post(cleo, f"{page}/comments", text="Much calmer than last week.")
    written = cleo.get(f"/api/v1/attempts/{first.id}/review").json()["comments"]
    reply = {"external_id": uuid.uuid4().hex, "parent": written[0]["external_id"]}
    world.client(who).post(
        f"/api/v1/attempts/{first.id}/comments",
        json=reply | {"text": "About 800 a second, I looked it up."},
    ).raise_for_status()
    _post(
        cleo,
        f"{page}/scores",
        criterion=[line.split(" | ")[0] for line in RUBRIC.splitlines()],
        score=["4", "2", "7"],
        note=["", "no number yet", ""],
    )
    _post(cleo, "/coach/corrections/1/resolve")


def _edit_bank(world: Program) -> None:
    cleo = world.client("cleo")
    role = next(each for each in world.service.bank().roles if each.id == ROLES[0])
    text = BANK.format(topic=role.topics[0])
    _post(cleo, "/coach/bank/edit", do="save", yaml=text, note="A question of our own")
    newer = text.replace("answer_seconds: 150", "answer_seconds: 120")
    _post(
        cleo,
        "/coach/bank/edit",
        do="save",
        yaml=newer,
        lexicon_yaml=LEXICON,
        note="Shorter answers; how NVSwitch is said",
        based_on=1,
    )
    _post(cleo, "/coach/bank/1/activate")


def _work(world: Program, coach_id: int, cohort_id: int) -> dict[str, int]:
    """Work in each of its states but the first; returns the jobs' numbers."""
    cleo = world.client("cleo")
    with cleo:  # the app's worker runs meanwhile
        _post(cleo, "/coach/bank/regrade", trial="true")
        _post(cleo, f"/coach/exports/{cohort_id}", format="csv")
        wait_for(lambda: all(each["state"] == "done" for each in _jobs(cleo)))
    made = {each["kind"]: each["id"] for each in _jobs(cleo)}
    states: dict[str, dict[str, Any]] = {
        "running": {
            "progress_done": 118,
            "progress_total": 431,
            "started_at": NOW,
            "heartbeat_at": NOW + timedelta(days=1),  # so that no worker takes it up
        },
        "failed": {"problem": "the grader broke on every answer; the server's log has it"},
        "cancelled": {},
    }
    with world.service.database.write() as session:
        for state, values in states.items():
            row = JobRow(
                kind="regrade",
                state=state,
                payload={"scope": "everybody"},
                owner_id=coach_id,
                created_at=NOW,
                **values,
            )
            session.add(row)
            session.flush()
            made[state] = row.id
    return made


def _jobs(client: TestClient) -> list[dict[str, Any]]:
    return list(client.get("/api/v1/jobs").json()["jobs"])


def _link(world: Program, answers: list[Attempt]) -> dict[str, str]:
    """Links of Ana's: to an answer with comments, to an interview, and one that has ended."""
    ana = world.client("ana")
    interview = {
        "interview_id": uuid.UUID(int=9).hex,
        "attempt_ids": [each.id for each in answers[:3]],
    }
    made = {}
    for name, wanted in (
        ("answer", {"attempt_id": answers[0].id}),
        ("interview", interview),
        ("ended", {"attempt_id": answers[1].id}),
    ):
        share = ana.post("/api/v1/shares", json=wanted).raise_for_status().json()
        reply = ana.post(f"/api/v1/shares/{share['id']}/links", json={"label": "My coach"})
        link = reply.raise_for_status().json()
        made[name] = link["path"]
        if name == "ended":
            ana.delete(f"/api/v1/share-links/{link['link']['id']}").raise_for_status()
    made["interview-answer"] = f"{made['interview']}/attempts/{answers[0].id}"
    return made


def _same_question(shown: list[Answer]) -> tuple[int, int]:
    """An earlier and a later answer of one person to one question."""
    ids: dict[tuple[str, str], list[int]] = defaultdict(list)
    for who, each in shown:
        ids[who, each.submission.question_id].append(each.id)
    return next(pair for each in ids.values() for pair in pairwise(each))


def _post(client: TestClient, path: str, **fields: object) -> None:
    client.post(path, data=fields).raise_for_status()
