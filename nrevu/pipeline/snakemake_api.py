"""The one module that touches Snakemake's objects: what it is asked to do, and what it logs.

In: the `workflow` object of the Snakefile. Out: plain values. Everything else goes through
Snakemake's documented surface: rules, profiles and options. An attribute that a new version lacks
is an error here, with the versions that are supported.
"""

import logging
import re
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from snakemake.cli import get_argument_parser
from snakemake_interface_logger_plugins.common import LogEvent

from nrevu.errors import Mistake

SUPPORTED = "snakemake>=9.17,<10"
# What Snakemake logs of each single job; it is still in Snakemake's own log file.
MUTED = {LogEvent.JOB_INFO, LogEvent.JOB_FINISHED, LogEvent.PROGRESS, LogEvent.RESOURCES_INFO}
Failure = tuple[list[str], list[str]]  # log files and outputs of a job
SAMPLING = ("sample", "confirm")  # the rules whose jobs run cells


@dataclass(frozen=True)
class Call:
    """One call of Snakemake."""

    is_main: bool  # the process that a person started, not one of its jobs
    dry_run: bool
    cores: int | None  # None if the jobs run on a cluster
    least_seconds: float | None  # of work that a job should have, if a profile says so


def describe_call(workflow: Any) -> Call:
    """Return what the workflow object says of this call."""
    try:
        return Call(
            is_main=workflow.is_main_process,
            dry_run=workflow.logger_manager.settings.dryrun,
            cores=None if workflow.non_local_exec else workflow.resource_settings.cores,
            least_seconds=least_seconds(workflow.resource_settings.default_resources),
        )
    except AttributeError as error:
        installed = f"Snakemake {version('snakemake')} is not supported ({error})"
        raise Mistake(f"{installed}: pip install '{SUPPORTED}'") from None


def least_seconds(default_resources: Any) -> float | None:
    """Return the resource batch_seconds of a profile: how much work a job should have.

    Default resources are known to every process of a run, whatever executes the jobs.
    """
    listed = default_resources.args if default_resources is not None else []
    text = dict(item.partition("=")[::2] for item in listed).get("batch_seconds")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        message = f"{text!r} is not allowed: seconds, above 0"
        raise Mistake(message, "batch_seconds", "default-resources")
    return seconds


def requested_targets() -> list[str]:
    """Return the targets on Snakemake's command line.

    The workflow object has them only after the Snakefile is read, so Snakemake's own parser reads
    the command line again. A program that calls Snakemake as a library has no such command line.
    """
    program = Path(sys.argv[0])
    if program.name != "snakemake" and program.parts[-2:] != ("snakemake", "__main__.py"):
        return []
    arguments = get_argument_parser().parse_args(sys.argv[1:])
    options = (arguments.forcerun, arguments.until, arguments.prioritize or ())
    return [*arguments.targets, *(target for option in options for target in sorted(option))]


class JobLog(logging.Handler):
    """Follows the sampling jobs that Snakemake has started and not seen end, and failed jobs."""

    def __init__(self) -> None:
        super().__init__()
        self.running: dict[int, tuple[Path, float]] = {}  # log file, and when it was submitted
        self.failed: dict[int, Failure] = {}

    def emit(self, record: Any) -> None:
        """Note the start, the end or the failure of a job."""
        event = getattr(record, "event", None)
        job: Any = getattr(record, "job_id", getattr(record, "jobid", None))
        if event == LogEvent.JOB_INFO and record.rule_name in SAMPLING:
            self.running[job] = (Path(record.log[0]), time.time())
        if event in (LogEvent.JOB_FINISHED, LogEvent.JOB_ERROR):
            self.running.pop(job, None)
            self.failed.pop(job, None)  # if a second try finished
        if event == LogEvent.JOB_ERROR:
            self.failed[job] = (record.log or [], record.output or [])

    def count(self, remote: bool) -> tuple[int, int]:
        """Return how many sampling jobs run and how many wait in a cluster's queue.

        A running job has begun its log; clocks of machines may differ by some seconds.
        """
        jobs = list(self.running.values())
        if not remote:
            return len(jobs), 0
        begun = [log.exists() and log.stat().st_mtime > at - 10 for log, at in jobs]
        return sum(begun), len(begun) - sum(begun)


def follow_jobs(workflow: Any) -> JobLog:
    """Mute Snakemake's lines on single jobs on the terminal, and follow them instead."""
    logger = workflow.logger_manager.logger
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and not workflow.output_settings.verbose:
            handler.addFilter(is_worth_showing)
    followed = JobLog()
    logger.addHandler(followed)
    return followed


def is_worth_showing(record: logging.LogRecord) -> bool:
    """Tell whether one of Snakemake's messages is about more than a single job."""
    if getattr(record, "event", None) in MUTED:
        return False
    return not re.match("Select jobs to execute|Execute ", record.getMessage())
