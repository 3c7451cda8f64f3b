"""A sampler: a distribution, a method and a rule for u, the three things that a driver is bound to.

Out: the functions that the driver calls, the numbers that they use, and the name of the compiled
kernel. Imports nothing that is slow.
"""

import hashlib
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple

from nrevu.core.contracts import MOVES, STAGES, Method, Rule, class_of, part
from nrevu.core.sources import sources_hash

Functions = dict[str, Callable | None]


class Sampler(NamedTuple):
    """A distribution, a method and a rule for u."""

    distribution: Any
    method: Any
    u: Any

    @property
    def stages(self) -> Functions:
        """Return the functions of the method by name, None where it has none."""
        return {name: part(class_of(self.method), name, Method) for name in STAGES}

    @property
    def moves(self) -> Functions:
        """Return the functions of the rule for u by name."""
        return {name: part(class_of(self.u), name, Rule) for name in MOVES}

    @property
    def settings(self) -> dict[str, float | int]:
        """Return the numbers of the method by name, in the order of the alphabet."""
        found = derived(self.method, self.distribution.dim)
        varies = self.stages["vary"] is not Method.vary
        return numbers(self.method, {"L": part(self.method, "L", Method), "varies": varies}, found)

    @property
    def rule_settings(self) -> dict[str, float | int]:
        """Return the numbers of the rule by name, and whether it uses uniforms."""
        found = part(self.u, "derived", Rule)(self.distribution.dim)
        return numbers(self.u, {"uniforms": int(part(self.u, "uniforms", Rule))}, found)

    @property
    def uses_gradient(self) -> bool:
        """Tell whether the driver evaluates gradients."""
        return bool(part(self.method, "uses_gradient", Method))

    @property
    def kernel_name(self) -> str:
        """Return a name for the compiled driver: what it is bound to, and a hash of all sources.

        Classes that share all functions, and names and types of numbers, share a kernel: Langevin
        and HMC do.
        """
        functions = [f for f in (*self.stages.values(), *self.moves.values()) if f]
        kind = class_of(self.distribution)
        numbers = [*self.settings.items(), *self.rule_settings.items()]
        bound: list[Any] = [kind.__name__, *(f"{f.__module__}.{f.__qualname__}" for f in functions)]
        bound += [self.uses_gradient, *((name, type(value)) for name, value in numbers)]
        tag = hashlib.sha256(repr(bound).encode()).hexdigest()[:12]
        labels = [label(self.stages["propose"]), label(self.moves["move"]), kind.__name__]
        return "-".join([*labels, sources_hash(kind, *functions) + tag])


def label(function: Any) -> str:
    """Return the name of a function's class, or of its module where it is in no class."""
    return function.__qualname__.rpartition(".")[0] or function.__module__.rpartition(".")[2]


def derived(method: Any, dim: int) -> dict[str, float]:
    """Return the numbers that follow from a method's settings in `dim` dimensions, eta first."""
    found = {"eta": Method.derived(method, dim)["eta"]} | part(method, "derived", Method)(dim)
    return {name: as_number(value) for name, value in found.items()}  # type: ignore[misc]


def numbers(thing: Any, first: dict, last: dict) -> dict[str, float | int]:
    """Return the numbers of a method or rule by name: settings, class variables, properties."""
    names = [name for name in dir(thing) if not name.startswith("_")]
    found = first | {name: getattr(thing, name) for name in names} | last
    plain = {name: as_number(found[name]) for name in sorted(found)}
    return {name: value for name, value in plain.items() if value is not None}


def as_number(value: Any) -> float | int | None:
    """Return an int or a float, None for what is no number."""
    if isinstance(value, Integral) or type(value).__name__ == "bool":  # numpy's is not Integral
        return int(value)
    return float(value) if isinstance(value, Real) else None
