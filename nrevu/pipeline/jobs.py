"""The workflow's jobs that run cells, as Snakemake tells of them: under way, failed.

In: Snakemake's log events, in the main process. Out: how many jobs run and wait in a queue, and of
those that failed for good what their logs say last and which cells did not run.
"""

import logging
import re
import time
from pathlib import Path

from snakemake_interface_logger_plugins.common import LogEvent

from nrevu.pipeline.plan import Plan
from nrevu.results.series_files import path_of

RUNS = ("sample", "confirm")  # the rules whose jobs run cells
TELLING = ("failed: ", r"slurmstepd\S*: error: ")  # begin lines of a log that say what happened
NAMED = 3  # cells of a failed batch that are named, at most

_jobs: dict[int, tuple[Path, float]] = {}  # handed over and not ended: log file, and when
_failed: dict[int, tuple[list[str], list[str]]] = {}  # failed: log files, outputs


class JobCounter(logging.Handler):
    """Keeps the sampling jobs that Snakemake has handed over and not seen end, and the failed."""

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        job = getattr(record, "job_id", getattr(record, "jobid", None))
        if event == LogEvent.JOB_INFO and getattr(record, "rule_name", "") in RUNS:
            _jobs[job] = (Path(record.log[0]), time.time())
        if event in (LogEvent.JOB_FINISHED, LogEvent.JOB_ERROR):
            _jobs.pop(job, None)
            _failed.pop(job, None)  # if it was tried again, and finished
        if event == LogEvent.JOB_ERROR:
            _failed[job] = (record.log or [], record.output or [])


def under_way(remote: bool) -> tuple[int, int]:
    """Return how many sampling jobs run and how many wait in a cluster's queue.

    A job that runs has begun its log; clocks of machines may differ by some seconds.
    """
    if not remote:
        return len(_jobs), 0
    begun = [log.exists() and log.stat().st_mtime > at - 10 for log, at in list(_jobs.values())]
    return sum(begun), len(begun) - sum(begun)


def failures(plan: Plan) -> list[str]:
    """Return lines on the jobs that failed for good: their last messages, the cells not run."""
    lines = []
    for logs, outputs in list(_failed.values()):
        for file in dict.fromkeys(logs):
            lines += [f"{file}: {line}" for line in last_words(Path(file))]
        lines += unfinished(plan, outputs)
    return lines


def last_words(log: Path) -> list[str]:
    """Return what a failed job's log says at its end: the cell it was at, and the error.

    In a log of Slurm's own, also why the job was killed, which may stand before the end.
    """
    try:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ["there is no log"]
    telling = [[line for line in lines if re.match(start, line)][-1:] for start in TELLING]
    return list(dict.fromkeys([*telling[0], *telling[1], *lines[-1:]]))


def unfinished(plan: Plan, outputs: list[str]) -> list[str]:
    """Return which cells of a failed batch are not there, a few by name."""
    lines = []
    for name, batches in plan.batches.items():
        for batch, cells in batches.items():
            if str(plan.tau_file(name, batch)) in outputs:
                left = [c for c in cells if not path_of(plan.folder, c.digest).exists()]
                lines += [f"not run: {cell.digest}: {cell.name}" for cell in left[:NAMED]]
                lines += [f"and {len(left) - NAMED} more of {name}"] if len(left) > NAMED else []
    return lines
