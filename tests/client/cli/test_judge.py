"""``--judge``: a language model's verdicts, from the option to the stored report."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.judging.judge import ChatError
from tests.client.cli.conftest import Run
from tests.worlds.fake_judge import FakeJudge

QUESTION = "what-the-kv-cache-costs"
PHRASE = "concurrent requests"
QUOTE = "the memory is two times the number"
ANSWER = f"The KV cache makes autoregressive decoding affordable and {QUOTE} of layers."

Flags = tuple[str, ...]


@pytest.fixture
def flags(fake_judge: FakeJudge) -> Flags:
    fake_judge.judges(concurrent_requests=QUOTE)
    return ("--judge", fake_judge.address, "--judge-model", "small")


def phrase(report: dict[str, Any], name: str = PHRASE) -> dict[str, Any]:
    return next(each for each in report["coverage"]["phrases"] if each["phrase"] == name)


def grade(run: Run, *flags: str) -> dict[str, Any]:
    asked = ("grade", "--question", QUESTION, "--transcript", "-", "--json", *flags)
    result = run(*asked, input=ANSWER)
    assert result.exit_code == 0, result.stderr
    assert not result.stderr
    return dict(json.loads(result.stdout))


def test_off_by_default(run: Run, fake_judge: FakeJudge) -> None:
    report = grade(run)

    assert phrase(report)["status"] == "missing"
    assert report["notices"] == []
    assert fake_judge.requests == []


def test_a_written_answer(run: Run, fake_judge: FakeJudge, flags: Flags) -> None:
    report = grade(run, *flags)

    assert (phrase(report)["status"], phrase(report)["how"]) == ("covered", "judge")
    assert phrase(report)["evidence"]["text"] == QUOTE
    assert report["coverage"]["score"] > grade(run)["coverage"]["score"]
    assert f"small at {fake_judge.address}" in report["notices"][0]
    assert phrase(report, "autoregressive decoding")["how"] in ("exact", "alias")
    asked = {each["phrase"] for each in fake_judge.asked()["phrases"]}
    assert PHRASE in asked
    assert len(fake_judge.requests) == 1


def test_from_the_environment(
    run: Run, fake_judge: FakeJudge, flags: Flags, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALOUD_JUDGE", fake_judge.address)
    monkeypatch.setenv("ALOUD_JUDGE_MODEL", "small")

    assert phrase(grade(run))["how"] == "judge"


def test_what_a_person_sees(run: Run, flags: Flags) -> None:
    result = run("grade", "--question", QUESTION, "--transcript", "-", *flags, input=ANSWER)

    assert "A language model (small at" in result.stdout
    assert f"“{QUOTE}” (verdict of a language model" in " ".join(result.stdout.split())


def test_a_judge_elsewhere_is_warned_of(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> str:
        raise ChatError("it failed (500)")

    monkeypatch.setattr("client.judging.judge.Chat.ask", away)
    result = run(
        *("grade", "--question", QUESTION, "--transcript", "-", "--json"),
        *("--judge", "https://judge.example/v1", "--judge-model", "big"),
        input=ANSWER,
    )

    assert "https://judge.example/v1 is not on this machine" in result.stderr
    notices = json.loads(result.stdout)["notices"]
    assert any("was sent to another machine (https://judge.example/v1)" in each for each in notices)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("--judge", "127.0.0.1:11434"), "not the address of a judge"),
        (("--judge", "http://127.0.0.1:11434/v1"), "needs a model"),
        (("--judge-model", "small"), "a model alone is not enough for a judge"),
    ],
)
def test_options_that_do_not_fit(run: Run, wrong: Flags, says: str) -> None:
    result = run("grade", "--question", QUESTION, "--transcript", "-", *wrong, input=ANSWER)

    assert result.exit_code == 1
    assert says in result.stderr


@pytest.mark.usefixtures("scripted_engine")
def test_the_demo_asks_nobody(
    run: Run, fake_judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALOUD_JUDGE", fake_judge.address)
    monkeypatch.setenv("ALOUD_JUDGE_MODEL", "small")

    result = run("demo", "--json")
    assert result.exit_code == 0, result.stderr
    assert fake_judge.address not in result.stdout
    assert fake_judge.requests == []


@pytest.mark.usefixtures("scripted_engine")
def test_what_was_judged_is_stored_and_graded_again_without_a_judge(
    run: Run, fake_judge: FakeJudge, flags: Flags, recording: Path
) -> None:
    result = run("assess", str(recording), "--question", QUESTION, "--json", *flags)
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert phrase(report)["how"] == "judge"
    assert phrase(report)["evidence"]["start_s"] is not None
    assert len(fake_judge.requests) == 1
    fake_judge.close()

    assert "1 attempt graded again, 0 would change" in run("regrade", "--diff").stdout
    assert "1 attempt graded again" in run("regrade").stdout
    stored = json.loads(run("history", "1", "--json").stdout)["report"]
    assert (stored["coverage"], stored["notices"]) == (report["coverage"], report["notices"])
