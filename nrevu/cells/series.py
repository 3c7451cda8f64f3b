"""What the chains of one cell recorded: as it is stored and analysed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Series:
    """What the chains of one cell recorded."""

    columns: tuple[str, ...]  # names of what is recorded
    rows: np.ndarray  # float32 (groups, columns): state at the end of each group
    rejected: np.ndarray  # unsigned (groups): updates rejected in each group
    lengths: tuple[int, ...]  # rows of each chain
    density: int  # density evaluations in the recorded groups
    gradient: int  # gradient evaluations in the recorded groups
    overflows: int  # of the updates rejected there, those whose energy was not finite
    cpu_seconds: float  # of the updates, burn-in included, compilation left out


def bits(series: Series) -> str:
    """Return 16 hex digits of all that was recorded and counted, to compare runs bit by bit."""
    counts = (series.lengths, series.density, series.gradient, series.overflows)
    hashed = hashlib.sha256(repr(counts).encode())
    hashed.update(np.ascontiguousarray(series.rows, "<f4").data)
    hashed.update(np.ascontiguousarray(series.rejected, "<u8").data)
    return hashed.hexdigest()[:16]


def by_chain(values: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """Return (chains, groups, ...) of values that lie chain after chain, cut to the shortest."""
    starts = np.cumsum([0, *lengths[:-1]])
    return np.stack([values[start : start + min(lengths)] for start in starts])
