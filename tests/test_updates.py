"""The updates leave the joint distribution of (x, v) as it was, and do what the paper says.

Chains start from exact draws, so each statistic's mean is known at once. Tolerance: 5 standard
errors, 12 statistics a case; a false alarm on a new seed has a chance of 7e-6 a case. The same
check is run on updates with a part broken, and must then fail.
"""

import math

import numpy as np
import pytest
from numba import njit

from nrevu import rng, updates
from nrevu.distributions.gaussian import Gaussian
from nrevu.kernel import bind, build

CHAINS = 100_000


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
def reflects(v, delta, noise, signed):
    """A wrap that stops at the ends instead of going on at the other one."""
    return min(1.0, max(-1.0, v + delta + noise * signed))


@njit
def wraps_wrongly(v, delta, noise, signed):
    """A wrap by 1 instead of 2."""
    v += delta + noise * signed
    return v - 1.0 if v > 1.0 else v


def broken(**functions):
    """Return the Metropolis kernel with some of its functions replaced."""
    own = {name: njit(getattr(Gaussian, name)) for name in ("energy", "record")}
    return njit(bind(updates.metropolis, "broken", {**own, **functions}))


def largest_deviation(kernel, delta, noise, dim=2, eta=1.5, updates_each=4):
    """Return the largest deviation of the statistics after some updates, in standard errors."""
    start = np.random.default_rng(7)
    x = start.standard_normal((CHAINS, dim))
    v = start.uniform(-1, 1, CHAINS)
    bits = rng.streams(11, "0", 0)[1]
    rows, rejected = np.empty((1, 2), np.float32), np.empty(1, np.uint8)
    for i in range(CHAINS):
        v[i], _ = kernel(x[i], v[i], bits, (), eta, delta, noise, updates_each, 0, rows, rejected)
    r2 = np.sum(x**2, axis=1)
    centred = (r2 - dim) / math.sqrt(2 * dim)
    slow = np.exp(-r2 / 2) - 2 ** (-dim / 2)  # the density, where v's rescaling acts
    a, c = np.abs(v) - 0.5, v**2 - 1 / 3
    statistics = [x[:, 0], centred, centred**2 - 1, slow, v, a, c]
    statistics += [v * x[:, 0], a * centred, c * centred, a * slow, v * centred]
    return max(abs(s.mean()) / (s.std() / math.sqrt(CHAINS)) for s in statistics)


@pytest.mark.parametrize("delta, noise", [(0.0, 1.0), (0.3, 0.0), (0.03, 0.0), (-0.7, 0.1)])
def test_metropolis_leaves_x_and_v_invariant(delta, noise):
    assert largest_deviation(build("metropolis", Gaussian), delta, noise) < 5


@pytest.mark.parametrize(
    "sabotage",
    [{"decide": keeps_v}, {"decide": capped}, {"move": reflects}, {"move": wraps_wrongly}],
    ids=["v not rescaled", "ratio capped", "wrap clipped", "wrap by 1"],
)
def test_the_check_sees_a_broken_update(sabotage):
    assert largest_deviation(broken(**sabotage), 0.3, 0.0) > 8


def test_metropolis_is_the_literal_algorithm():
    """The chain equals one written out step by step on the same random numbers."""
    dim, eta, delta, noise, group, groups, burn_in = 3, 0.9, 0.2, 0.05, 5, 300, 4
    bits = rng.streams(3, "0", 0)[1]
    stream = bits.copy()
    x = start = np.array([0.3, -1.0, 0.5])
    v = 0.5
    rows, rejected = np.empty((groups, 2), np.float32), np.empty(groups, np.uint8)
    last_v, density = build("metropolis", Gaussian)(
        start.copy(), v, bits, (), eta, delta, noise, group, burn_in, rows, rejected
    )
    block = updates.NORMALS // dim
    words = np.empty(rng.SCRATCH, np.uint64)
    normals, signed = np.empty(block * dim), np.empty(block)
    count = 0
    for t in range(-burn_in, groups):
        refused = 0
        for _ in range(group):
            if count % block == 0:
                rng.fill_normals(stream, words, normals)
                rng.fill_signed(stream, words, signed)
            k = count % block
            count += 1
            proposal = x + eta * normals[k * dim : (k + 1) * dim]
            v = v + delta + noise * signed[k]
            v = v - 2 if v > 1 else v + 2 if v < -1 else v
            ratio = math.exp(0.5 * x @ x - 0.5 * proposal @ proposal)
            if abs(v) < ratio:
                x, v = proposal, v / ratio
            else:
                refused += 1
        if t >= 0:
            assert rejected[t] == refused
            assert rows[t] == pytest.approx([x[0], 0.5 * x @ x], rel=1e-5)
    assert last_v == pytest.approx(v, rel=1e-9)
    assert density == group * groups
