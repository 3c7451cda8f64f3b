"""The contracts: every part that a distribution, a method or a rule for u may have, and defaults.

The classes below are lists to read, not base classes. A distribution is any frozen dataclass with
some of these parts; `part` returns one of them, or its default here. docs/distributions.md and
docs/methods.md explain each part. Imports nothing that is slow.
"""

import functools
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

# Without exact draws, chains start from the states of some walks that settled.
WALKS, STATES = 4, 16


class Distribution:
    """What a distribution may have. Required: `dim`, and `energy` or `gradient`."""

    dim: int = 0  # number of coordinates, 1 or more; required
    gibbs_variables: int = 0  # length of w, the variables that `gibbs` draws; required with it
    lanes: int = 1  # chains interleaved for SIMD; 1: chains one after the other
    # HMC that leads from `start` into the distribution: stepsize, leapfrog steps, trajectories.
    settling: tuple[float, int, int] = (0.0, 0, 0)

    @property
    def nanoseconds(self) -> float:
        """Return about how long an evaluation of the gradient takes."""
        return 0.4 * self.dim

    # draw(self, rng) -> np.ndarray: an exact draw (dim); without it chains start at `start`.
    draw: Callable | None = None

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Return where a chain starts (dim), before its burn-in; used if there is no `draw`."""
        return rng.standard_normal(self.dim)

    def data(self) -> tuple:
        """Return the numbers and arrays that the compiled functions receive as `data`."""
        return ()

    def means(self) -> dict[str, float | None]:
        """Return the quantities in order, each with its true mean or None; goes with `record`."""
        return {"coordinate": None, "log_prob": None}

    @property
    def recorded(self) -> tuple[str, ...]:
        """Return the names of the columns that `record` writes; goes with `derive`."""
        return tuple(part(self, "means")())

    def derive(self, rows: np.ndarray) -> np.ndarray:
        """Return the quantities (n, quantities) of recorded rows (n, columns)."""
        return rows

    def averages(self) -> dict[str, tuple[str, ...]]:
        """Return names for averages of the autocorrelation times of several quantities."""
        return {}

    def content(self) -> dict[str, Any]:
        """Return what the digest covers in place of the settings of the same names."""
        return {}

    # From here on functions are compiled: static, and without `self`.

    @staticmethod
    def energy(x, w, data):
        """Return U(x) = -log density up to a constant. Kernels bind `gradient`."""
        return gradient(x, w, data, np.empty(x.size))  # type: ignore[name-defined]  # noqa: F821

    # gradient(x, w, data, g): writes the gradient of U into g and returns U.
    gradient: Callable | None = None

    @staticmethod
    def record(x, w, U, data, row):
        """Write the recorded columns of a state into row, float32; goes with `means`."""
        row[0] = x[0]
        row[1] = U

    # gibbs(x, w, data, bits): draws w given x.
    gibbs: Callable | None = None
    # renew(x, w, before, data, U, g): returns U and changes g for the new w; saves an evaluation.
    renew: Callable | None = None
    # scales(w, data, s): writes the factors of the coordinates' stepsizes into s.
    scales: Callable | None = None


COMPILED = ("gradient", "energy", "record", "gibbs", "renew", "scales")
# A part, another one that it requires, and why.
PAIRS = (
    ("means", "record", ": 'means' names what 'record' writes"),
    ("record", "means", ": 'means' names what 'record' writes"),
    ("recorded", "derive", ": 'derive' makes quantities of 'recorded'"),
    ("derive", "recorded", ": 'derive' makes quantities of 'recorded'"),
    ("gibbs", "gibbs_variables", ", how many numbers 'gibbs' draws"),
)


class Method:
    """What a method may have. Required: `stepsize`, or `derived` with eta; and `propose`.

    The stages, from `vary` on, are compiled: static, and without `self`. m has every number of the
    class by name: settings, class variables and what `derived` returns. h[i] is the stepsize of
    coordinate i. `now` and `new` are the current state and the proposal of one chain, with x, p and
    g, the gradient at x. The driver evaluates, decides, and moves x and g if the proposal is taken.
    """

    uses_gradient: bool = False  # whether the driver evaluates gradients, or energies only
    stepsize: float = 0.0  # before scaling; what the axis of a figure shows
    scaling: float = 0.0  # eta = stepsize / dim^scaling
    L: int = 1  # evaluations of an update; more than 1 only with `step`
    varies: bool = False  # whether `vary` is called; by default if there is one
    blocks: int = 1  # updates take turns: `now.turn` of update t is t modulo this
    separate_v: int = 1  # how many v a chain has, `blocks` at most; an update uses one of them

    def derived(self, dim: int) -> dict[str, float]:
        """Return the numbers that follow from the settings in `dim` dimensions."""
        stepsize, scaling = (part(self, name, Method) for name in ("stepsize", "scaling"))
        return {"eta": stepsize / power(dim, scaling)}

    @staticmethod
    def vary(m, bits):
        """Return the stepsize of this update. Called for each, if `varies`."""
        return m.eta

    # propose(m, h, normal, now, new): writes new.x, and new.p if there is one; returns what the
    # energy of the current state has besides U, such as |p|^2 / 2, or -log q of the proposal.
    propose: Callable | None = None
    # step(m, h, new): goes on from new.g with new.x and new.p, L - 1 times.
    step: Callable | None = None

    @staticmethod
    def finish(m, h, now, new):
        """Return what the energy of the proposal has besides U, given its gradient new.g."""
        return 0.0

    # settle(m, taken, now, new): writes now.p, once it is decided whether the proposal is taken.
    settle: Callable | None = None


class Rule:
    """What a rule for u may have. Required: `move`. Both functions are compiled.

    r has every number of the class by name. `uniform` is on (-1,1) if `uniforms`, else 0.
    """

    uniforms: bool = False  # whether `move` uses `uniform`

    def derived(self, dim: int) -> dict[str, float]:
        """Return the numbers that follow from the settings."""
        return {}

    # move(r, v, uniform, bits): returns v moved before a decision: equation (1).
    move: Callable | None = None

    @staticmethod
    def rescale(r, v, ratio):
        """Return v after an acceptance, so that s = |v| pi stays the same: equation (2)."""
        return v / ratio


STAGES = ("vary", "propose", "step", "finish", "settle")
MOVES = ("move", "rescale")


def has(thing: Any, name: str) -> bool:
    """Tell whether a distribution or its class defines a part, be it as a field."""
    return hasattr(thing, name) or name in getattr(thing, "__dataclass_fields__", ())


def part(thing: Any, name: str, contract: type = Distribution) -> Any:
    """Return a part of a distribution, a method or a class of them, or else its default."""
    default = vars(contract)[name]
    if hasattr(thing, name):
        return getattr(thing, name)
    if not hasattr(default, "__get__"):
        return default
    is_class = isinstance(thing, type)
    return default.__get__(None if is_class else thing, thing if is_class else type(thing))


def class_of(thing: Any) -> type:
    """Return the class of a distribution, as functions that are cached take it.

    The same as type(thing), which mypy does not accept there: for it type[Any] has no hash.
    """
    return type(thing)


def counts_type(group: int) -> np.dtype:
    """Return the smallest unsigned type that holds a count from 0 to group."""
    return np.min_scalar_type(group)


@functools.cache
def power(base: float, exponent: float) -> float:
    """Return base^exponent, base >= 0: the same bits whatever the C library's `pow` is."""
    if base == 0:
        return float(exponent == 0)
    with localcontext(prec=30):
        return float(Decimal(base) ** Decimal(exponent))
