"""What a person sees while the workflow runs.

In: the Plan and its Jobs, in the main process only. Out: a line on standard error, and in a file
for `nrevu plan`, with the cells done, the batches running and queued and the time left. Files are
counted, so that the line is right on a laptop and on a cluster.
"""

import shlex
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nrevu.errors import Mistake
from nrevu.files import write_atomically
from nrevu.pipeline.cost_model import confirm_costs, cost
from nrevu.pipeline.jobs import Jobs
from nrevu.pipeline.locking import PROGRESS, unlock_folder
from nrevu.pipeline.plan import Plan
from nrevu.pipeline.preview import status, total_seconds
from nrevu.pipeline.snakemake_api import JobLog
from nrevu.pipeline.summary import failure_lines, summary_lines
from nrevu.results.series_files import stored_digests

TICK, FILE_SECONDS = 1.0, 10.0  # between two looks, and between two lines where it is no terminal


def announce(text: str) -> None:
    """Print a line for whoever runs the workflow."""
    print(f"nrevu: {text}", file=sys.stderr, flush=True)


@contextmanager
def exit_on_mistake() -> Iterator[None]:
    """Print a user's mistake without a traceback and end with exit code 2."""
    try:
        yield
    except Mistake as mistake:
        announce(str(mistake))
        sys.exit(2)


class Progress:
    """Shows the progress of a run from its start to its end."""

    def __init__(self, plan: Plan, jobs: Jobs, log: JobLog, cores: int | None):
        self.plan, self.jobs, self.log, self.cores = plan, jobs, log, cores
        self.began, self.cpu_before = time.time(), time.process_time()
        self.costs = work(plan, jobs)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.show, daemon=True)
        announce(outlook(plan, cores))
        self.thread.start()

    def show(self) -> None:
        """Print progress until the end: a line that is rewritten, or lines if it is no terminal."""
        terminal = sys.stderr.isatty()
        sampling_since, before = None, finished(self.plan, self.costs)
        last, printed = "", 0.0
        while True:
            ending = self.ended.wait(TICK if last else 0)
            now, counts = time.monotonic(), self.log.count(remote=self.cores is None)
            if sampling_since is None and any(counts):  # what comes before tells nothing of cells
                sampling_since = now
            done = finished(self.plan, self.costs)
            elapsed = now - (sampling_since or now)
            line = describe(self.costs, done, done - before, elapsed, *counts)
            write_atomically(PROGRESS, line.removeprefix("nrevu: "))  # also a sign of life
            if terminal:
                print(f"\r{line}\033[K", end="\n" if ending else "", file=sys.stderr, flush=True)
            elif line != last and (ending or not last or now - printed > FILE_SECONDS):
                print(line, file=sys.stderr, flush=True)
                printed = now
            last = line if terminal or printed == now else last
            if ending:
                return

    def stop(self) -> None:
        """Print the last line of progress."""
        self.ended.set()
        self.thread.join(timeout=5)
        unlock_folder()

    def finish(self) -> None:
        """Print the last line of progress, the verdicts, and where the results are."""
        self.stop()
        cpu = time.process_time() - self.cpu_before
        for line in summary_lines(self.jobs, self.began, self.cores, cpu):
            announce(line)

    def fail(self) -> None:
        """Print the last line of progress, what failed, and that nothing is lost."""
        self.stop()
        for line in failure_lines(self.plan, self.jobs, self.log.failed.values()):
            announce(line)
        size = ["--size", self.plan.size]
        size += [] if self.plan.seed is None else ["--seed", str(self.plan.seed)]
        announce(
            "stopped before the end. Finished cells are kept; the same command goes on. "
            f"The results so far: nrevu report {shlex.join(size)}"
        )


def work(plan: Plan, jobs: Jobs) -> dict[str, float]:
    """Return the estimated CPU seconds of each cell, and of each batch of runs to confirm."""
    costs = {digest: cost(cell, plan.speeds) for digest, cell in plan.cells().items()}
    for name, experiment in plan.experiments.items():
        each = confirm_costs(experiment, plan.speeds)
        for batch, again in plan.confirms[name].items():
            seconds = sum(each[run.round - 1] for run in again)
            costs[jobs.file(name, f"confirm/{batch}.json")] = seconds
    return costs


def finished(plan: Plan, costs: dict[str, float]) -> set[str]:
    """Return the digests of the plan's cells on disk, and the files of confirmed batches."""
    cells = set(stored_digests(plan.cell_folder))
    return {key for key in costs if key in cells or ("/" in key and Path(key).exists())}


def outlook(plan: Plan, cores: int | None) -> str:
    """Return what is to come: how many cells, about how long, and which experiments take it."""
    shares = status(plan)
    longest = sorted(shares, key=lambda share: share.seconds, reverse=True)
    times = [(share.name, share.seconds / (cores or 1)) for share in longest]
    parts = ", ".join(f"{name} {duration(seconds)}" for name, seconds in times if seconds >= 1)
    where = f"on {cores} core{'s' if cores != 1 else ''}" if cores else "of CPU time"
    left, total = sum(s.cells - s.done for s in shares), total_seconds(shares) / (cores or 1)
    return f"{left} cells to run, about {duration(total)} {where} ({parts or 'seconds'})"


def describe(
    costs: dict[str, float], done: set[str], new: set[str], elapsed: float, running=0, queued=0
) -> str:
    """Return one line of progress, on cells and batches of cells to confirm.

    The time left is scaled from the work that was done since the start (`new`).
    """
    left = sum(costs.values()) - sum(costs[digest] for digest in done)
    spent = sum(costs[digest] for digest in new)
    time_left = f"about {duration(elapsed * left / spent)} left" if spent else ""
    waiting = len(costs) - len(done)
    counts = f"{running} batch{'es' if running != 1 else ''} running, "
    counts += f"{queued} queued, " if queued else ""
    ending = (time_left or "time left not known yet") if waiting else "done"
    return f"nrevu: {len(done)} of {len(costs)} done, {counts}{waiting} to go, {ending}"


def duration(seconds: float) -> str:
    """Return '2 min 05 s'."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
