"""The steps of the workflow, which rules call. `nrevu --help` does not list them."""

from pathlib import Path

STEPS = {
    "compile": "compile a kernel",
    "sample": "run a batch of cells, estimate autocorrelation times",
    "table": "gather the results of all batches",
    "confirm": "run the best cells of some groups again",
    "confirmed": "gather the confirmed cells",
    "trace": "follow the best cells update by update",
    "compare": "compare results with published numbers",
    "figure": "draw a figure",
    "page": "write the page on all experiments of a size and seed",
    "index": "write the page that leads to all pages",
}
INPUTS = {
    "--cells": "plan files of all batches",
    "--results": "outputs of `nrevu sample` or `nrevu confirm`",
    "--table": "tables, as Parquet files",
    "--confirmed": "tables of confirmed cells, as Parquet files",
    "--traces": "outputs of `nrevu trace`",
}


def add(subs) -> None:
    """Add the steps, which all take a plan file, inputs and outputs."""
    for name, text in STEPS.items():
        step = subs.add_parser(name, description=f"A step of the workflow: {text}.")
        step.add_argument("plan", type=Path, help="the job's file in results/plan")
        for option, about in INPUTS.items():
            step.add_argument(option, type=Path, nargs="*", default=[], help=about)
        step.add_argument("--store", type=Path, default=Path("results/cells"), help="of series")
        step.add_argument("--out", type=Path, nargs="+", required=True, help="files, by ending")
        step.set_defaults(command=lambda args, name=name: execute(name, args))


def execute(name: str, args) -> None:
    """Run one step of the workflow."""
    from nrevu.pipeline.steps import run_step

    run_step(name, args)
