"""Intervals of claims on best cells cover the ratio of the grids' smallest true values.

Selection and confirmation run on the reference run's grids, with errors as large as the real ones.
"""

import sys

import numpy as np
import pytest
from conftest import REPO

sys.path.insert(0, str(REPO))

from benchmarks.coverage import DESIGNS, claims_on_grids, simulate
from nrevu.analysis.claims import expected_rows
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import parse
from nrevu.experiments.experiment import default_set, expand

OURS = list(DESIGNS).index("nrevu's")
ROUNDS, NETWORK = 110, 20  # simulated experiments; those of the network's grids are slow
pytestmark = pytest.mark.slow


def limit(rounds):
    """Return the fewest intervals that cover, if 93% do: fewer are a chance of 1 in 10,000."""
    return 0.93 * rounds - 3.72 * np.sqrt(0.93 * 0.07 * rounds)


def test_intervals_of_all_claims_on_best_cells_cover_and_are_not_too_wide():
    """Each claim covers at least 93%, and all together at least 93% and at most 99%.

    False alarms: 1 in 10,000 for each claim and for all together, if they cover 93%; 1 in 1,000 for
    all together, if 99%. The pooled test finds a design that covers 88%, as the best run alone did,
    in 98% of all cases. That of a single claim is coarse: it passes one that covers 88% with
    probability 0.9. The table in docs/coverage.md has 300 rounds of each claim.
    """
    covered, total, low = 0, 0, []
    for name, claim, grids in claims_on_grids():
        rounds = NETWORK if "network" in name else ROUNDS
        rng = np.random.default_rng(len(low))
        found = sum(simulate(grids, "smooth", rng)[OURS][0] for _ in range(rounds))
        low += [(claim.text, found, rounds)] if found < limit(rounds) else []
        covered, total = covered + found, total + rounds
    assert not low
    assert covered > limit(total)
    assert covered < 0.99 * total + 3.09 * np.sqrt(0.01 * 0.99 * total) < total


def compared(claim):
    """Return what a claim compares, whatever the unit of its times."""
    return parse(claim.quantity).quantity, repr(claim.sides())


def test_every_claim_on_best_cells_is_simulated():
    simulated = {compared(claim) for _, claim, _ in claims_on_grids()}
    for name in default_set():
        experiment = expand(name, "paper")
        others = [expand(other, "paper") for other in experiment.beside.values()]
        rows = expected_rows([experiment, *others])
        for claim in experiment.claims:
            sizes = [sum(fits(row, side) for row in rows) for side in claim.sides()]
            best = not claim.matched and claim.best_at is None and max(sizes) > 1
            assert not best or compared(claim) in simulated, claim.text
