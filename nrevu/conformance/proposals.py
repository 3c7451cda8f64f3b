"""Single updates of a method, by its stages in Python: what they do to x, p and the energy.

In: a method at a distribution. Out: for a state and the normals of an update, the proposal, and
what becomes of p in either case. The checks of `stages` find here the causes of what
`invariance` notices.
"""

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nrevu.conformance.invariance import scaled
from nrevu.core.binding import compile_parts
from nrevu.core.contracts import class_of, part
from nrevu.core.driver import State
from nrevu.core.sampler import Sampler
from nrevu.core.trials import random_bits

NO_W = np.empty(0)
STEP = 1e-5  # of differences
FACTORS = (1.0, 0.7, 1.2)  # of the coordinates' stepsizes


class Proposal(NamedTuple):
    """What an update proposes, and what it does to the state on the way."""

    x: np.ndarray  # new.x at the end; nan where no stage writes it
    p: np.ndarray  # now.p after `propose`: refreshed
    new_p: np.ndarray  # new.p at the end; nan where no stage writes it
    taken: np.ndarray  # now.p after `settle`, if the proposal is taken
    rejected: np.ndarray  # the same if it is rejected
    besides: float  # by how much what the energy has besides U rises
    half_steps: tuple[np.ndarray, np.ndarray]  # changes of p by `propose` (new - now) and `finish`
    left: list[tuple[np.ndarray, np.ndarray]]  # now.x and now.g at the end: they must be as before


@dataclass(frozen=True)
class Probe:
    """A method at a distribution, ready to propose."""

    sampler: Sampler
    turn: int = 0
    unused: float = 0.0  # what g holds if the method uses no gradients

    @property
    def dim(self) -> int:
        """Return the number of coordinates."""
        return self.sampler.distribution.dim

    @property
    def numbers(self) -> Any:
        """Return m, as the stages receive it."""
        settings = self.sampler.settings
        return namedtuple("Numbers", settings)(**settings)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return g, as the driver has it: nothing in particular if the method uses no gradients."""
        g = np.full(self.dim, self.unused)
        if self.sampler.uses_gradient:
            functions = compile_parts(class_of(self.sampler.distribution))
            functions["gradient"](x, NO_W, part(self.sampler.distribution, "data")(), g)
        return g

    def propose(self, x: np.ndarray, p: np.ndarray, normal: np.ndarray) -> Proposal:
        """Return the proposal of an update from (x, p)."""
        with np.errstate(all="ignore"):  # Python warns where compiled code does not
            return self.stages(x, p, normal)

    def stages(self, x: np.ndarray, p: np.ndarray, normal: np.ndarray) -> Proposal:
        """Return what the stages of an update make of (x, p)."""
        m, stages = self.numbers, self.sampler.stages
        now = State(x.copy(), p.copy(), self.gradient(x), self.turn)
        new = State(*unwritten(self.dim), self.turn)
        eta = number("vary", required(stages["vary"])(m, random_bits())) if m.varies else m.eta
        h = eta * np.resize(FACTORS, self.dim)  # as of a distribution with `scales`
        old = number("propose", required(stages["propose"])(m, h, normal.copy(), now, new))
        refreshed, first = now.p.copy(), new.p - now.p
        for _ in range(m.L - 1 if stages["step"] else 0):
            new.g[:] = self.gradient(new.x)
            required(stages["step"])(m, h, new)
        new.g[:] = self.gradient(new.x)
        before = new.p.copy()
        besides = number("finish", required(stages["finish"])(m, h, now, new)) - old
        last, ends = new.p - before, [self.settle(taken, now, new) for taken in (True, False)]
        left = [(end.x, end.g) for end in (now, *ends)]
        taken, rejected = (end.p for end in ends)
        half_steps = (first, last)
        return Proposal(new.x, refreshed, new.p, taken, rejected, besides, half_steps, left)

    def settle(self, taken: bool, now: State, new: State) -> State:
        """Return the current state after the decision; the driver has not moved x yet."""
        now, new = (State(s.x.copy(), s.p.copy(), s.g.copy(), self.turn) for s in (now, new))
        settle = self.sampler.stages["settle"]
        if settle is not None:
            settle(self.numbers, taken, now, new)
        return now

    def gentle(self) -> "Probe":
        """Return the same with a stepsize at which the energy changes by little, if it has one."""
        rng, probe, d = np.random.default_rng(1), self, self.sampler.distribution
        states = [(d.draw(rng), *rng.standard_normal((2, self.dim))) for _ in range(8)]
        for _ in range(30):
            gaps = [probe.propose(*state).x - state[0] for state in states]
            if np.abs(gaps).max() < 0.5:  # not true of nan
                break
            probe = dataclasses.replace(probe, sampler=scaled(probe.sampler, 0.5))
        return probe


def unwritten(dim: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return arrays in which nan shows what no stage writes."""
    return np.full(dim, np.nan), np.full(dim, np.nan), np.full(dim, np.nan)


def required(stage: Callable | None) -> Callable:
    """Return a stage that every method has."""
    assert stage is not None
    return stage


def number(stage: str, value: Any) -> float:
    """Return what a stage returned, which must be a number."""
    if not isinstance(value, int | float | np.number):
        raise TypeError(f"`{stage}` returns {value!r}, not a number")
    return float(value)


def jacobian(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    """Return the derivatives (outputs, inputs) of a function by central differences."""
    steps = STEP * np.eye(at.size)
    return np.array([(function(at + h) - function(at - h)) / (2 * STEP) for h in steps]).T


def solve(function: Callable, wanted: np.ndarray, at: np.ndarray) -> np.ndarray | None:
    """Return an argument for which a function returns what is wanted, by Newton's method."""
    for _ in range(60):
        gap = function(at) - wanted
        if not np.all(np.isfinite(gap)):
            return None
        if np.max(np.abs(gap)) < 1e-11:
            return at
        slope = jacobian(function, at)
        if not abs(np.linalg.det(slope)) > 1e-12:
            return None
        at = at - np.linalg.solve(slope, gap)
    return None


def log_volume(function: Callable, at: np.ndarray) -> float:
    """Return the logarithm of the factor by which a function changes volumes."""
    return float(np.log(abs(np.linalg.det(jacobian(function, at)))))
