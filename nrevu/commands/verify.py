"""`nrevu verify`: whether this machine gives the bits of the reference run."""

import argparse
import sys

from nrevu.commands.arguments import add_experiments

ABOUT = """\
Runs some cells of the default experiments and compares them, bit by bit, with the reference run
that nrevu ships. Nothing is written to disk but compiled kernels.

  nrevu verify                            a few seconds' worth, over all kernels
  nrevu verify fig1 fig2 --cells 20
  nrevu verify --size paper --cells 10

The exit code is 0 if all cells are bit-identical, and 1 if some are not: then the likely reason is
printed, with a statistical comparison of those cells with the numbers of the reference run.
"""


def add(subs) -> None:
    """Add the command's arguments."""
    verify = subs.add_parser(
        "verify",
        help="run some cells again and compare them with the reference run",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_experiments(verify, size="smoke")
    verify.add_argument("--cells", type=int, metavar="N", help="how many (default: a few seconds')")
    verify.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Run cells and print how they compare; exit with 1 if a bit differs."""
    from nrevu.errors import Mistake
    from nrevu.experiments.experiment import default_set, expand
    from nrevu.experiments.settings import seed_setting
    from nrevu.pipeline.rerun import choose, rerun
    from nrevu.results.provenance import provenance
    from nrevu.results.reference import compare, describe, load

    if args.cells is not None and args.cells < 1:
        raise Mistake(f"{args.cells} is not allowed: 1 or more", "--cells", "command line")
    extra = seed_setting(args.seed)
    experiments = [expand(name, args.size, extra) for name in args.experiments or default_set()]
    estimates = {cell.digest: e.estimate for e in experiments for cell in e.cells}
    known = (load(args.size) or {"cells": {}})["cells"]
    cells = {cell.digest: cell for e in experiments for cell in e.cells if cell.digest in known}
    if not cells:
        message = f"none of these cells is in the reference run at size {args.size}"
        raise Mistake(f"{message}: it has the default experiments with the default seed")
    chosen = choose(list(cells.values()), args.cells)
    tables = []
    for table in rerun(chosen, [estimates[cell.digest] for cell in chosen]):
        tables.append(table)
        if sys.stderr.isatty():
            print(f"\r{len(tables)} of {len(chosen)} cells", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    agreement = compare(tables, args.size)
    for line in describe(agreement, provenance()):
        print(line)
    if agreement.differing:
        raise SystemExit(1)
