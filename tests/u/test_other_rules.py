"""The rules for u that are not in the paper: they leave the distribution of x and v as it was.

Tolerance: 5 standard errors, at most 20 statistics a case; a false alarm on a new seed has a chance
of 1e-5 a case.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from invariance import deviation

from nrevu.core.binding import bind_kernel
from nrevu.core.rng import next_normal
from nrevu.core.sampler import Sampler
from nrevu.core.trials import random_bits
from nrevu.distributions.gaussian import Gaussian
from nrevu.methods.metropolis import Metropolis
from nrevu.u.gaussian_noise import GaussianNoise
from nrevu.u.reversible import Reversible


@pytest.mark.parametrize("u", [Reversible(0.3), GaussianNoise(0.0, 0.2), GaussianNoise(0.3, 2.0)])
def test_they_leave_x_and_v_invariant(u):
    assert deviation(bind_kernel(Sampler(Gaussian(2), Metropolis(1.5), u)), Gaussian(2)) < 5


def test_a_reversible_v_goes_up_or_down_by_the_sign_of_the_uniform():
    moves = [Reversible.move(SimpleNamespace(delta=0.25), 0.5, s, None) for s in (0.1, -0.9)]
    assert moves == [0.75, 0.25]
    assert Reversible.move(SimpleNamespace(delta=0.75), 0.5, 1.0, None) == -0.75  # wrapped


def test_gaussian_noise_has_its_mean_and_standard_deviation():
    """Of 40,000 moves, within 5 standard errors; no move leaves [-1,1]."""
    bits, rule = random_bits(), GaussianNoise(0.1, 0.05)
    moves = np.array([rule.move(rule, 0.2, 0.0, bits) for _ in range(40_000)]) - 0.2
    assert abs(moves.mean() - 0.1) < 5 * 0.05 / 200
    assert abs(moves.std() / 0.05 - 1) < 5 / np.sqrt(2 * 40_000)
    wide = GaussianNoise(0.0, 3.0)
    assert all(abs(rule.move(wide, 0.9, 0.0, bits)) <= 1 for _ in range(1000))


def test_moves_are_the_formulas():
    bits = random_bits()
    normal = next_normal(bits.copy())
    r = SimpleNamespace(delta=0.3, sd=0.01)
    assert GaussianNoise.move(r, 0.2, 0.0, bits) == pytest.approx(0.5 + 0.01 * normal)
    assert Reversible.move(r, 0.2, 0.7, bits) == pytest.approx(0.5)
    assert Reversible.move(r, 0.2, -0.7, bits) == pytest.approx(-0.1)
    assert Reversible.move(r, 0.9, 0.7, bits) == pytest.approx(-0.8)
