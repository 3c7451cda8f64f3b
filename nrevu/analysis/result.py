"""The result of a cell: estimates from its series, with errors; what `nrevu run --json` prints."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nrevu.analysis.autocorrelation import (
    MOST_LAGS,
    Tau,
    Times,
    adaptive_times,
    average,
    clustering,
    rejection_rate,
    split_rhat,
    tau_from,
    times,
)
from nrevu.cells.cell import Cell, config
from nrevu.cells.series import Series, bits
from nrevu.core.contracts import part
from nrevu.experiments.estimate import Estimate

# Where means are not known, only disagreement shows that chains have not covered the distribution:
# a quantity has converged if split R-hat is at most this ...
RHAT = 1.05
EFFECTIVE = 100  # ... and its effective sample size is at least this.
LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)  # of the quantiles that are stored for such quantities


def summarise(cell: Cell, series: Series, estimate: Estimate) -> dict[str, Any]:
    """Return the result of a cell as plain data."""
    decided = (series.rejected, series.lengths, cell.schedule.group)
    rate, clusters = rejection_rate(*decided), clustering(*decided)
    values = part(cell.distribution, "derive")(series.rows).T
    columns = dict(zip(part(cell.distribution, "means")(), values, strict=True))
    groups = part(cell.distribution, "averages")()
    taus, longer = all_times(cell, columns, series.lengths, estimate)
    result = {
        "name": cell.name,
        "digest": cell.digest,
        "config": config(cell),
        "derived": cell.derived,
        "bits": bits(series),
        "rejection_rate": {"value": rate.value, "se": finite(rate.se)},
        "tau": {q: {"value": finite(t.value), "se": finite(t.se)} for q, t in taus.items()},
        "lags": {q: t.lags for q, t in taus.items()},
        "longer": {
            q: {"value": finite(t.value), "se": finite(t.se), "lags": t.lags}
            for q, t in longer.items()
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
        best = taus | longer
        posterior = {q: describe(columns[q], series.lengths, best[q]) for q in pooled}
        bad = [q for q, about in posterior.items() if not converged(about)]
        bad += [name for name, members in groups.items() if set(members) & set(bad)]
        result |= {"posterior": posterior, "not_converged": bad}
    return result


def all_times(
    cell: Cell, columns: dict[str, np.ndarray], lengths: tuple[int, ...], estimate: Estimate
) -> tuple[dict[str, Tau], dict[str, Tau]]:
    """Return the time of each quantity and average, and longer ones of those with too few lags.

    If K lags are configured and too few, the longer one has as many as it needs; there is none if
    the chains are too short for that. If max_lag is 0, all have as many as they need, or as the
    chains allow.
    """
    groups = part(cell.distribution, "averages")()
    most = max(1, min(min(lengths) - 1, MOST_LAGS) // 2)
    means = {name: mean_of(cell, estimate, name, values) for name, values in columns.items()}

    @functools.cache
    def fixed(name: str) -> Times:
        return times(columns[name], lengths, means[name], estimate.max_lag or most)

    @functools.cache
    def adaptive(name: str) -> Times | None:
        return adaptive_times(columns[name], lengths, means[name])

    taus, longer = {}, {}
    for name in (*columns, *groups):
        members = groups.get(name, (name,))
        enough = average_of(members, adaptive) if not estimate.max_lag else None
        taus[name] = tau_from(enough or average_of(members, fixed))
        if not estimate.max_lag:
            taus[name] = dataclasses.replace(taus[name], short=enough is None)
        elif taus[name].short and (enough := average_of(members, adaptive)):
            longer[name] = tau_from(enough)
    return taus, longer


def average_of(members: Sequence[str], time: Callable[[str], Times | None]) -> Times | None:
    """Return the average of some quantities' times, if all have one."""
    parts = [time(member) for member in members]
    return None if any(each is None for each in parts) else average(parts)


def mean_of(cell: Cell, estimate: Estimate, quantity: str, values: np.ndarray) -> float:
    """Return the mean about which the autocovariances of a quantity are taken."""
    if is_pooled(cell, estimate, quantity):
        return float(values.mean(dtype=float))
    return part(cell.distribution, "means")()[quantity]


def is_pooled(cell: Cell, estimate: Estimate, quantity: str) -> bool:
    """Tell whether the mean over all chains is used instead of a quantity's true mean."""
    return estimate.mean == "pooled" or part(cell.distribution, "means")()[quantity] is None


def describe(values: np.ndarray, lengths: tuple[int, ...], tau: Tau) -> dict[str, Any]:
    """Return estimates of a quantity's distribution, and diagnostics of their convergence."""
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
    """Return the number, or None if it is not finite: JSON has no nan."""
    return number if abs(number) < float("inf") else None
