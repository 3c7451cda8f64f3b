"""The series of cells on disk: one file per cell, written completely or not at all.

In: a folder, a Cell and its Series. Out: DIGEST.npz with the series and a JSON text `meta`: the
full config, counts of evaluations, CPU seconds and provenance. Every array carries a checksum: a
file that is damaged, or holds another cell, is reported and never used. `nrevu export` reads them.
"""

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.cells.cell import SAMPLING_VERSION, Cell, config
from nrevu.cells.series import Series
from nrevu.files import process_name

FORMAT = 2
# What numpy and zipfile raise when they read a file with a flipped bit or a missing end.
BROKEN = (struct.error, zipfile.BadZipFile, zlib.error)
UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, *BROKEN)


class Damaged(Exception):
    """A cell's file cannot be used; the message names it and says why."""


def series_path(folder: Path, digest: str) -> Path:
    """Return where a cell's file is."""
    return folder / f"{digest}.npz"


def write(folder: Path, cell: Cell, series: Series, provenance: dict[str, Any]) -> Path:
    """Write a cell's file under its final name only when it is complete."""
    meta = {
        "format": FORMAT,
        "version": SAMPLING_VERSION,
        "digest": cell.digest,
        "name": cell.name,
        "config": config(cell),
        "derived": cell.derived,
        "columns": series.columns,
        "density": series.density,
        "gradient": series.gradient,
        "overflows": series.overflows,
        "cpu_seconds": series.cpu_seconds,
        "provenance": provenance,
    }
    path = series_path(folder, cell.digest)
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{cell.digest}.{process_name()}.tmp"
    text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    high, low = split_bytes(series.rows)
    with zipfile.ZipFile(unfinished, "w", compresslevel=1) as archive:
        archive.compression = zipfile.ZIP_STORED
        add(archive, meta=text, low=low)
        archive.compression = zipfile.ZIP_DEFLATED
        add(archive, high=high, rejected=series.rejected)
    unfinished.replace(path)
    return path


def split_bytes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the highest bytes of rows (groups, columns), and the other three, column by column.

    The highest bytes, sign and most of the exponent, are similar and compress well; the others are
    noise. Together they take a quarter less space than the rows.
    """
    bytes = np.ascontiguousarray(rows.T, "<f4").view(np.uint8).reshape(*rows.T.shape, 4)
    return np.ascontiguousarray(bytes[..., 3]), np.ascontiguousarray(bytes[..., :3])


def join_bytes(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Return the rows that `split_bytes` split."""
    bytes = np.concatenate([low, high[..., None]], axis=-1)
    return bytes.view("<f4")[..., 0].T


def add(archive: zipfile.ZipFile, **arrays: np.ndarray) -> None:
    """Write arrays into an archive, as numpy would."""
    for name, array in arrays.items():
        with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, array, allow_pickle=False)


def read(folder: Path, cell: Cell) -> tuple[Series, dict[str, Any]]:
    """Return a cell's series and meta; raise FileNotFoundError if it has no file, or Damaged."""
    path = series_path(folder, cell.digest)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            meta = json.loads(arrays["meta"].tobytes())
            rejected, rows = arrays["rejected"], join_bytes(arrays["high"], arrays["low"])
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        raise Damaged(f"{path} is damaged: {error}") from None
    if meta.get("format") != FORMAT or meta.get("digest") != cell.digest:
        raise Damaged(f"{path} holds another cell or format: {meta.get('name')}")
    if rows.shape != (cell.run.groups, len(meta["columns"])) or len(rejected) != len(rows):
        raise Damaged(f"{path} has {rows.shape} rows and columns, not those of its config")
    lengths = tuple(cell.run.lengths())
    numbers = (meta[key] for key in ("density", "gradient", "overflows", "cpu_seconds"))
    return Series(tuple(meta["columns"]), rows, rejected, lengths, *numbers), meta


def read_metas(folder: Path) -> dict[str, dict[str, Any] | None]:
    """Return the meta of each file in a folder, by digest; None if a file is damaged."""
    return {path.stem: read_meta(path) for path in sorted(folder.glob("*.npz"))}


def read_meta(path: Path) -> dict[str, Any] | None:
    """Return the meta of a file without reading the series; None if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("meta.npy") as member:
            meta = json.loads(np.lib.format.read_array(member).tobytes())
            complete = {"rejected.npy", "high.npy", "low.npy"} <= set(archive.namelist())
    except UNREADABLE:
        return None
    return meta if complete and meta.get("digest") == path.stem else None


def set_aside(folder: Path, cell: Cell) -> Path:
    """Rename a damaged file, so that the cell counts as missing and is sampled again."""
    path = series_path(folder, cell.digest)
    return path.rename(path.with_suffix(".damaged"))
