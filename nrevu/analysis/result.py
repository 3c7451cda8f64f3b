"""The result of a cell: estimates from its series, with errors; what `nrevu run --json` prints."""

import math
from typing import Any

import numpy as np

from nrevu.analysis.autocorrelation import (
    Estimated,
    Tau,
    all_times,
    clustering,
    correct_pooled,
    rejection_rate,
    split_rhat,
)
from nrevu.cells.cell import Cell, config
from nrevu.cells.series import Series, bits
from nrevu.core.contracts import part
from nrevu.experiments.settings import Estimate

# Where means are not known, only disagreement shows that chains have not covered the distribution:
# a quantity has converged if split R-hat is at most this ...
RHAT = 1.05
EFFECTIVE = 100  # ... and its effective sample size is at least this.
LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)  # of the quantiles that are stored for such quantities


def summarise(cell: Cell, series: Series, estimate: Estimate) -> dict[str, Any]:
    """Return the result of a cell as plain data."""
    decided = (series.rejected, series.lengths, cell.schedule.group)
    values = part(cell.distribution, "derive")(series.rows).T
    known, groups = (part(cell.distribution, name)() for name in ("means", "averages"))
    columns = dict(zip(known, values, strict=True))
    pooled = [q for q in columns if estimate.mean == "pooled" or known[q] is None]
    means = known | {q: float(columns[q].mean(dtype=float)) for q in pooled}
    updates = cell.updates * len(series.rows) / cell.run.groups  # of the chains that are given
    taus, longer = all_times(columns, means, series.lengths, groups, estimate.max_lag)
    if series.rejected.sum(dtype=int) == cell.schedule.group * len(series.rows):  # nothing moved
        taus = {q: Tau(math.nan, math.nan, t.lags, False) for q, t in taus.items()}
        longer = {}
    for times in (taus, longer):
        for name in {*pooled, *(g for g in groups if set(groups[g]) & set(pooled))} & times.keys():
            times[name] = correct_pooled(times[name], len(series.rows))
    result = {
        "name": cell.name,
        "digest": cell.digest,
        "config": config(cell),
        "derived": cell.derived,
        "bits": bits(series),
        "rejection_rate": number(rejection_rate(*decided)),
        "tau": {q: number(t) for q, t in taus.items()},
        "lags": {q: t.lags for q, t in taus.items()},
        "longer": {q: number(t) | {"lags": t.lags} for q, t in longer.items()},
        "clustering": number(clustering(*decided)),
        "lag_too_short": [q for q, t in taus.items() if t.short],
        "not_converged": [],
        "evaluations": {"density": series.density, "gradient": series.gradient},
        "overflows": series.overflows,
        "cpu_seconds": series.cpu_seconds,
        "ns_per_update": 1e9 * series.cpu_seconds / updates,
        "chains": len(series.lengths),
        "groups": len(series.rows),
    }
    if pooled:
        posterior = {q: describe(columns[q], series.lengths, (taus | longer)[q]) for q in pooled}
        bad = [q for q, about in posterior.items() if not converged(about)]
        bad += [name for name, members in groups.items() if set(members) & set(bad)]
        result |= {"posterior": posterior, "not_converged": bad}
    return result


def describe(values: np.ndarray, lengths: tuple[int, ...], tau: Tau) -> dict[str, Any]:
    """Return estimates of a quantity's distribution, and diagnostics of their convergence."""
    effective = values.size / tau.value if tau.value > 0 else float("nan")
    error = values.std(dtype=float) / np.sqrt(effective)
    return {
        "mean": number(Estimated(float(values.mean(dtype=float)), float(error))),
        "quantiles": [finite(float(q)) for q in np.quantile(values, LEVELS)],
        "rhat": finite(split_rhat(values, lengths)),
        "effective": finite(effective),
    }


def converged(posterior: dict[str, Any]) -> bool:
    """Tell whether R-hat and the effective sample size of a quantity pass their limits."""
    return (posterior["rhat"] or math.inf) <= RHAT and (posterior["effective"] or 0) >= EFFECTIVE


def number(estimated: Estimated | Tau) -> dict[str, Any]:
    """Return a number and its standard error as plain data."""
    return {"value": finite(estimated.value), "se": finite(estimated.se)}


def finite(number: float) -> float | None:
    """Return the number, or None if it is not finite: JSON has no nan."""
    return number if math.isfinite(number) else None
