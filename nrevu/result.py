"""The result of a cell: what its series says, with errors. The object `nrevu run --json` prints."""

from typing import Any

from nrevu.autocorr import autocorrelation_time, clustering, rejection_rate
from nrevu.cell import Cell, config
from nrevu.estimate import Estimate
from nrevu.mistake import Mistake
from nrevu.series import Series, quantities


def summarise(cell: Cell, series: Series, estimate: Estimate) -> dict[str, Any]:
    """Return the result of a cell as plain data."""
    decided = (series.rejected, series.lengths, cell.schedule.group)
    rate, clusters = rejection_rate(*decided), clustering(*decided)
    taus = {}
    columns = quantities(cell.distribution, series.rows).T
    for values, (quantity, mean) in zip(columns, cell.distribution.means().items(), strict=True):
        if estimate.mean == "pooled":
            mean = float(values.mean(dtype=float))
        elif mean is None:
            message = f"the true mean of '{quantity}' is not known: use estimate.mean=pooled"
            raise Mistake(message, key="estimate.mean")
        taus[quantity] = autocorrelation_time(values, series.lengths, mean, estimate.max_lag)
    return {
        "name": cell.name,
        "digest": cell.digest,
        "config": config(cell),
        "derived": cell.derived,
        "rejection_rate": {"value": rate.value, "se": finite(rate.se)},
        "tau": {q: {"value": finite(t.value), "se": finite(t.se)} for q, t in taus.items()},
        "clustering": {"value": finite(clusters.value), "se": finite(clusters.se)},
        "lag_too_short": [q for q, t in taus.items() if t.short],
        "evaluations": {"density": series.density, "gradient": series.gradient},
        "overflows": series.overflows,
        "cpu_seconds": series.cpu_seconds,
        "ns_per_update": 1e9 * series.cpu_seconds / cell.updates,
        "chains": cell.run.chains,
        "groups": cell.run.groups,
    }


def finite(number: float) -> float | None:
    """Return the number, or None where there is none: JSON has no nan."""
    return number if abs(number) < float("inf") else None
