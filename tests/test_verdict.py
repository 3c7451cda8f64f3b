"""Verdicts in words, and the statement on all numbers together."""

import math

import numpy as np
import pytest

from nrevu.verdict import chance_of_largest, chance_of_sum, overall, verdict


@pytest.mark.parametrize(
    "z, word",
    [(0.3, "agrees"), (-1.9, "agrees"), (2.1, "marginal"), (-2.9, "marginal"), (-3.1, "differs")],
)
def test_words(z, word):
    assert verdict(z) == word
    assert verdict(math.nan) == "not compared"


def test_chances_are_uniform_where_all_agree():
    """Over 4,000 sets of 20 true agreements each tenth holds a tenth, to 5 standard errors."""
    z = np.random.default_rng(1).standard_normal((4000, 20))
    for chance in (chance_of_largest, chance_of_sum):
        found = np.histogram([chance(list(row)) for row in z], bins=10, range=(0, 1))[0]
        assert np.max(np.abs(found - 400)) < 5 * math.sqrt(400 * 0.9)


def test_many_numbers_are_allowed_a_large_difference_and_few_are_not():
    small = [0.5, -0.5] * 50
    assert "as published" in overall([*small, 2.6]) and "not all" not in overall([*small, 2.6])
    assert "1 differ" in overall([0.1, 4.5]) and "not all as published" in overall([0.1, 4.5])
    assert "not all as published" in overall([2.2] * 20)  # each one marginal, all together not
    assert overall([math.nan]) == "No published number was compared."
