"""`nrevu export`: what the workflow has made, in forms that other programs read."""

import argparse
from pathlib import Path

from nrevu.commands.arguments import add_experiment

ABOUT = """\
Copies what `nrevu make` has left in results/ for other programs to read.

  nrevu export cell 3fa9                            a cell's chains, for ArviZ
  nrevu export cell experiment=fig1 size=smoke method.stepsize=1.8 u=standard
  nrevu export table fig1 --out fig1.parquet        an experiment's table
"""
CELL = """\
Writes the chains of one cell as a NetCDF file in ArviZ's form, InferenceData: `posterior` has
every quantity, `sample_stats` the updates rejected in each group and the acceptance rate, both
(chain, draw), a draw being a recorded group. The attributes say what made them.

  nrevu export cell 3fa9                            the start of a digest is enough
  nrevu export cell experiment=fig1 size=smoke method.stepsize=1.8 u=standard
  nrevu export cell 3fa9 --out best.nc --results ../other/results

Then, in Python:

  import arviz
  arviz.summary(arviz.from_netcdf("best.nc"))

Needs the extra `arviz`: pip install 'nrevu[arviz]'. Digests are in the tables, in the report, and
listed by `nrevu cells`; settings are the words of `nrevu run`.
"""
TABLE = """\
Writes a table of an experiment in the form of the file's ending, .csv or .parquet.

  nrevu export table fig1 --out fig1.parquet
  nrevu export table fig1 --size quick --out fig1.csv
  nrevu export table fig2 --confirmed               the best cells, run again
  nrevu export table fig2 --comparison              what was published beside what was found
"""


def add(subs) -> None:
    """Add the command's words."""
    form = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    export = subs.add_parser(
        "export", help="write chains for ArviZ, or a table", description=ABOUT, **form
    )
    kinds = export.add_subparsers(required=True, metavar="WHAT")
    cell = kinds.add_parser("cell", help="a cell's chains, for ArviZ", description=CELL, **form)
    cell.add_argument(
        "cell", nargs="+", metavar="CELL", help="a digest, or its start; or KEY=VALUE ..."
    )
    cell.add_argument("--out", type=Path, help="a file .nc (default: DIGEST.nc)")
    cell.set_defaults(command=execute_cell)
    table = kinds.add_parser("table", help="an experiment's table", description=TABLE, **form)
    add_experiment(table)
    which = table.add_mutually_exclusive_group()
    for what, about in (("confirmed", "the confirmed cells"), ("comparison", "the comparison")):
        message = f"{about} instead"
        which.add_argument(f"--{what}", action="store_const", dest="what", const=what, help=message)
    table.add_argument("--out", type=Path, help="a file .csv or .parquet (default: a .csv here)")
    table.set_defaults(command=execute_table, what="table")
    for sub in (cell, table):
        sub.add_argument("--results", type=Path, default=Path("results"), help="where results are")


def execute_cell(args: argparse.Namespace) -> None:
    """Write a cell's chains, and say if some were cut."""
    from nrevu.results.export import export_cell

    path, series = export_cell(args.cell, args.results / "cells", args.out)
    shortest, longest = min(series.lengths), max(series.lengths)
    print(f"{path}: {len(series.lengths)} chains of {shortest} draws")
    if longest > shortest:
        cut = sum(length > shortest for length in series.lengths)
        print(f"{cut} of the chains had a draw more, which was left out: all must be as long")


def execute_table(args: argparse.Namespace) -> None:
    """Write a table."""
    from nrevu.results.export import export_table

    where = (args.what, args.results, args.out)
    path, rows, old = export_table(args.experiment, args.size, args.seed, *where)
    print(f"{path}: {rows} rows")
    if old:
        print("the sweep has changed since this table was made: nrevu make brings it up to date")
