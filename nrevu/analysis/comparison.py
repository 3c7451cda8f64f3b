"""Published numbers beside those found, with the errors of both.

In: an experiment, those beside it, and their tables. Out: a row for every published number and for
every claim, with the difference in combined standard errors and a verdict in words. What rests on a
missing cell, or on chains that do not agree, is not judged, and its row says why.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.claims import RUN, claim_rows, matching, nearest, settings_words
from nrevu.analysis.student_t import t_quantile
from nrevu.analysis.table import SHORT, UNCONVERGED, flagged
from nrevu.analysis.verdict import (
    NOISY,
    NOT_JUDGED,
    UNPUBLISHED,
    chance,
    noise_words,
    times_longer,
    verdict,
)
from nrevu.experiments.experiment import Experiment, published_quantities

COLUMNS = [
    "kind",  # number: as it was printed; claim: how many times better, or the best there is
    "what",
    "quantity",
    "published",
    "published.se",  # ours, as a share of the value, scaled to the length of the published run
    "ours",
    "se",
    "low",  # of the 95% interval
    "high",
    "z",  # difference in combined standard errors, on a logarithmic scale
    "dof",  # degrees of freedom of our standard error
    "p",  # how often the difference would be as large by chance
    "verdict",  # agrees, marginal, differs, too noisy to tell, not judged, nothing published
    "reason",  # why it is not judged or too noisy, and what to do
    "selected",  # a claim by the grid's own best numbers, which are optimistic
    "family",  # what it is judged together with: the paper, or an experiment
    "comparisons",  # how many of its kind there are in the family
    "source",  # where a number was printed
    "basis",  # of a claim: confirmed; or selected, not confirmed; lags extended, if K were too few
    "digest",  # of a number's cell
]

TEXTS = ("verdict", "reason", "basis", "digest", "source")  # columns that may hold nothing


def compare(
    experiment: Experiment,
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None = None,
    expected: Sequence[Mapping[str, Any]] = (),
) -> pd.DataFrame:
    """Return the comparison of an experiment with what was published of it."""
    claims = claim_rows(experiment.claims, table, confirmed, expected)
    rows = [{"z": math.nan, **row} for row in (*numbers(experiment, table), *claims)]
    empty = {**dict.fromkeys(TEXTS, ""), "family": experiment.family.name}
    empty["ours"] = math.nan
    return pd.DataFrame([empty | row | judged(row, experiment) for row in rows], columns=COLUMNS)


def read_comparison(file: Path) -> pd.DataFrame:
    """Return a comparison that was written as CSV."""
    return pd.read_csv(file, dtype=dict.fromkeys(TEXTS, str)).fillna(dict.fromkeys(TEXTS, ""))


def judged(row: Mapping[str, Any], experiment: Experiment) -> dict[str, Any]:
    """Return the chance of a row's difference, and the verdict on it among all of its kind."""
    count = experiment.family.count(row["kind"])
    if math.isnan(row["z"]):
        unpublished = math.isnan(row["published"]) and not row["reason"]
        return {"comparisons": count, "verdict": UNPUBLISHED if unpublished else NOT_JUDGED}
    p, longer = chance(row["z"], row["dof"]), times_longer(row)
    word = verdict(p, count, longer > 1)
    why = noise_words(longer) if word == NOISY else row["reason"]
    return {"p": p, "comparisons": count, "verdict": word, "reason": why}


def numbers(experiment: Experiment, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each published number."""
    rows = []
    for entry in experiment.published:
        found = matching(table, entry["at"])
        for quantity in published_quantities(entry):
            about = {"kind": "number", "what": settings_words(entry["at"]), "quantity": quantity}
            about |= {"published": entry[quantity], "reason": "", "source": entry.get("source", "")}
            if found.empty:
                rows.append({**about, "reason": f"its cell is missing. To do: {RUN}"})
                continue
            why = unusable(found.iloc[[0]], quantity, experiment.estimate.max_lag)
            about |= {"digest": found.iloc[0]["digest"], "reason": why}
            rows.append(about if why else about | number(found.iloc[0], quantity, entry))
    return rows


def unusable(cell: pd.DataFrame, quantity: str, max_lag: int) -> str:
    """Return why a cell's number cannot be compared, and what to do; nothing if it can.

    Too few lags are no reason where they were given: the published number has the same.
    """
    if flagged(cell, quantity, (UNCONVERGED,)).any():
        return f"its chains do not agree{nearest(cell)}. To do: raise run.groups"
    if not max_lag and flagged(cell, quantity, (SHORT,)).any():
        return "its chains are too short for the lags that tau needs. To do: raise run.groups"
    if not (cell[quantity] > 0).all() or not (cell[f"{quantity}.se"] > 0).all():
        return "no positive value with a standard error. To do: raise run.groups or run.chains"
    return ""


def number(cell: pd.Series, quantity: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the comparison of one published number with a cell's own."""
    ours, se = cell[quantity], cell[f"{quantity}.se"]
    theirs = se / ours * math.sqrt(cell["run.groups"] / entry["groups"])
    dof = unit_count(cell["run.chains"]) - 1
    half = t_quantile(dof) * se
    return {
        "published.se": entry[quantity] * theirs,
        "ours": ours,
        "se": se,
        "low": ours - half,
        "high": ours + half,
        "z": math.log(ours / entry[quantity]) / math.hypot(se / ours, theirs),
        "dof": dof,
    }


def once(compared: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons without the published numbers that another experiment compares too."""
    cells = compared.digest.where(compared.digest != "", compared.experiment + compared.what)
    repeated = compared.assign(cell=cells).duplicated(["cell", "quantity", "published"])
    return compared[~repeated | (compared.kind != "number")]


def flags_text(table: pd.DataFrame) -> list[str]:
    """Return a line that counts the unreliable times, for each reason."""
    notes = {
        "lag_too_short": "too few lags were summed, tau reads low; claims use as many as it needs",
        "not_converged": "chains disagree, or the effective sample is below 100; claims skip these",
    }
    lines = []
    for kind, note in notes.items():
        flags = [name for name in table if name.endswith(f".{kind}")]
        counts = {name.split(".")[1]: int(table[name].sum()) for name in flags}
        words = ", ".join(f"{count} of {quantity}" for quantity, count in counts.items() if count)
        lines += [f"of {len(table)} cells, {words}: {note} (hollow points)"] if words else []
    return lines
