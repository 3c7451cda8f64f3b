"""What a distribution may have, and what stands in for what it leaves out."""

from typing import Any

import numpy as np


def counts_type(group: int) -> np.dtype:
    """Return the smallest unsigned type that holds a count from 0 to group."""
    return np.min_scalar_type(group)


def recorded(distribution: Any) -> tuple[str, ...]:
    """Return the names of the recorded columns: the quantities, unless those are derived."""
    return getattr(distribution, "recorded", None) or tuple(distribution.means())


def quantities(distribution: Any, rows: np.ndarray) -> np.ndarray:
    """Return the quantities (n, how many) of recorded rows (n, columns)."""
    return distribution.derive(rows) if hasattr(distribution, "derive") else rows


def averages(distribution: Any) -> dict[str, tuple[str, ...]]:
    """Return which times are also averaged over several quantities, and under what name."""
    return getattr(distribution, "averages", dict)()
