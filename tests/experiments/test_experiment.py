"""Experiments: sweeps expanded into cells, and mistakes named with file and line."""

import textwrap

import pytest

from nrevu.cells.cell import name_of
from nrevu.errors import Mistake
from nrevu.experiments.experiment import expand, read
from nrevu.files import choices, conf_folder

PLAIN = """\
title: a sweep
cell:
  distribution: gaussian
  distribution.dim: 2
sweep:
  method.stepsize: [1.0, 2.0]
figures:
  mine:
    kind: lines
    x: method.stepsize
    panels: [tau.coordinate]
    line: u
"""


HEAT = "  h: {kind: heat, x: method.stepsize, y: seed, value: tau.log_prob, range: [1, 9]}\n"
CONFIRM = "confirm: {best: tau.log_prob, for_each: [u], cells: 2, longer: 3}\n"


def written(tmp_path, text, name="mine.yaml"):
    path = tmp_path / name
    path.write_text(textwrap.dedent(text))
    return str(path)


def test_fig1_is_the_grid_of_the_paper():
    cells = expand("fig1", "paper").cells
    assert len(cells) == 55
    grid = {(name_of(cell.u), cell.u.delta, cell.method.stepsize) for cell in cells}
    steps = [1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0]
    assert grid == {("standard", 0.0, s) for s in steps} | {
        ("nonreversible", d, s) for d in (0.1, 0.2, 0.3, 0.4) for s in steps
    }
    assert {cell.run.groups for cell in cells} == {1_000_000}
    assert {cell.schedule.group for cell in cells} == {40}


@pytest.mark.parametrize("size", choices("size"))
@pytest.mark.parametrize("name", choices("experiment"))
def test_every_experiment_expands_at_every_size(name, size):
    assert expand(name, size).cells


@pytest.mark.parametrize(
    "spec, values",
    [
        ("[1.5, 2.5]", [1.5, 2.5]),
        ("1.5", [1.5]),
        ("{from: 0.1, to: 0.5, step: 0.1}", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("{from: 1, to: 3, step: 1}", [1, 2, 3]),
        ("{from: 1.0, to: 1.2, step: 0.1}", [1.0, 1.1, 1.2]),
        ("{from: 0.04, to: 0.10, step: 0.02}", [0.04, 0.06, 0.08, 0.1]),
        ("{from: 1000.1, to: 1000.4, step: 0.1}", [1000.1, 1000.2, 1000.3, 1000.4]),
        ("{from: 0.5, to: 0.5, step: 0.1}", [0.5]),
        ("[1e-3, 2e-3]", [0.001, 0.002]),
    ],
)
def test_values(tmp_path, spec, values):
    file = written(tmp_path, PLAIN.replace("[1.0, 2.0]", spec))
    assert [cell.method.stepsize for cell in expand(file, "smoke").cells] == values


def test_blocks_are_united_and_lists_multiplied(tmp_path):
    sweep = """\
sweep:
  - u: standard
    method.stepsize: &s [1.0, 2.0]
  - u: nonreversible
    u.delta: [0.1, 0.2, 0.3]
    method.stepsize: *s
"""
    text = PLAIN.replace("sweep:\n  method.stepsize: [1.0, 2.0]\n", sweep)
    text = text.replace("line: u", "line: u.delta")
    cells = expand(written(tmp_path, text), "smoke").cells
    assert len(cells) == 2 + 6 == len(set(cells))


def test_keys_joined_by_a_comma_go_together(tmp_path):
    pairs = "method.stepsize, schedule.group: [[1.0, 4], [2.0, 2]]\n  seed: [1, 2]"
    text = PLAIN.replace("method.stepsize: [1.0, 2.0]", pairs).replace("line: u", "line: seed")
    cells = expand(written(tmp_path, text), "smoke").cells
    found = [(cell.method.stepsize, cell.schedule.group, cell.seed) for cell in cells]
    assert found == [(1.0, 4, 1), (1.0, 4, 2), (2.0, 2, 1), (2.0, 2, 2)]


def test_the_hamiltonian_experiments_are_those_of_the_paper():
    cells = expand("fig2", "paper").cells
    assert len(cells) == 2 * 9 * 7 and {cell.run.groups for cell in cells} == {100_000}
    best = next(c for c in cells if c.method.stepsize == 0.12 and c.method.alpha == 0.5)
    assert best.derived["eta"] == pytest.approx(0.0673, abs=5e-5)
    assert best.derived["alpha"] == pytest.approx(0.954, abs=5e-4)
    cells = expand("hmc_pairs", "paper").cells
    assert len(cells) == 12 * 6 and {c.method.L * c.schedule.group for c in cells} == {32}
    assert {c.method.jitter for c in cells} == {30.0}
    assert all(c.derived["eta"] == c.method.stepsize for c in cells)


@pytest.mark.parametrize("kind", ["tau", "cost", "time"])
def test_times_in_every_unit_may_be_confirmed_claimed_and_shown(tmp_path, kind):
    """A claim may be in another unit than the one by which cells were selected."""
    claim = "claims:\n  - {text: t, quantity: time.log_prob, of: {u: standard}}\n"
    text = PLAIN + CONFIRM.replace("tau.log_prob", f"{kind}.log_prob") + claim
    experiment = expand(
        written(tmp_path, text.replace("tau.coordinate", "time.coordinate")), "smoke"
    )
    assert experiment.claims[0].quantity == "time.log_prob"
    assert experiment.confirm.best == f"{kind}.log_prob"


@pytest.mark.parametrize("name", choices("experiment"))
def test_shipped_experiments_say_which_lags_they_use(name):
    """The paper's own are published; elsewhere the lags follow tau, or are those of Figure 2."""
    lags = {"fig1": 10, "fig2": 10, "fig2_delta": 10, "hmc_pairs": 10}
    lags |= {"mixed_hmc": 15, "mixed_langevin": 15, "many_seeds_mixed": 15}
    lags |= {"many_seeds": 10, "many_seeds_metropolis": 10}
    assert "estimate.max_lag:" in (conf_folder() / f"experiment/{name}.yaml").read_text()
    assert expand(name, "paper").estimate.max_lag == lags.get(name, 0)


def test_sizes_override(tmp_path):
    file = written(tmp_path, PLAIN + "sizes:\n  smoke: {run.groups: 640}\n")
    assert expand(file, "smoke").cells[0].run.groups == 640
    assert expand(file, "quick").cells[0].run.groups == 10_000


def change(old, new):
    return lambda text: text.replace(old, new)


BAD = [
    (change("title", "titel"), ":1: unknown key 'titel'. Did you mean 'title'?"),
    (change("method.stepsize: [", "method.stepsiz: ["), ":6: method.stepsiz: unknown key"),
    (change("[1.0, 2.0]", "[]"), ":6: method.stepsize: has no values"),
    (change("[1.0, 2.0]", "[1.0, 1.0]"), "is in the sweep twice"),
    (change("[1.0, 2.0]", "[1.0, -2.0]"), ":6: method.stepsize: -2.0 is not allowed"),
    (change("[1.0, 2.0]", "{from: 1, to: 2}"), ":6: method.stepsize: a range is"),
    (change("[1.0, 2.0]", "{from: 1, to: 2, stp: 1}"), "Did you mean 'step'?"),
    (change(": gaussian", ": gausian"), ":3: distribution: unknown choice"),
    (change("dim: 2", "dim: two"), ":4: distribution.dim: 'two' is not allowed"),
    (change("dim: 2", "dim: 2\n  distribution.dim: 3"), "given twice, first in line 4"),
    (
        change("sweep:\n  method.stepsize: [1.0, 2.0]", "sweep: 3"),
        ":5: sweep: must be keys and values or a list",
    ),
    (change("[1.0, 2.0]", "[1.0, 2.0"), "not valid YAML"),
    (change("x: method", "x: methd"), ":10: unknown column 'methd.stepsize'"),
    (change("tau.coordinate", "tau.cordinate"), "Did you mean 'tau.coordinate'?"),
    (change("line: u", "lines: u"), ":12: unknown key 'lines'. Did you mean 'line'?"),
    (change("    x: method.stepsize\n", ""), ":8: figures.mine: needs 'x'"),
    (change("kind: lines", "kind: lins"), ":9: unknown kind of figure 'lins'. Did you mean"),
    (change("line: u", "best: rows"), ":12: best: unknown value 'rows'"),
    (change("line: u", "where: {u.dlta: 1}"), "unknown column 'u.dlta'"),
    (change("line: u", "references: [3]"), "a reference is keys and values"),
    (change("[tau.coordinate]", "[trace]"), "needs 'trace' in the file"),
    (change("mine:", "my plot:"), "a figure's name is a word"),
    (change("  mine:\n", "  mine: 3\n  other:\n"), "must be keys and values"),
    (lambda t: t + "trace: {best: tau.log_prob}\n", "trace: needs 'for_each'"),
    (lambda t: t + "trace: {best: tau.x, for_each: u}\n", "unknown column 'tau.x'"),
    (change("method.stepsize: [1.0, 2.0]", "method.stepsize, seed: [1, 2]"), "lists of 2 values"),
    (change("method.stepsize: [1.0, 2.0]", "method.stepsize, seed: []"), "has no values"),
    (lambda t: t + "sizes: {papr: {}}\n", "Did you mean 'paper'?"),
    (change("[1.0, 2.0]", "{from: 1, to: 3, step: 1e-9}"), "values, too many"),
    (
        change("[1.0, 2.0]", "[1.0]\n  estimate.max_lag: [5, 6]"),
        "estimate.max_lag: cannot be swept",
    ),
    (change("[tau.coordinate]", "[]"), ":11: panels: has no entries"),
    (change("line: u", "colours: [gren]"), "'gren' is not a colour"),
    (change("x: method.stepsize", "x: method"), ":10: x: 'method' does not hold numbers"),
    (change("line: u", "where: {method.stepsize: 9}"), "where: fits no cell"),
    (
        change("[1.0, 2.0]", "[1.0, 2.0]\n  seed: [1, 2]"),
        "several cells have the same method.stepsize",
    ),
    (lambda t: t + "published: [{at: {u: standrd}, groups: 9}]\n", "it fits 0 of 2"),
    (lambda t: t + "published: [{at: {u: standard}, groups: 9}]\n", "it fits 2 of 2"),
    (lambda t: t + "published: [{rejection_rate: 1}]\n", "holds 'at'"),
    (
        lambda t: t + "published: [{at: {method.stepsize: 1.0}, groups: 9, tau.x: 1}]\n",
        "column 'tau.x'",
    ),
    (lambda t: t + "published: [{at: {}, tau.log_prob: 1}]\n", "needs 'groups'"),
    (lambda t: t + "published: [{at: {}, groups: 9, tau.log_prob: a}]\n", "not a number above 0"),
    (lambda t: t + "claims: [{text: x}]\n", "needs 'quantity'"),
    (lambda t: t + "claims: [{txt: x}]\n", "Did you mean 'text'?"),
    (lambda t: t + "confirm: {best: tau.log_prob}\n", "confirm: needs 'for_each'"),
    (lambda t: t + CONFIRM.replace("tau.log_prob", "tau.log_prb"), "Did you mean 'tau.log_prob'?"),
    (lambda t: t + CONFIRM.replace("[u]", "[v]"), "unknown column 'v'"),
    (lambda t: t + CONFIRM.replace("cells: 2", "cells: 0"), "cells: must be a whole number"),
    (lambda t: t + CONFIRM.replace("longer: 3", "longer: 1.5"), "longer: must be a whole number"),
    (lambda t: t + CONFIRM.replace("cells: 2", "cells: [4, 2]"), "as many entries as 'cells'"),
    (lambda t: t + CONFIRM.replace("cells: 2", "cells: two"), "a whole number or a list, not"),
    (lambda t: t + CONFIRM.replace("[u]", "[]"), "for_each: has no entries"),
    (lambda t: t + CONFIRM.replace("[u]", "[rejection_rate]"), "unknown column 'rejection_rate'"),
    (
        lambda t: (
            t + CONFIRM + "claims: [{text: x, quantity: tau.coordinate, of: {u: standard}}]\n"
        ),
        "quantity: must be of 'log_prob', for which cells are confirmed",
    ),
    (lambda t: t + "beside: [3]\n", "beside: holds names of experiments"),
    (lambda t: t + "beside: [fgi1]\n", ":13: beside: unknown experiment 'fgi1'. Did you mean"),
    (change("line: u", "range: [1, 2]"), "range: does not belong to a figure of kind 'lines'"),
    (change("line: u", "columns: seed"), "columns: does not belong to a figure of kind 'lines'"),
    (lambda t: t + HEAT.replace("[1, 9]", "[0, 9]"), "range: must be two numbers above 0"),
    (lambda t: t + HEAT.replace("[1, 9]", "[9, 1]"), "range: must be two numbers above 0"),
    (lambda t: t + HEAT.replace("[1, 9]", "[1, 2, 3]"), "range: must be two numbers above 0"),
    (lambda t: t + HEAT.replace("y: seed", "y: u"), "y: 'u' does not hold numbers"),
    (
        lambda t: t + "  b: {kind: bars, value: tau.log_prob, bars: [{label: a, where: 3}]}\n",
        "a bar holds 'label' (text) and 'where' (values)",
    ),
    (lambda t: t + "default: 3\n", "default: must be true or false"),
    (
        lambda t: t.replace(
            "line: u", "line: u\n  b: {kind: bars, bars: [], value: rejection_rate}"
        ),
        "bars: has no entries",
    ),
    (
        change("distribution: gaussian\n  distribution.dim: 2", "distribution: network"),
        "schedule.gibbs_every",
    ),
    (lambda t: t.replace("cell:", "cell:\n  size: quick"), "is chosen when running"),
    (lambda t: "", "must hold keys and values"),
    (lambda t: "- 1\n", "must hold keys and values"),
    (lambda t: "a: &a [*a]\n", "contains itself"),
    (lambda t: "\0", "cannot be read"),
]


@pytest.mark.parametrize("edit, says", BAD, ids=range(len(BAD)))
def test_a_mistake_is_named_with_file_and_line(tmp_path, edit, says):
    with pytest.raises(Mistake) as caught:
        expand(written(tmp_path, edit(PLAIN)), "smoke")
    assert says in str(caught.value) and "mine.yaml" in str(caught.value)


def test_unknown_experiment_and_missing_file():
    with pytest.raises(Mistake, match="Did you mean 'fig1'"):
        expand("figg1", "smoke")
    with pytest.raises(Mistake, match="no such file"):
        expand("nowhere/x.yaml", "smoke")
    with pytest.raises(Mistake, match="unknown size"):
        expand("fig1", "huge")


def test_an_experiment_beside_itself(tmp_path):
    other = PLAIN + f"beside: [{tmp_path}/mine.yaml]\n"
    written(tmp_path, other, "other.yaml")
    for beside in ("mine", "other"):
        path = written(tmp_path, PLAIN + f"beside: [{tmp_path}/{beside}.yaml]\n")
        read.cache_clear()
        expand.cache_clear()
        with pytest.raises(Mistake, match="leads back to the experiment itself"):
            expand(path, "smoke")


def test_two_names_for_one_cell_are_one_cell(tmp_path):
    """A table of cases decides; what would generate others changes nothing."""
    (tmp_path / "cases.csv").write_text("a,y\n1,0\n2,1\n")
    text = f"""\
        title: t
        cell:
          distribution: network
          distribution.table: {tmp_path}/cases.csv
          schedule.gibbs_every: 1
          estimate.mean: pooled
        sweep: {{distribution.data_seed: [1, 2]}}
        """
    with pytest.raises(Mistake, match="is in the sweep twice"):
        expand(written(tmp_path, text), "smoke")
