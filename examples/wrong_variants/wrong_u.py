"""The paper's rule for u, with one mistake each: `nrevu check wrong_u.py --name NAME` finds it."""

from dataclasses import dataclass

from nrevu.u import real, wrap


@dataclass(frozen=True)
class NotRescaled:
    """Equation (2) is forgotten: v stays as it is when a proposal is accepted."""

    delta: float = real(at_least=-1, at_most=1, default=0.3)

    @staticmethod
    def move(r, v, uniform, bits):
        return wrap(v + r.delta)

    @staticmethod
    def rescale(r, v, ratio):
        return v


@dataclass(frozen=True)
class Capped:
    """The ratio is capped at 1 before v is divided by it."""

    delta: float = real(at_least=-1, at_most=1, default=0.3)

    @staticmethod
    def move(r, v, uniform, bits):
        return wrap(v + r.delta)

    @staticmethod
    def rescale(r, v, ratio):
        return v / min(ratio, 1.0)


@dataclass(frozen=True)
class Clipped:
    """v stops at the ends of [-1,1] in place of going on at the other one."""

    delta: float = real(at_least=-1, at_most=1, default=0.3)

    @staticmethod
    def move(r, v, uniform, bits):
        return min(1.0, max(-1.0, v + r.delta))


@dataclass(frozen=True)
class WrappedByOne:
    """v is wrapped by 1 in place of 2."""

    delta: float = real(at_least=-1, at_most=1, default=0.3)

    @staticmethod
    def move(r, v, uniform, bits):
        v += r.delta
        return v - 1.0 if v > 1.0 else v


@dataclass(frozen=True)
class Multiplied:
    """v is multiplied, which does not keep it uniform."""

    delta: float = real(at_least=-1, at_most=1, default=0.3)

    @staticmethod
    def move(r, v, uniform, bits):
        return wrap(v * (1.0 + r.delta))


@dataclass(frozen=True)
class Unmoved:
    """v never moves, unless a proposal is accepted."""

    delta: float = real(at_least=-1, at_most=1, default=0.3)

    @staticmethod
    def move(r, v, uniform, bits):
        return v
