"""The rule for u: equations (1) and (2). That updates keep v uniform sees a rule that is broken.

Tolerance of that check: 5 standard errors; a false alarm on a new seed has a chance of 1e-5 a case.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from chains import broken
from invariance import deviation

from nrevu.core.sampler import Sampler
from nrevu.core.trials import random_bits
from nrevu.distributions.gaussian import Gaussian
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

BITS = random_bits()


def move(v, delta, noise, uniform):
    """Return v moved by a rule with any settings."""
    return Nonreversible.move(SimpleNamespace(delta=delta, noise=noise), v, uniform, BITS)


@pytest.mark.parametrize(
    "v, delta, noise, uniform, moved",
    [
        (0.5, 0.3, 0.0, 0.0, 0.8),
        (0.9, 0.3, 0.0, 0.0, -0.8),
        (-0.9, -0.3, 0.0, 0.0, 0.8),
        (0.25, 0.25, 0.5, -1.0, 0.0),
        (0.9, 1.0, 1.0, 1.0, 0.9),
        (1.0, 0.0, 0.0, 0.0, 1.0),  # the ends themselves are inside
        (-1.0, 0.0, 0.0, 0.0, -1.0),
    ],
)
def test_move(v, delta, noise, uniform, moved):
    before = BITS.copy()
    assert move(v, delta, noise, uniform) == pytest.approx(moved, abs=1e-15)
    assert np.array_equal(BITS, before)


def test_move_keeps_v_uniform():
    # A grid of equally spaced points goes into itself, shifted.
    grid = np.linspace(-1, 1, 2000, endpoint=False) + 0.0005
    for delta in (0.03, 0.3, -0.7, 1.0):
        moved = np.sort([move(v, delta, 0.0, 0.0) for v in grid])
        assert np.allclose(np.diff(moved), 0.001, atol=1e-12) and np.ptp(moved) < 2


def test_standard_u_forgets_v():
    rule = Standard()
    fresh = lambda v, uniform: rule.move(rule, v, uniform, BITS)  # noqa: E731
    uniforms = np.linspace(-0.9, 0.9, 7)
    moved = {v: sorted(fresh(v, s) for s in uniforms) for v in (-0.3, 0.0, 0.8)}
    assert all(-1 <= value <= 1 for values in moved.values() for value in values)
    u = np.random.default_rng(1).uniform(-1, 1, (2, 200_000))
    after = np.array([fresh(v, s) for v, s in u.T])
    for f in (np.abs, lambda a: a):
        a, b = f(u[0]) - f(u[0]).mean(), f(after) - f(after).mean()
        # Correlation within 5 standard errors: false alarm 6e-7 each.
        assert abs(np.mean(a * b)) / (a.std() * b.std()) < 5 / math.sqrt(a.size)


@pytest.mark.parametrize("rule", [Nonreversible(0.3), Standard()], ids=str)
@pytest.mark.parametrize("v, dH", [(0.2, 1.0), (-0.8, -2.0), (0.3, 0.0)])
def test_rescaling_keeps_s(rule, v, dH):
    """S = |v| pi stays the same, also downhill, where the ratio is above 1: it is not capped."""
    ratio = math.exp(-dH)
    rescaled = rule.rescale(rule, v, ratio)
    assert rescaled * ratio == pytest.approx(v, rel=1e-15)


def test_the_standard_rule_is_the_nonreversible_one_with_full_noise():
    full, standard = (
        Sampler(Gaussian(2), Metropolis(1.0), u) for u in (Nonreversible(0, 1), Standard())
    )
    assert full.moves == standard.moves and full.rule_settings == standard.rule_settings
    assert standard.rule_settings == {"delta": 0.0, "noise": 1.0, "uniforms": 1}
    assert Sampler(*full[:2], Nonreversible(0.3)).rule_settings["uniforms"] == 0
    with pytest.raises(ValueError, match="never moves v"):
        Nonreversible(0.0, 0.0)


# Broken rules -------------------------------------------------------------------------------


def keeps_v(r, v, ratio):
    """A rule that forgets to rescale v."""
    return v


def capped(r, v, ratio):
    """A rule that caps the ratio at 1 before it rescales v."""
    return v / min(1.0, ratio)


def clipped(r, v, uniform, bits):
    """A wrap that stops at the ends instead of going on at the other one."""
    return min(1.0, max(-1.0, v + r.delta + r.noise * uniform))


def wraps_by_one(r, v, uniform, bits):
    """A wrap by 1 instead of 2."""
    v += r.delta + r.noise * uniform
    return v - 1.0 if v > 1.0 else v


@pytest.mark.parametrize(
    "sabotage",
    [
        pytest.param({"rescale": keeps_v}, id="v not rescaled"),
        pytest.param({"rescale": capped}, id="ratio capped", marks=pytest.mark.slow),
        pytest.param({"move": clipped}, id="wrap clipped", marks=pytest.mark.slow),
        pytest.param({"move": wraps_by_one}, id="wrap by 1", marks=pytest.mark.slow),
    ],
)
def test_the_check_sees_a_broken_rule(sabotage):
    sampler = Sampler(Gaussian(2), Metropolis(1.5), Nonreversible(0.3))
    assert deviation(broken(sampler, **sabotage), Gaussian(2)) > 8
