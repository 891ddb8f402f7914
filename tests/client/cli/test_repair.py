"""``aloud retranscribe`` and ``correct`` over a recording that was kept."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from client.answer.session import new_submission
from client.backend.opening import open_backend
from client.core.settings import load_settings
from client.data.own_recordings import OwnRecordings
from server.contract import Attempt, Evidence, HeardTerm, Transcript, Word
from tests.client.cli.conftest import ANSWER, Run

QUESTION = "what-the-kv-cache-costs"
ROUGH = "the cake keeps the keys and it is two times the layers"

pytestmark = pytest.mark.usefixtures("scripted_engine")


@pytest.fixture
def keep(recording: Path) -> Callable[..., Attempt]:
    """Stores an answer of PocketSphinx, with its recording."""

    def store(*, recorded: bool = True) -> Attempt:
        settings = load_settings()
        said = tuple(
            Word(text=each, start_s=i / 5, end_s=i / 5 + 0.1)
            for i, each in enumerate(ROUGH.split())
        )
        transcript = Transcript(text=ROUGH, engine="pocketsphinx", words=said, duration_s=3.0)
        with open_backend(settings) as backend:
            attempt = backend.submit(new_submission(QUESTION, transcript))
        if recorded:
            settings.recordings.mkdir(parents=True, exist_ok=True)
            path = OwnRecordings(settings.recordings).path_of(attempt.submission.submission_id)
            path.write_bytes(recording.read_bytes())
        return attempt

    return store


def text_of(run: Run, attempt_id: int, *options: str) -> str:
    shown = json.loads(run("history", str(attempt_id), "--json", *options).stdout)
    text: str = shown["report"]["transcript"]["text"]
    return text


def test_all_rough_answers_are_transcribed_again_and_keep_their_first_report(
    run: Run, keep: Callable[..., Attempt]
) -> None:
    one, two, gone = keep(), keep(), keep(recorded=False)
    result = run("retranscribe", "--rough")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("by scripted none") == 2
    assert result.stdout.count("score at least 0% → score ") == 2
    assert "cannot be compared" not in result.stdout
    assert [text_of(run, each.id) for each in (one, two, gone)] == [ANSWER, ANSWER, ROUGH]
    assert text_of(run, one.id, "--version", "1") == ROUGH
    assert "--version shows an earlier one" in run("history", str(one.id)).stdout
    assert "No recorded answer has a rough transcript" in run("retranscribe", "--rough").stdout


def test_words_are_corrected_one_by_one_or_all_and_restored(
    run: Run, keep: Callable[..., Attempt], tmp_path: Path
) -> None:
    number = str(keep(recorded=False).id)
    result = run("correct", number, "cake", "cache")
    assert result.exit_code == 0, result.stderr
    assert "“cake” → “cache”" in result.stdout
    assert text_of(run, 1) == ROUGH.replace("cake", "cache")
    shown = run("history", number).stdout
    assert "cache✎" in shown
    notice = " corrected words of the transcript: “cache” for “cake”."
    assert f"You{notice}" in " ".join(shown.split())
    assert f"The candidate{notice}" in run("export", "--attempt", number).stdout
    whole = tmp_path / "right.txt"
    whole.write_text("the cache keeps\nkeys and values", encoding="utf-8")
    assert run("correct", number, "--file", str(whole)).exit_code == 0
    assert text_of(run, 1) == "the cache keeps keys and values"
    assert run("correct", number, "--restore").exit_code == 0
    assert text_of(run, 1) == ROUGH
    assert run("correct", number, "nowhere", "x").exit_code == 1
    assert run("correct", number, "cake").exit_code == 2


def test_i_did_say_it_counts_in_one_answer_or_in_all(
    run: Run, keep: Callable[..., Attempt]
) -> None:
    one, two = keep(), keep()
    missing = [p.phrase for p in one.report.coverage.phrases if p.status == "missing"]
    assert missing
    words = ("--phrase", missing[0])
    result = run("correct", str(one.id), "two times the layers", *words)
    assert result.exit_code == 0, result.stderr
    assert status(run, one.id, missing[0]) == "covered"
    assert status(run, two.id, missing[0]) == "missing"
    assert "the candidate says “I did say it”: “two times the layers”" in " ".join(
        run("export", "--attempt", str(one.id)).stdout.split()
    )
    always = run("correct", str(one.id), "keeps the keys", "--phrase", missing[1], "--always")
    assert always.exit_code == 0, always.stderr
    assert status(run, two.id, missing[1]) == "covered"
    assert run("correct", str(one.id), "never said", *words).exit_code == 1


def status(run: Run, attempt_id: int, phrase: str) -> str:
    shown = json.loads(run("history", str(attempt_id), "--json").stdout)
    phrases = shown["report"]["coverage"]["phrases"]
    found: str = next(each["status"] for each in phrases if each["phrase"] == phrase)
    return found


@pytest.mark.parametrize("always", [True])
def test_a_term_was_said_right_in_one_answer_or_always(run: Run, always: bool) -> None:
    words = (Word(text="we", start_s=0.0, end_s=0.2), Word(text="RoCE", start_s=0.2, end_s=0.8))
    transcript = Transcript(text="we RoCE", engine="fake", words=words, duration_s=1.0)
    heard = HeardTerm(
        term="RoCE",
        word_index=1,
        verdict="mispronounced",
        phones="R OW1 S",
        confidence=0.95,
        start_s=0.2,
        end_s=0.8,
    )
    evidence = Evidence(heard=(heard,), hearing_version="fake")
    with open_backend(load_settings()) as backend:
        answers = [
            backend.submit(new_submission(QUESTION, transcript, evidence)).id for _ in range(2)
        ]
    result = run("correct", str(answers[0]), "--term", "RoCE", *(["--always"] if always else []))
    assert result.exit_code == 0, result.stderr
    verdicts = []
    for each in answers:
        report = json.loads(run("history", str(each), "--json").stdout)["report"]
        verdicts += [term["verdict"] for term in report["pronunciation"]["terms"]]
    assert verdicts == ["correct", "correct" if always else "mispronounced"]
    assert run("correct", str(answers[0]), "--term", "NVLink").exit_code == 1
    assert run("correct", str(answers[0]), "we", "--term", "RoCE").exit_code == 2
