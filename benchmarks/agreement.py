"""Do independent implementations agree? Rejection rates and autocorrelation times, within errors.

In: sizes. Out: for each setting and each of numpy and BlackJAX, its estimate, that of nrevu at
the same setting, and the difference in standard errors. Without agreement a speed means nothing.
"""

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import in_numpy
from benchmarks.settings import SETTINGS, of_length
from benchmarks.sizes import Sizes
from benchmarks.target import Target
from nrevu.analysis.autocorrelation import rejection_rate, tau_from, times
from nrevu.cells.cell import Cell
from nrevu.cells.chains import sample
from nrevu.core.contracts import has, part

LAG = 10  # enough to compare the same sum of autocorrelations


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was found, in plain data; rounds are of no use here."""
    found = {}
    for setting in SETTINGS:
        found[setting.key] = {"numpy": compared(setting.cell, in_numpy.advance, sizes)}
        if find_spec("blackjax"):
            from benchmarks import in_blackjax

            cell = in_blackjax.with_its_u(setting.cell)
            found[setting.key]["BlackJAX"] = compared(cell, in_blackjax.advance, sizes)
    return {"found": found, "groups": sizes.groups, "chains": sizes.chains}


def compared(cell: Cell, advance: Callable, sizes: Sizes) -> dict[str, dict[str, float]]:
    """Return rejection rate and autocorrelation time by another implementation and by ours."""
    recorded, rejected = advance(cell, sizes.chains, 2)(sizes.groups)
    series = sample(of_length(cell, sizes.groups * sizes.chains, sizes.chains))
    theirs = estimates(cell, recorded.T.reshape(-1, 1), rejected.T.ravel(), sizes)
    ours = estimates(cell, series.rows[:, -1:], series.rejected, sizes)
    return {name: difference(ours[name], theirs[name]) for name in ours}


def estimates(cell: Cell, rows: np.ndarray, rejected: np.ndarray, sizes: Sizes) -> dict[str, Any]:
    """Return the estimates from what was recorded last: U, or a coordinate of the mixed problem."""
    lengths = [sizes.groups] * sizes.chains
    means = cell.distribution.means()
    derived = has(cell.distribution, "derive")
    quantity = "indicator" if derived else "log_prob"
    values = part(cell.distribution, "derive")(rows)[:, 0]
    return {
        "rejection_rate": rejection_rate(rejected, lengths, cell.schedule.group),
        f"tau.{quantity}": tau_from(times(values, lengths, means[quantity], LAG)),
    }


def difference(ours: Any, theirs: Any) -> dict[str, float]:
    """Return two estimates and their difference in combined standard errors."""
    z = (ours.value - theirs.value) / math.hypot(ours.se, theirs.se)
    return {"ours": ours.value, "ours.se": ours.se, "theirs": theirs.value, "theirs.se": theirs.se,
            "z": z}  # fmt: skip


def lines(result: dict[str, Any]) -> list[str]:
    """Return a line for each setting, implementation and number."""
    output = [f"{'setting':18}{'by':10}{'number':16}{'theirs':>20}{'nrevu':>20}{'z':>7}"]
    for key, implementations in result["found"].items():
        for name, numbers in implementations.items():
            for what, d in numbers.items():
                theirs = f"{d['theirs']:.4f} ± {d['theirs.se']:.4f}"
                ours = f"{d['ours']:.4f} ± {d['ours.se']:.4f}"
                output.append(f"{key:18}{name:10}{what:16}{theirs:>20}{ours:>20}{d['z']:+7.2f}")
    count = sum(len(n) for i in result["found"].values() for n in i.values())
    return [*output, f"z: difference in standard errors; of {count}, 1 in 20 exceeds 2 by chance"]


def targets(result: dict[str, Any]) -> list[Target]:
    """Return nothing: there are no targets here."""
    return []
