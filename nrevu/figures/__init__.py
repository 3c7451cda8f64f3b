"""Figures, from an experiment's table. The only package that imports matplotlib.

In: an Experiment, the name of one of its figures, its table and its traces. Out: a matplotlib
Figure; `save` writes it as PNG, SVG or PDF, the same bytes for the same table.
"""

from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from nrevu.experiments.experiment import Experiment
from nrevu.figures.bars import bars
from nrevu.figures.heat import heat
from nrevu.figures.intervals import intervals
from nrevu.figures.lines import lines
from nrevu.figures.ratios import ratios
from nrevu.figures.runs import runs
from nrevu.figures.style import STYLE

DPI = 160
FROM_GRID = {"lines": lines, "heat": heat, "runs": runs}
FROM_BEST = {"bars": bars, "intervals": intervals, "ratios": ratios}


def draw(
    experiment: Experiment,
    name: str,
    table: pd.DataFrame,
    traces: list[dict[str, Any]],
    confirmed: pd.DataFrame | None = None,
) -> Figure:
    """Return one of the figures that the experiment asks for."""
    settings = experiment.figures[name]
    kind = settings["kind"]
    with matplotlib.rc_context(STYLE):
        if kind in FROM_BEST:
            figure = FROM_BEST[kind](experiment, settings, table, confirmed)
        else:
            figure = FROM_GRID[kind](experiment, settings, table, traces)
        figure.set_dpi(DPI)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # it is slow, and not to be done again for each format
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's ending, without the date."""
    dated = {".pdf": "CreationDate", ".svg": "Date"}
    metadata = {dated[path.suffix]: None} if path.suffix in dated else {}
    with matplotlib.rc_context(STYLE):
        figure.savefig(path, dpi=DPI, metadata=metadata)
