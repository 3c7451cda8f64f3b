"""Artificial data for tests of the analysis: chains with a known tau, tables with chosen times."""

import math

import numpy as np
import pandas as pd

from nrevu.cells.cell import parameters
from nrevu.core.contracts import part


def ar1(phi, chains, length, seed, mean=0.0):
    """Return AR(1) chains (chains * length) with unit variance, started in equilibrium."""
    rng = np.random.default_rng(seed)
    x = np.empty((chains, length))
    x[:, 0] = rng.standard_normal(chains)
    noise = math.sqrt(1 - phi * phi) * rng.standard_normal((chains, length))
    for t in range(1, length):
        x[:, t] = phi * x[:, t - 1] + noise[:, t]
    return (x + mean).ravel(), [length] * chains


def made_up(experiment, tau):
    """Return a table whose autocorrelation times are given by a function of the cell."""
    rows = []
    for cell in experiment.cells:
        row = parameters(cell) | {"rejection_rate": 0.6265, "rejection_rate.se": 0.0001}
        row |= {"clustering": 1.5, "clustering.se": 0.01}
        for quantity in (*cell.distribution.means(), *part(cell.distribution, "averages")()):
            row |= {f"tau.{quantity}": tau(cell), f"tau.{quantity}.se": 0.02}
            for kind, unit in (("cost", 60), ("time", 1e-6)):
                row |= {
                    f"{kind}.{quantity}": unit * tau(cell),
                    f"{kind}.{quantity}.se": unit * 0.02,
                }
            row |= {f"tau.{quantity}.{end}": None for end in ("longer", "longer.se")}
            row[f"tau.{quantity}.lag_too_short"] = False
        rows.append(row | {"digest": cell.digest})
    return pd.DataFrame(rows)


def claimed(compared, required):
    """Return the row of the first claim whose number should be this, as text."""
    return compared[compared.required == required].iloc[0]
