"""Traces: which cells are followed, and what is counted."""

import numpy as np
import pandas as pd

from nrevu.analysis.traces import describe, run_counts, select_cells
from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.cells.chains import sample, trace
from nrevu.distributions.pairs import Pairs
from nrevu.experiments.sections import Trace
from nrevu.methods.hamiltonian import PersistentLangevin
from nrevu.u.nonreversible import Nonreversible

SETTINGS = Trace("tau.log_prob", "u.delta")


def table(times, **columns):
    """Return a table of stepsizes 0.1 and 0.2 for standard u and three deltas."""
    rows = [
        {"u.delta": delta, "method.stepsize": step, "method": "hmc", "seed": 1}
        for delta in (None, 0.1, 0.2, 0.3)
        for step in (0.1, 0.2)
    ]
    frame = pd.DataFrame(rows).assign(
        **{"tau.log_prob": times, "tau.log_prob.se": 0.1, "tau.log_prob.lag_too_short": False}
    )
    return frame.assign(**columns)


def test_the_best_for_each_value_and_its_twins_once_each():
    found = select_cells(table([2, 3, 2, 3, 3, 2, 2, 3]), SETTINGS)
    assert [f["row"] for f in found if f["best"]] == [0, 2, 5, 6]
    assert sorted(f["row"] for f in found) == list(range(8))
    assert {f["pair"] for f in found} == {"stepsize 0.1", "stepsize 0.2"}


def test_when_all_bests_are_each_others_twins():
    found = select_cells(table([1, 2] * 4), SETTINGS)
    assert [f["row"] for f in found] == [0, 2, 4, 6] and all(f["best"] for f in found)


def test_cells_whose_chains_disagree_are_not_chosen():
    flagged = table([1, 2] * 4, **{"tau.log_prob.not_converged": [True, False] * 4})
    assert [f["row"] for f in select_cells(flagged, SETTINGS) if f["best"]] == [1, 3, 5, 7]
    none = table([1, 2] * 4, **{"tau.log_prob.not_converged": [True, True] + [False] * 6})
    assert [f["row"] for f in select_cells(none, SETTINGS) if f["best"]] == [2, 4, 6]


def test_another_method_or_seed_is_no_twin():
    mixed = table(
        [1, 2] * 4, method=["hmc"] * 2 + ["langevin"] * 2 + ["hmc"] * 4, seed=[1] * 6 + [2] * 2
    )
    found = select_cells(mixed, SETTINGS)
    assert len({f["pair"] for f in found}) == 3
    assert "hmc" in found[0]["pair"]


def test_a_pair_is_named_by_the_settings_that_it_has():
    cells = table([1, 2] * 4, **{"method.L": [np.nan, 8.0] * 4})
    assert {f["pair"] for f in select_cells(cells, SETTINGS)} == {"stepsize 0.1"}
    cells["tau.log_prob"] = [2, 1] * 4
    assert {f["pair"] for f in select_cells(cells, SETTINGS)} == {"stepsize 0.2, L 8"}


def test_runs_of_acceptances_lie_between_two_rejections():
    accepted = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1])
    assert run_counts(accepted).tolist() == [1, 1, 0, 1]  # 3, 0 and 1; the ends are cut off
    assert run_counts(np.ones(5)).tolist() == [0]


def test_a_trace_is_of_the_chain_that_was_sampled():
    cell = Cell(
        Pairs(8, 0.9),
        PersistentLangevin(0.3, 0.5, "time"),
        Nonreversible(0.03),
        Schedule(5),
        Run(60, 3, 4),
        1,
    )
    series = sample(cell)
    rows, decisions = zip(*trace(cell), strict=True)
    assert np.concatenate(rows).tobytes() == series.rows.tobytes()
    refused = np.concatenate(decisions)[:, 1].reshape(60, 5)
    assert np.array_equal(5 - refused.sum(axis=1), series.rejected)
    found = describe(cell, decisions, 20)
    assert len(found["decisions"]) == 20 and found["digest"] == cell.digest
    assert abs(found["rejection_rate"] - series.rejected.sum() / 300) < 1e-6
