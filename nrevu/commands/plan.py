"""`nrevu plan`: what is done, what is to run and why, and what it would take."""

import argparse
import json
import os

from nrevu.commands.arguments import add_experiments

ABOUT = """\
Shows what `nrevu make` would run in this folder, and why: cells that are new, whose settings or
code changed, or whose files are damaged; about how much CPU time, wall time and disk that takes.

  nrevu plan
  nrevu plan fig1 my_sweep.yaml --size quick --cores 8
  nrevu plan my_sweep.yaml --json
"""


def add(subs) -> None:
    """Add the command's words."""
    plan = subs.add_parser(
        "plan",
        help="show what is done, what is to run, and what it takes",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_experiments(plan)
    plan.add_argument("--cores", type=int, help="for the wall time (default: this machine's)")
    plan.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    plan.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Print the plan."""
    from nrevu.errors import Mistake
    from nrevu.pipeline.plan import plan_from_config
    from nrevu.pipeline.preview import status, total_seconds

    if args.cores is not None and args.cores < 1:
        raise Mistake(f"{args.cores} is not allowed: 1 or more", "--cores", "command line")
    cores = args.cores or os.cpu_count() or 1
    asked = {"experiments": args.experiments} if args.experiments else {}
    asked |= {"seed": args.seed} if args.seed is not None else {}
    plan = plan_from_config({"size": args.size, **asked}, announce=lambda text: None)
    shares = status(plan)
    seconds = total_seconds(shares)
    if args.json:
        rows = [{**vars(share), "reasons": dict(share.reasons)} for share in shares]
        total = {"cpu_seconds": seconds, "wall_seconds": seconds / cores, "cores": cores}
        total |= {"bytes": sum(s.bytes for s in shares), "running": running()}
        text = json.dumps({"experiments": rows, **total})
    else:
        text = "\n".join([*lines(shares, seconds, cores), *([running()] if running() else [])])
    print(text)


def running() -> str | None:
    """Return who runs the workflow here and how far it is, if anyone does."""
    from nrevu.pipeline.locking import PROGRESS, running_process

    holder = running_process()
    if not holder:
        return None
    far = PROGRESS.read_text() if PROGRESS.exists() else "it has just begun"
    return f"process {holder} is running the workflow here: {far}"


def lines(shares, seconds: float, cores: int) -> list[str]:
    """Return the plan as lines for people."""
    from nrevu.pipeline.progress import duration

    head = f"{'experiment':20}{'cells':>7}{'done':>7}{'to run':>8}{'CPU time':>14}{'disk':>10}  why"
    told = [head]
    for s in shares:
        why = ", ".join(f"{count} {reason}" for reason, count in s.reasons.items())
        left = s.cells - s.done
        cpu, room = (duration(s.seconds), megabytes(s.bytes)) if s.seconds else ("-", "-")
        told.append(f"{s.name:20}{s.cells:7}{s.done:7}{left:8}{cpu:>14}{room:>10}  {why}".rstrip())
    left, room = sum(s.cells - s.done for s in shares), sum(s.bytes for s in shares)
    if seconds:
        told.append(
            f"{left} cells to run, best ones to confirm, tables and figures: about "
            f"{duration(seconds)} of CPU time, {duration(seconds / cores)} on {cores} "
            f"core{'s' if cores > 1 else ''}, {megabytes(room)} of disk"
        )
    else:
        told.append("nothing to run")
    return told


def megabytes(count: int) -> str:
    """Return '12 MB'."""
    return f"{count / 1e6:.0f} MB" if count >= 5e5 else f"{count / 1e3:.0f} kB"
