"""What a person sees while the workflow runs.

In: Snakemake's workflow object and the Plan, in the main process only. Out: a line on standard
error, and in a file for `nrevu plan`, with the cells done, the batches running and queued and the
time left. Files are counted, so that the line is right on a laptop and on a cluster.
"""

import logging
import shlex
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

from nrevu.errors import Mistake
from nrevu.files import write_text
from nrevu.pipeline import cpu_time, jobs
from nrevu.pipeline.cost_model import confirm_cost, cost, overhead
from nrevu.pipeline.locking import PROGRESS, RUNNING, note_running
from nrevu.pipeline.plan import Plan
from nrevu.results.series_files import meta_of, path_of

# What Snakemake says of each single job; it is still in Snakemake's own log file.
MUTED = {LogEvent.JOB_INFO, LogEvent.JOB_FINISHED, LogEvent.PROGRESS, LogEvent.RESOURCES_INFO}
TICK, SECONDS_FILE = 1.0, 10.0  # between two looks, and two lines in a file

_stopped = threading.Event()
_shower: threading.Thread | None = None
_begun: "Begun | None" = None


@dataclass(frozen=True)
class Begun:
    """How a run began."""

    at: float  # time of day, in seconds
    own: float  # CPU seconds of this process until then
    cores: int | None  # None if the jobs run on a cluster


def tell(text: str) -> None:
    """Print a line for whoever runs the workflow."""
    print(f"nrevu: {text}", file=sys.stderr, flush=True)


@contextmanager
def exit_on_mistake() -> Iterator[None]:
    """Print a user's mistake without a traceback and end with exit code 2."""
    try:
        yield
    except Mistake as mistake:
        tell(str(mistake))
        sys.exit(2)


def start(workflow, plan: Plan) -> None:
    """Note who runs, mute Snakemake's lines on single jobs, and begin to show progress."""
    note_running()
    logger = workflow.logger_manager.logger
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and not workflow.output_settings.verbose:
            handler.addFilter(worth_showing)
    logger.addHandler(jobs.JobCounter())
    cores = None if workflow.non_local_exec else workflow.resource_settings.cores
    tell(outlook(plan, cores))
    global _shower, _begun
    _begun = Begun(time.time(), time.process_time(), cores)
    _shower = threading.Thread(target=show, args=(plan, cores is None), daemon=True)
    _shower.start()


def worth_showing(record: logging.LogRecord) -> bool:
    """Tell whether one of Snakemake's messages is about more than a single job."""
    if getattr(record, "event", None) in MUTED:
        return False
    return not record.getMessage().startswith(("Select jobs to execute", "Execute "))


def show(plan: Plan, remote: bool) -> None:
    """Print progress until stopped: a line that is rewritten, or lines if it is no terminal."""
    terminal = sys.stderr.isatty()
    costs = work(plan)
    began, before, last, told = None, finished(plan, costs), None, 0.0
    while True:
        ending = _stopped.wait(0 if last is None else TICK)
        now = time.monotonic()
        under_way, done = jobs.under_way(remote), finished(plan, costs)
        if began is None and any(under_way):  # what comes before tells nothing of cells
            began = now
        line = describe(costs, done, done - before, now - (began or now), *under_way)
        write_text(PROGRESS, line.removeprefix("nrevu: "))  # also a sign of life
        if terminal:
            print(f"\r{line}\033[K", end="\n" if ending else "", file=sys.stderr, flush=True)
        elif line != last and (ending or now - told > SECONDS_FILE or last is None):
            print(line, file=sys.stderr, flush=True)
            told, last = now, line
        last = last or line
        if ending:
            return


def finished(plan: Plan, costs: dict[str, float]) -> set[str]:
    """Return the digests of the plan's cells on disk, and the files of confirmed batches."""
    files = [file for name in plan.experiments for file in plan.confirm_files(name)]
    confirmed = {file for file in files if Path(file).exists()}
    return ({path.stem for path in plan.folder.glob("*.npz")} & costs.keys()) | confirmed


def work(plan: Plan) -> dict[str, float]:
    """Return the estimated CPU seconds of each cell, and of each batch of groups to confirm."""
    costs = {digest: cost(cell, plan.speeds) for digest, cell in plan.cells().items()}
    for name, experiment in plan.experiments.items():
        each = confirm_cost(experiment, plan.speeds)
        batches = plan.confirms[name].items()
        costs |= {plan.confirm_file(name, batch): len(groups) * each for batch, groups in batches}
    return costs


def outlook(plan: Plan, cores: int | None) -> str:
    """Return what is to come: how many cells, about how long, and which experiments take it."""
    costs = work(plan)
    left = costs.keys() - finished(plan, costs)
    shares = {}
    for name, experiment in plan.experiments.items():
        own = {cell.digest for cell in experiment.cells} | set(plan.confirm_files(name))
        waiting = [b for b in plan.batches[name].values() if any(c.digest in left for c in b)]
        added = overhead(experiment, waiting, len(plan.confirms[name]), plan.speeds)
        shares[name] = (sum(costs[key] for key in own & left) + added) / (cores or 1)
    total = sum(shares.values())
    longest = sorted(shares, key=shares.get, reverse=True)
    parts = ", ".join(f"{name} {duration(shares[name])}" for name in longest if shares[name] >= 1)
    where = f"on {cores} core{'s' if cores != 1 else ''}" if cores else "of CPU time"
    return f"{len(left)} cells to run, about {duration(total)} {where} ({parts or 'seconds'})"


def describe(
    costs: dict[str, float],
    done: set[str],
    new: set[str],
    elapsed: float,
    running: int = 0,
    queued: int = 0,
) -> str:
    """Return one line of progress, on cells and batches of cells to confirm.

    The time left is scaled from what was done since the start.
    """
    left = sum(costs.values()) - sum(costs[digest] for digest in done)
    spent = sum(costs[digest] for digest in new)
    words = f"about {duration(elapsed * left / spent)} left" if spent else "time left not known yet"
    waiting = len(costs) - len(done)
    counts = f"{running} batch{'es' if running != 1 else ''} running, "
    counts += f"{queued} queued, " if queued else ""
    counts += f"{waiting} to go"
    return f"nrevu: {len(done)} of {len(costs)} done, {counts}, {words if waiting else 'done'}"


def duration(seconds: float) -> str:
    """Return '2 min 05 s'."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


def fail(plan: Plan) -> None:
    """Print the last line of progress, what failed, and that nothing is lost."""
    stop()
    for line in jobs.failures(plan):
        tell(line)
    tell(
        "stopped before the end. Finished cells are kept; the same command goes on. "
        f"What there is so far: nrevu report {shlex.join(plan.size_words())}"
    )


def where_time_went(plan: Plan) -> str:
    """Return what the run that ends took, by kind."""
    logs = [*plan.root.glob("kernels/*.log"), *plan.root.glob("log/*.txt")]
    logs += [log for name in plan.experiments for log in plan.made(name).glob("log/*.txt")]
    wall, own = time.time() - _begun.at, time.process_time() - _begun.own
    return cpu_time.share(cpu_time.read(logs, _begun.at), wall, _begun.cores, own)


def is_current(file: Path, source: Path) -> bool:
    """Tell whether a file is there and not older than the table it is made from."""
    return file.exists() and file.stat().st_mtime >= source.stat().st_mtime


def against_reference(plan: Plan, tables: dict[str, Any]) -> list[str]:
    """Return how the cells compare, bit by bit, with the reference run that the package ships."""
    import pandas as pd

    from nrevu.results import reference

    folders = [plan.made(name) for name in tables]
    files = [folder / "confirmed.parquet" for folder in folders]
    current = [file for file in files if is_current(file, file.with_name("table.parquet"))]
    again = [pd.read_parquet(file) for file in current]
    try:
        agreement = reference.compare([*tables.values(), *again], plan.size)
    except Mistake as mistake:
        return [str(mistake)]
    if agreement is None:
        return []
    digest = agreement.differing[0] if agreement.differing else ""
    meta = (digest and meta_of(path_of(plan.folder, digest))) or {"provenance": {}}
    return reference.describe(agreement, meta["provenance"])


def stop() -> None:
    """Print the last line of progress."""
    _stopped.set()
    if _shower is not None:
        _shower.join(timeout=5)
    RUNNING.unlink(missing_ok=True)
    PROGRESS.unlink(missing_ok=True)


def finish(plan: Plan) -> None:
    """Print the last line of progress, the verdicts, and where the results are."""
    import pandas as pd

    from nrevu.analysis.comparison import drop_repeats, read_comparison
    from nrevu.analysis.table import unreliable
    from nrevu.analysis.verdict import summary

    stop()
    compared, tables = [], {}
    for name in plan.experiments:
        folder = plan.made(name)
        if not (folder / "table.parquet").exists():  # a part of the workflow was asked for
            continue
        tables[name] = pd.read_parquet(folder / "table.parquet")
        if is_current(folder / "comparison.csv", folder / "table.parquet"):
            compared.append(read_comparison(folder / "comparison.csv").assign(experiment=name))
    lines = summary(drop_repeats(pd.concat(compared, ignore_index=True))) if compared else []
    counts = {name: unreliable(table) for name, table in tables.items()}
    for words in next(iter(counts.values()), ()):
        found = {name: each[words] for name, each in counts.items() if each[words]}
        parts = ", ".join(f"{count} of {name}" for name, count in found.items())
        lines += textwrap.wrap(f"{words}: {parts}", 110) if parts else []
    bits = against_reference(plan, tables)
    lines += [text for sentence in bits for text in textwrap.wrap(sentence, 110)]
    lines.append(where_time_went(plan))
    page = Path(plan.pages()[0])
    report = f"report: {page}; the rest: " if page.exists() else "results: "
    lines += [f"{report}{plan.root / plan.label}"]
    for line in lines:
        tell(line)
