"""Claims: by what factor the best of one method beats the best of another.

In: an experiment's claims, the tables of its cells and of those confirmed. Out: a row for every
claim: the ratio (without `over`: the best value itself) with a 95% interval, from confirmed cells
where best ones had to be selected; or why there is none, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nrevu.analysis.matched import matched_numbers
from nrevu.analysis.sides import CONFIRMED, RUN, SELECTED, Side, best_side
from nrevu.analysis.statements import SAME, required, same_cell
from nrevu.analysis.table import DOUBLED, LIMITED, doubts, extend_lags, matching
from nrevu.analysis.verdict import difference
from nrevu.cells.cell import parameters
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import error
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
    if claim.best_at is not None:
        return best_at_numbers(claim, table, confirmed, expected)
    pairs = []
    for where in claim.sides():
        cells = sum(fits(row, where) for row in expected or ())
        pairs.append((where, best_side(table, confirmed, where, claim.quantity, cells)))
    failed = [(where, side) for where, side in pairs if side.reason]
    if failed:
        return {"reason": format_reasons(failed)}
    return numbers(claim, [side for _, side in pairs])


def best_at_numbers(
    claim: Claim,
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    expected: Sequence[Mapping[str, Any]] | None,
) -> dict[str, Any]:
    """Return the value of the published best cell over the smallest value of its grid.

    The published cell was the best by noisy numbers: their error counts as ours does.
    """
    cells = sum(fits(row, claim.of) for row in expected or ())
    at = {**claim.of, **(claim.best_at or {})}
    if matching(table, at).empty:
        return {"reason": f"{format_settings(at)}: its cell is missing. To do: {RUN}"}
    side = best_side(table, confirmed, claim.of, claim.quantity, cells, at)
    if side.reason:
        return {"reason": format_reasons([(at, side)])}
    cell, grid = matching(extend_lags(table), at).iloc[0], side.grid
    assert grid is not None
    length = cell["run.groups"] / (claim.groups or cell["run.groups"])
    theirs = cell[error(claim.quantity)] / cell[claim.quantity] * math.sqrt(length)
    return difference(side.value, side.relative, 1.0, theirs) | {
        "published.se": math.nan,
        "se": side.value * side.relative,
        "low": side.low,
        "high": side.high,
        "dof": side.dof,
        "selected": cell[claim.quantity] / grid[claim.quantity],
        "basis": SAME if same_cell(side, cell) else basis([side], claim.quantity),
    }


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
    """Return the numbers of a claim from its sides.

    Intervals are combined on a logarithmic scale, each side's half towards the end in question.
    The error of a published ratio is taken to be the grid's, scaled to the published run length.
    """
    quantity, published = claim.quantity, claim_texts(claim)["published"]
    grid = [side.grid for side in sides if side.grid is not None]
    selected, errors = ratio(grid, quantity)
    length = grid[0]["run.groups"] / (claim.groups or grid[0]["run.groups"])
    theirs = math.hypot(*errors) * math.sqrt(length)
    ours, low, high = divide(sides)
    relative = math.hypot(*(side.relative for side in sides))
    return difference(ours, relative, published, theirs) | {
        "se": ours * relative,
        "low": low,
        "high": high,
        "dof": welch(sides),
        "selected": selected,
        "basis": basis(sides, quantity),
    }


def divide(sides: Sequence[Side]) -> tuple[float, float, float]:
    """Return the first side over the second, if there is one, with its 95% interval.

    By MOVER (method of variance estimates recovery): squares of the sides' half intervals add up.
    """
    first, *second = sides
    value = first.value / math.prod(side.value for side in second)
    down = [math.log(first.value / first.low), *(math.log(s.high / s.value) for s in second)]
    up = [math.log(first.high / first.value), *(math.log(s.value / s.low) for s in second)]
    return value, value * math.exp(-math.hypot(*down)), value * math.exp(math.hypot(*up))


def basis(sides: Sequence[Side], quantity: str) -> str:
    """Return whether the cells of a claim were confirmed, and what to know of their lags."""
    cells = [side.cell for side in sides if side.cell is not None]
    bases = [side.basis for side in sides]
    how = [kind for kind in (SELECTED, CONFIRMED) if kind in bases][:1]
    found = [doubts(cell.to_frame().T, quantity) for cell in cells]
    return ", ".join(how + [why for why in (DOUBLED, LIMITED) if any(f[why].any() for f in found)])


def expected_rows(experiments: Iterable[Experiment]) -> list[dict[str, Any]]:
    """Return the parameters of all cells of some experiments, whether they have run or not."""
    return [parameters(cell) | cell.derived for e in experiments for cell in e.cells]


def ratio(cells: Sequence[pd.Series], quantity: str) -> tuple[float, list[float]]:
    """Return the first cell's value, over the second's if any, and the relative errors of both."""
    values = [cell[quantity] for cell in cells]
    errors = [cell[error(quantity)] / cell[quantity] for cell in cells]
    return values[0] / math.prod(values[1:]), errors


def welch(sides: Sequence[Side]) -> float:
    """Return the degrees of freedom of a ratio's interval, by Welch's formula."""
    squares = [side.relative**2 for side in sides]
    inverse = sum(s**2 / side.dof for s, side in zip(squares, sides, strict=True))
    return sum(squares) ** 2 / inverse if inverse else math.inf
