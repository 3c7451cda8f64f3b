"""Run experiments: sample, analyse, draw, report.

Runs experiments in the current folder. Chains go to results/cells/, tables, figures and the report
(report.html) to results/SIZE/. results/report.html links to the reports of all sizes. Finished
work is not repeated: stop whenever you like and run the same command again.

  nrevu make                                     the paper's experiments
  nrevu make fig1 fig2 --size quick
  nrevu make my_sweep.yaml --cores 4
  nrevu make my_sweep.yaml --dry-run             list the jobs, run none
  nrevu make --workflow-profile slurm.yaml       on a cluster; see nrevu new slurm

The first option that is not listed below, and everything after it, goes to Snakemake
(snakemake --help).
"""

import argparse
import os
import sys

from nrevu.commands.arguments import add_command, add_experiments
from nrevu.errors import Mistake
from nrevu.files import snakefile

OPTIONS = ("--size", "--seed", "--batch", "--cores", "-c", "-h", "--help")
# Options of Snakemake's that set how many jobs run at a time.
JOB_OPTIONS = ("-j", "--jobs", "-e", "--executor", "--profile", "--workflow-profile")


def add(subs) -> None:
    """Define the arguments."""
    make = add_command(subs, "make", __doc__, execute)
    add_experiments(make)
    help = "approximate CPU seconds of work for one process"
    make.add_argument("--batch", type=float, metavar="SECONDS", help=help)
    make.add_argument("--cores", "-c", help="how many cores to use (default: all)")


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return nrevu's arguments, and Snakemake's: the first other option and all that follows."""
    for index, text in enumerate(arguments):
        other = text.startswith("-") and text.partition("=")[0] not in OPTIONS
        if other and arguments[index - 1] != "--seed":  # a negative seed is a value
            return arguments[:index], arguments[index + (text == "--") :]
    return arguments, []


def execute(args: argparse.Namespace) -> None:
    """Replace this process by Snakemake, which checks the request before anything runs."""
    if {"--config", "-C"} & set(args.snakemake):
        raise Mistake("give experiments, --size, --seed and --batch instead", "--config")
    config = {"size": args.size, "seed": args.seed, "batch": args.batch}
    config = {key: value for key, value in config.items() if value is not None}
    config |= {"experiments": ",".join(args.experiments)} if args.experiments else {}
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile())]
    if args.cores or not any(o.partition("=")[0] in JOB_OPTIONS for o in args.snakemake):
        command += ["--cores", args.cores or "all"]
    pairs = [f"{key}={value}" for key, value in config.items()]
    os.execv(sys.executable, [*command, *args.snakemake, "--config", *pairs])
