"""Names of the columns of a table, parsed and built in this module only.

A table has settings under their keys (`method.stepsize`), two estimates of the rejections
(`rejection_rate`, `clustering`), and for each quantity of the distribution KIND.QUANTITY: `tau.x`
(autocorrelation time), `cost.x` (the same in evaluations), `time.x` (in CPU seconds), `mean.x`,
`rhat.x`, `effective.x` and `quantile.x.LEVEL`. Suffixes: `.se` of an estimate's standard error; of
an autocorrelation time also `.longer`, `.longer.se` (from twice as many lags) and its flags.
"""

from collections.abc import Iterable
from typing import NamedTuple

TIMES = ("tau", "cost", "time")  # kinds of columns that hold a time
COMMON = TIMES  # kinds that every quantity has; figures, claims and the report know these
ESTIMATED = (*COMMON, "mean")  # kinds with a standard error
KINDS = (*ESTIMATED, "rhat", "effective", "quantile")
REJECTIONS = ("rejection_rate", "clustering")  # estimates that belong to no quantity
# Flags of a time: too few lags are summed; chains disagree, or are too short to tell.
SHORT, UNCONVERGED = FLAGS = ("lag_too_short", "not_converged")
LONGER = "longer"  # the time from twice as many lags, where the configured ones are too few


class Column(NamedTuple):
    """The parts of a column's name."""

    kind: str  # one of KINDS, or "" of a setting and of REJECTIONS
    quantity: str  # of the distribution; without a kind, the name without its suffix
    suffix: str  # "", "se", "longer", "longer.se", a flag, or the level of a quantile


def parse(name: str) -> Column:
    """Return the parts of a column's name."""
    kind, _, rest = name.partition(".")
    if kind in KINDS and rest:
        quantity, _, suffix = rest.partition(".")
        return Column(kind, quantity, suffix)
    base = name.removesuffix(".se")
    return Column("", base, "se" if base != name else "")


def is_estimated(name: str) -> bool:
    """Tell whether a column holds an estimate that has a standard error."""
    kind, _, suffix = parse(name)
    return (kind in ESTIMATED and not suffix) or name in REJECTIONS


def is_time(name: str) -> bool:
    """Tell whether a column holds an autocorrelation time, in groups, evaluations or seconds."""
    kind, _, suffix = parse(name)
    return kind in TIMES and not suffix


def times(names: Iterable[str], *kinds: str) -> list[str]:
    """Return the columns of some kinds (default: all) that hold times."""
    return [name for name in names if is_time(name) and parse(name).kind in (kinds or TIMES)]


def common(names: Iterable[str]) -> list[str]:
    """Return the columns of the kinds that every quantity has."""
    return [name for name in names if parse(name).kind in COMMON and not parse(name).suffix]


def of_kind(names: Iterable[str], kind: str) -> list[str]:
    """Return the columns of a kind, such as rhat."""
    return [name for name in names if parse(name).kind == kind]


def flags(names: Iterable[str], *kinds: str) -> list[str]:
    """Return the columns that hold flags (default: of every kind)."""
    return [name for name in names if parse(name).suffix in (kinds or FLAGS)]


def error(name: str) -> str:
    """Return the column of an estimate's standard error."""
    return f"{name}.se"


def convert(name: str, kind: str, suffix: str = "") -> str:
    """Return the column of another kind or suffix, of the same quantity: tau.x for cost.x."""
    own = parse(name)
    base = f"{kind}.{own.quantity}" if own.kind else own.quantity
    return f"{base}.{suffix}" if suffix else base


def quantile(quantity: str, level: float) -> str:
    """Return the column of a quantity's quantile."""
    return f"quantile.{quantity}.{level}"
