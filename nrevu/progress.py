"""What a person sees while the workflow runs.

In: Snakemake's workflow object and the Plan, in the main process only. Out: a line on standard
error with the cells done, running and waiting and the time left. The series on disk are counted,
so that the same line is right on a laptop and on a cluster.
"""

import logging
import sys
import threading
import time
from pathlib import Path

from snakemake_interface_logger_plugins.common import LogEvent

from nrevu.plan import Plan, cost
from nrevu.upkeep import RUNNING, note_running

# What Snakemake says of each single job; it is still in Snakemake's own log file.
MUTED = {LogEvent.JOB_INFO, LogEvent.JOB_FINISHED, LogEvent.PROGRESS, LogEvent.RESOURCES_INFO}
SECONDS_TERMINAL, SECONDS_FILE = 1.0, 10.0  # between two progress lines

_stopped = threading.Event()
_shower: threading.Thread | None = None
_running: set[int] = set()  # Snakemake's numbers of the sampling jobs under way


def start(workflow, plan: Plan) -> None:
    """Note who runs, mute Snakemake's lines on single jobs, and begin to show progress."""
    note_running()
    logger = workflow.logger_manager.logger
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and not workflow.output_settings.verbose:
            handler.addFilter(worth_showing)
    logger.addHandler(JobCounter())
    global _shower
    _shower = threading.Thread(target=show, args=(plan,), daemon=True)
    _shower.start()


def worth_showing(record: logging.LogRecord) -> bool:
    """Tell whether one of Snakemake's messages is about more than a single job."""
    if getattr(record, "event", None) in MUTED:
        return False
    return not record.getMessage().startswith(("Select jobs to execute", "Execute "))


class JobCounter(logging.Handler):
    """Keeps the set of sampling jobs that Snakemake has started and not seen end."""

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO and getattr(record, "rule_name", "") == "sample":
            _running.add(record.jobid)
        if event in (LogEvent.JOB_FINISHED, LogEvent.JOB_ERROR):
            _running.discard(getattr(record, "job_id", getattr(record, "jobid", None)))


def show(plan: Plan) -> None:
    """Print progress until stopped: a line that is rewritten, or lines if it is no terminal."""
    terminal = sys.stderr.isatty()
    costs = {digest: cost(cell) for digest, cell in plan.cells().items()}
    began, before, last = time.monotonic(), finished(plan, costs), None
    while True:
        pause = SECONDS_TERMINAL if terminal else SECONDS_FILE
        ending = _stopped.wait(0 if last is None else pause)
        began = began if _running or last is None else time.monotonic()
        done = finished(plan, costs)
        line = describe(costs, done, done - before, time.monotonic() - began)
        if terminal:
            print(f"\r{line}\033[K", end="\n" if ending else "", file=sys.stderr, flush=True)
        elif line != last:
            print(line, file=sys.stderr, flush=True)
        last = line
        if ending:
            return


def finished(plan: Plan, costs: dict[str, float]) -> set[str]:
    """Return the digests of the plan's cells whose series are on disk."""
    return {path.stem for path in plan.folder.glob("*.npz")} & costs.keys()


def describe(costs: dict[str, float], done: set[str], new: set[str], elapsed: float) -> str:
    """Return one line of progress; the time left is scaled from the cells done since the start."""
    left = sum(costs.values()) - sum(costs[digest] for digest in done)
    spent = sum(costs[digest] for digest in new)
    words = f"about {duration(elapsed * left / spent)} left" if spent else "time left not known yet"
    waiting = len(costs) - len(done)
    running = f"{len(_running)} batch{'es' if len(_running) != 1 else ''} running"
    counts = f"{running}, {waiting} cells to go"
    return (
        f"nrevu: {len(done)} of {len(costs)} cells done, {counts}, {words if waiting else 'done'}"
    )


def duration(seconds: float) -> str:
    """Return '2 min 05 s'."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


def fail() -> None:
    """Print the last line of progress and say that nothing is lost."""
    stop()
    print(
        "nrevu: stopped before the end. Finished cells are kept; the same command goes on",
        file=sys.stderr,
    )


def stop() -> None:
    """Print the last line of progress."""
    _stopped.set()
    if _shower is not None:
        _shower.join(timeout=5)
    RUNNING.unlink(missing_ok=True)


def finish(plan: Plan) -> None:
    """Print the last line of progress and say where the results are."""
    import pandas as pd

    from nrevu.comparison import as_text, short_text

    stop()
    for name, experiment in plan.experiments.items():
        folder = plan.made(name)
        made = ", ".join(Path(file).name for file in plan.wanted() if f"/{name}/" in file)
        print(f"nrevu: {name}: {len(experiment.cells)} cells; in {folder}: {made}", file=sys.stderr)
        for line in short_text(pd.read_csv(folder / "table.csv")):
            print(f"  {name}: {line}", file=sys.stderr)
        if (folder / "comparison.csv").exists():
            comparison = pd.read_csv(folder / "comparison.csv")
            print("\n".join(f"  {line}" for line in as_text(name, comparison)), file=sys.stderr)
