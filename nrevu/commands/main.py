"""Experiments on Metropolis accept/reject methods, after Radford Neal (2020): keep the uniform u of
the accept/reject test in the chain's state and move it non-reversibly.

  nrevu make                          run the paper's experiments; results go to results/
  nrevu make my_sweep.yaml            run your own sweep
  nrevu plan my_sweep.yaml            show what is done, what is left to run, and how long it takes
  nrevu run method.stepsize=1.8       run one cell and print its results
"""

import argparse
import os
import sys

from nrevu import __version__
from nrevu.commands import (
    cells,
    check,
    docs,
    export,
    make,
    new,
    plan,
    reference,
    report,
    run,
    schema,
    verify,
)
from nrevu.commands.arguments import options_first
from nrevu.commands.steps import STEPS
from nrevu.commands.steps import add as add_steps
from nrevu.errors import Mistake, unknown

COMMANDS = (make, plan, run, cells, new, check, report, export, verify, schema, docs, reference)
SHOWN = [module.__name__.rpartition(".")[2] for module in COMMANDS]
# Commands with settings KEY=VALUE, and their options that have a value.
WITH_SETTINGS = {"check": ("--name", "--seed"), "run": ()}


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    # numpy's linear algebra gets one thread: on series as short as ours, more threads only wait for
    # each other (200 times the CPU time was measured), and several jobs run at once anyway.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    for_snakemake: list[str] = []
    if arguments[:1] == ["make"]:
        arguments, for_snakemake = make.split(arguments)
    if arguments and arguments[0] in WITH_SETTINGS:
        name, *rest = arguments
        arguments = [name, *options_first(rest, WITH_SETTINGS[name])]
    try:
        known = not arguments or arguments[0] in (*SHOWN, *STEPS)
        if not known and not arguments[0].startswith("-"):
            raise unknown("command", arguments[0], SHOWN, place="command line")
        args = parser().parse_args(arguments, argparse.Namespace(snakemake=for_snakemake))
        args.command(args)
    except Mistake as mistake:
        print(f"nrevu: {mistake}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"nrevu: too large for this machine's memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = "; finished cells are kept" if arguments[:1] == ["sample"] else ""
        print(f"nrevu: interrupted{kept}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    keep_lines = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser("nrevu", description=__doc__, formatter_class=keep_lines)
    top.add_argument("--version", action="version", version=f"nrevu {__version__}")
    subs = top.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(subs)
    add_steps(subs)
    return top
