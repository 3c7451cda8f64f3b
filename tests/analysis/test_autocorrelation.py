"""Autocorrelation times: the published convention, closed forms, and error bars that are right.

Seeds are fixed; a tolerance of 5 standard errors means a false alarm of 6e-7 on a new seed.
"""

import math

import numpy as np
import pytest
from artificial import ar1

from nrevu.analysis.autocorrelation import (
    adaptive_times,
    all_times,
    average,
    rejection_rate,
    split_rhat,
    tau_from,
    times,
    unit_count,
)
from nrevu.analysis.verdict import t_quantile


def autocorrelation_time(values, lengths, mean, max_lag):
    """Return tau of one quantity; values (rows) of all chains in turn."""
    return tau_from(times(values, lengths, mean, max_lag))


def by_the_book(values, mean, max_lag):
    """The convention for one chain, written out: divisor n - k, known mean, all lags."""
    n = len(values)
    variance = sum((value - mean) ** 2 for value in values) / n
    total = 0.0
    for k in range(1, max_lag + 1):
        pairs = ((values[t] - mean) * (values[t + k] - mean) for t in range(n - k))
        total += sum(pairs) / (n - k) / variance
    return 1 + 2 * total


@pytest.mark.parametrize("max_lag", [1, 10, 15])
@pytest.mark.parametrize("chains, length", [(1, 157), (1, 40), (3, 57), (25, 31)])
def test_equals_the_convention_number_for_number(max_lag, chains, length):
    values, lengths = ar1(0.4, chains, length, seed=1, mean=2.0)
    found = autocorrelation_time(values, lengths, 1.9, max_lag)
    if chains == 1:
        assert found.value == pytest.approx(by_the_book(list(values), 1.9, max_lag), rel=1e-12)
    # Over chains, autocovariances are averaged with the number of products as weight.
    d = values.reshape(chains, length) - 1.9
    pooled = [np.sum(d[:, : length - k] * d[:, k:]) / (length - k) for k in range(max_lag + 1)]
    assert found.value == pytest.approx(1 + 2 * sum(pooled[1:]) / pooled[0], rel=1e-12)


@pytest.mark.parametrize("phi", [0.0, 0.6, 0.85, -0.5, -0.9])
def test_closed_form(phi):
    values, lengths = ar1(phi, 40, 5000, seed=2)
    found = autocorrelation_time(values, lengths, 0.0, 10)
    exact = 1 + 2 * sum(phi**k for k in range(1, 11))
    assert abs(found.value - exact) < 5 * found.se
    assert found.se < 0.06 * max(exact, 0.5)  # and the error is not merely large
    if phi == -0.9:
        assert found.value < 1


@pytest.mark.parametrize(
    "chains, length",
    [
        (40, 500),
        (25, 801),
        pytest.param(1, 20_000, marks=pytest.mark.slow),
        pytest.param(4, 5001, marks=pytest.mark.slow),
    ],
)
def test_errors_are_of_the_right_size(chains, length):
    """z = (estimate - truth) / se has mean 0 and variance about 1 over 400 repetitions."""
    exact = 1 + 2 * sum(0.5**k for k in range(1, 11))
    z = []
    for seed in range(400):
        values, lengths = ar1(0.5, chains, length, seed)
        found = autocorrelation_time(values, lengths, 0.0, 10)
        z.append((found.value - exact) / found.se)
    # Standard errors: 0.05 for the mean, 0.035 to 0.04 for the standard deviation (t, 19 dof).
    assert abs(np.mean(z)) < 0.25
    assert 0.85 < np.std(z) < 1.25


@pytest.mark.parametrize("mean", ["known", "pooled"])
@pytest.mark.parametrize(
    "phi, chains, length, max_lag",
    [
        (-0.4, 25, 100, 4),
        pytest.param(0.5, 40, 60, 8, marks=pytest.mark.slow),
        pytest.param(0.8, 4, 1000, 20, marks=pytest.mark.slow),
    ],
)
def test_intervals_cover(mean, phi, chains, length, max_lag):
    """95% intervals hold the truth in 93 to 97% of 1,000 repetitions, 2.9 standard errors."""
    truth = 1 + 2 * sum(phi**k for k in range(1, max_lag + 1))
    reach, covered = t_quantile(unit_count(chains) - 1), 0
    for repetition in range(1000):
        values, lengths = ar1(phi, chains, length, seed=[repetition, 17])
        about = 0.0 if mean == "known" else values.mean()
        found = autocorrelation_time(values, lengths, about, max_lag)
        covered += abs(found.value - truth) < reach * found.se
    assert 930 <= covered <= 970


def test_says_when_the_lag_is_too_short():
    values, lengths = ar1(0.95, 40, 5000, seed=3)
    assert autocorrelation_time(values, lengths, 0.0, 10).short
    assert not autocorrelation_time(values, lengths, 0.0, 100).short
    values, lengths = ar1(0.5, 40, 5000, seed=3)
    assert not autocorrelation_time(values, lengths, 0.0, 10).short


def test_uneven_chains_and_a_constant_series():
    values, _ = ar1(0.5, 1, 1003, seed=4)
    found = autocorrelation_time(values, [335, 334, 334], 0.0, 10)
    assert math.isfinite(found.value) and found.se > 0
    stuck = autocorrelation_time(np.full(100, 2.0), [50, 50], 0.0, 10)
    assert stuck.value == pytest.approx(21) and stuck.short
    assert math.isnan(autocorrelation_time(np.zeros(100), [50, 50], 0.0, 10).value)


def test_rejection_rate():
    rng = np.random.default_rng(5)
    z = []
    for _ in range(300):
        rate = rejection_rate(rng.binomial(40, 0.3, 2500).astype(np.uint8), [625] * 4, 40)
        z.append((rate.value - 0.3) / rate.se)
    assert abs(np.mean(z)) < 0.3 and 0.85 < np.std(z) < 1.25
    exact = rejection_rate(np.array([0, 40, 20, 40], np.uint8), [3, 1], 40)
    assert exact.value == 100 / 160


def test_split_rhat():
    values, lengths = ar1(0.3, 8, 500, seed=4)
    assert 0.999 < split_rhat(values, lengths) < 1.01
    apart = values + np.repeat(np.arange(8), 500)  # chains about different means
    halves = apart.reshape(16, 250)
    within, between = halves.var(axis=1, ddof=1).mean(), halves.mean(axis=1).var(ddof=1)
    exact = math.sqrt((249 / 250 * within + between) / within)
    assert split_rhat(apart, lengths) == pytest.approx(exact) and exact > 2
    drift = values + np.tile(np.linspace(0, 3, 500), 8)  # all alike, and none at rest
    assert split_rhat(drift, lengths) > 1.2
    assert math.isnan(split_rhat(values[:24], [3] * 8))
    assert math.isnan(split_rhat(np.zeros(80), [10] * 8))


def test_an_average_of_times_has_an_error_that_counts_their_correlation():
    first, lengths = ar1(0.6, 30, 200, seed=5)
    other, _ = ar1(0.6, 30, 200, seed=6)
    found = [times(values, lengths, 0.0, 10) for values in (first, first, other)]
    assert tau_from(average(found[:2])) == tau_from(found[0])
    apart = tau_from(average([found[0], found[2]]))
    independent = math.hypot(tau_from(found[0]).se, tau_from(found[2]).se) / 2
    assert apart.se == pytest.approx(independent, rel=0.3)


@pytest.mark.parametrize(
    "phi, low, high", [(0.9, 70, 220), (0.5, 10, 40), (0.0, 5, 20), (-0.5, 5, 20)]
)
def test_the_lags_follow_tau(phi, low, high):
    """K >= 5 tau(K), and 5 at least, and tau is right, also below 1.

    Within 4 standard errors and what the lags beyond K add: false alarm 6e-5.
    """
    values, lengths = ar1(phi, 40, 4000, seed=11)
    times_found = adaptive_times(values, lengths, 0.0)
    found = tau_from(times_found)
    assert low <= found.lags <= high and not found.short
    assert found.lags >= 5 * max(found.value, 1)
    exact = (1 + phi) / (1 - phi)
    beyond = 2 * abs(phi) ** (found.lags + 1) / (1 - phi)
    assert abs(found.value - exact) < 4 * found.se + beyond
    given = tau_from(times(values, lengths, 0.0, found.lags))
    assert (given.value, given.se) == (found.value, found.se)


def test_the_lags_do_not_end_in_an_oscillation():
    """An AR(2) process with complex roots, tau 0.17: tau(K) is negative at K = 5.

    Within 5 standard errors: false alarm 6e-7.
    """
    a, b = 2 * 0.95 * math.cos(0.8), -(0.95**2)
    rng = np.random.default_rng(14)
    noise, lengths = rng.standard_normal((20, 6500)), [6000] * 20
    x = np.zeros_like(noise)
    for t in range(2, 6500):
        x[:, t] = a * x[:, t - 1] + b * x[:, t - 2] + noise[:, t]
    values = x[:, 500:].ravel()
    rho = a / (1 - b)
    exact = 1 / (1 - a - b) ** 2 / ((1 - b) / ((1 + b) * ((1 - b) ** 2 - a**2)))
    assert tau_from(times(values, lengths, 0.0, 5)).value < 0 < rho
    found = tau_from(adaptive_times(values, lengths, 0.0))
    assert abs(found.value - exact) < 5 * found.se and found.lags > 20


def test_chains_too_short_for_the_lags_that_tau_needs_give_the_time_from_the_most():
    """Half a chain's: as many more tell that they are too few. Tau is 39."""
    values, lengths = ar1(0.95, 20, 60, seed=12)
    found = adaptive_times(values, lengths, 0.0)
    assert found.lags == 29 and not found.complete
    assert tau_from(found).value == tau_from(times(values, lengths, 0.0, 29)).value > 10
    assert not adaptive_times(np.zeros(100), [50, 50], 0.0).complete  # chains that never move
    assert not adaptive_times(np.ones(100), [50, 50], 0.0).complete


def times_of(values, lengths, max_lag):
    """Return what all_times gives of x, y and their average z, and the longer ones."""
    columns = {"x": values, "y": np.random.default_rng(15).standard_normal(values.size)}
    means = dict.fromkeys(columns, 0.0)
    return all_times(columns, means, tuple(lengths), {"z": ("x", "y")}, max_lag)


def test_where_given_lags_fail_their_check_there_is_the_time_from_twice_as_many():
    """It is tau(2K), with its own error, also of an average; z is short as x is.

    y is white noise: its check fails by chance in 0.3% of seeds.
    """
    values, lengths = ar1(0.9, 40, 2000, seed=16)
    taus, longer = times_of(values, lengths, 10)
    assert [tau.short for tau in taus.values()] == [True, False, True]
    assert taus["x"] == tau_from(times(values, lengths, 0.0, 10))
    twice = tau_from(times(values, lengths, 0.0, 20))
    assert longer.keys() == {"x", "z"} and longer["x"].lags == longer["z"].lags == 20
    assert longer["x"].value == pytest.approx(twice.value, rel=1e-12)
    assert longer["x"].se == pytest.approx(twice.se, rel=1e-9)


@pytest.mark.parametrize("length, short", [(60, True), (4000, False)])
def test_lags_that_follow_tau_are_never_doubled(length, short):
    """If the chains are too short for them, the time is from the most, and says so."""
    values, lengths = ar1(0.95, 20, length, seed=17)
    taus, longer = times_of(values, lengths, 0)
    assert not longer and [tau.short for tau in taus.values()] == [short, False, short]
    assert all(tau.value > 0 and tau.se > 0 for tau in taus.values())


@pytest.mark.parametrize("phi, least, most", [(0.5, 0, 12), (0.9, 300, 300)])
def test_quoted_times_are_right_whether_or_not_the_lags_are_doubled(phi, least, most):
    """What claims quote from K = 10, tau(K) or tau(2K), in 300 repetitions: z is standard.

    At phi 0.5 nothing is missing, and the check fails by chance in 0.5% of them (12 of 300: false
    alarm 1e-6). At phi 0.9 it always fails. The limits are 4 standard errors: false alarm 1e-4.
    """
    z, doubled = [], 0
    for seed in range(300):
        values, lengths = ar1(phi, 25, 1200, seed=[seed, 18])
        taus, longer = all_times({"x": values}, {"x": 0.0}, tuple(lengths), {}, 10)
        quoted, doubled = (taus | longer)["x"], doubled + len(longer)
        exact = 1 + 2 * sum(phi**k for k in range(1, quoted.lags + 1))
        z.append((quoted.value - exact) / quoted.se)
    assert least <= doubled <= most
    assert abs(np.mean(z)) < 0.24 and 0.85 < np.std(z) < 1.25
