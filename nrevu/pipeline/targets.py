"""The refusal of targets that a run cannot make, with the nearest one that it can."""

import difflib
import os
from collections.abc import Iterable

from nrevu.errors import Mistake, shorten
from nrevu.pipeline.jobs import Jobs


def check_targets(requested: Iterable[str], jobs: Jobs, rules: Iterable[str]) -> None:
    """Raise a Mistake unless each target is a file of this run or a rule."""
    rules, files = set(rules), jobs.all_files()
    for target in requested:
        path = os.path.relpath(target)
        if target in rules or (path in files and not os.path.isabs(target)):
            continue
        near = difflib.get_close_matches(path, files if "/" in target else rules, 1, 0.0)
        seed = "" if jobs.seed is None else f", seed {jobs.seed}"
        raise Mistake(
            f"'{shorten(target)}' is not a target of this run, which is of "
            f"{', '.join(jobs.experiments)} at size {jobs.size}{seed}. Did you mean '{near[0]}'?"
        )
