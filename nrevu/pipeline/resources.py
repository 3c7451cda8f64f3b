"""What a job needs of a cluster: minutes and megabytes, from the estimated cost of its batch.

In: a Plan and the wildcards of a job, or Snakemake's settings. Out: numbers for the `resources` of
the rules, generous, since a job that exceeds them is killed; rules double them for a second try.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nrevu.cells.cell import Cell
from nrevu.errors import Mistake
from nrevu.pipeline.cost_model import confirm_cost, cost, settling, size_on_disk
from nrevu.pipeline.plan import Plan

SLOWER = 3.0  # times, that a node may be slower than the machine of the cost model
STARTING = 5.0  # minutes, for Python to start from a busy file system, and to compile
PROCESSES = 1200.0  # megabytes of two Snakemakes, numba and pandas
COPIES = 4  # of the longest series, that are in memory at a time
TRACED = 16  # bytes for each update of a traced cell


@dataclass(frozen=True)
class Needs:
    """The limits of a job, at its first try."""

    minutes: int
    megabytes: int


def limits(seconds: float, bytes: float = 0.0) -> Needs:
    """Return the limits of a job of so many estimated CPU seconds and bytes."""
    minutes = STARTING + SLOWER * seconds / 60
    return Needs(math.ceil(minutes), math.ceil(PROCESSES + bytes / 1e6))


def sampling(plan: Plan, w: Any) -> Needs:
    """Return the limits of a job that samples a batch."""
    cells = plan.batches[w.experiment][w.batch]
    seconds = sum(cost(cell, plan.speeds) for cell in cells) + settling(cells[0], plan.speeds)
    return limits(seconds, COPIES * longest(cells))


def confirming(plan: Plan, w: Any) -> Needs:
    """Return the limits of a job that confirms a batch of groups."""
    e = plan.experiments[w.experiment]
    seconds = confirm_cost(e, plan.speeds) * len(plan.confirms[w.experiment][w.batch])
    seconds += settling(e.cells[0], plan.speeds)
    return limits(seconds, COPIES * e.confirm.longer * longest(e.cells))


def tracing(plan: Plan, w: Any) -> Needs:
    """Return the limits of a job that follows some cells of an experiment, by all that it has."""
    cells = plan.experiments[w.experiment].cells
    updates = max(cell.updates for cell in cells)
    return limits(sum(cost(cell, plan.speeds) for cell in cells), TRACED * updates)


def longest(cells: Sequence[Cell]) -> int:
    """Return the bytes of the longest series."""
    return max(size_on_disk(cell) for cell in cells)


def least_seconds(workflow: Any) -> float | None:
    """Return how many seconds of work a job should have, if a profile says so.

    It is among the default resources: these are known to every process of a run, to dry runs too,
    whatever executes the jobs.
    """
    given = getattr(workflow.resource_settings.default_resources, "args", None) or []
    text = dict(item.partition("=")[::2] for item in given).get("batch_seconds")
    try:
        seconds = None if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if seconds is not None and not 0 < seconds < math.inf:
        message = f"{text!r} is not allowed: seconds, above 0"
        raise Mistake(message, "batch_seconds", "default-resources")
    return seconds
