"""In which order Snakemake takes the jobs that are ready, on the machine it runs on.

In: the Plan. Out: priorities. What others wait for longest comes first: of two cores none is to be
left with a long confirmation at the end.
"""

from typing import Any

from nrevu.pipeline.batches import kernel_name
from nrevu.pipeline.plan import Plan


def compiling(plan: Plan, w: Any) -> float:
    """Return the priority of a kernel: that of the most urgent cells that need it."""
    uses = [
        longest_confirmation(plan, name)
        for name, experiment in plan.experiments.items()
        if w.kernel in {kernel_name(cell) for cell in experiment.cells}
    ]
    return max(uses, default=0.0) + 2.0


def sampling(plan: Plan, w: Any) -> float:
    """Return the priority of a batch of cells: what is to be confirmed after it, in seconds."""
    return longest_confirmation(plan, w.experiment) + 0.5


def tabulating(plan: Plan, w: Any) -> float:
    """Return the priority of a table, which confirmations wait for."""
    return longest_confirmation(plan, w.experiment) + 2.0


def confirming(plan: Plan, w: Any) -> float:
    """Return the priority of a batch of groups to confirm: its seconds."""
    return 1.0 + len(plan.confirms[w.experiment][w.batch]) * plan.confirm_seconds[w.experiment]


def tracing() -> float:
    """Return the priority of traces, for which no more than a figure waits."""
    return 1.0


def drawing(plan: Plan, w: Any) -> float:
    """Return the priority of a figure: behind all sampling, those with many cells first."""
    return 1e-6 * len(plan.experiments[w.experiment].cells)


def longest_confirmation(plan: Plan, experiment: str) -> float:
    """Return the seconds of an experiment's largest batch of groups to confirm."""
    most = max(map(len, plan.confirms[experiment].values()), default=0)
    return most * plan.confirm_seconds[experiment]


def unhurried(workflow: Any) -> None:
    """Lift the limit on jobs started per second, where they run here and cores limit them.

    For its sake Snakemake would look at all waiting jobs every second, and after each job once
    more a second than before. A limit of the user's own, other than Snakemake's default, stays.
    """
    limit = getattr(workflow.scheduling_settings, "max_jobs_per_timespan", None)
    default = limit is not None and (limit.max_jobs, limit.timespan) == (100, 1)
    if workflow.local_exec and default and hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None
