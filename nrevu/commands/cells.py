"""List the cells of an experiment.

Each line has the digest of a cell and the settings in which the cells differ.

  nrevu cells fig1
  nrevu cells fig1 --size quick --json
  nrevu cells my_sweep.yaml
"""

import argparse
import json

from nrevu.commands.arguments import add_command, add_experiment


def add(subs) -> None:
    """Define the arguments."""
    cells = add_command(subs, "cells", __doc__, execute)
    add_experiment(cells)
    cells.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def execute(args: argparse.Namespace) -> None:
    """Print the cells of an experiment."""
    from nrevu.cells.cell import config, parameters
    from nrevu.experiments.checks import varying
    from nrevu.experiments.experiment import expand
    from nrevu.experiments.settings import seed_setting

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    if args.json:
        data = {"experiment": experiment.name, "size": args.size}
        data |= {"estimate": vars(experiment.estimate)}
        data |= {"cells": {cell.digest: config(cell) for cell in experiment.cells}}
        print(json.dumps(data, indent=1))
        return
    rows = [parameters(cell) for cell in experiment.cells]
    differ = varying(rows)
    shared = [f"{n}={v}" for n, v in rows[0].items() if n not in differ]
    print(f"{experiment.name}: {experiment.title}", " ".join(["all:", *shared]), sep="\n")
    for cell, row in zip(experiment.cells, rows, strict=True):
        print(cell.digest, *(f"{n}={row[n]}" for n in differ if n in row))
    print(f"{len(rows)} cells at size {args.size}")
