"""Draws the pictures of method.md: python docs/pictures.py

Both are of persistent Langevin on the pairs of Figure 2, from traces of single updates.
"""

import dataclasses
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import nrevu
from nrevu.cells.cell import Run, Schedule
from nrevu.cells.chains import trace

RULES = {"standard u": "standard", "non-reversible u, δ = 0.03": "nonreversible"}
RED, BLACK = "#d62728", "#303030"


def traced(u, updates):
    """Return, for each update, the first coordinate after it, its u, and whether it accepted."""
    parts = {"name": "persistent_langevin", "stepsize": 0.12, "alpha": 0.5}
    rule = {"name": u, "delta": 0.03} if u != "standard" else u
    cell = nrevu.sample("pairs", parts, rule, group=1, groups=40, chains=1, burn_in=0).cell
    cell = dataclasses.replace(cell, run=Run(updates, 0, 1), schedule=Schedule(1), seed=7)
    ((rows, decisions),) = trace(cell)
    return rows[:, 0], decisions[:, 0], decisions[:, 1] > 0


def panels(name, height, updates, draw):
    """Save a picture with a panel for each rule."""
    figure, axes = plt.subplots(2, 1, figsize=(8, height), sharex=True, layout="constrained")
    for axis, (label, u) in zip(axes, RULES.items(), strict=True):
        draw(axis, *traced(u, updates))
        axis.set_title(label, loc="left", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    axes[1].set_xlabel("update")
    figure.savefig(Path(__file__).with_name(name), dpi=110, pil_kwargs={"optimize": True})


def draw_u(axis, x, u, accepted):
    """Draw the u of each test, rejections in red."""
    t = np.arange(u.size)
    axis.plot(t[accepted], u[accepted], ".", color=BLACK, markersize=3)
    axis.plot(t[~accepted], u[~accepted], "x", color=RED, markersize=5)
    axis.set_ylabel("u")


def draw_path(axis, x, u, accepted):
    """Draw the first coordinate, with marks at rejections."""
    t = np.arange(x.size)
    axis.plot(t, x, color=BLACK, linewidth=1)
    axis.plot(t[~accepted], x[~accepted], "x", color=RED, markersize=5)
    axis.set_ylabel("first coordinate")


if __name__ == "__main__":
    panels("method_u.png", 4.2, 300, draw_u)
    panels("method_momentum.png", 4.2, 600, draw_path)
