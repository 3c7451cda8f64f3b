"""Makes what is on disk fit the plan before Snakemake looks at it, so that a killed run goes on.

In: the Plan, in the main process of a real run. Out: no lock or mark of a dead run, no file that
a killed or orphaned job left and that does not belong to this plan, and the cells of each batch
written down for its job.
"""

import base64
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nrevu import store
from nrevu.batches import kernel_name
from nrevu.cell import Cell, config
from nrevu.mistake import Mistake
from nrevu.plan import Plan

RUNNING = Path(".snakemake/nrevu-running")  # which process runs the workflow in this folder


def prepare(workflow, plan: Plan) -> None:
    """Do all of it, unless it is a dry run; called before Snakemake looks for locks."""
    if workflow.logger_manager.settings.dryrun:
        return
    holder = running_process()
    if holder:
        message = f"process {holder} is running the workflow in this folder: wait until it ends"
        raise Mistake(message)
    if RUNNING.exists():  # it did not end by itself
        clear_marks()
    note_running()
    store.remove_leftovers(plan.folder)
    forget_stale(plan)
    write_files(plan)


def running_process() -> str | None:
    """Return who runs the workflow in this folder, as far as this machine can tell."""
    try:
        host, pid, born = RUNNING.read_text().split()
    except (OSError, ValueError):
        return None
    if host != socket.gethostname():
        return f"{pid} on {host}, or one that died there (then delete {RUNNING}),"
    return pid if born == birth(int(pid)) and int(pid) != os.getpid() else None


def birth(pid: int) -> str | None:
    """Return when a process started, as the kernel counts, or None if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def note_running() -> None:
    """Write down that this process runs the workflow here."""
    RUNNING.parent.mkdir(exist_ok=True)
    RUNNING.write_text(f"{socket.gethostname()} {os.getpid()} {birth(os.getpid())}")


def clear_marks() -> None:
    """Delete what a killed run left: its locks, and the outputs of the jobs then under way.

    Snakemake marks those as incomplete and would stop at them. A job may outlive its Snakemake
    and finish its output; but of such a file Snakemake does not know what it was made from, and
    would not see that it is out of date. Cells are not among them, and are kept.
    """
    for lock in Path(".snakemake/locks").glob("*.lock"):
        lock.unlink(missing_ok=True)
    marks = Path(".snakemake/incomplete")
    for mark in [path for path in marks.rglob("*") if path.is_file()]:
        name = "".join(part.removeprefix("@") for part in mark.relative_to(marks).parts)
        output = Path(base64.urlsafe_b64decode(name).decode())
        if output.parts[:1] == ("results",) and output.is_file():
            output.unlink()
        mark.unlink(missing_ok=True)


def forget_stale(plan: Plan) -> None:
    """Delete the results of batches and of confirmed cells that are not those of this plan.

    Snakemake then makes it again if anything needs it.
    """
    for experiment, batches in plan.batches.items():
        e = plan.experiments[experiment]
        estimate = vars(e.estimate)
        confirmed = {"confirm": dict(e.confirm), "estimate": estimate}
        confirmed["digests"] = [cell.digest for cell in e.cells]
        for file in plan.confirm_files(experiment):
            forget(Path(file), lambda found, w=confirmed: holds(found, w))
        for batch, cells in batches.items():
            digests = [cell.digest for cell in cells]
            analysed = {"estimate": estimate, "digests": digests}
            forget(plan.tau_file(experiment, batch), lambda found, w=analysed: holds(found, w))


def holds(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Tell whether a file says that it was made from what is wanted now."""
    return {key: found[key] for key in wanted} == wanted


def forget(path: Path, fits: Callable[[Any], bool]) -> None:
    """Delete a JSON file that is there and does not fit."""
    try:
        good = not path.exists() or fits(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        good = False
    if not good:
        path.unlink(missing_ok=True)


def write_files(plan: Plan) -> None:
    """Write the cells of each batch, and one cell for each kernel, to files for the jobs.

    Not by a rule: where a rule upstream is to run again, Snakemake does not look whether the
    parameters of the jobs below it have changed, so that a batch could miss its new cells.
    """
    for experiment, batches in plan.batches.items():
        for batch, cells in batches.items():
            write_cells(plan.batch_file(experiment, batch), cells)
    for name, cell in {kernel_name(cell): cell for cell in plan.cells().values()}.items():
        write_cells(plan.root / "kernels" / f"{name}.json", [cell])


def write_cells(path: Path, cells: tuple[Cell, ...] | list[Cell]) -> None:
    """Write the configs of some cells by digest, unless that is what the file holds."""
    text = json.dumps({cell.digest: config(cell) for cell in cells}, indent=1)
    if not path.exists() or path.read_text() != text:
        store.write_text(path, text)
