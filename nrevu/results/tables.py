"""Tables on disk: Parquet files, and CSV files for people. Pandas is imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def read_tables(files: Sequence[str | Path]) -> pd.DataFrame:
    """Return one table of the rows of several Parquet files."""
    import pandas as pd

    return joined([pd.read_parquet(file) for file in files])


def joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return one table of several; a cell that several experiments share is there once."""
    import pandas as pd

    found = pd.concat(tables, ignore_index=True)
    return found.drop_duplicates("digest", ignore_index=True) if "digest" in found else found


def table_writer(frame: pd.DataFrame) -> Callable[[Path], None]:
    """Return a function that writes a table to a path, in the format of its ending."""

    def write(path: Path) -> None:
        to_file = frame.to_csv if path.suffix == ".csv" else frame.to_parquet
        to_file(path, index=False)

    return write
