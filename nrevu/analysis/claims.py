"""Claims: that the best of one method is so many times better than the best of another.

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
from nrevu.analysis.student_t import t_quantile
from nrevu.analysis.table import extend_lags, flagged, matching
from nrevu.analysis.traces import best
from nrevu.cells.cell import parameters
from nrevu.experiments import columns
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import SHORT, UNCONVERGED
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
        sides = [
            missing_side(table, where, expected)
            or best_side(table, confirmed, where, claim.quantity)
            for where in claim.sides()
        ]
        if all(side.cell is not None for side in sides):
            rows.append({**claim_texts(claim), **numbers(claim, sides)})
        else:
            rows.append({**claim_texts(claim), "reason": format_reasons(claim, sides)})
    return rows


def format_reasons(claim: Claim, sides: Sequence[Side]) -> str:
    """Return why a claim cannot be judged, for each of its sides, and what to do about it."""
    pairs = zip(claim.sides(), sides, strict=True)
    failed = [(where, side) for where, side in pairs if side.reason]
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

    A published claim is as uncertain as the numbers of the grid, scaled to its run length.
    """
    quantity, published = claim.quantity, claim_texts(claim)["published"]
    cells, grid = [side.cell for side in sides], [side.grid for side in sides]
    ours, relative = ratio(cells, quantity), error(cells, quantity)
    length = grid[0]["run.groups"] / (claim.groups or grid[0]["run.groups"])
    theirs = error(grid, quantity) * math.sqrt(length)
    dof = welch(cells, quantity)
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
    """Return whether the cells of a claim were confirmed, and whether lags were extended."""
    kinds = {side.basis for side in sides}
    texts = [kind for kind in (SELECTED, CONFIRMED) if kind in kinds][:1]
    short = any(flagged(side.cell.to_frame().T, quantity, (SHORT,)).any() for side in sides)
    return ", ".join([*texts, *(["lags extended"] if short else [])])


def expected_rows(experiments: Iterable[Experiment]) -> list[dict[str, Any]]:
    """Return the parameters of all cells of some experiments, whether they have run or not."""
    return [parameters(cell) | cell.derived for e in experiments for cell in e.cells]


def missing_side(
    table: pd.DataFrame, where: Mapping[str, Any], expected: Sequence[Mapping[str, Any]] | None
) -> Side | None:
    """Return a side without a cell, if some of the cells to take the best of are missing."""
    wanted = sum(fits(row, where) for row in expected or ())
    missing = wanted - len(matching(table, where))
    if missing <= 0:
        return None
    return Side(reason=f"{missing} of {wanted} cells are missing", remedy=RUN)


def best_side(
    table: pd.DataFrame, confirmed: pd.DataFrame | None, where: Mapping[str, Any], quantity: str
) -> Side:
    """Return the cell that represents the best of the cells with some values.

    A single cell was not selected, and represents itself; otherwise it is a confirmed cell.
    """
    cells = extend_lags(matching(table, where))
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
    """Return why none of some cells is usable."""
    if flagged(cells, quantity, (UNCONVERGED,)).all():
        return f"no {name} converged{nearest(cells)}"
    if cells[quantity].isna().all() and flagged(cells, quantity, (SHORT,)).any():
        return f"no {name} has chains long enough for the lags that {quantity} needs"
    return f"no {name} has a positive {quantity} with a standard error"


def nearest(cells: pd.DataFrame) -> str:
    """Return the R-hat and effective sample size of the cell that is nearest to convergence."""
    rhats, effectives = (columns.of_kind(cells, kind) for kind in ("rhat", "effective"))
    if not rhats or not effectives:
        return ""
    worst = cells[rhats].max(axis=1, skipna=False)
    if worst.isna().all():
        return ""
    row = worst.idxmin()
    smallest = cells.loc[row, effectives].min()
    name = cells.loc[row, "digest"]
    return f" (nearest: {name}, R-hat {worst[row]:.2f}, effective sample {smallest:.0f})"


def ratio(cells: Sequence[pd.Series], quantity: str) -> float:
    """Return the first cell's value, over the second's if there is one."""
    values = [cell[quantity] for cell in cells]
    return values[0] / values[1] if len(values) > 1 else values[0]


def error(cells: Sequence[pd.Series], quantity: str) -> float:
    """Return the relative standard error of such a ratio or value."""
    return math.hypot(*(cell[columns.error(quantity)] / cell[quantity] for cell in cells))


def welch(cells: Sequence[pd.Series], quantity: str) -> float:
    """Return the degrees of freedom of its interval; the cells have different errors."""
    squares = [(cell[columns.error(quantity)] / cell[quantity]) ** 2 for cell in cells]
    dofs = [unit_count(int(cell.get("chains", cell["run.chains"]))) - 1 for cell in cells]
    return sum(squares) ** 2 / sum(s**2 / dof for s, dof in zip(squares, dofs, strict=True))
