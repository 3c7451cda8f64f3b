"""The result of a cell: what its series says, with errors. The object `nrevu run --json` prints."""

from typing import Any

import numpy as np

from nrevu.autocorr import (
    Tau,
    averaged,
    clustering,
    rejection_rate,
    split_rhat,
    tau_from,
    times,
)
from nrevu.cell import Cell, config
from nrevu.estimate import Estimate
from nrevu.series import Series, averages, bits, quantities

# Where means are not known, chains that have not found the whole distribution go unnoticed but
# for their disagreement: a quantity has converged if split R-hat is at most this ...
RHAT = 1.05
EFFECTIVE = 100  # ... and its groups are worth at least so many independent ones.
LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)  # of the quantiles that are kept of such quantities


def summarise(cell: Cell, series: Series, estimate: Estimate) -> dict[str, Any]:
    """Return the result of a cell as plain data."""
    decided = (series.rejected, series.lengths, cell.schedule.group)
    rate, clusters = rejection_rate(*decided), clustering(*decided)
    values = quantities(cell.distribution, series.rows).T
    columns = dict(zip(cell.distribution.means(), values, strict=True))
    found = {
        name: times(values, series.lengths, mean_of(cell, estimate, name, values), estimate.max_lag)
        for name, values in columns.items()
    }
    taus = {name: tau_from(each) for name, each in found.items()}
    groups = averages(cell.distribution)
    for name, members in groups.items():
        taus[name] = tau_from(averaged([found[member] for member in members]))
    result = {
        "name": cell.name,
        "digest": cell.digest,
        "config": config(cell),
        "derived": cell.derived,
        "bits": bits(series),
        "rejection_rate": {"value": rate.value, "se": finite(rate.se)},
        "tau": {q: {"value": finite(t.value), "se": finite(t.se)} for q, t in taus.items()},
        "lags": {q: t.lags for q, t in taus.items()},
        "lags_doubled": {
            q: {"value": finite(t.doubled.value), "se": finite(t.doubled.se)}
            for q, t in taus.items()
            if t.short
        },
        "clustering": {"value": finite(clusters.value), "se": finite(clusters.se)},
        "lag_too_short": [q for q, t in taus.items() if t.short],
        "not_converged": [],
        "evaluations": {"density": series.density, "gradient": series.gradient},
        "overflows": series.overflows,
        "cpu_seconds": series.cpu_seconds,
        "ns_per_update": 1e9 * series.cpu_seconds / cell.updates,
        "chains": len(series.lengths),
        "groups": len(series.rows),
    }
    pooled = [q for q in columns if is_pooled(cell, estimate, q)]
    if pooled:
        posterior = {q: describe(columns[q], series.lengths, taus[q]) for q in pooled}
        bad = [q for q, about in posterior.items() if not converged(about)]
        bad += [name for name, members in groups.items() if set(members) & set(bad)]
        result |= {"posterior": posterior, "not_converged": bad}
    return result


def mean_of(cell: Cell, estimate: Estimate, quantity: str, values: np.ndarray) -> float:
    """Return the mean about which the autocovariances of a quantity are taken."""
    if is_pooled(cell, estimate, quantity):
        return float(values.mean(dtype=float))
    return cell.distribution.means()[quantity]


def is_pooled(cell: Cell, estimate: Estimate, quantity: str) -> bool:
    """Tell whether the mean over all chains stands in for a quantity's true mean."""
    return estimate.mean == "pooled" or cell.distribution.means()[quantity] is None


def describe(values: np.ndarray, lengths: tuple[int, ...], tau: Tau) -> dict[str, Any]:
    """Return what the chains say of a quantity's distribution, and whether they agree on it."""
    effective = values.size / tau.value if tau.value > 0 else float("nan")
    error = values.std(dtype=float) / np.sqrt(effective)
    return {
        "mean": {"value": finite(float(values.mean(dtype=float))), "se": finite(float(error))},
        "quantiles": [finite(float(q)) for q in np.quantile(values, LEVELS)],
        "rhat": finite(split_rhat(values, lengths)),
        "effective": finite(effective),
    }


def converged(posterior: dict[str, Any]) -> bool:
    """Tell whether the chains agree on a quantity, and are long enough to say so."""
    rhat, effective = posterior["rhat"], posterior["effective"]
    return rhat is not None and rhat <= RHAT and effective is not None and effective >= EFFECTIVE


def finite(number: float) -> float | None:
    """Return the number, or None where there is none: JSON has no nan."""
    return number if abs(number) < float("inf") else None
