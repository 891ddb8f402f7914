"""Whoever leaves takes everything along: answers, what was written about them, sound, drills."""

import io
import json
import zipfile
from collections.abc import Callable
from types import SimpleNamespace
from uuid import uuid4

from server.attempts.service import ARCHIVE_PAGE, Service
from server.contract import Archive, NewCorrection, ReviewDocument
from server.review.models import Author
from server.review.service import ReviewService
from tests.worlds.people import people


def test_one_file_has_everything_of_ones_own_and_nothing_of_others(
    new_service: Callable[[], Service], make: SimpleNamespace
) -> None:
    world = people(new_service(), make.submission("I use paged attention"))
    for number in range(ARCHIVE_PAGE):
        world.of("ana").submit(make.submission(f"answer {number}"))
    world.of("ben").submit(make.submission("what Ben said"))
    said = world.client("cleo").post(
        f"/api/v1/attempts/{world.attempt.id}/comments",
        json={"kind": "answer", "text": "well said", "external_id": uuid4().hex},
    )
    assert said.status_code == 200
    reply = world.client("ana").get("/account/everything")
    assert reply.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(reply.content)) as packed:
        content = {name: packed.read(name) for name in packed.namelist()}
    archives = [
        Archive.model_validate_json(text)
        for name, text in content.items()
        if name.startswith("archive/")
    ]
    texts = [each.submission.transcript.text for one in archives for each in one.attempts]
    assert sorted(texts) == sorted(
        ["I use paged attention", *(f"answer {number}" for number in range(ARCHIVE_PAGE))]
    )
    assert len(archives) == 2
    document = ReviewDocument.model_validate_json(content[f"reviews/{world.attempt.id}.json"])
    assert [each.text for each in document.comments] == ["well said"]
    assert content[f"recordings/{world.attempt.id}.flac"] == b"fLaC"
    about = json.loads(content["account.json"])
    assert about["name"] == "ana"
    assert [each["attempt_id"] for each in about["shares"]] == [world.attempt.id]
    assert b"what Ben said" not in b"".join(content.values())

    for one in archives:  # and another server takes it
        answer = one.model_dump(mode="json")
        kept = world.client("dora").post("/api/v1/archive", json=answer).json()
        assert kept["imported"] == len(one.attempts)


def test_a_coach_takes_along_what_they_wrote_and_nothing_that_others_did(
    new_service: Callable[[], Service], make: SimpleNamespace
) -> None:
    world = people(new_service(), make.submission("I use paged attention"))
    for who, text in (("ana", "what Ana said"), ("cleo", "said by Cleo")):
        reply = world.client(who).post(
            f"/api/v1/attempts/{world.attempt.id}/comments",
            json={"kind": "answer", "text": text, "external_id": uuid4().hex},
        )
        assert reply.status_code == 200
    reviews = ReviewService(world.service.database)
    cleo = world.by_name["cleo"].id
    (phrase, *_) = world.attempt.report.coverage.phrases
    wrong = NewCorrection(
        target="phrase", name=phrase.phrase, verdict="partial", external_id=uuid4().hex
    )
    reviews.correct(world.attempt.id, Author(cleo), wrong, world.attempt.report)

    reply = world.client("cleo").get("/account/everything")
    with zipfile.ZipFile(io.BytesIO(reply.content)) as packed:
        content = {name: packed.read(name) for name in packed.namelist()}
    document = ReviewDocument.model_validate_json(content[f"written/{world.attempt.id}.json"])
    assert [each.text for each in document.comments] == ["said by Cleo"]
    assert [each.verdict for each in document.corrections] == ["partial"]
    whole = b"".join(content.values())
    assert b"what Ana said" not in whole and b"I use paged" not in whole
    about = json.loads(content["account.json"])
    assert about["cohorts"] == [world.spring.name]
    assert [each["label"] for each in about["tokens"]] == [
        each.label for each in world.accounts.tokens.of(cleo)
    ]
    assert world.tokens["cleo"].encode() not in whole

    own = world.client("ana").get("/account/everything")
    with zipfile.ZipFile(io.BytesIO(own.content)) as packed:
        assert not [name for name in packed.namelist() if name.startswith("written/")]
