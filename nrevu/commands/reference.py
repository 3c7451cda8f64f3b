"""Regenerate the reference run that the package ships.

Runs the default experiments in the current folder at every size and writes the hashes and numbers
of their cells into the package, nrevu/results/reference/. Maintainers run it after they raise the
version of the sampling code. Finished work in results/ is not repeated.

  nrevu reference
  nrevu reference --sizes smoke quick
"""

import argparse
import subprocess
import sys
from pathlib import Path

from nrevu.commands.arguments import add_command

SIZES = ("smoke", "quick", "paper")


def add(subs) -> None:
    """Define the arguments."""
    reference = add_command(subs, "reference", __doc__, execute)
    reference.add_argument("--sizes", nargs="+", default=SIZES, choices=SIZES, help="default: all")


def execute(args: argparse.Namespace) -> None:
    """Run the default experiments at each size, then write their results into the package."""
    from nrevu.analysis.comparison import read_comparison
    from nrevu.experiments.experiment import default_set
    from nrevu.results.provenance import provenance
    from nrevu.results.reference import DECISIVE, write
    from nrevu.results.tables import read_tables

    for size in args.sizes:
        subprocess.run([sys.executable, "-m", "nrevu", "make", "--size", size], check=True)
        folders = [Path("results") / size / name for name in default_set()]
        kinds = ("table.parquet", "confirmed.parquet")
        files = [folder / kind for folder in folders for kind in kinds]
        about = {key: provenance()[key] for key in ("nrevu", *DECISIVE)}
        tables = [read_tables([str(file)]) for file in files if file.exists()]
        found = [f / "comparison.csv" for f in folders if (f / "comparison.csv").exists()]
        compared = [read_comparison(f).assign(experiment=f.parent.name) for f in found]
        print(write(size, about, tables, compared))
