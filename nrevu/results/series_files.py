"""The series of cells on disk: one Parquet file per cell, written completely or not at all.

In: a folder, a Cell and its Series. Out: DIGEST.parquet with one row per recorded group: its chain,
the recorded columns, and how many updates were rejected. Anything that reads Parquet reads it. Its
metadata have a JSON text `nrevu`: the full config, counts of evaluations, CPU seconds, provenance
and a hash of the series; `hash` covers that text. A file that is damaged, or holds another cell, is
reported and never used.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.cells.cell import SAMPLING_VERSION, Cell, config
from nrevu.cells.series import Series, bits
from nrevu.core.contracts import counts_type
from nrevu.files import process_name

FORMAT = 3
CHAIN, REJECTED = "chain", "rejected"  # the columns before and after the recorded ones
COUNTS = ("density", "gradient", "overflows", "cpu_seconds")  # of a Series, in the metadata


class Damaged(Exception):
    """A cell's file cannot be used; the message names it and says why."""


def series_path(folder: Path, digest: str) -> Path:
    """Return where a cell's file is."""
    return folder / f"{digest}.parquet"


def stored_digests(folder: Path) -> list[str]:
    """Return the digests of the cells that have a file in a folder."""
    return sorted(path.stem for path in folder.glob("*.parquet"))


def write(folder: Path, cell: Cell, series: Series, provenance: dict[str, Any]) -> Path:
    """Write a cell's file under its final name only when it is complete."""
    from pyarrow import parquet

    meta = {
        "format": FORMAT,
        "version": SAMPLING_VERSION,
        "digest": cell.digest,
        "name": cell.name,
        "config": config(cell),
        "derived": cell.derived,
        "columns": series.columns,
        "bits": bits(series),
        **{key: getattr(series, key) for key in COUNTS},
        "provenance": provenance,
    }
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{cell.digest}.{process_name()}.tmp"
    table, text = to_arrow(series), json.dumps(meta)
    with parquet.ParquetWriter(
        unfinished,
        table.schema,
        compression="zstd",
        compression_level=3,  # 1 is no faster here, and packs less
        use_dictionary=[CHAIN, REJECTED],
        use_byte_stream_split=[stored_name(name) for name in series.columns],
        write_statistics=False,
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"nrevu": text, "hash": text_hash(text)})
    return unfinished.replace(series_path(folder, cell.digest))


def to_arrow(series: Series):
    """Return a series as a table of pyarrow."""
    import pyarrow

    chains = np.repeat(np.arange(len(series.lengths), dtype=np.int32), series.lengths)
    columns = [chains, *series.rows.T, series.rejected]
    return pyarrow.table(columns, schema=schema(series.columns, series.rejected.dtype))


def schema(columns: Sequence[str], counts: np.dtype):
    """Return the names and types of a file's columns."""
    import pyarrow

    recorded = [(stored_name(name), pyarrow.float32()) for name in columns]
    fields = [(CHAIN, pyarrow.int32()), *recorded, (REJECTED, pyarrow.from_numpy_dtype(counts))]
    return pyarrow.schema([pyarrow.field(*field, nullable=False) for field in fields])


def stored_name(column: str) -> str:
    """Return the name that a recorded column has in a file: another one, if that name is taken."""
    return f"{column}_" if column in (CHAIN, REJECTED) else column


def text_hash(text: str) -> str:
    """Return 16 hex digits of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(folder: Path, cell: Cell) -> tuple[Series, dict[str, Any]]:
    """Return a cell's series and meta; raise FileNotFoundError if it has no file, or Damaged."""
    from pyarrow import ArrowException, parquet

    path = series_path(folder, cell.digest)
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            meta = parse_meta(file.metadata.metadata)
            if file.schema_arrow != schema(meta["columns"], counts_type(cell.schedule.group)):
                raise ValueError("its columns have other names or types")
            table = file.read(use_threads=False)
        rows = np.stack([table[stored_name(name)].to_numpy() for name in meta["columns"]], axis=1)
        rejected = table[REJECTED].to_numpy()
    except FileNotFoundError:
        raise
    except (ArrowException, OSError, ValueError, KeyError) as error:
        raise Damaged(f"{path} is damaged: {first_line(error)}") from None
    if meta.get("format") != FORMAT or meta.get("digest") != cell.digest:
        raise Damaged(f"{path} holds another cell or format: {meta.get('name')}")
    if len(rows) != cell.run.groups:
        raise Damaged(f"{path} has {len(rows)} rows, not {cell.run.groups} as in its config")
    counts = (meta[key] for key in COUNTS)
    series = Series(tuple(meta["columns"]), rows, rejected, tuple(cell.run.lengths()), *counts)
    if bits(series) != meta["bits"]:
        raise Damaged(f"{path} is damaged: the series has another hash than it was written with")
    return series, meta


def first_line(error: Exception) -> str:
    """Return the first line of an error's text; pyarrow's have several."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def parse_meta(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """Return the meta of a file's metadata, or raise a ValueError if they are damaged."""
    text = (metadata or {}).get(b"nrevu", b"").decode()
    if not metadata or metadata.get(b"hash", b"").decode() != text_hash(text):
        raise ValueError("its metadata are missing or have another hash")
    return json.loads(text)


def read_metas(folder: Path) -> dict[str, dict[str, Any] | None]:
    """Return the meta of each file in a folder, by digest; None if a file is damaged."""
    return {digest: read_meta(series_path(folder, digest)) for digest in stored_digests(folder)}


def read_meta(path: Path) -> dict[str, Any] | None:
    """Return the meta of a file without reading the series; None if it is damaged."""
    from pyarrow import ArrowException, parquet

    try:
        meta = parse_meta(parquet.read_metadata(path).metadata)
    except (ArrowException, OSError, ValueError):
        return None
    return meta if meta.get("digest") == path.stem else None


def set_aside(folder: Path, cell: Cell) -> Path:
    """Rename a damaged file, so that the cell counts as missing and is sampled again."""
    path = series_path(folder, cell.digest)
    return path.rename(path.with_suffix(".damaged"))
