"""Autocorrelation times and rejection rates with standard errors, from recorded series.

The published convention: tau = 1 + 2 (sum of autocorrelations at lags 1 to K), autocovariances
about the known mean with divisor n - k, all K lags, no taper. Here the sums are over several
chains, and a jackknife over chains gives the standard error. Where no K was published, it follows
tau: K >= 5 tau(K), Sokal's window. Where a given K is too small, there is also the time from 2K.
"""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

FEWEST_UNITS = 20  # with fewer chains than this, each is cut into blocks to have as many
WINDOW = 5  # Sokal's constant: the window has at least 5 lags, and at least 5 tau
FIRST_LAGS, MOST_LAGS = 64, 4096  # computed at first, and at most


@dataclass(frozen=True)
class Estimated:
    """A number with its standard error."""

    value: float
    se: float


@dataclass(frozen=True)
class Tau:
    """An autocorrelation time from lags 1 to K."""

    value: float
    se: float
    lags: int  # K; of an average over several quantities, the largest
    short: bool  # whether K lags are too few


@dataclass(frozen=True)
class Times:
    """The autocorrelation time from lags 1 to K, of all chains and without each jackknife unit."""

    tau: np.ndarray  # (1 + units)
    tail: np.ndarray  # (1 + units): the sum over lags K+1 to 2K, which tau omits
    lags: int  # K

    @property
    def settled(self) -> bool:
        """Tell whether K lags are enough: the next K add up to 2% or 3 standard errors."""
        tail = jackknife(self.tail[0], self.tail[1:])
        return not abs(tail.value) > max(0.02 * abs(self.tau[0]), 3 * tail.se)

    @property
    def complete(self) -> bool:
        """Tell whether K lags are enough, at least 5 tau, and give a positive tau."""
        return self.settled and self.lags >= WINDOW * max(self.tau[0], 1) and self.tau[0] > 0

    def doubled(self) -> "Times":
        """Return the time from lags 1 to 2K; what more of them would add is not known."""
        return Times(self.tau + self.tail, 0 * self.tail, 2 * self.lags)


def unit_count(chains: int) -> int:
    """Return the number of units of the jackknife."""
    return chains if chains >= FEWEST_UNITS else chains * -(-FEWEST_UNITS // chains)


def chains_of(values: np.ndarray, lengths: Sequence[int]) -> list[np.ndarray]:
    """Return the values of each chain."""
    return np.split(values, np.cumsum(lengths)[:-1])


def unit_starts(chains: int, length: int) -> np.ndarray:
    """Return the first rows of a chain's units: itself, or blocks if chains are few."""
    pieces = min(unit_count(chains) // chains, length)
    return np.arange(pieces) * length // pieces


def jackknife(total: float, without: np.ndarray) -> Estimated:
    """Return an estimate from all units, with its error from those without each of m units."""
    m = without.size
    spread = np.sum((without - without.mean()) ** 2) * (m - 1) / m if m > 1 else np.nan
    return Estimated(float(total), float(np.sqrt(spread)))


def products(
    values: np.ndarray, lengths: Sequence[int], mean: float, lags: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return sums of d[t] d[t+k] and their counts, each (units, lags + 1), d = values - mean.

    A product belongs to the unit of its first factor, so that all n - k of a chain are used.
    """
    sums, counts = [], []
    for chain in chains_of(values, lengths):
        d, n = chain.astype(np.float64) - mean, len(chain)
        starts = unit_starts(len(lengths), n)
        ends = np.append(starts[1:], n)
        total = np.zeros((starts.size, lags + 1))
        for k in range(min(lags, n - 1) + 1):
            for unit, (start, end) in enumerate(zip(starts, np.minimum(ends, n - k), strict=True)):
                total[unit, k] = np.dot(d[start:end], d[start + k : end + k]) if end > start else 0
        sums.append(total)
        left = n - np.arange(lags + 1)
        counts.append(np.maximum(np.minimum(ends[:, None], left) - starts[:, None], 0))
    return np.concatenate(sums), np.concatenate(counts)


def tau_of(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return tau from sums and counts over units, (..., lags + 1)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sums / counts
        return 1 + 2 * np.sum(covariance[..., 1:] / covariance[..., :1], axis=-1)


def window(sums: np.ndarray, counts: np.ndarray) -> int | None:
    """Return the smallest K with K >= 5 tau(K), and K >= 5, or None if there are too few lags."""
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sums.sum(axis=0) / counts.sum(axis=0)
        taus = 1 + 2 * np.cumsum(covariance[1:] / covariance[0])
    enough = np.flatnonzero(np.arange(1, taus.size + 1) >= WINDOW * np.maximum(taus, 1))
    return int(enough[0]) + 1 if enough.size else None


def at_lag(sums: np.ndarray, counts: np.ndarray, last: int) -> Times:
    """Return the time from lags 1 to `last`, given products for up to twice as many lags."""
    sums, counts = sums[:, : 2 * last + 1], counts[:, : 2 * last + 1]
    total, number = sums.sum(axis=0), counts.sum(axis=0)
    s = np.concatenate([total[None], total - sums])
    c = np.concatenate([number[None], number - counts])
    taus = tau_of(s[:, : last + 1], c[:, : last + 1])
    return Times(taus, tau_of(s, c) - taus, last)


def times(values: np.ndarray, lengths: Sequence[int], mean: float, max_lag: int) -> Times:
    """Return the time of one quantity from `max_lag` lags; values (rows) of all chains in turn."""
    sums, counts = products(values, lengths, mean, min(2 * max_lag, min(lengths) - 1))
    return at_lag(sums, counts, max_lag)


def adaptive_times(values: np.ndarray, lengths: Sequence[int], mean: float) -> Times:
    """Return the time from as many lags as it needs, or from the most that the chains allow.

    That is Sokal's window, doubled while the next K lags add something, or tau is not positive: in
    an oscillation the window may end too early. The most are half of a chain, so that as many more
    can show whether they are enough.
    """
    longest = min(min(lengths) - 1, MOST_LAGS)
    lags, last = min(FIRST_LAGS, longest), None
    while True:
        sums, counts = products(values, lengths, mean, lags)
        last = last or window(sums, counts)
        while last and 2 * last <= lags:
            time = at_lag(sums, counts, last)
            if time.complete:
                return time
            last *= 2
        if lags == longest or not np.isfinite(sums).all() or not sums[:, 0].any():
            return at_lag(sums, counts, max(1, lags // 2))
        lags = min(2 * lags, longest)


def average(parts: Sequence[Times]) -> Times:
    """Return the average of several quantities' times."""
    tau, tail = (np.mean([getattr(p, key) for p in parts], axis=0) for key in ("tau", "tail"))
    return Times(tau, tail, max(part.lags for part in parts))


def correct_pooled(tau: Tau, groups: int) -> Tau:
    """Return a time about the mean of the same `groups` values as if about the true mean.

    The mean of the values follows them: each autocovariance is too small by the variance of the
    mean, tau / groups of the variance. So the sum over 2K + 1 lags is too small by a share of
    (2K + 1) / groups, and the variance that divides it by a share of tau / groups.
    """
    factor = max(0.5, 1 - tau.value / groups) / max(0.5, 1 - (2 * tau.lags + 1) / groups)
    return dataclasses.replace(tau, value=factor * tau.value, se=factor * tau.se)


def tau_from(time: Times) -> Tau:
    """Return the autocorrelation time, with its error."""
    tau = jackknife(time.tau[0], time.tau[1:])
    return Tau(tau.value, tau.se, time.lags, not time.settled)


def all_times(
    columns: Mapping[str, np.ndarray],
    means: Mapping[str, float],
    lengths: tuple[int, ...],
    groups: Mapping[str, Sequence[str]],
    max_lag: int,
) -> tuple[dict[str, Tau], dict[str, Tau]]:
    """Return the time of each quantity and average, and from 2K lags where K given ones are few.

    If max_lag is 0, all have as many lags as they need, or as the chains allow, and none has twice
    as many.
    """

    @functools.cache
    def time_of(name: str) -> Times:
        series = columns[name], lengths, means[name]
        return times(*series, max_lag) if max_lag else adaptive_times(*series)

    taus, longer = {}, {}
    for name in (*columns, *groups):
        parts = [time_of(member) for member in groups.get(name, (name,))]
        time = average(parts)
        enough = time.settled if max_lag else all(part.complete for part in parts)
        taus[name] = dataclasses.replace(tau_from(time), short=not enough)
        if max_lag and not enough:
            longer[name] = tau_from(time.doubled())
    return taus, longer


def split_rhat(values: np.ndarray, lengths: Sequence[int]) -> float:
    """Return split R-hat: the spread of all half chains together over that within each.

    1 where the chains agree; nan for chains shorter than 4, or that never move.
    """
    half = min(lengths) // 2
    if half < 2:
        return float("nan")
    chains = chains_of(values, lengths)
    parts = np.array([part for c in chains for part in (c[:half], c[half : 2 * half])], float)
    within = parts.var(axis=1, ddof=1).mean()
    between = parts.mean(axis=1).var(ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sqrt((half - 1) / half + between / within))


def unit_sums(counts: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """Return (3, units): sums of counts, of their squares, and their number; exact integers."""
    sums = []
    for chain in chains_of(counts, lengths):
        for unit in np.split(chain, unit_starts(len(lengths), len(chain))[1:]):
            part = unit.astype(np.int64)  # only one unit's copy at a time
            sums.append((part.sum(), part @ part, part.size))
    return np.array(sums).T


def means(totals: np.ndarray, sizes: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean over all units, and the means without each unit."""
    mean = totals.sum() / sizes.sum()
    if totals.size < 2:
        return mean, np.array([mean])
    return mean, (totals.sum() - totals) / (sizes.sum() - sizes)


def rejection_rate(rejected: np.ndarray, lengths: Sequence[int], group: int) -> Estimated:
    """Return the fraction of updates rejected, from the counts of each group."""
    sums, _, sizes = unit_sums(rejected, lengths)
    return jackknife(*means(sums, group * sizes))


def clustering(rejected: np.ndarray, lengths: Sequence[int], group: int) -> Estimated:
    """Return the variance of the rejections in a group, over that of independent rejections.

    Above 1 where rejections come in clusters; nan for groups of a single update.
    """
    sums, squares, sizes = unit_sums(rejected, lengths)
    shares, second = means(sums, group * sizes), means(squares, group**2 * sizes)

    def ratio(mean, square):
        return (square - mean**2) * group / (mean * (1 - mean)) if group > 1 else np.nan * mean

    with np.errstate(divide="ignore", invalid="ignore"):
        return jackknife(ratio(shares[0], second[0]), ratio(shares[1], second[1]))
