"""The steps of the workflow, which its rules call; by hand they are of little use."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from nrevu.commands.arguments import add_experiment


def add(subs) -> None:
    """Add the steps of the workflow, which the rules in workflow/ call."""

    def step(name: str, help: str) -> argparse.ArgumentParser:
        sub = subs.add_parser(name, help=f"step of the workflow: {help}")
        sub.set_defaults(command=lambda args: run_step(name, args))
        return sub

    compile = step("compile", "compile a kernel")
    sample = step("sample", "run a batch of cells, find autocorrelation times")
    for sub in (compile, sample):
        sub.add_argument("cells", help="a JSON file of configs by digest")
        sub.add_argument("--out", type=Path, required=True)
    sample.add_argument("--max-lag", type=int, required=True)
    sample.add_argument("--mean", choices=("known", "pooled"), required=True)
    table, figure = step("table", "gather results"), step("figure", "draw a figure")
    table.add_argument("--results", nargs="+", required=True, help="what `nrevu sample` wrote")
    confirm = step("confirm", "run the best cells of some groups again")
    confirm.add_argument("--groups", type=int, nargs="+", required=True, help="numbers, from 0")
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
    for sub in (sample, confirm, trace):
        sub.add_argument("--store", type=Path, required=True, help="folder of the cells' series")
    for sub in (confirm, trace, compare):
        sub.add_argument("--out", type=Path, required=True)
    page = step("page", "write the page on all experiments of a size and seed")
    page.add_argument("label", help="SIZE, or SIZE-seedN")
    index = step("index", "write the page that leads to all pages")
    for sub in (page, index):
        sub.add_argument("--results", type=Path, required=True, help="folder of all results")
    figure.add_argument("--name", required=True, help="which of the experiment's figures")
    figure.add_argument("--traces", help="what `nrevu trace` wrote")
    for sub in (table, confirmed, figure):
        sub.add_argument("--out", type=Path, nargs="+", required=True, help="files, by ending")


def run_step(name: str, args: argparse.Namespace) -> None:
    """Run one step of the workflow; its log ends with where the time went."""
    from nrevu.pipeline import cpu_time, steps

    spent = Counter()
    getattr(steps, f"{name}_step")(args, spent)
    if not sys.stdout.isatty():
        print(cpu_time.line(spent))
