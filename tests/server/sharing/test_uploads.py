"""From an upload to a recording that can be heard; on every database."""

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import select

from server.contract import LinkRequest, Preparing
from server.core.errors import InvalidInputError, NotFoundError
from server.db.tables import JobInputRow
from server.jobs.job import Job
from server.jobs.queue import MAX_BEGUN
from server.review.service import ReviewService
from server.sharing import recordings
from server.sharing.recordings import EncodedRecording
from tests.server.sharing.test_encoding import sound
from tests.server.sharing.test_sharing import World
from tests.server.sharing.test_sharing import world as world
from tests.worlds.queues import do_all, wait_for


@pytest.fixture
def attempt(world: World) -> int:
    """Ana's, shared with audio."""
    attempt_id = world.attempt().id
    world.show(attempt_id=attempt_id, cohort_id=world.spring, with_audio=True)
    return attempt_id


def kept_inputs(world: World) -> list[bytes]:
    with world.service.database.read() as session:
        kept = session.scalars(select(JobInputRow.content).order_by(JobInputRow.job_id))
        return [content for content in kept if content is not None]


def state(world: World, job: Job) -> Job:
    return world.queue.status(job.id, world.ana)


def preparing_of(world: World, attempt_id: int) -> Preparing | None:
    return world.sharing.shares.of_attempt(world.ana, attempt_id).preparing


def nothing_is_heard(world: World, attempt_id: int) -> bool:
    with pytest.raises(NotFoundError):
        world.sharing.recordings.get(attempt_id)
    return world.recordings() == 0


@pytest.mark.every_database
def test_an_upload_is_heard_once_it_is_encoded_and_what_arrived_is_gone(
    world: World, attempt: int
) -> None:
    arrived = sound()
    job = world.upload(world.ana, attempt, arrived)
    assert (job.kind, job.state) == ("recording", "queued")
    assert nothing_is_heard(world, attempt)
    assert ReviewService(world.service.database).awaits_sound(attempt)
    message = world.sharing.shares.of_attempt(world.ana, attempt)
    assert message.preparing == Preparing(job_id=job.id, state="queued")
    assert message.recording is None and not message.wants_audio
    assert kept_inputs(world) == [arrived]

    do_all(world.queue.worker)
    done = state(world, job)
    assert done.state == "done", done.problem
    assert (done.progress_done, done.progress_total) == (1, 1)
    assert done.result is not None and done.result["duration_s"] == pytest.approx(1, abs=0.01)
    heard = world.sharing.recordings.get(attempt).content
    assert heard.startswith(b"fLaC") and heard != arrived
    assert kept_inputs(world) == []
    assert preparing_of(world, attempt) is None
    assert not ReviewService(world.service.database).awaits_sound(attempt)


def test_the_same_upload_twice_is_one_job_and_one_recording(world: World, attempt: int) -> None:
    first = world.upload(world.ana, attempt, sound())
    assert world.upload(world.ana, attempt, sound()).id == first.id
    do_all(world.queue.worker)
    again = world.upload(world.ana, attempt, sound())
    assert world.recordings() == 1  # the first one is heard meanwhile
    do_all(world.queue.worker)
    assert state(world, again).state == "done"
    assert world.recordings() == 1


def test_another_upload_takes_the_place_of_what_is_on_its_way(world: World, attempt: int) -> None:
    first = world.upload(world.ana, attempt, sound(seconds=1))
    second = world.upload(world.ana, attempt, sound(seconds=2))
    assert state(world, first).state == "cancelled"
    assert kept_inputs(world) == [sound(seconds=2)]
    do_all(world.queue.worker)
    kept = world.sharing.recordings.info(attempt)
    assert kept is not None and kept.duration_s == pytest.approx(2, abs=0.01)
    assert state(world, second).state == "done"


def test_a_broken_file_fails_in_one_line_that_its_owner_sees_and_leaves_nothing(
    world: World, attempt: int
) -> None:
    job = world.upload(world.ana, attempt, b"fLaC" + bytes(range(256)) * 40)
    do_all(world.queue.worker)
    message = preparing_of(world, attempt)
    assert message is not None and message.state == "failed"
    assert message.problem == state(world, job).problem == recordings._NOT_AUDIO
    assert kept_inputs(world) == []
    assert nothing_is_heard(world, attempt)
    assert not ReviewService(world.service.database).awaits_sound(attempt)
    assert world.sharing.shares.of_attempt(world.ana, attempt).wants_audio
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=False)
    assert preparing_of(world, attempt) is None  # nobody asks for it any more
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    world.put(attempt)
    assert preparing_of(world, attempt) is None


@pytest.mark.parametrize("content", [b"", b"MZ", b"RIFF\0\0\0\0WAVEfmt "])
def test_what_does_not_begin_like_a_recording_is_not_taken_in(
    world: World, attempt: int, content: bytes
) -> None:
    with pytest.raises(InvalidInputError, match="no FLAC or Opus"):
        world.upload(world.ana, attempt, content)
    assert world.queue.recent(world.ana) == []


ENDS: dict[str, Callable[[World, int], object]] = {
    "share": lambda world, _: world.sharing.shares.revoke(
        world.ana, world.sharing.shares.all(world.ana)[0].id
    ),
    "without audio": lambda world, attempt: world.show(
        attempt_id=attempt, cohort_id=world.spring, with_audio=False
    ),
    "recording": lambda world, attempt: world.sharing.recordings.delete(world.ana, attempt),
    "cancelled": lambda world, _: world.queue.cancel(
        world.queue.recent(world.ana)[0].id, world.ana
    ),
    "attempt": lambda world, attempt: world.service.of(world.ana).delete(attempt),
    "account": lambda world, _: world.accounts.delete(world.ana),
    "cohort": lambda world, _: (
        world.accounts.cohorts.delete(world.spring),
        world.sharing.recordings.sweep(),
    ),
}


@pytest.mark.parametrize("way", ENDS)
def test_what_is_taken_back_while_it_waits_leaves_no_sound_behind(
    world: World, attempt: int, way: str
) -> None:
    world.upload(world.ana, attempt)
    ENDS[way](world, attempt)
    assert kept_inputs(world) == []
    do_all(world.queue.worker)
    assert nothing_is_heard(world, attempt)


@pytest.mark.every_database
@pytest.mark.parametrize("way", ENDS)
def test_what_is_taken_back_while_it_is_encoded_leaves_no_sound_behind(
    world: World, attempt: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job's thread stands between encoding and storing when the share ends."""
    encoded, goes_on = threading.Event(), threading.Event()
    reencoded = recordings.reencoded

    def slow(content: bytes, progress: Callable[[int, int], None]) -> EncodedRecording:
        made = reencoded(content, progress)
        encoded.set()
        assert goes_on.wait(120)
        return made

    monkeypatch.setattr(recordings, "reencoded", slow)
    world.upload(world.ana, attempt)
    worker = threading.Thread(target=do_all, args=(world.queue.worker,))
    worker.start()
    assert encoded.wait(120)
    ENDS[way](world, attempt)
    assert kept_inputs(world) == []
    goes_on.set()
    worker.join(30)
    assert not worker.is_alive()
    assert nothing_is_heard(world, attempt)
    assert kept_inputs(world) == []


def test_the_end_of_the_last_link_ends_the_preparing(world: World) -> None:
    attempt = world.attempt().id
    share = world.show(attempt_id=attempt, with_audio=True)
    made = world.sharing.links.add(world.ana, share, LinkRequest(label="My coach"))
    job = world.upload(world.ana, attempt)
    world.sharing.links.revoke(world.ana, made.link.id)
    assert state(world, job).state == "cancelled"
    assert kept_inputs(world) == []


def test_what_a_dead_process_was_encoding_is_done_by_the_next(world: World, attempt: int) -> None:
    job = world.upload(world.ana, attempt)
    assert world.queue.claim() is not None  # and it dies
    wait_for(lambda: world.queue.recover(silent_s=0) == [job.id])
    do_all(world.queue.worker)
    assert (state(world, job).state, state(world, job).begun) == ("done", 2)
    assert world.recordings() == 1


def test_a_file_that_ends_every_process_is_given_up_and_dropped(world: World, attempt: int) -> None:
    world.upload(world.ana, attempt)
    for _ in range(MAX_BEGUN):
        assert world.queue.claim() is not None
        world.queue.recover(silent_s=-1)
    message = preparing_of(world, attempt)
    assert message is not None and "the server ended 3 times" in (message.problem or "")
    assert kept_inputs(world) == []
