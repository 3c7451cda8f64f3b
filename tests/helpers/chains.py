"""What tests of the driver share: many short chains, and the driver with a part broken."""

import functools
import inspect
import textwrap
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nrevu.cells.chains import deinterleave, interleave
from nrevu.core import driver, rng
from nrevu.core.binding import FAST, Bound, bind, bound, chains_at_once, driver_globals, key
from nrevu.core.contracts import part
from nrevu.core.driver import Chains, Output, Schedule
from nrevu.core.sampler import Sampler
from nrevu.core.target import njit
from nrevu.methods import hamiltonian
from nrevu.methods.hamiltonian import HMC

NO_TRACE = np.empty((0, 0, 2), np.float32)


@dataclass(frozen=True)
class Hamiltonian:
    """The stages of the Hamiltonian methods with all of their settings: the same kernel."""

    uses_gradient: ClassVar[bool] = True
    scaling: ClassVar[float] = 0.0
    vary, propose, step, finish, settle = hamiltonian.STAGES
    stepsize: float
    alpha: float = 0.0
    L: int = 1
    jitter: float = 0.0
    varies = HMC.varies


def drive(bound: Bound, chains: Chains, data: tuple, schedule: Schedule, output: Output) -> tuple:
    """Call a driver; return density and gradient evaluations and overflows."""
    numbers = (bound.settings, bound.rule_settings)
    return bound.drive(tuple(chains), data, *numbers, tuple(schedule), tuple(output))


def advance(bound, distribution, x, p, v, group, gibbs_every=0, columns=2, seed=11):
    """Advance chains x, p (chains, dim) and v (chains, of each) by one group; return w."""
    width, chains = chains_at_once(distribution), len(x)
    lanes = part(distribution, "lanes")
    w = np.zeros((chains, part(distribution, "gibbs_variables")))
    bits = np.array([rng.streams(seed, "0", k)[1] for k in range(width)])
    rows, rejected = np.empty((width, columns), np.float32), np.empty(width, np.uint8)
    data = part(distribution, "data")()
    for first in range(0, chains, width):
        some = slice(first, first + width)
        inside = [interleave(a[some], lanes) for a in (x, p, w)]
        now = len(x[some])
        output = Output(np.arange(now + 1), rows[:now], rejected[:now], NO_TRACE)
        states = Chains(*inside[:2], v[some], inside[2], bits[:now])
        drive(bound, states, data, Schedule(group, gibbs_every, 0), output)
        for a, flat in zip((x, p, w), inside, strict=True):
            a[some] = deinterleave(flat, lanes, now)
    return w


def single(bound, x, p, v, bits, schedule, rows, rejected, trace=NO_TRACE, data=()):
    """Run one chain, of x and p in place, of a driver for one; return the last v and the counts."""
    v = np.array([[v]])
    output = Output(np.array([0, len(rows)]), rows, rejected, trace)
    counts = drive(bound, Chains(x, p, v, np.zeros(0), bits[None]), data, schedule, output)
    return v[0, 0], *counts


def edited(function, old, new, **scope):
    """Return a copy of a function, some text of its source, which is there once, replaced."""
    text = textwrap.dedent(inspect.getsource(function))
    assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {function.__name__}"
    scope = {**function.__globals__, **scope}
    exec(text.replace(old, new), scope)
    found = scope[function.__name__]
    return getattr(found, "__func__", found)


def broken(sampler: Sampler, edit=("", ""), scope=None, **functions) -> Bound:
    """Return a compiled driver of which a piece of source or some functions are replaced.

    The functions are those that the driver calls: of the distribution, the method, or the rule.
    """
    source = edited(driver.drive, *edit, **(scope or {})) if edit[0] else driver.drive
    inline = functools.partial(njit, inline="always", **FAST)
    others = {name: inline(function) for name, function in functions.items()}
    globals = driver_globals(*key(sampler))
    assert others.keys() <= globals.keys()
    return bound(sampler, njit(**FAST)(bind(source, "broken", globals | others)))
