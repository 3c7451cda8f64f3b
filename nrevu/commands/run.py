"""`nrevu run`: one cell, run here and now, and what was found."""

import argparse
import json

from nrevu.files import choices, folder

ABOUT = """\
Runs one cell and prints what was found, with standard errors. Nothing is written to disk.

  nrevu run distribution=gaussian method=metropolis method.stepsize=1.8 size=quick
  nrevu run u=nonreversible u.delta=0.3 run.groups=100000 seed=7
  nrevu run experiment=fig1 method.stepsize=2.4 --json

`experiment=NAME` starts from the settings that all cells of that experiment share. Every key,
with its meaning and default, is in {folder}/config.yaml and the folders beside it. To choose from:

{choices}
"""


def add(subs) -> None:
    """Add the command's words."""
    groups = ("distribution", "method", "u", "size", "experiment")
    listed = "\n".join(f"  {group:13} {', '.join(choices(group))}" for group in groups)
    run = subs.add_parser(
        "run",
        help="run one cell and print its results",
        description=ABOUT.format(folder=folder(), choices=listed),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="as in conf/config.yaml")
    run.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    run.set_defaults(command=execute)


def execute(args: argparse.Namespace) -> None:
    """Run one cell and print a table or JSON."""
    from nrevu.experiments.experiment import by_hand
    from nrevu.experiments.settings import parse

    cell, estimate = by_hand(parse(args.settings))
    from nrevu.analysis.result import summarise
    from nrevu.cells.chains import sample
    from nrevu.core.target import TARGET, target_note
    from nrevu.core.user_files import user_errors

    with user_errors(cell.distribution):
        result = summarise(cell, sample(cell), estimate)
    result |= {"target": TARGET, "target_note": target_note()}
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
        f"digest {result['digest']}, bits {result['bits']}",
    ]
    if result["target_note"]:
        lines.append(result["target_note"])
    for quantity in result["lag_too_short"]:
        text = f"tau {quantity}: {result['lags'][quantity]} lags are too few"
        if quantity in result["longer"]:
            more = result["longer"][quantity]
            text += f"; from {more['lags']}, {more['value']:.5f} ± {more['se']:.5f}"
        else:
            text += ", and the chains too short for more: raise run.groups"
        lines.append(text)
    if result.get("posterior"):
        names = ", ".join(result["posterior"])
        lines.append(
            f"tau of {names}: about the mean over all chains, which stands in for the true"
        )
    if result["not_converged"]:
        lines.append("not converged: chains disagree, or are too short; raise run.groups")
    return "\n".join(lines)


def number(value: float | None, width: int = 12, digits: int = 5) -> str:
    """Return a number in a column of a table."""
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"
