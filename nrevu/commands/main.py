"""The `nrevu` command: reads the command line and turns a Mistake into exit code 2."""

import argparse
import os
import sys

from nrevu import __version__
from nrevu.commands import (
    cells,
    check,
    export,
    make,
    new,
    plan,
    reference,
    report,
    run,
    steps,
    verify,
)
from nrevu.errors import Mistake

DESCRIPTION = """\
Experiments on Metropolis accept/reject methods, after Radford Neal (2020): keep the uniform u of
the accept/reject test in the chain's state and move it non-reversibly.

  nrevu make                          the whole paper, into results/ of this folder
  nrevu make my_sweep.yaml            a sweep of your own
  nrevu plan my_sweep.yaml            what that would take, and what of it is done
  nrevu run method.stepsize=1.8       one cell, here and now
"""
COMMANDS = (make, plan, run, cells, new, check, report, export, verify, reference, steps)


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    # One thread for numpy's linear algebra: for series as short as ours its threads only wait for
    # each other (200 times the CPU time, seen), and jobs run side by side already.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if words is None else words)
    passed_on: list[str] = []
    if words[:1] == ["make"]:
        words, passed_on = make.split(words)
    args = parser().parse_args(words, argparse.Namespace(snakemake=passed_on))
    try:
        args.command(args)
    except Mistake as mistake:
        print(f"nrevu: {mistake}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"nrevu: too large for this machine's memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("nrevu: interrupted; finished cells are kept", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        "nrevu", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"nrevu {__version__}")
    subs = top.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(subs)
    return top
