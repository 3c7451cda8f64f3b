"""Claims: by what factor the best of one method beats the best of another.

In: an experiment's claims, the tables of its cells and of those confirmed. Out: a row for every
claim: the ratio (without `over`: the best value itself) with a 95% interval, from confirmed cells
where best ones had to be selected; or why there is none, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.confirmation import select_candidate
from nrevu.analysis.table import extend_lags, flagged, matching
from nrevu.analysis.traces import best
from nrevu.analysis.verdict import difference, t_quantile
from nrevu.cells.cell import parameters
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import SHORT, UNCONVERGED, error, of_kind
from nrevu.experiments.sections import Claim

if TYPE_CHECKING:
    import pandas as pd

    from nrevu.experiments.experiment import Experiment

SELECTED = "selected, not confirmed"
CONFIRMED = "confirmed"
RUN = "run the workflow to its end"


@dataclass(frozen=True)
class Side:
    """The cell that represents one side of a claim, or why there is none."""

    cell: pd.Series | None = None  # whose numbers are reported
    grid: pd.Series | None = None  # the best cell of the grid
    basis: str = ""  # CONFIRMED, SELECTED, or "" of a single cell, which was not selected
    reason: str = ""  # why there is no cell
    remedy: str = ""  # what to do about it


def claim_rows(
    claims: Iterable[Claim],
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    expected: Sequence[Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each claim.

    `expected` are the parameters of all cells that the table should have; None: it is complete.
    """
    rows = []
    for claim in claims:
        pairs = []
        for where in claim.sides():
            cells = sum(fits(row, where) for row in expected or ())
            pairs.append((where, best_side(table, confirmed, where, claim.quantity, cells)))
        failed = [(where, side) for where, side in pairs if side.reason]
        found = {"reason": format_reasons(failed)} if failed else None
        rows.append(claim_texts(claim) | (found or numbers(claim, [side for _, side in pairs])))
    return rows


def format_reasons(failed: Sequence[tuple[Mapping[str, Any], Side]]) -> str:
    """Return why a claim cannot be judged, for each of its sides, and what to do about it."""
    reasons = "; ".join(f"{format_settings(where)}: {side.reason}" for where, side in failed)
    remedies = dict.fromkeys(side.remedy for _, side in failed)
    return f"{reasons}. To do: {'; '.join(remedies)}"


def format_settings(at: Mapping[str, Any]) -> str:
    """Return settings as text: 'standard, stepsize 1.8'."""
    parts = []
    for key, value in at.items():
        name = key.rpartition(".")[2]
        group = isinstance(value, str) and "." not in key  # as in u: standard
        parts.append(f"no {name}" if value is None else value if group else f"{name} {value}")
    return ", ".join(parts) or "all cells"


def claim_texts(claim: Claim) -> dict[str, Any]:
    """Return the part of a row that does not depend on the results."""
    of = "" if claim.over is None else "ratio of "
    return {
        "kind": "claim",
        "what": "; ".join(text for text in (claim.text, claim.assuming) if text),
        "quantity": f"{of}{claim.quantity}",
        "published": math.nan if claim.published is None else claim.published,
        "reason": "",
    }


def numbers(claim: Claim, sides: Sequence[Side]) -> dict[str, Any]:
    """Return the numbers of a claim from the cells that represent its sides.

    The error of a published ratio is taken to be the grid's, scaled to the published run length.
    """
    quantity, published = claim.quantity, claim_texts(claim)["published"]
    cells = [side.cell for side in sides if side.cell is not None]
    grid = [side.grid for side in sides if side.grid is not None]
    ours, errors = ratio(cells, quantity)
    selected, errors_of_grid = ratio(grid, quantity)
    length = grid[0]["run.groups"] / (claim.groups or grid[0]["run.groups"])
    relative, theirs = math.hypot(*errors), math.hypot(*errors_of_grid) * math.sqrt(length)
    dof = welch(cells, errors)
    reach = math.exp(t_quantile(dof) * relative)
    return difference(ours, relative, published, theirs) | {
        "se": ours * relative,
        "low": ours / reach,
        "high": ours * reach,
        "dof": dof,
        "selected": selected,
        "basis": basis(sides, cells, quantity),
    }


def basis(sides: Sequence[Side], cells: Sequence[pd.Series], quantity: str) -> str:
    """Return whether the cells of a claim were confirmed, and whether lags were extended."""
    bases = [side.basis for side in sides]
    how = [kind for kind in (SELECTED, CONFIRMED) if kind in bases][:1]
    short = any(flagged(cell.to_frame().T, quantity, (SHORT,)).any() for cell in cells)
    return ", ".join(how + ["lags extended"] * short)


def expected_rows(experiments: Iterable[Experiment]) -> list[dict[str, Any]]:
    """Return the parameters of all cells of some experiments, whether they have run or not."""
    return [parameters(cell) | cell.derived for e in experiments for cell in e.cells]


def best_side(
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    where: Mapping[str, Any],
    quantity: str,
    expected: int = 0,
) -> Side:
    """Return the cell that represents the best of the cells with some values.

    A single cell was not selected, and represents itself; otherwise it is a confirmed cell. If
    there are fewer cells than `expected`, the best one may be missing.
    """
    cells = extend_lags(matching(table, where))
    if len(cells) < expected:
        missing = f"{expected - len(cells)} of {expected} cells are missing"
        return Side(reason=missing, remedy=RUN)
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
    candidates = extend_lags(candidates)
    row = select_candidate(candidates, quantity)
    if row is None:
        again = "raise confirm.longer (only the confirming runs would be sampled again)"
        return Side(reason=unusable(candidates, quantity, "confirming run"), remedy=again)
    return Side(candidates.loc[row], grid, CONFIRMED)


def unusable(cells: pd.DataFrame, quantity: str, name: str) -> str:
    """Return why none of these cells is usable."""
    if flagged(cells, quantity, (UNCONVERGED,)).all():
        return f"no {name} converged{nearest(cells)}"
    if cells[quantity].isna().all() and flagged(cells, quantity, (SHORT,)).any():
        return f"no {name} has chains long enough for the lags that {quantity} needs"
    return f"no {name} has a positive {quantity} with a standard error"


def nearest(cells: pd.DataFrame) -> str:
    """Return the R-hat and effective sample size of the cell that is nearest to convergence."""
    worst = cells[of_kind(cells, "rhat")].max(axis=1, skipna=False)
    if worst.isna().all():
        return ""
    row = worst.idxmin()
    smallest = cells.loc[row, of_kind(cells, "effective")].min()
    name = cells.loc[row, "digest"]
    return f" (nearest: {name}, R-hat {worst[row]:.2f}, effective sample {smallest:.0f})"


def ratio(cells: Sequence[pd.Series], quantity: str) -> tuple[float, list[float]]:
    """Return the first cell's value, over the second's if any, and the relative errors of both."""
    values = [cell[quantity] for cell in cells]
    errors = [cell[error(quantity)] / cell[quantity] for cell in cells]
    return values[0] / math.prod(values[1:]), errors


def welch(cells: Sequence[pd.Series], errors: Sequence[float]) -> float:
    """Return the degrees of freedom of a ratio's interval, by Welch's formula."""
    squares = [error**2 for error in errors]
    dofs = [unit_count(int(cell.get("chains", cell["run.chains"]))) - 1 for cell in cells]
    return sum(squares) ** 2 / sum(s**2 / dof for s, dof in zip(squares, dofs, strict=True))
