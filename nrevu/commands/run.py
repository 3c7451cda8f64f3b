"""Run one cell, or a few, and print the results.

The results come with standard errors. Nothing is written to disk.

  nrevu run distribution=gaussian method=metropolis method.stepsize=1.8 size=quick
  nrevu run u=nonreversible u.delta=0.3 run.groups=100000 seed=7
  nrevu run experiment=fig1 method.stepsize=2.4 --json
  nrevu run method.stepsize=1,1.8,2.6 u=standard,nonreversible     a table of all combinations
  nrevu run method=hmc --cfg                                       print the settings, run nothing

`experiment=NAME` starts from the settings that all cells of that experiment share. For a file of
your own, give distribution.file=FILE.py, method.file=FILE.py or u.file=FILE.py. Every key,
with its meaning and default, is in {folder}/config.yaml and the folders next to it. The choices:

{choices}
"""

import argparse
import dataclasses
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
    help = "print one JSON object for each cell, a line each, and nothing else"
    run.add_argument("--json", action="store_true", help=help)
    help = "print the settings of each cell as YAML, and run nothing"
    run.add_argument("--cfg", action="store_true", help=help)


def execute(args: argparse.Namespace) -> None:
    """Run the cells and print tables or JSON."""
    from nrevu.experiments.experiment import single_cell
    from nrevu.experiments.settings import parse_sweep

    sweep = parse_sweep(args.settings)
    cells = [single_cell(settings) for settings in sweep]
    if args.cfg:
        found = [composed(*cell) for cell in cells]
        texts = [json.dumps(each) + "\n" for each in found] if args.json else map(as_yaml, found)
        print(("" if args.json else "---\n").join(texts), end="")
        return
    results = []
    for cell in cells:
        results.append(run_cell(*cell))
        if args.json:
            print(json.dumps(results[-1]), flush=True)
    if not args.json:
        from nrevu.analysis.result_text import as_table, as_text

        several = [{each.key: each.value for each in settings} for settings in sweep]
        print(as_text(results[0]) if len(results) == 1 else as_table(several, results))


def run_cell(cell, estimate) -> dict:
    """Return the result of a cell."""
    from nrevu.analysis.result import summarise
    from nrevu.api.sampling import is_watched, run_watched
    from nrevu.cells.chains import NO_DRAWS
    from nrevu.core.target import describe_target
    from nrevu.core.user_files import user_errors

    with user_errors(*cell.sampler):
        series = run_watched(cell, NO_DRAWS, is_watched())
        return summarise(cell, series, estimate) | describe_target()


def composed(cell, estimate) -> dict:
    """Return all settings of a cell, in the form in which experiments may have them."""
    from nrevu.cells.cell import config

    return {**config(cell), "estimate": dataclasses.asdict(estimate)}


def as_yaml(settings: dict) -> str:
    """Return settings as YAML."""
    import yaml

    return yaml.safe_dump(settings, sort_keys=False)
