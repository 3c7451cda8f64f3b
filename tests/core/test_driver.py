"""The driver: decisions, turns, counts; compiled and not, it does the same.

Tolerance of the statistical check: 5 standard errors; a false alarm on a new seed has a chance of
1e-5. With a line of the driver broken it must fail.
"""

import functools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from chains import Hamiltonian, broken, drive, single
from invariance import Skewed, deviation

from nrevu.cells.chains import interleave
from nrevu.core import rng
from nrevu.core.binding import bind_kernel, bind_plain
from nrevu.core.contracts import part
from nrevu.core.driver import Chains, Output, Schedule
from nrevu.core.sampler import Sampler
from nrevu.core.trials import random_bits
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.mixed import Mixed
from nrevu.distributions.network import Network
from nrevu.distributions.pairs import Pairs
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

BINDERS = pytest.mark.parametrize("bind", [bind_kernel, bind_plain], ids=["compiled", "plain"])


@dataclass(frozen=True)
class Flat:
    """The same density everywhere."""

    dim: int

    @staticmethod
    def energy(x, w, data):
        return 0.0


@dataclass(frozen=True)
class Chosen:
    """Goes on by 1, with a dH, `rise`, of one's choice."""

    rise: float
    stepsize: float = 1.0

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i]
        return 0.0

    @staticmethod
    def finish(m, h, now, new):
        return m.rise


@dataclass(frozen=True)
class Doubled(Chosen):
    """Goes on by 2, with a stepsize of each update's own."""

    @staticmethod
    def vary(m, bits):
        return 2.0 * m.eta


@dataclass(frozen=True)
class Varies(Doubled):
    """The same, but `vary` is called only if asked for."""

    varies: bool = False


@dataclass(frozen=True)
class Turns:
    """Moves the coordinate whose turn it is."""

    blocks: ClassVar[int] = 4
    separate_v: ClassVar[int] = 2
    stepsize: float = 1.0

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + (h[i] if i == now.turn else 0.0)
        return 0.0


@dataclass(frozen=True)
class Still:
    """A rule for u that leaves v where it is."""

    @staticmethod
    def move(r, v, uniform, bits):
        return v


@dataclass(frozen=True)
class Adds:
    """A rule for u that adds a quarter to v, and has no `rescale`: the default divides."""

    amount: float = 0.25

    @staticmethod
    def move(r, v, uniform, bits):
        return v + r.amount


# Decisions ----------------------------------------------------------------------------------


def decide(bind, v, dH):
    """Return whether one update with a v and a dH accepts, v after it, and its overflows."""
    rows, rejected = np.empty((1, 2), np.float32), np.empty(1, np.uint8)
    trace = np.empty((1, 1, 2), np.float32)
    bound, x, p = bind(Sampler(Flat(1), Chosen(dH), Still())), np.zeros(1), np.zeros(1)
    with np.errstate(invalid="ignore"):  # 0 / 0, which nobody uses
        after, *counts = single(
            bound, x, p, v, random_bits(), Schedule(1, 0, 0), rows, rejected, trace
        )
    accepted = bool(x[0] == 1)
    assert rejected[0] == 1 - accepted and rows[0, 0] == x[0] and counts[:2] == [1, 0]
    assert trace[0, 0].tolist() == [np.float32(abs(v)), accepted]
    return accepted, after, counts[2]


@BINDERS
def test_a_decision_rescales_v_on_acceptance_only(bind):
    accepted, v, _ = decide(bind, 0.2, 1.0)
    assert accepted and v == pytest.approx(0.2 / math.exp(-1.0), rel=1e-15)
    accepted, v, _ = decide(bind, -0.5, 1.0)
    assert not accepted and v == -0.5
    accepted, v, _ = decide(bind, -0.8, -2.0)  # downhill: the ratio is above 1 and is not capped
    assert accepted and v == pytest.approx(-0.8 / math.exp(2.0), rel=1e-15)


@BINDERS
def test_a_decision_is_strict_and_rejects_what_overflowed(bind):
    assert decide(bind, 1.0, 0.0) == (False, 1.0, 0)
    assert decide(bind, -1.0, 0.0) == (False, -1.0, 0)
    below = np.nextafter(1.0, 0.0)
    assert decide(bind, below, 0.0) == (True, below, 0)
    for dH in (math.inf, math.nan):
        assert decide(bind, 0.0, dH) == (False, 0.0, 1)


@BINDERS
def test_v_moves_before_it_is_compared_and_is_divided_by_the_ratio_after(bind):
    rows, rejected = np.empty((3, 2), np.float32), np.empty(3, np.uint8)
    trace = np.empty((1, 3, 2), np.float32)
    bound = bind(Sampler(Flat(1), Chosen(-math.log(2.0)), Adds()))
    x, bits = np.zeros(1), random_bits()
    v, *_ = single(bound, x, x.copy(), 0.5, bits, Schedule(1, 0, 0), rows, rejected, trace)
    used = [0.75, 0.75 / 2 + 0.25, 0.625 / 2 + 0.25]
    assert trace[0, :, 0] == pytest.approx(used) and trace[0, :, 1].all()
    assert v == pytest.approx(used[-1] / 2, rel=1e-15) and x[0] == 3


def test_a_trajectory_that_overflows_is_a_rejection_and_is_counted():
    start = np.array([0.5, -0.5])
    rows, rejected = np.empty((10, 2), np.float32), np.empty(10, np.uint8)
    x, p = start.copy(), np.zeros(2)
    bound = bind_kernel(Sampler(Skewed(2), Hamiltonian(1e3, L=10), Nonreversible(0.1)))
    bits = rng.streams(1, "0", 0)[1]
    _, *counts = single(bound, x, p, 0.5, bits, Schedule(5, 0, 1), rows, rejected)
    assert x.tolist() == start.tolist() and np.all(np.isfinite(p))
    assert rejected.tolist() == [5] * 10 and counts == [50, 500, 50]


@pytest.mark.slow
def test_the_check_sees_that_the_old_gradient_is_kept():
    old = "take(accepted[k] > 0, lane(now.g, k, dim), lane(new.g, k, dim))"
    sampler = Sampler(Skewed(2), Hamiltonian(0.9, 0.9), Nonreversible(0.1))
    assert deviation(broken(sampler), Skewed(2), group=6) < 5
    bound = broken(sampler, edit=(old, old.replace("new.g", "now.g")))
    assert deviation(bound, Skewed(2), group=6) > 8


@BINDERS
def test_the_stepsize_is_eta_unless_it_varies(bind):
    rows, rejected = np.empty((2, 2), np.float32), np.empty(2, np.uint8)
    cases = {Chosen(0.0): 1, Doubled(0.0): 2, Varies(0.0): 1, Varies(0.0, varies=True): 2}
    for method, each in cases.items():
        x, bound = np.zeros(3), bind(Sampler(Flat(3), method, Still()))
        single(bound, x, x.copy(), 0.5, random_bits(), Schedule(1, 0, 0), rows, rejected)
        assert x.tolist() == [2 * each] * 3 and rows[:, 0].tolist() == [each, 2 * each]


# Several v, and updates that take turns -----------------------------------------------------


@BINDERS
def test_updates_take_turns_and_use_their_v_in_turn(bind):
    """Of two chains; a chain's turns and its v go on from group to group."""
    v = np.array([[0.1, -0.2], [0.3, 0.4]])
    x, p, bits = np.zeros(8), np.zeros(8), np.array([random_bits(1), random_bits(2)])
    rows, rejected = np.empty((6, 2), np.float32), np.empty(6, np.uint8)
    trace = np.empty((2, 7, 2), np.float32)
    bound = bind(Sampler(Flat(4), Turns(), Adds(0.01)))
    output = Output(np.array([0, 3, 6]), rows, rejected, trace)
    drive(bound, Chains(x, p, v, np.zeros(0), bits), (), Schedule(3, 0, 0), output)
    assert x.tolist() == [3, 2, 2, 2] * 2  # 9 updates: turns 0 1 2 3 0 1 2 3 0
    assert v == pytest.approx(np.array([[0.15, -0.16], [0.35, 0.44]]))
    assert trace[0, :, 0] == pytest.approx([0.11, 0.19, 0.12, 0.18, 0.13, 0.17, 0.14])
    assert rows[:3, 0].tolist() == [1, 2, 3] and not rejected.any()


# The compiled driver and the other one ------------------------------------------------------

# The mixed problem, its chains one at a time, evaluated anew after each Gibbs scan.
Anew = type("Anew", (Mixed,), {"lanes": 1, "renew": None, "__module__": Mixed.__module__})
NETWORK = Network(3, 20, 1, 1, 5, 4.0, 0.5)
CASES = {
    "Metropolis": (Sampler(Gaussian(3), Metropolis(0.9), Nonreversible(0.2, 0.05)), 0),
    "trajectories": (Sampler(Pairs(4, 0.8), Hamiltonian(0.5, 0.3, 3, 30.0), Standard()), 0),
    "lanes": (Sampler(Mixed(5, 0.3), Hamiltonian(0.3, 0.9), Nonreversible(0.1)), 2),
    "lanes, Metropolis": (Sampler(Mixed(5, 0.3), Metropolis(0.4), Nonreversible(0.1)), 2),
    "without renew": (Sampler(Anew(5, 0.3), Hamiltonian(0.3, 0.9), Nonreversible(0.1)), 2),
    "scales": (Sampler(NETWORK, Hamiltonian(0.5, 0.9, 2), Nonreversible(0.1)), 2),
}


def run(bound, distribution, gibbs_every, chains=3):
    """Return all that a driver changes or fills, in a short run of chains of unequal lengths."""
    start, lanes = np.random.default_rng(4), part(distribution, "lanes")
    x, p = start.standard_normal((2, chains, distribution.dim))
    w = np.zeros((chains, part(distribution, "gibbs_variables")))
    flat = [interleave(each, lanes) for each in (x, p, w)]
    v, bits = start.uniform(-1, 1, (chains, 1)), np.array([random_bits(k) for k in range(chains)])
    columns = len(part(distribution, "recorded"))
    rows, rejected = np.zeros((13, columns), np.float32), np.zeros(13, np.uint8)
    output = Output(np.array([0, 5, 9, 13]), rows, rejected, np.zeros((chains, 12, 2), np.float32))
    data = part(distribution, "data")()
    counts = drive(
        bound, Chains(*flat[:2], v, flat[2], bits), data, Schedule(3, gibbs_every, 1), output
    )
    return {"x": flat[0], "p": flat[1], "w": flat[2], "v": v, "rows": rows, "trace": output.trace,
            "bits": bits, "rejected": rejected, "counts": counts}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_compiled_and_not_it_does_the_same(name):
    """The bits of generators and all decisions; sums may be rounded in another order."""
    sampler, gibbs_every = CASES[name]
    once = functools.partial(run, distribution=sampler.distribution, gibbs_every=gibbs_every)
    compiled, plain = once(bind_kernel(sampler)), once(bind_plain(sampler))
    assert 0 < compiled["rejected"].sum() < 39
    for key in ("bits", "rejected", "counts"):
        assert np.array_equal(compiled[key], plain[key]), key
    for key in ("x", "p", "w", "v", "rows", "trace"):
        assert compiled[key] == pytest.approx(plain[key], rel=1e-5, abs=1e-9), key


@pytest.mark.parametrize(
    "name, counts",
    [
        ("Metropolis", (39, 0, 0)),
        ("trajectories", (39, 39 * 3, 0)),
        ("scales", (39, 39 * 2, 0)),  # `renew` costs no evaluation
        ("without renew", (39 + 20, 39 + 20, 0)),
        ("lanes, Metropolis", (39 + 20, 0, 0)),
    ],
)
def test_counts_are_those_of_recorded_groups(name, counts):
    """13 groups of 3 updates; 20 scans, after every second update, are within them."""
    sampler, gibbs_every = CASES[name]
    assert run(bind_kernel(sampler), sampler.distribution, gibbs_every)["counts"] == counts
