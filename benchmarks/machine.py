"""The machine of a measurement: processor, versions, load."""

import os
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from nrevu.results.provenance import provenance

PACKAGES = ("blackjax", "hydra-core", "jax", "jaxlib", "llvmlite", "numpy", "snakemake")


def machine() -> dict[str, Any]:
    """Return the machine as it is now."""
    return {
        **provenance(),
        "cores": len(os.sched_getaffinity(0)),
        "versions": {name: installed(name) for name in PACKAGES},
        "load": load(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def load() -> list[float]:
    """Return how many processes wanted a core in the last 1, 5 and 15 minutes, on average."""
    return [round(value, 2) for value in os.getloadavg()]


def installed(name: str) -> str | None:
    """Return the version of a package, None if it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
