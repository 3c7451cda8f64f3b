"""nrevu.autocorrelation_time: anyone's draws, with errors that are right.

Seeds are fixed; a tolerance of 5 standard errors means a false alarm of 6e-7 on a new seed.
"""

import numpy as np
import pytest
from artificial import ar1

import nrevu


def draws(phi, chains, length, seed, mean=0.0):
    return ar1(phi, chains, length, seed, mean)[0].reshape(chains, length)


@pytest.mark.parametrize("phi", [-0.9, -0.4, 0.0, 0.5, 0.9])
@pytest.mark.parametrize("known", [True, False])
def test_closed_form(phi, known):
    found = nrevu.autocorrelation_time(draws(phi, 30, 4000, 3, 2.0), 2.0 if known else None)
    exact = (1 + phi) / (1 - phi)  # below 1 for a negative phi
    assert abs(found.value - exact) < 5 * found.se + 0.01 * exact
    assert found.se < 0.1 * max(1, exact) and not found.short
    assert found.lags >= 5 * max(1, found.value)


def test_a_single_chain_and_its_lags():
    chain = draws(0.5, 1, 20_000, 1)[0]
    one, two = (
        nrevu.autocorrelation_time(chain, 0.0, 3),
        nrevu.autocorrelation_time([chain], 0.0, 3),
    )
    assert one == two and one.lags == 3 and one.short
    exact = 1 + 2 * sum(0.5**k for k in range(1, 4))
    assert abs(one.value - exact) < 5 * one.se


def test_the_same_as_a_cell_says():
    found = nrevu.sample("gaussian", groups=2000, chains=20, seed=3, max_lag=8)
    for name, tau in found.tau.items():
        mean = found.cell.distribution.means()[name]
        assert nrevu.autocorrelation_time(found.values[name], mean, 8) == tau


@pytest.mark.parametrize(
    "values, how, says",
    [
        ([[1.0, 2.0]], {}, "values: has 2 draws in a chain: 4 or more are needed"),
        (np.zeros((2, 3, 4)), {}, r"not one with the shape \(2, 3, 4\)"),
        ([], {}, "shape"),
        ("many", {}, "values: must be numbers"),
        ([1.0, np.nan, 2.0, 3.0, 4.0], {}, "values: has infinite numbers, or nan"),
        (np.arange(9.0), {"max_lag": 5}, "values: has 9 draws in a chain: 11 or more"),
        (np.arange(9.0), {"max_lag": -1}, "max_lag: must be a whole number, 0 or more, not -1"),
        (np.arange(9.0), {"max_lag": 2.5}, "max_lag: must be a whole number"),
        (np.arange(9.0), {"mean": np.inf}, "mean: must be a finite number"),
    ],
)
def test_wrong_arguments(values, how, says):
    with pytest.raises(nrevu.Mistake, match=says):
        nrevu.autocorrelation_time(values, **how)


def test_draws_by_rows_are_suspect():
    with pytest.warns(UserWarning, match="50 chains of 20 draws: rows are chains"):
        nrevu.autocorrelation_time(draws(0.5, 20, 50, 1).T)
