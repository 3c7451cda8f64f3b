"""Figures: what is drawn, looked at through matplotlib's own objects."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb

from nrevu.cells.cell import name_of, parameters
from nrevu.experiments import columns
from nrevu.experiments.experiment import expand
from nrevu.experiments.sections import Claim, build, figure_kinds
from nrevu.figures import _style as style
from nrevu.figures import draw, save
from nrevu.figures._style import METHOD_COLOURS, palette, value_label


@pytest.fixture(scope="module")
def experiment():
    return expand("fig1", "paper")


@pytest.fixture(scope="module")
def table(experiment):
    """A made-up table of the right shape: best at stepsize 2, better with delta."""
    rows = []
    for cell in experiment.cells:
        row = parameters(cell)
        for quantity in ("coordinate", "log_prob"):
            better = 1.0 if name_of(cell.u) == "standard" else 0.5
            row[f"tau.{quantity}"] = 3 + (cell.method.stepsize - 2) ** 2 + better
            row[f"tau.{quantity}.se"] = 0.05
        rows.append(row)
    return pd.DataFrame(rows)


def test_figure_1(experiment, table):
    figure = draw(experiment, "fig1", table, [])
    left, right = figure.axes
    assert (left.get_title(), right.get_title()) == ("coordinate", "log probability density")
    for ax in (left, right):
        assert len(ax.containers) == 5  # a line with error bars for each u
        assert "stepsize" in ax.get_xlabel() and "autocorrelation time" in ax.get_ylabel()
        stars = [line for line in ax.lines if line.get_marker() == "*"]
        assert len(stars) == 2
        rings = [line for line in ax.lines if line.get_markersize() == 11]
        assert len(rings) == 5 and all(abs(ring.get_xdata()[0] - 2) < 0.1 for ring in rings)
    published = sorted(float(s.get_ydata()[0]) for s in right.lines if s.get_marker() == "*")
    assert published == [3.028137, 3.470835]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:2] == ["standard", "δ = 0.1"] and "published (Neal 2020)" in names


def test_lines_differ_without_colour(experiment, table):
    lines = [c.lines[0] for c in draw(experiment, "fig1", table, []).axes[0].containers]
    assert len({line.get_marker() for line in lines}) == 5
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in lines}) == 5


def apart(figure):
    """Assert that panels, key and title lie inside the figure and not over each other."""
    FigureCanvasAgg(figure).draw()
    boxes = [ax.get_tightbbox() for ax in figure.axes]  # with their own keys
    boxes += [other.get_window_extent() for other in (*figure.legends, figure._suptitle)]
    for i, a in enumerate(boxes):
        assert all(not a.overlaps(b) for b in boxes[i + 1 :])
        assert a.x0 >= 0 and a.y0 >= 0 and a.x1 <= figure.bbox.x1 and a.y1 <= figure.bbox.y1


def test_nothing_lies_over_anything_else(experiment, table):
    apart(draw(experiment, "fig1", table, []))


def test_the_key_says_that_lines_are_shifted_where_they_are(experiment, table):
    told = []
    table = table.assign(**{"rejection_rate": 0.5, "rejection_rate.se": 0.01})
    for column in ("tau.log_prob", "rejection_rate"):
        (key,) = redraw(experiment, table, panels=[column]).legends
        told.append("shifted" in key.get_title().get_text())
    assert told == [True, False]


def traces():
    """Two made-up traces: the best standard cell and the best other one, each other's twin."""
    made = []
    for u, delta in (("standard", None), ("nonreversible", 0.03)):
        decisions = [[(i % 10) / 10, float(i % 10 < 8)] for i in range(500)]
        settings = {"u": u} | ({} if delta is None else {"u.delta": delta})
        common = {"decisions": decisions, "runs": [5, 3, 2, 1], "rejection_rate": 0.2}
        made.append({"best": True, "pair": "stepsize 0.1", "parameters": settings, **common})
    return made


def test_figure_2():
    experiment = expand("fig2", "paper")
    rows = []
    for cell in experiment.cells:
        tau = 2 + abs(cell.method.stepsize - 0.1) * 20 + abs(cell.method.alpha - 0.5)
        row = parameters(cell) | {"tau.log_prob": tau, "tau.log_prob.se": 0.05}
        rows.append(row | {"rejection_rate": cell.method.stepsize, "rejection_rate.se": 0.001})
    figure = draw(experiment, "fig2", pd.DataFrame(rows), traces())
    assert len(figure.axes) == 6
    for row, published in ((figure.axes[:3], 2.727262), (figure.axes[3:], 1.686796)):
        rate, tau, trace = row
        assert len(rate.containers) == len(tau.containers) == 7
        (star,) = [line for line in tau.lines if line.get_marker() == "*"]
        assert star.get_ydata()[0] == published
        assert [text.get_text() for text in tau.texts] == ["2.00 ± 0.05"]
        accepted, refused = trace.lines
        assert len(accepted.get_xdata()) == 400 and len(refused.get_xdata()) == 100
        assert refused.get_color() != accepted.get_color()
    apart(figure)
    runs = draw(experiment, "clustering", pd.DataFrame(rows), traces())
    assert len(runs.axes) == 1 and len(runs.axes[0].lines) == 3
    apart(runs)


def test_runs_are_in_the_order_of_their_values_and_hidden_by_nothing():
    made = traces()
    for delta, runs in ((0.1, [5, 3, 2, 1]), (0.01, [0])):
        settings = {"u": "nonreversible", "u.delta": delta}
        made.insert(0, {**made[1], "best": False, "parameters": settings, "runs": runs})
    made += [{**trace, "pair": "stepsize 0.2"} for trace in made]
    figure = draw(expand("fig2", "paper"), "clustering", pd.DataFrame(), made)
    assert len(figure.axes) == 2
    for ax in figure.axes:
        names = [text.get_text() for text in ax.get_legend().get_texts()]
        assert [name.partition(":")[0] for name in names] == [
            *("independent tests", "standard", "δ = 0.01", "δ = 0.03", "δ = 0.1")
        ]
        assert names[1] == "standard: rejection rate 0.2, rms 1.3"
        assert "root mean square of the acceptances" in ax.get_legend().get_title().get_text()
        assert names[2] == "δ = 0.01: rejection rate 0.2, no two rejections"
        shades = [sum(to_rgb(line.get_color())) for line in ax.lines[2:]]
        assert shades == sorted(shades, reverse=True) and not ax.texts
    apart(figure)
    for ax in figure.axes:
        assert not ax.get_legend().get_window_extent().overlaps(ax.bbox)


def changes():
    """Two made-up traces with changes of the log density: twice the variance at the last lag."""
    made = traces()
    for index, trace in enumerate(made):
        trace["by_u"] = {"u": [0.25, 0.75], "mean": [-1.0, 1.0], "se": [0.1, 0.1]}
        variance = [1.0, 8.0, 8.0 + 8.0 * index]
        trace["by_lag"] = {"lag": [1, 8, 64], "mean": variance, "se": [0.0, 0.0, 0.4]}
    return made


def test_changes_of_the_log_density():
    experiment = expand("mechanism", "paper")
    made = changes()
    made += [{**trace, "pair": "stepsize 0.2"} for trace in made]
    figure = draw(experiment, "mechanism", pd.DataFrame(), made)
    assert len(figure.axes) == 6
    for by_u, by_lag, ratio in (figure.axes[:3], figure.axes[3:]):
        assert [text.get_text() for text in by_u.get_legend().get_texts()] == [
            *("standard", "δ = 0.03")
        ]
        lines = [container.lines[0].get_ydata() for container in by_lag.containers]
        assert [list(y) for y in lines] == [[1, 1, 0.125], [1, 1, 0.25]]
        (curve,) = ratio.containers
        assert list(curve.lines[0].get_ydata()) == [1, 1, 2]
        (text,) = ratio.get_legend().get_texts()
        assert text.get_text() == "δ = 0.03: at most 2.0 ± 0.1, at k = 64"
        colours = [container.lines[0].get_color() for container in by_u.containers]
        assert len(set(colours)) == 2 and curve.lines[0].get_color() == colours[1]
    apart(figure)


def test_changes_of_one_cell_and_of_none():
    experiment = expand("mechanism", "paper")
    single = draw(experiment, "mechanism", pd.DataFrame(), changes()[:1])
    assert len(single.axes) == 3 and not single.axes[2].containers
    apart(single)
    none = draw(experiment, "mechanism", pd.DataFrame(), traces())
    (ax,) = none.axes
    assert "schedule.group: 1" in ax.texts[0].get_text()


def test_references_and_published_points_that_are_not_shown():
    experiment = expand("fig2_delta", "paper")
    rows = []
    for index, cell in enumerate(experiment.cells):
        row = parameters(cell)
        for name in ("tau.log_prob", "clustering", "rejection_rate"):
            row |= {name: 2.0 + 0.01 * index, f"{name}.se": 0.05}
        rows.append(row)
    for name, references, stars in (("delta", 1, 1), ("noise", 2, 0)):
        figure = draw(experiment, name, pd.DataFrame(rows), [])
        ax = figure.axes[0]
        flat = [line for line in ax.lines if len(set(line.get_ydata())) == 1]
        assert sum(len(line.get_xdata()) == 2 for line in flat) == references
        assert sum(line.get_marker() == "*" for line in ax.lines) == stars
        apart(figure)


def test_missing_values_leave_a_gap(experiment, table):
    """A line without its third value is in two pieces, with no error bar between them."""
    holes = table.copy()
    first = holes.index[holes.u == "standard"]
    holes.loc[first[2], "tau.log_prob"] = float("nan")
    whole, gap = (draw(experiment, "fig1", each, []).axes[1].containers for each in (table, holes))
    for line, (before, after) in enumerate(zip(whole, gap, strict=True)):
        expected = before.lines[0].get_ydata(orig=False).copy()
        expected[2] = np.nan if line == 0 else expected[2]
        np.testing.assert_array_equal(after.lines[0].get_ydata(orig=False), expected)
        assert list(after.lines[0].get_xdata()) == list(before.lines[0].get_xdata())
        bars = [len(segment) for segment in after.lines[2][0].get_segments()]
        assert bars == [0 if math.isnan(y) else 2 for y in expected]  # ends of each error bar


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_same_table_gives_the_same_bytes(experiment, table, tmp_path, form):
    for name in ("a", "b"):
        save(draw(experiment, "fig1", table, []), tmp_path / f"{name}.{form}")
    assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()


def mixed_table():
    """A made-up table of the mixed problem, Langevin and HMC."""
    rows = []
    for name in ("mixed_langevin", "mixed_hmc"):
        for cell in expand(name, "paper").cells:
            cost = 150 + 1000 * abs(cell.method.stepsize - 0.03) - 20 * cell.u.delta
            cost += 100 * (name_of(cell.u) == "standard")
            row = parameters(cell) | {"cost.indicator": cost, "cost.indicator.se": 5.0}
            rows.append(row | {"tau.indicator.lag_too_short": False, "digest": cell.digest})
    return pd.DataFrame(rows)


def hmc_table():
    """The part of HMC alone."""
    table = mixed_table()
    return table[table.method == "hmc"].reset_index(drop=True)


def test_heat_maps_frame_the_best_cell_on_one_scale():
    figure = draw(expand("mixed_langevin", "paper"), "mixed_langevin", mixed_table(), [])
    maps = [ax for ax in figure.axes if ax.images]
    assert len(maps) == 5 and maps[0].get_title() == "standard"
    assert {(ax.images[0].norm.vmin, ax.images[0].norm.vmax) for ax in maps} == {(100, 500)}
    for ax in maps:
        more = ax is maps[0]  # standard u has one stepsize more, the smallest
        assert len(ax.texts) == 36 + 6 * more and len(ax.patches) == 1
        assert ax.patches[0].get_x() == 2.5 + more  # stepsize 0.03 is the fourth, or fifth
    assert len(draw(expand("mixed_hmc", "paper"), "mixed_hmc", hmc_table(), []).axes) == 2


def test_bars_show_the_best_cell_of_each_method():
    figure = draw(expand("mixed_langevin", "paper"), "mixed", mixed_table(), [])
    (ax,) = figure.axes
    assert len(ax.patches) == 3
    assert [text.get_text() for text in ax.texts] == ["250 ± 5", "250 ± 5", "150 ± 5"]
    assert "delta 0.015" in ax.get_xticklabels()[2].get_text()


def network_table(name, flag=False):
    """A made-up table of the network, confirmed cells or not."""
    rows = []
    for cell in expand(name, "paper").cells:
        row = parameters(cell) | {"digest": cell.digest}
        for index in range(1, 6):
            row |= {f"tau.input{index}": 4.0 + index, f"tau.input{index}.se": 0.3}
            levels = (0.025, 0.25, 0.5, 0.75, 0.975)
            row |= {f"quantile.input{index}.{q}": q - 0.3 * index for q in levels}
        time = 4.0 + 5 * abs(cell.method.stepsize - 0.7) - (name_of(cell.u) != "standard")
        row |= {"tau.relevant": time, "tau.relevant.se": 0.3, "tau.relevant.not_converged": flag}
        rows.append(row)
    return pd.DataFrame(rows)


def test_heat_maps_in_two_directions_mark_unreliable_times():
    experiment = expand("network_langevin", "paper")
    grid = network_table("network_langevin")
    grid.loc[grid["method.alpha"] == 0.95, "tau.relevant.not_converged"] = True
    figure = draw(experiment, "network_langevin", grid, [])
    maps = [ax for ax in figure.axes if ax.images]
    assert len(maps) == 15 and maps[4].get_title() == "δ = 0.001, Gibbs every 4"
    for ax in maps:
        assert sum("?" in text.get_text() for text in ax.texts) == 3
        assert ax.patches[0].get_y() > 0  # the best is framed, and is not among those
    assert "unreliable" in figure.get_supxlabel()


NETWORKS = ("network_langevin", "network_hmc", "network_controls")


def both():
    return pd.concat([network_table(n) for n in NETWORKS])


def confirmed_network():
    """As if a cell with stepsize 0.6 had been confirmed, a little slower than in the grid."""
    table = both()
    table = table[table["method.stepsize"] == 0.6]
    table = table.groupby(["method", "u"], sort=False).head(1).reset_index(drop=True)
    table["tau.relevant"] += 1.5
    table["selected.digest"] = table["digest"]
    return table.assign(best="tau.relevant", last=True, round=1)


def test_bars_of_confirmed_cells_show_the_grid_beside():
    experiment, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    figure = draw(experiment, "network", grid, [], confirmed_network())
    (ax,) = figure.axes
    heights = [patch.get_height() for patch in ax.patches if patch.get_width() > 0]
    assert heights == pytest.approx([6.0, 5.0, 6.0, 5.0])
    diamonds = [
        line.get_ydata()[0]
        for line in ax.lines
        if line.get_marker() == "D" and len(line.get_ydata())
    ]
    assert diamonds == pytest.approx([4.5, 3.5, 4.5, 3.5])  # the confirmed cells in the grid
    several = draw(experiment, "network_inputs", grid, [], confirmed_network()).axes[0]
    assert len([patch for patch in several.patches if patch.get_width() > 0]) == 16
    assert [t.get_text() for t in several.get_xticklabels()][2] == "copy of the first"


@pytest.mark.parametrize("method", ["hmc", "persistent_langevin"])
def test_only_one_method_was_confirmed(method):
    """As where all cells of the others are flagged: their columns are not even there."""
    experiment, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    grid.loc[grid.method != method, "tau.relevant.not_converged"] = True
    again = confirmed_network()
    again = again[again.method == method].dropna(axis=1, how="all").reset_index(drop=True)
    for name in ("network", "network_inputs", "network_posterior"):
        (ax,) = draw(experiment, name, grid, [], again).axes
        assert ax.patches or ax.lines
        if experiment.figures[name].kind == "bars":
            absent = [t for t in ax.texts if "grid converged" in t.get_text().replace("\n", " ")]
            assert len(absent) == 2 * len(experiment.figures[name].values or "1")


def test_intervals_show_where_each_quantity_lies():
    experiment, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    (ax,) = draw(experiment, "network_posterior", grid, [], confirmed_network()).axes
    medians = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert medians == pytest.approx([0.5 - 0.3 * index for index in range(1, 6)] * 4)
    assert [t.get_text() for t in ax.get_yticklabels()][-1] == "noise"


@pytest.mark.parametrize("kinds", [1, 2, 4])
def test_the_key_of_intervals_says_what_the_marks_are(kinds):
    experiment, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    settings = experiment.figures["network_posterior"]
    figures = {"posterior": dataclasses.replace(settings, bars=settings.bars[:kinds])}
    figure = draw(dataclasses.replace(experiment, figures=figures), "posterior", grid, [])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[-3:] == ["median", "middle half", "middle 95%"]
    assert len([name for name in names[:-3] if name.strip()]) == kinds
    apart(figure)


def ratios_figure(claims, grid):
    experiment = expand("network_langevin", "paper")
    figures = {"gain": figure_kinds()["ratios"]("ratios")}
    return draw(dataclasses.replace(experiment, claims=claims, figures=figures), "gain", grid, [])


def test_claims_that_are_no_ratios_are_left_out_of_ratios():
    grid = both().reset_index(drop=True)
    of, over = {"method": "hmc", "u": "standard"}, {"method": "persistent_langevin"}
    claims = [Claim("value", "tau.relevant", of), Claim("ratio", "tau.relevant", of, over)]
    (ax,) = ratios_figure(claims, grid).axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["ratio"]
    assert len(ax.containers) == 1
    (ax,) = ratios_figure(claims[:1], grid).axes
    assert not ax.containers and "no claim compares" in ax.texts[0].get_text()


def test_ratios_of_pairs_and_of_best_cells_are_told_apart():
    grid = both().reset_index(drop=True)
    sides = ({"u": "nonreversible"}, {"u": "standard"})
    claims = [Claim("best", "tau.relevant", *sides)]
    claims += [Claim("pairs", "tau.relevant", *sides, matched=True)]
    claims += [Claim("best settings", "tau.relevant", sides[1], best_at={"method.stepsize": 0.5})]
    figure = ratios_figure(claims, grid)
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["best", "pairs"]
    assert [bars[0].get_marker() for bars in ax.containers] == ["o", "s"]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert any("mean of pairs" in name for name in names) and "times as fast" in ax.get_xlabel()
    grid = grid.assign(**{"clustering": 2.0, "clustering.se": 0.1})
    claims = [Claim("rate", "clustering", *sides, matched=True)]
    assert ratios_figure(claims, grid).axes[0].get_xlabel() == "ratio; 1: no difference"


def test_reasons_lie_on_white_before_the_line_at_one():
    of, over = {"method": "hmc"}, {"method": "persistent_langevin"}
    claims = [Claim("gain", "tau.relevant", of, over)]
    (ax,) = ratios_figure(claims, both().iloc[:5]).axes
    (text,) = ax.texts
    assert text.get_text().startswith("not judged")
    assert to_hex(text.get_bbox_patch().get_facecolor()) == "#ffffff"
    assert text.get_zorder() > ax.lines[0].get_zorder()


def test_figures_of_a_network_that_has_not_converged_are_empty_and_not_wrong():
    experiment = expand("network_langevin", "paper")
    grid = pd.concat([network_table(n, True) for n in NETWORKS])
    for name, settings in experiment.figures.items():
        axes = draw(experiment, name, grid.reset_index(drop=True), []).axes
        drawn = [ax for ax in axes if ax.images or settings.kind != "heat"]
        assert drawn and not any(ax.patches or ax.lines for ax in drawn)


def redraw(experiment, table, confirmed=None, **settings):
    """Draw the first figure of an experiment with some of its settings changed."""
    name, figure = next(iter(experiment.figures.items()))
    other = dataclasses.replace(experiment, figures={name: dataclasses.replace(figure, **settings)})
    return draw(other, name, table, [], confirmed)


def with_costs(table):
    """The table of Figure 1 with costs, of which those of long steps have too short a lag."""
    columns = {"cost.log_prob": 40 * table["tau.log_prob"], "cost.log_prob.se": 2.0}
    columns |= {"tau.log_prob.longer": np.nan, "tau.log_prob.longer.se": np.nan}
    short = table["method.stepsize"] > 2.7
    return table.assign(**columns, **{"tau.log_prob.lag_too_short": short})


@pytest.mark.parametrize("panel", ["tau.log_prob", "cost.log_prob"])
def test_the_ring_is_where_the_time_from_twice_as_many_lags_is_best(experiment, table, panel):
    """The time reads low at long steps; at 3 it is known from twice as many lags.

    At 2.8 too, unless the chains are too short: then the time that is drawn counts.
    """
    low = table.copy()
    low.loc[low["method.stepsize"] > 2.7, "tau.log_prob"] = 0.1
    low = with_costs(low)
    low.loc[low["method.stepsize"] > 2.9, ["tau.log_prob.longer", "tau.log_prob.longer.se"]] = 9, 1
    cases = (("line", 9.0, 2), ("line", 1.0, 2.8), ("panel", 1.0, 2.8), ("line", np.nan, 2.8))
    for best, longer, at in cases:
        known = np.isclose(low["method.stepsize"], 2.8)
        low.loc[known, ["tau.log_prob.longer", "tau.log_prob.longer.se"]] = longer, 0.1
        (ax,) = redraw(experiment, low, panels=[panel], best=best).axes
        rings = [line for line in ax.lines if line.get_markersize() == 11]
        assert len(rings) == (5 if best == "line" else 1)
        assert all(abs(ring.get_xdata()[0] - at) < 0.1 for ring in rings)
        drawn = [value for container in ax.containers for value in container.lines[0].get_ydata()]
        assert all(ring.get_ydata()[0] in drawn for ring in rings)  # at the value that is drawn


@pytest.mark.parametrize(("longer", "framed"), [(9.0, False), (np.nan, True)])
def test_the_frame_is_where_the_time_from_twice_as_many_lags_is_best(longer, framed):
    table = hmc_table()
    first = table["method.stepsize"] == table["method.stepsize"].min()
    table["tau.indicator"] = 1.0
    table.loc[first, "cost.indicator"] = 1.0
    table["tau.indicator.lag_too_short"] = first
    table = table.assign(**{f"tau.indicator.longer{end}": 500 * longer for end in ("", ".se")})
    figure = redraw(expand("mixed_hmc", "paper"), table)
    assert (figure.axes[0].patches[0].get_x() < 0) == framed


def test_only_the_papers_numbers_are_said_to_be_the_papers(experiment, table):
    own = dataclasses.replace(experiment.family, name="mine")
    figure = draw(dataclasses.replace(experiment, family=own), "fig1", table, [])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "published" in names and "published (Neal 2020)" not in names


@pytest.mark.parametrize(("gradients", "unit"), [(40, "gradient"), (0, "density")])
def test_cost_panels_are_labelled_as_costs(experiment, table, gradients, unit):
    costs = with_costs(table).assign(**{"evaluations.gradient": gradients})
    (ax,) = redraw(experiment, costs, panels=["cost.log_prob"]).axes
    assert ax.get_ylabel() == f"{unit} evaluations\nper independent draw"
    assert ax.get_title() == "cost, log probability density"


def test_cost_panels_have_log_axes_and_rings_as_times_have(experiment, table):
    for best, count in (("line", 5), ("panel", 1)):
        settings = {"panels": ["cost.log_prob"], "y_scale": "log", "best": best}
        (ax,) = redraw(experiment, with_costs(table), **settings).axes
        assert ax.get_yscale() == "log"
        assert len([line for line in ax.lines if line.get_markersize() == 11]) == count
    assert [text.get_text() for text in ax.texts] == ["140 ± 2"]


@pytest.mark.parametrize("panel", ["tau.log_prob", "cost.log_prob"])
def test_all_of_a_line_is_shifted_alike(experiment, table, panel):
    (ax,) = redraw(experiment, with_costs(table), panels=[panel]).axes
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "#ffffff"]
    assert len(ax.containers) == len(hollow) == 5
    for container, points in zip(ax.containers, hollow, strict=True):
        x = container.lines[0].get_xdata()
        assert list(points.get_xdata()) == list(x[-2:])
        (bars,) = container.lines[2]
        assert [segment[0, 0] for segment in bars.get_segments()] == pytest.approx(list(x))
    shifts = [container.lines[0].get_xdata()[0] for container in ax.containers]
    assert np.diff(shifts) == pytest.approx(0.02)  # a tenth of the distance of the cells


def by_length():
    """A made-up table of HMC with three lengths, and of Langevin, which has none."""
    rows = []
    for method, length in (("hmc", 16), ("hmc", 4), ("langevin", np.nan), ("hmc", 8)):
        for step in (0.1, 0.2):
            row = {"method": method, "method.L": length, "method.stepsize": step, "u": "standard"}
            row |= {"tau.log_prob": 3.0, "tau.log_prob.se": 0.1, "schedule.group": 1, "digest": ""}
            rows.append(row)
    return pd.DataFrame(rows)


def test_lines_without_the_setting_are_named_by_their_method(experiment):
    figure = redraw(experiment, by_length(), line="method.L", panels=["tau.log_prob"])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:4] == ["Langevin", "L = 4", "L = 8", "L = 16"]


def test_missing_values_in_words():
    cells = pd.DataFrame({"method": ["langevin", "metropolis"], "u": "standard"})
    assert value_label("u.delta", None) == value_label("u.noise", np.nan, cells) == "standard"
    assert value_label("method.L", None, cells[:1]) == "Langevin"
    assert value_label("method.L", None, cells) == value_label("method.L", None) == "without L"
    assert value_label("eta", None, cells, "stepsize") == "without stepsize"


def overlaps(axis, figure):
    """Tell whether labels of ticks that are shown overlap, along slanted ones if need be."""
    FigureCanvasAgg(figure).draw()
    low, high = axis.get_view_interval()
    shown = []
    for tick in axis.get_major_ticks() + axis.get_minor_ticks():
        text = tick.label1 if tick.label1.get_visible() else tick.label2
        if text.get_text() and low <= tick.get_loc() <= high:
            shown.append(text)
    boxes = []
    for text in shown:
        angle, place = text.get_rotation(), text.get_window_extent()
        text.set_rotation(0)
        width, height = text.get_window_extent().size
        text.set_rotation(angle)
        need = (height * 2**0.5 if angle else width) if axis.axis_name == "x" else height
        middle = sum(place.intervalx if axis.axis_name == "x" else place.intervaly) / 2
        boxes.append((middle - need / 2, middle + need / 2))
    assert len(boxes) > 1
    return any(b[0] < a[1] for a, b in itertools.pairwise(sorted(boxes)))


@pytest.mark.parametrize("decades", [0.2, 0.6, 1, 2, 2.4, 3, 5, 14])
def test_labels_of_logarithmic_axes_do_not_overlap(experiment, table, decades):
    way = (table["method.stepsize"] - 1) / 2
    table = table.assign(**{"tau.log_prob": 0.3 * 10 ** (decades * way), "eta": 10**way})
    table["tau.log_prob.se"] = 0.1 * table["tau.log_prob"]
    table["eta"] = (0.0123 * 10 ** (decades * way**2)).round(6)  # closer together at first
    settings = {"x": "eta", "x_scale": "log", "y_scale": "log", "panels": ["tau.log_prob"] * 2}
    figure = redraw(experiment, table, **settings)
    for ax in figure.axes:
        assert not overlaps(ax.xaxis, figure) and not overlaps(ax.yaxis, figure)


@pytest.mark.parametrize("ends", [[100, 500], [1, 1000], [0.01, 1e5]])
def test_labels_of_a_colour_scale_do_not_overlap(ends):
    figure = redraw(expand("mixed_hmc", "paper"), hmc_table(), range=ends)
    assert not overlaps(figure.axes[-1].yaxis, figure)


@pytest.mark.parametrize("columns", [None, "u.delta"])
@pytest.mark.parametrize(("count", "decades"), [(4, 1), (7, 3), (12, 3), (40, 3), (5, 0.002)])
def test_names_of_cells_do_not_overlap(experiment, count, decades, columns):
    deltas = (0.1, 0.2, 0.3, 0.4) if columns else (0.1,)
    places = np.logspace(-3, -3 + decades, count)
    rows = [
        {"method.stepsize": x, "method.alpha": y, "u.delta": delta, "tau.log_prob": 5.0 + x}
        for x, y, delta in itertools.product(places, places, deltas)
    ]
    names = {"distribution": "pairs", "method": "persistent_langevin", "u": "nonreversible"}
    table = pd.DataFrame(rows).assign(**names, **{"tau.log_prob.se": 0.1})
    settings = {"kind": "heat", "x": "method.stepsize", "y": "method.alpha"}
    settings |= {"value": "tau.log_prob"} | ({"columns": columns} if columns else {})
    figure = draw(
        dataclasses.replace(experiment, figures={"map": build(figure_kinds()["heat"], settings)}),
        "map",
        table,
        [],
    )
    ax = figure.axes[0]
    assert not overlaps(ax.xaxis, figure) and not overlaps(ax.yaxis, figure)
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert len(set(names)) == len(names)
    assert decades < 1 or all(len(name.lstrip("0.")) <= 3 for name in names)


def test_ticks_are_where_cells_are_shown(experiment, table):
    figure = redraw(experiment, table, where={"method.stepsize": 2.0})
    assert list(figure.axes[0].get_xticks()) == [2.0]


def test_a_method_has_one_colour_in_every_figure(experiment, table):
    standard, moving = METHOD_COLOURS["persistent_langevin"]
    (ax,) = draw(expand("mixed_langevin", "paper"), "mixed", mixed_table(), []).axes
    bars = [to_hex(patch.get_facecolor()) for patch in ax.patches]
    assert bars == [c.lower() for c in (METHOD_COLOURS["hmc"][0], standard, moving)]
    network, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    every = [*METHOD_COLOURS["hmc"], standard, moving]
    (ax,) = draw(network, "network_posterior", grid, [], confirmed_network()).axes
    medians = [line.get_markeredgecolor() for line in ax.lines if line.get_marker() == "o"]
    assert medians[::5] == every
    for claim, colour in (("u: nonreversible", moving), ("u: standard", standard)):
        over = {"method": "persistent_langevin", "u": claim[3:]}
        claims = [Claim("", "tau.relevant", {"method": "hmc"}, over)]
        figures = {"gain": figure_kinds()["ratios"]("ratios")}
        other = dataclasses.replace(network, claims=claims, figures=figures)
        (ax,) = draw(other, "gain", grid, []).axes
        assert ax.containers[0].lines[0].get_color() == colour


def test_lines_have_the_colours_of_their_methods(experiment, table):
    metropolis, moving = METHOD_COLOURS["metropolis"]
    two = table[table["u.delta"].isna() | (table["u.delta"] == 0.3)]
    for column in ("u.delta", "u"):
        assert colours_of(redraw(experiment, two, line=column)) == [metropolis, moving]
    found = colours_of(redraw(experiment, table))
    assert found[0] == metropolis and len(set(found)) == 5  # the others are shades
    assert np.diff([sum(to_rgb(colour)) for colour in found[1:]]).max() < -0.1  # ever darker
    by_method = redraw(experiment, by_length(), line="method", panels=["tau.log_prob"])
    assert colours_of(by_method) == [METHOD_COLOURS[m][0] for m in ("hmc", "langevin")]
    given = ["#123456", "#abcdef"]
    assert colours_of(redraw(experiment, two, colours=given)) == given
    numbers = redraw(experiment, table[table["u.delta"] > 0], line="method.stepsize", x="u.delta")
    assert colours_of(numbers) == palette(11)


def colours_of(figure):
    return [container.lines[0].get_color() for container in figure.axes[0].containers]


def test_a_line_looks_the_same_in_all_rows(experiment, table):
    table = table.assign(half=table["method.stepsize"] > 2)
    table = table[~(table["half"] & (table["u.delta"] == 0.1))]
    figure = redraw(experiment, table, rows="half", panels=["tau.log_prob"])
    above, below = ([c.lines[0] for c in ax.containers] for ax in figure.axes)
    assert len(above) == 5 and len(below) == 4
    for a, b in zip([above[0], *above[2:]], below, strict=True):
        assert (a.get_color(), a.get_marker()) == (b.get_color(), b.get_marker())


def test_a_bar_that_is_not_shown_keeps_its_place_with_the_reason():
    network, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    hmc = grid.method == "hmc"
    grid["tau.relevant.not_converged"] = hmc & (grid.u == "standard")
    grid.loc[hmc & (grid.u != "standard"), "tau.relevant"] = np.nan
    grid = grid[~((grid.method == "persistent_langevin") & (grid.u == "standard"))]
    reasons = ["no cell of the grid converged"]
    reasons += ["no cell of the grid has a positive tau.relevant with a standard error"]
    reasons = [f"not shown: {reason}" for reason in (*reasons, "all its cells are missing")]
    (ax,) = draw(network, "network", grid, []).axes
    assert [text.get_text().partition("\n")[0] for text in ax.get_xticklabels()] == [
        *("HMC,", "HMC,", "persistent Langevin,", "persistent Langevin,")
    ]
    (bar,) = ax.patches
    assert bar.get_x() + bar.get_width() / 2 == 3
    absent = [text for text in ax.texts if text.get_text().startswith("not")]
    assert [text.get_position()[0] for text in absent] == [0, 1, 2]
    assert [text.get_text().replace("\n", " ") for text in absent] == reasons
    (ax,) = draw(network, "network_inputs", grid, []).axes
    assert len([patch for patch in ax.patches if patch.get_width() > 0]) == 4
    upright = [t.get_text() for t in ax.texts if t.get_rotation() == 90][::4]
    assert [t[t.index("not shown") :].replace("\n", " ") for t in upright] == reasons
    (ax,) = draw(network, "network_posterior", grid, []).axes
    assert [t.get_text().partition(": ")[2] for t in ax.texts][::5] == reasons


@pytest.mark.parametrize("name", ["network", "network_inputs"])
@pytest.mark.parametrize("kinds", [2, 4])
def test_reasons_stay_within_the_axes(name, kinds):
    """As where no time of a method has a standard error: the longest reason."""
    network, grid = expand("network_langevin", "paper"), both().reset_index(drop=True)
    grid.loc[grid.method == "hmc", "tau.relevant.se"] = np.nan
    settings = network.figures[name]
    figures = {name: dataclasses.replace(settings, bars=settings.bars[:kinds])}
    figure = draw(dataclasses.replace(network, figures=figures), name, grid, [])
    FigureCanvasAgg(figure).draw()
    (ax,), boxes = figure.axes, []
    for text in ax.texts:
        if "has a positive" in text.get_text().replace("\n", " "):
            boxes.append(text.get_window_extent())
            assert ax.bbox.y0 <= boxes[-1].y0 and boxes[-1].y1 <= ax.bbox.y1
            assert ax.bbox.x0 <= boxes[-1].x0 and boxes[-1].x1 <= ax.bbox.x1
    assert len(boxes) == 2 * len(settings.values or "1")
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


def test_values_without_an_estimate_are_no_bars():
    table = mixed_table()
    table["cost.square"] = table["cost.indicator"].where(table.method != "hmc")
    table["cost.square.se"] = 1.0
    experiment = expand("mixed_langevin", "paper")
    values = ("cost.indicator", "cost.square")
    settings = dataclasses.replace(experiment.figures["mixed"], values=values)
    experiment = dataclasses.replace(experiment, figures={"mixed": settings})
    (ax,) = draw(experiment, "mixed", table, []).axes
    assert len([patch for patch in ax.patches if patch.get_width() > 0]) == 5
    assert [t.get_text() for t in ax.texts if "no estimate" in t.get_text()] == [
        "HMC\nnot shown: no estimate"
    ]


@pytest.mark.parametrize(("ends", "beyond"), [([100, 500], "neither"), ([255, 260], "both")])
def test_a_colour_scale_shows_what_lies_beyond_it(ends, beyond):
    figure = redraw(expand("mixed_hmc", "paper"), hmc_table(), range=ends)
    assert figure.axes[-1]._colorbar.extend == beyond


def test_a_kind_of_column_without_a_title_of_its_own_is_named(monkeypatch):
    """A statistic that is added to columns.COMMON must not be taken for the quantity itself."""
    monkeypatch.setattr(columns, "KINDS", (*columns.KINDS, "lag1"))
    assert style.y_label("lag1.log_prob", pd.DataFrame()) == "lag1"
    assert style.value_title("lag1.log_prob", pd.DataFrame()).startswith("lag1 of the log prob")
    assert style.value_title("rejection_rate", pd.DataFrame()) == "rejection rate"


def at_edge(table, sign):
    """The table of Figure 1 with its best times at the longest or shortest steps."""
    times = 5 + sign * table["method.stepsize"]
    return table.assign(**{"tau.log_prob": times, "cost.log_prob": times, "cost.log_prob.se": 0.1})


@pytest.mark.parametrize("panel", ["tau.log_prob", "cost.log_prob"])
@pytest.mark.parametrize(
    ("best", "sign", "x"),
    [("line", 1, 1.0), ("panel", 1, 1.0), ("panel", -1, 3.0), ("line", 0, None)],
)
def test_rings_at_the_edge_of_a_grid_are_dashed_and_explained(
    experiment, table, panel, best, sign, x
):
    cells = at_edge(table, sign) if sign else with_costs(table)
    figure = redraw(experiment, cells, panels=[panel], best=best)
    (ax,) = figure.axes
    rings = [line for line in ax.lines if line.get_markersize() == 11]
    dashed = [line for line in rings if line.get_marker() != "o"]
    assert len(rings) == (5 if best == "line" else 1)
    assert len(dashed) == (len(rings) if sign else 0)
    assert all(abs(line.get_xdata()[0] - x) < 0.1 for line in dashed)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert (style.EDGE in names) == bool(sign) and f"best of a {best}" in names


def test_the_dash_of_the_best_of_a_panel_counts_its_lines_too(experiment, table):
    """The best is in the middle of its line, with the largest delta of the panel."""
    times = 5 + (table["method.stepsize"] - 2) ** 2 - table["u.delta"].fillna(-1)
    cells = table.assign(**{"tau.log_prob": times})
    for best, count in (("line", 0), ("panel", 1)):
        (ax,) = redraw(experiment, cells, panels=["tau.log_prob"], best=best).axes
        rings = [line for line in ax.lines if line.get_markersize() == 11]
        assert sum(line.get_marker() != "o" for line in rings) == count


@pytest.mark.parametrize(("scale", "line", "said"), [(0.0, "--", True), (1.0, "-", False)])
def test_frames_at_the_edge_of_a_map_are_dashed_and_explained(scale, line, said):
    """The longest trajectories of HMC best, or those in the middle."""
    table = hmc_table()
    table["cost.indicator"] += 100 * (table["method.L"] - 40).abs() * scale
    table["cost.indicator"] -= (1 - scale) * table["method.L"]
    figure = redraw(expand("mixed_hmc", "paper"), table)
    (frame,) = figure.axes[0].patches
    assert frame.get_linestyle() == line
    assert (style.EDGE in figure.get_supxlabel()) == said


def test_bars_name_the_settings_at_an_edge():
    experiment, table = expand("mixed_langevin", "paper"), mixed_table()
    (ax,) = draw(experiment, "mixed", table, []).axes
    names = [text.get_text() for text in ax.get_xticklabels()]
    # Times do not depend on L or alpha here: the first value of each is taken.
    ends = ["at the edge: L lowest", "at the edge: alpha lowest", "at the edge: delta highest"]
    assert [name.count(end) for name, end in zip(names, ends, strict=True)] == [1, 1, 1]
    middle = table["method.alpha"].isin([0.995]) | table["method.L"].isin([40])
    table.loc[~middle, "cost.indicator"] += 50
    table.loc[table["u.delta"] == 0.015, "cost.indicator"] += 50
    (ax,) = draw(experiment, "mixed", table, []).axes
    assert not any("edge" in text.get_text() for text in ax.get_xticklabels())
    some = table.assign(**{"selected.digest": table.index.astype(str), "last": True})
    some = some.assign(digest=table.index.astype(str), round=1).groupby("u", sort=False).head(1)
    whole = table.assign(digest=table.index.astype(str))
    (ax,) = draw(experiment, "mixed", whole, [], some).axes  # what is confirmed is at an edge
    assert "at the edge: stepsize lowest" in ax.get_xticklabels()[1].get_text()


def test_seconds_per_draw_are_named_and_written_with_few_digits(experiment, table):
    seconds = table["tau.log_prob"] * 1e-6
    table = table.assign(**{"time.log_prob": seconds, "time.log_prob.se": 5e-8})
    (ax,) = redraw(experiment, table, panels=["time.log_prob"], best="panel").axes
    assert ax.get_ylabel() == "CPU seconds\nper independent draw"
    assert ax.get_title() == "CPU time, log probability density"
    assert [text.get_text() for text in ax.texts] == ["3.50e-6 ± 0.05e-6"]
    assert style.value_title("time.x", table) == "CPU seconds per independent draw\nof the x"
    assert style.with_error(0.0012, 0.0001) == "0.0012 ± 0.0001"


def test_a_map_of_seconds_has_numbers_to_read():
    table = hmc_table()
    for end in ("", ".se"):
        table[f"time.indicator{end}"] = table[f"cost.indicator{end}"] * 1e-8
    figure = redraw(expand("mixed_hmc", "paper"), table, value="time.indicator", range=None)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "2.5\n±0.1" in texts and "units of 1e-06" in figure.get_supxlabel()


def test_notes_below_a_map_fit_its_figure():
    """All three of them, below a single map."""
    table = hmc_table().assign(**{"tau.indicator.lag_too_short": True})
    for end in ("", ".se"):
        table[f"time.indicator{end}"] = table[f"cost.indicator{end}"] * 1e-8
    figure = redraw(expand("mixed_hmc", "paper"), table, value="time.indicator", range=None)
    FigureCanvasAgg(figure).draw()
    box = figure._supxlabel.get_window_extent()
    assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
    words = figure.get_supxlabel().replace("\n", " ")
    assert "unreliable" in words and style.EDGE in words and "units of" in words
