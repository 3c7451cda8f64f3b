"""Published numbers beside those found, with the errors of both.

In: an experiment, those beside it, and their tables. Out: a row for each published number and for
each claim, with the difference in combined standard errors and a verdict in words. Nothing is
compared that rests on a cell which is missing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from nrevu.autocorr import unit_count
from nrevu.cell import parameters
from nrevu.claims import claim_rows, matching
from nrevu.experiment import Experiment
from nrevu.student import t_quantile
from nrevu.verdict import verdict

COLUMNS = [
    "kind",  # number: as it was printed; claim: how many times better, or the best there is
    "what",
    "quantity",
    "published",
    "published.se",  # of the published run: ours, carried to its length
    "ours",
    "se",
    "low",  # of the 95% interval
    "high",
    "z",  # (ours - published) / combined standard error; of ratios, on a logarithmic scale
    "verdict",
    "selected",  # a claim by the grid's own best numbers, which are optimistic
    "basis",  # of a claim: confirmed; or selected, not confirmed
    "digest",  # of a number's cell
]


def compare(
    experiment: Experiment,
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None = None,
    beside: Sequence[Experiment] = (),
) -> pd.DataFrame:
    """Return the comparison of an experiment with what was published of it."""
    expected = [cell for e in (experiment, *beside) for cell in e.cells]
    claims = claim_rows(experiment.claims, table, confirmed, [parameters(c) for c in expected])
    rows = [*numbers(experiment, table), *claims]
    for row in rows:
        row["verdict"] = verdict(row["z"])
    return pd.DataFrame(rows, columns=COLUMNS)


def numbers(experiment: Experiment, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each published number whose cell is in the table."""
    rows = []
    for entry in experiment.published:
        for _, cell in matching(table, entry["at"]).iterrows():
            for quantity in (key for key in entry if key not in ("at", "source", "groups")):
                rows.append({"what": words(entry["at"]), **number(cell, quantity, entry)})
    return rows


def number(cell: pd.Series, quantity: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the comparison of one published number with a cell's own."""
    ours, se = cell[quantity], cell[f"{quantity}.se"]
    theirs = se * math.sqrt(cell["run.groups"] / entry["groups"])
    half = t_quantile(unit_count(cell["run.chains"]) - 1) * se
    return {
        "kind": "number",
        "quantity": quantity,
        "published": entry[quantity],
        "published.se": theirs,
        "ours": ours,
        "se": se,
        "low": ours - half,
        "high": ours + half,
        "z": (ours - entry[quantity]) / math.hypot(se, theirs),
        "digest": cell["digest"],
    }


def words(at: Mapping[str, Any]) -> str:
    """Return settings in words: 'standard, stepsize 1.8'."""
    names = (key.partition(".")[2] for key in at)
    pairs = (f"{name} {value}".strip() for name, value in zip(names, at.values(), strict=True))
    return ", ".join(pairs)


def flags_text(table: pd.DataFrame) -> list[str]:
    """Return a line that counts the times that are not to be quoted, for each reason."""
    notes = {
        "lag_too_short": "autocorrelation times are too low, as the lag is too short",
        "not_converged": "autocorrelation times are not used, as the chains do not agree",
    }
    lines = []
    for kind, note in notes.items():
        flags = [name for name in table if name.endswith(f".{kind}")]
        counts = {name.split(".")[1]: int(table[name].sum()) for name in flags}
        words = ", ".join(f"{count} of {quantity}" for quantity, count in counts.items() if count)
        lines += [f"of {len(table)} cells, {words}: {note} (hollow points)"] if words else []
    return lines
