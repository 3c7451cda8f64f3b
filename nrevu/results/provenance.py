"""Where numbers come from: versions, processor, what kernels are compiled for, commit."""

import functools
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from nrevu import __version__
from nrevu.core.target import TARGET
from nrevu.files import PACKAGE, code_hash

SAMPLING = ("core", "methods", "u", "distributions", "cells")  # the code that decides the bits


@functools.cache
def provenance() -> dict[str, str]:
    """Return the versions, processor, target and commit of this process."""
    return {
        "nrevu": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "llvmlite": version("llvmlite"),
        "target": TARGET,
        "code": code_hash(*SAMPLING),
        "cpu": cpu_model(),
        "machine": platform.platform(),
        "commit": commit(),
    }


def cpu_model() -> str:
    """Return the processor's name as Linux gives it, or what the platform says."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def commit() -> str:
    """Return the commit of the checkout this package runs from, with -dirty if it was changed."""
    checkout = PACKAGE.parent
    if not (checkout / ".git").exists():
        return "none: an installed release"
    words = ["git", "-C", str(checkout), "describe", "--always", "--abbrev=40", "--dirty"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown: git cannot tell"
