"""`nrevu cells`: what an experiment would run."""

import argparse
import json

from nrevu.commands.arguments import add_experiment

ABOUT = """\
Lists the cells that an experiment would run: digests, and the settings in which they differ.

  nrevu cells fig1
  nrevu cells fig1 --size quick --json
  nrevu cells my_sweep.yaml
"""


def add(subs) -> None:
    """Add the command's words."""
    cells = subs.add_parser(
        "cells",
        help="list the cells of an experiment",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_experiment(cells)
    cells.add_argument("--json", action="store_true", help="print the configs as JSON")
    cells.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Print the cells of an experiment."""
    from nrevu.cells.cell import config, parameters
    from nrevu.experiments.experiment import expand
    from nrevu.experiments.settings import seed_setting

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    if args.json:
        data = {
            "experiment": experiment.name,
            "size": args.size,
            "estimate": vars(experiment.estimate),
            "cells": {cell.digest: config(cell) for cell in experiment.cells},
        }
        text = json.dumps(data, indent=1)
    else:
        flat = [parameters(cell) for cell in experiment.cells]
        names = dict.fromkeys(name for row in flat for name in row)
        varying = [n for n in names if len({row.get(n) for row in flat}) > 1]
        same = [f"{n}={v}" for n, v in flat[0].items() if n not in varying]
        lines = [f"{experiment.name}: {experiment.title}", "all: " + " ".join(same)]
        for cell, row in zip(experiment.cells, flat, strict=True):
            lines.append(" ".join([cell.digest, *(f"{n}={row[n]}" for n in varying if n in row)]))
        text = "\n".join([*lines, f"{len(flat)} cells at size {args.size}"])
    print(text)
