"""A cohort as a table: only what is shown, typed, safe in a spreadsheet, gone when unshared."""

import csv
import io
from datetime import timedelta

import pyarrow.parquet
import pytest
from sqlalchemy import update

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.attempts.store import Store
from server.core.errors import InvalidInputError, NotFoundError
from server.db.tables import AttemptRow, RubricScoreRow, ShareRow
from server.exports.cohort import COHORT_COLUMNS, CohortOrder, cohort_exporting
from server.jobs.job import Outcome, Work
from server.sharing.shown import resource_of_attempt
from tests.server.conftest import START, make_submission
from tests.worlds.new_databases import on_sqlite as on_sqlite


class Program:
    """Two cohorts; Ana is in the first and shares, Bo is and does not, Cy is in the second."""

    def __init__(self, store: Store, service: Service) -> None:
        self.store, self.service = store, service
        self.accounts = AccountService(store.database)
        self.ids = {
            name: self.accounts.add(name, "candidate", display_name=name.title()).id
            for name in ("ana", "bo", "cy")
        }
        cohorts = self.accounts.cohorts
        self.first, self.second = (cohorts.add(name).id for name in ("=First / ../Ä", "Second"))
        for name, cohort in (("ana", self.first), ("bo", self.first), ("cy", self.second)):
            cohorts.assign(cohort, self.ids[name], "candidate")

    def answer(self, name: str, text: str = "paged attention", **changes: object) -> int:
        return self.service.of(self.ids[name]).submit(make_submission(text, **changes)).id

    def share(self, name: str, cohort_id: int | None, **what: object) -> int:
        with self.store.database.write() as session:
            row = ShareRow(
                owner_id=self.ids[name],
                cohort_id=cohort_id,
                with_audio=False,
                created_at=START,
                **what,
            )
            session.add(row)
            session.flush()
            return row.id

    def set_interview(self, attempt_id: int, interview_id: str) -> None:
        with self.store.database.write() as session:
            session.execute(
                update(AttemptRow)
                .where(AttemptRow.id == attempt_id)
                .values(interview_id=interview_id)
            )

    def revoke(self, share_id: int) -> None:
        with self.store.database.write() as session:
            session.execute(
                update(ShareRow).where(ShareRow.id == share_id).values(revoked_at=START)
            )

    def export(self, **order: object) -> Outcome:
        payload = CohortOrder.model_validate({"cohort_id": self.first} | order)
        task = cohort_exporting(self.store.database)
        work = Work(
            payload.model_dump(mode="json"),
            None,
            write=lambda done, total: True,
            store=lambda state: True,
        )
        return task(work)

    def rows(self, **order: object) -> list[dict[str, str]]:
        outcome = self.export(**order)
        assert outcome.file is not None
        text = outcome.file.content.decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture
def program(store: Store, service: Service) -> Program:
    return Program(store, service)


def test_only_what_is_shown_to_this_cohort_is_in_it(program: Program) -> None:
    shown = program.answer("ana")
    program.answer("ana", "not shared")
    by_link = program.answer("ana", "by link only")
    revoked = program.answer("ana", "revoked")
    in_interview = program.answer("ana", "in an interview")
    foreign = program.answer("cy", "of the other cohort")
    guessed = program.answer("bo", "same interview id, not shared")
    for attempt in (in_interview, guessed):
        program.set_interview(attempt, "i" * 32)
    program.share("ana", program.first, attempt_id=shown)
    program.share("ana", program.first, interview_id="i" * 32)
    program.share("ana", None, attempt_id=by_link)
    program.revoke(program.share("ana", program.first, attempt_id=revoked))
    program.share("cy", program.second, attempt_id=foreign)
    # a share of what is not the sharer's own
    program.share("ana", program.first, attempt_id=guessed)

    found = program.rows()
    assert [int(row["attempt_id"]) for row in found] == [shown, in_interview]
    assert tuple(found[0]) == COHORT_COLUMNS
    assert (found[0]["candidate"], found[0]["candidate_name"]) == ("Ana", "ana")
    assert found[0]["transcript"] == "paged attention"
    assert found[1]["interview_id"] == "i" * 32
    for attempt, cohorts in ((shown, {program.first}), (by_link, set()), (guessed, set())):
        assert resource_of_attempt(program.store.database, attempt).shown_to == cohorts
    with pytest.raises(NotFoundError):
        resource_of_attempt(program.store.database, 2**70)


def test_the_table_has_what_reviewers_gave_by_the_rubric(program: Program) -> None:
    shown = program.answer("ana")
    program.share("ana", program.first, attempt_id=shown)
    given = (("Pace", 3, program.ids["bo"], None), ("Depth", 4, None, "=Dr. Who"))
    with program.store.database.write() as session:
        for number, (criterion, score, author_id, guest) in enumerate(given):
            session.add(
                RubricScoreRow(
                    attempt_id=shown,
                    author_id=author_id,
                    guest_name=guest,
                    criterion=criterion,
                    score=score,
                    note="not in the table",
                    created_at=START + timedelta(seconds=number),
                    external_id=f"{number:032x}",
                )
            )
    (row,) = program.rows()
    assert row["rubric_scores"] == "Pace: 3 by Bo; Depth: 4 by =Dr. Who"


@pytest.mark.parametrize("attack", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1"])
def test_no_cell_is_run_by_a_spreadsheet(program: Program, attack: str) -> None:
    program.ids["eve"] = program.accounts.add("eve", "candidate", display_name="=eve").id
    program.accounts.cohorts.assign(program.first, program.ids["eve"], "candidate")
    program.share("eve", program.first, attempt_id=program.answer("eve", attack))
    (row,) = program.rows()
    assert row["transcript"] == "'" + attack
    assert row["candidate"] == "'=eve"


def test_parquet_is_typed_and_keeps_texts_as_they_are(program: Program) -> None:
    attempt = program.answer("ana", "=paged attention")
    program.share("ana", program.first, attempt_id=attempt)
    outcome = program.export(format="parquet")
    assert outcome.file is not None and outcome.result["rows"] == 1
    table = pyarrow.parquet.read_table(io.BytesIO(outcome.file.content))
    assert tuple(table.column_names) == COHORT_COLUMNS
    (row,) = table.to_pylist()
    assert row["attempt_id"] == attempt
    assert row["created_at"] == START
    assert (row["score"], row["words"], row["language_notes"]) == (0.5, 2.0, 0.0)
    assert row["transcript"] == "=paged attention"
    assert row["words_per_minute"] is None


def test_times_bound_the_table(program: Program) -> None:
    days = [START + timedelta(days=number) for number in range(3)]
    ids = [program.answer("ana", created_at=day) for day in days]
    for attempt in ids:
        program.share("ana", program.first, attempt_id=attempt)
    found = program.rows(since=days[1].isoformat(), until=days[2].isoformat())
    assert [int(row["attempt_id"]) for row in found] == [ids[1]]


def test_a_table_too_large_and_a_cohort_that_is_gone_are_told(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.share("ana", program.first, attempt_id=program.answer("ana"))
    monkeypatch.setattr("server.exports.cohort.MAX_FILE_BYTES", 10)
    for format in ("csv", "parquet"):
        with pytest.raises(InvalidInputError, match="by time"):
            program.export(format=format)
    with pytest.raises(NotFoundError):
        program.export(cohort_id=4711)
