"""Deletes your own data: answers, and what this machine keeps beside them."""

import shutil
from collections.abc import Sequence
from typing import Final

from client.backend.outbox import AnswerOutbox
from client.backend.protocol import Backend, RejectedError
from client.core.settings import ClientSettings
from client.data.own_recordings import OwnRecordings
from client.data.whole_archive import own_files
from client.practice.interviews import Interviews
from server.contract import PurgeRequest, PurgeResult


def delete_answers(
    backend: Backend, settings: ClientSettings, attempt_ids: Sequence[int]
) -> PurgeResult:
    """Delete these attempts and their recordings; one that no longer exists does no harm."""
    submission_ids = []
    for attempt_id in attempt_ids:
        try:
            submission = backend.attempt(attempt_id).submission
            submission_ids.append(submission.submission_id)
            submission_ids += [each.submission_id for each in submission.follow_ups]
        except RejectedError:  # damaged or gone: its recording's name cannot be known
            continue
    result = backend.purge(PurgeRequest(attempt_ids=tuple(attempt_ids)))
    recordings = OwnRecordings(settings.recordings)
    for submission_id in submission_ids:
        recordings.forget(submission_id)
    return result


def discard_refused(outbox: AnswerOutbox, settings: ClientSettings, submission_id: str) -> bool:
    """Delete one answer that its server refused, with its recording; whether there was one."""
    gone = outbox.discard_refused(submission_id)
    if gone:
        OwnRecordings(settings.recordings).forget(submission_id)
    return gone


KEPT: Final = (
    "your settings and the plan's dates",
    "the tokens of shared servers",
    "that the microphone check has passed",
    "downloaded Whisper weights",
    "banks and lexicons in folders of your own",
)
"""What stays when everything is deleted, in words."""


def delete_everything(backend: Backend, settings: ClientSettings) -> PurgeResult:
    """Delete answers, drills, recordings, what the user has made, and what waits; see ``KEPT``."""
    result = backend.purge(PurgeRequest(everything=True))
    OwnRecordings(settings.recordings).forget_all()
    Interviews.of(settings).forget_all()
    for file in list(own_files(settings.home)):
        if file.name != "microphone.json":
            file.unlink(missing_ok=True)
    for folder in (settings.speech_cache, settings.cache, settings.outbox):
        shutil.rmtree(folder, ignore_errors=True)
    if settings.server is None:
        backend.regrade()  # of no answer: the bank is read without what was deleted
    return result
