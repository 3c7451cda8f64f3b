"""The `nrevu` command: reads the command line, prints, and turns a Mistake into exit code 2.

Slow modules (Hydra, numba, pandas, matplotlib) are imported by the command that needs them, so
that help is instant.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from nrevu import __version__
from nrevu.mistake import Mistake
from nrevu.places import choices, folder

DESCRIPTION = """\
Experiments on Metropolis accept/reject methods, after Radford Neal (2020): keep the uniform u of
the accept/reject test in the chain's state and move it non-reversibly.

the whole paper, in a checkout:
  snakemake --cores all
  snakemake --cores all --config experiments=fig1 size=quick

one cell of a grid, by hand:
  nrevu run method.stepsize=1.8 u=nonreversible u.delta=0.3
"""

RUN = """\
Runs one cell and prints what was found, with standard errors. Nothing is written to disk.

  nrevu run distribution=gaussian method=metropolis method.stepsize=1.8 size=quick
  nrevu run u=nonreversible u.delta=0.3 run.groups=100000 seed=7
  nrevu run experiment=fig1 method.stepsize=2.4 --json

`experiment=NAME` starts from the settings that all cells of that experiment share. Every key,
with its meaning and default, is in {folder}/config.yaml and the folders beside it. To choose from:

{choices}
"""

CELLS = """\
Lists the cells that an experiment would run: digests, and the settings in which they differ.

  nrevu cells fig1
  nrevu cells fig1 --size quick --json
  nrevu cells my_sweep.yaml
"""

REPORT = """\
Writes one HTML page on what the workflow has left in results/: verdicts, figures, tables. The
workflow does so at its end; by hand it reports on work that is half done, and says what is missing.

  nrevu report
  nrevu report fig1 fig2 --size quick
"""


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    args = parser().parse_args(words)
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
    kind = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    top = argparse.ArgumentParser("nrevu", description=DESCRIPTION, **kind)
    top.add_argument("--version", action="version", version=f"nrevu {__version__}")
    subs = top.add_subparsers(required=True, metavar="COMMAND")
    groups = ("distribution", "method", "u", "size", "experiment")
    listed = "\n".join(f"  {group:13} {', '.join(choices(group))}" for group in groups)
    about = RUN.format(folder=folder(), choices=listed)
    run = subs.add_parser(
        "run", help="run one cell and print its results", description=about, **kind
    )
    run.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="as in conf/config.yaml")
    run.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    run.set_defaults(command=run_cell)
    cells = subs.add_parser(
        "cells", help="list the cells of an experiment", description=CELLS, **kind
    )
    add_experiment(cells)
    cells.add_argument("--json", action="store_true", help="print the configs as JSON")
    cells.set_defaults(command=list_cells)
    add_steps(subs)
    return top


def add_experiment(sub: argparse.ArgumentParser) -> None:
    """Add the words that choose an experiment."""
    sub.add_argument("experiment", help="a name in conf/experiment, or a YAML file")
    sub.add_argument("--size", default="paper", help="smoke, quick or paper (default)")
    sub.add_argument("--seed", type=int, help="another seed than the configured one")


def add_steps(subs) -> None:
    """Add the steps of the workflow, which the rules in workflow/ call."""

    def step(name: str, help: str) -> argparse.ArgumentParser:
        sub = subs.add_parser(name, help=f"step of the workflow: {help}")
        sub.set_defaults(command=lambda args: run_step(name, args))
        return sub

    compile, sample = step("compile", "compile a kernel"), step("sample", "run a batch of cells")
    tau = step("tau", "autocorrelation times of a batch")
    for sub in (compile, sample, tau):
        sub.add_argument("cells", help="a JSON file of configs by digest")
        sub.add_argument("--out", type=Path, required=True)
    for sub in (sample, tau):
        sub.add_argument("--store", type=Path, required=True, help="folder of the cells' series")
    tau.add_argument("--max-lag", type=int, required=True)
    tau.add_argument("--mean", choices=("known", "pooled"), required=True)
    table, figure = step("table", "gather results"), step("figure", "draw a figure")
    table.add_argument("--results", nargs="+", required=True, help="what `nrevu tau` wrote")
    confirm = step("confirm", "run the best cells of a group again")
    confirm.add_argument("--group", type=int, required=True, help="its number, from 0")
    confirmed = step("confirmed", "gather the confirmed cells")
    confirmed.add_argument("--results", nargs="+", required=True, help="what `nrevu confirm` wrote")
    add_experiment(confirmed)
    trace = step("trace", "follow the best cells update by update")
    compare = step("compare", "set results beside what was published")
    for sub in (confirm, trace, compare, figure):
        add_experiment(sub)
        sub.add_argument("--table", nargs="+", required=True, help="Parquet files")
    for sub in (compare, figure):
        sub.add_argument("--confirmed", nargs="*", help="Parquet files")
    for sub in (confirm, trace):
        sub.add_argument("--store", type=Path, required=True, help="folder of the cells' series")
    for sub in (confirm, trace, compare):
        sub.add_argument("--out", type=Path, required=True)
    figure.add_argument("--name", required=True, help="which of the experiment's figures")
    figure.add_argument("--traces", help="what `nrevu trace` wrote")
    add_report(subs)
    for sub in (table, confirmed, figure):
        sub.add_argument("--out", type=Path, nargs="+", required=True, help="files, by ending")


def add_report(subs) -> None:
    """Add the command that writes the report, by hand or from a rule."""
    kind = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    report = subs.add_parser(
        "report", help="write the HTML report on what there is", description=REPORT, **kind
    )
    report.add_argument("experiments", nargs="*", help="names or YAML files; default: all")
    report.add_argument("--size", default="paper", help="smoke, quick or paper (default)")
    report.add_argument("--seed", type=int, help="another seed than the configured one")
    report.add_argument("--results", type=Path, default=Path("results"), help="where results are")
    report.add_argument("--out", type=Path, help="default: report.html among the results")
    report.set_defaults(command=lambda args: run_step("report", args))


def run_step(name: str, args: argparse.Namespace) -> None:
    """Run one step of the workflow."""
    from nrevu import steps

    getattr(steps, f"{name}_step")(args)


def run_cell(args: argparse.Namespace) -> None:
    """Run one cell and print a table or JSON."""
    from nrevu.config import parse, resolve
    from nrevu.experiment import shared_settings

    settings = parse(args.settings)
    experiments = [s.value for s in settings if s.key == "experiment"]
    shared = shared_settings(str(experiments[-1]), settings) if experiments else []
    cell, estimate = resolve([*shared, *(s for s in settings if s.key != "experiment")])
    from nrevu.chain import sample
    from nrevu.result import summarise

    result = summarise(cell, sample(cell), estimate)
    print(json.dumps(result) if args.json else as_text(result))


def as_text(result: dict) -> str:
    """Return a result as a small table for people."""
    rate = result["rejection_rate"]
    lines = [result["name"], "", f"{'':24}{'value':>12}{'std. error':>12}"]
    lines.append(f"{'rejection rate':24}{number(rate['value'])}{number(rate['se'])}")
    clustering = result["clustering"]
    lines.append(f"{'clustering':24}{number(clustering['value'])}{number(clustering['se'])}")
    for quantity, tau in result["tau"].items():
        mark = "  lag too short" if quantity in result["lag_too_short"] else ""
        mark += "  not converged" if quantity in result["not_converged"] else ""
        lines.append(f"{'tau ' + quantity:24}{number(tau['value'])}{number(tau['se'])}{mark}")
    for quantity, about in result.get("posterior", {}).items():
        rhat, effective = number(about["rhat"], 7, 3), number(about["effective"], 8, 0)
        mean, notes = about["mean"], f"   R-hat{rhat}, effective{effective}"
        lines.append(f"{'mean ' + quantity:24}{number(mean['value'])}{number(mean['se'])}{notes}")
    counts = result["evaluations"]
    lines += [
        "",
        f"{result['groups']} groups in {result['chains']} chains; density evaluations "
        f"{counts['density']}, gradient evaluations {counts['gradient']}, overflows "
        f"{result['overflows']}",
        f"{result['cpu_seconds']:.2f} CPU seconds, {result['ns_per_update']:.0f} ns per update; "
        f"digest {result['digest']}",
    ]
    if result["lag_too_short"]:
        lines.append("lag too short: twice as many lags add over 2%; raise estimate.max_lag")
    if result["not_converged"]:
        lines.append("not converged: chains do not agree, or are too short; raise run.groups")
    return "\n".join(lines)


def number(value: float | None, width: int = 12, digits: int = 5) -> str:
    """Return a number in a column of a table."""
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"


def list_cells(args: argparse.Namespace) -> None:
    """Print the cells of an experiment."""
    from nrevu.cell import config, parameters
    from nrevu.experiment import expand
    from nrevu.steps import seed_setting

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    if args.json:
        data = {
            "experiment": experiment.name,
            "size": args.size,
            "estimate": vars(experiment.estimate),
            "cells": {cell.digest: config(cell) for cell in experiment.cells},
        }
        text = json.dumps(data, indent=1)
    else:
        flat = [parameters(cell) for cell in experiment.cells]
        names = dict.fromkeys(name for row in flat for name in row)
        varying = [n for n in names if len({row.get(n) for row in flat}) > 1]
        same = [f"{n}={v}" for n, v in flat[0].items() if n not in varying]
        lines = [f"{experiment.name}: {experiment.title}", "all: " + " ".join(same)]
        for cell, row in zip(experiment.cells, flat, strict=True):
            lines.append(" ".join([cell.digest, *(f"{n}={row[n]}" for n in varying if n in row)]))
        text = "\n".join([*lines, f"{len(flat)} cells at size {args.size}"])
    print(text)
