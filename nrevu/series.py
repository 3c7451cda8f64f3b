"""What the chains of one cell recorded; the form in which it is kept and analysed."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Series:
    """What the chains of one cell recorded."""

    columns: tuple[str, ...]  # names of the recorded quantities
    rows: np.ndarray  # float32 (groups, columns): state at the end of each group
    rejected: np.ndarray  # unsigned (groups): updates rejected in each group
    lengths: tuple[int, ...]  # rows of each chain
    density: int  # density evaluations in the recorded groups
    gradient: int  # gradient evaluations in the recorded groups
    overflows: int  # of the updates rejected there, those whose energy was not finite
    cpu_seconds: float  # of the updates, burn-in included, compilation left out


def counts_type(group: int) -> np.dtype:
    """Return the smallest unsigned type that holds a count from 0 to group."""
    return np.min_scalar_type(group)
