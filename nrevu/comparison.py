"""What was published beside what was found, with the errors of both.

In: an experiment and its table. Out: a row for each published number, with the difference in
combined standard errors, and for each claimed ratio, with a confidence interval.
"""

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import pandas as pd

from nrevu.autocorr import unit_count
from nrevu.experiment import Experiment
from nrevu.tracing import best

COLUMNS = ["what", "quantity", "published", "ours", "se", "low", "high", "z"]


def compare(experiment: Experiment, table: pd.DataFrame) -> pd.DataFrame:
    """Return the comparison of an experiment with what was published of it."""
    rows = [*numbers(experiment, table), *ratios(experiment, table)]
    return pd.DataFrame(rows, columns=COLUMNS)


def numbers(experiment: Experiment, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each published number whose cell is in the table.

    A published run has an error of its own: ours, carried to its length.
    """
    rows = []
    for entry in experiment.published:
        for _, cell in matching(table, entry["at"]).iterrows():
            for quantity in (key for key in entry if key not in ("at", "source", "groups")):
                ours, se = cell[quantity], cell[f"{quantity}.se"]
                both = se * math.sqrt(1 + cell["run.groups"] / entry["groups"])
                half = t_quantile(unit_count(cell["run.chains"]) - 1) * se
                rows.append(
                    {
                        "what": words(entry["at"]),
                        "quantity": quantity,
                        "published": entry[quantity],
                        "ours": ours,
                        "se": se,
                        "low": ours - half,
                        "high": ours + half,
                        "z": (ours - entry[quantity]) / both,
                    }
                )
    return rows


def ratios(experiment: Experiment, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each claim that one method is so many times better than another."""
    rows = []
    for claim in experiment.claims:
        quantity = claim["quantity"]
        sides = [matching(table, claim[side]) for side in ("of", "over")]
        rows_of = [best(cells, quantity) for cells in sides]
        if any(row is None for row in rows_of):
            continue
        pair = [table.loc[row] for row in rows_of]
        ours = claim.get("factor", 1) * pair[0][quantity] / pair[1][quantity]
        relative = math.hypot(*(cell[f"{quantity}.se"] / cell[quantity] for cell in pair))
        factor = math.exp(t_quantile(welch(pair, quantity)) * relative)
        found = {"ours": ours, "se": ours * relative, "low": ours / factor, "high": ours * factor}
        notes = [claim[key] for key in ("text", "assuming") if key in claim]
        selected = ["selected, not confirmed"] if max(map(len, sides)) > 1 else []
        text = "; ".join(notes + selected)
        about = {"what": text, "quantity": f"ratio of {quantity}"}
        rows.append({**about, "published": claim["published"], **found})
    return rows


def matching(table: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that have these values."""
    for column, value in where.items():
        table = table[table[column] == value] if column in table else table[:0]
    return table


def welch(pair: list[pd.Series], quantity: str) -> float:
    """Return the degrees of freedom of a ratio of two times with errors of their own."""
    squares = [(cell[f"{quantity}.se"] / cell[quantity]) ** 2 for cell in pair]
    dofs = [unit_count(cell["run.chains"]) - 1 for cell in pair]
    return sum(squares) ** 2 / sum(s**2 / dof for s, dof in zip(squares, dofs, strict=True))


def words(at: Mapping[str, Any]) -> str:
    """Return settings in words: 'standard, stepsize 1.8'."""
    names = (key.partition(".")[2] for key in at)
    pairs = (f"{name} {value}".strip() for name, value in zip(names, at.values(), strict=True))
    return ", ".join(pairs)


def t_quantile(dof: float, level: float = 0.95) -> float:
    """Return how many standard errors an interval of this level reaches to each side.

    Student's distribution, by its expansion about the normal one: within 0.3% from 5 degrees on.
    """
    if dof < 1:
        return math.nan
    z = NormalDist().inv_cdf(0.5 + level / 2)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / dof + second / dof**2 + third / dof**3


def short_text(table: pd.DataFrame) -> list[str]:
    """Return a line that counts the times whose lag was too short, if there are any."""
    flags = [name for name in table if name.endswith(".lag_too_short")]
    counts = {name.split(".")[1]: int(table[name].sum()) for name in flags}
    words = ", ".join(f"{count} of {quantity}" for quantity, count in counts.items() if count)
    note = "autocorrelation times are too low, as the lag is too short (hollow points)"
    return [f"of {len(table)} cells, {words}: {note}"] if words else []


def as_text(name: str, comparison: pd.DataFrame) -> list[str]:
    """Return the comparison of an experiment as lines for a terminal."""
    lines = []
    for row in comparison.itertuples():
        interval = f"{row.ours:.4g} ({row.low:.4g} to {row.high:.4g})"
        z = "" if pd.isna(row.z) else f"{row.z:+.1f} std. errors apart"
        about = f"{name}: {row.what}: {row.quantity}"
        lines.append(
            f"{about:<84} published {row.published:<9.5g} ours {interval:<28} {z}".rstrip()
        )
    return lines
