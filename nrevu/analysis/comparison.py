"""Published numbers and ours compared, with the errors of both.

In: an experiment, and the tables of its cells and of those beside it. Out: a row for every
published number and for every claim, with the difference in combined standard errors and a verdict.
A comparison with a missing cell, or with chains that disagree, is not judged; its row says why.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nrevu.analysis import statements
from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.claims import claim_rows, format_settings
from nrevu.analysis.sides import RUN, nearest
from nrevu.analysis.table import APART, DOUBLED, LIMITED, doubts, flagged, matching
from nrevu.analysis.verdict import difference, judge, t_quantile
from nrevu.experiments.columns import UNCONVERGED, error, parse, times
from nrevu.experiments.experiment import Experiment
from nrevu.experiments.sections import Published

COLUMNS = [
    "kind",  # number: as printed; claim: a statement on ratios or best values
    "section",  # of a claim: the section of the paper that states it
    "what",
    "quantity",
    "required",  # of a claim: what our number should be
    "published",
    "published.se",  # our relative error, scaled to the length of the published run
    "ours",
    "se",
    "low",  # of the 95% interval
    "high",
    "z",  # difference in combined standard errors, on a logarithmic scale
    "dof",  # degrees of freedom of our standard error
    "p",  # probability of a difference as large by chance; of pairs: of all together
    "pairs",  # of a matched claim: how many pairs of cells are compared
    "verdict",  # agrees, marginal, differs, too noisy to tell, not judged, nothing published
    "reason",  # why it is not judged or too noisy, and what to do
    "selected",  # a claim by the best numbers of the grid, which are biased
    "family",  # what it is judged together with: the paper, or an experiment
    "comparisons",  # how many of its kind there are in the family
    "source",  # where a number was printed
    # Of a claim: confirmed; or selected, not confirmed; or so many pairs; or the same cell. Of all:
    # what to know of their lags.
    "basis",
    "digest",  # of a number's cell
]

# Columns that may hold nothing.
TEXTS = ("section", "required", "verdict", "reason", "basis", "digest", "source")


def compare(
    experiment: Experiment,
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None = None,
    expected: Sequence[Mapping[str, Any]] | None = None,
) -> pd.DataFrame:
    """Return the comparison of an experiment with its published numbers and claims.

    `expected` are the parameters of all cells that the table should have; None: it is complete.
    """
    family = experiment.family
    empty: dict[str, Any] = {"family": family.name, "ours": math.nan, "z": math.nan}
    empty |= dict.fromkeys(TEXTS, "")
    printed = number_rows(experiment, table)
    numbers = [empty | {"comparisons": family.numbers} | row for row in printed]
    found = claim_rows(experiment.claims, table, confirmed, expected)
    claims = [empty | {"comparisons": family.claims} | row for row in found]
    pairs = zip(experiment.claims, claims, strict=True)
    judged = [row | judge(row) for row in numbers]
    judged += [row | statements.judge(claim, row) for claim, row in pairs]
    return pd.DataFrame(judged, columns=COLUMNS)


def read_comparison(file: Path) -> pd.DataFrame:
    """Return a comparison that was written as CSV."""
    return pd.read_csv(file, dtype=dict.fromkeys(TEXTS, str)).fillna(dict.fromkeys(TEXTS, ""))


def number_rows(experiment: Experiment, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each published number."""
    rows = []
    for entry in experiment.published:
        found = matching(table, entry.at)
        for quantity, published in entry.numbers.items():
            why = unusable(found[:1], quantity)
            row: dict[str, Any] = {"kind": "number", "what": format_settings(entry.at)}
            row |= {"quantity": quantity, "published": published, "source": entry.source}
            row |= {"reason": why, "digest": "" if found.empty else found.iloc[0]["digest"]}
            rows.append(row if why else row | compare_number(found.iloc[0], quantity, entry))
    return rows


def unusable(cell: pd.DataFrame, quantity: str) -> str:
    """Return why a cell's number cannot be compared, and what to do; nothing if it can.

    Too few lags are no reason: where a lag was published, the published number has the same.
    """
    if cell.empty:
        return f"its cell is missing. To do: {RUN}"
    if flagged(cell, quantity, (UNCONVERGED,)).any():
        return f"its chains do not agree{nearest(cell)}. To do: raise run.groups"
    if not (cell[quantity] > 0).all() or not (cell[error(quantity)] > 0).all():
        return "no positive value with a standard error. To do: raise run.groups or run.chains"
    return ""


def compare_number(cell: pd.Series, quantity: str, entry: Published) -> dict[str, Any]:
    """Return the comparison of one published number with that of a cell."""
    ours, se, published = cell[quantity], cell[error(quantity)], entry.numbers[quantity]
    theirs = se / ours * math.sqrt(cell["run.groups"] / entry.groups)
    dof = unit_count(cell["run.chains"]) - 1
    half = t_quantile(dof) * se
    interval = {"se": se, "low": ours - half, "high": ours + half, "dof": dof}
    limited = doubts(cell.to_frame().T, quantity)[LIMITED].any()
    interval["basis"] = LIMITED if limited else ""
    return difference(ours, se / ours, published, theirs) | interval


def gather(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the comparisons of several experiments as one, each with a column `experiment`.

    Claims are in the paper's order; a published number that several experiments compare is there
    once.
    """
    none = pd.DataFrame(columns=[*COLUMNS, "experiment"])
    return statements.in_order(drop_repeats(pd.concat(parts, ignore_index=True) if parts else none))


def drop_repeats(compared: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons without the published numbers that another experiment compares too."""
    cells = compared.digest.where(compared.digest != "", compared.experiment + compared.what)
    repeated = compared.assign(cell=cells).duplicated(["cell", "quantity", "published"])
    return compared[~repeated | (compared.kind != "number")]


def flags_text(table: pd.DataFrame) -> list[str]:
    """Return a line that counts the unreliable times, for each reason."""
    notes = {
        DOUBLED: "too few lags are summed, tau reads low; claims use twice as many",
        LIMITED: "chains are too short for the lags that tau needs, claims say so",
        APART: "chains disagree, or the effective sample is below 100; claims need more",
    }
    found = {parse(name).quantity: doubts(table, name) for name in times(table, "tau")}
    lines = []
    for reason, note in notes.items():
        counts = {quantity: int(each[reason].sum()) for quantity, each in found.items()}
        text = ", ".join(f"{count} of {quantity}" for quantity, count in counts.items() if count)
        lines += [f"of {len(table)} cells, {text}: {note} (hollow points)"] if text else []
    return lines
