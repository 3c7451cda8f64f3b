"""The steps of the workflow, each called by one rule: a plan file and data in, data out.

In: a step's arguments and its plan file, as plain data; nothing else is read of an experiment.
Out: a function that writes the output to a path, in the format of the path's ending. Lines on
standard output go to the job's log file.
"""

import json
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell, load_cells
from nrevu.cells.series import Series
from nrevu.errors import Mistake
from nrevu.experiments.sections import Confirm, Trace, build
from nrevu.experiments.settings import Estimate
from nrevu.files import atomic_path, read_json
from nrevu.pipeline.cpu_time import Spent, count_cpu, summary_line
from nrevu.results import series_files
from nrevu.results.tables import read_tables, table_writer

Data = dict[str, Any]
Write = Callable[[Path], Any]
WRITING = {"figure": "figures", "page": "report", "index": "report"}  # what its time counts as


def run_step(name: str, args: Namespace) -> None:
    """Run one step and write its outputs; its log ends with where the time went.

    A job that outlives its run may see its plan file change: then it writes nothing.
    """
    text = args.plan.read_text()
    spent: Spent = defaultdict(float)
    write = globals()[f"{name}_step"](args, json.loads(text), spent)
    if args.plan.read_text() != text:
        raise Mistake("has changed since this job began: nothing is written", place=str(args.plan))
    with count_cpu(spent, WRITING.get(name, "analysis")):
        for path in args.out:
            with atomic_path(path) as unfinished:
                write(unfinished)
    print(summary_line(spent))


def json_writer(data: Any) -> Write:
    """Return a function that writes data as JSON."""
    return lambda path: path.write_text(json.dumps(data), encoding="utf-8")


def compile_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Compile the kernel of a cell, so that no two batches do it at once."""
    from nrevu.cells.chains import compile_kernel

    (cell,) = load_cells(args.plan)
    with count_cpu(spent, "compiling"):
        compile_kernel(cell)
    return lambda path: path.write_text(f"{cell.name}\n", encoding="utf-8")


def sample_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Run the cells of a batch that have no series yet, and summarise all of them."""
    from nrevu.analysis.result import summarise

    estimate, results = Estimate(**plan["estimate"]), []
    for cell in load_cells(args.plan):
        series, origin = load_or_sample(args.store, cell, spent)
        with count_cpu(spent, "analysis"):
            results.append(summarise(cell, series, estimate) | {"provenance": origin})
    return json_writer({"estimate": plan["estimate"], "results": results})


def load_or_sample(folder: Path, cell: Cell, spent: Spent) -> tuple[Series, dict]:
    """Return a cell's series and provenance: from its file, or sampled now and written."""
    stored = load_series(folder, cell)
    if stored:
        return stored
    from nrevu.cells.chains import compile_kernel, sample, start
    from nrevu.results.provenance import provenance

    try:
        with count_cpu(spent, "sampling"):
            start(cell, 0)  # where starts need walks that settle, the first cell of a process does
        compile_kernel(cell)
        with count_cpu(spent, "sampling"):
            series = sample(cell)
    except Exception:  # shown as it is, but with the cell it happened in
        print(f"failed: {cell.digest}: {cell.name}", flush=True)
        raise
    series_files.write(folder, cell, series, provenance())
    print(f"sampled {cell.digest} in {series.cpu_seconds:.2f} s: {cell.name}", flush=True)
    return series, provenance()


def load_series(folder: Path, cell: Cell) -> tuple[Series, dict] | None:
    """Return a cell's series and provenance if it has a file; a damaged file is set aside."""
    try:
        series, meta = series_files.read(folder, cell)
    except FileNotFoundError:
        return None
    except series_files.Damaged as damage:
        moved = series_files.set_aside(folder, cell)
        print(f"{damage}; kept as {moved} and sampled again", flush=True)
        return None
    print(f"already there: {cell.digest}", flush=True)
    return series, meta["provenance"]


def table_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Gather the results of all batches of an experiment."""
    from nrevu.analysis.table import table

    with count_cpu(spent, "analysis"):
        parts = [read_json(file)["results"] for file in args.results]
        return table_writer(table(result for part in parts for result in part))


def confirm_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Run again, longer and with another seed, those of the best cells that a batch lists."""
    from nrevu.analysis.confirmation import candidates, confirmed, confirming_cell
    from nrevu.analysis.edges import edge_text
    from nrevu.analysis.result import summarise
    from nrevu.analysis.table import extend_lags, matching
    from nrevu.experiments.columns import error

    settings, estimate = build(Confirm, plan["confirm"]), Estimate(**plan["estimate"])
    table, earlier = extend_lags(read_tables(args.table)), read_found(args.results)
    cells = {cell.digest: cell for file in args.cells for cell in load_cells(file)}
    names, ranked, found = (settings.best, error(settings.best)), {}, []
    with count_cpu(spent, "analysis"):
        runs = confirmed(earlier, settings) if earlier else None
        for group in {str(again["group"]): again["group"] for again in plan["again"]}.values():
            ranked[str(group)] = candidates(table, runs, settings, group)
    for again in plan["again"]:
        rows = ranked[str(again["group"])][again["rank"] - 1 :][:1]  # none if too few are usable
        for row in rows:
            cell = confirming_cell(cells[table.digest[row]], settings, again["round"])
            series, _ = load_or_sample(args.store, cell, spent)
            value, se = (float(table[name][row]) for name in names)
            edge = edge_text(matching(table, again["group"]), table.loc[row])
            selected = {"digest": table.digest[row], "value": value, "se": se, "edge": edge}
            with count_cpu(spent, "analysis"):
                result = summarise(cell, series, estimate)
            found.append({**again, "selected": selected, "confirmed": result})
    return json_writer({"found": found})


def read_found(files: list[Path]) -> list[Data]:
    """Return the runs of some outputs of the step `confirm`."""
    return [entry for file in files for entry in read_json(file)["found"]]


def confirmed_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Gather the confirmed cells of an experiment."""
    from nrevu.analysis.confirmation import confirmed

    with count_cpu(spent, "analysis"):
        settings = build(Confirm, plan["confirm"])
        return table_writer(confirmed(read_found(args.results), settings))


def trace_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Follow an experiment's best cells, and those that differ in u alone, update by update."""
    from nrevu.analysis.changes import describe_changes
    from nrevu.analysis.table import extend_lags
    from nrevu.analysis.traces import SHOWN, describe, select_cells
    from nrevu.cells.chains import trace

    cells = {cell.digest: cell for file in args.cells for cell in load_cells(file)}
    table = read_tables(args.table)
    traces = []
    for choice in select_cells(extend_lags(table), build(Trace, plan["trace"])):
        cell = cells[table.digest[choice.pop("row")]]
        with count_cpu(spent, "sampling"):
            rows, decisions = zip(*trace(cell), strict=True)
        compare_with_series(args.store, cell, b"".join(part.tobytes() for part in rows))
        changes = describe_changes(cell, rows, decisions)
        traces.append({**choice, **describe(cell, decisions, SHOWN), **changes})
    return json_writer(traces)


def compare_with_series(folder: Path, cell: Cell, rows: bytes) -> None:
    """Print a line if a traced chain is not bit for bit the one whose series is stored."""
    try:
        series, _ = series_files.read(folder, cell)
    except (FileNotFoundError, series_files.Damaged):
        return  # deleted by the user since, or unreadable: nothing to compare with
    if rows != series.rows.tobytes():
        print(f"{cell.digest}: the traced chain differs from the stored series")


def compare_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Compare an experiment's results with what was published."""
    from nrevu.analysis.comparison import compare
    from nrevu.experiments.experiment import from_data

    confirmed = read_tables(args.confirmed) if args.confirmed else None
    with count_cpu(spent, "analysis"):
        return table_writer(compare(from_data(plan), read_tables(args.table), confirmed))


def figure_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Draw one figure of an experiment from its tables and traces."""
    from nrevu.experiments.experiment import from_data
    from nrevu.figures import draw, save

    (name,) = plan["figures"]
    traces = [trace for file in args.traces for trace in read_json(file)]
    confirmed = read_tables(args.confirmed) if args.confirmed else None
    with count_cpu(spent, "figures"):
        figure = draw(from_data(plan), name, read_tables(args.table), traces, confirmed)
    return lambda path: save(figure, path)


def page_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Write the page on all experiments of a label, and its summary."""
    from nrevu.report.content import load_label
    from nrevu.report.page import page_writer

    with count_cpu(spent, "report"):
        results, label = args.store.parent, args.plan.parent.name
        return page_writer(load_label(results, label, plan["experiments"]))


def index_step(args: Namespace, plan: Data, spent: Spent) -> Write:
    """Write the page that leads to the pages of all labels."""
    from nrevu.report.page import index_page

    text = index_page(args.store.parent, plan["labels"])
    return lambda path: path.write_text(text, encoding="utf-8")
