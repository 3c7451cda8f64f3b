"""The guided walk leaves the joint distribution of x, p and v as it was.

Tolerance: 5 standard errors, at most 20 statistics a case; a false alarm on a new seed has a chance
of 1e-5 a case. With the momentum not reversed on rejection the same check must fail.
"""

import math

import numpy as np
import pytest
from chains import broken, edited
from invariance import Skewed, deviation

from nrevu.conformance.proposals import FACTORS, Probe
from nrevu.core.binding import bind_kernel
from nrevu.core.sampler import Sampler
from nrevu.methods.guided_walk import GuidedWalk
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard


@pytest.mark.parametrize("u", [Standard(), Nonreversible(0.1)], ids=str)
@pytest.mark.parametrize("alpha", [0.0, 0.9, 1.0])
def test_it_leaves_x_p_and_v_invariant(alpha, u):
    bound = bind_kernel(Sampler(Skewed(2), GuidedWalk(0.9, alpha), u))
    assert deviation(bound, Skewed(2), group=6) < 5


def test_an_update_is_the_formula():
    x, p, n = np.random.default_rng(1).standard_normal((3, 3))
    found = Probe(Sampler(Skewed(3), GuidedWalk(0.5, 0.9), Standard())).propose(x, p, n)
    refreshed = 0.9 * p + math.sqrt(0.19) * n
    assert found.p == pytest.approx(refreshed) and found.besides == 0.0
    assert found.x == pytest.approx(x + 0.5 * np.array(FACTORS) * refreshed)
    assert found.taken == pytest.approx(refreshed) and found.rejected == pytest.approx(-refreshed)


@pytest.mark.slow
def test_the_check_sees_a_momentum_that_is_not_reversed():
    settle = edited(GuidedWalk.settle, "else -p", "else p")
    bound = broken(Sampler(Skewed(2), GuidedWalk(0.9, 0.9), Nonreversible(0.1)), settle=settle)
    assert deviation(bound, Skewed(2), group=6) > 8
