"""The driver gives the same chains as the paper's algorithms written out step by step.

Compiled, and for shorter as a function of Python.
"""

import math

import numpy as np
import pytest
from chains import Hamiltonian, single

from nrevu.core import driver, rng
from nrevu.core.binding import bind_kernel, bind_plain
from nrevu.core.driver import Schedule
from nrevu.core.sampler import Sampler
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.pairs import Pairs
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible


class Numbers:
    """The random numbers that a kernel uses, one update at a time."""

    def __init__(self, bits, dim, noise):
        self.bits, self.dim, self.noise = bits, dim, noise
        self.block = driver.NORMALS // dim
        self.words = np.empty(rng.SCRATCH, np.uint64)
        self.normals, self.signed = np.empty(self.block * dim), np.zeros(self.block)
        self.used = self.block

    def refill(self):
        if self.used == self.block:
            rng.fill_normals(self.bits, self.words, self.normals)
            if self.noise > 0:
                rng.fill_signed(self.bits, self.words, self.signed)
            self.used = 0

    def next(self):
        self.used += 1
        k = self.used - 1
        return self.normals[k * self.dim : (k + 1) * self.dim], self.signed[k]


def moved(v, delta, noise, signed):
    """Equation (1), literally."""
    v = v + delta + noise * signed
    while v > 1:
        v -= 2
    while v < -1:
        v += 2
    return v


@pytest.mark.parametrize("bind, groups", [(bind_kernel, 300), (bind_plain, 140)])
def test_metropolis_is_the_literal_algorithm(bind, groups):
    """The chain equals one written out step by step on the same random numbers."""
    dim, eta, delta, noise, group, burn_in = 3, 0.9, 0.2, 0.05, 5, 4
    bits = rng.streams(3, "0", 0)[1]
    numbers = Numbers(bits.copy(), dim, noise)
    x, v = np.array([0.3, -1.0, 0.5]), 0.5
    rows, rejected = np.empty((groups, 2), np.float32), np.empty(groups, np.uint8)
    assert (groups + burn_in) * group > numbers.block  # more than one block of random numbers
    trace = np.empty((1, 40, 2), np.float32)
    bound = bind(Sampler(Gaussian(dim), Metropolis(eta), Nonreversible(delta, noise)))
    schedule = Schedule(group, 0, burn_in)
    last_v, density, gradients, _ = single(
        bound, x.copy(), x.copy(), v, bits, schedule, rows, rejected, trace
    )
    decisions = []
    for t in range(-burn_in, groups):
        refused = 0
        for _ in range(group):
            numbers.refill()
            normal, signed = numbers.next()
            proposal = x + eta * normal
            v = moved(v, delta, noise, signed)
            ratio = math.exp(0.5 * x @ x - 0.5 * proposal @ proposal)
            if t >= 0:
                decisions.append((abs(v), abs(v) < ratio))
            if abs(v) < ratio:
                x, v = proposal, v / ratio
            else:
                refused += 1
        if t >= 0:
            assert rejected[t] == refused
            assert rows[t] == pytest.approx([x[0], 0.5 * x @ x], rel=1e-5)
    assert last_v == pytest.approx(v, rel=1e-9)
    assert (density, gradients) == (group * groups, 0)
    assert trace[0] == pytest.approx(np.array(decisions[:40], float), rel=1e-6)


@pytest.mark.parametrize("bind, groups", [(bind_kernel, 200), (bind_plain, 172)])
@pytest.mark.parametrize("alpha, steps, jitter", [(0.0, 1, 0.0), (0.9, 1, 0.0), (0.3, 4, 30.0)])
def test_hamiltonian_is_the_literal_algorithm(alpha, steps, jitter, bind, groups):
    """Steps 1 to 4 of Section 4, each written out, give the same chain."""
    target = Pairs(4, 0.8)
    dim, eta, delta, noise, group, burn_in = 4, 0.5, 0.05, 0.01, 3, 2
    precision = np.linalg.inv(np.kron([[1, 0.8], [0.8, 1]], np.eye(2)))
    bits = rng.streams(5, "0", 0)[1]
    numbers = Numbers(bits.copy(), dim, noise)
    x, p, v = np.array([0.3, -1.0, 0.5, 0.1]), np.array([1.0, 0.0, -0.5, 0.2]), -0.3
    rows, rejected = np.empty((groups, 2), np.float32), np.empty(groups, np.uint8)
    assert (groups + burn_in) * group > numbers.block
    trace = np.empty((1, group * groups, 2), np.float32)
    method, u = Hamiltonian(eta, alpha, steps, jitter), Nonreversible(delta, noise)
    last_v, density, gradients, overflows = single(
        bind(Sampler(target, method, u)), x.copy(), p.copy(), v, bits,
        Schedule(group, 0, burn_in), rows, rejected, trace, data=target.data(),
    )  # fmt: skip
    energy = lambda x, p: 0.5 * x @ precision @ x + 0.5 * p @ p  # noqa: E731
    decisions = []
    for t in range(-burn_in, groups):
        refused = 0
        for _ in range(group):
            numbers.refill()
            step = eta / math.sqrt(rng.next_gamma(numbers.bits, jitter / 2)) if jitter else eta
            normal, signed = numbers.next()
            p = alpha * p + math.sqrt(1 - alpha**2) * normal  # step 1
            x_star, p_star = x, p  # step 2
            for _ in range(steps):
                p_star = p_star - step / 2 * precision @ x_star
                x_star = x_star + step * p_star
                p_star = p_star - step / 2 * precision @ x_star
            p_star = -p_star
            v = moved(v, delta, noise, signed)  # step 3
            ratio = math.exp(energy(x, p) - energy(x_star, p_star))
            if t >= 0:
                decisions.append((abs(v), abs(v) < ratio))
            if abs(v) < ratio:
                x, p, v = x_star, p_star, v / ratio
            else:
                refused += 1
            p = -p  # step 4
        if t >= 0:
            assert rejected[t] == refused
            assert rows[t] == pytest.approx([x[0], 0.5 * x @ precision @ x], rel=1e-4, abs=1e-5)
    assert 0.05 < rejected.mean() / group < 0.95
    assert last_v == pytest.approx(v, rel=1e-6)
    assert (density, gradients, overflows) == (group * groups, group * groups * steps, 0)
    assert trace[0] == pytest.approx(np.array(decisions, float), rel=1e-4, abs=1e-5)
