"""One run of the workflow in a folder at a time, and the tidying up after one that was killed.

In: the working directory, in the main process. Out: a file that says who runs the workflow here; a
Mistake if somebody does already. What a killed run left, jobs on a cluster and unfinished files, is
removed. (Snakemake's own locks are off: they outlive a killed run.)
"""

import getpass
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from nrevu.errors import Mistake
from nrevu.files import write_atomically
from nrevu.pipeline import processes

RUNNING = Path(".snakemake/nrevu-running")  # which process runs the workflow in this folder
NOTE = re.compile(r"(\S+) ([1-9]\d{0,17}) (\S+)\s*")  # in that file: host, process id, its start
PROGRESS = Path(".snakemake/nrevu-progress")  # the line of progress, written every few seconds
SILENT = 600  # seconds without a sign of life after which a process elsewhere counts as dead


def lock_folder(cells: Path) -> None:
    """Note that this process runs the workflow here, and tidy up after a killed run."""
    noted = RUNNING.exists()  # before it is read: a run that begins after that is not a dead one
    holder = running_process()
    if holder:
        message = f"process {holder} is running the workflow in this folder: wait until it ends"
        raise Mistake(f"{message}, or delete {RUNNING} if that is no run of nrevu")
    if noted:  # a run that did not end by itself
        cancel_jobs()
    note_running()
    remove_unfinished(cells)


def unlock_folder() -> None:
    """Note that no process runs the workflow here any more."""
    RUNNING.unlink(missing_ok=True)
    PROGRESS.unlink(missing_ok=True)


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
        return seen_lately("?")
    host, pid, start = noted.groups()
    if host != socket.gethostname():
        return seen_lately(f"{pid} on {host}")
    started = float(start) if re.fullmatch(r"\d+\.\d+", start) else None  # else it is unknown
    return pid if int(pid) != os.getpid() and processes.alive(int(pid), started) else None


def seen_lately(process: str) -> str | None:
    """Return a process with the time since its last sign of life, or None if that is long ago."""
    signs = [path.stat().st_mtime for path in (RUNNING, PROGRESS) if path.exists()]
    age = max(0.0, time.time() - max(signs, default=0.0))
    return f"{process} (seen {age:.0f} s ago)" if age < SILENT else None


def note_running() -> None:
    """Write down that this process runs the workflow here."""
    start = processes.start_time(os.getpid())
    started = "unknown" if start is None else f"{start:.2f}"
    write_atomically(RUNNING, f"{socket.gethostname()} {os.getpid()} {started}")


def cancel_jobs() -> None:
    """Cancel what a killed run left in Slurm's queue: its batches are about to be submitted again.

    They are known by the name that the profile gives them, and by their working directory.
    """
    if not shutil.which("squeue"):
        return
    command = ["squeue", "--noheader", "--user", getpass.getuser(), "--format", "%i|%j|%Z"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    jobs = [line.split("|", 2) for line in lines if line.count("|") >= 2]
    left = [job for job, name, folder in jobs if name[:6] == "nrevu_" and is_this_folder(folder)]
    if left:
        subprocess.run(["scancel", *left], capture_output=True)


def is_this_folder(folder: str) -> bool:
    """Tell whether a path leads to the working directory."""
    return os.path.isdir(folder) and os.path.samefile(folder, ".")


def remove_unfinished(folder: Path) -> None:
    """Delete unfinished files of processes on this machine that no longer run."""
    for path in folder.glob(f"*.{socket.gethostname()}.*.tmp"):
        pid = path.suffixes[-2][1:]
        if pid.isdecimal() and not processes.alive(int(pid)):
            path.unlink(missing_ok=True)
