"""What owners show, take back, and for how long the server keeps their recordings."""

from datetime import timedelta

import pytest

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.contract import Attempt, LinkRequest, Recording, ShareRequest
from server.core.access import Action, Actor, may
from server.core.errors import ConflictError, NotFoundError
from server.db.tables import RecordingRow
from server.jobs.job import Job
from server.sharing.recordings import RECORDING, preparing, receive
from server.sharing.service import SharingService
from server.sharing.shown import resource_of_attempt
from tests.server.conftest import START, Clock, make_submission
from tests.server.sharing.test_encoding import sound
from tests.worlds.queues import WorkedQueue, do_all

INTERVIEW = "1" * 32


class World:
    """Ana and Ben are candidates of the cohort of Cleo; Dora coaches another one."""

    def __init__(self, service: Service) -> None:
        self.clock = Clock()
        self.service = service
        self.accounts = accounts = AccountService(service.database)
        self.ana, self.ben = (
            accounts.add("ana", "candidate").id,
            accounts.add("ben", "candidate").id,
        )
        self.cleo, self.dora = accounts.add("cleo", "coach").id, accounts.add("dora", "coach").id
        self.spring = accounts.cohorts.add("spring", audio_days=7).id
        self.autumn = accounts.cohorts.add("autumn").id
        accounts.cohorts.assign(self.spring, self.ana, "candidate")
        accounts.cohorts.assign(self.spring, self.ben, "candidate")
        accounts.cohorts.assign(self.spring, self.cleo, "coach")
        accounts.cohorts.assign(self.autumn, self.dora, "coach")
        self.sharing = SharingService(service.database, self.clock)
        kinds = {RECORDING: preparing(service.database, self.sharing.recordings)}
        self.queue = WorkedQueue(service.database, kinds)

    def attempt(self, text: str = "I use paged attention", **changes: object) -> Attempt:
        return self.service.of(self.ana).submit(make_submission(text, **changes))

    def show(self, **wanted: object) -> int:
        return self.sharing.shares.share(self.ana, ShareRequest.model_validate(wanted)).id

    def upload(self, owner_id: int, attempt_id: int, content: bytes | None = None) -> Job:
        content = sound() if content is None else content
        return receive(self.sharing.recordings, self.queue, owner_id, attempt_id, content)

    def put(self, attempt_id: int) -> Recording:
        """Ana's upload, and the work on it."""
        self.upload(self.ana, attempt_id)
        do_all(self.queue.worker)
        kept = self.sharing.recordings.info(attempt_id)
        assert kept is not None
        return kept

    def may(self, who: int, action: Action, attempt_id: int) -> bool:
        coached = {self.cleo: {self.spring}, self.dora: {self.autumn}}.get(who, set())
        role = "coach" if coached else "candidate"
        resource = resource_of_attempt(self.service.database, attempt_id)
        return may(Actor(role, who, coached=frozenset(coached)), action, resource)  # type: ignore[arg-type]

    def recordings(self) -> int:
        with self.service.database.read() as session:
            return session.query(RecordingRow).count()


@pytest.fixture
def world(service: Service) -> World:
    return World(service)


@pytest.mark.every_database
def test_what_is_shared_is_seen_by_its_cohorts_coaches_until_it_is_taken_back(world: World) -> None:
    attempt = world.attempt().id
    assert not world.may(world.cleo, Action.READ, attempt)
    share = world.show(attempt_id=attempt, cohort_id=world.spring)
    assert world.may(world.cleo, Action.READ, attempt)
    assert not world.may(world.cleo, Action.HEAR, attempt)
    assert not world.may(world.dora, Action.READ, attempt)
    assert not world.may(world.ben, Action.READ, attempt)
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    assert world.may(world.cleo, Action.HEAR, attempt)
    assert [each.id for each in world.sharing.shares.all(world.ana)] == [share]
    world.sharing.shares.revoke(world.ana, share)
    assert not world.may(world.cleo, Action.READ, attempt)
    assert world.sharing.shares.all(world.ana) == ()


def test_nobody_shares_or_takes_back_what_is_not_theirs(world: World) -> None:
    attempt = world.attempt().id
    share = world.show(attempt_id=attempt, cohort_id=world.spring)
    link = world.sharing.links.add(world.ana, share, LinkRequest(label="x")).link
    theirs = ShareRequest(attempt_id=attempt, cohort_id=world.spring)
    whole = ShareRequest(interview_id=INTERVIEW, attempt_ids=(attempt,), cohort_id=world.spring)
    for attack in (
        lambda: world.sharing.shares.share(world.ben, theirs),
        lambda: world.sharing.shares.share(world.ben, whole),
        lambda: world.sharing.shares.revoke(world.ben, share),
        lambda: world.sharing.shares.of_attempt(world.ben, attempt),
        lambda: world.sharing.links.add(world.ben, share, LinkRequest(label="x")),
        lambda: world.sharing.links.revoke(world.ben, link.id),
        lambda: world.upload(world.ben, attempt),
        lambda: world.sharing.recordings.delete(world.ben, attempt),
        lambda: world.show(attempt_id=attempt, cohort_id=world.autumn),
        lambda: world.show(attempt_id=2**62, cohort_id=world.spring),
    ):
        with pytest.raises(NotFoundError):
            attack()
    assert world.may(world.cleo, Action.READ, attempt)


def test_an_interview_is_shared_with_all_its_answers_and_no_other(world: World) -> None:
    first, second, other = (world.attempt(text).id for text in ("one", "two", "three"))
    with pytest.raises(NotFoundError, match="no answer of this interview"):
        world.show(interview_id=INTERVIEW, cohort_id=world.spring)
    share = world.show(interview_id=INTERVIEW, attempt_ids=(first, second), cohort_id=world.spring)
    seen = [world.may(world.cleo, Action.READ, each) for each in (first, second, other)]
    assert seen == [True, True, False]
    assert [each.id for each in world.sharing.shares.of_attempt(world.ana, first).shares] == [share]
    assert world.sharing.shares.of_attempt(world.ana, other).shares == ()
    with pytest.raises(ConflictError, match="another interview"):
        world.show(interview_id="2" * 32, attempt_ids=(first,), cohort_id=world.spring)
    world.sharing.shares.revoke(world.ana, share)
    assert not world.may(world.cleo, Action.READ, first)


def test_a_recording_is_kept_only_while_a_share_asks_for_it(world: World) -> None:
    attempt = world.attempt().id
    with pytest.raises(ConflictError, match="share it with audio first"):
        world.upload(world.ana, attempt)
    share = world.show(attempt_id=attempt, cohort_id=world.spring)
    with pytest.raises(ConflictError, match="share it with audio first"):
        world.upload(world.ana, attempt)
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    assert world.sharing.shares.of_attempt(world.ana, attempt).wants_audio
    kept = world.put(attempt)
    assert kept.size_bytes == len(world.sharing.recordings.get(attempt).content)
    assert not world.sharing.shares.of_attempt(world.ana, attempt).wants_audio
    world.sharing.shares.revoke(world.ana, share)
    assert world.recordings() == 0


def test_sharing_without_audio_from_now_on_deletes_the_recording(world: World) -> None:
    attempt = world.attempt().id
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    world.put(attempt)
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=False)
    assert world.recordings() == 0


def test_a_recording_that_another_share_still_asks_for_stays(world: World) -> None:
    attempt = world.attempt().id
    alone = world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    world.show(
        interview_id=INTERVIEW, attempt_ids=[attempt], cohort_id=world.spring, with_audio=True
    )
    world.put(attempt)
    world.sharing.shares.revoke(world.ana, alone)
    assert world.recordings() == 1


@pytest.mark.every_database
def test_a_recording_goes_after_the_days_that_its_cohort_agreed(world: World) -> None:
    attempt = world.attempt().id
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    kept = world.put(attempt)
    assert kept.expires_at == kept.uploaded_at + timedelta(days=7)
    world.clock.now += timedelta(days=6, hours=23)
    assert world.sharing.recordings.sweep() == 0
    world.clock.now += timedelta(hours=2)
    with pytest.raises(NotFoundError):  # whether or not anybody swept
        world.sharing.recordings.get(attempt)
    assert world.sharing.recordings.sweep() == 1
    assert world.recordings() == 0


@pytest.mark.parametrize("way", ["leaves", "cohort deleted", "attempt deleted", "account deleted"])
def test_a_recording_does_not_outlive_what_it_was_shared_for(world: World, way: str) -> None:
    attempt = world.attempt().id
    world.show(attempt_id=attempt, cohort_id=world.spring, with_audio=True)
    world.put(attempt)
    if way == "leaves":
        world.accounts.cohorts.unassign(world.spring, world.ana)
        assert not world.may(world.cleo, Action.HEAR, attempt)
    elif way == "cohort deleted":
        world.accounts.cohorts.delete(world.spring)
    elif way == "attempt deleted":
        world.service.of(world.ana).delete(attempt)
    else:
        world.accounts.delete(world.ana)
    world.sharing.recordings.sweep()
    assert world.recordings() == 0


def test_a_link_opens_its_share_until_it_ends(world: World) -> None:
    first, second = world.attempt("one").id, world.attempt("two").id
    share = world.show(attempt_id=first)
    made = world.sharing.links.add(world.ana, share, LinkRequest(label="My coach", days=3))
    secret = made.path.removeprefix("/s/")
    assert len(secret) >= 43
    guest = world.sharing.links.open(secret)
    assert [each.id for each in guest.attempts] == [first]
    with pytest.raises(NotFoundError):
        guest.demand(second)
    (shown,) = world.sharing.shares.of_attempt(world.ana, first).shares
    assert shown.links[0].last_used_at is not None
    assert secret not in shown.model_dump_json()
    for wrong in ("", secret[:-1], secret + "a", secret.swapcase(), "\0"):
        with pytest.raises(NotFoundError):
            world.sharing.links.open(wrong)
    world.clock.now += timedelta(days=3)
    with pytest.raises(NotFoundError, match="not valid"):
        world.sharing.links.open(secret)


@pytest.mark.parametrize("way", ["link", "share", "attempt", "disabled"])
def test_a_link_ends_with_what_it_hangs_on(world: World, way: str) -> None:
    attempt = world.attempt().id
    share = world.show(attempt_id=attempt)
    made = world.sharing.links.add(world.ana, share, LinkRequest(label="My coach"))
    secret = made.path.removeprefix("/s/")
    assert world.sharing.links.open(secret).attempts
    match way:
        case "link":
            world.sharing.links.revoke(world.ana, made.link.id)
        case "share":
            world.sharing.shares.revoke(world.ana, share)
        case "attempt":
            world.service.of(world.ana).delete(attempt)
        case _:
            world.accounts.disable(world.ana)
    with pytest.raises(NotFoundError):
        world.sharing.links.open(secret)


@pytest.mark.every_database
def test_the_last_link_takes_the_recording_along(world: World) -> None:
    attempt = world.attempt().id
    share = world.show(attempt_id=attempt, with_audio=True)
    with pytest.raises(ConflictError):  # nobody could hear it yet
        world.upload(world.ana, attempt)
    made = world.sharing.links.add(world.ana, share, LinkRequest(label="My coach"))
    kept = world.put(attempt)
    assert kept.expires_at is None
    world.sharing.links.revoke(world.ana, made.link.id)
    assert world.recordings() == 0


def test_what_is_told_of_a_share_is_what_its_owner_set(world: World) -> None:
    attempt = world.attempt().id
    world.show(attempt_id=attempt, cohort_id=world.spring)
    message = world.sharing.shares.of_attempt(world.ana, attempt)
    assert [(each.name, each.audio_days) for each in message.cohorts] == [("spring", 7)]
    assert message.shares[0].cohort == "spring"
    assert message.shares[0].created_at > START
