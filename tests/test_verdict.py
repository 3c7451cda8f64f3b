"""Verdicts in words, and the statement on all numbers together."""

import math

import numpy as np
import pandas as pd
import pytest

from nrevu.verdict import chance, chance_of_largest, chance_of_sum, is_noisy, overall, verdict


@pytest.mark.parametrize(
    "z, count, word",
    [
        (1.9, 1, "agrees"),
        (2.1, 1, "marginal"),
        (2.1, 19, "agrees"),  # one of 19 is expected to be as large
        (-2.7, 1, "differs"),
        (-3.1, 19, "marginal"),
        (3.6, 19, "differs"),
    ],
)
def test_words_allow_for_the_number_of_comparisons(z, count, word):
    assert verdict(chance(z), count, noisy=False) == word
    assert verdict(math.nan, count, noisy=False) == "not judged"


def test_noise_hides_agreement_and_not_difference():
    assert verdict(chance(0.5), 19, noisy=True) == "too noisy to tell"
    assert verdict(chance(5.0), 19, noisy=True) == "differs"


@pytest.mark.parametrize(
    "kind, quantity, published, error, noisy",
    [
        ("claim", "ratio of tau.log_prob", 1.15, 0.3, True),  # cannot be told from 1
        ("claim", "ratio of tau.log_prob", 1.15, 0.02, False),
        ("claim", "ratio of tau.log_prob", 2.0, 0.3, False),
        ("number", "tau.log_prob", 3.47, 0.02, False),
        ("number", "tau.log_prob", 3.47, 0.5, True),
    ],
)
def test_too_noisy(kind, quantity, published, error, noisy):
    row = {"kind": kind, "quantity": quantity, "published": published, "published.se": 0.0}
    assert is_noisy({**row, "ours": published, "se": error}) == noisy


@pytest.mark.parametrize("dof, t, exact", [(19, 2.093, 0.05), (39, 2.708, 0.01), (5, 2.571, 0.05)])
def test_chances_by_students_distribution(dof, t, exact):
    assert chance(t, dof) == chance(-t, dof) == pytest.approx(exact, rel=0.02)
    assert chance(1.959964) == pytest.approx(0.05, rel=1e-5)


def test_chances_are_uniform_where_all_agree():
    """Over 4,000 sets of 20 true agreements each tenth holds a tenth, to 5 standard errors.

    With errors from 40 chains each: Student's t with 39 degrees of freedom.
    """
    rng = np.random.default_rng(1)
    t = rng.standard_normal((4000, 20)) / np.sqrt(rng.chisquare(39, (4000, 20)) / 39)
    for joint in (chance_of_largest, chance_of_sum):
        found = [joint([chance(each, 39) for each in row]) for row in t]
        counts = np.histogram(found, bins=10, range=(0, 1))[0]
        assert np.max(np.abs(counts - 400)) < 5 * math.sqrt(400 * 0.9)


def numbers(*z, noisy=False):
    """Return comparisons with these differences, judged together."""
    words = [verdict(chance(each), len(z), noisy) for each in z]
    return pd.DataFrame({"z": z, "p": [chance(each) for each in z], "verdict": words})


def test_the_headline_and_single_verdicts_do_not_contradict_each_other():
    small = [0.5, -0.5] * 50
    assert overall(numbers(*small, 2.6)).startswith("Consistent with the paper: p = ")
    assert overall(numbers(0.1, 4.5)).startswith("Not consistent with the paper: p = ")
    assert overall(numbers(*[2.2] * 20)).startswith("Not consistent")  # none marginal, all together
    for z in np.linspace(2, 5, 40):  # one that differs among 18 that agree
        found = numbers(*[0.3] * 18, z)
        if "differs" in set(found.verdict):
            assert overall(found).startswith("Not consistent")


def test_the_headline_says_what_could_not_be_told():
    assert "3 of them too noisy" in overall(numbers(0.1, 0.2, 0.3, noisy=True))
    assert "as far as" in overall(numbers(0.1, 0.2, 0.3, noisy=True))
    assert overall(numbers(math.nan)).startswith("No published number was compared.")
    assert overall(numbers(math.nan, 0.2)).endswith("1 more could not be judged.")
