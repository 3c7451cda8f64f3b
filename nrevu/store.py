"""Keeps the series of cells on disk, one file per cell, written whole or not at all.

In: a folder, a Cell and its Series. Out: DIGEST.npz with the arrays `rows` and `rejected` and a
JSON text `meta`: the full config, counts of evaluations, CPU seconds and provenance. Every array
carries a checksum; a file that is damaged, or holds another cell, is named and never used.
"""

import json
import os
import socket
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.cell import SAMPLING_VERSION, Cell, config
from nrevu.series import Series

FORMAT = 1


# What numpy and zipfile raise when they read a file with a flipped bit or a missing end.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile)


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
    with open(unfinished, "wb") as file:
        text = np.frombuffer(json.dumps(meta).encode(), np.uint8)
        np.savez(file, meta=text, rows=series.rows, rejected=series.rejected)
    unfinished.replace(path)
    return path


def read(folder: Path, cell: Cell) -> tuple[Series, dict[str, Any]]:
    """Return a cell's series and meta; FileNotFoundError if it is not there, or Damaged."""
    path = path_of(folder, cell.digest)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            meta = json.loads(arrays["meta"].tobytes())
            rows, rejected = arrays["rows"], arrays["rejected"]
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


def metas(folder: Path) -> dict[str, dict[str, Any] | None]:
    """Return what the files of a folder say of their cells, by digest; None of a damaged one."""
    return {path.stem: meta_of(path) for path in sorted(folder.glob("*.npz"))}


def meta_of(path: Path) -> dict[str, Any] | None:
    """Return what a file says of its cell, without reading the series; None if it cannot."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("meta.npy") as member:
            meta = json.loads(np.lib.format.read_array(member).tobytes())
            whole = {"rows.npy", "rejected.npy"} <= set(archive.namelist())
    except UNREADABLE:
        return None
    return meta if whole and meta.get("digest") == path.stem else None


def set_aside(folder: Path, cell: Cell) -> Path:
    """Rename a damaged file, so that the cell counts as missing and is made again."""
    path = path_of(folder, cell.digest)
    return path.rename(path.with_suffix(".damaged"))


def remove_leftovers(folder: Path) -> None:
    """Delete unfinished files of processes on this machine that no longer run."""
    for path in folder.glob(f"*.{socket.gethostname()}.*.tmp"):
        if not Path(f"/proc/{path.suffixes[-2][1:]}").exists():
            path.unlink(missing_ok=True)


def here() -> str:
    """Return a name for this process that no other has, on any machine of a shared file system."""
    return f"{socket.gethostname()}.{os.getpid()}"


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a temporary path, of the same ending, that takes the real name once it is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.stem}.{here()}.tmp{path.suffix}")
    yield unfinished
    unfinished.replace(path)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
