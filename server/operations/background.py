"""What a shared server does besides answering: its jobs, and the versions of its bank."""

from server.attempts.regrading import REGRADE, regrading
from server.attempts.service import Service
from server.bank_versions.service import CHECK_BANK, BankVersions
from server.core.clock import utc_now
from server.exports.cohort import EXPORT_COHORT, cohort_exporting
from server.jobs.queue import JobQueue
from server.jobs.store import JobStore
from server.jobs.worker import Runner
from server.sharing.recordings import RECORDING, RecordingService
from server.sharing.shown import still_shown
from server.sharing.uploads import preparing


def create_background_work(service: Service) -> tuple[JobQueue, BankVersions]:
    """The jobs of a service, and the versions of its bank.

    From here on the service grades with the active version. The queue has this process's worker,
    which does not run yet.
    """
    versions = BankVersions(service.database, service.grading_data)
    service.grade_with(versions.grading_data)
    database = service.database
    recordings = RecordingService(database, utc_now)
    kinds = {
        REGRADE: regrading(service),
        CHECK_BANK: versions.checking(),
        EXPORT_COHORT: cohort_exporting(database),
        RECORDING: preparing(database, recordings),
    }
    store = JobStore(database)

    def drop_what_is_not_shared() -> None:
        """Exports and recordings must not outlive the sharing of their content."""
        recordings.sweep_when_due()
        for job_id, result in store.with_files(EXPORT_COHORT):
            if not still_shown(database, result["cohort_id"], result["attempt_ids"]):
                store.drop_file(job_id)

    queue = JobQueue(Runner(store, kinds, tidy=drop_what_is_not_shared))
    return queue, versions
