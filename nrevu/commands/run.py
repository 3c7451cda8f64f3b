"""Run one cell and print its results.

The results come with standard errors. Nothing is written to disk.

  nrevu run distribution=gaussian method=metropolis method.stepsize=1.8 size=quick
  nrevu run u=nonreversible u.delta=0.3 run.groups=100000 seed=7
  nrevu run experiment=fig1 method.stepsize=2.4 --json

`experiment=NAME` starts from the settings that all cells of that experiment share. For a file of
your own, give distribution.file=FILE.py, method.file=FILE.py or u.file=FILE.py. Every key,
with its meaning and default, is in {folder}/config.yaml and the folders next to it. The choices:

{choices}
"""

import argparse
import json

from nrevu.commands.arguments import add_command
from nrevu.files import choices, conf_folder


def add(subs) -> None:
    """Define the arguments."""
    groups = ("distribution", "method", "u", "size", "experiment")
    listed = "\n".join(f"  {group:13} {', '.join(choices(group))}" for group in groups)
    about = __doc__.format(folder=conf_folder(), choices=listed)
    run = add_command(subs, "run", about, execute)
    run.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="as in conf/config.yaml")
    run.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def execute(args: argparse.Namespace) -> None:
    """Run one cell and print a table or JSON."""
    from nrevu.experiments.experiment import single_cell
    from nrevu.experiments.settings import parse

    cell, estimate = single_cell(parse(args.settings))
    from nrevu.analysis.result import summarise
    from nrevu.analysis.result_text import as_text
    from nrevu.cells.chains import sample
    from nrevu.core.target import describe_target
    from nrevu.core.user_files import user_errors

    with user_errors(*cell.sampler):
        result = summarise(cell, sample(cell), estimate) | describe_target()
    print(json.dumps(result) if args.json else as_text(result))
