"""The Hamiltonian methods leave the joint distribution of (x, p, v) as it was; trajectories.

Tolerance of the statistics: 5 standard errors, at most 20 of them a case; a false alarm on a new
seed has a chance of 1e-5 a case. With a stage broken the same check must fail.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from chains import Hamiltonian, broken, edited, single
from invariance import Skewed, deviation

from nrevu.core import rng
from nrevu.core.binding import bind_kernel
from nrevu.core.contracts import STAGES, part
from nrevu.core.driver import Schedule
from nrevu.core.sampler import Sampler
from nrevu.distributions.pairs import Pairs
from nrevu.methods import hamiltonian
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard


@pytest.mark.parametrize("u", [Standard(), Nonreversible(0.03), Nonreversible(0.3, 0.05)], ids=str)
@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("alpha", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("distribution", [Skewed(2), Pairs(4, 0.9)], ids=["skewed", "pairs"])
def test_updates_leave_x_p_and_v_invariant(distribution, alpha, steps, u):
    eta = 0.9 if isinstance(distribution, Skewed) else 0.4
    bound = bind_kernel(Sampler(distribution, Hamiltonian(eta, alpha, steps), u))
    assert deviation(bound, distribution) < 5


def test_jitter_leaves_x_p_and_v_invariant():
    sampler = Sampler(Skewed(2), Hamiltonian(0.8, 0.5, 3, 10.0), Nonreversible(0.1))
    assert deviation(bind_kernel(sampler), Skewed(2)) < 5


def test_the_methods_are_settings_of_the_same_stages():
    """What is tried above with all settings is what they are."""
    d, names = Pairs(4, 0.9), ("eta", "alpha", "L", "jitter", "varies")
    cases = {
        Langevin(0.5): Hamiltonian(0.5),
        PersistentLangevin(0.5, 0.9, "update"): Hamiltonian(0.5, 0.9),
        HMC(0.5, 7, jitter=30.0): Hamiltonian(0.5, 0.0, 7, 30.0),
    }
    for method, other in cases.items():
        own, same = (Sampler(d, each, Standard()) for each in (method, other))
        assert own.stages == same.stages == {name: getattr(hamiltonian, name) for name in STAGES}
        assert [own.settings[name] for name in names] == [same.settings[name] for name in names]
        assert own.uses_gradient and same.uses_gradient
        assert bind_kernel(own).drive is bind_kernel(same).drive


EDITS = {  # a stage, some text of it, and what is there instead
    "p not reversed on rejection": ("settle", "else -old", "else +old"),
    "p negated on both branches": ("settle", "proposed if taken", "-proposed if taken"),
    "last half step forgotten": ("finish", "0.5 * h[i] * new.g[i]", "0.0 * h[i] * new.g[i]"),
    "first half step forgotten": ("propose", "now.p[i] - 0.5 * eta * now.g[i]", "now.p[i]"),
    "too little fresh momentum": ("propose", "math.sqrt(1.0 - m.alpha * m.alpha)", "1.0 - m.alpha"),
}


@pytest.mark.slow
@pytest.mark.parametrize("stage, old, new", EDITS.values(), ids=EDITS)
def test_the_check_sees_a_broken_stage(stage, old, new):
    sampler = Sampler(Skewed(2), Hamiltonian(0.9, 0.9), Nonreversible(0.1))
    bound = broken(sampler, **{stage: edited(getattr(hamiltonian, stage), old, new)})
    assert deviation(bound, Skewed(2), group=6) > 8


@pytest.mark.slow
def test_the_check_sees_v_that_is_not_rescaled():
    sampler = Sampler(Skewed(2), Hamiltonian(0.9, 0.9), Nonreversible(0.1))
    bound = broken(sampler, rescale=lambda r, v, ratio: v)
    assert deviation(bound, Skewed(2), group=6) > 8


@dataclass(frozen=True)
class Accepts:
    """A rule that accepts whatever is finite: u is 0."""

    @staticmethod
    def move(r, v, uniform, bits):
        return 0.0


def leapfrog(distribution, x, p, eta, steps):
    """Return the end of a trajectory, by the kernel itself: an update that always accepts."""
    x, p = x.copy(), p.copy()
    rows, rejected = np.empty((1, 2), np.float32), np.empty(1, np.uint8)
    bound = bind_kernel(Sampler(distribution, Hamiltonian(eta, 1.0, steps), Accepts()))
    data, bits = part(distribution, "data")(), rng.streams(1, "0", 0)[1]
    single(bound, x, p, 0.5, bits, Schedule(1, 0, 0), rows, rejected, data=data)
    assert rejected[0] == 0
    return x, p


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
