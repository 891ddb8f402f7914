"""``aloud assess`` with many recordings: a folder or a manifest in, a file of results out."""

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.text import Text

from client.bulk.assessor import AssessorOptions
from client.bulk.recordings import recordings_of
from client.bulk.results import Line, open_results
from client.bulk.workers import ClusterWorkers, ProcessWorkers, Workers, assess_all
from client.cli import loading
from client.cli.common import errors, fail
from client.cli.loading import open_judge, open_server
from client.cli.progress_bars import counting
from client.core.settings import ClientSettings


@dataclass(frozen=True)
class BulkOptions:
    """The options of ``aloud assess``; see its help."""

    question: str | None
    engine: str | None
    model: str | None
    results: Path | None
    workers: int | None
    cluster: str | None
    retry_failed: bool


def assess_many(settings: ClientSettings, path: Path, options: BulkOptions) -> None:
    """Assess the recordings that ``path`` names, and report the progress on standard error.

    Raises:
        BadParameter: there is no ``--out``.
        ClientError: the recordings, the results, the engine or the workers cannot be used.
        Exit: every recording failed.
    """
    if options.results is None:
        raise typer.BadParameter("many recordings need --out FILE.jsonl for their results")
    ids = [each.id for each in recordings_of(path, options.question)]
    done = failed = 0
    with open_results(options.results, retry_failed=options.retry_failed) as results:
        before = len(results.done.intersection(ids))
        if before < len(ids):
            with closing(_workers(settings, options)) as workers, counting("assessing") as show:

                def on_done(line: Line) -> None:
                    nonlocal done, failed
                    done += 1
                    failed += "error" in line
                    show(before + done, len(ids))

                show(before, len(ids))
                found = recordings_of(path, options.question)
                assess_all(found, workers, results, on_done)
        every_one_failed = results.failed.issuperset(ids)
    line = f"{done} assessed" + (f", {failed} of them failed" if failed else "")
    earlier = f"; {before} were done before" if before else ""
    errors().print(Text(f"{line}{earlier}: {options.results}", "yellow" if failed else ""))
    if every_one_failed:
        raise fail(f"every recording failed: the errors are in {options.results}")


def _workers(settings: ClientSettings, options: BulkOptions) -> Workers:
    """Workers, once what they all need is there: the weights, the data folder."""
    open_judge(settings)  # for its warning
    with open_server(settings):
        loading.begin_loading(settings, options.engine, options.model)()
    engine, model = settings.preferences.engine_or(options.engine, options.model)
    if options.cluster is not None:
        assessor = AssessorOptions(settings, engine, model, threads=1)
        return ClusterWorkers(options.cluster, options.workers, assessor)

    processors = os.cpu_count() or 1
    count = options.workers or processors
    threads = max(1, processors // count)
    return ProcessWorkers(count, AssessorOptions(settings, engine, model, threads=threads))
