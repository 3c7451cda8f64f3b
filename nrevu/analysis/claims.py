"""Claims: by what factor the best of one method beats the best of another.

In: an experiment's claims, the tables of its cells and of those confirmed. Out: a row for every
claim: the ratio (without `over`: the best value itself) with a 95% interval, from confirmed cells
where best ones had to be selected; or why there is none, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.matched import matched_numbers
from nrevu.analysis.sides import CONFIRMED, SELECTED, Side, best_side
from nrevu.analysis.statements import SAME, required, same_cell
from nrevu.analysis.table import flagged
from nrevu.analysis.verdict import difference, t_quantile
from nrevu.cells.cell import parameters
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import SHORT, error
from nrevu.experiments.sections import Claim

if TYPE_CHECKING:
    import pandas as pd

    from nrevu.experiments.experiment import Experiment


def claim_rows(
    claims: Iterable[Claim],
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    expected: Sequence[Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each claim.

    `expected` are the parameters of all cells that the table should have; None: it is complete.
    """
    return [claim_texts(c) | find_numbers(c, table, confirmed, expected) for c in claims]


def find_numbers(
    claim: Claim,
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    expected: Sequence[Mapping[str, Any]] | None,
) -> dict[str, Any]:
    """Return the numbers of a claim, or why there are none."""
    if claim.matched:
        return matched_numbers(claim, table, expected)
    pairs = []
    for where in claim.sides():
        cells = sum(fits(row, where) for row in expected or ())
        pairs.append((where, best_side(table, confirmed, where, claim.quantity, cells)))
    failed = [(where, side) for where, side in pairs if side.reason]
    if failed:
        return {"reason": format_reasons(failed)}
    sides = [side for _, side in pairs]
    found = numbers(claim, sides)
    if claim.best_at is not None and same_cell(sides):
        found |= {"ours": 1.0, "se": 0.0, "low": 1.0, "high": 1.0, "basis": SAME}
    return found


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
    of = "ratio of " if len(claim.sides()) > 1 else ""
    return {
        "kind": "claim",
        "section": claim.section,
        "what": "; ".join(text for text in (claim.text, claim.assuming) if text),
        "quantity": f"{of}{claim.quantity}",
        "published": math.nan if claim.published is None else claim.published,
        "required": required(claim, format_settings(claim.best_at or {})),
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
