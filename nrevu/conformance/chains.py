"""Checks of exact draws: against the known means, and that the updates leave them invariant.

The states of chains that start at exact draws remain exact draws: means and variances at their ends
differ from those at their starts only by chance, unless `draw`, `energy` and `gibbs` disagree.
Many short chains are run by the kernels, which other checks use as well.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nrevu.cells.chains import NO_TRACE, advance
from nrevu.conformance.subject import Subject
from nrevu.conformance.verdict import Verdict, affordable, fails, ok, seconds, skipped, worst_score
from nrevu.core.binding import chains_at_once
from nrevu.core.contracts import part
from nrevu.core.driver import Output, Schedule
from nrevu.core.sampler import Sampler
from nrevu.core.trials import first_point
from nrevu.methods.hamiltonian import HMC
from nrevu.methods.metropolis import Metropolis
from nrevu.u.standard import Standard

BUDGET = 2.0  # seconds of sampling, about
DRAWING = 1.5  # seconds of exact draws, for each check
DRAWS = 20_000  # at most
EVALUATIONS = 1600  # of each chain, at most
FEWEST = 128  # chains
STEPS = 10  # leapfrog steps of a trajectory; jitter keeps them from being periodic
PILOTS = 64  # chains, at most, to choose the stepsize
LARGEST = {Metropolis: 0.6, HMC: 0.3}  # rejection rates to accept
NO_DRAW = "has no `draw`: chains need burn-in (run.burn_in)"


@dataclass(frozen=True)
class Ends:
    """The first and last states of chains."""

    x: tuple[np.ndarray, np.ndarray]  # (chains, dim) each
    w: tuple[np.ndarray, np.ndarray]  # (chains, gibbs_variables) each
    rows: tuple[np.ndarray, np.ndarray]  # (chains, recorded columns) each
    rejected: float  # rate

    @property
    def correlation(self) -> float:
        """Return the largest correlation of a coordinate with itself at the other end."""
        a, b = (x - x.mean(axis=0) for x in self.x)
        with np.errstate(invalid="ignore", divide="ignore"):
            each = (a * b).sum(axis=0) / np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
        return float(np.nan_to_num(each, nan=1.0).max())


def draws(s: Subject) -> Verdict:
    """Compare the means over exact draws with those that `means` gives."""
    d = s.distribution
    if np.any(first_point(d, 3) != first_point(d, 3)):
        advice = "take all random numbers from `rng`, or results cannot be repeated"
        return fails("the same `rng` does not give the same point again", advice)
    means = part(d, "means")()
    known = {quantity: mean for quantity, mean in means.items() if mean is not None}
    if not s.exact:
        pooled = "" if len(known) == len(means) else "; means are pooled over chains"
        return skipped(NO_DRAW + pooled)
    if not known:
        return skipped("`means` knows none: they are pooled over chains")
    x = sample(s, "draws", DRAWS)
    rows = s.record(x, s.scan(x, s.bits("w", len(x))))
    columns = dict(zip(means, np.asarray(part(d, "derive")(rows), float).T, strict=True))
    z = {q: score(columns[q] - mean) for q, mean in known.items()}
    found, passed, text = worst_score(z, len(x))
    worst, numbers = found["worst"], {"draws": len(x), "z": z, "limit": found["limit"]}
    says = f"{worst}: mean {float(columns[worst].mean()):.5g} over {len(x)} draws, "
    says += f"{known[worst]:.5g} by `means`: {text}"
    if not passed:
        advice = "if `metropolis` below passes, `means` is wrong, or `record`; else perhaps `draw`"
        return fails(says, advice, **numbers)
    return ok(f"{', '.join(known)} as known; worst {says}", **numbers)


def sample(s: Subject, name: str, most: int) -> np.ndarray:
    """Return exact draws (n, dim), as many as time and memory allow."""
    rng, dim = s.rng(name), s.distribution.dim
    each = seconds(lambda: s.distribution.draw(np.random.default_rng(1))) + s.cost["energy"]
    number = min(affordable(DRAWING, each, 400, most), max(400, 4_000_000 // dim))
    return np.array([s.distribution.draw(rng) for _ in range(number)])


def score(gap: np.ndarray) -> float:
    """Return a mean in standard errors."""
    spread = gap.std(ddof=1)
    if not spread > 0:
        return 0.0 if abs(gap[0]) <= 1e-6 else float(np.copysign(np.inf, gap[0]))
    return float(gap.mean() / spread * np.sqrt(gap.size))


def compare_ends(s: Subject, kind: type) -> Verdict:
    """Check that a method leaves exact draws invariant: run chains, compare their two ends."""
    if not s.exact:
        return skipped("has no `draw`: whether updates leave it invariant cannot be checked")
    x = sample(s, "chains", DRAWS // 2)
    method, group, chains = settings(s, kind, x)
    ends = run(s, method, x[:chains], group, kind.__name__)
    z = {key: score(gap) for key, gap in gaps(s, ends).items()}
    found, passed, text = worst_score(z, chains)
    numbers: dict[str, Any] = {"chains": chains, "updates": group, "rejected": ends.rejected}
    numbers |= {"stepsize": method.stepsize, "correlation": ends.correlation} | found
    says = f"{len(z)} means and variances after {group} updates of {chains} draws; worst "
    says += f"{found['worst']}: {text}"
    if not passed:
        advice = "if nothing above fails, `draw` and `energy` are not the same distribution"
        if "gibbs" in s.functions:
            advice += ", or `gibbs` does not draw all of w afresh given x"
        return fails(says, advice, **numbers)
    if ends.correlation > 0.95:
        says += f"; but chains hardly moved (correlation {ends.correlation:.2f}): it says little"
    return ok(says, **numbers)


def settings(s: Subject, kind: type, x: np.ndarray) -> tuple[Any, int, int]:
    """Return the method, the updates of a chain, and how many chains time allows.

    The stepsize is one with few enough rejections.
    """
    eta = 2.0 if "scales" in s.functions else 2.0 * float(s.spread.max())
    cost = s.cost["gradient" if kind is HMC else "energy"]
    cost += 1e-7 * (1 + s.w.shape[1]) + 5e-9 * x.shape[1]  # the rest of an update
    evaluations = affordable(BUDGET, 8 * FEWEST * cost, 40, EVALUATIONS)
    chains = affordable(BUDGET, evaluations * cost, FEWEST, len(x))
    pilots = x[: affordable(0.5, 4 * STEPS * cost, 16, PILOTS)]
    for _ in range(40):
        if run(s, method_of(kind, eta), pilots, 4, "pilot").rejected < LARGEST[kind]:
            break
        eta /= 2
    group = evaluations // (STEPS if kind is HMC else 1)
    return method_of(kind, eta), group, chains


def method_of(kind: type, eta: float) -> Any:
    """Return the method with a stepsize; HMC with jitter, so that no trajectory is periodic."""
    return HMC(eta, STEPS, jitter=30.0) if kind is HMC else kind(eta)


def run(s: Subject, method: Any, x: np.ndarray, group: int, name: str) -> Ends:
    """Advance chains from x (chains, dim) by a group of updates with fresh u, and Gibbs scans."""
    rng, chains, width = s.rng(name), len(x), chains_at_once(s.distribution)
    p, v = rng.standard_normal(x.shape), rng.uniform(-1, 1, (chains, 1))
    bits = s.bits(f"{name} bits", chains)
    w = s.scan(x, bits)  # as the kernel does before its first update
    x_end, w_end = np.empty_like(x), np.empty_like(w)
    before, rejected = s.record(x, w), np.empty(chains, np.uint32)
    rows = np.zeros_like(before)
    sampler = Sampler(s.distribution, method, Standard())
    schedule = Schedule(group, int("gibbs" in s.functions), 0)
    for some in (slice(first, first + width) for first in range(0, chains, width)):
        states = [each[some] for each in (x, p, v, bits)]
        output = Output(np.arange(len(x[some]) + 1), rows[some], rejected[some], NO_TRACE)
        _, x_end[some], _, w_end[some] = advance(sampler, s.data, states, schedule, output)
    return Ends((x, x_end), (w, w_end), (before, rows), float(rejected.mean() / group))


def gaps(s: Subject, ends: Ends) -> dict[str, np.ndarray]:
    """Return the differences of each mean and variance between the ends, chain by chain."""
    names = [*part(s.distribution, "means")(), "U"]
    names += [f"{name}[{i}]" for name in ("x", "w") for i in range(getattr(ends, name)[0].shape[1])]
    columns = []
    for x, w, rows in zip(ends.x, ends.w, ends.rows, strict=True):
        U = [[s.energy(*state)] for state in zip(x, w, strict=True)]
        columns.append(np.concatenate([part(s.distribution, "derive")(rows), U, x, w], axis=1))
    old, new = np.array(columns) - columns[0].mean(axis=0)
    found = {}
    for name, a, b in zip(names, old.T, new.T, strict=True):
        found[f"mean of {name}"] = b - a
        found[f"variance of {name}"] = b * b - a * a
    return found
