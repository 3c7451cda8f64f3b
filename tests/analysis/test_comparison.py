"""Comparisons with published numbers: differences, ratios and their intervals."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from artificial import claimed, made_up
from conftest import REPO

from nrevu.analysis.claims import expected_rows
from nrevu.analysis.comparison import compare, flags_text
from nrevu.analysis.table import matching, unreliable
from nrevu.analysis.verdict import t_quantile
from nrevu.cells.cell import name_of
from nrevu.experiments.experiment import Family, expand
from nrevu.experiments.sections import Claim


def test_differences_count_both_errors():
    experiment = expand("fig1", "paper")
    table = made_up(experiment, lambda cell: 3.5)
    row = compare(experiment, table).set_index(["what", "quantity"])
    row = row.loc[("standard, stepsize 1.8", "tau.log_prob")]
    assert row.z == pytest.approx(math.log(3.5 / 3.470835) / (0.02 / 3.5 * 2**0.5))
    shorter = table.assign(**{"run.groups": 10_000})
    row = compare(experiment, shorter).iloc[2]
    assert row.z == pytest.approx(math.log(3.5 / 3.470835) / (0.02 / 3.5 * 1.01**0.5))


def test_ratio_of_the_best_cells():
    experiment = expand("fig2", "paper")
    centre = {"standard": 2.7, "nonreversible": 1.8}
    tau = lambda cell: centre[name_of(cell.u)] + abs(cell.method.stepsize - 0.1)  # noqa: E731
    row = claimed(compare(experiment, made_up(experiment, tau)), "1.62")
    assert row.ours == pytest.approx(1.5, rel=0.002) and row.published == 1.62
    assert row.low < 1.5 < row.high and row.high - row.low == pytest.approx(4 * row.se, rel=0.03)


def test_where_lags_are_too_few_a_claim_uses_twice_as_many_and_says_so():
    experiment = expand("fig2", "paper")
    table = made_up(experiment, lambda cell: 2.0)
    short = table.index[table.u == "standard"]
    table.loc[short, "tau.log_prob.lag_too_short"] = True
    table.loc[short, ["tau.log_prob", "tau.log_prob.longer", "tau.log_prob.longer.se"]] = (
        1.0,
        1.5,
        0.01,
    )
    row = claimed(compare(experiment, table), "1.62")
    assert row.ours == pytest.approx(0.75, rel=0.01)
    assert row.basis == "selected, not confirmed, lags doubled"


def test_missing_cells_are_named_and_nothing_is_claimed_from_them():
    """Every published number and every claim keeps its row, whatever is missing."""
    experiment = expand("fig1", "paper")
    table = made_up(experiment, lambda cell: 3.5)
    expected = expected_rows([experiment])
    found = compare(experiment, table[table["method.stepsize"] != 1.8], expected=expected)
    assert len(found) == 10 and set(found.verdict) == {"not judged"} and found.ours.isna().all()
    assert found.reason.str.contains("missing").all() and "stepsize 1.8" in found.reason.iloc[-1]
    assert ((found.published > 0) | (found.required != "")).all()


def test_a_claim_without_converged_cells_says_so_and_what_to_do():
    experiment = expand("network_langevin", "paper")
    others = [expand("network_hmc", "paper")]
    tables = [made_up(e, lambda cell: 3.0) for e in (experiment, *others)]
    table = pd.concat(tables, ignore_index=True).assign(**{"tau.relevant.not_converged": True})
    table = table.assign(**{"rhat.input1": 1.2, "effective.input1": 40.0})
    found = compare(experiment, table, expected=expected_rows((experiment, *others)))
    row = claimed(found, "1.25")
    assert row.verdict == "not judged" and row.published == 1.25
    assert "R-hat 1.20" in row.reason and "raise run.groups" in row.reason


def test_verdicts_do_not_depend_on_what_else_is_run():
    """The paper's 19 numbers and 14 claims with a p-value are one family, own files others."""
    assert expand("fig1", "smoke").family == expand("mixed_hmc", "smoke").family
    assert expand("fig1", "smoke").family == Family("the paper", numbers=19, claims=14)
    assert expand("network_large", "smoke").family.numbers == 0
    found = compare(expand("fig1", "smoke"), made_up(expand("fig1", "smoke"), lambda cell: 3.0))
    assert found.groupby("kind").comparisons.unique().to_dict() == {"claim": [14], "number": [19]}


def test_a_published_number_is_judged_whatever_its_lags_and_says_so():
    """If lags were given they are those of the published number: then there is nothing to say."""
    experiment = expand("fig1", "paper")
    table = made_up(experiment, lambda cell: 9.0).assign(**{"tau.log_prob.lag_too_short": True})
    for longer, basis in ((8.0, ""), (np.nan, "chains short for their lags")):
        table["tau.log_prob.longer"] = longer
        found = compare(experiment, table).set_index("quantity")
        assert set(found.verdict["tau.log_prob"]) == {"differs"}
        assert set(found.basis["tau.log_prob"]) == {basis}
        assert set(found.basis["tau.coordinate"]) == {""}


def test_what_is_too_noisy_says_how_much_longer_to_run():
    experiment = expand("fig1", "paper")
    table = made_up(experiment, lambda cell: 3.3).assign(**{"tau.log_prob.se": 0.5})
    found = compare(experiment, table.assign(**{"run.groups": 1000}))
    row = found[found.quantity == "tau.log_prob"].iloc[0]
    assert (
        row.verdict == "too noisy to tell"
        and row.reason == "To do: run about 3 times as many groups"
    )


def test_a_published_number_is_not_judged_on_chains_that_disagree():
    experiment = expand("fig1", "paper")
    table = made_up(experiment, lambda cell: 9.0).assign(**{"tau.log_prob.not_converged": True})
    found = compare(experiment, table).set_index("quantity")
    assert set(found.verdict["tau.log_prob"]) == {"not judged"}
    assert "do not agree" in found.reason["tau.log_prob"].iloc[0]
    assert set(found.verdict["tau.coordinate"]) == {"differs"}


@pytest.mark.parametrize("error", [0.0, np.nan])
def test_a_claim_without_a_standard_error_says_so(error):
    experiment = expand("fig2", "paper")
    table = made_up(experiment, lambda cell: 2.0).assign(**{"tau.log_prob.se": error})
    row = claimed(compare(experiment, table), "1.62")
    assert row.verdict == "not judged" and "standard error" in row.reason


def test_a_claim_from_chains_too_short_for_their_lags_says_so():
    experiment = expand("fig2", "paper")
    table = made_up(experiment, lambda cell: 2.0).assign(**{"tau.log_prob.lag_too_short": True})
    row = claimed(compare(experiment, table), "1.62")
    assert row.ours == pytest.approx(1) and row.reason == ""
    assert row.basis == "selected, not confirmed, chains short for their lags"


def test_what_is_said_of_unreliable_times():
    table = made_up(expand("fig2", "paper"), lambda cell: 2.0)
    table.loc[:4, "tau.log_prob.lag_too_short"] = True
    table.loc[:2, "tau.log_prob.longer"] = 2.1
    table["tau.coordinate.not_converged"] = table.index < 2
    doubled, limited, apart = flags_text(table)
    assert "3 of log_prob: too few lags" in doubled and "use twice as many" in doubled
    assert "2 of log_prob: chains are too short" in limited and "2 of coordinate" in apart
    assert list(unreliable(table).values()) == [3, 2, 2]
    assert list(unreliable(table[:0]).values()) == [0, 0, 0]


def test_cells_are_found_by_all_of_their_settings():
    """A setting that no cell has yet does not end the search, and derived ones count too."""
    table = pd.DataFrame({"method.stepsize": [1.0, 2.0]})
    assert matching(table, {"u.delta": None, "method.stepsize": 2.0}).index.tolist() == [1]
    experiment = expand("fig1", "paper")
    eta = experiment.cells[0].derived["eta"]
    claims = (Claim("", "tau.log_prob", {"eta": eta, "u": "standard"}),)
    table = made_up(experiment, lambda cell: 2.0)
    table["eta"] = [cell.derived["eta"] for cell in experiment.cells]
    row = compare(dataclasses.replace(experiment, claims=claims), table).iloc[-1]
    assert row.ours == 2.0 and row.reason == ""


@pytest.mark.slow
def test_intervals_of_ratios_cover():
    """95% intervals for a ratio of two noisy times cover it in 93 to 97% of 1,000 tries."""
    experiment = expand("fig2", "paper")
    rng = np.random.default_rng(1)
    table = made_up(experiment, lambda cell: 1.0)
    keep = [table.index[table.u == u][0] for u in ("standard", "nonreversible")]
    table = table.loc[keep]
    experiment = dataclasses.replace(experiment, cells=tuple(experiment.cells[i] for i in keep))
    covered = 0
    for _ in range(1000):
        table["tau.log_prob"] = [2.7, 1.7] + 0.05 * rng.standard_normal(2)
        # Standard errors as a jackknife over 40 chains would give them.
        table["tau.log_prob.se"] = 0.05 * np.sqrt(rng.chisquare(39, 2) / 39)
        row = claimed(compare(experiment, table), "1.62")
        covered += row.low < 2.7 / 1.7 < row.high
    assert 0.93 < covered / 1000 < 0.97


@pytest.mark.parametrize("dof, exact", [(5, 2.5706), (19, 2.0930), (39, 2.0227), (78, 1.9908)])
def test_t_quantile(dof, exact):
    assert t_quantile(dof) == pytest.approx(exact, rel=0.004)


def test_every_published_number_has_its_cell():
    """The published settings are in the grids, so that every number is compared."""
    names = [path.stem for path in (REPO / "conf/experiment").glob("*.yaml")]
    assert {"fig1", "fig2"} < set(names)
    for name in names:
        experiment = expand(name, "paper")
        others = [expand(other, "paper") for other in experiment.beside]
        table = pd.concat(
            [made_up(e, lambda cell: 3.0) for e in (experiment, *others)], ignore_index=True
        )
        compared = compare(experiment, table, expected=expected_rows((experiment, *others)))
        numbers = sum(len(entry.numbers) for entry in experiment.published)
        assert len(compared) == numbers + len(experiment.claims)
