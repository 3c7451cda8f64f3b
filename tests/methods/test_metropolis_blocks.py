"""Metropolis of blocks leaves the joint distribution of x and every v as it was.

Tolerance: 5 standard errors, at most 40 statistics a case; a false alarm on a new seed has a chance
of 2e-5 a case.
"""

import numpy as np
import pytest
from chains import single
from invariance import Skewed, deviation

from nrevu.conformance.proposals import FACTORS, Probe
from nrevu.core.binding import bind_kernel
from nrevu.core.driver import Schedule
from nrevu.core.sampler import Sampler
from nrevu.core.trials import random_bits
from nrevu.distributions.pairs import Pairs
from nrevu.methods.metropolis_blocks import MetropolisBlocks
from nrevu.u.nonreversible import Nonreversible


@pytest.mark.parametrize("blocks, v_for", [(2, "block"), (2, "all"), (3, "block")])
@pytest.mark.parametrize("distribution", [Skewed(3), Pairs(4, 0.9)], ids=["skewed", "pairs"])
def test_it_leaves_x_and_every_v_invariant(distribution, blocks, v_for):
    method = MetropolisBlocks(1.5, blocks, v_for)
    bound = bind_kernel(Sampler(distribution, method, Nonreversible(0.1)))
    assert method.separate_v == (blocks if v_for == "block" else 1)
    assert deviation(bound, distribution, 2 * blocks, method.separate_v) < 5


def test_an_update_changes_the_coordinates_of_its_block_alone():
    """Coordinates 0 and 2, then 1 and 3, and so on; a small step is always accepted."""
    bound = bind_kernel(Sampler(Skewed(4), MetropolisBlocks(1e-6, 2, "all"), Nonreversible(0.1)))
    rows, rejected = np.empty((1, 2), np.float32), np.empty(1, np.uint8)
    for updates, changed in ((1, [True, False, True, False]), (2, [True] * 4)):
        x = np.zeros(4)
        schedule = Schedule(updates, 0, 0)
        single(bound, x, np.zeros(4), 0.1, random_bits(), schedule, rows, rejected)
        assert (x != 0).tolist() == changed and rejected[0] == 0


@pytest.mark.parametrize("turn, moved", [(0, [1, 0, 1]), (1, [0, 1, 0])])
def test_an_update_is_the_formula(turn, moved):
    x, p, n = np.random.default_rng(1).standard_normal((3, 3))
    sampler = Sampler(Skewed(3), MetropolisBlocks(0.5, 2, "all"), Nonreversible(0.1))
    found = Probe(sampler, turn).propose(x, p, n)
    assert found.x == pytest.approx(x + 0.5 * np.array(FACTORS) * n * moved)
    assert found.besides == 0.0 and np.all(found.taken == p)
