"""`nrevu check`: whether a distribution in a file of the user's is what it should be."""

import argparse
import dataclasses
import itertools
import json
import time

ABOUT = """\
Checks a distribution of your own: that its functions compile and stay within their arrays, that the
gradient is that of the energy, that exact draws and known means fit, and how fast it is.

  nrevu check my_density.py
  nrevu check my_density.py curvature=3
  nrevu check my_densities.py --name Banana --json

KEY=VALUE are the settings of the class. The exit code is 0 if no check fails, 1 if one does, and 2
if there is nothing to check: no such file, an unknown setting, a function that does not compile.
"""


def add(subs) -> None:
    """Add the command's words."""
    check = subs.add_parser(
        "check",
        help="check a distribution of your own",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("file", metavar="FILE.py", help="with the distribution's class")
    check.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="its settings")
    check.add_argument("--name", metavar="CLASS", help="which class, where there are several")
    check.add_argument("--seed", type=int, default=1, help="of all random numbers (default: 1)")
    check.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    check.set_defaults(command=execute)
    parse = check.parse_known_args  # takes no settings after an option that follows the file
    check.parse_known_args = lambda words, given=None: parse(options_first(words), given)


def options_first(words: list[str]) -> list[str]:
    """Return the words of the command line, options before the others."""
    options, others, rest = [], [], iter(words)
    for word in rest:
        if word in ("--name", "--seed"):
            options += [word, *itertools.islice(rest, 1)]
        else:
            (options if word.startswith("-") else others).append(word)
    return options + others


def execute(args: argparse.Namespace) -> None:
    """Run the checks and print a line for each; exit with 1 if one fails."""
    from nrevu.conformance import check

    if args.seed < 0:
        from nrevu.errors import Mistake

        raise Mistake(f"{args.seed} is not allowed: it must be a whole number at least 0", "--seed")
    distribution = built(args)
    started = time.perf_counter()
    verdicts = []
    if not args.json:
        plural = "s" if distribution.dim > 1 else ""
        print(f"{args.file}: {distribution}, {distribution.dim} coordinate{plural}\n", flush=True)
    for verdict in check(distribution, args.seed):
        verdicts.append(verdict)
        if not args.json:
            print(as_text(verdict), flush=True)
    spent = time.perf_counter() - started
    print(as_json(args, distribution, verdicts, spent) if args.json else summary(verdicts, spent))
    if any(verdict.outcome == "FAILS" for verdict in verdicts):
        raise SystemExit(1)


def built(args: argparse.Namespace):
    """Return the distribution of the command line, built as a config would be."""
    from nrevu.cells.cell import build_distribution
    from nrevu.errors import Mistake
    from nrevu.experiments.settings import parse

    values = {"name": args.name}
    for setting in parse(args.settings):
        key = setting.key.removeprefix("distribution.")
        if "." in key or key == "file":
            raise Mistake("only settings of the class are of use here", setting.key, setting.place)
        values[key] = setting.value
    try:
        return build_distribution({**values, "file": args.file})
    except Mistake as mistake:
        raise mistake.at("command line") from None


def as_text(verdict) -> str:
    """Return a verdict as a line, and what to do as another."""
    lines = [f"{verdict.outcome:8} {verdict.name:12} {verdict.says}"]
    return "\n".join([*lines, *([f"{'':21} -> {verdict.advice}"] if verdict.advice else [])])


def summary(verdicts: list, spent: float) -> str:
    """Return how many checks passed."""
    counts = [sum(v.outcome == kind for v in verdicts) for kind in ("ok", "FAILS", "skipped")]
    passed, failed, skipped = counts
    return f"\n{passed} ok, {failed} failed, {skipped} skipped, in {spent:.1f} s"


def as_json(args: argparse.Namespace, distribution, verdicts: list, spent: float) -> str:
    """Return everything as one JSON object; nan and infinity, which JSON has not, as words."""
    data = {
        "file": args.file,
        "name": type(distribution).__name__,
        "settings": dataclasses.asdict(distribution),
        "seed": args.seed,
        "passed": all(verdict.outcome != "FAILS" for verdict in verdicts),
        "seconds": spent,
        "checks": [dataclasses.asdict(verdict) for verdict in verdicts],
    }
    return json.dumps(plain(data))


def plain(value):
    """Return a value with its numbers as JSON has them."""
    if isinstance(value, dict):
        return {key: plain(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inside) for inside in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    return value if isinstance(value, int | float | str | None) else str(value)
