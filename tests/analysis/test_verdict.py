"""Verdicts in words, and the statement on all numbers together."""

import math

import numpy as np
import pandas as pd
import pytest

from nrevu.analysis.verdict import (
    chance,
    chance_of_largest,
    chance_of_sum,
    headlines,
    times_longer,
    verdict,
)
from nrevu.analysis.wording import summary


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
        ("claim", "ratio of tau.log_prob", 1.0, 0.02, False),  # no difference was published
        ("claim", "ratio of tau.log_prob", 1.0, 0.2, True),
        ("number", "tau.log_prob", 3.47, 0.02, False),
        ("number", "tau.log_prob", 3.47, 0.5, True),
    ],
)
def test_too_noisy(kind, quantity, published, error, noisy):
    row = {"kind": kind, "quantity": quantity, "published": published, "published.se": 0.0}
    row |= {"ours": published, "se": error, "dof": 1e9}
    longer = times_longer(row)
    assert (longer > 1) == noisy
    enough = times_longer({**row, "se": error / math.sqrt(longer)})  # so many times as long
    assert enough == pytest.approx(1)
    assert math.isinf(times_longer({**row, "published.se": published}))


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


def test_the_chance_of_a_sum_is_exact():
    """Against tables of chi-square: 1, 2, 3 and 19 degrees of freedom, and very many."""
    for total, n, exact in (
        (3.841, 1, 0.05),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (30.144, 19, 0.05),
    ):
        each = chance(math.sqrt(total / n))
        assert chance_of_sum([each] * n) == pytest.approx(exact, rel=1e-3)
    assert chance_of_sum([chance(1.0)] * 5000) == pytest.approx(0.5, abs=0.01)


def numbers(*z, noisy=False, family="the paper"):
    """Return comparisons with these differences, judged together."""
    found = [verdict(chance(each), len(z), noisy) for each in z]
    p = [chance(each) for each in z]
    about = {"family": family, "comparisons": len(z)}
    return pd.DataFrame({"z": z, "p": p, "verdict": found}).assign(**about)


def headline(*z, **how):
    (line,) = headlines(numbers(*z, **how))
    return line


def test_the_headline_and_single_verdicts_do_not_contradict_each_other():
    small = [0.5, -0.5] * 50
    assert headline(*small, 2.6).startswith("Consistent with the paper: p = ")
    assert headline(0.1, 4.5).startswith("Not consistent with the paper: p = ")
    assert headline(*[2.2] * 20).startswith("Not consistent")  # none marginal, all together
    for z in np.linspace(2, 5, 40):  # one that differs among 18 that agree
        if "differs" in set(numbers(*[0.3] * 18, z).verdict):
            assert headline(*[0.3] * 18, z).startswith("Not consistent")


def test_every_family_has_its_headline():
    both = pd.concat([numbers(*[0.1] * 39), numbers(2.7, family="mine")], ignore_index=True)
    paper, mine = headlines(both)
    assert paper.startswith("Consistent with the paper") and "over 39 numbers" in paper
    assert mine == f"Not consistent with mine: p = {chance(2.7):.1g} over 1 number."


def test_the_headline_says_what_could_not_be_told():
    assert "3 of them too noisy" in headline(0.1, 0.2, 0.3, noisy=True)
    assert "as far as" in headline(0.1, 0.2, 0.3, noisy=True)
    assert headline(math.nan).startswith("No published number of the paper was compared.")
    assert headline(math.nan, 0.2).endswith("1 more could not be judged.")
    assert "p < 1e-15" in headline(12.0, 0.1)


def test_the_headline_of_a_part_of_the_family_counts_all_of_it():
    """Figure 1 alone, of the paper's 19 numbers: its verdicts are those of the whole paper."""
    part = numbers(0.1, 0.2, 2.9).assign(comparisons=19)
    assert verdict(chance(2.9), 19, noisy=False) == "agrees"
    assert headlines(part)[0].startswith("Consistent")


def test_a_number_that_is_not_judged_hides_no_other():
    found = numbers(math.nan, 17.8).assign(reason=["no value", ""], kind="number", what="run")
    found = found.assign(experiment="mine", quantity=["rejection_rate", "tau.log_prob"])
    (line,) = [line for line in summary(found) if "mine" in line]
    assert line.startswith("differs") and "log_prob +17.8" in line and "no value" in line
