"""Checks of a method's stages, one update at a time: they name the causes of a wrong chain.

A method without p is right if what it returns besides U is -log q of its proposal and of the way
back. One with p is right if p stays N(0, I) as it is refreshed, the way back from the proposal
leads to the start, and the energy has what the change of volume and of |p|^2 / 2 demand.
"""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nrevu.conformance.proposals import Probe, Proposal, jacobian, log_volume, solve
from nrevu.conformance.verdict import Verdict, fails, ok, skipped

CLOSE = 1e-6  # differences up to this, relative to numbers of order 1, are rounding
TRIES = 4  # states at which each check is made


@dataclass(frozen=True)
class Updates:
    """A method's updates at some states, drawn at random."""

    probe: Probe
    seed: int

    @cached_property
    def states(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return some x, p and normals."""
        rng = np.random.default_rng(self.seed)
        draw = self.probe.sampler.distribution.draw
        return [(draw(rng), *rng.standard_normal((2, self.probe.dim))) for _ in range(TRIES)]

    @cached_property
    def has_p(self) -> bool:
        """Tell whether the method has a momentum: changes p, or uses it."""
        x, p, n = self.states[0]
        one, other = self.probe.propose(x, p, n), self.probe.propose(x, 2.0 * p, n)
        changed = np.any(one.p != p) or np.any(one.rejected != p) or np.any(one.taken != p)
        return bool(changed or np.any(one.x != other.x))

    @cached_property
    def refreshment(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return a and b, if p becomes a p + b n; else None."""
        x, p, n = self.states[0]
        zero = np.zeros(self.probe.dim)
        a = self.probe.propose(x, p, zero).p / p
        b = self.probe.propose(x, zero, n).p / n
        linear = a * p + b * n
        return (a, b) if close(self.probe.propose(x, p, n).p, linear) else None

    def from_refreshed(self, x: np.ndarray, p: np.ndarray, other: float = 0.0) -> Proposal:
        """Return the proposal from x and a p that is refreshed already; `other` is of the normals.

        It must not matter which normals, together with which p before, lead to that p.
        """
        assert self.refreshment is not None
        a, b = self.refreshment
        by_p = abs(a) > 1e-3  # else p before is `other`, and the normals follow
        before = np.where(by_p, (p - b * other) / np.where(by_p, a, 1.0), other)
        normal = np.where(by_p, other, (p - a * other) / np.where(by_p, 1.0, b))
        return self.probe.propose(x, before, normal)

    @property
    def fresh(self) -> bool:
        """Tell whether p is drawn afresh: what it was before does not matter."""
        return self.refreshment is not None and bool(np.all(abs(self.refreshment[0]) < CLOSE))


def close(a: Any, b: Any) -> bool:
    """Tell whether numbers of order 1 are equal but for rounding."""
    return bool(np.all(np.abs(np.asarray(a) - b) <= CLOSE * (1.0 + np.abs(b))))


def leaves(u: Updates) -> Verdict:
    """Check that stages write the proposal, and leave the current x and g alone."""
    for x, p, n in u.states:
        found, g = u.probe.propose(x, p, n), u.probe.gradient(x)
        if any(np.any(left[0] != x) or np.any(left[1] != g) for left in found.left):
            which = "x" if any(np.any(left[0] != x) for left in found.left) else "g"
            advice = f"write new.{which}: the driver copies it if the proposal is taken"
            return fails(f"a stage changes now.{which}, also if the proposal is rejected", advice)
        if not np.all(np.isfinite(found.x)):
            i = int(np.argmin(np.isfinite(found.x)))
            return fails(f"no stage writes new.x[{i}]", "write every new.x[i]")
        if not np.all(np.isfinite([found.taken, found.rejected])):
            advice = "write every new.p[i] in `propose`, and now.p[i] in `settle`"
            return fails("`settle` reads a new.p that no stage writes", advice)
        if not np.isfinite(found.besides):
            advice = "`propose` and `finish` return a number, 0.0 if there is nothing besides U"
            return fails("what the energy has besides U is not finite", advice)
    if not u.probe.sampler.uses_gradient:
        blank = dataclasses.replace(u.probe, unused=np.nan).propose(*u.states[0])
        if not np.all(np.isfinite([*blank.x, *blank.taken, blank.besides])):
            advice = "add uses_gradient: ClassVar[bool] = True"
            return fails("a stage reads g, which this method does not ask for", advice)
    return ok("x and g stay as they are until the proposal is taken")


def moves(u: Updates) -> Verdict:
    """Check that proposals differ from the state, and from each other."""
    turns = range(int(u.probe.sampler.settings.get("blocks", 1)))
    moved = np.zeros(u.probe.dim, bool)
    for turn in turns:
        probe = dataclasses.replace(u.probe, turn=turn)
        moved |= probe.propose(*u.states[0]).x != u.states[0][0]
    if not moved.all():
        says = f"x[{int(np.argmin(moved))}] never changes"
        return fails(says, "propose something for every coordinate: the chain must reach all of it")
    x, p, n = u.states[0]
    if np.all(u.probe.propose(x, p, n).x == u.probe.propose(x, p, u.states[1][2]).x):
        again = u.probe.propose(x, u.states[1][1], n)
        if np.all(again.x == u.probe.propose(x, p, n).x) or not refreshes(u):
            advice = "use `normal` in `propose`: nothing else is random"
            return fails("the normals change neither the proposal nor p", advice)
    return ok("every coordinate changes; the normals of an update matter")


def refreshes(u: Updates) -> bool:
    """Tell whether the normals change p."""
    x, p, n = u.states[0]
    return bool(np.any(u.probe.propose(x, p, n).p != u.probe.propose(x, p, u.states[1][2]).p))


def refreshment(u: Updates) -> Verdict:
    """Check that p ~ N(0, I) stays so as it is refreshed."""
    if not u.has_p:
        return skipped("has no p")
    if u.refreshment is None:
        return skipped("p is not refreshed as a p + b n: the checks of invariance have to tell")
    each_a, each_b = u.refreshment
    i = int(np.argmax(abs(each_a * each_a + each_b * each_b - 1.0)))  # the worst coordinate
    a, b = float(each_a[i]) + 0.0, float(each_b[i]) + 0.0  # no -0
    says = f"p becomes {a:.4g} p + {b:.4g} n"
    if close(a * a + b * b, 1.0):
        return ok(f"{says}: it stays N(0, I)", a=a, b=b)
    alpha = u.probe.sampler.settings.get("alpha")
    advice = "p <- alpha p + sqrt(1 - alpha^2) n keeps N(0, I)"
    if close(b, 1 - a * a):
        advice += "; the square root of 1 - alpha^2 is missing"
    elif alpha is not None and close(a, alpha * alpha):
        advice += "; p is multiplied by alpha^2 in place of alpha"
    variance = f"{b * b / (1 - a * a):.4g}" if abs(a) < 1 else "infinity"
    return fails(f"{says}: its variance tends to {variance}, not to 1", advice, a=a, b=b)


def way_back(u: Updates) -> Verdict:
    """Check that the way back from a proposal leads to the start, with the signs that p gets."""
    if not u.has_p:
        return skipped("has no p: see `density`")
    if u.refreshment is None:
        return skipped("p is not refreshed as a p + b n")
    sign = np.ones(u.probe.dim)
    for x, p, _ in u.states:
        there, other = u.from_refreshed(x, p), u.from_refreshed(x, p, 0.5)
        if not close(there.x, other.x):
            return skipped("the proposal uses the normals otherwise than by way of p")
        if u.fresh:
            there = there._replace(taken=there.new_p if np.isfinite(there.new_p).all() else there.p)
        sign = np.where(abs(there.rejected + p) < CLOSE, -1.0, 1.0)
        if not u.fresh and not close(there.rejected, sign * p):
            advice = "rejected, it must be as before the proposal, and reversed: -now.p[i]"
            return fails("a rejected proposal leaves another p behind", advice)
        returns = {s: leads_back(u, there, x, s * sign) for s in (1.0, -1.0)}
        if not any(returns.values()):
            gap = np.max(np.abs(u.from_refreshed(there.x, -there.taken).x - x))
            says = f"the way back from a proposal misses the start by {gap:.2g}"
            return fails(says, missing_part(u, there), gap=float(gap))
        if u.fresh or returns[1.0]:
            continue
        if np.any(sign > 0):
            says = "p goes on after a rejection, in the direction that was just rejected"
            return fails(says, "`settle`: rejected, reverse it: now.p[i] = -now.p[i]")
        says = "p is reversed in either case, whether or not the proposal is taken"
        return fails(says, "`settle`: taken, p goes on: now.p[i] = new.p[i]")
    if u.fresh:
        return ok("leads to the start; p is drawn afresh, so that its sign does not matter")
    reversed_when = "rejected" if np.any(sign < 0) else "taken"
    return ok(f"leads to the start; p is reversed if the proposal is {reversed_when}")


def leads_back(u: Updates, there: Proposal, x: np.ndarray, sign: np.ndarray) -> bool:
    """Tell whether an update from the end of another, p times signs, ends at its start."""
    back = u.from_refreshed(there.x, sign * there.taken)
    return close(back.x, x) and (u.fresh or close(back.taken, sign * there.p))


def missing_part(u: Updates, there: Proposal) -> str:
    """Return the likely cause of a way back that does not lead to the start."""
    advice = "a leapfrog step is half a step of p, a step of x, half a step of p"
    first, last = there.half_steps
    if u.probe.sampler.uses_gradient and not np.any(np.nan_to_num(first)):
        advice += ": the first half step of p is missing, in `propose`"
    elif u.probe.sampler.uses_gradient and not np.any(np.nan_to_num(last)):
        advice += ": the last half step of p is missing, in `finish`"
    return f"{advice}; every step must use the gradient where it is"


def energy(u: Updates) -> Verdict:
    """Check that the energy has |p|^2 / 2, and the change of volume if there is one."""
    if not u.has_p:
        return skipped("has no p: see `density`")
    if way_back(u).outcome != "ok":
        return skipped("`way back` has to pass first")
    if not np.all(np.isfinite(u.from_refreshed(*u.states[0][:2]).new_p if u.fresh else 0.0)):
        return skipped("no stage writes new.p: the checks of invariance have to tell")
    for x, p, _ in u.states:
        there, dim = u.from_refreshed(x, p), x.size
        end = there.new_p if u.fresh else there.taken
        kinetic = 0.5 * (end @ end - there.p @ there.p)

        def ends(state: np.ndarray, dim: int = dim) -> np.ndarray:
            found = u.from_refreshed(state[:dim], state[dim:])
            return np.concatenate([found.x, found.new_p if u.fresh else found.taken])

        volume = log_volume(ends, np.concatenate([x, p]))
        if abs(there.besides - (kinetic - volume)) > 1e-4 * (1 + abs(kinetic)):
            says = f"besides U the energy rises by {there.besides:.5g}, where |p|^2 / 2 rises by "
            says += f"{kinetic:.5g}" + (
                f" and volume by e^{volume:.3g}" if abs(volume) > 1e-5 else ""
            )
            advice = "return |p|^2 / 2 from `propose`, of the refreshed now.p, and from `finish`, "
            return fails(says, advice + "of the final new.p, less log of the change of volume")
    return ok("|p|^2 / 2 and the change of volume are counted")


def density(u: Updates) -> Verdict:
    """Check that -log q of the proposal and of the way back are counted: Hastings' correction."""
    if u.has_p:
        return skipped("has p: see `way back` and `energy`")
    worst = 0.0
    for x, p, n in u.states:
        there = u.probe.propose(x, p, n)
        slopes = jacobian(lambda m, x=x, p=p: u.probe.propose(x, p, m).x, n)  # type: ignore[misc]
        used = np.flatnonzero(np.abs(slopes).sum(axis=1))
        if used.size == 0:
            return skipped("the proposal does not depend on the normals smoothly")
        wanted = backward_density(u, x, there, n, used)
        if wanted is None:
            return skipped(
                "no normals lead back, or several: the checks of invariance have to tell"
            )
        gap = abs(there.besides - wanted)
        worst = max(worst, gap)
        if gap > 1e-5 * (1 + abs(wanted)):
            says = (
                f"log q of the proposal less that of the way back is {wanted:.4g}; `finish` less "
            )
            says += f"`propose` returns {there.besides:.4g}"
            advice = "`propose` returns -log q(new.x from now.x), `finish` -log q(now.x from new.x)"
            if close(there.besides, -wanted):
                advice += ": they are exchanged, or have the wrong sign"
            elif there.besides == 0.0:
                advice += ": the proposal's density is forgotten, and it is not symmetric"
            return fails(says, advice, wanted=wanted, found=there.besides)
    return ok("the density of the proposal and of the way back are counted", worst=worst)


def backward_density(u: Updates, x, there: Proposal, n, used: np.ndarray) -> float | None:
    """Return log q of the proposal less log q of the way back, over the coordinates in use."""

    def ends(start: np.ndarray):
        def at(values: np.ndarray) -> np.ndarray:
            normal = n.copy()
            normal[used] = values
            return u.probe.propose(start, there.p, normal).x[used]

        return at

    forth, back = ends(x), ends(there.x)
    found = solve(back, x[used], -n[used])
    if found is None:
        return None
    volumes = log_volume(back, found) - log_volume(forth, n[used])
    return 0.5 * float(found @ found - n[used] @ n[used]) + volumes
