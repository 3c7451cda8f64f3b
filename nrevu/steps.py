"""The steps of the workflow, each called by one rule in workflow/: they read and write files.

In: the parsed words of the command line. Out: files, each written under a temporary name and
renamed; lines on standard output, which the rules send to a log file.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from nrevu import store
from nrevu.cell import Cell, from_config
from nrevu.estimate import Estimate
from nrevu.mistake import Mistake


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def read_cells(file: str, only: list[str] | None = None) -> Iterator[Cell]:
    """Yield the cells that `nrevu cells --json` wrote, or only some of them."""
    cells = json.loads(Path(file).read_text())["cells"]
    for digest in only or cells:
        cell = from_config(cells[digest]) if digest in cells else None
        if cell is None or cell.digest != digest:
            raise Mistake(f"{file} does not hold cell {digest}; run the workflow again")
        yield cell


def compile_step(args: argparse.Namespace) -> None:
    """Compile every kernel that the cells need, so that no two batches do it at once."""
    from nrevu.chain import counts_type, warm

    kinds = {}
    for file in args.cells:
        for cell in read_cells(file):
            count = counts_type(cell.schedule.group)
            kinds[cell.method.update, type(cell.distribution), count] = cell
    for cell in kinds.values():
        warm(cell)
    write_text(args.out, "".join(f"{k[0]} {k[1].__name__} {k[2]}\n" for k in kinds))


def sample_step(args: argparse.Namespace) -> None:
    """Run the cells of a batch that are not there yet; then say that the batch is done."""
    sizes = {}
    for cell in read_cells(args.cells, args.only):
        if not usable(args.store, cell):
            from nrevu.chain import sample
            from nrevu.provenance import provenance

            series = sample(cell)
            store.write(args.store, cell, series, provenance())
            print(f"sampled {cell.digest} in {series.cpu_seconds:.2f} s: {cell.name}", flush=True)
        sizes[cell.digest] = store.path_of(args.store, cell.digest).stat().st_size
    write_text(args.out, json.dumps(sizes))


def usable(folder: Path, cell: Cell) -> bool:
    """Tell whether a cell's file is there and whole; a damaged one is named and set aside."""
    try:
        store.read(folder, cell)
    except FileNotFoundError:
        return False
    except store.Damaged as damage:
        print(f"{damage}; kept as {store.set_aside(folder, cell)} and made again", flush=True)
        return False
    print(f"already there: {cell.digest}", flush=True)
    return True


def tau_step(args: argparse.Namespace) -> None:
    """Write the results of a batch of sampled cells."""
    from nrevu.result import summarise

    estimate = Estimate(**json.loads(Path(args.cells).read_text())["estimate"])
    results = []
    for cell in read_cells(args.cells, args.only):
        try:
            series, _ = store.read(args.store, cell)
        except store.Damaged as damage:
            kept = store.set_aside(args.store, cell)
            raise Mistake(f"{damage}; kept as {kept}. Run the workflow again") from None
        results.append(summarise(cell, series, estimate))
    write_text(args.out, json.dumps(results))


def table_step(args: argparse.Namespace) -> None:
    """Gather the results of all batches of an experiment, in the order of its cells."""
    from nrevu.table import table

    results = {}
    for file in args.results:
        results |= {result["digest"]: result for result in json.loads(Path(file).read_text())}
    frame = table(results[cell.digest] for cell in read_cells(args.cells))
    for path in args.out:
        unfinished = path.with_name(f"{path.name}.tmp")
        if path.suffix == ".csv":
            frame.to_csv(unfinished, index=False)
        else:
            frame.to_parquet(unfinished, index=False)
        unfinished.replace(path)


def figure_step(args: argparse.Namespace) -> None:
    """Draw the figure of an experiment from its table."""
    import pandas as pd

    from nrevu.experiment import expand
    from nrevu.figures import draw, save

    experiment = expand(args.experiment, args.size)
    figure = draw(experiment, pd.read_parquet(args.table))
    for path in args.out:
        unfinished = path.with_name(f"{path.stem}.tmp{path.suffix}")
        save(figure, unfinished)
        unfinished.replace(path)
