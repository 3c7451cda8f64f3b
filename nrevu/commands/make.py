"""`nrevu make`: the workflow in this folder, by Snakemake's own command line."""

import argparse
import os
import sys

from nrevu.commands.arguments import add_experiments
from nrevu.errors import Mistake
from nrevu.files import snakefile

ABOUT = """\
Runs experiments in this folder: cells into results/cells; tables, figures and the page on all
experiments of this size, report.html, into results/SIZE. results/report.html leads to the pages of
all sizes. What is there already is not run again; stop it whenever you like.

  nrevu make                                     the paper's experiments
  nrevu make fig1 fig2 --size quick
  nrevu make my_sweep.yaml --cores 4
  nrevu make my_sweep.yaml --dry-run             what Snakemake would do
  nrevu make --workflow-profile slurm.yaml       on a cluster: nrevu new slurm

Any other option, and all that follows it, goes to Snakemake as it is (snakemake --help).
"""
OWN = ("--size", "--seed", "--batch", "--cores", "-c")
# Options that say themselves how much runs at a time.
RULING = ("-j", "--jobs", "-e", "--executor", "--profile", "--workflow-profile")


def add(subs) -> None:
    """Add the command's words."""
    make = subs.add_parser(
        "make",
        help="run experiments: sample, analyse, draw, report",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_experiments(make)
    make.add_argument("--batch", type=float, help="CPU seconds of work for one process, about")
    make.add_argument("--cores", "-c", help="how many to use (default: all)")
    make.set_defaults(command=execute)


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """Return our own words and those for Snakemake: the first strange option, and all after."""
    for index, word in enumerate(words):
        strange = word.startswith("-") and word.partition("=")[0] not in (*OWN, "-h", "--help")
        if strange and words[index - 1] != "--seed":
            return words[:index], words[index + (word == "--") :]
    return words, []


def execute(args: argparse.Namespace) -> None:
    """Become Snakemake, which checks what was asked for before anything runs."""
    if {"--config", "-C"} & set(args.snakemake):
        raise Mistake("give experiments, --size, --seed and --batch instead", "--config")
    config = {"size": args.size, "seed": args.seed, "batch": args.batch}
    config = {key: value for key, value in config.items() if value is not None}
    words = ["--snakefile", str(snakefile())]
    if args.cores or not any(w.partition("=")[0] in RULING for w in args.snakemake):
        words += ["--cores", args.cores or "all"]
    given = [f"{key}={value}" for key, value in config.items()]
    given += [f"experiments={','.join(args.experiments)}"] if args.experiments else []
    words += [*args.snakemake, "--config", *given]
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *words])
