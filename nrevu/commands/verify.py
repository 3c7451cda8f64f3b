"""Run some cells again and compare them with the reference run.

Runs some cells of the default experiments and compares them, bit by bit, with the reference run
that nrevu ships. Writes nothing to disk except compiled kernels.

  nrevu verify                            a few seconds of work, with every kernel
  nrevu verify fig1 fig2 --cells 20
  nrevu verify --size paper --cells 10

The exit code is 0 if all cells are bit-identical, and 1 if some are not. In that case the command
prints the likely reason and compares those cells with the reference run statistically.
"""

import argparse
import sys

from nrevu.commands.arguments import add_command, add_experiments, count


def add(subs) -> None:
    """Define the arguments."""
    verify = add_command(subs, "verify", __doc__, execute)
    add_experiments(verify, size="smoke")
    help = "how many cells (default: a few seconds of work)"
    verify.add_argument("--cells", type=count, metavar="N", help=help)


def execute(args: argparse.Namespace) -> None:
    """Run cells and print the comparison; exit with 1 if a bit differs."""
    from nrevu.analysis.result import summarise
    from nrevu.analysis.table import table
    from nrevu.cells.chains import sample
    from nrevu.errors import Mistake
    from nrevu.experiments.experiment import default_set, expand
    from nrevu.experiments.settings import seed_setting
    from nrevu.pipeline.batches import spread_over_kernels
    from nrevu.results.provenance import provenance
    from nrevu.results.reference import compare, describe, load

    extra = seed_setting(args.seed)
    experiments = [expand(name, args.size, extra) for name in args.experiments or default_set()]
    estimates = {cell.digest: e.estimate for e in experiments for cell in e.cells}
    known = (load(args.size) or {"cells": {}})["cells"]
    cells = {cell.digest: cell for e in experiments for cell in e.cells if cell.digest in known}
    if not cells:
        message = f"none of these cells is in the reference run at size {args.size}"
        raise Mistake(f"{message}: it has the default experiments with the default seed")
    selected = spread_over_kernels(list(cells.values()), args.cells)
    results, terminal = [], sys.stderr.isatty()
    for number, cell in enumerate(selected, start=1):
        results.append(summarise(cell, sample(cell), estimates[cell.digest]))
        line = f"\r{number} of {len(selected)} cells" if terminal else ""
        print(line, end="", file=sys.stderr, flush=True)
    print("\r\033[K" if terminal else "", end="", file=sys.stderr)
    agreement = compare([table([result]) for result in results], args.size)
    assert agreement is not None  # the reference run has these cells
    print(*describe(agreement, provenance()), sep="\n")
    if agreement.differing:
        raise SystemExit(1)
