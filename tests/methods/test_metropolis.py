"""Metropolis leaves the joint distribution of x and v as it was.

Tolerance: 5 standard errors; a false alarm on a new seed has a chance of 1e-5 a case. With a stage
broken the same check must fail.
"""

import pytest
from chains import broken, edited
from invariance import deviation

from nrevu.core.binding import bind_kernel
from nrevu.core.sampler import Sampler
from nrevu.distributions.gaussian import Gaussian
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

RULES = (Standard(), Nonreversible(0.3), Nonreversible(0.03), Nonreversible(-0.7, 0.1))


@pytest.mark.parametrize("u", RULES, ids=str)
def test_it_leaves_x_and_v_invariant(u):
    assert deviation(bind_kernel(Sampler(Gaussian(2), Metropolis(1.5), u)), Gaussian(2)) < 5


@pytest.mark.slow
def test_the_check_sees_a_proposal_that_is_not_symmetric():
    biased = edited(Metropolis.propose, "now.x[i] + h", "0.9 * now.x[i] + h")
    sampler = Sampler(Gaussian(2), Metropolis(1.5), Nonreversible(0.3))
    assert deviation(broken(sampler, propose=biased), Gaussian(2)) > 8
