"""Breaks each line of the sampling core in turn, and tells whether the tests notice.

  python tests/mutants.py                                 # the driver, the methods, the rules for u
  python tests/mutants.py nrevu/core/driver.py --jobs 2   # one file
  python tests/mutants.py --stages 3                      # quick tests only
  python tests/mutants.py --again results/mutants.json    # all tests for those not noticed then
  python tests/mutants.py --list                          # show the mutants and run nothing

Each mutant is a copy of the package with one change in one line: a statement left out, another
operator, another number, the other branch, another name. Tests run in stages, quick ones first,
until one fails. The result, a line for each mutant, goes to results/mutants.json and the terminal.
"""

import argparse
import ast
import concurrent.futures
import copy
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
FILES = ["nrevu/core/driver.py", *sorted(map(str, Path("nrevu/methods").glob("[a-z]*.py")))]
FILES += sorted(map(str, Path("nrevu/u").glob("[a-z]*.py")))
STAGES = (  # pytest's arguments, quick ones first
    ["tests/core/test_literal.py", "-k", "plain"],
    ["tests/core/test_driver.py"],
    ["tests/results/test_reference.py"],
    ["tests/methods", "tests/u", "tests/core", "tests/cells", "tests/distributions"],
    ["-m", "slow", "tests/methods", "tests/core", "tests/u", "tests/cells", "tests/distributions"],
)
SWAPS = {  # names that are easily mistaken for each other
    "now": "new", "new": "now", "old": "proposed", "proposed": "old", "U": "U_new", "U_new": "U",
    "x": "p", "p": "x", "k": "i", "eta": "fresh", "accepted": "refused", "refused": "accepted",
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or,
}  # fmt: skip


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a node may be replaced by, each with a name."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        other = copy.deepcopy(node)
        other.op = OPERATORS[type(node.op)]()
        yield "operator", other
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        other = copy.deepcopy(node)
        other.ops = [OPERATORS[type(node.ops[0])](), *node.ops[1:]]
        yield "comparison", other
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", copy.deepcopy(node.operand)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "number", ast.Constant(node.value + 1)
    if isinstance(node, ast.IfExp):
        yield "branches", ast.IfExp(node.test, copy.deepcopy(node.orelse), copy.deepcopy(node.body))
    if isinstance(node, ast.Name) and node.id in SWAPS and isinstance(node.ctx, ast.Load):
        yield "name", ast.Name(SWAPS[node.id], node.ctx)
    if isinstance(node, ast.Expr | ast.AugAssign | ast.If) or sets_element(node):
        yield "left out", ast.Pass()


def sets_element(node: ast.AST) -> bool:
    """Tell whether a statement sets elements of arrays: without it, names are still known."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    flat = [t for each in targets for t in (each.elts if isinstance(each, ast.Tuple) else [each])]
    return bool(flat) and all(isinstance(t, ast.Subscript) for t in flat)


class Replace(ast.NodeTransformer):
    """Replaces the node with a number, in the order in which they are visited."""

    def __init__(self, number: int, by: ast.AST):
        self.number, self.by, self.count = number, by, -1

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the node, or what replaces it."""
        self.count += 1
        return self.by if self.count == self.number else self.generic_visit(node)


def order(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes in the order of `Replace`."""
    seen: list[ast.AST] = []

    class Visit(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            seen.append(node)
            return self.generic_visit(node)

    Visit().visit(tree)
    return seen


def mutants(file: str, each: int) -> Iterator[dict]:
    """Yield the mutants of a file, up to `each` of each line in a function."""
    text = (REPO / file).read_text()
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(node) for f in functions for part in f.body for node in ast.walk(part)}
    by_line: dict[int, list[dict]] = {}
    for number, node in enumerate(order(tree)):
        line = getattr(node, "lineno", None)
        if line is None or id(node) not in inside or is_docstring(node):
            continue
        for kind, other in changes(node):
            changed = Replace(number, ast.copy_location(other, node)).visit(copy.deepcopy(tree))
            mutated = ast.unparse(ast.fix_missing_locations(changed))
            shown = text.splitlines()[line - 1].strip()
            by_line.setdefault(line, []).append(
                {"file": file, "line": line, "kind": kind, "source": shown, "text": mutated}
            )
    for found in by_line.values():
        random.Random(len(found)).shuffle(found)
        kinds = {m["kind"]: m for m in reversed(found)}  # one of each kind first
        first = [*kinds.values(), *(m for m in found if m not in kinds.values())]
        yield from first[:each]


def is_docstring(node: ast.AST) -> bool:
    """Tell whether a statement is text alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def difference(mutant: dict) -> str:
    """Return the line that a mutant has instead."""
    before = ast.unparse(ast.parse((REPO / mutant["file"]).read_text())).splitlines()
    after = mutant["text"].splitlines()
    pairs = itertools.zip_longest(before, after, fillvalue="")
    return next((b.strip() for a, b in pairs if a != b), "")


def run(mutant: dict, stages: Sequence[list[str]], seconds: float) -> dict:
    """Return the mutant with the stage and test that noticed it, or none."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in ("nrevu", "tests", "conf", "workflow", "benchmarks", "docs", "examples"):
            ignored = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(REPO / name, work / name, ignore=ignored)
        for name in ("pyproject.toml", "README.md", "Snakefile"):
            shutil.copy(REPO / name, work / name)
        (work / mutant["file"]).write_text(mutant["text"])
        environment = {**os.environ, "PYTHONPATH": str(work), "NUMBA_CACHE_DIR": f"{work}/cache"}
        found = {k: v for k, v in mutant.items() if k != "text"} | {"by": "", "stage": -1}
        found["becomes"] = difference(mutant)
        for stage, arguments in enumerate(stages):
            command = [sys.executable, "-m", "pytest", "-x", "-n0", "-p", "no:cacheprovider"]
            try:
                done = subprocess.run(
                    [*command, *arguments], cwd=work, env=environment,
                    capture_output=True, text=True, timeout=seconds,
                )  # fmt: skip
                noticed = done.returncode != 0
                lines = [
                    li for li in done.stdout.splitlines() if li.startswith(("FAILED", "ERROR"))
                ]
            except subprocess.TimeoutExpired:
                noticed, lines = True, ["did not end"]
            if noticed:
                found |= {"stage": stage, "by": lines[0][:100] if lines else "pytest failed"}
                break
    return found | {"seconds": round(time.monotonic() - started)}


def key(mutant: dict) -> tuple:
    """Return what tells a mutant from others."""
    return mutant["file"], mutant["line"], mutant["kind"], mutant["becomes"]


def main() -> None:
    """Make the mutants, run the tests on each, and say which were noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", default=FILES, help="default: driver, methods, u")
    parser.add_argument("--each", type=int, default=2, help="mutants of a line (default: 2)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="default: all cores")
    parser.add_argument("--stages", type=int, default=len(STAGES), help="how many (default: all)")
    parser.add_argument("--tests", nargs="+", help="tests to run instead, in one stage")
    parser.add_argument("--again", type=Path, help="a result: only what was not noticed in it")
    parser.add_argument("--seconds", type=float, default=600, help="for one stage (default: 600)")
    parser.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    parser.add_argument("--out", type=Path, default=Path("results/mutants.json"))
    args = parser.parse_args()
    all_mutants = [m for file in args.files for m in mutants(file, args.each)]
    if args.again:
        left = {key(m) for m in json.loads(args.again.read_text()) if not m["by"]}
        all_mutants = [m for m in all_mutants if key(m | {"becomes": difference(m)}) in left]
    if args.list:
        for m in all_mutants:
            print(f"{m['file']}:{m['line']} {m['kind']}: {m['source']}  ->  {difference(m)}")
        return
    print(f"{len(all_mutants)} mutants of {len(args.files)} files", flush=True)
    stages = [args.tests] if args.tests else STAGES[: args.stages]
    results = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(run, m, stages, args.seconds) for m in all_mutants]
        for done in concurrent.futures.as_completed(waiting):
            m = done.result()
            results.append(m)
            what = f"noticed by stage {m['stage']}" if m["by"] else "NOT NOTICED"
            print(
                f"{len(results)} {m['file']}:{m['line']} {m['kind']}: {m['becomes']}: {what}",
                flush=True,
            )
            args.out.parent.mkdir(parents=True, exist_ok=True)
            args.out.write_text(json.dumps(results, indent=1))
    noticed = sum(bool(m["by"]) for m in results)
    print(f"{noticed} of {len(results)} noticed")


if __name__ == "__main__":
    main()
