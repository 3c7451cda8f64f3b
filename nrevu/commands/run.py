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
    from nrevu.cells.chains import sample
    from nrevu.core.target import TARGET, target_note
    from nrevu.core.user_files import user_errors

    with user_errors(*cell.sampler):
        result = summarise(cell, sample(cell), estimate)
    result |= {"target": TARGET, "target_note": target_note()}
    print(json.dumps(result) if args.json else as_text(result))


def as_text(result: dict) -> str:
    """Return a result as a small table, followed by notes."""
    lines = [result["name"], "", f"{'':24}{'value':>12}{'std. error':>12}"]
    lines += [row("rejection rate", result["rejection_rate"])]
    lines += [row("clustering", result["clustering"])]
    for quantity, tau in result["tau"].items():
        mark = "  lag too short" if quantity in result["lag_too_short"] else ""
        mark += "  not converged" if quantity in result["not_converged"] else ""
        lines += [row(f"tau {quantity}", tau) + mark]
    for quantity, about in result.get("posterior", {}).items():
        rhat, effective = number(about["rhat"], 7, 3), number(about["effective"], 8, 0)
        lines += [row(f"mean {quantity}", about["mean"]) + f"   R-hat{rhat}, effective{effective}"]
    counts = result["evaluations"]
    lines += [
        "",
        f"{result['groups']} groups in {result['chains']} chains; density evaluations "
        f"{counts['density']}, gradient evaluations {counts['gradient']}, overflows "
        f"{result['overflows']}",
        f"{result['cpu_seconds']:.2f} CPU seconds, {result['ns_per_update']:.0f} ns per update; "
        f"digest {result['digest']}, bits {result['bits']}",
    ]
    return "\n".join([*lines, *notes(result)])


def notes(result: dict) -> list[str]:
    """Return warnings and explanations as lines."""
    lines = [result["target_note"]] if result["target_note"] else []
    for quantity in result["lag_too_short"]:
        text = f"tau {quantity}: {result['lags'][quantity]} lags are too few"
        if quantity in result["longer"]:
            more = result["longer"][quantity]
            value, se = (number(more[key], 0) for key in ("value", "se"))
            text += f"; with {more['lags']} lags, {value} ± {se}"
        else:
            text += ", and the chains too short for more: raise run.groups"
        lines.append(text)
    if result.get("posterior"):
        names = ", ".join(result["posterior"])
        lines.append(f"tau of {names}: about the mean over all chains; the true mean is unknown")
    if result["not_converged"]:
        lines.append("not converged: chains disagree or are too short; raise run.groups")
    return lines


def row(label: str, estimate: dict) -> str:
    """Return a row of the table: a value and its standard error."""
    return f"{label:24}{number(estimate['value'])}{number(estimate['se'])}"


def number(value: float | None, width: int = 12, digits: int = 5) -> str:
    """Return a number in a column of a table."""
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"
