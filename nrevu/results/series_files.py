"""Keeps the series of cells on disk, one file per cell, written whole or not at all.

In: a folder, a Cell and its Series. Out: DIGEST.npz with the series and a JSON text `meta`: the
full config, counts of evaluations, CPU seconds and provenance. Every array carries a checksum; a
file that is damaged, or holds another cell, is named and never used. `nrevu export` reads them.
"""

import json
import os
import socket
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.cells.cell import SAMPLING_VERSION, Cell, config
from nrevu.cells.series import Series
from nrevu.files import here

FORMAT = 2  # of 1, which had `rows` as they are, files are still read


# What numpy and zipfile raise when they read a file with a flipped bit or a missing end.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    RuntimeError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


class Damaged(Exception):
    """A cell's file cannot be used; the message names it and says why."""


def path_of(folder: Path, digest: str) -> Path:
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
    path = path_of(folder, cell.digest)
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{cell.digest}.{here()}.tmp"
    text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    high, low = planes(series.rows)
    with zipfile.ZipFile(unfinished, "w", compresslevel=1) as archive:
        archive.compression = zipfile.ZIP_STORED
        add(archive, meta=text, low=low)
        archive.compression = zipfile.ZIP_DEFLATED
        add(archive, high=high, rejected=series.rejected)
    unfinished.replace(path)
    return path


def planes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the highest bytes of rows (groups, columns), and the other three, a column at a time.

    Highest bytes, sign and most of the exponent, are much alike and deflate well; the others are
    noise. Together that is a quarter less than the rows take.
    """
    bytes = np.ascontiguousarray(rows.T, "<f4").view(np.uint8).reshape(*rows.T.shape, 4)
    return np.ascontiguousarray(bytes[..., 3]), np.ascontiguousarray(bytes[..., :3])


def joined(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Return the rows that `planes` took apart."""
    bytes = np.concatenate([low, high[..., None]], axis=-1)
    return bytes.view("<f4")[..., 0].T


def add(archive: zipfile.ZipFile, **arrays: np.ndarray) -> None:
    """Write arrays into an archive, as numpy would."""
    for name, array in arrays.items():
        with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, array, allow_pickle=False)


def read(folder: Path, cell: Cell) -> tuple[Series, dict[str, Any]]:
    """Return a cell's series and meta; FileNotFoundError if it is not there, or Damaged."""
    path = path_of(folder, cell.digest)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            meta = json.loads(arrays["meta"].tobytes())
            rejected = arrays["rejected"]
            whole = "rows" in arrays
            rows = arrays["rows"] if whole else joined(arrays["high"], arrays["low"])
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        raise Damaged(f"{path} is damaged: {error}") from None
    if meta.get("format") not in (1, FORMAT) or meta.get("digest") != cell.digest:
        raise Damaged(f"{path} holds another cell or format: {meta.get('name')}")
    if rows.shape != (cell.run.groups, len(meta["columns"])) or len(rejected) != len(rows):
        raise Damaged(f"{path} has {rows.shape} rows and columns, not those of its config")
    lengths = tuple(cell.run.lengths())
    numbers = (meta[key] for key in ("density", "gradient", "overflows", "cpu_seconds"))
    return Series(tuple(meta["columns"]), rows, rejected, lengths, *numbers), meta


def metas(folder: Path) -> dict[str, dict[str, Any] | None]:
    """Return what the files of a folder say of their cells, by digest; None of a damaged one."""
    return {path.stem: meta_of(path) for path in sorted(folder.glob("*.npz"))}


def meta_of(path: Path) -> dict[str, Any] | None:
    """Return what a file says of its cell, without reading the series; None if it cannot."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("meta.npy") as member:
            meta = json.loads(np.lib.format.read_array(member).tobytes())
            names = set(archive.namelist())
            whole = {"rejected.npy", "high.npy", "low.npy"} <= names or "rows.npy" in names
    except UNREADABLE:
        return None
    return meta if whole and meta.get("digest") == path.stem else None


def set_aside(folder: Path, cell: Cell) -> Path:
    """Rename a damaged file, so that the cell counts as missing and is made again."""
    path = path_of(folder, cell.digest)
    return path.rename(path.with_suffix(".damaged"))
