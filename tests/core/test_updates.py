"""The updates leave the joint distribution of (x, p, v) as it was, and do what the paper says.

Chains start from exact draws, so each statistic's mean is known at once. Tolerance: 5 standard
errors, at most 20 statistics a case; a false alarm on a new seed has a chance of 1e-5 a case. The
same check is run on updates with a part broken, and must then fail.
"""

import functools
import inspect
import math

import numpy as np
import pytest
from chains import advance, single

from nrevu.core import rng, updates
from nrevu.core.binding import OPTIONS, bind, bind_kernel, kernel_globals
from nrevu.core.target import njit
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.pairs import Pairs

CHAINS = 60_000
NO_W = np.empty(0)


class Skewed:
    """Independent exp(x) ~ Gamma(2): U = e^x - 2x, neither symmetric nor Gaussian."""

    def __init__(self, dim):
        self.dim = dim

    def draw(self, generator, chains):
        return np.log(generator.gamma(2.0, size=(chains, self.dim)))

    def data(self):
        return ()

    @staticmethod
    def energy(x, w, data):
        total = 0.0
        for i in range(x.size):
            total += math.exp(x[i]) - 2.0 * x[i]
        return total

    @staticmethod
    def gradient(x, w, data, g):
        total = 0.0
        for i in range(x.size):
            g[i] = math.exp(x[i]) - 2.0
            total += math.exp(x[i]) - 2.0 * x[i]
        return total

    @staticmethod
    def record(x, w, U, data, row):
        row[0] = x[0]
        row[1] = U


def draws(distribution, generator):
    """Return exact draws (CHAINS, dim)."""
    if isinstance(distribution, Skewed):
        return distribution.draw(generator, CHAINS)
    return np.array([distribution.draw(generator) for _ in range(CHAINS)])


def deviation(kernel, distribution, arguments, delta, noise, updates_each=4):
    """Return the largest deviation of the statistics after some updates, in standard errors."""
    start = np.random.default_rng(7)
    x = draws(distribution, start)
    p = start.standard_normal(x.shape)
    v = start.uniform(-1, 1, CHAINS)
    x_before = x.copy()
    advance(kernel, distribution, x, p, v, arguments, delta, noise, (updates_each, 0))
    f, exact = functions(distribution, x), functions(distribution, x_before)
    zero = [p[:, 0], p[:, 0] ** 2 - 1, v, np.abs(v) - 0.5, v**2 - 1 / 3]
    zero += [p[:, 0] * v, p[:, 0] * np.abs(v), (p[:, 0] ** 2 - 1) * (np.abs(v) - 0.5)]
    centred = [a - a.mean() for a in f]
    zero += [centred[0] * p[:, 0], centred[1] * (p[:, 0] ** 2 - 1), centred[3] * v]
    zero += [centred[3] * (np.abs(v) - 0.5), centred[0] * v, centred[3] * (v**2 - 1 / 3)]
    scores = [abs(a.mean()) / (a.std() / math.sqrt(CHAINS)) for a in zero]
    # Against the exact draws themselves, whose mean is as uncertain as the sample's.
    scores += [
        abs((a - b).mean()) / ((a - b).std() / math.sqrt(CHAINS))
        for a, b in zip(f, exact, strict=True)
        if np.any(a != b)
    ]
    return max(scores)


def functions(distribution, x):
    """Return some functions of the states x (CHAINS, dim), the last one the energy."""
    energy = compiled_energy(type(distribution))
    energies = np.array([energy(state, NO_W, distribution.data()) for state in x])
    return [x[:, 0], x[:, 0] ** 2, x[:, -1] * x[:, 0], energies]


@functools.cache
def compiled_energy(kind):
    """Return the compiled energy of a class of distributions."""
    return njit(kind.energy)


# Metropolis ---------------------------------------------------------------------------------


@njit
def keeps_v(v, dH):
    """A decision that forgets to rescale v."""
    return abs(v) < math.exp(-dH), v


@njit
def capped(v, dH):
    """A decision that caps the ratio at 1 before it rescales v."""
    ratio = min(1.0, math.exp(-dH))
    return (True, v / ratio) if abs(v) < ratio else (False, v)


@njit
def clipped(v, delta, noise, signed):
    """A wrap that stops at the ends instead of going on at the other one."""
    return min(1.0, max(-1.0, v + delta + noise * signed))


@njit
def wraps_by_one(v, delta, noise, signed):
    """A wrap by 1 instead of 2."""
    v += delta + noise * signed
    return v - 1.0 if v > 1.0 else v


def broken(update, distribution, edit=None, **functions):
    """Return a kernel with some functions replaced, or with a line of its source changed."""
    source = getattr(updates, update)
    if edit:
        old, new = edit
        text = inspect.getsource(source)
        assert old in text
        scope = dict(vars(updates))
        exec(text.replace(old, new), scope)
        source = scope[update]
    return njit(**OPTIONS)(bind(source, "broken", kernel_globals(type(distribution)) | functions))


@pytest.mark.parametrize("delta, noise", [(0.0, 1.0), (0.3, 0.0), (0.03, 0.0), (-0.7, 0.1)])
def test_metropolis_leaves_x_and_v_invariant(delta, noise):
    assert deviation(bind_kernel("metropolis", Gaussian), Gaussian(2), (1.5,), delta, noise) < 5


@pytest.mark.parametrize(
    "sabotage",
    [
        pytest.param({"decide": keeps_v}, id="v not rescaled"),
        pytest.param({"decide": capped}, id="ratio capped", marks=pytest.mark.slow),
        pytest.param({"move": clipped}, id="wrap clipped", marks=pytest.mark.slow),
        pytest.param({"move": wraps_by_one}, id="wrap by 1", marks=pytest.mark.slow),
    ],
)
def test_the_check_sees_a_broken_metropolis(sabotage):
    kernel = broken("metropolis", Gaussian(2), **sabotage)
    assert deviation(kernel, Gaussian(2), (1.5,), 0.3, 0.0) > 8


# The Hamiltonian family ---------------------------------------------------------------------


@pytest.mark.parametrize("u", [(0.0, 1.0), (0.03, 0.0), (0.3, 0.05)], ids=str)
@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("alpha", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("distribution", [Skewed(2), Pairs(4, 0.9)], ids=["skewed", "pairs"])
def test_hamiltonian_leaves_x_p_and_v_invariant(distribution, alpha, steps, u):
    eta = 0.9 if isinstance(distribution, Skewed) else 0.4
    kernel = bind_kernel("hamiltonian", type(distribution))
    assert deviation(kernel, distribution, (eta, alpha, steps, 0.0), *u) < 5


def test_jitter_leaves_x_p_and_v_invariant():
    kernel = bind_kernel("hamiltonian", Skewed)
    assert deviation(kernel, Skewed(2), (0.8, 0.5, 3, 10.0), 0.1, 0.0) < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "sabotage",
    [
        {"decide": keeps_v},
        {"edit": ("= new if taken else -old", "= new if taken else +old")},
        {"edit": ("= new if taken else -old", "= -new if taken else -old")},
        {"edit": ("p_end[i] -= 0.5 * each * force[i]", "p_end[i] -= 0.0 * each * force[i]")},
        {"edit": ("p_end[i] = p_old[i] - 0.5 * each * force[i]", "p_end[i] = p_old[i]")},
        {"edit": ("fresh = math.sqrt(1.0 - alpha * alpha)", "fresh = 1.0 - alpha")},
        {"edit": ("lane(g, k, dim), lane(g_new, k, dim)\n", "lane(g, k, dim), lane(g, k, dim)\n")},
    ],
    ids=[
        "v not rescaled",
        "p not reversed on rejection",
        "p negated on both branches",
        "last half step forgotten",
        "first half step forgotten",
        "too little fresh momentum",
        "old gradient kept",
    ],
)
def test_the_check_sees_a_broken_hamiltonian(sabotage):
    kernel = broken("hamiltonian", Skewed(2), **sabotage)
    assert deviation(kernel, Skewed(2), (0.9, 0.9, 1, 0.0), 0.1, 0.0, updates_each=6) > 8


def leapfrog(distribution, x, p, eta, steps):
    """Return the end of a trajectory, by the kernel itself: an update that always accepts."""
    accept = njit(lambda v, dH: (True, v))
    kernel = leapfrog.kernels.setdefault(
        type(distribution), broken("hamiltonian", distribution, decide=accept)
    )
    x, p = x.copy(), p.copy()
    rows, rejected = np.empty((1, 2), np.float32), np.empty(1, np.uint8)
    settings = (eta, 1.0, steps, 0.0, 0.1, 0.0, 1, 0, 0)
    bits = rng.streams(1, "0", 0)[1]
    single(kernel, x, p, 0.5, bits, distribution.data(), settings, rows, rejected)
    return x, p


leapfrog.kernels = {}


@pytest.mark.parametrize("steps", [1, 5, 20])
@pytest.mark.parametrize("distribution", [Skewed(3), Pairs(6, 0.9)], ids=["skewed", "pairs"])
def test_leapfrog_is_reversible(distribution, steps):
    generator = np.random.default_rng(3)
    x, p = generator.standard_normal((2, distribution.dim))
    there_x, there_p = leapfrog(distribution, x, p, 0.2, steps)
    back_x, back_p = leapfrog(distribution, there_x, -there_p, 0.2, steps)
    assert np.max(np.abs(there_x - x)) > 0.01
    assert back_x == pytest.approx(x, abs=1e-12) and -back_p == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize("distribution", [Skewed(2), Pairs(2, 0.9)], ids=["skewed", "pairs"])
def test_leapfrog_preserves_volume(distribution):
    state = np.array([0.3, -0.2, 0.5, -0.7])
    end = lambda s: np.concatenate(leapfrog(distribution, s[:2], s[2:], 0.2, 5))  # noqa: E731
    h = 1e-5
    jacobian = [(end(state + h * e) - end(state - h * e)) / (2 * h) for e in np.eye(4)]
    assert abs(np.linalg.det(jacobian)) == pytest.approx(1.0, abs=1e-8)


def test_a_trajectory_that_overflows_is_a_rejection_and_is_counted():
    start = np.array([0.5, -0.5])
    rows, rejected = np.empty((10, 2), np.float32), np.empty(10, np.uint8)
    x, p = start.copy(), np.zeros(2)
    settings = (1e3, 0.0, 10, 0.0, 0.1, 0.0, 5, 0, 1)
    bits = rng.streams(1, "0", 0)[1]
    kernel = bind_kernel("hamiltonian", Skewed)
    counts = single(kernel, x, p, 0.5, bits, (), settings, rows, rejected)
    assert x.tolist() == start.tolist() and np.all(np.isfinite(p))
    assert rejected.tolist() == [5] * 10 and counts[3] == 50 and math.isfinite(counts[0])
