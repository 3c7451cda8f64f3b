"""Times the stages before any cell runs, in this process: expansion, plan, status, files.

In: the path of a sweep. Out: one line of JSON with the CPU seconds of each stage.
"""

import json
import sys
import time

from nrevu.experiments.experiment import expand
from nrevu.pipeline import locking
from nrevu.pipeline.plan import from_workflow
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
    plan = timed("plan", from_workflow, {"experiments": file, "size": "smoke"})
    timed("status", status, plan)
    timed("files", locking.write_files, plan)
    batches = sum(map(len, plan.batches.values()))
    print(json.dumps({"seconds": seconds, "batches": batches}))


if __name__ == "__main__":
    main(sys.argv[1])
