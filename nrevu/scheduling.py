"""In which order Snakemake takes the jobs that are ready, on the machine it runs on.

In: the Plan. Out: priorities. What others wait for longest comes first: of two cores none is to be
left with a long confirmation at the end.
"""

from typing import Any

from nrevu.batches import kernel_name
from nrevu.costs import confirm_cost
from nrevu.plan import Plan


def compiling(plan: Plan, w: Any) -> float:
    """Return the priority of a kernel: that of the most urgent cells that need it."""
    uses = [
        longest_confirmation(plan, name)
        for name, experiment in plan.experiments.items()
        if w.kernel in {kernel_name(cell) for cell in experiment.cells}
    ]
    return max(uses, default=0.0) + 2.0


def sampling(plan: Plan, w: Any) -> float:
    """Return the priority of a batch of cells: what is to be confirmed after it, in seconds.

    Of one experiment's batches the first come first: they are the largest.
    """
    number = list(plan.batches[w.experiment]).index(w.batch)
    return longest_confirmation(plan, w.experiment) + 1.0 / (1 + number)


def tabulating(plan: Plan, w: Any) -> float:
    """Return the priority of a table, which confirmations wait for."""
    return longest_confirmation(plan, w.experiment) + 2.0


def confirming(plan: Plan, w: Any) -> float:
    """Return the priority of a batch of groups to confirm: its seconds."""
    return 1.0 + seconds(plan, w.experiment, w.batch)


def drawing(plan: Plan, w: Any) -> float:
    """Return the priority of a figure: behind all sampling, those with many cells first."""
    return 1e-6 * len(plan.experiments[w.experiment].cells)


def longest_confirmation(plan: Plan, experiment: str) -> float:
    """Return the seconds of an experiment's largest batch of groups to confirm."""
    return max((seconds(plan, experiment, b) for b in plan.confirms[experiment]), default=0.0)


def seconds(plan: Plan, experiment: str, batch: str) -> float:
    """Return about how long a batch of groups to confirm takes."""
    each = confirm_cost(plan.experiments[experiment], plan.speeds)
    return each * len(plan.confirms[experiment][batch])


def unhurried(workflow: Any) -> None:
    """Lift the limit on jobs started per second, where they run here and cores limit them.

    For its sake Snakemake would look at all waiting jobs every second, and after each job once
    more a second than before: a minute of CPU time in a run of a quarter of an hour.
    """
    if workflow.local_exec:
        workflow.scheduling_settings.max_jobs_per_timespan = None
