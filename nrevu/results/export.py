"""Exports: the series of a cell as a file for ArviZ, the tables of an experiment as CSV or Parquet.

In: the start of a digest, or the settings of a cell, and the folder of series; or the words that
name an experiment. Out: a file. What has not been made yet is a Mistake that says how to make it.
"""

import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nrevu.cells.cell import Cell, from_config
from nrevu.cells.series import Series
from nrevu.errors import Mistake, unknown
from nrevu.experiments.experiment import Experiment, expand, single_cell
from nrevu.experiments.settings import Setting, parse, seed_setting
from nrevu.files import choices, output_path
from nrevu.results import inference_data, series_files
from nrevu.results.layout import label_of
from nrevu.results.tables import table_writer


def export_cell(words: Sequence[str], folder: Path, out: Path | None) -> tuple[Path, Series]:
    """Write the series of a cell as a file for ArviZ; return where, and the series."""
    inference_data.needed_xarray()
    cell, series, meta = read_kept(folder, digest_of(words, folder))
    path = ending(out or Path(f"{cell.digest}.nc"), ".nc")
    with output_path(path) as unfinished:
        inference_data.write(unfinished, inference_data.inference_data(cell, series, meta))
    return path, series


def digest_of(words: Sequence[str], folder: Path) -> str:
    """Return the digest of a cell kept in a folder, given by its start or by settings."""
    if any("=" in word for word in words):
        return digest_of_settings(words, folder)
    if len(words) > 1:
        raise Mistake("give one digest, or settings KEY=VALUE ...", place="command line")
    start, kept = words[0].lower(), sorted(path.stem for path in folder.glob("*.npz"))
    found = [digest for digest in kept if digest.startswith(start)]
    if len(found) == 1:
        return found[0]
    if found:
        few = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
        raise Mistake(f"'{words[0]}' is the start of {len(found)} digests in {folder}: {few}")
    near = difflib.get_close_matches(start, kept, n=3, cutoff=0.0)
    there = f"The nearest of {len(kept)}: {', '.join(near)}" if near else "It holds none"
    commands = "`nrevu cells EXPERIMENT` lists digests, `nrevu make EXPERIMENT` samples"
    raise Mistake(f"no series of a cell '{words[0]}' in {folder}. {there}. {commands}")


def digest_of_settings(words: Sequence[str], folder: Path) -> str:
    """Return the digest of the cell that settings describe, whose series must be there."""
    settings = parse(words)
    cell = single_cell(settings)[0]
    if series_files.series_path(folder, cell.digest).exists():
        return cell.digest
    advice = how_to_make(cell, settings)
    raise Mistake(f"no series of this cell, {cell.digest}, in {folder}. {advice}")


def how_to_make(cell: Cell, settings: Sequence[Setting]) -> str:
    """Return how the series of a cell comes to be."""
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


def read_kept(folder: Path, digest: str) -> tuple[Cell, Series, dict[str, Any]]:
    """Return a cell that is kept in a folder, its series and what is known of its making."""
    path = series_files.series_path(folder, digest)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            cell = from_config(json.loads(arrays["meta"].tobytes())["config"])
        if cell.digest != digest:
            message = "was sampled by another version of the code; run the workflow again"
            raise Mistake(message, place=str(path))
        return cell, *series_files.read(folder, cell)
    except Mistake as mistake:  # or of a distribution whose file has gone
        raise mistake.at(str(path)) from None
    except series_files.Damaged as damage:
        raise Mistake(f"{damage}; run the workflow again") from None
    except series_files.UNREADABLE as error:
        raise Mistake(f"is damaged: {error}; run the workflow again", place=str(path)) from None


def export_table(
    name: str, size: str, seed: int | None, what: str, results: Path, out: Path | None
) -> tuple[Path, int, bool]:
    """Write a table in the form of the ending; return where, its rows, and whether it is old."""
    experiment = expand(name, size, seed_setting(seed))
    path = ending(out or Path(f"{experiment.name}_{what}.csv"), ".csv", ".parquet")
    check_makes(experiment, what)
    source = results / label_of(size, seed) / experiment.name / f"{what}.parquet"
    source = source.with_suffix(".csv") if what == "comparison" else source
    if not source.exists():
        raise Mistake(f"{source} is not there yet. To make it: {make_command(name, size, seed)}")
    frame = pd.read_csv(source) if what == "comparison" else pd.read_parquet(source)
    with output_path(path) as unfinished:
        table_writer(frame)(unfinished)
    wanted = {cell.digest for cell in experiment.cells}
    return path, len(frame), what == "table" and set(frame["digest"]) != wanted


def check_makes(experiment: Experiment, what: str) -> None:
    """Raise a Mistake if an experiment's file does not ask for such a table."""
    if what == "confirmed" and not experiment.confirm:
        raise Mistake(f"{experiment.name} has no 'confirm': no cell is run again", "--confirmed")
    if what == "comparison" and not (experiment.published or experiment.claims):
        message = f"{experiment.name} has no 'published' or 'claims': nothing is compared"
        raise Mistake(message, "--comparison")


def ending(path: Path, *allowed: str) -> Path:
    """Return a path whose ending must be allowed, as it says what form the file has."""
    if path.suffix not in allowed:
        raise unknown("ending", path.suffix, allowed, key="--out", place="command line")
    return path
