"""Checks of exact draws: against the known means, and that the updates leave them invariant.

The states of chains that start at exact draws remain exact draws: means and variances at their ends
differ from those at their starts only by chance, unless `draw`, `energy` and `gibbs` disagree.
"""

from typing import Any

import numpy as np

from nrevu.conformance.chains import first_scan, gaps, record_all, run, settings
from nrevu.conformance.subject import Subject
from nrevu.conformance.timing import affordable, seconds
from nrevu.conformance.verdict import Verdict, fails, limit, odds, ok, skipped, worst_key
from nrevu.core.contracts import part

BUDGET = 1.5  # seconds, for each check
DRAWS = 20_000  # at most
NO_DRAW = "has no `draw`: chains need burn-in (run.burn_in)"


def draws(s: Subject) -> Verdict:
    """Compare the means over exact draws with those that `means` gives."""
    d = s.distribution
    begin = part(d, "draw") or part(d, "start")
    if np.any(begin(np.random.default_rng(3)) != begin(np.random.default_rng(3))):
        advice = "take all random numbers from `rng`, or results cannot be repeated"
        return fails("the same `rng` does not give the same point again", advice)
    means = part(d, "means")()
    known = {quantity: mean for quantity, mean in means.items() if mean is not None}
    if not s.exact:
        pooled = "" if len(known) == len(means) else "; means are pooled over chains"
        return skipped(NO_DRAW + pooled)
    if not known:
        return skipped("`means` knows none: they are pooled over chains")
    columns = dict(zip(means, quantities_at(s, sample(s, "draws")).T, strict=True))
    z = {q: score(columns[q] - mean) for q, mean in known.items()}
    number, worst = len(columns[next(iter(z))]), worst_key(z)
    found = float(columns[worst].mean())
    numbers = {"draws": number, "z": z, "limit": limit(len(z), number)}
    says = f"{worst}: mean {found:.5g} over {number} draws, {known[worst]:.5g} by `means`"
    says += f": z {z[worst]:.1f} ({odds(len(z), number)})"
    if not abs(z[worst]) <= limit(len(z), number):
        advice = "if `metropolis` below passes, `means` is wrong, or `record`; else perhaps `draw`"
        return fails(says, advice, **numbers)
    return ok(f"{', '.join(known)} as known; worst {says}", **numbers)


def sample(s: Subject, name: str, most: int = DRAWS) -> np.ndarray:
    """Return exact draws (n, dim), as many as time and memory allow."""
    rng, dim = s.rng(name), s.distribution.dim
    each = seconds(lambda: s.distribution.draw(np.random.default_rng(1))) + s.cost["energy"]
    number = min(affordable(BUDGET, each, 400, most), max(400, 4_000_000 // dim))
    return np.array([s.distribution.draw(rng) for _ in range(number)])


def quantities_at(s: Subject, x: np.ndarray) -> np.ndarray:
    """Return the quantities (n, quantities) at points, each with a w drawn given it."""
    w = first_scan(s, x, s.bits("w", len(x)))
    return np.asarray(part(s.distribution, "derive")(record_all(s, x, w)), float)


def score(gap: np.ndarray) -> float:
    """Return a mean in standard errors."""
    spread = gap.std(ddof=1)
    if not spread > 0:
        return 0.0 if abs(gap[0]) <= 1e-6 else float(np.copysign(np.inf, gap[0]))
    return float(gap.mean() / spread * np.sqrt(gap.size))


def metropolis(s: Subject) -> Verdict:
    """Check that Metropolis updates leave exact draws invariant."""
    return compare_ends(s, "metropolis")


def hamiltonian(s: Subject) -> Verdict:
    """Check that HMC leaves exact draws invariant."""
    if "gradient" not in s.functions:
        return skipped("has no `gradient`")
    return compare_ends(s, "hamiltonian")


def compare_ends(s: Subject, name: str) -> Verdict:
    """Run chains from exact draws with the update of that name; compare their two ends."""
    if not s.exact:
        return skipped("has no `draw`: whether updates leave it invariant cannot be checked")
    x = sample(s, "chains", DRAWS // 2)
    setting = settings(s, name, x)
    x = x[: setting.chains]
    ends = run(s, name, x, setting.arguments, setting.group, name)
    z = {key: score(gap) for key, gap in gaps(s, ends).items()}
    worst = worst_key(z)
    numbers: dict[str, Any] = {"chains": len(x), "updates": setting.group}
    numbers |= {"rejected": ends.rejected, "stepsize": setting.arguments[0]}
    numbers["correlation"] = ends.correlation
    numbers |= {"worst": worst, "z": z[worst], "limit": limit(len(z), len(x))}
    says = f"{len(z)} means and variances after {setting.group} updates of {len(x)} draws; worst "
    says += f"{worst}: z {z[worst]:.1f} ({odds(len(z), len(x))})"
    if not abs(z[worst]) <= limit(len(z), len(x)):
        advice = "if nothing above fails, `draw` and `energy` are not the same distribution"
        if "gibbs" in s.functions:
            advice += ", or `gibbs` does not draw all of w afresh given x"
        return fails(says, advice, **numbers)
    if ends.correlation > 0.95:
        says += f"; but chains hardly moved (correlation {ends.correlation:.2f}): it says little"
    return ok(says, **numbers)
