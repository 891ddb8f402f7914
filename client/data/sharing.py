"""Sharing your answers on a shared server: with a cohort or by link, with the recording or not."""

import time
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final, Literal

import av
import httpx
import numpy as np

from client.backend.connection import ServerConnection
from client.backend.protocol import RejectedError, UnavailableError
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.data.own_recordings import OwnRecordings
from client.practice.interviews import InterviewRecord, Interviews
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import (
    Attempt,
    LinkRequest,
    NewShareLink,
    Preparing,
    Shared,
    ShareRequest,
    Sharing,
)

_MOST_FLAC_BYTES: Final = 6 * 1024 * 1024
"""Within the server's limit of 8 MiB; what is longer goes as Opus."""

_OPUS_BIT_RATE: Final = 32_000
_UPLOAD_TIMEOUT: Final = httpx.Timeout(120.0, connect=3.0)

_FIRST_LOOK_S: Final = 0.25
_SLOWEST_LOOK_S: Final = 2.0
PATIENCE_S: Final = 60.0
"""A server that has nothing else to do encodes half an hour of sound within it."""


class NoSharingError(ClientError):
    """There is no shared server, or no recording; the text says what can be done instead."""


class RemoteSharing(ServerConnection):
    """The sharing of a shared server, over HTTP."""

    def sharing(self, attempt_id: int) -> Sharing:
        """Who an attempt is shared with, and who it could be shared with."""
        return self.call("GET", f"attempts/{attempt_id}/sharing", Sharing)

    def share(self, wanted: ShareRequest) -> Shared:
        """Shares an attempt or an interview."""
        # each call makes another share by link: after an unclear failure it is not repeated
        return self.call("POST", "shares", Shared, wanted, repeat=wanted.cohort_id is not None)

    def revoke(self, share_id: int) -> None:
        self.send("DELETE", f"shares/{share_id}", repeat=False)

    def add_link(self, share_id: int, wanted: LinkRequest) -> NewShareLink:
        """Makes a link for somebody without an account."""
        return self.call("POST", f"shares/{share_id}/links", NewShareLink, wanted, repeat=False)

    def revoke_link(self, link_id: int) -> None:
        """Ends a link: it no longer opens the answer."""
        self.send("DELETE", f"share-links/{link_id}", repeat=False)

    def attempt(self, attempt_id: int) -> Attempt:
        return self.call("GET", f"attempts/{attempt_id}", Attempt)

    def upload(self, attempt_id: int, recordings: OwnRecordings) -> None:
        """Uploads the recording of an attempt that is shared with audio, follow-ups at its end.

        The server encodes it again before anybody hears it; ``prepared`` waits for that.

        Raises:
            AudioFileError: the file cannot be read.
            UnavailableError, RejectedError: the server did not take it.
        """
        content, media_type = encode_for_upload(
            recordings.whole(self.attempt(attempt_id).submission)
        )
        self.send(
            "PUT",
            f"attempts/{attempt_id}/recording",
            content,
            media_type=media_type,
            repeat=False,
            timeout=_UPLOAD_TIMEOUT,
        )

    def prepared(
        self,
        attempt_id: int,
        tell: Callable[[Preparing], None] = lambda preparing: None,
    ) -> Preparing | None:
        """Waits until an uploaded recording can be heard, asking less and less often.

        Goes on waiting while the server is away for a moment.

        Returns:
            ``None``: nothing is being prepared. Otherwise how far it was when patience
            ended, or why it failed (``state`` is ``failed``).

        Raises:
            UnavailableError: the server stayed away.
        """
        until_s = time.monotonic() + PATIENCE_S
        pause_s = _FIRST_LOOK_S
        while True:
            is_late = time.monotonic() >= until_s
            try:
                found = self.sharing(attempt_id).preparing
            except UnavailableError:
                if is_late:
                    raise
            else:
                if found is None or found.state == "failed" or is_late:
                    return found
                tell(found)
            time.sleep(min(pause_s, max(0.0, until_s - time.monotonic())))
            pause_s = min(1.5 * pause_s, _SLOWEST_LOOK_S)


def open_sharing(settings: ClientSettings) -> RemoteSharing:
    """The sharing of the server that the settings name.

    Raises:
        NoSharingError: they name none.
    """
    if settings.server is None:
        raise NoSharingError(
            "sharing needs a shared server (--server); without one, `aloud bundle export` makes "
            "a file that a coach opens offline"
        )
    return RemoteSharing(settings.server, token=settings.token)


def interview_of(settings: ClientSettings, submission_id: str) -> InterviewRecord | None:
    """The interview that an answer was given in; ``None``: in none that is kept here."""
    return next(
        (
            record
            for record in Interviews.of(settings).all().records
            if any(each.submission_id == submission_id for each in record.asked)
        ),
        None,
    )


def share(
    sharing: RemoteSharing,
    recordings: OwnRecordings,
    attempt_id: int,
    submission_id: str,
    interview: InterviewRecord | None = None,
    *,
    cohort_id: int | None,
    link: LinkRequest | None = None,
    with_audio: bool = False,
    uploaded: Callable[[int], None] = lambda attempt_id: None,
) -> str | None:
    """Shares an attempt with a cohort or by a link; uploads its recording if that is wanted.

    With ``interview``, all of its answers that this server has; recordings of it that are not (or
    no longer) on this machine are left out. ``uploaded`` receives each attempt whose recording has
    just been uploaded.

    Returns:
        The link's whole address, if one was made.

    Raises:
        NoSharingError: there is no recording of this answer on this machine, or the server has
            none of the interview's answers.
        AudioFileError, UnavailableError, RejectedError: the recording or the server fails.
    """
    answers = {attempt_id: submission_id}
    if interview is not None:
        answers = {
            each.attempt_id: each.submission_id
            for each in interview.asked
            if each.attempt_id is not None
            and each.submission_id is not None
            and _is_there(sharing, each.attempt_id, each.submission_id)
        }
    recorded = [
        id for id, name in answers.items() if with_audio and recordings.path_of(name).is_file()
    ]
    if not answers:
        raise NoSharingError("the server has none of this interview's answers")
    if interview is None and with_audio and not recorded:
        raise NoSharingError("there is no recording of this answer on this machine")
    what = (
        {"attempt_id": attempt_id}
        if interview is None
        else {"interview_id": interview.id, "attempt_ids": tuple(answers)}
    )
    wanted = ShareRequest.model_validate({**what, "cohort_id": cohort_id, "with_audio": with_audio})
    made = sharing.share(wanted)
    address = sharing.server + sharing.add_link(made.id, link).path if link is not None else None
    for each in recorded:
        sharing.upload(each, recordings)
        uploaded(each)
    return address


def _is_there(sharing: RemoteSharing, attempt_id: int, submission_id: str) -> bool:
    """Whether the server has this answer under this number, and not another one."""
    try:
        return sharing.attempt(attempt_id).submission.submission_id == submission_id
    except RejectedError:
        return False


def encode_for_upload(clip: Clip) -> tuple[bytes, Literal["audio/flac", "audio/ogg"]]:
    """The recording as FLAC, or as Opus where FLAC would be too large; with its media type."""
    flac = as_flac(clip)
    if len(flac) <= _MOST_FLAC_BYTES:
        return flac, "audio/flac"
    return _encode(clip, "ogg", "libopus"), "audio/ogg"


def as_flac(clip: Clip) -> bytes:
    """The recording as a FLAC file without metadata."""
    return _encode(clip, "flac", "flac")


def _encode(clip: Clip, container: str, codec: str) -> bytes:
    made = BytesIO()
    with av.open(made, "w", format=container) as target:
        stream: Any = target.add_stream(codec, rate=SAMPLE_RATE_HZ)
        stream.layout = "mono"
        if codec == "libopus":
            stream.bit_rate = _OPUS_BIT_RATE
        samples = np.frombuffer(clip.pcm16(), np.int16)
        for start in range(0, samples.size, SAMPLE_RATE_HZ):
            part = samples[None, start : start + SAMPLE_RATE_HZ]
            frame = av.AudioFrame.from_ndarray(part, format="s16", layout="mono")
            frame.sample_rate = SAMPLE_RATE_HZ
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return made.getvalue()
