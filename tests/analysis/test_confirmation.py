"""Select, then confirm: which cells run again, and that what is reported is not optimistic."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from artificial import ar1, made_up

from nrevu.analysis.claims import claim_rows, divide
from nrevu.analysis.confirmation import candidates, confirmed, confirming_cell, groups
from nrevu.analysis.result import summarise
from nrevu.analysis.sides import Side, best_side
from nrevu.analysis.table import extend_lags, table
from nrevu.cells.cell import Cell, Run, Schedule, name_of
from nrevu.cells.series import Series
from nrevu.distributions.gaussian import Gaussian
from nrevu.errors import Mistake
from nrevu.experiments.experiment import expand
from nrevu.experiments.sections import Confirm
from nrevu.experiments.settings import Estimate
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

SETTINGS = Confirm("tau.log_prob", ("u",), cells=2, longer=3)
ROUNDS = dataclasses.replace(SETTINGS, cells=(4, 2), longer=(2, 5))
CELL = Cell(Gaussian(1), Metropolis(1.0), Standard(), Schedule(1), Run(8 * 50, 0, 8), 1)


def test_groups_come_from_the_cells():
    cells = [CELL, Cell(Gaussian(1), Metropolis(1.0), Nonreversible(0.3), Schedule(1), CELL.run, 1)]
    cells += [Cell(Gaussian(1), Metropolis(2.0), Nonreversible(0.4), Schedule(1), CELL.run, 1)]
    assert groups(cells, SETTINGS) == [({"u": "standard"}, 1), ({"u": "nonreversible"}, 2)]
    by_delta = groups(cells, dataclasses.replace(SETTINGS, for_each=("u.delta",)))
    assert by_delta == [({"u.delta": None}, 1), ({"u.delta": 0.3}, 1), ({"u.delta": 0.4}, 1)]
    assert groups(cells, None) == []


def test_a_confirming_cell_is_longer_and_has_other_random_numbers():
    again = confirming_cell(CELL, SETTINGS)
    assert again.run.groups == 3 * CELL.run.groups and again.run.chains == CELL.run.chains
    same_length = confirming_cell(CELL, dataclasses.replace(SETTINGS, longer=1))
    assert same_length.run == CELL.run and same_length.digest != CELL.digest
    first, second = (confirming_cell(CELL, ROUNDS, turn) for turn in (1, 2))
    assert (first.run.groups, second.run.groups) == (2 * CELL.run.groups, 5 * CELL.run.groups)
    assert len({CELL.seed, first.seed, second.seed}) == 3


def test_rounds_are_numbers_or_lists_of_the_same_length():
    assert SETTINGS.rounds == [(2, 3)] and ROUNDS.rounds == [(4, 2), (2, 5)]
    with pytest.raises(Mistake, match="cells: has no entries"):
        Confirm("tau.log_prob", ("u",), (), ())
    for cells, longer in (((4, 2), 3), ((4, 2), (1,))):
        with pytest.raises(Mistake, match="as many entries as 'cells'"):
            Confirm("tau.log_prob", ("u",), cells, longer)
    with pytest.raises(Mistake, match="a whole number from 1 to a million, not 0"):
        Confirm("tau.log_prob", ("u",), (4, 0), (1, 1))


def grid_of(times, errors=0.05):
    """Return the table of 12 cells on a line, with some times and relative errors."""
    cells = pd.DataFrame({"u": "standard", "method.stepsize": np.arange(len(times)) / 10})
    cells["tau.log_prob"], cells["tau.log_prob.se"] = times, errors * np.array(times)
    cells["digest"] = [f"cell{index}" for index in range(len(times))]
    return cells.assign(
        **{"run.groups": 100, "run.chains": 40, "tau.log_prob.lag_too_short": False}
    )


def runs_of(cells, times, errors=0.01, **columns):
    """Return confirming runs of some cells: 100 times as long, with other numbers."""
    again = cells.assign(**{"selected.digest": cells["digest"], "run.groups": 10_000, "round": 1})
    again["tau.log_prob"], again["tau.log_prob.se"] = times, errors * np.array(times)
    return again.assign(last=True, group="standard", best="tau.log_prob").assign(**columns)


def test_candidates_are_best_by_their_neighbours_too():
    """A single low value among high ones is not believed; a long run of a cell is."""
    line = np.linspace(-1, 1, 12)
    times = 2 * np.exp(line**2)
    times[0] = 2.0
    cells = grid_of(times, 0.3)
    ranked = candidates(cells, None, SETTINGS, {"u": "standard"})
    assert set(ranked[:3]) < {3, 4, 5, 6, 7} and len(ranked) == 12
    again = runs_of(cells.loc[[9]], [1.0])
    assert candidates(cells, again, SETTINGS, {"u": "standard"})[0] == 9
    assert candidates(cells, None, SETTINGS, {"u": "nonreversible"}) == []


def series_of(phi, length, seed):
    """Return a made-up series of 8 chains, an AR(1) process in both columns."""
    values, lengths = ar1(phi, 8, length, seed)
    rows = np.stack([values, values + 0.5], axis=1).astype(np.float32)
    rejected = np.zeros(len(values), np.uint8)
    return Series(("coordinate", "log_prob"), rows, rejected, tuple(lengths), 80, 160, 0, 1.0)


def test_the_table_of_all_runs():
    result = summarise(CELL, series_of(0.5, 50, 2), Estimate(10, "known"))
    about = {"digest": "of the grid", "value": 2.5, "se": 0.1}
    entries = [
        {"group": {"u": "standard"}, "round": turn, "rank": 1, "selected": about}
        | {"confirmed": result}
        for turn in (1, 2)
    ]
    found = confirmed(entries, ROUNDS)
    assert list(found["last"]) == [False, True] and list(found["round"]) == [1, 2]
    assert set(found["selected.digest"]) == {"of the grid"} and set(found["group"]) == {"standard"}
    assert found["tau.log_prob"][0] == result["tau"]["log_prob"]["value"]
    assert len(confirmed([], SETTINGS)) == 0


def test_a_side_is_the_smallest_true_value_of_all_its_cells():
    cells = grid_of(2 + np.arange(12) / 6)
    side = best_side(cells, runs_of(cells[:2], [2.1, 2.2]), {"u": "standard"}, "tau.log_prob")
    assert side.basis == "confirmed" and side.cell["selected.digest"] == "cell0"
    assert side.low < side.value < side.high and side.value == pytest.approx(2.1, abs=0.04)
    alone = best_side(cells, None, {"u": "standard"}, "tau.log_prob")
    assert alone.basis == "selected, not confirmed" and alone.high / alone.low > 1.05
    single = best_side(cells, None, {"method.stepsize": 0.0}, "tau.log_prob")
    assert single.value == 2 and single.basis == "" and single.dof == 39
    reach = np.log(single.high / single.low) / 2
    assert reach == pytest.approx(0.05 * 2.02, rel=0.01)  # t with 39 degrees of freedom


def test_only_runs_whose_chains_agree_count_in_the_last_round():
    cells = grid_of(2 + np.arange(12) / 6)
    both = cells[:2].assign(**{"tau.log_prob.not_converged": [True, False]})
    side = best_side(cells, runs_of(both, [1.0, 2.2]), {"u": "standard"}, "tau.log_prob")
    assert side.cell["selected.digest"] == "cell1" and side.value > 1.8
    neither = cells[:2].assign(**{"tau.log_prob.not_converged": True})
    side = best_side(cells, runs_of(neither, [1.0, 2.2]), {"u": "standard"}, "tau.log_prob")
    assert "no confirming run converged" in side.reason and "confirm.longer" in side.remedy
    early = runs_of(neither, [2.1, 2.2], last=False)  # of an earlier round: they only inform
    late = runs_of(both[1:], [2.2])
    side = best_side(cells, pd.concat([early, late]), {"u": "standard"}, "tau.log_prob")
    assert side.cell["selected.digest"] == "cell1" and not side.reason


def test_cells_that_only_an_earlier_round_ran_are_used_and_not_called_confirmed():
    cells = grid_of(2 + np.arange(12) / 6)
    early = runs_of(cells[:1], [1.5], last=False).assign(**{"run.groups": 10**6})
    side = best_side(cells, early, {"u": "standard"}, "tau.log_prob")
    assert side.basis == "selected, not confirmed" and side.value == pytest.approx(1.5, abs=0.03)


def test_intervals_of_ratios_add_squares_of_half_intervals():
    """MOVER: for two intervals with the same reach on a logarithmic scale, sqrt(2) times as far."""
    first, second = Side(4.0, 3.6, 4.0 / 0.9), Side(2.0, 1.8, 2.0 / 0.9)
    value, low, high = divide([first, second])
    reach = np.sqrt(2) * np.log(1 / 0.9)
    assert (value, low, high) == pytest.approx((2, 2 * np.exp(-reach), 2 * np.exp(reach)))
    assert divide([first]) == pytest.approx((4.0, 3.6, 4.0 / 0.9))


def test_claims_rest_on_the_confirmed_cells():
    experiment = expand("fig2", "paper")
    grid = made_up(experiment, lambda cell: 2.0 if name_of(cell.u) == "standard" else 1.0)
    best = grid.groupby("u", sort=False).head(2)
    runs = runs_of(best, [1.9, 1.95, 0.7, 0.75], 0.002).assign(**{"run.groups": 10**7})
    claim = next(c for c in experiment.claims if c.published == 1.62)
    (row,) = claim_rows([claim], grid, None)
    assert row["ours"] == pytest.approx(2.0, rel=0.02)
    assert row["basis"] == "selected, not confirmed"
    (row,) = claim_rows([claim], grid, runs)
    assert row["basis"] == "confirmed" and row["low"] < row["ours"] < row["high"]
    assert row["ours"] == pytest.approx(1.9 / 0.7, rel=0.02)


@pytest.mark.slow
def test_the_selected_minimum_is_optimistic_and_the_interval_covers_the_truth():
    """100 grids of 12 cells, all with tau 3, from series: intervals cover at least 68 times.

    The hardest case, a limit that docs/coverage.md states: the model expects some differences, and
    nothing differs. Coverage is about 81%; false alarm 1 in 1000. The grid's own minimum is low by
    many errors.
    """
    estimate, seed, selected, covered = Estimate(10, "known"), 0, [], 0
    exact = 1 + 2 * sum(0.5**k for k in range(1, 11))
    for _ in range(100):
        results = []
        for _ in range(12):
            seed += 1
            results.append(summarise(CELL, series_of(0.5, 50, seed), estimate))
        places = {"u": "standard", "method.stepsize": np.arange(12), "digest": list("abcdefghijkl")}
        grid = extend_lags(table(results).assign(**places))
        entries = []
        rows = candidates(grid, None, SETTINGS, {"u": "standard"})[: SETTINGS.cells]
        for rank, row in enumerate(rows, start=1):
            seed += 1
            about = {"digest": grid["digest"][row], "value": grid["tau.log_prob"][row], "se": 0.1}
            again = summarise(confirming_cell(CELL, SETTINGS), series_of(0.5, 150, seed), estimate)
            place = {"group": {"u": "standard"}, "round": 1, "rank": rank}
            entries.append({**place, "selected": about, "confirmed": again})
        runs = confirmed(entries, SETTINGS)
        selected.append(grid["tau.log_prob"].min())
        side = best_side(grid, runs, {"u": "standard"}, "tau.log_prob")
        covered += side.low <= exact <= side.high
    assert covered >= 68
    assert np.mean(selected) < exact - 10 * np.std(selected) / 10
