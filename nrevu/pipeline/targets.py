"""Which files a run of the workflow can make, and the refusal of every other target.

In: the Plan, and the targets on Snakemake's command line. Out: the wildcard constraints of the
rules, and a Mistake for a target that is neither a file of this plan nor a rule.
"""

import difflib
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nrevu.errors import Mistake, shorten
from nrevu.pipeline.batches import kernel_name
from nrevu.pipeline.plan import Plan


def only(values: Iterable[str]) -> str:
    """Return the regular expression that matches these values and nothing else."""
    return "|".join(map(re.escape, sorted(set(values)))) or "(?!)"


def kernel_names(plan: Plan) -> set[str]:
    """Return the names of all kernels of a plan."""
    return {kernel_name(cell) for cell in plan.cells().values()}


def batch_names(plan: Plan) -> set[str]:
    """Return the names of all batches of a plan."""
    parts = [*plan.batches.values(), *plan.confirms.values()]
    return {name for part in parts for name in part}


def figure_names(plan: Plan) -> set[str]:
    """Return the names of all figures of a plan."""
    return {figure for e in plan.experiments.values() for figure in e.figures}


def files(plan: Plan) -> set[str]:
    """Return every file that the rules can make for a plan."""
    found = {*plan.wanted(), *(f"{plan.root}/kernels/{name}.txt" for name in kernel_names(plan))}
    for name, experiment in plan.experiments.items():
        found |= {str(plan.tau_file(name, batch)) for batch in plan.batches[name]}
        found |= set(plan.confirm_files(name))
        found |= {str(plan.made(name) / "traces.json")} if experiment.trace else set()
    return found


def check(workflow: Any, plan: Plan) -> None:
    """Raise a Mistake if the command line names a target that this run cannot make."""
    rules = {rule.name for rule in workflow.rules}
    allowed = files(plan)
    for target in requested():
        path = os.path.relpath(target)
        if target in rules or (path in allowed and not os.path.isabs(target)):
            continue
        near = difflib.get_close_matches(path, rules if "/" not in target else allowed, 1, 0.0)
        message = (
            f"'{shorten(target)}' is not a target of this run, which is of "
            f"{', '.join(plan.experiments)} at size {plan.size}"
            f"{'' if plan.seed is None else f', seed {plan.seed}'}. Did you mean '{near[0]}'?"
        )
        raise Mistake(message)


def requested() -> list[str]:
    """Return the targets on Snakemake's command line.

    The workflow object has them only after the Snakefile is read, so Snakemake's own parser reads
    the command line again. A program that calls Snakemake as a library has no such command line.
    """
    from snakemake.cli import get_argument_parser

    program = Path(sys.argv[0])
    if program.name != "snakemake" and program.parts[-2:] != ("snakemake", "__main__.py"):
        return []
    given = get_argument_parser().parse_args(sys.argv[1:])
    options = (given.forcerun, given.until, given.prioritize or ())
    return [*given.targets, *(target for option in options for target in sorted(option))]
