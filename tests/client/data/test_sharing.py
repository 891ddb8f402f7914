"""A client shares its answers on the real server, in this process."""

import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.data.own_recordings import OwnRecordings
from client.data.sharing import (
    NoSharingError,
    RemoteSharing,
    encode_for_upload,
    interview_of,
    open_sharing,
    share,
)
from client.practice.interviews import Interviews, plan_interview
from pronunciation.clip import SAMPLE_RATE_HZ
from question_bank.loader import load_bank
from server.contract import Preparing
from tests.server.conftest import make_submission
from tests.worlds.people import People
from tests.worlds.shared_server import remote_to, server_with_people, tone, work_off


@pytest.fixture
def world(tmp_path: Path) -> Iterator[People]:
    with server_with_people(tmp_path) as made:
        yield made


@pytest.fixture
def sharing(world: People) -> Iterator[RemoteSharing]:
    with remote_to(world) as made:
        yield made


@pytest.fixture
def recordings(tmp_path: Path, world: People) -> OwnRecordings:
    kept = OwnRecordings(tmp_path)
    write_wav(tone(1.5), kept.path_of(world.attempt.submission.submission_id))
    return kept


def shared(
    world: People, sharing: RemoteSharing, recordings: OwnRecordings, **how: object
) -> object:
    values = SimpleNamespace(cohort_id=None, link=None, with_audio=False)
    vars(values).update(how)
    attempt = world.attempt
    return share(sharing, recordings, attempt.id, attempt.submission.submission_id, **vars(values))


def test_the_recording_goes_up_only_with_the_share_that_wants_it(
    world: People, sharing: RemoteSharing, recordings: OwnRecordings
) -> None:
    shared(world, sharing, recordings, cohort_id=world.spring.id)
    assert sharing.sharing(world.attempt.id).recording is None
    shared(world, sharing, recordings, cohort_id=world.spring.id, with_audio=True)
    assert sharing.sharing(world.attempt.id).recording is None
    work_off(world)
    message = sharing.sharing(world.attempt.id)
    assert message.recording is not None
    assert message.recording.duration_s == pytest.approx(1.5, abs=0.01)
    (share,) = message.shares
    sharing.revoke(share.id)
    assert sharing.sharing(world.attempt.id).recording is None


def test_a_client_waits_until_the_recording_can_be_heard(
    world: People, recordings: OwnRecordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.data.sharing._FIRST_LOOK_S", 0.01)
    away: list[bool] = []
    seen: list[Preparing] = []
    with remote_to(world, fails=lambda: bool(away) and away.pop()) as sharing:
        shared(world, sharing, recordings, cohort_id=world.spring.id, with_audio=True)

        def tell(now: Preparing) -> None:
            seen.append(now)
            if len(seen) == 2:
                work_off(world)
                away.extend([True] * 5)  # a restart: each look asks up to three times

        assert sharing.prepared(world.attempt.id, tell) is None
        assert sharing.sharing(world.attempt.id).recording is not None
    assert [each.state for each in seen] == ["queued", "queued"]
    assert away == []


def test_without_a_recording_here_nothing_is_shared(
    world: People, sharing: RemoteSharing, tmp_path: Path
) -> None:
    nothing = OwnRecordings(tmp_path / "nothing")
    with pytest.raises(NoSharingError, match="no recording"):
        shared(world, sharing, nothing, cohort_id=world.spring.id, with_audio=True)
    assert sharing.sharing(world.attempt.id).shares == ()


def test_an_interview_is_shared_with_its_answers_and_never_with_others_numbers(
    world: People, sharing: RemoteSharing, recordings: OwnRecordings, settings: ClientSettings
) -> None:
    ana = world.of("ana")
    second, other = (ana.submit(make_submission(text)) for text in ("two", "three"))
    first_id, second_id = (each.submission.submission_id for each in (world.attempt, second))
    bank = load_bank(())
    kept = Interviews.of(settings)
    role, guide = bank.roles[0], bank.rounds[0]
    plan = plan_interview(bank, role.id, guide.id, 30, {}, random.Random(1))
    record = kept.start(role, guide, 30, plan)
    # the last one has a number that is another answer's on this server
    for submission_id, number in (
        (first_id, world.attempt.id),
        (second_id, second.id),
        ("e" * 32, other.id),
    ):
        question = next(each for each in kept.get(record.id).questions if each.state == "open")
        kept.answer(record.id, question.question_id, submission_id, number)
    found = interview_of(settings, second_id)
    assert found is not None
    sent: list[int] = []
    shared(
        world,
        sharing,
        recordings,
        interview=found,
        cohort_id=world.spring.id,
        with_audio=True,
        uploaded=sent.append,
    )
    assert sent == [world.attempt.id]
    work_off(world)
    message = [sharing.sharing(each.id) for each in (world.attempt, second, other)]
    assert [each.interview_id for each in message] == [record.id, record.id, None]
    assert [each.recording is not None for each in message] == [True, False, False]
    assert interview_of(settings, "d" * 32) is None


def test_without_a_server_the_bundle_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoSharingError, match="aloud bundle export"):
        open_sharing(ClientSettings(home=tmp_path))


@pytest.mark.parametrize(("most", "kind"), [(10**9, "audio/flac"), (0, "audio/ogg")])
def test_what_is_too_long_for_flac_goes_as_opus(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, most: int, kind: str
) -> None:
    monkeypatch.setattr("client.data.sharing._MOST_FLAC_BYTES", most)
    content, media_type = encode_for_upload(tone(2))
    assert media_type == kind
    path = tmp_path / "sent"
    path.write_bytes(content)
    again = read_audio(path).samples
    assert again.size == pytest.approx(2 * SAMPLE_RATE_HZ, rel=0.02)
    loudest = np.argmax(np.abs(np.fft.rfft(again)))
    assert loudest * SAMPLE_RATE_HZ / again.size == pytest.approx(330, abs=3)
