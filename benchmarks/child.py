"""Runs a Python module in a separate process, and measures what it takes.

In: the arguments of `python -m MODULE ...` and the folder to run it in. Out: wall seconds, CPU
seconds including child processes, and peak memory. The process measures its memory itself, at its
end: what the system reports to a parent includes the parent's memory at the fork.
"""

import json
import os
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEGABYTE = 1e6


@dataclass(frozen=True)
class Spent:
    """What a process took."""

    wall: float  # seconds
    cpu: float  # seconds, including child processes
    peak: float  # megabytes that it held itself
    output: str  # what it printed


def run(arguments: list[str], folder: Path) -> Spent:
    """Run a module in a folder to its end; raise if it fails."""
    with tempfile.TemporaryDirectory() as folder_out:
        out = Path(folder_out) / "spent.json"
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "benchmarks.child", str(out), *arguments]
        started = time.perf_counter()
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True,
        )  # fmt: skip
        wall = time.perf_counter() - started
        if done.returncode:
            said = "\n".join((done.stderr or done.stdout).splitlines()[-15:])
            raise RuntimeError(f"{' '.join(arguments)} ended with code {done.returncode}:\n{said}")
        usage = json.loads(out.read_text())
    return Spent(wall, usage["cpu"], usage["peak"], done.stdout)


def peak() -> float:
    """Return the most megabytes that this process has held since it began."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6


def cpu() -> float:
    """Return the CPU seconds of this process and of those it has seen end."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main(out: str, module: str, *arguments: str) -> None:
    """Be that module, then write what it took: python -m benchmarks.child OUT MODULE WORD ..."""
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        Path(out).write_text(json.dumps({"cpu": cpu(), "peak": peak()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
