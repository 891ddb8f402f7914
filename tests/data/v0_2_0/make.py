"""Makes the files of this folder with Aloud 0.2.0: see README.md for how to run it.

It imports modules by the names they had in commit 825d2e0a, so it runs in a checkout of that commit
only.
"""

import gzip
import json
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx

from client.audio.wav import write_wav
from client.backend.embedded import open_embedded, open_reviews
from client.backend.outbox import AnswerOutbox, ReviewOutbox
from client.backend.remote import RemoteBackend, RemoteReviews
from client.backend.shared_server import back_up
from client.core.settings import ClientSettings
from client.core.tokens import keep_token
from client.data.bundle import bundle_of
from client.data.exports import export_attempts
from client.data.own_aliases import add_own_alias
from client.data.own_readings import add_own_readings
from client.data.own_recordings import OwnRecordings
from client.data.sharing import RemoteSharing
from client.journal.journal import Journal
from client.practice.drills.item_files import import_items
from client.practice.drills.items import load_items
from pronunciation.lexicon_loader import load_lexicon
from server.attempts.regrading import RegradeOrder
from server.bank_versions.store import BankVersionStore
from server.contract import (
    Comment,
    Correction,
    DrillReview,
    Evidence,
    HeardTerm,
    MeantAnswer,
    NewComment,
    Pause,
    ReviewDocument,
    Revision,
    Submission,
    Transcript,
    Word,
)
from server.jobs.store import JobStore
from server.operations.backup import back_up as back_up_database
from tests.client.shared_server import SERVER, network_to, server_with_people, tone
from tests.client.studio.practiced import hold_interview, practice
from tests.server.conftest import START, make_submission, typed

HERE = Path(__file__).resolve().parent
OTHER_SERVER = "http://aloud.example.org"
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
ROLE = "ml-infrastructure-engineer"
ALIAS = "it never sends blindly"
OWN_ITEMS = (
    "set,term,prompt,say,readings,mistakes,tip,sentence,id\n"
    "own,Zyxel,Zyxel,zy-sel,Z AY1 S EH0 L,Z IH1 S EH0 L,Like a sigh,,zyxel\n"
)
BANK = """\
questions:
  - id: own-question
    role: ml-infrastructure-engineer
    round: domain-deep-dive
    topic: KV Cache Management
    prompt: How do you warm a cache?
    model_answer: I load the hot keys first.
    key_phrases: [hot keys]
"""
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
    settings.recordings.mkdir(parents=True, mode=0o700)
    with closing(open_embedded(settings)) as backend:
        [first] = practice(backend, lexicon, until=NOW, roles=[ROLE], answers=1, days=2)
        spoken = backend.attempt(first)
        question = backend.question(spoken.report.question_id)
        # an answer whose words the candidate counts for a key phrase
        counted = backend.submit(
            make_submission(
                submission_id=UUID(int=7).hex,
                question_id=question.id,
                created_at=NOW,
                transcript=typed(f"well {ALIAS} at all"),
            )
        )
        phrase = question.key_phrases[0].phrase
        add_own_alias(backend, settings, counted, phrase, ALIAS)
        hold_interview(backend, settings, lexicon, role=ROLE, minutes=20, answers=1)
        misread = backend.submit(said_wrong(question.id))
        add_own_readings(backend, settings, misread, "CUDA")
        backend.confirm(misread.id, MeantAnswer(phrase=phrase, meant=True, words="paged attention"))
        said = misread.submission
        revision = Revision(transcript=said.transcript, evidence=said.evidence)
        backend.revise(misread.id, revision.with_words("paged attention wants a CUDA kernel"))
        item = next(iter(load_items(settings).sets["acronyms"]))
        backend.drills.review(review(1, item.id, "mispronounced", NOW - timedelta(days=1)))
        backend.drills.review(review(2, item.id, "correct", NOW))
        with open_reviews(settings) as reviews:
            reviews.merge(written_about(spoken.submission.submission_id, spoken))
        write_wav(tone(0.5), recordings.path_of(spoken.submission.submission_id))
        make_journal(Journal.of(settings), question.id, item.id)
        with open_reviews(settings) as reviews:
            bundle = bundle_of(backend, reviews, recordings, first, with_audio=True)
        (HERE / "bundle.zip").write_bytes(bundle.content)
        exported = export_attempts(backend, "json", misread.id)
        (HERE / "attempts.json").write_text(exported, encoding="utf-8")
    csv = folder / "own.csv"
    csv.write_text(OWN_ITEMS, encoding="utf-8")
    import_items(settings, csv)
    outbox = AnswerOutbox.for_server(settings.outbox, OTHER_SERVER)
    outbox.add(make_submission("I use paged attention", submission_id=UUID(int=8).hex))
    ReviewOutbox(outbox.folder).add(review(3, "acronyms-kv", "correct", NOW))
    keep_token(settings.home, OTHER_SERVER, TOKEN)
    backup = folder / "home.backup"
    back_up(settings, backup)
    (HERE / "home.backup").write_bytes(backup.read_bytes())
    checkpoint(settings.database)
    with zipfile.ZipFile(HERE / "home.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(settings.home.rglob("*")):
            kept = not path.name.endswith((".lock", "-wal", "-shm"))
            if path.is_file() and kept and settings.cache not in path.parents:
                packed.write(path, path.relative_to(settings.home).as_posix())


def make_journal(journal: Journal, question_id: str, item_id: str) -> None:
    """One unfinished answer in each state, and a drill take that was heard."""
    sound = tone(0.5).samples
    unplugged = journal.answer(question_id, "whisper")
    writer = unplugged.open(16_000)
    writer.append(sound)
    writer.abandon()
    unplugged.let_go("the microphone was unplugged")

    crashed = journal.answer(question_id, "whisper").open(16_000)
    crashed.append(sound)
    crashed.abandon()

    stopped = journal.answer(question_id, "whisper")
    writer = stopped.open(16_000)
    writer.append(sound)
    stopped.recorded()
    writer.finish()

    sent = journal.answer(question_id, "whisper")
    writer = sent.open(16_000)
    writer.append(sound)
    sent.recorded()
    writer.abandon()
    words = Transcript(
        text="I use paged attention",
        engine="faster-whisper",
        model="base.en",
        duration_s=0.5,
        words=tuple(
            Word(text=text, start_s=0.1 * number, end_s=0.1 * number + 0.1)
            for number, text in enumerate(["I", "use", "paged", "attention"])
        ),
    )
    sent.transcribed(
        make_submission(
            submission_id=sent.submission_id,
            question_id=question_id,
            created_at=sent.spoken_at,
            transcript=words,
        )
    )
    take = journal.drill(item_id, "acronyms")
    writer = take.open(16_000)
    writer.append(sound)
    take.recorded()
    writer.abandon()
    take.heard(review(5, item_id, "correct", take.spoken_at))


def said_wrong(question_id: str) -> Submission:
    """An answer in which a term was heard with a reading that is not in the lexicon."""
    texts = ["paged", "attention", "needs", "a", "CUDA", "kernel"]
    words = tuple(
        Word(text=text, start_s=0.5 * number, end_s=0.5 * number + 0.4)
        for number, text in enumerate(texts)
    )
    heard = HeardTerm(
        term="CUDA",
        word_index=4,
        verdict="mispronounced",
        phones="S UW1 D AH0",
        confidence=0.9,
        start_s=2.0,
        end_s=2.4,
    )
    return Submission(
        submission_id=UUID(int=6).hex,
        question_id=question_id,
        created_at=NOW,
        transcript=Transcript(
            text=" ".join(texts),
            engine="faster-whisper",
            model="base.en",
            duration_s=3.5,
            words=words,
        ),
        evidence=Evidence(
            answer_start_s=0.0,
            answer_end_s=3.0,
            pauses=(Pause(start_s=0.9, end_s=1.0),),
            heard=(heard,),
            hearing_version="made-up",
        ),
    )


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
    """A shared server's database and backup, and its answers to what a client asks."""
    said: list[dict[str, object]] = []
    long = "I use paged attention and I size the cache by layers, heads and tokens"
    submission = make_submission(long, submission_id=UUID(int=9).hex, transcript=typed(long))
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
        with closing(RemoteBackend(SERVER, **known)) as backend:
            backend.bank()
            backend.questions()
            backend.question("kv-cache")
            other = make_submission(long, submission_id=UUID(int=10).hex, transcript=typed(long))
            attempt = backend.submit(other)
            backend.grade(other)
            backend.drills.review(review(4, "acronyms-kv", "correct", START))
            backend.drills.queue()
            backend.drills.cards()
            backend.export_all()
            backend.export_one(world.attempt.id)
            backend.history()
            backend.attempt(world.attempt.id)
            backend.attempt(attempt.id)
            backend.confirm(
                attempt.id,
                MeantAnswer(phrase="continuous batching", meant=True, words="layers, heads"),
            )
            backend.regrade()
        with closing(RemoteSharing(SERVER, **known)) as sharing:
            sharing.sharing(world.attempt.id)
        with closing(RemoteReviews(SERVER, **known)) as reviews:
            reviews.merge(written_about(submission.submission_id, world.attempt))
            reviews.comment(world.attempt.id, NewComment(external_id="e" * 32, text="Thank you"))
            reviews.document(world.attempt.id)
        ana = world.by_name["ana"].id
        order = RegradeOrder(dry_run=True).model_dump(mode="json")
        JobStore(world.service.database).add("regrade", order, ana)
        versions = BankVersionStore(world.service.database)
        cleo = world.by_name["cleo"].id
        number = versions.add(BANK, "", note="first", author_id=cleo, created_at=START)
        versions.activate(number, cleo, START)
        (HERE / "http.json").write_text(json.dumps(said), encoding="utf-8")
        backup = folder / "server.backup"
        back_up_database(f"sqlite:///{folder / 'server.db'}", backup)
        (HERE / "server.backup").write_bytes(backup.read_bytes())
    checkpoint(folder / "server.db")
    (HERE / "server.db.gz").write_bytes(gzip.compress((folder / "server.db").read_bytes()))


def checkpoint(database: Path) -> None:
    """Move SQLite's log into the database's file."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


if __name__ == "__main__":
    main()
