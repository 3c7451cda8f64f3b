"""How often the 95% interval of a claim on best cells covers the true value: simulated.

In: the reference run at size paper. Each round takes true values of all cells; then selection and
confirmation run on them, with errors as large as those of the real estimates, by the code of the
real claims. Out: for each claim and each design of its interval, how often it covers the ratio of
the two grids' smallest true values, and how wide it is.

True values are of two kinds: what the reference run's model of the grid says they may be, another
draw in each round (smooth); and the reference run's estimates themselves, which are rougher than
the truth, by their errors (rough). Where these errors exceed 5%, only the first kind is used.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.claims import divide
from nrevu.analysis.confirmation import confirming_cell
from nrevu.analysis.sides import Side, confirmed_side, single_side
from nrevu.analysis.surface import axes, combine, per_group, smooth_variances, surface
from nrevu.cells.cell import parameters
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import convert, error, is_time
from nrevu.experiments.experiment import Experiment, default_set, expand
from nrevu.experiments.sections import Claim, Confirm
from nrevu.results import reference

MOST_NOISE = 0.05  # median relative error of estimates that can stand for true values
KINDS = ("smooth", "rough")


@dataclass(frozen=True)
class Grid:
    """One side of a claim: its cells, their true values, and how exact estimates are."""

    cells: pd.DataFrame  # settings, run.groups, digest, estimates
    quantity: str
    confirm: Confirm
    truths: Mapping[str, np.ndarray]  # of each kind (draws, cells): logarithms
    variances: list[np.ndarray]  # (cells): relative, for one group; of the grid, and of each round
    dof: int  # degrees of freedom of an estimated error


def measure(rounds: int, sizes: Any) -> dict[str, Any]:
    """Return the coverage and the width of each claim's interval, by each design."""
    return {"claims": [measure_claim(*found, rounds) for found in claims_on_grids()]}


def measure_claim(name: str, claim: Claim, grids: list[Grid], rounds: int) -> dict[str, Any]:
    """Return how many intervals of a claim cover, of some rounds, and their mean width."""
    rng = np.random.default_rng(zlib.crc32(f"{name} {claim.text}".encode()))
    found: dict[str, Any] = {"experiment": name, "claim": claim.text, "rounds": rounds}
    for kind in KINDS if all("rough" in grid.truths for grid in grids) else KINDS[:1]:
        trials = np.array([simulate(grids, kind, rng) for _ in range(rounds)])  # rounds, designs, 2
        covered, width = trials[..., 0].sum(axis=0).astype(int), trials[..., 1].mean(axis=0)
        found[kind] = {
            "covered": dict(zip(DESIGNS, covered.tolist(), strict=True)),
            "width": dict(zip(DESIGNS, width.tolist(), strict=True)),
        }
    return found


def claims_on_grids() -> Iterator[tuple[str, Claim, list[Grid]]]:
    """Yield the experiment and the grids of each claim that compares best cells, each pair once."""
    seen = set()
    for name in default_set():
        experiment = expand(name, "paper")
        every = [experiment, *(expand(other, "paper") for other in experiment.beside.values())]
        for claim in experiment.claims:
            if claim.matched or claim.best_at is not None or not is_time(claim.quantity):
                continue
            sides = tuple(tuple(where.items()) for where in claim.sides())
            key = convert(claim.quantity, "tau"), sides, tuple(e.name for e in every)
            grids = (
                [] if key in seen else [grid_of(every, s, claim.quantity) for s in claim.sides()]
            )
            seen.add(key)
            if any(len(grid.cells) > 1 for grid in grids):
                yield name, claim, grids


def grid_of(experiments: Sequence[Experiment], where: Mapping[str, Any], quantity: str) -> Grid:
    """Return the cells with some values of settings, with the numbers of the reference run.

    Costs and CPU times are proportional to tau within a side, nearly: tau stands for them.
    """
    run, tau = reference.load("paper"), convert(quantity, "tau")
    if run is None:
        raise FileNotFoundError("there is no reference run at size paper")
    experiment, cells = next(found for found in fitting(experiments, where) if found[1])
    settings, known = experiment.confirm, run["cells"]
    if settings is None:
        raise ValueError(f"{experiment.name} confirms no cells")
    table = pd.DataFrame([numbered(row, cell.digest, known, tau) for cell, row in cells])
    table = table[(table[tau] > 0) & (table[error(tau)] > 0)].reset_index(drop=True)
    again = []
    for turn in range(1, len(settings.rounds) + 1):
        for cell, row in cells:
            other = confirming_cell(cell, settings, turn)
            if other.digest in known:
                longer = {"run.groups": other.run.groups, "selected.digest": cell.digest}
                again.append(numbered(row | longer, other.digest, known, tau) | {"round": turn})
    runs = pd.DataFrame(again) if again else None
    place = axes(table)
    values, variance = combine(table, tau, place, runs)
    truths = {"smooth": surface(table, tau, runs).draws}
    if np.median(np.sqrt(variance)) < MOST_NOISE:
        truths["rough"] = np.log(values)[None]
    variances = [smooth_variances(place, per_group(table, tau))]
    for turn in range(1, len(settings.rounds) + 1):
        part = runs[runs["round"] == turn] if runs is not None else table[:0]
        mean = per_group(part, tau).mean() if len(part) else variances[0].mean()
        variances.append(np.full(len(table), mean))
    return Grid(table, tau, settings, truths, variances, unit_count(cells[0][0].run.chains) - 1)


def fitting(experiments: Sequence[Experiment], where: Mapping[str, Any]) -> Iterator[tuple]:
    """Yield each experiment with its cells that have some settings, and their parameters."""
    for experiment in experiments:
        rows = [(cell, parameters(cell) | cell.derived) for cell in experiment.cells]
        yield experiment, [(cell, row) for cell, row in rows if fits(row, where)]


def numbered(
    row: Mapping[str, Any], digest: str, known: Mapping[str, Any], tau: str
) -> dict[str, Any]:
    """Return a cell's row with its numbers in the reference run."""
    value, se = known[digest].get(tau, (math.nan, math.nan))
    return {**row, "digest": digest, tau: value, error(tau): se}


def simulate(
    grids: Sequence[Grid], kind: str, rng: np.random.Generator
) -> list[tuple[bool, float]]:
    """Return whether each design's interval from a simulated experiment covers, and its width."""
    truth, runs = 0.0, []
    for grid, sign in zip(grids, (1, -1), strict=False):
        true = grid.truths[kind][rng.integers(len(grid.truths[kind]))]
        truth += sign * true.min()
        runs.append(simulate_side(grid, np.exp(true), rng))
    found = []
    for design in DESIGNS.values():
        sides = [design(*run, grid.quantity) for run, grid in zip(runs, grids, strict=True)]
        value, low, high = divide(sides)
        found.append((low <= math.exp(truth) <= high, (high - low) / value))
    return found


def simulate_side(
    grid: Grid, true: np.ndarray, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return simulated estimates: the table of the grid, and that of the confirming runs."""
    table = estimate(grid, grid.cells, 0, true, rng)
    if len(table) == 1:
        return table, None
    parts: list[pd.DataFrame] = []
    members, rounds = groups_of(grid, table), grid.confirm.rounds
    for turn, (count, longer) in enumerate(rounds, start=1):
        so_far = pd.concat(parts) if parts else None
        ranked = [surface(part, grid.quantity, so_far).ranked()[:count] for part in members]
        again = grid.cells.loc[[row for each in ranked for row in each]]
        again = again.assign(**{"run.groups": again["run.groups"] * longer})
        again = estimate(grid, again, turn, true, rng).assign(last=turn == len(rounds))
        parts.append(again.assign(**{"selected.digest": again["digest"]}))
    return table, pd.concat(parts, ignore_index=True)


def groups_of(grid: Grid, table: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the parts of a table within each of which best cells are confirmed."""
    keys = [key for key in grid.confirm.for_each if key in table]
    return [part for _, part in table.groupby(keys, dropna=False, sort=False)] if keys else [table]


def estimate(
    grid: Grid, cells: pd.DataFrame, turn: int, true: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    """Return some cells with estimates drawn about their true values, and with estimated errors.

    `turn` is the round of their runs, or 0 for the grid.
    """
    place = {digest: i for i, digest in enumerate(grid.cells["digest"])}
    places = np.array([place[digest] for digest in cells["digest"]])
    relative = np.sqrt(grid.variances[turn][places] / cells["run.groups"].to_numpy(float))
    value = true[places] * np.exp(relative * rng.standard_normal(len(cells)) - relative**2 / 2)
    errors = relative * np.sqrt(rng.chisquare(grid.dof, len(cells)) / grid.dof)
    return cells.assign(**{grid.quantity: value, error(grid.quantity): value * errors})


def lowest(cells: pd.DataFrame, quantity: str) -> Side:
    """Return the lowest estimate of some cells, with its own interval."""
    return single_side(cells.loc[cells[quantity].idxmin()], quantity)


def of_grid(table: pd.DataFrame, runs: pd.DataFrame | None, quantity: str) -> Side:
    """Return the lowest estimate of the grid."""
    return lowest(table, quantity)


def of_runs(table: pd.DataFrame, runs: pd.DataFrame | None, quantity: str) -> Side:
    """Return the lowest estimate of the last round."""
    return lowest(table if runs is None else runs[runs["last"]], quantity)


def envelope(table: pd.DataFrame, runs: pd.DataFrame | None, quantity: str) -> Side:
    """Return the same, with an interval from the lowest end of all runs of the last round."""
    cells = table if runs is None else runs[runs["last"]]
    best = lowest(cells, quantity)
    ends = [single_side(cell, quantity).low for _, cell in cells.iterrows()]
    return Side(best.value, min(ends), best.high, best.dof)


def of_surface(table: pd.DataFrame, runs: pd.DataFrame | None, quantity: str) -> Side:
    """Return the side as claims have it."""
    if runs is None:
        return single_side(table.iloc[0], quantity)
    return confirmed_side(table, runs, quantity)


DESIGNS: dict[str, Callable[[pd.DataFrame, pd.DataFrame | None, str], Side]] = {
    "lowest of the grid": of_grid,
    "lowest of the last round": of_runs,
    "envelope": envelope,
    "nrevu's": of_surface,
}


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table in Markdown: coverage and mean width, by claim and design."""
    rows = [f"| claim | true values | {' | '.join(DESIGNS)} |", "|---" * (2 + len(DESIGNS)) + "|"]
    for found in result["claims"]:
        for kind in (kind for kind in KINDS if kind in found):
            covered, width = found[kind]["covered"], found[kind]["width"]
            numbers = [f"{covered[d] / found['rounds']:.3f}, {width[d]:.1%}" for d in DESIGNS]
            rows.append(f"| {found['claim']} | {kind} | {' | '.join(numbers)} |")
    return rows


def targets(result: dict[str, Any]) -> list:
    """Return no targets: a test holds the coverage."""
    return []
