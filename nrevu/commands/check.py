"""Check your own distribution.

Checks your own distribution: its functions compile and stay within their arrays, the gradient
matches the energy, exact draws and known means agree with long chains. Also reports its speed.

  nrevu check my_density.py
  nrevu check my_density.py curvature=3
  nrevu check my_densities.py --name Banana --json

KEY=VALUE sets a setting of the class. The exit code is 0 if no check fails, 1 if one fails, and 2
if no check can run: there is no such file, a setting is unknown, a function does not compile.
"""

import argparse
import dataclasses
import itertools
import json
import time

from nrevu.commands.arguments import add_command


def add(subs) -> None:
    """Define the arguments."""
    check = add_command(subs, "check", __doc__, execute)
    check.add_argument("file", metavar="FILE.py", help="the file with the distribution's class")
    check.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="settings of the class")
    check.add_argument("--name", metavar="CLASS", help="the class, if the file has several")
    check.add_argument("--seed", type=int, default=1, help="of all random numbers (default: 1)")
    check.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def options_first(arguments: list[str]) -> list[str]:
    """Return the arguments, options first: argparse takes no settings after file and option."""
    options: list[str] = []
    others: list[str] = []
    rest = iter(arguments)
    for text in rest:
        if text in ("--name", "--seed"):
            options += [text, *itertools.islice(rest, 1)]
        else:
            (options if text.startswith("-") else others).append(text)
    return options + others


def execute(args: argparse.Namespace) -> None:
    """Run the checks and print a line for each; exit with 1 if one fails."""
    from nrevu.conformance import check
    from nrevu.errors import Mistake

    if args.seed < 0:
        raise Mistake(f"{args.seed} is not allowed: it must be an integer at least 0", "--seed")
    distribution = build(args)
    started = time.perf_counter()
    verdicts = []
    if not args.json:
        plural = "s" if distribution.dim > 1 else ""
        print(f"{args.file}: {distribution}, {distribution.dim} coordinate{plural}\n", flush=True)
    for verdict in check(distribution, args.seed):
        verdicts.append(verdict)
        if not args.json:
            print(as_text(verdict), flush=True)
    seconds = time.perf_counter() - started
    text = (
        as_json(args, distribution, verdicts, seconds) if args.json else summary(verdicts, seconds)
    )
    print(text)
    if any(verdict.outcome == "FAILS" for verdict in verdicts):
        raise SystemExit(1)


def build(args: argparse.Namespace):
    """Return the distribution that the command line describes."""
    from nrevu.cells.cell import build_distribution
    from nrevu.errors import Mistake
    from nrevu.experiments.settings import parse

    values = {"name": args.name}
    for setting in parse(args.settings):
        key = setting.key.removeprefix("distribution.")
        if "." in key or key == "file":
            raise Mistake("only settings of the class are allowed", setting.key, setting.place)
        values[key] = setting.value
    try:
        return build_distribution({**values, "file": args.file})
    except Mistake as mistake:
        raise mistake.at("command line") from None


def as_text(verdict) -> str:
    """Return a verdict as one line, and the advice, if any, as another."""
    line = f"{verdict.outcome:8} {verdict.name:12} {verdict.says}"
    return line + (f"\n{'':21} -> {verdict.advice}" if verdict.advice else "")


def summary(verdicts: list, seconds: float) -> str:
    """Return how many checks passed, failed and were skipped."""
    counts = [sum(v.outcome == kind for v in verdicts) for kind in ("ok", "FAILS", "skipped")]
    passed, failed, skipped = counts
    return f"\n{passed} ok, {failed} failed, {skipped} skipped, in {seconds:.1f} s"


def as_json(args: argparse.Namespace, distribution, verdicts: list, seconds: float) -> str:
    """Return all results as one JSON object; nan and infinity, which JSON lacks, as strings."""
    data = {
        "file": args.file,
        "name": type(distribution).__name__,
        "settings": dataclasses.asdict(distribution),
        "seed": args.seed,
        "passed": all(verdict.outcome != "FAILS" for verdict in verdicts),
        "seconds": seconds,
        "checks": [dataclasses.asdict(verdict) for verdict in verdicts],
    }
    text = json.dumps(data, default=str)
    return json.dumps(json.loads(text, parse_constant=lambda name: str(float(name))))
