"""`nrevu reference`: makes the reference run that the package ships. For its maintainers."""

import argparse
import subprocess
import sys
from pathlib import Path

ABOUT = """\
Runs the default experiments in this folder at every size and writes the bits and numbers of their
cells into the package, in nrevu/reference/. For maintainers, after a change that raises the version
of the sampling code; what is in results/ already is not run again.

  nrevu reference
  nrevu reference --sizes smoke quick
"""


def add(subs) -> None:
    """Add the command's arguments."""
    reference = subs.add_parser(
        "reference",
        help="make the reference run that the package ships",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sizes = ("smoke", "quick", "paper")
    reference.add_argument("--sizes", nargs="+", default=sizes, choices=sizes, help="default: all")
    reference.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Run the default experiments at each size, then write what they gave into the package."""
    from nrevu.analysis.comparison import read_comparison
    from nrevu.experiments.experiment import default_set
    from nrevu.results.provenance import provenance
    from nrevu.results.reference import DECISIVE, write
    from nrevu.results.tables import read_tables

    for size in args.sizes:
        subprocess.run([sys.executable, "-m", "nrevu", "make", "--size", size], check=True)
        folders = [Path("results") / size / name for name in default_set()]
        files = [
            folder / f"{kind}.parquet" for folder in folders for kind in ("table", "confirmed")
        ]
        about = {key: provenance()[key] for key in ("nrevu", *DECISIVE)}
        tables = [read_tables([str(file)]) for file in files if file.exists()]
        compared = [
            read_comparison(folder / "comparison.csv").assign(experiment=folder.name)
            for folder in folders
            if (folder / "comparison.csv").exists()
        ]
        print(write(size, about, tables, compared))
