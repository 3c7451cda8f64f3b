"""Figures, from an experiment's table: one file for each kind, found by its name.

`kind: lines` in an experiment's file is lines.py here, with a function `draw` and a dataclass
`Settings`: the keys that the experiment's file may have. To add a kind, add a file.
`Settings` needs
- `kind` and `title`;
- `uses`, a ClassVar: what the figure shows besides the table (trace, claims, confirmed);
- types of nrevu/experiments/sections.py for keys that name columns: they are checked;
- `where`, a Selection, if a key is an Axis; `rows`, a Split, if keys are Panels;
- `__post_init__`, if values have limits: raise a Mistake with the key.
Files whose names begin with `_` are shared by kinds. The report draws kinds other than lines and
heat as images, without tooltips.

In: an Experiment, the name of one of its figures, its table and its traces. Out: a matplotlib
Figure; `save` writes it as PNG, SVG or PDF, the same bytes for the same table.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from nrevu.experiments.experiment import Experiment
from nrevu.figures import _style as style

DPI = 160
DATES = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}  # not written


def draw(
    experiment: Experiment,
    name: str,
    table: style.DataFrame,
    traces: list[dict[str, Any]],
    confirmed: style.DataFrame | None = None,
) -> style.Figure:
    """Return one of the figures of an experiment, whose table is complete."""
    import matplotlib

    settings = experiment.figures[name]
    kind = importlib.import_module(f"nrevu.figures.{settings.kind}")
    with matplotlib.rc_context(style.STYLE):
        figure = kind.draw(experiment, settings, table, traces, confirmed)
        figure.set_dpi(DPI)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # it is slow, and would run again for each format
    return figure


def save(figure: style.Figure, path: Path) -> None:
    """Write a figure in the format of the path's ending, without the date."""
    import matplotlib

    with matplotlib.rc_context(style.STYLE):
        figure.savefig(path, dpi=DPI, metadata=DATES.get(path.suffix, {}))
