"""The guided walk leaves the joint distribution of x, p and v as it was.

Tolerance: 5 standard errors, at most 20 statistics a case; a false alarm on a new seed has a chance
of 1e-5 a case. With the momentum not reversed on rejection the same check must fail.
"""

import pytest
from chains import broken, edited
from invariance import Skewed, deviation

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


@pytest.mark.slow
def test_the_check_sees_a_momentum_that_is_not_reversed():
    settle = edited(GuidedWalk.settle, "else -p", "else p")
    bound = broken(Sampler(Skewed(2), GuidedWalk(0.9, 0.9), Nonreversible(0.1)), settle=settle)
    assert deviation(bound, Skewed(2), group=6) > 8
