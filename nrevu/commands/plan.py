"""Show what is done, what is left to run, and what it takes.

Shows what `nrevu make` would run in the current folder, and why: cells that are new, whose settings
or code changed, or whose files are damaged. Estimates CPU time, wall time and disk space.

  nrevu plan
  nrevu plan fig1 my_sweep.yaml --size quick --cores 8
  nrevu plan my_sweep.yaml --json
"""

import argparse
import json
import os

from nrevu.commands.arguments import add_command, add_experiments, count


def add(subs) -> None:
    """Define the arguments."""
    plan = add_command(subs, "plan", __doc__, execute)
    add_experiments(plan)
    plan.add_argument("--cores", type=count, metavar="N", help="for the wall time (default: all)")
    plan.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def execute(args: argparse.Namespace) -> None:
    """Print the plan."""
    from nrevu.pipeline.plan import plan_from_config
    from nrevu.pipeline.preview import status, total_seconds

    cores = args.cores or os.cpu_count() or 1
    config = {"size": args.size, "seed": args.seed, "experiments": args.experiments or None}
    config = {key: value for key, value in config.items() if value is not None}
    shares = status(plan_from_config(config, announce=lambda text: None))
    seconds, process = total_seconds(shares), running()
    if args.json:
        rows = [{**vars(share), "reasons": dict(share.reasons)} for share in shares]
        total = {"cpu_seconds": seconds, "wall_seconds": seconds / cores, "cores": cores}
        total |= {"bytes": sum(s.bytes for s in shares), "running": process}
        print(json.dumps({"experiments": rows, **total}))
    else:
        print(*lines(shares, seconds, cores), *([process] if process else []), sep="\n")


def running() -> str | None:
    """Return which process runs the workflow in this folder, and its progress, if one does."""
    from nrevu.pipeline.locking import PROGRESS, running_process

    process = running_process()
    if not process:
        return None
    progress = PROGRESS.read_text() if PROGRESS.exists() else "it has just begun"
    return f"process {process} is running the workflow here: {progress}"


def lines(shares, seconds: float, cores: int) -> list[str]:
    """Return the plan as lines of text: a row for each experiment, then the total."""
    from nrevu.pipeline.progress import duration

    head = f"{'experiment':20}{'cells':>7}{'done':>7}{'to run':>8}{'CPU time':>14}{'disk':>10}  why"
    text = [head]
    for s in shares:
        why = ", ".join(f"{count} {reason}" for reason, count in s.reasons.items())
        cpu, disk = (duration(s.seconds), megabytes(s.bytes)) if s.seconds else ("-", "-")
        row = f"{s.name:20}{s.cells:7}{s.done:7}{s.cells - s.done:8}{cpu:>14}{disk:>10}  {why}"
        text.append(row.rstrip())
    if not seconds:
        return [*text, "no cells to run; tables, figures and report are updated where out of date"]
    left, disk = sum(s.cells - s.done for s in shares), megabytes(sum(s.bytes for s in shares))
    total = f"{left} cells to run, best cells to confirm, tables and figures: about "
    total += f"{duration(seconds)} of CPU time, {duration(seconds / cores)} on {cores} "
    return [*text, f"{total}core{'s' if cores > 1 else ''}, {disk} of disk"]


def megabytes(count: int) -> str:
    """Return '12 MB'."""
    return f"{count / 1e6:.0f} MB" if count >= 5e5 else f"{count / 1e3:.0f} kB"
