"""One run of the workflow, in its main process: the plan, the lock, the progress.

In: Snakemake's --config and call. Out: plan files, before Snakemake looks at them; lines for the
person who started it.
"""

import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any

from nrevu.errors import Mistake, shorten
from nrevu.pipeline.jobs import Jobs
from nrevu.pipeline.locking import lock_folder, running_process
from nrevu.pipeline.plan import jobs_of, plan_from_config
from nrevu.pipeline.plan_files import write_plan
from nrevu.pipeline.progress import Progress, announce
from nrevu.pipeline.snakemake_api import Call, JobLog, requested_targets


class Run:
    """A run of the workflow, from the plan to the last line."""

    progress: Progress

    def __init__(self, config: Mapping[str, Any], call: Call):
        self.call = call
        self.plan = plan_from_config(config, announce, call.least_seconds)
        self.jobs = jobs_of(self.plan)

    def prepare(self, rules: Iterable[str]) -> None:
        """Refuse targets that are not in the plan, lock the folder and write the plan.

        A dry run does not lock: it may run beside another one that has the same plan.
        """
        check_targets(requested_targets(), self.jobs, rules)
        if not self.call.dry_run:
            lock_folder(self.plan.cell_folder)
        write_plan(self.plan, self.jobs, running_process())

    def start(self, log: JobLog) -> None:
        """Begin to show progress."""
        self.progress = Progress(self.plan, self.jobs, log, self.call.cores)


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
