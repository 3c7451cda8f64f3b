"""Verdicts as lines of text for a terminal: the statements, then the published numbers.

In: comparisons, gathered in the paper's order. Out: lines.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from nrevu.analysis.verdict import NOISY, NOT_JUDGED, UNPUBLISHED, VERDICTS, headlines, probability
from nrevu.experiments.columns import parse

if TYPE_CHECKING:
    import pandas as pd


def summary(compared: pd.DataFrame) -> list[str]:
    """Return the verdicts as lines for a terminal: each statement, then the published numbers.

    A statement is shown with its 95% interval. Of the numbers all together come first; then each
    run, as differences in standard errors, with a question mark where they are too noisy to tell.
    """
    claims, numbers = (compared[compared.kind == kind] for kind in ("claim", "number"))
    lines = [tally(claims)] if len(claims) else []
    for row in claims.itertuples():
        lines.append(line(row.verdict, row.section or row.experiment, row.what, claim_text(row)))
    heads = headlines(numbers) if len(numbers) else []
    return [*lines, *(part for head in heads for part in textwrap.wrap(head, 110)), *runs(numbers)]


def tally(claims: pd.DataFrame) -> str:
    """Return how many statements have each verdict: '20 statements: agrees 19, differs 1'."""
    counts = claims.verdict.value_counts()
    parts = [f"{word} {counts[word]}" for word in (*VERDICTS, UNPUBLISHED) if word in counts]
    return f"{len(claims)} statement{'s' if len(claims) > 1 else ''}: {', '.join(parts)}"


def runs(numbers: pd.DataFrame) -> list[str]:
    """Return a line for each published run, with the differences of its numbers."""
    lines = []
    for (name, what), rows in numbers.groupby(["experiment", "what"], sort=False):
        without = rows[rows.verdict == NOT_JUDGED]
        judged = [run_number(row) for row in rows.drop(without.index).itertuples()]
        texts = [f"z: {', '.join(judged)}"] if judged else []
        texts += [f"{row.quantity} not judged: {row.reason}" for row in without.itertuples()]
        worst = max(rows.verdict, key=VERDICTS.index)
        lines.append(line(worst, name, what, "; ".join(texts)))
    return lines


def run_number(row) -> str:
    """Return a number of a run as its difference in standard errors: 'log_prob +0.3'."""
    kind, quantity, _ = parse(row.quantity)
    name = quantity if kind == "tau" else row.quantity
    return f"{name} {row.z:+.1f}{'?' if row.verdict == NOISY else ''}"


def claim_text(row) -> str:
    """Return our number of a claim and what it should be, or why it could not be judged."""
    parts = [f"published {row.required}" if row.published > 0 else row.required]
    if not math.isnan(row.ours):
        parts = [number_text(row), *parts]
    parts += [] if math.isnan(row.z) else [f"z {row.z:+.1f}"]
    return "; ".join(part for part in (*parts, row.reason) if part)


def number_text(row) -> str:
    """Return our number with its interval, and what it is from.

    Confirmed cells are the rule, and not mentioned.
    """
    if row.pairs > 0:
        joint = joint_text(row.published, row.p)
        return f"{row.basis}, ratio {interval(row)}{f', {joint}' if joint else ''}"
    basis = f", {row.basis}" if row.basis not in ("", "confirmed") else ""
    return f"{interval(row)[:-1]}{basis})"


def joint_text(published: float, p: float) -> str:
    """Return the p-value of all pairs together, if pairs should be equal; nothing if not."""
    return "" if published > 0 or math.isnan(p) else f"joint p {probability(p)}"


def interval(row) -> str:
    """Return our number with its 95% interval: '1.62 (1.58 to 1.66)'."""
    ours, low, high = rounded(row.ours, row.low, row.high)
    return f"{ours} ({low} to {high})"


def rounded(ours: float, low: float, high: float) -> list[str]:
    """Return a number and the ends of its interval, to the digits that matter.

    Three digits, or more where the interval is shorter than the last of them.
    """
    half = (high - low) / 2
    short = -math.floor(math.log10(half)) if half > 0 else 0
    digits = max(0, short, 2 - math.floor(math.log10(ours)))
    return [f"{x:.{digits}f}" for x in (ours, low, high)]


def line(outcome: str, name: str, what: str, found: str) -> str:
    """Return one line of the summary; a long description of the comparison is shortened."""
    return f"{outcome:17} {name:21} {textwrap.shorten(what, 58, placeholder=' ...'):58} {found}"
