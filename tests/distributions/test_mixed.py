"""The mixed problem: density, gradient, conditional draws, and invariance with Gibbs between.

Chains start from exact joint draws. Tolerance: 5 standard errors, 14 statistics a case; a false
alarm on a new seed has a chance of 8e-6 a case. With a part broken the same check must fail.
"""

import math

import numpy as np
import pytest
from chains import Hamiltonian, advance, broken

from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.cells.chains import sample
from nrevu.core import rng
from nrevu.core.binding import bind_kernel, fixed_dim
from nrevu.core.sampler import Sampler
from nrevu.core.target import njit
from nrevu.distributions.mixed import Mixed
from nrevu.errors import Mistake
from nrevu.experiments.settings import parse, resolve
from nrevu.methods.hamiltonian import HMC, PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

CHAINS = 40_000
MIXED = Mixed(20, 0.3)  # a wider sd than the paper's, so that few updates move x[0] a good way


@pytest.mark.parametrize("x", [(0.3, 0.2), (-2.0, -1.9), (5.0, 5.5), (0.0, 0.0), (-40.0, -40.0)])
def test_energy_and_gradient(x):
    binaries = [1, 0, 1, 1, 0]
    model = Mixed(5, 0.5)
    w, data = np.array([sum(binaries), *binaries], float), model.data()
    chance = 1 / (1 + math.exp(x[0]))
    literal = 0.5 * x[0] ** 2 + 0.5 * ((x[1] - x[0]) / 0.5) ** 2
    literal -= (
        sum(math.log(chance) if w else math.log1p(-chance) for w in binaries) if x[0] > -30 else 0
    )
    energy = njit(Mixed.energy)
    if x[0] > -30:
        assert energy(np.array(x), w, data) == pytest.approx(literal, rel=1e-12)
    g = np.empty(2)
    assert njit(Mixed.gradient)(np.array(x), w, data, g) == pytest.approx(
        energy(np.array(x), w, data)
    )
    for i, h in enumerate(np.eye(2) * 1e-6):
        slope = (energy(np.array(x) + h, w, data) - energy(np.array(x) - h, w, data)) / 2e-6
        assert g[i] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_known_means():
    means = MIXED.means()
    assert round(means["indicator"], 7) == 0.6246553
    rng_ = np.random.default_rng(1)
    rows = np.array([[MIXED.draw(rng_)[0]] for _ in range(100_000)], np.float32)
    for values, (name, mean) in zip(MIXED.derive(rows).T, means.items(), strict=True):
        error = values.std() / math.sqrt(len(values))
        assert abs(values.mean() - mean) < 5 * error, name


def test_gibbs_draws_each_binary_with_its_exact_probability():
    w, data, bits = np.zeros(21), MIXED.data(), rng.streams(1, "0", 0)[1]
    gibbs = njit(Mixed.gibbs)
    for x0 in (-1.0, 0.0, 2.0):
        chance = 1 / (1 + math.exp(x0))
        draws = np.empty((20_000, 20))
        for i in range(len(draws)):
            gibbs(np.array([x0, 0.0]), w, data, bits)
            draws[i] = w[1:]
            assert w[0] == w[1:].sum()
        error = math.sqrt(chance * (1 - chance) / len(draws))
        assert np.max(np.abs(draws.mean(axis=0) - chance)) < 5 * error
        correlation = np.corrcoef(draws.T)[np.triu_indices(20, 1)]
        assert np.max(np.abs(correlation)) < 5.5 / math.sqrt(len(draws))


def deviation(bound, group, gibbs_every):
    """Return the largest deviation after one group from exact joint draws, in standard errors."""
    start = np.random.default_rng(5)
    x = np.array([MIXED.draw(start) for _ in range(CHAINS)])
    p = start.standard_normal(x.shape)
    every_v = start.uniform(-1, 1, (CHAINS, 1))
    before = x.copy()
    w = advance(bound, MIXED, x, p, every_v, group, gibbs_every, columns=1, seed=6)
    assert np.mean(x != before) > 0.5  # or the check would say nothing
    v = every_v[:, 0]
    binaries = w[:, 1:]
    assert np.array_equal(w[:, 0], binaries.sum(axis=1))
    chance = 1 / (1 + np.exp(x[:, 0]))
    excess = binaries.sum(axis=1) - 20 * chance  # mean 0 and variance 20 c (1 - c) given x
    gap = (x[:, 1] - x[:, 0]) / MIXED.sd
    a = np.abs(v) - 0.5
    zero = [x[:, 0], x[:, 0] ** 2 - 1, gap, gap**2 - 1, excess, excess * x[:, 0]]
    zero += [excess**2 - 20 * chance * (1 - chance), binaries[:, 0] - chance]
    zero += [binaries[:, 0] * binaries[:, 19] - chance**2, p[:, 0] ** 2 - 1, x[:, 0] * p[:, 0]]
    zero += [gap * p[:, 1], v, a, v**2 - 1 / 3, a * (x[:, 0] ** 2 - 1), a * excess, v * x[:, 0]]
    zero += [a * (gap**2 - 1), a * (p[:, 1] ** 2 - 1)]
    return max(abs(s.mean()) / (s.std() / math.sqrt(CHAINS)) for s in zero)


LANGEVIN = Hamiltonian(0.25, 0.9)
TRAJECTORY = Hamiltonian(0.25, 0.0, 4, 10.0)


@pytest.mark.parametrize("u", [Standard(), Nonreversible(0.1)], ids=["standard", "nonreversible"])
@pytest.mark.parametrize(
    "method, group, gibbs_every", [(LANGEVIN, 20, 5), (TRAJECTORY, 3, 1)], ids=["langevin", "hmc"]
)
def test_one_group_leaves_everything_invariant(method, group, gibbs_every, u):
    assert deviation(bind_kernel(Sampler(MIXED, method, u)), group, gibbs_every) < 5


def test_metropolis_with_gibbs_leaves_everything_invariant():
    sampler = Sampler(MIXED, Metropolis(0.4), Nonreversible(0.1))
    assert deviation(bind_kernel(sampler), 20, 5) < 5


def wrong_side(x, w, data, bits):
    """Gibbs with P(1) and P(0) exchanged."""
    chance = 1.0 / (1.0 + math.exp(-x[0]))
    w[0] = 0.0
    for i in range(1, w.size):
        w[i] = rng.next_uniform(bits) < chance
        w[0] += w[i]


SCAN = "                scans += 0 if RENEWS else 1\n"
TOUCHED = SCAN + "                every_v[:] *= 0.5\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "sabotage",
    [
        {"gibbs": wrong_side},
        {"edit": (SCAN, TOUCHED)},
        {"renew": lambda x, w, before, data, U, g: U},
    ],
    ids=["Gibbs on the wrong side", "v touched by Gibbs", "energy not renewed after Gibbs"],
)
def test_the_check_sees_a_broken_scan(sabotage):
    bound = broken(Sampler(MIXED, LANGEVIN, Nonreversible(0.1)), **sabotage)
    assert deviation(bound, 20, 5) > 8


def test_a_gibbs_scan_costs_no_evaluation():
    run = Run(50, 2, 5)
    langevin = PersistentLangevin(0.03, 0.995, "update")
    series = sample(Cell(Mixed(20, 0.04), langevin, Nonreversible(0.01), Schedule(60, 10), run, 1))
    assert (series.density, series.gradient) == (50 * 60, 50 * 60)
    hmc = sample(
        Cell(
            Mixed(20, 0.04), HMC(0.035, 40, 0.0, 10.0), Nonreversible(0.01), Schedule(3, 1), run, 1
        )
    )
    assert (hmc.density, hmc.gradient) == (50 * 3, 50 * 120)


def test_the_published_runs_in_short():
    """At 20,000 groups, within 5 standard errors of the paper's numbers from 199,000."""
    common = ["distribution=mixed", "run.groups=20000", "estimate.max_lag=15", "method.scaling=0"]
    langevin = "method=persistent_langevin method.alpha_per=update method.stepsize=0.03"
    langevin += " method.alpha=0.995 u=nonreversible u.delta=0.01 schedule.group=60"
    hmc = "method=hmc method.stepsize=0.035 method.L=40 method.jitter=10 schedule.group=3"
    from nrevu.analysis.result import summarise

    for words, every, rate, tau in (
        (langevin, 10, 0.093834, 1.666017),
        (hmc, 1, 0.171698, 1.527655),
    ):
        cell, estimate = resolve(parse([*common, *words.split(), f"schedule.gibbs_every={every}"]))
        found = summarise(cell, sample(cell), estimate)
        for value, published in ((found["rejection_rate"], rate), (found["tau"]["indicator"], tau)):
            assert abs(value["value"] - published) < 5 * value["se"] * math.sqrt(1 + 20 / 199)


@pytest.mark.parametrize(
    "words, says",
    [
        (["distribution=mixed"], "only Gibbs scans move"),
        (["distribution=gaussian", "schedule.gibbs_every=3"], "nothing to Gibbs-sample"),
    ],
)
def test_a_schedule_must_fit_the_distribution(words, says):
    with pytest.raises(Mistake, match=says):
        resolve(parse(words))


def test_the_dimension_is_fixed_only_where_it_cannot_vary():
    from nrevu.distributions.gaussian import Gaussian

    assert fixed_dim(Mixed) == 2 and fixed_dim(Gaussian) == 0
