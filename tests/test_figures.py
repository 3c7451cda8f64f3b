"""Figures: what is drawn, looked at through matplotlib's own objects."""

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from nrevu.cell import parameters
from nrevu.experiment import expand
from nrevu.figures import draw, save


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
            better = 1.0 if cell.u.name == "standard" else 0.5
            row[f"tau.{quantity}"] = 3 + (cell.method.stepsize - 2) ** 2 + better
            row[f"tau.{quantity}.se"] = 0.05
        rows.append(row)
    return pd.DataFrame(rows)


def test_figure_1(experiment, table):
    figure = draw(experiment, table)
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
    lines = [c.lines[0] for c in draw(experiment, table).axes[0].containers]
    assert len({line.get_marker() for line in lines}) == 5
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in lines}) == 5


def test_nothing_lies_over_anything_else(experiment, table):
    figure = draw(experiment, table)
    FigureCanvasAgg(figure).draw()
    boxes = [ax.get_tightbbox() for ax in figure.axes] + [figure.legends[0].get_window_extent()]
    boxes.append(figure._suptitle.get_window_extent())
    for i, a in enumerate(boxes):
        assert all(not a.overlaps(b) for b in boxes[i + 1 :])
        assert a.x0 >= 0 and a.y0 >= 0 and a.x1 <= figure.bbox.x1 and a.y1 <= figure.bbox.y1


def test_missing_values_leave_a_gap(experiment, table):
    holes = table.copy()
    holes.loc[:10, "tau.log_prob"] = float("nan")
    assert len(draw(experiment, holes).axes) == 2


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_same_table_gives_the_same_bytes(experiment, table, tmp_path, form):
    for name in ("a", "b"):
        save(draw(experiment, table), tmp_path / f"{name}.{form}")
    assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()
