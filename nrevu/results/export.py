"""Exports: the series of a cell as a file for ArviZ, the tables of an experiment as CSV or Parquet.

In: the first digits of a digest, or the settings of a cell, and the folder of series; or the name
of an experiment. Out: a file. For results that do not exist, a Mistake says how to make them.
"""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nrevu.cells.cell import Cell, from_config
from nrevu.cells.series import Series
from nrevu.errors import Mistake, check_known
from nrevu.experiments.experiment import Experiment, expand, single_cell
from nrevu.experiments.settings import Setting, parse, seed_setting
from nrevu.files import choices, output_path
from nrevu.results import inference_data, series_files
from nrevu.results.layout import label_of
from nrevu.results.tables import table_writer


def export_cell(arguments: Sequence[str], folder: Path, out: Path | None) -> tuple[Path, Series]:
    """Write the series of a cell as a file for ArviZ; return the path and the series."""
    inference_data.import_xarray()
    cell, series, meta = load_cell(folder, find_digest(arguments, folder))
    path = check_suffix(out or Path(f"{cell.digest}.nc"), ".nc")
    with output_path(path) as unfinished:
        data = inference_data.inference_data(cell, series, meta)
        data.to_netcdf(unfinished, engine="h5netcdf")
    return path, series


def find_digest(arguments: Sequence[str], folder: Path) -> str:
    """Return the digest of a cell with a file in a folder, by its first digits or by settings."""
    if any("=" in argument for argument in arguments):
        return digest_of_settings(arguments, folder)
    if len(arguments) > 1:
        raise Mistake("give one digest, or settings KEY=VALUE ...", place="command line")
    start, stored = arguments[0].lower(), series_files.stored_digests(folder)
    matches = [digest for digest in stored if digest.startswith(start)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        few = ", ".join(matches[:5]) + (", ..." if len(matches) > 5 else "")
        raise Mistake(f"'{arguments[0]}' is the start of {len(matches)} digests in {folder}: {few}")
    near = difflib.get_close_matches(start, stored, n=3, cutoff=0.0)
    there = f"The nearest of {len(stored)}: {', '.join(near)}" if near else "It holds none"
    commands = "`nrevu cells EXPERIMENT` lists digests, `nrevu make EXPERIMENT` samples"
    raise Mistake(f"no series of a cell '{arguments[0]}' in {folder}. {there}. {commands}")


def digest_of_settings(arguments: Sequence[str], folder: Path) -> str:
    """Return the digest of the cell that settings describe, which must have a file."""
    settings = parse(arguments)
    cell = single_cell(settings)[0]
    if series_files.series_path(folder, cell.digest).exists():
        return cell.digest
    advice = how_to_make(cell, settings)
    raise Mistake(f"no series of this cell, {cell.digest}, in {folder}. {advice}")


def how_to_make(cell: Cell, settings: Sequence[Setting]) -> str:
    """Return how to make the series of a cell."""
    names = [str(s.value) for s in settings if s.key == "experiment"]
    if not names:
        return "Settings of your own go into a sweep (docs/sweeps.md), which `nrevu make` runs"
    seeds = tuple(s for s in settings if s.key == "seed")[-1:]
    for size in choices("size"):
        if cell.digest in [each.digest for each in expand(names[-1], size, seeds).cells]:
            return f"To make it: {make_command(names[-1], size, *(s.value for s in seeds))}"
    return (
        f"It is none of the cells of {names[-1]}, at any size: `nrevu cells {names[-1]}` lists "
        "what varies there; give all of that, and size="
    )


def make_command(name: str, size: str, seed: int | None = None) -> str:
    """Return the command that runs an experiment."""
    return f"nrevu make {name} --size {size}" + ("" if seed is None else f" --seed {seed}")


def load_cell(folder: Path, digest: str) -> tuple[Cell, Series, dict[str, Any]]:
    """Return a cell that has a file in a folder, its series and its meta."""
    path = series_files.series_path(folder, digest)
    meta = series_files.read_meta(path)
    try:
        if meta is None:
            raise Mistake("is damaged or holds another cell; run the workflow again")
        cell = from_config(meta["config"])
        if cell.digest != digest:
            raise Mistake("was sampled by another version of the code; run the workflow again")
        return cell, *series_files.read(folder, cell)
    except Mistake as mistake:  # also of a distribution whose file is missing
        raise mistake.at(str(path)) from None
    except series_files.Damaged as damage:
        raise Mistake(f"{damage}; run the workflow again") from None


def export_table(
    name: str, size: str, seed: int | None, what: str, results: Path, out: Path | None
) -> tuple[Path, int, bool]:
    """Write a table in the format of the suffix; return path, rows, and whether it is outdated."""
    experiment = expand(name, size, seed_setting(seed))
    path = check_suffix(out or Path(f"{experiment.name}_{what}.csv"), ".csv", ".parquet")
    check_declared(experiment, what)
    source = results / label_of(size, seed) / experiment.name / f"{what}.parquet"
    source = source.with_suffix(".csv") if what == "comparison" else source
    if not source.exists():
        raise Mistake(f"{source} is not there yet. To make it: {make_command(name, size, seed)}")
    frame = pd.read_csv(source) if what == "comparison" else pd.read_parquet(source)
    with output_path(path) as unfinished:
        table_writer(frame)(unfinished)
    wanted = {cell.digest for cell in experiment.cells}
    return path, len(frame), what == "table" and set(frame["digest"]) != wanted


def check_declared(experiment: Experiment, what: str) -> None:
    """Raise a Mistake if an experiment's YAML file does not ask for such a table."""
    if what == "confirmed" and not experiment.confirm:
        raise Mistake(f"{experiment.name} has no 'confirm': no cell is run again", "--confirmed")
    if what == "comparison" and not (experiment.published or experiment.claims):
        message = f"{experiment.name} has no 'published' or 'claims': nothing is compared"
        raise Mistake(message, "--comparison")


def check_suffix(path: Path, *allowed: str) -> Path:
    """Return a path if its suffix, which selects the format, is allowed."""
    check_known("ending", path.suffix, allowed, key="--out", place="command line")
    return path
