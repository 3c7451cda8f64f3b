"""`python -m benchmarks`: measures, prints tables, writes JSON and figures."""

import argparse
import importlib
import json
import sys
import time
from pathlib import Path

ABOUT = """\
Measures how fast nrevu is on this machine, in ratios to floors and peers of the same run, and
reports which targets are met. From the root of the repository:

  python -m benchmarks                          everything, about 15 minutes
  python -m benchmarks kernels                  the kernels alone, about 3 minutes
  python -m benchmarks kernels --rounds 1000    more rounds, where the machine is busy
  python -m benchmarks scaling                  dimension, cells, length and cores
  python -m benchmarks versions --against OLD   over the kernels of the checkout OLD
  python -m benchmarks coverage --rounds 300    of claims' intervals, about 15 minutes
  python -m benchmarks cells length --smoke     a test that it runs, in seconds

parts:
{parts}

Each part prints a table and writes PART.json into --out, with a description of this machine and
the times of every round. Figures, .png and .svg, show whatever parts that folder holds.
"""
PARTS = {
    "kernels": "ns per update of kernels, the normals alone, numpy, BlackJAX, the paper's programs",
    "agreement": "whether numpy and BlackJAX find the same numbers as nrevu",
    "dimension": "ns per update in 2 to 10,000 dimensions",
    "cells": "expansion, plan, dry run, memory and overhead for 10 to 10,000 cells",
    "length": "time and memory of a run of 1,000 to 1,000,000 groups",
    "cores": "the same sweep on 1 core, 2, and so on",
    "startup": "how long `nrevu --help` and a small `nrevu run` take",
    "coverage": "how often claims' intervals cover the truth, by design; only where it is named",
    "versions": "kernels over those of the checkout --against FOLDER; only where it is named",
}
SCALING = ("dimension", "cells", "length", "cores")
ON_REQUEST = ("coverage", "versions")
BUSY = 0.5  # load, before we begin, from which on we say so


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the parsed command line."""
    listed = "\n".join(f"  {name:12} {about}" for name, about in PARTS.items())
    parser = argparse.ArgumentParser(
        "python -m benchmarks",
        description=ABOUT.format(parts=listed),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"default: all but {', '.join(ON_REQUEST)}"
    )
    parser.add_argument("--rounds", type=int, default=200, help="of each call (default: 200)")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout, for versions")
    parser.add_argument("--out", type=Path, help="a folder (default: results/benchmarks)")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, to see that it runs")
    args = parser.parse_args(arguments)
    if args.rounds < 1:
        parser.error(f"--rounds {args.rounds} is not allowed: 1 or more")
    if args.against and not (args.against / "nrevu" / "__init__.py").is_file():
        parser.error(f"--against {args.against}: there is no nrevu in it, as in a checkout")
    for name in args.parts:
        if name not in (*PARTS, "scaling"):
            parser.error(f"there is no part '{name}'; there are {', '.join(PARTS)} and scaling")
    wanted = [part for name in args.parts for part in (SCALING if name == "scaling" else (name,))]
    args.parts = list(dict.fromkeys(wanted)) or [part for part in PARTS if part not in ON_REQUEST]
    # A separate folder: a smoke test must not overwrite results that took a quarter of an hour.
    args.out = args.out or Path("results", "benchmarks-smoke" if args.smoke else "benchmarks")
    return args


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for, part by part."""
    args = parse(arguments)
    from benchmarks import figures, target
    from benchmarks.machine import load, machine

    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, load {here['load'][0]}", end="")
    print("; it is busy: read the ratios alone" if here["load"][0] > BUSY else "", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    reached, stored = [], []
    for part in args.parts:
        print(f"\n{part}: {PARTS[part]}", flush=True)
        started = time.perf_counter()
        lines, targets, result = measured(part, args)
        print("\n".join(lines), flush=True)
        if not result:  # it was left out
            continue
        about = {"part": part, "machine": here, "load_after": load(), "rounds": args.rounds}
        about |= {"smoke": args.smoke, "seconds": time.perf_counter() - started}
        data = {**about, "targets": target.as_data(targets), "result": result}
        (args.out / f"{part}.json").write_text(json.dumps(data, indent=1))
        stored.append(f"{part}.json")
        reached += targets
    stored += [file.name for file in figures.draw(args.out)]
    if reached and not args.smoke:
        print("\n" + "\n".join(target.lines(reached)))
    print(f"\nstored in {args.out}: {', '.join(stored) or 'nothing'}")
    return 0


def measured(part: str, args: argparse.Namespace) -> tuple[list[str], list, dict]:
    """Return the table, the targets and the numbers of a part, as they are stored."""
    from benchmarks.sizes import FULL, SMOKE

    module = importlib.import_module(f"benchmarks.{part}")
    given = {"against": args.against} if part == "versions" else {}
    found = module.measure(args.rounds, SMOKE if args.smoke else FULL, **given)
    result = json.loads(json.dumps(found))
    return module.lines(result), module.targets(result), result


if __name__ == "__main__":
    sys.exit(main())
