"""Claims: that the best of one method is so many times better than the best of another.

In: an experiment's claims, the tables of its cells and of those confirmed. Out: a row for every
claim: the ratio (or, where nothing is compared with, the best value itself) with a 95% interval,
from confirmed cells where best ones had to be selected; or why there is none, and what to do.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.confirmation import chosen
from nrevu.analysis.student_t import t_quantile
from nrevu.analysis.table import SHORT, UNCONVERGED, flagged, lengthened
from nrevu.analysis.traces import best
from nrevu.cells.cell import parameters
from nrevu.experiments.checks import fits
from nrevu.experiments.experiment import Experiment

SELECTED = "selected, not confirmed"
CONFIRMED = "confirmed"
RUN = "run the workflow to its end"


@dataclass(frozen=True)
class Side:
    """What stands for one side of a claim, or why nothing does."""

    cell: pd.Series | None = None  # whose numbers are quoted
    grid: pd.Series | None = None  # the best cell of the grid
    basis: str = ""  # CONFIRMED, SELECTED or nothing, where there was no choice
    reason: str = ""  # why there is no cell
    remedy: str = ""  # what to do about it


def claim_rows(
    claims: Iterable[Mapping[str, Any]],
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    expected: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return a row for each claim; `expected` are the parameters of all cells there should be."""
    rows = []
    for claim in claims:
        wheres = [claim[side] for side in ("of", "over") if side in claim]
        sides = [
            incomplete(table, where, expected) or quoted(table, confirmed, where, claim["quantity"])
            for where in wheres
        ]
        if all(side.cell is not None for side in sides):
            rows.append({**about(claim), **numbers(claim, sides)})
        else:
            rows.append({**about(claim), "reason": why_not(wheres, sides)})
    return rows


def why_not(wheres: Sequence[Mapping[str, Any]], sides: Sequence[Side]) -> str:
    """Return why a claim cannot be judged, for each of its sides, and what to do about it."""
    failed = [(where, side) for where, side in zip(wheres, sides, strict=True) if side.reason]
    reasons = "; ".join(f"{settings_words(where)}: {side.reason}" for where, side in failed)
    remedies = dict.fromkeys(side.remedy for _, side in failed)
    return f"{reasons}. To do: {'; '.join(remedies)}"


def settings_words(at: Mapping[str, Any]) -> str:
    """Return settings in words: 'standard, stepsize 1.8'."""
    words = []
    for key, value in at.items():
        name = key.rpartition(".")[2]
        group = isinstance(value, str) and "." not in key  # as in u: standard
        words.append(f"no {name}" if value is None else value if group else f"{name} {value}")
    return ", ".join(words) or "all cells"


def about(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row says of a claim, whatever was found."""
    of = "ratio of " if "over" in claim else ""
    return {
        "kind": "claim",
        "what": "; ".join(claim[key] for key in ("text", "assuming") if key in claim),
        "quantity": f"{of}{claim['quantity']}",
        "published": claim.get("published", math.nan),
        "reason": "",
    }


def numbers(claim: Mapping[str, Any], sides: Sequence[Side]) -> dict[str, Any]:
    """Return the numbers of a claim from what stands for its sides.

    A published claim is as uncertain as the grid's own numbers, carried to its length.
    """
    quantity, published = claim["quantity"], claim.get("published", math.nan)
    quoting, grid = [side.cell for side in sides], [side.grid for side in sides]
    ours, relative = ratio(quoting, quantity), error(quoting, quantity)
    length = grid[0]["run.groups"] / claim.get("groups", grid[0]["run.groups"])
    theirs = error(grid, quantity) * math.sqrt(length)
    dof = welch(quoting, quantity)
    reach = math.exp(t_quantile(dof) * relative)
    return {
        "published.se": published * theirs,
        "ours": ours,
        "se": ours * relative,
        "low": ours / reach,
        "high": ours * reach,
        "z": math.log(ours / published) / math.hypot(relative, theirs),
        "dof": dof,
        "selected": ratio(grid, quantity),
        "basis": basis(sides, quantity),
    }


def basis(sides: Sequence[Side], quantity: str) -> str:
    """Return what the numbers of a claim rest on."""
    kinds = {side.basis for side in sides}
    words = [kind for kind in (SELECTED, CONFIRMED) if kind in kinds][:1]
    short = any(flagged(side.cell.to_frame().T, quantity, (SHORT,)).any() for side in sides)
    return ", ".join([*words, *(["lags extended"] if short else [])])


def expected_rows(experiments: Iterable[Experiment]) -> list[dict[str, Any]]:
    """Return the settings of all cells that experiments have, whether they have run or not."""
    return [parameters(cell) | cell.derived for e in experiments for cell in e.cells]


def incomplete(table: pd.DataFrame, where: Mapping, expected: Sequence[Mapping]) -> Side | None:
    """Return a side that cannot stand, if cells to choose from are missing."""
    wanted = sum(fits(row, where) for row in expected)
    missing = wanted - len(matching(table, where))
    if missing <= 0:
        return None
    return Side(reason=f"{missing} of {wanted} cells are missing", remedy=RUN)


def quoted(
    table: pd.DataFrame, confirmed: pd.DataFrame | None, where: Mapping[str, Any], quantity: str
) -> Side:
    """Return what stands for the best of the cells with some values.

    A single cell was not selected, and stands for itself; else the confirmed one does.
    """
    cells = lengthened(matching(table, where))
    if cells.empty:
        return Side(reason="all its cells are missing", remedy=RUN)
    row = best(cells, quantity)
    if row is None:
        again = "raise run.groups (all cells of the grid would be sampled again)"
        return Side(reason=unusable(cells, quantity, "cell of the grid"), remedy=again)
    grid = cells.loc[row]
    if len(cells) == 1:
        return Side(grid, grid)
    candidates = matching(confirmed, where) if confirmed is not None else table[:0]
    if candidates.empty:
        return Side(grid, grid, SELECTED)
    candidates = lengthened(candidates)
    row = chosen(candidates, quantity)
    if row is None:
        again = "raise confirm.longer (only the confirming runs would be sampled again)"
        return Side(reason=unusable(candidates, quantity, "confirming run"), remedy=again)
    return Side(candidates.loc[row], grid, CONFIRMED)


def unusable(cells: pd.DataFrame, quantity: str, name: str) -> str:
    """Return why no cell of some can be quoted."""
    if flagged(cells, quantity, (UNCONVERGED,)).all():
        return f"no {name} converged{nearest(cells)}"
    if cells[quantity].isna().all() and flagged(cells, quantity, (SHORT,)).any():
        return f"no {name} has chains long enough for the lags that {quantity} needs"
    return f"no {name} has a positive {quantity} with a standard error"


def nearest(cells: pd.DataFrame) -> str:
    """Return the R-hat and effective sample size of the cell that comes nearest to agreement."""
    rhats, effectives = ([n for n in cells if n.startswith(f"{k}.")] for k in ("rhat", "effective"))
    if not rhats or not effectives:
        return ""
    worst = cells[rhats].max(axis=1, skipna=False)
    if worst.isna().all():
        return ""
    row = worst.idxmin()
    smallest = cells.loc[row, effectives].min()
    name = cells.loc[row, "digest"]
    return f" (nearest: {name}, R-hat {worst[row]:.2f}, effective sample {smallest:.0f})"


def matching(table: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that have these values; none, where there is no value."""
    for column, value in where.items():
        if column not in table:
            table = table if value is None else table[:0]
        else:
            table = table[table[column].isna() if value is None else table[column] == value]
    return table


def ratio(cells: Sequence[pd.Series], quantity: str) -> float:
    """Return the first cell's value, over the second's if there is one."""
    values = [cell[quantity] for cell in cells]
    return values[0] / values[1] if len(values) > 1 else values[0]


def error(cells: Sequence[pd.Series], quantity: str) -> float:
    """Return the relative standard error of such a ratio or value."""
    return math.hypot(*(cell[f"{quantity}.se"] / cell[quantity] for cell in cells))


def welch(cells: Sequence[pd.Series], quantity: str) -> float:
    """Return the degrees of freedom of its interval, each cell having an error of its own."""
    squares = [(cell[f"{quantity}.se"] / cell[quantity]) ** 2 for cell in cells]
    dofs = [unit_count(int(cell.get("chains", cell["run.chains"]))) - 1 for cell in cells]
    return sum(squares) ** 2 / sum(s**2 / dof for s, dof in zip(squares, dofs, strict=True))
