"""`nrevu report`: the page on what there is, by hand or from a rule."""

import argparse
from pathlib import Path

from nrevu.commands.steps import run_step
from nrevu.commands.words import add_experiments

ABOUT = """\
Writes one HTML page on what the workflow has left in results/: verdicts, figures, tables. The
workflow does so at its end; by hand it reports on work that is half done, and says what is missing.

  nrevu report
  nrevu report fig1 fig2 --size quick
"""


def add(subs) -> None:
    """Add the command's words."""
    report = subs.add_parser(
        "report",
        help="write the HTML report on what there is",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_experiments(report)
    report.add_argument("--results", type=Path, default=Path("results"), help="where results are")
    report.add_argument("--out", type=Path, help="default: report.html among the results")
    report.set_defaults(command=lambda args: run_step("report", args))
