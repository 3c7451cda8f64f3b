"""The steps of the workflow, each called by one rule in workflow/: they read and write files.

In: the parsed words of the command line. Out: files, each written under a temporary name and
renamed; lines on standard output, which the rules send to a log file.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nrevu.cells.cell import Cell, from_config
from nrevu.cells.series import Series
from nrevu.errors import Mistake
from nrevu.experiments.estimate import Estimate
from nrevu.experiments.settings import seed_setting
from nrevu.files import whole, write_text
from nrevu.pipeline.cpu_time import counted
from nrevu.results import series_files
from nrevu.results.tables import read_tables, write_tables


def read_cells(file: str) -> Iterator[Cell]:
    """Yield the cells of a file that holds their configs by digest."""
    for digest, config in json.loads(Path(file).read_text()).items():
        cell = from_config(config)
        if cell.digest != digest:
            raise Mistake(f"{file}: cell {digest} is of another version; run the workflow again")
        yield cell


def compile_step(args: argparse.Namespace, spent: Counter) -> None:
    """Compile the kernel of a cell, so that no two batches do it at once."""
    from nrevu.cells.chains import compile_kernel

    for cell in read_cells(args.cells):
        with counted(spent, "compiling"):
            compile_kernel(cell)
        write_text(args.out, f"{cell.name}\n")


def sample_step(args: argparse.Namespace, spent: Counter) -> None:
    """Run the cells of a batch that are not there yet, and write the results of all of them."""
    from nrevu.analysis.result import summarise

    estimate = Estimate(max_lag=args.max_lag, mean=args.mean)
    results = []
    for cell in read_cells(args.cells):
        series, origin = made(args.store, cell, spent)
        with counted(spent, "analysis"):
            results.append(summarise(cell, series, estimate) | {"provenance": origin})
    about = {"estimate": vars(estimate), "digests": [r["digest"] for r in results]}
    write_text(args.out, json.dumps({**about, "results": results}))


def made(folder: Path, cell: Cell, spent: Counter) -> tuple[Series, dict]:
    """Return a cell's series and provenance: as it is there, or run here and now and written."""
    there = usable(folder, cell)
    if there:
        return there
    from nrevu.cells.chains import compile_kernel, sample
    from nrevu.results.provenance import provenance

    try:
        compile_kernel(cell)
        with counted(spent, "sampling"):
            series = sample(cell)
    except Exception:  # shown as it is, but with the cell it happened in
        print(f"failed: {cell.digest}: {cell.name}", flush=True)
        raise
    series_files.write(folder, cell, series, provenance())
    print(f"sampled {cell.digest} in {series.cpu_seconds:.2f} s: {cell.name}", flush=True)
    return series, provenance()


def usable(folder: Path, cell: Cell) -> tuple[Series, dict] | None:
    """Return a cell's series and provenance if they are there; a damaged file is set aside."""
    try:
        series, meta = series_files.read(folder, cell)
    except FileNotFoundError:
        return None
    except series_files.Damaged as damage:
        print(
            f"{damage}; kept as {series_files.set_aside(folder, cell)} and made again", flush=True
        )
        return None
    print(f"already there: {cell.digest}", flush=True)
    return series, meta["provenance"]


def table_step(args: argparse.Namespace, spent: Counter) -> None:
    """Gather the results of all batches of an experiment."""
    from nrevu.analysis.table import table

    with counted(spent, "analysis"):
        parts = [json.loads(Path(file).read_text())["results"] for file in args.results]
        write_tables(table(result for part in parts for result in part), args.out)


def confirm_step(args: argparse.Namespace, spent: Counter) -> None:
    """Run again, longer and with another seed, the best cells of some groups by the table."""
    from nrevu.analysis.confirmation import candidates, confirm
    from nrevu.analysis.selection import fresh, groups
    from nrevu.analysis.table import lengthened
    from nrevu.experiments.experiment import expand

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    settings, table = experiment.confirm, lengthened(read_tables(args.table))
    cells = {cell.digest: cell for cell in experiment.cells}
    all_groups = groups(experiment.cells, settings)
    found = []
    for group in (all_groups[number] for number in args.groups):
        for rank, row in enumerate(candidates(table, settings, group), start=1):
            digest = table.digest[row]
            cell = fresh(cells[digest], settings)
            series, _ = made(args.store, cell, spent)
            value, se = (float(table[settings["best"] + end][row]) for end in ("", ".se"))
            selected = {"digest": digest, "value": value, "se": se}
            with counted(spent, "analysis"):
                results = confirm(cell, series, experiment.estimate, settings)
            found.append({"group": group, "rank": rank, "selected": selected, **results})
    about = {"confirm": dict(settings), "estimate": vars(experiment.estimate)}
    about |= {"digests": [cell.digest for cell in experiment.cells], "groups": args.groups}
    write_text(args.out, json.dumps({**about, "found": found}))


def confirmed_step(args: argparse.Namespace, spent: Counter) -> None:
    """Gather the confirmed cells of an experiment."""
    from nrevu.analysis.confirmation import confirmed
    from nrevu.experiments.experiment import expand

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    with counted(spent, "analysis"):
        parts = [json.loads(Path(file).read_text())["found"] for file in args.results]
        found = [entry for part in parts for entry in part]
        write_tables(confirmed(found, experiment.confirm), args.out)


def trace_step(args: argparse.Namespace, spent: Counter) -> None:
    """Follow an experiment's best cells, and those that differ in u alone, update by update."""
    from nrevu.analysis.table import lengthened
    from nrevu.analysis.traces import SHOWN, chosen, describe
    from nrevu.cells.chains import trace
    from nrevu.experiments.experiment import expand

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    cells = {cell.digest: cell for cell in experiment.cells}
    table = read_tables(args.table)
    traces = []
    for choice in chosen(lengthened(table), experiment.trace):
        cell = cells[table.digest[choice.pop("row")]]
        with counted(spent, "sampling"):
            rows, decisions = zip(*trace(cell), strict=True)
        check_same_chain(args.store, cell, b"".join(part.tobytes() for part in rows))
        traces.append({**choice, **describe(cell, decisions, SHOWN)})
    write_text(args.out, json.dumps(traces))


def check_same_chain(folder: Path, cell: Cell, rows: bytes) -> None:
    """Say so if a traced chain is not bit for bit the one whose series is kept."""
    try:
        series, _ = series_files.read(folder, cell)
    except (FileNotFoundError, series_files.Damaged):
        return  # dropped by the user since, or unreadable: nothing to compare with
    if rows != series.rows.tobytes():  # sums are rounded as the processor's vectors are wide
        print(f"{cell.digest}: traced on a processor other than the one that sampled it")


def compare_step(args: argparse.Namespace, spent: Counter) -> None:
    """Set an experiment's results beside what was published of it."""
    from nrevu.analysis.comparison import compare
    from nrevu.experiments.experiment import expand

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    confirmed = read_tables(args.confirmed) if args.confirmed else None
    beside = [expand(name, args.size, seed_setting(args.seed)) for name in experiment.beside]
    with counted(spent, "analysis"):
        comparison = compare(experiment, read_tables(args.table), confirmed, beside)
    write_text(args.out, comparison.to_csv(index=False))


def page_step(args: argparse.Namespace, spent: Counter) -> None:
    """Write the page on all experiments of a label, and its summary."""
    from nrevu.report.pages import write_label

    with counted(spent, "report"):
        write_label(args.results, args.label)


def index_step(args: argparse.Namespace, spent: Counter) -> None:
    """Write the page that leads to the pages of all labels."""
    from nrevu.report.pages import write_index

    with counted(spent, "report"):
        write_index(args.results)


def figure_step(args: argparse.Namespace, spent: Counter) -> None:
    """Draw one of the figures of an experiment from its table."""
    from nrevu.experiments.experiment import expand
    from nrevu.figures import draw, save

    experiment = expand(args.experiment, args.size, seed_setting(args.seed))
    traces = json.loads(Path(args.traces).read_text()) if args.traces else []
    confirmed = read_tables(args.confirmed) if args.confirmed else None
    with counted(spent, "figures"):
        figure = draw(experiment, args.name, read_tables(args.table), traces, confirmed)
        for path in args.out:
            with whole(path) as unfinished:
                save(figure, unfinished)
