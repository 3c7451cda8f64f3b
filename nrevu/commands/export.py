"""Export chains for ArviZ, or a table.

nrevu export cell 3fa9                            the chains of a cell, for ArviZ
nrevu export cell experiment=fig1 size=smoke method.stepsize=1.8 u=standard
nrevu export table fig1 --out fig1.parquet        the table of an experiment
"""

import argparse
from pathlib import Path

from nrevu.commands.arguments import RESULTS, add_command, add_experiment


def add(subs) -> None:
    """Define the arguments."""
    export = add_command(subs, "export", __doc__)
    kinds = export.add_subparsers(required=True, metavar="WHAT")
    cell = add_command(kinds, "cell", execute_cell.__doc__, execute_cell)
    help = "a digest or its first digits; or KEY=VALUE ..."
    cell.add_argument("cell", nargs="+", metavar="CELL", help=help)
    cell.add_argument("--out", type=Path, help="a .nc file (default: DIGEST.nc)")
    table = add_command(kinds, "table", execute_table.__doc__, execute_table)
    add_experiment(table)
    which = table.add_mutually_exclusive_group()
    for what, about in (("confirmed", "the confirmed cells"), ("comparison", "the comparison")):
        help = f"export {about} instead"
        which.add_argument(f"--{what}", action="store_const", dest="what", const=what, help=help)
    help = "a .csv or .parquet file (default: EXPERIMENT_table.csv)"
    table.add_argument("--out", type=Path, help=help)
    table.set_defaults(what="table")
    for sub in (cell, table):
        sub.add_argument("--results", type=Path, default=Path("results"), help=RESULTS)


def execute_cell(args: argparse.Namespace) -> None:
    """Write the chains of a cell, for ArviZ.

    The file is NetCDF, in ArviZ's InferenceData format. `posterior` holds every quantity,
    `sample_stats` the rejected updates of each group and the acceptance rate, all with dimensions
    (chain, draw); a draw is a recorded group. The attributes hold settings and provenance.

      nrevu export cell 3fa9                            the first digits of a digest are enough
      nrevu export cell experiment=fig1 size=smoke method.stepsize=1.8 u=standard
      nrevu export cell 3fa9 --out best.nc --results ../other/results

    Then, in Python:

      import arviz
      arviz.summary(arviz.from_netcdf("best.nc"))

    This command needs the extra `arviz`: pip install 'nrevu[arviz]'. You find digests in the
    tables, in the report and by `nrevu cells`. Settings have the form that `nrevu run` takes.
    """
    from nrevu.results.export import export_cell

    path, series = export_cell(args.cell, args.results / "cells", args.out)
    shortest, longest = min(series.lengths), max(series.lengths)
    print(f"{path}: {len(series.lengths)} chains of {shortest} draws")
    if longest > shortest:
        cut = sum(length > shortest for length in series.lengths)
        print(f"the last draw of {cut} longer chains is omitted: all chains must have equal length")


def execute_table(args: argparse.Namespace) -> None:
    """Write a table of an experiment.

    The file's suffix, .csv or .parquet, selects the format.

      nrevu export table fig1 --out fig1.parquet
      nrevu export table fig1 --size quick --out fig1.csv
      nrevu export table fig2 --confirmed               the best cells, from their confirming runs
      nrevu export table fig2 --comparison              published numbers and ours
    """
    from nrevu.results.export import export_table

    paths = (args.what, args.results, args.out)
    path, rows, old = export_table(args.experiment, args.size, args.seed, *paths)
    print(f"{path}: {rows} rows")
    if old:
        print("the sweep has changed since this table was written: `nrevu make` updates it")
