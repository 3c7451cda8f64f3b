"""The tables in docs/results.md, of statements and of published numbers, from the reference run.

`python tests/helpers/results_page.py` writes them into the page. A test compares.
"""

import math
from pathlib import Path

import pandas as pd

from nrevu.analysis.comparison import TEXTS, compare, gather
from nrevu.analysis.statements import SAME
from nrevu.analysis.verdict import NOT_JUDGED
from nrevu.analysis.wording import interval, joint_text
from nrevu.experiments.experiment import default_set, expand
from nrevu.results import reference

PAGE = Path(__file__).parents[2] / "docs/results.md"
MARKS = {
    name: (f"<!-- {name}: written by tests/helpers/results_page.py -->", f"<!-- end of {name} -->")
    for name in ("statements", "numbers")
}
KEY = ["experiment", "kind", "what", "quantity"]


def compared():
    """Return the comparisons of the reference run, in the paper's order.

    A statement or number that the reference run does not have yet keeps its row, without numbers.
    """
    experiments = [expand(name, "paper") for name in default_set()]
    none = [compare(e, pd.DataFrame()).assign(experiment=e.name) for e in experiments]
    rows = pd.concat(none, ignore_index=True)
    rows = rows.assign(reason="not in the reference run: run `nrevu reference`")
    known = {tuple(row[key] for key in KEY): row for row in reference.load("paper")["compared"]}
    found = [known.get(tuple(row[key] for key in KEY), row) for row in rows.to_dict("records")]
    return gather([pd.DataFrame(found).fillna(dict.fromkeys(TEXTS, ""))])


def statements(rows):
    """Return the table of statements in Markdown, as lines."""
    lines = ["| section | statement | published or required | ours (95% interval) | verdict |"]
    lines.append("|---|---|---|---|---|")
    for row in rows[rows.kind == "claim"].itertuples():
        parts = (row.section, row.what, row.required, number(row), row.verdict)
        lines.append(f"| {' | '.join(parts)} |")
    return lines


def number(row):
    """Return our number of a statement, with what else there is to say of it."""
    if math.isnan(row.ours):
        return row.reason
    if row.basis == SAME:
        return f"1; {SAME}" if row.high < 1.005 else f"{interval(row)}; {SAME}"
    if row.pairs > 0:
        joint = joint_text(row.published, row.p)
        return f"{interval(row)}; {row.basis}{f', {joint}' if joint else ''}"
    return f"{interval(row)}; in the grid {row.selected:#.3g}" if row.basis else interval(row)


def numbers(rows):
    """Return the table of published numbers in Markdown, as lines."""
    lines = ["| run | quantity | published | ours | *z* |", "|---|---|---|---|---|"]
    for row in rows[rows.kind == "number"].itertuples():
        z, ours = "–", row.reason
        if row.verdict != NOT_JUDGED:
            digits = max(0, 1 - math.floor(math.log10(row.se)))
            z, ours = f"{row.z:+.1f}", f"{row.ours:.{digits}f} ± {row.se:.{digits}f}"
        what = f"`{row.experiment}`: {row.what}"
        lines.append(f"| {what} | {row.quantity} | {row.published:.5g} | {ours} | {z} |")
    return lines


def filled(text):
    """Return the page's text with both tables as they should be."""
    rows = compared()
    for name, make in (("statements", statements), ("numbers", numbers)):
        first, last = MARKS[name]
        before, _, rest = text.partition(first)
        after = rest.partition(last)[2]
        text = "\n".join([f"{before}{first}\n", *make(rows), f"\n{last}{after}"])
    return text


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
