"""Makes what is on disk fit the plan before Snakemake looks at it, so that a killed run goes on.

In: the Plan, in the main process of a real run. Out: no lock or mark of a dead run, no file that
a killed or orphaned job left and that does not belong to this plan, and the cells of each batch
written down for its job.
"""

import base64
import getpass
import json
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell, config
from nrevu.errors import Mistake
from nrevu.experiments.experiment import to_data
from nrevu.files import write_text
from nrevu.pipeline import processes
from nrevu.pipeline.batches import kernel_name
from nrevu.pipeline.plan import Plan

RUNNING = Path(".snakemake/nrevu-running")  # which process runs the workflow in this folder
NOTE = re.compile(r"(\S+) ([1-9]\d{0,17}) (\S+)\s*")  # in that file: host, process id, its start
PROGRESS = Path(".snakemake/nrevu-progress")  # how far it is: written every few seconds
SILENT = 600  # seconds without a sign of life after which a process elsewhere is taken for dead


def prepare(workflow, plan: Plan) -> None:
    """Do all of it, unless it is a dry run; called before Snakemake looks for locks."""
    if workflow.logger_manager.settings.dryrun:
        return
    noted = RUNNING.exists()  # before it is read: a run that begins after that is not a dead one
    holder = running_process()
    if holder:
        message = f"process {holder} is running the workflow in this folder: wait until it ends"
        raise Mistake(f"{message}, or delete {RUNNING} if that is no run of nrevu")
    if noted:  # it did not end by itself
        cancel_jobs()
        clear_marks()
    note_running()
    remove_leftovers(plan.folder)
    forget_stale(plan)
    write_files(plan)


def running_process() -> str | None:
    """Return who runs the workflow in this folder, as far as this machine can tell.

    A process elsewhere, or one that the file does not name, lives while it gives signs of life.
    """
    try:
        noted = NOTE.fullmatch(RUNNING.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        noted = None
    if not noted:
        return seen("?")
    host, pid, start = noted.groups()
    if host != socket.gethostname():
        return seen(f"{pid} on {host}")
    # Without a point it is not in seconds: unknown, or the clock ticks of earlier versions.
    known = float(start) if re.fullmatch(r"\d+\.\d+", start) else None
    return pid if int(pid) != os.getpid() and processes.alive(int(pid), known) else None


def seen(who: str) -> str | None:
    """Return a process with the time since its last sign of life, or None if that is long ago."""
    age = silence()
    return f"{who} (seen {age:.0f} s ago)" if age < SILENT else None


def silence() -> float:
    """Return for how many seconds a process that runs the workflow has given no sign of life."""
    signs = [path.stat().st_mtime for path in (RUNNING, PROGRESS) if path.exists()]
    return max(0.0, time.time() - max(signs, default=0.0))


def note_running() -> None:
    """Write down that this process runs the workflow here."""
    start = processes.start_time(os.getpid())
    known = "unknown" if start is None else f"{start:.2f}"
    write_text(RUNNING, f"{socket.gethostname()} {os.getpid()} {known}")


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


def cancel_jobs() -> None:
    """Cancel what a killed run left in Slurm's queue: its batches are about to be given again.

    They are known by the name that the profile gives them, and by the folder they work in.
    """
    if not shutil.which("squeue"):
        return
    words = ["squeue", "--noheader", "--user", getpass.getuser(), "--format", "%i|%j|%Z"]
    found = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    jobs = [line.split("|", 2) for line in found if line.count("|") >= 2]
    left = [job for job, name, folder in jobs if name[:6] == "nrevu_" and same(folder)]
    if left:
        subprocess.run(["scancel", *left], capture_output=True)


def same(folder: str) -> bool:
    """Tell whether a folder is the one we are in, by whatever path it is given."""
    return os.path.isdir(folder) and os.path.samefile(folder, ".")


def forget_stale(plan: Plan) -> None:
    """Delete the results of batches and of confirmed cells that are not those of this plan.

    Snakemake then makes it again if anything needs it.
    """
    for name, e in plan.experiments.items():
        estimate = vars(e.estimate)
        about = {"confirm": to_data(e)["confirm"], "estimate": estimate}
        about["digests"] = [cell.digest for cell in e.cells]
        wanted = {
            Path(plan.confirm_file(name, batch)): {**about, "groups": list(groups)}
            for batch, groups in plan.confirms[name].items()
        }
        for batch, cells in plan.batches[name].items():
            digests = [cell.digest for cell in cells]
            wanted[plan.tau_file(name, batch)] = {"estimate": estimate, "digests": digests}
        for folder in ("confirm", "tau"):
            for path in (plan.made(name) / folder).glob("*.json"):
                if path not in wanted or not holds(path, wanted[path]):
                    path.unlink(missing_ok=True)


def holds(path: Path, wanted: dict[str, Any]) -> bool:
    """Tell whether a JSON file says that it was made from what is wanted now."""
    try:
        found = json.loads(path.read_text())
        return {key: found[key] for key in wanted} == wanted
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


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
        write_text(path, text)


def remove_leftovers(folder: Path) -> None:
    """Delete unfinished files of processes on this machine that no longer run."""
    for path in folder.glob(f"*.{socket.gethostname()}.*.tmp"):
        pid = path.suffixes[-2][1:]
        if pid.isdecimal() and not processes.alive(int(pid)):
            path.unlink(missing_ok=True)
