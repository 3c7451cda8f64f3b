"""Best cells at the edge of their grid: which settings are named, and which are not."""

import numpy as np
import pandas as pd
import pytest
from artificial import ar1, made_up

from nrevu.analysis.edges import edge_text, edges, reported_edges
from nrevu.analysis.table import matching
from nrevu.analysis.traces import best
from nrevu.cells.cell import name_of
from nrevu.experiments.experiment import expand


def grid_of(name, **wanted):
    """Return the cells of an experiment, and the one with some settings."""
    cells = made_up(expand(name, "paper"), lambda cell: 3.0)
    wanted = {key.replace("__", "."): value for key, value in wanted.items()}
    (row,) = matching(cells, wanted).index
    return cells, cells.loc[row]


@pytest.mark.parametrize(
    "stepsize, alpha, found",
    [
        (0.04, 0.5, {"method.stepsize": "lowest"}),
        (0.2, 0.5, {"method.stepsize": "highest"}),
        (0.2, 0.2, {"method.stepsize": "highest", "method.alpha": "lowest"}),
        (0.12, 0.5, {}),
    ],
)
def test_the_lowest_and_highest_values_are_edges(stepsize, alpha, found):
    cells, cell = grid_of("fig2", u="nonreversible", method__stepsize=stepsize, method__alpha=alpha)
    assert edges(cells, cell) == found  # delta has a single value, and is no axis


def test_of_settings_that_vary_together_one_is_named():
    cells, cell = grid_of("hmc_pairs", method__L=32, method__stepsize=0.08)
    assert edges(cells, cell) == {"method.L": "highest"}  # and not schedule.group, which is 1
    assert edges(cells[cells.columns[::-1]], cell) == {"method.L": "highest"}


def test_a_value_at_the_limit_of_a_setting_is_no_edge():
    """HMC has no fewer steps than 1, and Gibbs scans come at most after every update."""
    cells, cell = grid_of("hmc_pairs", method__L=1, method__stepsize=0.08)
    assert edges(cells, cell) == {}
    wanted = {"method__stepsize": 0.6, "method__alpha": 0.98, "u__delta": 0.01}
    cells, cell = grid_of("network_langevin", schedule__gibbs_every=1, **wanted)
    assert edges(cells, cell) == {}
    cells, cell = grid_of("network_langevin", schedule__gibbs_every=20, **wanted)
    assert edge_text(cells, cell) == "schedule.gibbs_every highest"
    cells, cell = grid_of("guided_walk", u="standard", method__stepsize=0.4, method__alpha=0.9)
    assert edge_text(cells, cell) == "method.alpha highest"
    cells["method.alpha"] += 0.1
    assert edges(cells, cells.loc[cell.name]) == {}


def test_two_values_are_no_axis():
    wanted = {"method__stepsize": 0.4, "method__alpha": 0.98, "distribution__hidden": 12}
    cells, cell = grid_of("network_large", u__delta=0.005, **wanted)
    assert edges(cells, cell) == {}


def test_only_cells_of_the_same_method_and_rule_are_the_grid():
    """Another method's grid goes further: what is highest for its own is an edge."""
    cells, cell = grid_of("hmc_pairs", method__L=16, method__stepsize=0.15)
    others = cells.assign(method="langevin", **{"method.stepsize": cells["method.stepsize"] * 9})
    both = pd.concat([cells, others], ignore_index=True)
    assert edges(both, cell) == {"method.stepsize": "highest"}


FIELDS = """
from dataclasses import dataclass
from nrevu.methods import real

@dataclass(frozen=True)
class Own:
    stepsize: float = real(above=0)
    share: float = real(at_least=0, at_most=1)

    @staticmethod
    def propose(x, w, data, now, settings, new): ...
"""


def test_limits_of_a_users_class_count_while_its_file_is_there(tmp_path):
    cells = pd.DataFrame({"method.share": [0.0, 0.5, 0.9], "u": "standard", "distribution": "x"})
    file = tmp_path / "own.py"
    cells = cells.assign(method="Own", **{"method.file": str(file)})
    assert edge_text(cells, cells.loc[0]) == "method.share lowest"
    file.write_text(FIELDS)
    assert edges(cells, cells.loc[0]) == {}
    assert edge_text(cells, cells.loc[2]) == "method.share highest"
    renamed = cells.assign(method="Former")
    assert edge_text(renamed, renamed.loc[0]) == "method.share lowest"


def test_noise_alone_puts_a_best_cell_at_an_edge_as_often_as_chance_says():
    """A grid of 5 x 5 equal cells has 16 at an edge: 64% of 400 bests, to 4 standard errors.

    With a minimum in the middle of the grid almost none is: false alarm of either 1e-4.
    """
    cells, _ = grid_of("fig2", u="standard", method__stepsize=0.1, method__alpha=0.4)
    steps, alphas = (np.unique(cells[f"method.{key}"])[1:6] for key in ("stepsize", "alpha"))
    part = cells[cells["method.stepsize"].isin(steps) & cells["method.alpha"].isin(alphas)]
    part = part[part.u == "standard"].reset_index(drop=True)
    noise, _ = ar1(0.0, 400, 25, seed=19)
    away = (part["method.stepsize"] - steps[2]).abs() + (part["method.alpha"] - alphas[2]).abs()
    shares = []
    for slope in (0.0, 20.0):
        at_edge = 0
        for row in noise.reshape(400, 25):
            found = part.assign(**{"tau.log_prob": 3 + slope * away + 0.2 * row})
            at_edge += bool(edges(found, found.loc[best(found, "tau.log_prob")]))
        shares.append(at_edge / 400)
    assert abs(shares[0] - 0.64) < 4 * 0.024 and shares[1] < 0.02


def test_the_edge_of_the_cell_that_claims_take_as_the_best_is_reported():
    """The lowest of the last round is 2.95; but in the grid and an earlier round it was worse."""
    cells, _ = grid_of("hmc_pairs", method__L=16, method__stepsize=0.07)
    some = cells[cells["method.L"] == 16].reset_index(drop=True)
    again = some.iloc[[4, 5, 4, 5]].assign(group="standard", best="tau.log_prob")
    again["selected.digest"] = again["digest"]
    again = again.assign(round=[1, 1, 2, 2], last=[False, False, True, True])
    again["run.groups"] *= [8, 8, 4, 4]
    again["edge"] = ["", "method.L highest"] * 2
    for times, edge in (
        ([2.8, 3.1, 3.0, 2.95], {}),
        ([3.1, 2.8, 2.95, 3.0], {"standard": again.edge.iloc[1]}),
    ):
        runs = again.assign(**{"tau.log_prob": times}).reset_index(drop=True)
        assert reported_edges(some, runs, ["u"]) == edge
    assert reported_edges(some, runs.iloc[:0], ["u"]) == {}


def test_shipped_grids_can_be_examined():
    """Every cell of every shipped grid: no setting is unknown to its class."""
    for name in ("blocks", "reversible_u_mixed", "mixed_langevin"):
        cells = made_up(expand(name, "paper"), lambda cell: 1.0 + len(name_of(cell.u)))
        for _, cell in cells.iloc[::7].iterrows():
            assert set(edges(cells, cell)) <= set(cells)
