"""Autocorrelation times of anyone's draws."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from nrevu.analysis.autocorrelation import all_times, correct_pooled
from nrevu.errors import Mistake


class Time(NamedTuple):
    """An autocorrelation time, in draws."""

    value: float
    se: float  # standard error
    lags: int  # autocorrelations at lags 1 to this are summed
    short: bool  # whether these are too few, or the chains too short for more


def autocorrelation_time(values: Any, mean: float | None = None, max_lag: int = 0) -> Time:
    """Return the autocorrelation time of draws (chains, draws), or of a single chain (draws).

    tau = 1 + 2 (sum of the autocorrelations at lags 1 to max_lag): the variance of the draws' mean
    is tau times that of as many independent draws. It may be below 1. If the true mean of the
    distribution is known, give it: the estimate is then better. Without `max_lag` the number of
    lags follows tau. The standard error is the jackknife over chains, or over blocks if there are
    fewer than 20 chains.

        nrevu.autocorrelation_time(draws)
        nrevu.autocorrelation_time(draws, mean=0.0, max_lag=30)
    """
    chains = as_chains(values)
    count, length = chains.shape
    if count > length:
        text = f"{count} chains of {length} draws: rows are chains; transpose the array if not"
        warnings.warn(text, stacklevel=2)
    if not isinstance(max_lag, int) or isinstance(max_lag, bool) or max_lag < 0:
        raise Mistake(f"must be a whole number, 0 or more, not {max_lag!r}", "max_lag")
    if length < 4 or 2 * max_lag >= length:
        least = max(4, 2 * max_lag + 1)
        raise Mistake(f"has {length} draws in a chain: {least} or more are needed", "values")
    if mean is not None and not np.isfinite(mean):
        raise Mistake(f"must be a finite number, not {mean!r}", "mean")
    centre = float(chains.mean()) if mean is None else float(mean)
    columns, lengths = {"": chains.ravel()}, (length,) * count
    tau = all_times(columns, {"": centre}, lengths, {}, max_lag)[0][""]
    found = correct_pooled(tau, chains.size) if mean is None else tau
    return Time(found.value, found.se, found.lags, found.short)


def as_chains(values: Any) -> np.ndarray:
    """Return draws as an array (chains, draws) of finite numbers."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise Mistake("must be numbers: an array (chains, draws) or (draws)", "values") from None
    if found.ndim not in (1, 2) or found.size == 0:
        text = f"an array (chains, draws) or (draws), not one with the shape {found.shape}"
        raise Mistake(f"must be {text}", "values")
    if not np.isfinite(found).all():
        raise Mistake("has infinite numbers, or nan", "values")
    return np.atleast_2d(found)
