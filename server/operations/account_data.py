"""Everything that a server stores about one account, as one zip file to download."""

import json
import tempfile
import zipfile
from datetime import datetime
from itertools import chain
from typing import IO

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.attempts.store import Store
from server.contract import Archive
from server.core.access import Actor
from server.review.service import ReviewService
from server.sharing.service import SharingService

_IN_MEMORY_BYTES = 4 * 1024 * 1024


def everything_of(
    actor: Actor,
    accounts: AccountService,
    service: Service,
    sharing: SharingService,
    reviews: ReviewService,
    now: datetime,
) -> IO[bytes]:
    """The zip file, to be read from its beginning and closed.

    ``aloud import`` reads ``archive/*.json``; ``reviews/ATTEMPT.json`` has comments, scores and
    corrected verdicts; ``written/ATTEMPT.json`` has those that the account wrote about other
    people's answers; ``recordings/`` has the stored recordings; ``account.json`` has the rest.

    Args:
        actor: the owner, with an account.
        accounts: the accounts.
        service: the use cases over the owner's answers.
        sharing: shares and recordings.
        reviews: what was written about their answers.
        now: the time.
    """
    assert actor.account_id is not None
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115 - handed on
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        _archive(packed, service, now)
        for attempt_id in Store(service.database).of(actor.account_id).ids():
            document = reviews.document(attempt_id)
            packed.writestr(f"reviews/{attempt_id}.json", document.model_dump_json(indent=1))
            if sharing.recordings.info(attempt_id) is not None:
                sound = sharing.recordings.get(attempt_id)
                ending = sound.media_type.rpartition("/")[2]
                packed.writestr(f"recordings/{attempt_id}.{ending}", sound.content)
        for attempt_id, written in reviews.written_by(actor.account_id):
            packed.writestr(f"written/{attempt_id}.json", written.model_dump_json(indent=1))
        account = accounts.get(actor.account_id)
        about = {
            "name": account.name,
            "display_name": account.display_name,
            "role": account.role,
            "created_at": account.created_at.isoformat(),
            "cohorts": [each.name for each in accounts.cohorts.of(account.id)],
            "tokens": [
                {
                    "label": each.label,
                    "created_at": each.created_at.isoformat(),
                    "last_used_at": each.last_used_at and each.last_used_at.isoformat(),
                    "revoked_at": each.revoked_at and each.revoked_at.isoformat(),
                }
                for each in accounts.tokens.of(account.id)
            ],
            "shares": [
                each.model_dump(mode="json") for each in sharing.shares.all(actor.account_id)
            ],
        }
        packed.writestr("account.json", json.dumps(about, indent=1, ensure_ascii=False))
    file.seek(0)
    return file


def _archive(packed: zipfile.ZipFile, service: Service, now: datetime) -> None:
    """Writes the pages of the archive, each a whole file to ``aloud import``."""
    attempts = (page.model_copy(update={"next_after_id": None}) for page in service.export_pages())
    drills = (
        Archive(exported_at=now, attempts=(), drill_reviews=page.reviews)
        for page in service.drills.export_pages()
        if page.reviews
    )
    for number, page in enumerate(chain(attempts, drills), 1):
        packed.writestr(f"archive/{number:04}.json", page.model_dump_json())
