"""Tells whether a process on this machine is alive, with /proc or without it (macOS, containers).

In: a process id and, where it is known, when that process started: ids are used again. What cannot
be determined counts as alive, since callers delete the files of processes that are not.
"""

import os

import psutil

TOLERANCE = 2.0  # seconds between two readings of one start: Linux gives boot times to the second


def start_time(pid: int) -> float | None:
    """Return when a process started, in seconds that no change of the clock moves, or None.

    Linux counts from boot. psutil adds the time of the boot, which moves whenever the clock is set,
    even for a process that runs; it is subtracted again here. Other kernels keep the date of the
    start, which does not move.
    """
    try:
        boot = psutil.boot_time() if psutil.LINUX else 0.0
        return psutil.Process(pid).create_time() - boot
    except (psutil.Error, OSError, RuntimeError):  # gone, hidden, or no /proc to read
        return None


def alive(pid: int, start: float | None = None) -> bool:
    """Tell whether a process, which started at `start` if that is known, runs on this machine.

    The signal 0 does nothing but ask. psutil's word that there is no such process would not do: it
    says so too where /proc is missing or hides the processes of other users.
    """
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # another user's
        pass
    now = start_time(pid)
    if start is not None and now is not None and abs(now - start) > TOLERANCE:
        return False
    return not is_zombie(pid)


def is_zombie(pid: int) -> bool:
    """Tell whether a process has ended, and only waits for its parent to notice."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.ZombieProcess:
        return True
    except (psutil.Error, OSError):
        return False
