"""Matched claims: which cells are pairs, the mean ratio with its interval, and the joint test."""

import dataclasses
import math

import numpy as np
import pytest
from artificial import made_up

from nrevu.analysis.claims import expected_rows
from nrevu.analysis.comparison import compare
from nrevu.analysis.matched import Number, joint_chance, minus, weighted_mean
from nrevu.analysis.verdict import t_quantile
from nrevu.experiments.experiment import expand
from nrevu.experiments.pairs import groups
from nrevu.experiments.sections import Claim

STANDARD, MOVING = {"u": "standard"}, {"u": "nonreversible"}


def claim(**changes):
    """Return a claim that rejection rates are equal in all pairs."""
    values = {"text": "", "quantity": "rejection_rate", "of": MOVING, "over": STANDARD}
    return Claim(**{**values, "matched": True, "equal": 1.0, **changes})


def judged(table, *claims, name="fig1"):
    """Return the rows of some claims, judged by a table of an experiment."""
    experiment = dataclasses.replace(expand(name, "paper"), claims=claims, published=())
    return [row for _, row in compare(experiment, table).iterrows()]


def noisy(ratio=1.0, relative=0.01, seed=1):
    """Return a table of Figure 1 with rejection rates and their errors as of 40 chains each."""
    table = made_up(expand("fig1", "paper"), lambda cell: 3.0)
    rng = np.random.default_rng(seed)
    true = 0.2 * table["method.stepsize"] * np.where(table.u == "nonreversible", ratio, 1.0)
    table["rejection_rate"] = true * np.exp(relative * rng.standard_normal(len(table)))
    errors = relative * np.sqrt(rng.chisquare(39, len(table)) / 39)
    return table.assign(**{"rejection_rate.se": table["rejection_rate"] * errors})


def test_pairs_agree_in_every_setting_that_is_not_compared():
    cells = [
        {"method": "hmc", "method.L": 2, "u": "standard", "run.groups": 9, "eta": 1},
        {"method": "hmc", "method.L": 2, "u": "nonreversible", "u.delta": 0.1, "run.groups": 9},
        {"method": "hmc", "method.L": 2, "u": "nonreversible", "u.delta": 0.3, "run.groups": 9},
        {"method": "hmc", "method.L": 4, "u": "nonreversible", "u.delta": 0.3, "run.groups": 9},
        {"method": "langevin", "u": "nonreversible", "u.delta": 0.3, "run.groups": 9},
    ]
    assert groups(cells, MOVING, STANDARD) == [([1, 2], [0])]
    own = {**MOVING, "u.delta": 0.3}
    assert groups(cells, own, STANDARD) == [([2], [0])]
    same = [{**side, "method": "hmc"} for side in (MOVING, STANDARD)]  # compares u alone
    assert groups(cells, *same) == [([1, 2], [0])]
    lengths = [{"method": "hmc", "method.L": length} for length in (2, 4)]
    assert groups(cells, *lengths) == [([2], [3])]
    assert groups(cells, {"method": "hmc"}, {"method": "langevin"}) == [([2, 3], [4])]
    assert groups(cells, MOVING, {}) == [([1, 2], [0])]  # no cell is its own partner


def test_equal_rates_agree_and_the_line_has_all_pairs():
    table = noisy()
    (row,) = judged(table, claim())
    assert row.verdict == "agrees" and row.pairs == 44 and row.basis == "44 pairs"
    assert row.low < 1 < row.high and row.p > 0.05 and row.required == "1 in every pair"
    again = table.sample(frac=1, random_state=1)  # the order of cells does not matter
    (other,) = judged(again, claim())
    assert other[["ours", "se", "low"]].tolist() == pytest.approx(row[["ours", "se", "low"]])


def test_one_different_pair_of_44_is_found_by_the_joint_test_alone():
    table = noisy(relative=0.002)
    table.loc[table.index[-1], "rejection_rate"] *= 1.03
    exact, about = judged(table, claim(), claim(within=0.02))
    assert exact.verdict == "differs" and "joint test" in exact.reason
    assert exact.p == about.p < 1e-6
    assert about.verdict == "agrees" and about.required == "1 within 2%"


def test_a_common_ratio_other_than_1_is_tested_too():
    table = noisy(ratio=1.5)
    one, right, close = judged(table, claim(), claim(equal=1.5), claim(at_least=1.4, equal=None))
    assert one.verdict == "differs" and right.verdict == close.verdict == "agrees"
    assert right.ours == pytest.approx(1.5, rel=0.02) and math.isnan(close.p)


def test_a_cell_in_four_pairs_is_not_counted_as_four_cells():
    """The error of 11 groups of one standard and four other cells, all with the same error."""
    table = made_up(expand("fig1", "paper"), lambda cell: 3.0)
    (row,) = judged(table.assign(**{"rejection_rate.se": 0.01 * 0.6265}), claim())
    known = 0.01 * math.sqrt((1 + 1 / 4) / 11)
    assert row.ours == pytest.approx(1) and known < row.se < 1.1 * known


def test_ratios_that_differ_count_alike_whatever_their_errors():
    """A mean weighted by estimated errors would be another number for each seed."""
    table = made_up(expand("fig1", "paper"), lambda cell: 3.0)
    moving = table.u == "nonreversible"
    table.loc[moving, "clustering"] = 1.5 * np.exp(table["method.stepsize"][moving])
    wide = dataclasses.replace(claim(quantity="clustering", equal=None), at_least=1.0)
    found = []
    for errors in (np.full(len(table), 0.01), 0.001 * table["method.stepsize"] ** 5):
        given = table.assign(**{"clustering.se": errors})
        found += judged(given, wide, claim(quantity="clustering"))
    expected = math.exp(np.linspace(1.0, 3.0, 11).mean())
    assert found[0].ours == found[2].ours == pytest.approx(expected)
    assert found[2].low < expected < found[2].high
    assert abs(found[3].ours / found[1].ours - 1) > 0.1


def test_intervals_and_joint_tests_are_honest_though_pairs_share_cells():
    """1,000 times 11 groups of 5 cells, with errors from 40 or from 20 units.

    The 95% interval covers in 93 to 97%, and each tenth of the joint p-values holds a tenth, to
    5 standard errors: false alarm below 1% on a new seed.
    """
    rng = np.random.default_rng(1)
    for dof in (39, 19):
        p, covered = [], 0
        for _ in range(1000):
            deviation = 0.01 * np.exp(0.3 * rng.standard_normal((11, 5)))
            values = rng.standard_normal((11, 1)) + deviation * rng.standard_normal((11, 5))
            found = deviation**2 * rng.chisquare(dof, (11, 5)) / dof
            cells = [
                [Number(*cell, dof) for cell in zip(*c, strict=True)]
                for c in zip(values, found, strict=True)
            ]
            parts = [(group[1:], group[:1]) for group in cells]
            mean = weighted_mean([minus(*map(weighted_mean, part)) for part in parts])
            covered += abs(mean.value) < t_quantile(mean.dof) * math.sqrt(mean.variance)
            p.append(joint_chance(parts, 1.0))
        counts = np.histogram(p, bins=10, range=(0, 1))[0]
        assert np.max(np.abs(counts - 100)) < 5 * math.sqrt(90)
        assert 0.93 < covered / 1000 < 0.97


def test_a_matched_claim_may_have_a_published_ratio():
    (row,) = judged(noisy(ratio=1.2), claim(equal=None, published=1.2, groups=1_000_000))
    assert row.verdict == "agrees" and abs(row.z) < 3 and row["published.se"] > 0


def test_cells_without_a_number_are_left_out_and_counted():
    table = noisy()
    table.loc[table.index[:2], ["rejection_rate", "rejection_rate.se"]] = 0.0
    (row,) = judged(table, claim())
    assert row.pairs == 36 and row.basis == "36 pairs, 8 not usable"
    (row,) = judged(table.assign(rejection_rate=0.0), claim())
    assert row.verdict == "not judged" and "no pair of cells has a positive" in row.reason


def test_cells_may_be_selected_by_a_derived_column():
    table = noisy().assign(eta=lambda cells: cells["method.stepsize"] / 40**0.5)
    eta = table["eta"][0]
    at = [{**side, "eta": eta} for side in (MOVING, STANDARD)]
    (row,) = judged(table, claim(of=at[0], over=at[1]))
    assert row.pairs == 4 and row.verdict == "agrees"


def test_what_is_said_of_lags_is_what_was_done():
    """Too few given lags are doubled; chains that are too short for their lags are only marked."""
    short = noisy().assign(**{"tau.log_prob.lag_too_short": True})
    doubled = short.assign(**{"tau.log_prob.longer": 3.1, "tau.log_prob.longer.se": 0.02})
    for table, said in ((short, "chains short for their lags"), (doubled, "lags doubled")):
        (row,) = judged(table, claim(quantity="tau.log_prob"))
        assert row.basis == f"44 pairs, {said}"


def test_missing_cells_are_counted_and_nothing_is_claimed():
    experiment = dataclasses.replace(expand("fig1", "paper"), claims=(claim(),), published=())
    table = noisy()
    for left in (table.iloc[3:], table[:0]):
        (row,) = compare(experiment, left, expected=expected_rows([experiment])).itertuples()
        lost = len(table) - len(left)
        assert row.verdict == "not judged" and f"{lost} of its cells are missing" in row.reason
        assert "To do: run the workflow" in row.reason
    (row,) = compare(experiment, table[table.u == "standard"]).itertuples()
    assert row.verdict == "not judged" and "missing" in row.reason


def test_best_cells_and_pairs_are_different_numbers():
    """Non-reversible u is best at another stepsize: pairs differ by 1.5, the best cells by 1.2."""
    table = made_up(expand("fig2", "paper"), lambda cell: 3.0)
    moving = table.u == "nonreversible"
    steps = table["method.stepsize"]
    table["tau.log_prob"] = np.where(moving, 2.0, 3.0)
    table.loc[~moving & (steps == 0.04), "tau.log_prob"] = 2.4
    sides = {"quantity": "tau.log_prob", "of": STANDARD, "over": MOVING, "equal": None}
    pairs, best = judged(table, claim(**sides), claim(**sides, matched=False), name="fig2")
    assert best.ours == pytest.approx(1.2, rel=0.02) and 1.4 < pairs.ours < 1.5
    assert math.isnan(best.pairs) and pairs.verdict == "nothing published"
