"""How often the 95% interval of a claim on best cells covers the true value: simulated.

In: the reference run at size paper. Each round draws true values of all cells, as the reference
run says they may be; then selection and confirmation run on them, with the errors that the real
estimates have, by the code that makes the real claims. Out: for each claim how often its interval
covers the ratio of the two grids' smallest true values, and how wide it is.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.claims import divide
from nrevu.analysis.confirmation import confirming_cell
from nrevu.analysis.sides import Side, confirmed_side, single_side
from nrevu.analysis.surface import axes, combine, smooth_variances, surface
from nrevu.cells.cell import parameters
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import convert, error
from nrevu.experiments.experiment import Experiment, default_set, expand
from nrevu.experiments.sections import Claim, Confirm
from nrevu.results import reference


@dataclass(frozen=True)
class Grid:
    """One side of a claim: its cells, and what their true values may be."""

    cells: pd.DataFrame  # settings, run.groups, digest, estimates
    quantity: str
    confirm: Confirm
    truths: np.ndarray  # (draws, cells): logarithms
    variances: np.ndarray  # (cells): relative, of an estimate from one group
    dof: int  # degrees of freedom of an estimated error


def measure(rounds: int, sizes: Any) -> dict[str, Any]:
    """Return the coverage and the width of each claim's interval, over some rounds."""
    found = []
    for name, claim, grids in claims_on_grids():
        rng = np.random.default_rng(zlib.crc32(f"{name} {claim.text}".encode()))
        trials = [simulate(grids, rng) for _ in range(rounds)]
        covered, widths = zip(*trials, strict=True)
        row = {"experiment": name, "claim": claim.text, "rounds": rounds}
        found.append(row | {"covered": int(sum(covered)), "width": float(np.mean(widths))})
    return {"claims": found}


def claims_on_grids() -> Iterator[tuple[str, Claim, list[Grid]]]:
    """Yield the experiment and the grids of each claim that compares best cells."""
    for name in default_set():
        experiment = expand(name, "paper")
        every = [experiment, *(expand(other, "paper") for other in experiment.beside.values())]
        for claim in experiment.claims:
            if getattr(claim, "matched", False) or getattr(claim, "best_at", None):
                continue
            grids = [grid_of(every, where, claim.quantity) for where in claim.sides()]
            if any(len(grid.cells) > 1 for grid in grids):
                yield name, claim, grids


def grid_of(experiments: Sequence[Experiment], where: dict[str, Any], quantity: str) -> Grid:
    """Return the cells with some values of settings, with the numbers of the reference run.

    Costs and CPU times are proportional to tau within a side, nearly: tau stands for them.
    """
    run, tau = reference.load("paper"), convert(quantity, "tau")
    if run is None:
        raise FileNotFoundError("there is no reference run at size paper")
    for experiment in experiments:
        rows = [(cell, parameters(cell) | cell.derived) for cell in experiment.cells]
        cells = [(cell, row) for cell, row in rows if fits(row, where)]
        if cells:
            break
    settings = experiment.confirm
    if settings is None:
        raise ValueError(f"{experiment.name} confirms no cells")
    table = pd.DataFrame([numbered(row, cell.digest, run["cells"], tau) for cell, row in cells])
    turns = range(1, len(settings.rounds) + 1)
    again = [(c, r, confirming_cell(c, settings, turn)) for c, r in cells for turn in turns]
    known = [(c, r, other) for c, r, other in again if other.digest in run["cells"]]
    runs = [
        numbered(r | {"run.groups": other.run.groups}, other.digest, run["cells"], tau)
        | {"selected.digest": c.digest}
        for c, r, other in known
    ]
    table = table[(table[tau] > 0) & (table[error(tau)] > 0)].reset_index(drop=True)
    found = surface(table, tau, pd.DataFrame(runs) if runs else None)
    variances = smooth_variances(axes(table), combine(table, tau, None)[1])
    dof = unit_count(cells[0][0].run.chains) - 1
    return Grid(table, tau, settings, found.draws, variances, dof)


def numbered(row: dict[str, Any], digest: str, known: dict[str, Any], tau: str) -> dict[str, Any]:
    """Return a cell's row with its numbers in the reference run."""
    value, se = known[digest].get(tau, (math.nan, math.nan))
    return row | {"digest": digest, tau: value, error(tau): se}


def simulate(grids: Sequence[Grid], rng: np.random.Generator) -> tuple[bool, float]:
    """Return whether an interval from one simulated experiment covers, and its relative width."""
    truth, sides = 0.0, []
    for grid, sign in zip(grids, (1, -1), strict=False):
        true = grid.truths[rng.integers(len(grid.truths))]
        truth += sign * true.min()
        sides.append(simulate_side(grid, np.exp(true), rng))
    value, low, high = divide(sides)
    return bool(low <= math.exp(truth) <= high), (high - low) / value


def simulate_side(grid: Grid, true: np.ndarray, rng: np.random.Generator) -> Side:
    """Return a claim's side from simulated estimates: the grid, then each round."""
    table = estimate(grid, grid.cells, true, rng)
    if len(table) == 1:
        return single_side(table.iloc[0], grid.quantity)
    parts: list[pd.DataFrame] = []
    members, rounds = groups_of(grid, table), grid.confirm.rounds
    for turn, (count, longer) in enumerate(rounds, start=1):
        so_far = pd.concat(parts) if parts else None
        ranked = [surface(part, grid.quantity, so_far).ranked()[:count] for part in members]
        rows = [row for each in ranked for row in each]
        again = grid.cells.loc[rows]
        again = again.assign(**{"run.groups": again["run.groups"] * longer})
        again = estimate(grid, again, true[rows], rng).assign(last=turn == len(rounds))
        parts.append(again.assign(**{"selected.digest": again["digest"]}))
    runs = pd.concat(parts, ignore_index=True)
    return confirmed_side(table, runs, grid.quantity)


def groups_of(grid: Grid, table: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the parts of a table within each of which best cells are confirmed."""
    keys = [key for key in grid.confirm.for_each if key in table]
    return [part for _, part in table.groupby(keys, dropna=False, sort=False)] if keys else [table]


def estimate(
    grid: Grid, cells: pd.DataFrame, true: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    """Return some cells with estimates drawn about their true values, and with estimated errors."""
    place = {digest: i for i, digest in enumerate(grid.cells["digest"])}
    places = np.array([place[digest] for digest in cells["digest"]])
    relative = np.sqrt(grid.variances[places] / cells["run.groups"].to_numpy(float))
    value = true * np.exp(relative * rng.standard_normal(len(cells)) - relative**2 / 2)
    errors = relative * np.sqrt(rng.chisquare(grid.dof, len(cells)) / grid.dof)
    return cells.assign(**{grid.quantity: value, error(grid.quantity): value * errors})


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table in Markdown."""
    rows = ["| experiment | claim | coverage | mean width |", "|---|---|---|---|"]
    for row in result["claims"]:
        share = row["covered"] / row["rounds"]
        se = math.sqrt(share * (1 - share) / row["rounds"])
        numbers = f"{share:.3f} ± {se:.3f} | {row['width']:.1%}"
        rows.append(f"| `{row['experiment']}` | {row['claim']} | {numbers} |")
    return rows


def targets(result: dict[str, Any]) -> list:
    """Return no targets: tests hold the coverage."""
    return []
