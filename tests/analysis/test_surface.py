"""What the true values over a grid may be: a known surface is found, and the minimum is covered."""

import numpy as np
import pandas as pd
import pytest

from nrevu.analysis.surface import axes, surface

QUANTITY = "tau.log_prob"


def grid_of(times, errors, groups=1000):
    """Return a table of a 6 by 5 grid with some times and relative errors."""
    steps, alphas = (values.ravel() for values in np.meshgrid(np.arange(1, 7), np.arange(1, 6)))
    cells = pd.DataFrame({"method.stepsize": 0.1 * steps, "method.alpha": 0.1 * alphas})
    cells["run.groups"], cells["digest"] = groups, [f"cell{i}" for i in range(30)]
    return cells.assign(**{QUANTITY: times, f"{QUANTITY}.se": np.abs(times) * errors})


def bowl(rng, rough):
    """Return 30 true values: a bowl with its bottom anywhere, and each cell's own deviation."""
    place = axes(grid_of(np.ones(30), 0.1))
    bottom, width = rng.uniform(0.2, 0.8, 2), rng.uniform(0.5, 2.0)
    rise = width * ((place - bottom) ** 2).sum(axis=1)
    return 2 * np.exp(rise + rough * rng.standard_normal(30))


def noisy(rng, true, error):
    """Return estimates of true values, with relative errors that are estimated too."""
    estimates = true * (1 + error * rng.standard_normal(true.size))
    return np.abs(estimates), error * np.sqrt(rng.chisquare(39, true.size) / 39)


def test_axes_are_settings_that_vary_each_once():
    cells = grid_of(np.ones(30), 0.1)
    cells["schedule.group"] = (60 / cells["method.stepsize"]).round()  # falls as the stepsize rises
    cells["method"], cells["u.delta"], cells["eta"] = "hmc", np.nan, cells["method.stepsize"] / 2
    place = axes(cells)
    assert place.shape == (30, 2) and place.min() == 0 and place.max() == 1
    assert sorted(set(place[:, 0])) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])


def test_missing_and_named_values_have_a_place():
    cells = pd.DataFrame({"u.delta": [np.nan, 0.1, 0.3], "u": ["standard", "slow", "slow"]})
    assert axes(cells)[:, 0].tolist() == [0.0, 0.5, 1.0]
    assert axes(cells).shape == (3, 2) and axes(cells.iloc[1:2]).shape == (1, 0)


@pytest.mark.parametrize("rough", [0.0, 0.03])
@pytest.mark.parametrize("error", [0.02, 0.15])
def test_the_smallest_true_value_is_covered(rough, error):
    """300 grids: 95% intervals cover at least 266. False alarm: 1 in 1000, if the coverage is 93%.

    All 300 would tell of an interval that is too wide: less than 1 in 1000 for 97.5%.
    """
    rng, covered = np.random.default_rng([7, round(100 * rough), round(100 * error)]), 0
    for _ in range(300):
        true = bowl(rng, rough)
        found = surface(grid_of(*noisy(rng, true, error)), QUANTITY)
        low, high = np.exp(np.quantile(found.draws.min(axis=1), (0.025, 0.975)))
        covered += low <= true.min() <= high
    assert 266 <= covered < 300


def test_the_smallest_of_many_noisy_values_is_not_believed():
    """30 cells with a true value of 2, errors of 15%: medians are much nearer than minima."""
    rng, lowest, medians = np.random.default_rng(5), [], []
    for _ in range(100):
        cells = grid_of(*noisy(rng, np.full(30, 2.0), 0.15))
        lowest.append(cells[QUANTITY].min())
        medians.append(np.exp(np.median(surface(cells, QUANTITY).draws.min(axis=1))))
    assert 2 - np.mean(lowest) > 0.55
    assert abs(2 - np.mean(medians)) < 0.6 * (2 - np.mean(lowest))


def test_longer_runs_of_a_cell_count_by_their_length():
    rng = np.random.default_rng(3)
    cells = grid_of(*noisy(rng, np.full(30, 2.0), 0.15))
    again = cells.loc[[12]].assign(**{"selected.digest": "cell12", "run.groups": 10**6})
    again = again.assign(**{QUANTITY: 1.2, f"{QUANTITY}.se": 0.006})
    other = again.assign(**{"selected.digest": "of another grid", QUANTITY: 0.1})
    found = surface(cells, QUANTITY, pd.concat([again, other]))
    assert found.ranked()[0] == 12
    draws = np.exp(found.draws[:, 12])
    assert draws.mean() == pytest.approx(1.2, abs=0.01) and draws.std() < 0.02


def test_cells_without_an_estimate_are_left_out_and_draws_are_always_the_same():
    times = np.linspace(2, 3, 30)
    times[[3, 4]] = np.nan, -1.0
    found = surface(grid_of(times, 0.05), QUANTITY)
    assert len(found.index) == 28 and not {3, 4} & set(found.index)
    again = surface(grid_of(times, 0.05), QUANTITY)
    assert np.array_equal(found.draws, again.draws)


def test_two_cells_are_enough():
    cells = grid_of(np.full(30, 2.0), 0.02).iloc[:2]
    lowest = np.exp(surface(cells, QUANTITY).draws.min(axis=1))
    assert np.median(lowest) == pytest.approx(2.0, abs=0.08)
