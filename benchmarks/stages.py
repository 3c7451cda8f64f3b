"""Times the stages before any cell runs, in this process: expansion, plan, status, files.

In: the path of a sweep. Out: one line of JSON with the CPU seconds of each stage.
"""

import json
import sys
import time

from nrevu.experiments.experiment import expand
from nrevu.pipeline.plan import jobs_of, plan_from_config
from nrevu.pipeline.plan_files import write_plan
from nrevu.pipeline.preview import status


def main(file: str) -> None:
    """Print how long each stage took; a plan expands the sweep again."""
    seconds = {}

    def timed(name, stage, *words):
        started = time.process_time()
        made = stage(*words)
        seconds[name] = time.process_time() - started
        return made

    timed("expand", expand, file, "smoke")
    plan = timed("plan", plan_from_config, {"experiments": file, "size": "smoke"})
    timed("status", status, plan)
    timed("files", lambda: write_plan(plan, jobs_of(plan)))
    batches = sum(map(len, plan.batches.values()))
    print(json.dumps({"seconds": seconds, "batches": batches}))


if __name__ == "__main__":
    main(sys.argv[1])
