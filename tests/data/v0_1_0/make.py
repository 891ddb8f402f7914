"""Makes the files of this folder with Aloud 0.1.0: see README.md for how to run it.

It imports modules by the names they had in commit 245f423, so it runs in a checkout of that commit
only.
"""

import json
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
from client.bundle import bundle_of
from client.drills.importing import import_items
from client.drills.items import load_items
from client.embedded import EmbeddedBackend, back_up, open_reviews
from client.outbox import Outbox
from client.own_aliases import add_own_alias
from client.own_recordings import OwnRecordings
from client.recording.take_file import TakeWriter
from client.remote import RemoteBackend
from client.review_outbox import ReviewOutbox
from client.reviews import RemoteReviews
from client.settings import ClientSettings
from client.sharing import RemoteSharing
from client.speaking.wav import write_wav
from client.tokens import keep_token
from server.drill_contract import DrillReview
from server.review_contract import Comment, Correction, ReviewDocument
from tests.client.studio.practised import hold_interview, practise

from pronunciation.lexicon_loader import load_lexicon
from server.operations.backup import back_up as back_up_database
from tests.client.shared_server import SERVER, network_to, server_with_people, tone
from tests.server.conftest import START, make_submission, typed

HERE = Path(__file__).resolve().parent
OTHER_SERVER = "http://aloud.example.org"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROLE = "ml-infrastructure-engineer"
ALIAS = "it never sends blindly"
OWN_ITEMS = (
    "set,term,prompt,say,readings,mistakes,tip,sentence,id\n"
    "own,Zyxel,Zyxel,zy-sel,Z AY1 S EH0 L,Z IH1 S EH0 L,Like a sigh,,zyxel\n"
)
TOKEN = "aloud_" + "a" * 43


def main() -> None:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_home(folder)
        make_server(folder)


def make_home(folder: Path) -> None:
    """One person's data folder, a bundle of an answer in it, its backup and its export."""
    settings = ClientSettings(home=folder / "home")
    recordings = OwnRecordings(settings.recordings)
    lexicon = load_lexicon()
    with EmbeddedBackend(settings) as backend:
        [first] = practise(backend, lexicon, until=NOW, roles=[ROLE], answers=1, days=2)
        spoken = backend.attempt(first)
        # an answer whose words the candidate counts for a key phrase
        question = backend.question(spoken.report.question_id)
        typed_answer = make_submission(
            submission_id=UUID(int=7).hex,
            question_id=question.id,
            created_at=NOW,
            transcript=typed(f"well {ALIAS} at all"),
        )
        counted = backend.submit(typed_answer)
        add_own_alias(backend, settings, counted, question.key_phrases[0].phrase, ALIAS)
        hold_interview(backend, settings, lexicon, role=ROLE, minutes=20, answers=1)
        item = next(iter(load_items(settings).sets["acronyms"]))
        backend.review_drill(review(1, item.id, "mispronounced", NOW - timedelta(days=1)))
        backend.review_drill(review(2, item.id, "correct", NOW))
        with open_reviews(settings) as reviews:
            reviews.merge(written_about(spoken.submission.submission_id, spoken))
        settings.recordings.mkdir(mode=0o700)
        write_wav(tone(0.5), recordings.path_of(spoken.submission.submission_id))
        unfinished = TakeWriter(settings.recordings, 16_000, question.id)
        unfinished.append(tone(0.5).samples)
        unfinished.abandon("the microphone was unplugged")
        with open_reviews(settings) as reviews:
            bundle = bundle_of(backend, reviews, recordings, first, with_audio=True)
        (HERE / "bundle.zip").write_bytes(bundle.content)
        (HERE / "attempts.json").write_bytes(backend.export_one(first).model_dump_json().encode())
    csv = folder / "own.csv"
    csv.write_text(OWN_ITEMS, encoding="utf-8")
    import_items(settings, csv)
    outbox = Outbox.for_server(settings.outbox, OTHER_SERVER)
    outbox.add(make_submission("I use paged attention", submission_id=UUID(int=8).hex))
    ReviewOutbox(outbox.folder).add(review(3, "acronyms-kv", "correct", NOW))
    keep_token(settings.home, OTHER_SERVER, TOKEN)
    backup = folder / "home.backup"
    back_up(settings, backup)
    (HERE / "home.backup").write_bytes(backup.read_bytes())
    with closing(sqlite3.connect(settings.database)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with zipfile.ZipFile(HERE / "home.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(settings.home.rglob("*")):
            if path.is_file() and not path.name.endswith((".lock", "-wal", "-shm")):
                packed.write(path, path.relative_to(settings.home).as_posix())


def review(number: int, item_id: str, verdict: str, at: datetime) -> DrillReview:
    """A take of a drill item."""
    return DrillReview(
        review_id=UUID(int=number).hex,
        item_id=item_id,
        drill_set="acronyms",
        reviewed_at=at,
        verdict=verdict,
    )


def written_about(submission_id: str, attempt: object) -> ReviewDocument:
    """What a coach wrote: a comment on a word, and the opposite verdict on the last phrase."""
    phrase = attempt.report.coverage.phrases[-1]
    verdict = "missing" if phrase.status == "covered" else "covered"
    by = {"author": "Cleo", "created_at": NOW}
    return ReviewDocument(
        submission_id=submission_id,
        comments=(
            Comment(external_id="c" * 32, kind="word", word_from=1, text="Slower here", **by),
        ),
        corrections=(
            Correction(
                external_id="d" * 32, target="phrase", name=phrase.phrase, verdict=verdict, **by
            ),
        ),
    )


def make_server(folder: Path) -> None:
    """A shared server's backup, and its answers to what a client asks."""
    said: list[dict[str, object]] = []
    submission = make_submission("I use paged attention", submission_id=UUID(int=9).hex)
    with server_with_people(folder, submission, shared=True) as world:
        network = network_to(world)

        def noted(request: httpx.Request) -> httpx.Response:
            reply = network.handle_request(request)
            said.append(
                {
                    "method": request.method,
                    "target": request.url.raw_path.decode(),
                    "sent": json.loads(request.content or b"null"),
                    "status": reply.status_code,
                    "content_type": reply.headers.get("content-type", ""),
                    "answer": json.loads(reply.content or b"null"),
                }
            )
            return reply

        known = {"token": world.tokens["ana"], "transport": httpx.MockTransport(noted)}
        with RemoteBackend(SERVER, **known) as backend:
            backend.bank()
            backend.questions()
            backend.question("kv-cache")
            backend.submit(submission)
            backend.grade(submission)
            backend.review_drill(review(4, "acronyms-kv", "correct", START))
            backend.drill_queue()
            backend.drill_cards()
            backend.export_all()
            backend.export_one(world.attempt.id)
            backend.history()
            backend.attempt(world.attempt.id)
        with RemoteSharing(SERVER, **known) as sharing:
            sharing.sharing(world.attempt.id)
        with RemoteReviews(SERVER, **known) as reviews:
            reviews.merge(written_about(submission.submission_id, world.attempt))
            reviews.document(world.attempt.id)
        (HERE / "http.json").write_bytes(json.dumps(said).encode())
        backup = folder / "server.backup"
        back_up_database(f"sqlite:///{folder / 'server.db'}", backup)
        (HERE / "server.backup").write_bytes(backup.read_bytes())


if __name__ == "__main__":
    main()
