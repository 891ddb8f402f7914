"""``aloud assess`` with many recordings: a folder or a manifest in, a file of results out."""

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from client.cli.common import errors, open_judge, open_server

if TYPE_CHECKING:
    from client.bulk.assessor import AssessorOptions
    from client.bulk.results import Line
    from client.bulk.workers import Workers
    from client.core.settings import ClientSettings


@dataclass(frozen=True)
class BulkOptions:
    """The options of ``aloud assess``; see its help."""

    question: str | None
    engine: str
    model: str | None
    results: Path | None
    workers: int | None
    cluster: str | None
    retry_failed: bool


def assess_many(settings: "ClientSettings", path: Path, options: BulkOptions) -> None:
    """Assess the recordings that ``path`` names, and report on standard error how far it is.

    Raises:
        BadParameter: there is no ``--out``.
        ClientError: the recordings, the results, the engine or the workers cannot be used.
    """
    from client.bulk.assessor import AssessorOptions
    from client.bulk.recordings import recordings_of
    from client.bulk.results import open_results
    from client.bulk.workers import assess_all
    from client.cli.progress import counting

    if options.results is None:
        raise typer.BadParameter("many recordings need --out FILE.jsonl for their results")
    total = sum(1 for _ in recordings_of(path, options.question))
    open_judge(settings)  # for its warning
    with open_results(options.results, retry_failed=options.retry_failed) as results:
        before = len(results.done)
        _prepare(settings, options)
        processors = os.cpu_count() or 1
        count = options.workers or processors
        threads = 1 if options.cluster else max(1, processors // count)
        assessor = AssessorOptions(settings, options.engine, options.model, threads)
        failed = 0
        with closing(_workers(options, count, assessor)) as workers, counting("assessing") as show:

            def on_done(line: "Line") -> None:
                nonlocal failed
                failed += "error" in line
                show(len(results.done), total)

            show(before, total)
            assess_all(recordings_of(path, options.question), workers, results, on_done)
        done = len(results.done) - before
    line = f"{done} assessed, {failed} of them failed" if failed else f"{done} assessed"
    earlier = f"; {before} were done before" if before else ""
    errors().print(Text(f"{line}{earlier}: {options.results}", "yellow" if failed else ""))


def _prepare(settings: "ClientSettings", options: BulkOptions) -> None:
    """Fetch the weights and make the data folder once, before the workers want them all at once."""
    from client.cli.engine import load_transcriber

    with open_server(settings):
        load_transcriber(settings, options.engine, options.model)


def _workers(options: BulkOptions, count: int, assessor: "AssessorOptions") -> "Workers":
    if options.cluster is not None:
        from client.bulk.cluster import ClusterWorkers

        return ClusterWorkers(options.cluster, options.workers, assessor)
    from client.bulk.processes import ProcessWorkers

    return ProcessWorkers(count, assessor)
