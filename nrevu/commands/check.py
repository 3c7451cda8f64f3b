"""Check your own distribution, method or rule for u.

A distribution: its functions compile and stay within their arrays, the gradient matches the energy,
exact draws and known means agree with long chains. A method: it leaves exact draws of x, p and v
invariant on three distributions; single updates show why not. A rule for u: v stays uniform,
independent of x. Also reports the speed.

  nrevu check my_density.py curvature=3
  nrevu check my_method.py alpha=0.9
  nrevu check my_u.py delta=0.1 --json
  nrevu check my_densities.py --name Banana

KEY=VALUE sets a setting of the class. The exit code is 0 if no check fails, 1 if one fails, and 2
if no check can run: there is no such file, a setting is unknown, a function does not compile.
"""

import argparse
import dataclasses
import json
import time
from pathlib import Path

from nrevu.commands.arguments import add_command


def add(subs) -> None:
    """Define the arguments."""
    check = add_command(subs, "check", __doc__, execute)
    check.add_argument("file", metavar="FILE.py", help="the file with the class")
    check.add_argument("settings", nargs="*", metavar="KEY=VALUE", help="settings of the class")
    check.add_argument("--name", metavar="CLASS", help="the class, if the file has several")
    check.add_argument("--seed", type=int, default=1, help="of all random numbers (default: 1)")
    check.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def execute(args: argparse.Namespace) -> None:
    """Run the checks and print a line for each; exit with 1 if one fails."""
    from nrevu.conformance import check
    from nrevu.errors import Mistake

    if args.seed < 0:
        raise Mistake(f"{args.seed} is not allowed: it must be an integer at least 0", "--seed")
    thing = build(args)
    started = time.perf_counter()
    verdicts = []
    if not args.json:
        print(f"{args.file}: {thing}{coordinates(thing)}\n", flush=True)
    for verdict in check(thing, args.seed):
        verdicts.append(verdict)
        if not args.json:
            print(as_text(verdict), flush=True)
    seconds = time.perf_counter() - started
    print(as_json(args, thing, verdicts, seconds) if args.json else summary(verdicts, seconds))
    if any(verdict.outcome == "FAILS" for verdict in verdicts):
        raise SystemExit(1)


def coordinates(thing) -> str:
    """Return the number of coordinates of a distribution, as text."""
    dim = getattr(thing, "dim", 0)
    return f", {dim} coordinate{'s' if dim > 1 else ''}" if dim else ""


def build(args: argparse.Namespace):
    """Return the distribution, method or rule for u that the command line describes."""
    from nrevu.cells.cell import build_part
    from nrevu.errors import Mistake
    from nrevu.experiments.settings import parse

    try:
        kind, name = find(args.file, args.name)
        values = {"name": name} | chosen_by_check(kind, args.file, name)
        for setting in parse(args.settings):
            key = setting.key.removeprefix(f"{kind}.")
            if "." in key or key == "file":
                raise Mistake("only settings of the class are allowed", setting.key, setting.place)
            values[key] = setting.value
        return build_part(kind, {**values, "file": args.file})
    except Mistake as mistake:
        raise mistake.at("command line") from None


def find(file: str, name: str | None) -> tuple[str, str]:
    """Return the kind and the name of the class to check: the only one, or the one named."""
    from nrevu.core.user_files import KINDS, find_classes, kind_of_class
    from nrevu.errors import Mistake, check_known

    path = Path(file).absolute()
    if not path.is_file():
        raise Mistake("no such file", place=file)
    kinds = {n: kind_of_class(cls) for n, cls in find_classes(path).items()}
    kinds = {n: kind for n, kind in kinds.items() if kind}
    if not kinds:
        marks = ", ".join(
            f"`{mark}` ({kind.noun})" for kind in KINDS.values() for mark in kind.marks
        )
        raise Mistake(f"has no class with one of the functions {marks}", place=file)
    if name is not None:
        check_known(f"class of '{file}'", name, kinds, key="--name")
    elif len(kinds) > 1:
        listed = ", ".join(f"{n} ({KINDS[kind].noun})" for n, kind in kinds.items())
        raise Mistake(f"has several classes; choose one with --name: {listed}", place=file)
    name = name or next(iter(kinds))
    return kinds[name], name


def chosen_by_check(kind: str, file: str, name: str) -> dict[str, float]:
    """Return a stepsize for a method that requires one: the checks choose it themselves."""
    from nrevu.core.user_files import load_class

    cls = load_class(kind, file, name)
    required = {f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING}
    return {"stepsize": 0.5} if kind == "method" and "stepsize" in required else {}


def as_text(verdict) -> str:
    """Return a verdict as one line, and the advice, if any, as another."""
    line = f"{verdict.outcome:8} {verdict.name:12} {verdict.says}"
    return line + (f"\n{'':21} -> {verdict.advice}" if verdict.advice else "")


def summary(verdicts: list, seconds: float) -> str:
    """Return how many checks passed, failed and were skipped."""
    counts = [sum(v.outcome == kind for v in verdicts) for kind in ("ok", "FAILS", "skipped")]
    passed, failed, skipped = counts
    return f"\n{passed} ok, {failed} failed, {skipped} skipped, in {seconds:.1f} s"


def as_json(args: argparse.Namespace, thing, verdicts: list, seconds: float) -> str:
    """Return all results as one JSON object; nan and infinity, which JSON lacks, as strings."""
    data = {
        "file": args.file,
        "name": type(thing).__name__,
        "settings": dataclasses.asdict(thing),
        "seed": args.seed,
        "passed": all(verdict.outcome != "FAILS" for verdict in verdicts),
        "seconds": seconds,
        "checks": [dataclasses.asdict(verdict) for verdict in verdicts],
    }
    text = json.dumps(data, default=str)
    return json.dumps(json.loads(text, parse_constant=lambda name: str(float(name))))
