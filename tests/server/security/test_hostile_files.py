"""What comes in as a file is taken whole or refused in one line: archives, banks, backups, bundles.

Every changed file is made from a seed, so a failure is there the next time too. Each loop takes
seconds of processor time.
"""

import copy
import gzip
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast
from uuid import uuid4

import pytest

from client.backend.protocol import Backend
from client.core.errors import ClientError
from client.data.bundle import BundleError, parse_review
from client.data.exports import import_archive, read_archive
from question_bank.errors import BankError
from question_bank.loader import load_bank
from question_bank.models import Bank
from server.attempts.service import Service
from server.bank_versions.text import DraftError, read_draft
from server.contract import Archive, DrillReview
from server.core.errors import InvalidInputError, ServerError, StoreError
from server.core.settings import sqlite_url
from server.db.database import Database
from server.operations.backup import back_up, restore
from tests.server.bank_versions.test_text import BANK, LEXICON
from tests.worlds.people import People, people

VALUES: Final[tuple[Any, ...]] = (
    None, True, -1, 0.5, 2**63, 10**400, -(2**70), 1e308, "", " ", "\0", "a\0b", "\u202e",
    "\ud800", "x" * 100_000, "../../etc/passwd", "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00", "2026-02-30T00:00:00Z", [], {}, [[]], {"": {}},
    {"bytes": "!", "time": "!"}, {"time": "0001-01-01T00:00:00+14:00"}, {"bytes": "%"},
    {"json": {"a": "\ud800"}},
)  # fmt: skip


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a document: what holds it, and its key there."""
    keys = document if isinstance(document, dict) else range(len(document))
    for key in keys:
        yield document, key
        if isinstance(document[key], dict | list):
            yield from places(document[key])


def changed(document: Any, chance: random.Random) -> Any:
    """A copy with something wrong in one to three places."""
    made = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        found = list(places(made))
        if not found:
            break
        holder, key = chance.choice(found)
        what = chance.random()
        if what < 0.15:
            del holder[key]
        elif what < 0.25 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif what < 0.35 and isinstance(holder, dict):
            holder["x" * chance.choice((1, 5_000))] = holder[key]
        else:
            holder[key] = copy.deepcopy(chance.choice(VALUES))
    return made


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A copy with other bytes, cut short, doubled, or in another encoding."""
    made = bytearray(content)
    match chance.randrange(6):
        case 0:
            return content[: chance.randrange(len(content))]
        case 1:
            return content + content
        case 2:
            return content.decode("utf-8", "ignore").encode(chance.choice(("utf-16", "utf-32")))
        case 3:
            return b"\xef\xbb\xbf" + content
        case _:
            for _ in range(chance.randint(1, 8)):
                made[chance.randrange(len(made))] = chance.randrange(256)
    return bytes(made)


# archives


@pytest.fixture
def archive(service: Service, make: SimpleNamespace) -> dict[str, Any]:
    """Two answers and a drill, with ids that nobody else has."""
    for said in ("I use paged attention", "continuous batching, naïve – “so”"):
        service.submit(make.submission(said))
    service.drills.review(
        DrillReview(
            review_id=uuid4().hex,
            drill_set="acronyms",
            item_id="roce",
            verdict="correct",
            confidence=0.9,
            reviewed_at=datetime(2026, 3, 1, tzinfo=UTC),
        )
    )
    document: dict[str, Any] = json.loads(service.export_all().model_dump_json())
    return document


def renamed(document: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(document)
    for each in made["attempts"]:
        each["submission"]["submission_id"] = uuid4().hex
    for each in made["drill_reviews"]:
        each["review_id"] = uuid4().hex
    return made


def stored(service: Service) -> tuple[int, int]:
    return service.history().total, len(service.export_all().drill_reviews)


@pytest.mark.every_database
def test_a_hostile_archive_is_imported_whole_or_not_at_all(
    service: Service, archive: dict[str, Any], tmp_path: Path
) -> None:
    backend = cast(Backend, service)
    path = tmp_path / "archive.json"
    chance, outcomes = random.Random(13), set[str]()
    for number in range(75):
        document = renamed(archive)
        if number % 3:
            path.write_text(json.dumps(changed(document, chance)), encoding="utf-8")
        else:
            path.write_bytes(damaged(json.dumps(document).encode(), chance))
        before = stored(service)
        try:
            result = import_archive(backend, read_archive(path))
        except (ClientError, ServerError) as error:
            outcomes.add("refused")
            assert str(error) and "\n" not in str(error) and len(str(error)) < 1_000, number
            assert stored(service) == before, number
        else:
            outcomes.add("imported")
            new = (result.attempts.imported, result.drills.imported)
            assert stored(service) == (before[0] + new[0], before[1] + new[1]), number
    assert outcomes == {"refused", "imported"}
    Archive.model_validate_json(service.export_all().model_dump_json())  # all can be read again


def test_a_hostile_archive_is_no_fault_of_the_server(
    new_service: Callable[[], Service], make: SimpleNamespace
) -> None:
    world = people(new_service(), make.submission("I use paged attention"))
    client = world.client("ana")
    document = client.get("/api/v1/archive").json()
    chance = random.Random(14)
    for _ in range(60):
        sent = json.dumps(changed(renamed(document), chance)).encode()
        if chance.random() < 0.3:
            sent = damaged(sent, chance)
        reply = client.post("/api/v1/archive", content=sent, headers=JSON)
        if reply.status_code == 429:
            break
        assert reply.status_code in (200, 400, 409, 413, 422), reply.text
    assert client.get("/api/v1/archive").status_code == 200


JSON: Final = {"content-type": "application/json"}


# banks


def test_a_hostile_bank_is_a_bank_or_faults_with_their_places(make: SimpleNamespace) -> None:
    from pronunciation.terms import Lexicon

    below: tuple[Bank, Lexicon] = make.bank(), Lexicon(version="1", terms=())
    chance, outcomes = random.Random(15), set[str]()
    plain = "&a |*a|!!python/name:os.system |{|[|- |? |: |\t|<<: |0x|1e999|\x85|\u2028|'"
    pieces = (*plain.split("|"), "|\n", "%YAML 9.9\n", "---\n", "...\n", '"\\x')
    for number in range(100):
        texts = [BANK, LEXICON]
        which = chance.randrange(2)
        for _ in range(chance.randint(1, 4)):
            text = texts[which]
            at = chance.randrange(len(text))
            keep = at + chance.choice((0, 0, 1, 20))
            texts[which] = text[:at] + chance.choice(pieces) + text[keep:]
        try:
            read_draft(below, *texts)
            outcomes.add("a bank")
        except DraftError as error:
            outcomes.add("faults")
            assert error.faults, number
            for fault in error.faults:
                lines = texts[0 if fault.part == "bank" else 1].count("\n") + 2
                assert fault.line is None or 1 <= fault.line <= lines + 1, (number, fault)
    assert outcomes == {"a bank", "faults"}


def test_a_hostile_file_of_a_bank_is_one_clear_error(tmp_path: Path) -> None:
    chance = random.Random(16)
    path = tmp_path / f"{'n' * 200}.yaml"
    refused = 0
    for number in range(120):
        path.write_bytes(damaged(BANK.encode(), chance))
        try:
            load_bank((path,))
        except BankError as error:
            refused += 1
            assert path.name in str(error), number
            assert all("\n" not in line.text for line in error.faults), number
    assert refused > 60


@pytest.mark.parametrize("make_it", ["folder", "loop", "pipe", "large"])
def test_what_is_no_file_of_a_bank_is_refused(make_it: str, tmp_path: Path) -> None:
    import os

    path = tmp_path / "bank.yaml"
    if make_it == "folder":
        path.mkdir()
    elif make_it == "loop":
        path.symlink_to(path)
    elif make_it == "pipe":
        os.mkfifo(path)  # reading one would wait forever
    else:
        with path.open("wb") as file:
            file.truncate(1024**4)
    with pytest.raises(BankError):
        load_bank((path,))


# backups


@pytest.fixture(scope="module")
def backup(
    new_service: Callable[[], Service], tmp_path_factory: pytest.TempPathFactory
) -> list[Any]:
    """The lines of one."""
    from tests.worlds.people import typed_answer

    world: People = people(new_service(), typed_answer())
    path = tmp_path_factory.mktemp("backup") / "all.aloud"
    back_up(str(world.service.database.engine.url), path)
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def packed(lines: list[Any]) -> bytes:
    return gzip.compress("".join(f"{json.dumps(each)}\n" for each in lines).encode(), 1)


def assert_restored_whole_or_not_at_all(content: bytes, folder: Path, number: int) -> bool:
    path, database = folder / "all.aloud", folder / f"{number}.db"
    path.write_bytes(content)
    url = sqlite_url(database)
    try:
        summary = restore(url, path)
    except (InvalidInputError, StoreError) as error:
        assert "\n" not in str(error) and len(str(error)) < 1_000, number
        if database.exists():
            with closing(Database(url)) as opened, opened.connect() as connection:
                for table in ("accounts", "attempts", "reports", "shares"):
                    rows = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar()
                    assert rows == 0, (number, table)
        return False
    with closing(Database(url)) as opened, opened.connect() as connection:
        for table, count in summary.rows.items():
            rows = connection.exec_driver_sql(f'SELECT count(*) FROM "{table}"').scalar()
            assert rows == count, (number, table)
    return True


def test_a_hostile_backup_is_restored_whole_or_not_at_all(
    backup: list[Any], tmp_path: Path
) -> None:
    chance, outcomes = random.Random(17), set[bool]()
    plain = "".join(f"{json.dumps(each)}\n" for each in backup).encode()
    assert assert_restored_whole_or_not_at_all(packed(backup), tmp_path, -1)
    for number in range(40):
        match number % 4:
            case 0:
                content = gzip.compress(damaged(plain, chance), 1)
            case 1:
                content = damaged(packed(backup), chance)
            case 2:  # the head
                content = packed([changed(backup[0], chance), *backup[1:]])
            case _:
                content = packed(changed(backup, chance))
        outcomes.add(assert_restored_whole_or_not_at_all(content, tmp_path, number))
    assert False in outcomes


@pytest.mark.parametrize(
    "head", [{}, {"revision": None}, {"revision": "head"}, {"revision": "../x"}, {"made_at": 3}]
)
def test_a_backup_with_a_broken_head_changes_nothing(
    backup: list[Any], head: dict[str, Any], tmp_path: Path
) -> None:
    broken = {"format": "aloud-backup", "version": 1} | ({**backup[0], **head} if head else {})
    assert not assert_restored_whole_or_not_at_all(packed([broken, *backup[1:]]), tmp_path, 0)
    assert not (tmp_path / "0.db").exists(), "refused before the database is touched"


# bundles


REVIEW: Final = b'{"format":"aloud-review","schema_version":1}'


def zipped(members: list[tuple[str, bytes]]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members:
            bundle.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def with_flag(content: bytes, at: int, value: bytes) -> bytes:
    """With other bytes in the directory's first entry."""
    made = bytearray(content)
    start = made.rfind(b"PK\x01\x02")
    made[start + at : start + at + len(value)] = value
    return bytes(made)


HOSTILE_ZIPS: Final[dict[str, Callable[[], bytes]]] = {
    "above the folder": lambda: zipped([("../../x", b""), ("comments.json", REVIEW)]),
    "absolute": lambda: zipped([("/etc/passwd", b"")]),
    "a drive": lambda: zipped([("C:\\x", b"")]),
    "a name of 60 kB": lambda: zipped([("n" * 60_000, b"")]),
    "NUL in a name": lambda: zipped([("comments.json\0.exe", REVIEW)]),
    "turned around": lambda: zipped([("\u202enosj.stnemmoc", REVIEW)]),
    "a line in a name": lambda: zipped([("a\nb", REVIEW)]),
    "a folder": lambda: zipped([("comments.json/", b"")]),
    "ten thousand members": lambda: zipped([(f"{n}", b"") for n in range(10_000)]),
    "encrypted": lambda: with_flag(zipped([("comments.json", REVIEW)]), 8, b"\x01\x00"),
    "another method": lambda: with_flag(zipped([("comments.json", REVIEW)]), 10, b"\x63\x00"),
    "larger than it is": lambda: with_flag(
        zipped([("comments.json", REVIEW)]), 24, struct.pack("<I", 9_000)
    ),
    "a wrong place": lambda: with_flag(
        zipped([("comments.json", REVIEW)]), 42, struct.pack("<I", 2**31)
    ),
    "other text": lambda: zipped([("comments.json", REVIEW.decode().encode("utf-16"))]),
    "half a pair": lambda: zipped([("comments.json", b'{"a":"\xed\xa0\x80"}')]),
    "a number without an end": lambda: zipped([("comments.json", b"9" * 1_000_000)]),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_ZIPS)
def test_a_hostile_bundle_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(BundleError) as failure:
        parse_review("back.zip", HOSTILE_ZIPS[name]())
    assert str(failure.value).startswith("back.zip")
    assert "\n" not in str(failure.value)
    assert len(str(failure.value)) < 1_000
