"""Changes of the log density: series whose answers are known, and a chain that was sampled."""

import dataclasses

import numpy as np
import pytest

from nrevu.analysis.changes import (
    BINS,
    LAGS,
    changes_by_lag,
    changes_by_u,
    describe_changes,
    ratios,
)
from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.cells.chains import trace
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.mixed import Mixed
from nrevu.methods.hamiltonian import PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible


def test_steady_changes_grow_with_the_square_of_the_lag():
    found = changes_by_lag([np.arange(400.0), 2 * np.arange(400.0)])
    lag = np.array(found["lag"])
    assert lag.tolist() == [k for k in LAGS if k <= 40]
    assert found["mean"] == pytest.approx(2.5 * lag**2)  # of slopes 1 and 2
    assert found["se"] == pytest.approx(1.5 * lag**2)


def test_alternating_changes_do_not_grow():
    found = changes_by_lag([np.arange(400) % 2.0] * 3)
    assert found["mean"] == pytest.approx(np.array(found["lag"]) % 2)
    assert found["se"] == [0.0] * len(found["lag"])


def test_a_random_walk_grows_with_the_lag():
    """Of 40 chains; none of 11 lags beyond 4 standard errors: a false alarm in 1,000 seeds."""
    steps = np.random.default_rng(1).choice([-1.0, 1.0], (40, 1000))
    found = changes_by_lag([*np.cumsum(steps, axis=1)])
    lag, mean, se = (np.array(found[key]) for key in ("lag", "mean", "se"))
    assert mean[0] == 1 and lag.size == 13
    assert np.all(np.abs(mean - lag)[1:] < 4 * se[1:]) and np.all(se[1:] < 0.2 * lag[1:])


def test_the_change_of_an_update_belongs_to_its_u():
    u = (np.arange(3 * BINS) % BINS + 0.5) / BINS
    series = np.cumsum(np.where(np.arange(u.size) == 0, 100.0, u))  # the first change is not known
    found = changes_by_u([series, series], [u, u])
    assert found["mean"] == pytest.approx(found["u"]) and found["u"] == pytest.approx(u[:BINS])
    assert found["se"] == pytest.approx([0.0] * BINS, abs=1e-12)


def test_u_of_1_is_in_the_last_bin_and_empty_bins_have_no_mean():
    found = changes_by_u([np.array([0.0, 2.0, 5.0])], [np.array([0.5, 1.0, 0.0])])
    assert (found["mean"][0], found["mean"][-1]) == (3.0, 2.0)
    assert np.isnan(found["mean"][1:-1]).all() and np.isnan(found["se"]).all()  # of one chain


def test_chains_count_by_their_lengths():
    means, errors = ratios(np.array([[2.0], [9.0]]), np.array([[2], [3]]))
    assert means == pytest.approx([11 / 5])
    assert errors == pytest.approx([np.sqrt(2 * 2 * (9 - 3 * 11 / 5) ** 2) / 5])


def cell(distribution, method, group, gibbs_every=0):
    schedule = Schedule(group, gibbs_every)
    return Cell(distribution, method, Nonreversible(0.3), schedule, Run(400, 3, 4), 1)


def test_changes_of_a_sampled_cell_have_the_sign_of_the_log_density():
    """U is recorded; a small u accepts proposals of higher U, and a rejection changes nothing."""
    ours = cell(Gaussian(10), Metropolis(1.8, 0.5), 1)
    rows, decisions = zip(*trace(ours), strict=True)
    for chain, each in zip(rows, decisions, strict=True):
        moved = np.diff(chain[:, 1]) != 0
        assert np.array_equal(moved, each[1:, 1] == 1)
        assert np.all(np.exp(-np.diff(chain[:, 1])[moved]) > 0.999 * each[1:, 0][moved])
    found = describe_changes(ours, rows, decisions)
    assert found["by_u"]["mean"][0] < 0 < min(found["by_u"]["mean"][-5:])
    squares = np.concatenate([np.diff(chain[:, 1].astype(float)) ** 2 for chain in rows])
    assert found["by_lag"]["mean"][0] == pytest.approx(squares.mean())


def test_groups_of_updates_and_distributions_without_log_prob_have_no_changes():
    ours = cell(Gaussian(10), Metropolis(1.8, 0.5), 2)
    assert describe_changes(ours, [], []) == {}
    mixed = cell(Mixed(20, 0.04), PersistentLangevin(0.03, 0.5, "update"), 1, 1)
    assert describe_changes(mixed, [], []) == {}
    single = dataclasses.replace(ours, schedule=Schedule(1))
    rows, decisions = zip(*trace(single), strict=True)
    assert describe_changes(single, rows, decisions).keys() == {"by_u", "by_lag"}
