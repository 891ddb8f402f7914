"""The routes and pages of jobs, the bank's versions and exports, on the whole app."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.attempts.store import Store
from server.bank_versions.service import BankVersionStore
from server.core.settings import ServerSettings
from server.jobs.queue import JobQueue
from server.web.app import create_app
from server.web.http.context import BackgroundWork
from tests.server.bank_versions.test_text import BANK, LEXICON
from tests.server.conftest import make_submission
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.queues import wait_for

API = "/api/v1"


@dataclass
class Site:
    """A running app, asked by several people, each with a token."""

    client: TestClient
    accounts: AccountService
    service: Service
    ids: dict[str, int]
    headers: dict[str, dict[str, str]]
    cohort: int

    def get(self, who: str, path: str) -> Response:
        headers = self.headers[who] | {"accept": "text/html"}
        return self.client.get(path, headers=headers, follow_redirects=False)

    def post(self, who: str, path: str, **form: Any) -> Response:
        headers = self.headers[who] | {"accept": "text/html"}
        return self.client.post(path, data=form, headers=headers, follow_redirects=False)

    def ask(self, who: str, method: str, path: str, body: Any = None) -> Response:
        return self.client.request(method, API + path, json=body, headers=self.headers[who])

    def share(self, attempt_id: int) -> None:
        """An attempt of Ana's with her cohort."""
        body = {"attempt_id": attempt_id, "cohort_id": self.cohort}
        assert self.ask("ana", "POST", "/shares", body).status_code == 201

    def over(self, who: str, job_id: int) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            job = self.ask(who, "GET", f"/jobs/{job_id}").json()
            return job if job["state"] not in ("queued", "running") else None

        found: dict[str, Any] = wait_for(look)
        return found

    def job_of(self, reply: Response) -> int:
        assert reply.status_code == 303, reply.text
        return int(reply.headers["location"].removeprefix("/jobs/"))

    @property
    def versions(self) -> BankVersionStore:
        background: BackgroundWork = self.client.app.state.context.background  # type: ignore[attr-defined]
        return background.versions.store

    @property
    def queue(self) -> JobQueue:
        found: JobQueue = self.client.app.state.context.background.queue  # type: ignore[attr-defined]
        return found


@pytest.fixture
def site(store: Store, service: Service) -> Iterator[Site]:
    accounts = AccountService(store.database)
    names = {"candidate": ("ana", "bo"), "coach": ("carla", "dan"), "admin": ("eva",)}
    ids = {each: accounts.add(each, role).id for role, named in names.items() for each in named}
    headers = {
        name: {"authorization": f"Bearer {accounts.tokens.add(each, 'test').secret}"}
        for name, each in ids.items()
    } | {"nobody": {}}
    cohort = accounts.cohorts.add("Spring").id
    accounts.cohorts.assign(cohort, ids["ana"], "candidate")
    accounts.cohorts.assign(cohort, ids["carla"], "coach")
    app = create_app(ServerSettings(database_url="sqlite://"), service=service, accounts=accounts)
    with TestClient(app, base_url="http://localhost") as client:
        yield Site(client, accounts, service, ids, headers, cohort)


def test_the_worker_runs_as_long_as_the_app(store: Store, service: Service) -> None:
    app = create_app(ServerSettings(database_url="sqlite://"), service=service)
    assert not app.state.context.background.worker.is_alive
    with TestClient(app):
        assert app.state.context.background.worker.is_alive
    assert not app.state.context.background.worker.is_alive


def test_a_candidate_grades_their_own_answers_anew_and_others_see_nothing_of_it(site: Site) -> None:
    site.service.of(site.ids["ana"]).submit(make_submission())
    site.service.of(site.ids["bo"]).submit(make_submission())
    reply = site.ask("ana", "POST", "/jobs/regrade", {})
    assert reply.status_code == 202
    job = site.over("ana", reply.json()["id"])
    assert (job["state"], job["result"]["graded"]) == ("done", 1)
    file = site.ask("ana", "GET", f"/jobs/{job['id']}/file")
    assert file.headers["content-disposition"].startswith('attachment; filename="regrade.json"')
    assert [each["id"] for each in site.ask("ana", "GET", "/jobs").json()["jobs"]] == [job["id"]]
    assert site.ask("bo", "GET", "/jobs").json() == {"jobs": []}
    for who in ("bo", "carla", "eva"):
        for path in ("", "/file"):
            assert site.ask(who, "GET", f"/jobs/{job['id']}{path}").status_code == 404
            assert site.get(who, f"/jobs/{job['id']}{path}").status_code == 404
        assert site.ask(who, "POST", f"/jobs/{job['id']}/cancel").status_code == 404
        assert site.post(who, f"/jobs/{job['id']}/cancel").status_code == 404
    page = site.get("ana", f"/jobs/{job['id']}")
    assert page.status_code == 200 and "1 answers graded" in page.text
    assert site.ask("nobody", "GET", "/jobs").status_code == 401


def test_only_editors_grade_everybodys_answers_again(site: Site) -> None:
    everybody = {"scope": "everybody"}
    assert site.ask("ana", "POST", "/jobs/regrade", everybody).status_code == 403
    assert site.post("ana", "/coach/bank/regrade").status_code == 403
    site.service.of(site.ids["ana"]).submit(make_submission())
    for who in ("carla", "eva"):
        job = site.over(who, site.job_of(site.post(who, "/coach/bank/regrade", trial="true")))
        assert job["result"] == {
            "dry_run": True,
            "graded": 1,
            "changed": 0,
            "failed": 0,
            "questions": [],
            "own": None,
        }


def test_an_editor_writes_checks_stores_and_activates_a_version(site: Site) -> None:
    assert "There are no versions yet" in site.get("carla", "/coach/bank").text
    assert site.get("carla", "/coach/bank/edit").status_code == 200
    form = {"yaml": BANK.replace("\n", "\r\n"), "lexicon_yaml": LEXICON, "based_on": "0"}
    checked = site.post("carla", "/coach/bank/edit", do="check", **form)
    assert checked.status_code == 200
    assert "No faults" in checked.text and "How do you page a cache?" in checked.text
    assert site.versions.listed() == []

    stored = site.post("carla", "/coach/bank/edit", do="save", note="Paging", **form)
    assert (stored.status_code, stored.headers["location"]) == (303, "/coach/bank/1")
    assert site.versions.get(1).yaml == BANK
    assert site.versions.get(1).version.author == "carla"
    page = site.get("eva", "/coach/bank/1").text
    assert "Paging" in page and "paging, queues, term vLLM" in page

    question = f"{API}/bank/questions/paging"
    assert site.client.get(question, headers=site.headers["ana"]).status_code == 404
    assert site.post("eva", "/coach/bank/1/activate").status_code == 303
    assert site.client.get(question, headers=site.headers["ana"]).status_code == 200
    assert "active" in site.get("carla", "/coach/bank").text
    saved = site.get("carla", "/coach/bank/1/bank.yaml")
    assert saved.text == BANK
    assert saved.headers["content-disposition"].startswith("attachment")
    assert site.post("carla", "/coach/bank/none/activate").status_code == 303
    assert site.client.get(question, headers=site.headers["ana"]).status_code == 404
    page = site.get("carla", "/coach/bank").text
    assert re.search("(?s)All versions deactivated.*?carla.*?Version 1</a>.*?eva", page)


def test_faults_stand_beside_their_line_and_nothing_typed_is_lost(site: Site) -> None:
    bad = BANK.replace("round: coding", "round: <b>cooking</b>")
    reply = site.post("carla", "/coach/bank/edit", do="save", yaml=bad, lexicon_yaml="- x\n")
    assert reply.status_code == 422
    assert 'data-line="3"' in reply.text and 'data-line="13"' in reply.text
    assert "round: &lt;b&gt;cooking&lt;/b&gt;" in reply.text and "<b>cooking" not in reply.text
    assert "entry 1: must be a mapping" in reply.text
    assert "How do you schedule?" in reply.text
    answer = BANK.replace("I use fair queueing.", "I do not.")
    reply = site.post("carla", "/coach/bank/edit", do="save", yaml=answer)
    assert reply.status_code == 422
    assert "does not cover its own" in reply.text and 'data-line="16"' in reply.text
    assert site.versions.listed() == []


def many(answer: str = "I use fair queueing.") -> str:
    questions = [
        f"- id: question-{number}\n  round: coding\n  topic: Queues\n  prompt: Why {number}?\n"
        f"  model_answer: {answer}\n  key_phrases: [{{phrase: fair queueing}}]\n"
        for number in range(9)
    ]
    return "".join(questions)


def test_many_questions_are_checked_in_the_background(site: Site) -> None:
    form = {"do": "save", "yaml": many("No."), "note": "many", "based_on": "0"}
    job_id = site.job_of(site.post("carla", "/coach/bank/edit", **form))
    found = site.over("carla", job_id)
    assert found["result"]["number"] is None and len(found["result"]["faults"]) == 9
    assert "9 faults" in site.get("carla", f"/jobs/{job_id}").text
    editor = site.get("carla", f"/coach/bank/edit?job={job_id}").text
    assert 'data-line="5"' in editor and "Why 8?" in editor and 'value="many"' in editor
    assert site.get("eva", f"/coach/bank/edit?job={job_id}").status_code == 404

    form["yaml"] = many()
    job_id = site.job_of(site.post("carla", "/coach/bank/edit", **form))
    assert site.over("carla", job_id)["result"] == {"number": 1, "faults": []}
    assert "/coach/bank/1" in site.get("carla", f"/jobs/{job_id}").text


def test_an_attempt_is_exported_by_its_owner_and_whom_it_is_shown_to(site: Site) -> None:
    attempt = site.service.of(site.ids["ana"]).submit(make_submission("paged attention"))
    path = f"/attempts/{attempt.id}/export"
    for who in ("bo", "carla", "dan", "eva"):
        assert site.ask(who, "GET", path).status_code == 404, who
    site.share(attempt.id)
    for who in ("ana", "carla"):
        reply = site.ask(who, "GET", f"{path}?format=markdown")
        assert reply.status_code == 200 and "paged attention" in reply.text
        assert "attachment" in reply.headers["content-disposition"]
    for who in ("bo", "dan", "eva"):
        assert site.ask(who, "GET", path).status_code == 404, who
    assert site.ask("ana", "GET", f"{path}?format=exe").status_code == 422
    assert site.ask("ana", "GET", f"{path}?format=srt").status_code == 422
    assert site.ask("ana", "GET", f"/attempts/{2**62}/export").status_code == 404


def test_a_cohort_is_exported_by_its_coach_until_it_is_unshared(site: Site) -> None:
    ana = site.ids["ana"]
    attempt = site.service.of(ana).submit(make_submission("paged attention"))
    site.share(attempt.id)
    for who, status in (("ana", 403), ("dan", 404), ("eva", 403)):
        reply = site.ask(who, "POST", f"/cohorts/{site.cohort}/exports", {})
        assert reply.status_code == status, who
    assert "Spring" in site.get("carla", "/coach/exports").text
    assert "Spring" not in site.get("dan", "/coach/exports").text
    job_id = site.job_of(site.post("carla", f"/coach/exports/{site.cohort}", format="csv"))
    assert site.over("carla", job_id)["result"]["rows"] == 1
    file = site.get("carla", f"/jobs/{job_id}/file")
    assert "paged attention" in file.text
    assert 'filename="Spring.csv"' in file.headers["content-disposition"]

    site.service.of(ana).delete(attempt.id)
    gone = site.ask("carla", "GET", f"/jobs/{job_id}/file")
    assert gone.status_code == 404
    assert site.queue.with_files("cohort-export") == []
    assert "The file is gone" in site.get("carla", f"/jobs/{job_id}").text


def test_an_export_does_not_outlive_the_account_in_it(site: Site) -> None:
    ana = site.ids["ana"]
    attempt = site.service.of(ana).submit(make_submission("paged attention"))
    site.share(attempt.id)
    job = site.ask("carla", "POST", f"/cohorts/{site.cohort}/exports", {"format": "csv"}).json()
    site.over("carla", job["id"])
    assert len(site.queue.with_files("cohort-export")) == 1
    site.accounts.delete(ana)
    # what the worker does every ten seconds is due now
    site.client.app.state.context.background.worker._recover_at_s = 0.0  # type: ignore[attr-defined]
    wait_for(lambda: not site.queue.with_files("cohort-export"))
