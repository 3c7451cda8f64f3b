"""The paper's programs, if you have compiled them.

In: the folder that NREVU_PAPER_PROGRAMS names, with a script or program for each setting, named
after the setting's key ('metropolis40'), with one argument, the number of updates. Out: two calls
to time, of different lengths, whose difference excludes the start-up time.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.race import Times, least

VARIABLE = "NREVU_PAPER_PROGRAMS"
SHORT, LONG = 2_000, 22_000  # updates


def folder() -> Path | None:
    """Return the folder of the programs, or None."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else None


def program(key: str) -> Path | None:
    """Return the program for a setting, or None."""
    path = folder() / key if folder() else None
    return path if path and os.access(path, os.X_OK) and path.is_file() else None


def calls(key: str) -> dict[str, Callable[[], object]]:
    """Return the calls to time of a setting, if there is a program for it."""
    path = program(key)
    if path is None:
        return {}
    return {name(key, count): lambda c=count: start(path, c) for count in (SHORT, LONG)}


def name(key: str, updates: int) -> str:
    """Return what a call is named in a race."""
    return f"{key}/program/{updates}"


def start(path: Path, updates: int) -> None:
    """Run a program to its end; what it prints is not looked at, unless it fails."""
    done = subprocess.run([path.absolute(), str(updates)], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise SystemExit(f"{path} {updates} ended with code {done.returncode}: {''.join(said)}")


def per_update(times: Times, key: str) -> float | None:
    """Return the seconds of one update by the wall clock: they are other processes' seconds."""
    if name(key, LONG) not in times:
        return None
    short, long = (least(times, name(key, count), "wall") for count in (SHORT, LONG))
    return (long - short) / (LONG - SHORT)
