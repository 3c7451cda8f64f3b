"""Verdicts on statements without a published number, their order, and their lines."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from artificial import made_up

from nrevu.analysis.comparison import compare, gather
from nrevu.analysis.statements import SECTIONS, in_order, judge
from nrevu.analysis.wording import claim_text, interval, summary
from nrevu.experiments.experiment import default_set, expand
from nrevu.experiments.sections import Claim

GRID = {"u": "standard"}


def statement(**rule):
    return Claim("", "tau.log_prob", GRID, {"u": "nonreversible"}, **rule)


def row(low, ours, high, **more):
    return {"reason": "", "low": low, "ours": ours, "high": high, "comparisons": 14, **more}


@pytest.mark.parametrize(
    "rule, low, ours, high, word",
    [
        ({"equal": 1.0}, 0.96, 1.0, 1.04, "agrees"),
        ({"equal": 1.0}, 0.94, 1.0, 1.04, "too noisy to tell"),
        ({"equal": 1.0}, 1.06, 1.1, 1.2, "differs"),
        ({"equal": 1.0}, 0.8, 0.9, 0.95, "differs"),
        ({"equal": 2.0, "within": 0.25}, 1.61, 1.8, 2.4, "agrees"),
        ({"equal": 2.0, "within": 0.25}, 1.59, 1.8, 2.4, "too noisy to tell"),
        ({"equal": 2.0, "within": 0.25}, 1.2, 1.4, 1.59, "differs"),
        ({"at_least": 1.0}, 1.0, 1.1, 1.2, "agrees"),
        ({"at_least": 1.0}, 0.99, 1.1, 1.2, "too noisy to tell"),
        ({"at_least": 1.0}, 0.9, 0.95, 0.99, "differs"),
        ({"at_least": 1.19}, 1.2, 1.3, 1.4, "agrees"),
        ({"at_least": 1.19}, 1.1, 1.15, 1.18, "differs"),
    ],
)
def test_an_interval_decides(rule, low, ours, high, word):
    found = judge(statement(**rule), row(low, ours, high))
    assert found["verdict"] == word
    assert ("groups" in found.get("reason", "")) == (word == "too noisy to tell")


def test_what_is_too_noisy_says_how_much_longer_to_run():
    found = judge(statement(at_least=1.0), row(0.9 * 1.05, 1.05, 1.05 / 0.9))
    assert found["reason"] == "the interval includes 1. To do: run about 5 times as many groups"
    found = judge(statement(at_least=1.0), row(0.9, 1.001, 1.1))
    assert "too close" in found["reason"] and "groups" not in found["reason"]


@pytest.mark.parametrize(
    "z, low, ours, high, word",
    [
        (0.0, 1.0, 1.0, 1.02, "agrees"),
        (1.9, 1.01, 1.04, 1.07, "agrees"),
        (2.1, 1.01, 1.05, 1.1, "differs"),
        (1.5, 1.0, 1.1, 1.5, "too noisy to tell"),
    ],
)
def test_a_published_best_cell_is_as_good_as_ours_or_not(z, low, ours, high, word):
    claim = Claim("", "tau.log_prob", GRID, best_at={"method.stepsize": 0.1})
    assert judge(claim, row(low, ours, high, z=z))["verdict"] == word


@pytest.mark.parametrize("p, word", [(0.5, "agrees"), (0.002, "marginal"), (0.0004, "differs")])
def test_a_joint_test_allows_for_the_number_of_claims(p, word):
    claim = statement(equal=1.0, matched=True)
    assert judge(claim, row(0.99, 1.0, 1.01, p=p))["verdict"] == word
    assert judge(claim, row(1.1, 1.2, 1.3, p=p))["verdict"] in ("differs", word)
    within = dataclasses.replace(claim, within=0.05)
    assert judge(within, row(0.99, 1.0, 1.01, p=p))["verdict"] == "agrees"


def best_at(stepsize, alpha, taus, selected=None):
    """Return the row of the claim that a cell of Figure 2's standard cells is the best.

    `taus` of that cell, of the cell at 0.1 and 0.4, and of all others.
    """
    claim = Claim(
        "", "tau.log_prob", GRID, best_at={"method.stepsize": stepsize, "method.alpha": alpha}
    )
    experiment = dataclasses.replace(expand("fig2", "paper"), claims=(claim,), published=())
    table = made_up(experiment, lambda cell: taus[2])
    for tau, at in ((taus[1], (0.1, 0.4)), (taus[0], (stepsize, alpha))):
        where = (table["method.stepsize"] == at[0]) & (table["method.alpha"] == at[1])
        table.loc[where & (table.u == "standard"), "tau.log_prob"] = tau
    confirmed = None
    if selected is not None:
        (digest,) = table.digest[table["tau.log_prob"] == taus[1]][:1]
        about = {"last": True, "round": 1, "selected.digest": digest, "digest": "again"}
        confirmed = table[table.digest == digest].assign(**{"tau.log_prob": selected, **about})
    return compare(experiment, table, confirmed).iloc[0]


def test_the_published_best_cell_may_be_ours():
    found = best_at(0.1, 0.4, (2.7, 2.7, 3.0))
    assert found.ours == found.low == 1 and found.high < 1.02 and found.verdict == "agrees"
    assert claim_text(found).startswith("1.00 (1.00 to 1.0")
    assert "the same cell" in claim_text(found)
    assert claim_text(found).endswith("best at stepsize 0.1, alpha 0.4; z +0.0")
    again = best_at(0.1, 0.4, (2.7, 2.7, 3.0), selected=2.8)  # of which one run is confirmed
    assert "the same cell" in again.basis and again.low == 1


def test_another_cell_may_be_as_good_as_the_published_best_or_not():
    found = best_at(0.12, 0.4, (2.71, 2.7, 3.0))
    assert found.verdict == "agrees" and found.low == 1 and found.ours < 1.01
    found = best_at(0.12, 0.4, (3.5, 2.7, 4.0))
    assert found.verdict == "differs" and found.ours == pytest.approx(3.5 / 2.7, rel=0.01)
    found = best_at(0.12, 0.4, (np.nan, 2.7, 4.0))
    assert found.verdict == "not judged" and "stepsize 0.12" in found.reason


def test_statements_are_in_the_papers_order_then_in_that_of_the_files():
    sections = ["", "Section 5", "Abstract", "Section 6", "Mine", "Figure 2", "", "Section 3"]
    found = in_order(pd.DataFrame({"section": sections, "file": range(len(sections))}))
    expected = ["Abstract", "Section 3", "Figure 2", "Section 5", "Section 6", "Mine", "", ""]
    assert found.section.tolist() == expected and found.file.tolist()[-2:] == [0, 6]


def test_every_statement_of_the_paper_has_a_known_section_and_a_rule():
    claims = [claim for name in default_set() for claim in expand(name, "smoke").claims]
    own = [claim for claim in claims if claim.section == "beyond the paper"]
    sections = {claim.section for claim in claims if claim not in own}
    assert len(claims) == 36 and len(own) == 3 and sections <= set(SECTIONS)
    paper = {"Abstract", "Section 2", "Section 3", "Section 4", "Section 5", "Section 6"}
    assert {claim.section for claim in claims} >= paper
    rules = [(c.published, c.equal, c.at_least, c.best_at) for c in claims]
    assert all(sum(rule is not None for rule in each) == 1 for each in rules)
    assert len({claim.text for claim in claims}) == len(claims)


def test_the_summary_has_the_statements_first_with_their_sections():
    tables = {name: made_up(expand(name, "paper"), lambda cell: 3.0) for name in ("fig1", "fig2")}
    compared = [
        compare(expand(name, "paper"), table).assign(experiment=name)
        for name, table in tables.items()
    ]
    lines = summary(gather(compared))
    assert lines[0].startswith("11 statements: ") and "agrees" in lines[0]
    found = [line[18:40].strip() for line in lines[1:12]]
    known = [section for section in SECTIONS if section in found]
    assert found == sorted(found, key=known.index) and found[0] == "Abstract"
    assert lines[12].startswith(("Consistent", "Not consistent"))
    assert any(" fig1 " in line and "z: " in line for line in lines[13:])
    (line,) = [line for line in lines if "Metropolis: non-reversible u keeps" in line]
    assert "44 pairs, ratio 1.0000 (0.9999 to 1.0001), joint p = 1.00; 1 in every pair" in line


@pytest.mark.parametrize(
    "low, ours, high, text",
    [
        (1.58, 1.62, 1.66, "1.62 (1.58 to 1.66)"),
        (0.9996, 1.0003, 1.001, "1.0003 (0.9996 to 1.0010)"),
        (112.0, 123.4, 140.0, "123 (112 to 140)"),
        (0.5, 1.5, 4.0, "1.50 (0.50 to 4.00)"),
        (1.0, 1.0, 1.0, "1.00 (1.00 to 1.00)"),
    ],
)
def test_intervals_have_the_digits_that_matter(low, ours, high, text):
    (found,) = pd.DataFrame({"low": [low], "ours": [ours], "high": [high]}).itertuples()
    assert interval(found) == text


@pytest.mark.parametrize("rule", [{"equal": 1.0}, {"at_least": 1.0}, {"published": 1.6}, {}])
def test_what_cannot_be_judged_keeps_its_row_and_says_why(rule):
    experiment = dataclasses.replace(expand("fig2", "paper"), claims=(statement(**rule),))
    table = made_up(experiment, lambda cell: 2.0)
    found = compare(experiment, table[table.u == "standard"]).iloc[-1]
    assert found.verdict == "not judged" and "all its cells are missing" in found.reason
    assert "To do" in claim_text(found) and math.isnan(found.ours)
