"""How autocorrelation times are estimated from a series; not part of a cell's identity."""

from dataclasses import dataclass

from nrevu.fields import integer, one_of


@dataclass(frozen=True)
class Estimate:
    """How autocorrelation times are estimated from a series; not part of a cell's identity."""

    # Lags are summed from 1 to this; 0: to the smallest K >= 5 tau(K), for each quantity.
    max_lag: int = integer(at_least=0)
    mean: str = one_of("known", "pooled")  # autocovariances about true means where known
