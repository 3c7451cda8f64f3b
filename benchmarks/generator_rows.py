"""Turns the sums of generator_sums.py into rows of the table, each with its p-value.

In: blocks of draws; the caller decides where they come from. Out: Rows. Moments and probabilities
are those of the claimed distribution; nothing is fitted.
"""

import math
from collections.abc import Iterable, Iterator

import generator_chances as chances
import generator_sums as gs
import numpy as np
from generator_chances import Row

from nrevu.core import rng

KINDS = (("z", 1), ("z^2-1", 2))  # and the variance of each
NORMAL = (1, 0, 1, 0, 3, 0, 15, 0, 105, 0, 945, 0, 10395)  # moments about 0
SIGNED = tuple((k + 1) % 2 / (k + 1) for k in range(13))


def normal_rows(blocks: Iterable[np.ndarray]) -> Iterator[Row]:
    """Yield the rows of a stream of normals."""
    sums = gs.sum_normals(blocks)
    yield from moment_rows("normals", sums.draws, sums.powers, NORMAL)
    for cut in gs.CUTS:
        expected = sums.draws * 0.5 * math.erfc(cut / math.sqrt(2))
        for sign, bins in (("", gs.EDGES[:-1] >= cut), ("-", gs.EDGES[1:] <= -cut)):
            count = int(sums.bins[bins].sum())
            yield chances.by_count(f"normals beyond {sign}{cut:.4g}", sums.draws, count, expected)
    right = -np.diff(gs.UPPER[gs.UPPER.size // 2 :])  # left of 0 differences of UPPER would round
    yield chances.by_histogram("normals, bins", sums.bins, [*right[::-1], *right])
    yield even("normals, few bins", np.bincount(gs.CELL, sums.bins))
    for name, counts in zip(("neighbours", "steps of a lane"), sums.pairs, strict=True):
        yield even("normals, pairs of " + name, counts.ravel())
    yield from correlation_rows(sums)


def correlation_rows(sums: gs.Sums) -> Iterator[Row]:
    """Yield the rows of lags 1 to 64 and SCRATCH, and of all pairs of lanes at the same step."""
    for k, (name, variance) in enumerate(KINDS):
        both = np.concatenate([sums.near[k], sums.next[k]], axis=1) / variance
        zs = [np.trace(both, lag) / math.sqrt(64 * sums.products) for lag in range(1, 65)]
        zs.append(sums.far[k] / variance / math.sqrt(sums.far_products))
        what = f"normals, {name} at lags 1..64, {rng.SCRATCH}"
        yield chances.by_chi_square(what, sums.draws, np.square(zs).sum(), len(zs))
        yield chances.by_largest(what, sums.draws, zs)
        steps = sum(sums.near[k, a : a + rng.LANES, a : a + rng.LANES] for a in range(0, 64, 16))
        yield pairs_row(f"normals, {name}, pairs of lanes", 4 * sums.products, steps)


def pairs_row(what: str, rows: int, products: np.ndarray) -> Row:
    """Return the row of the correlations of all pairs of columns, whose mean is 0.

    Scaled by each column's sum of squares, which the pairs of that column share.
    """
    squares = np.diag(products)
    own = np.square(products) / np.outer(squares, squares)
    above = own[np.triu_indices(len(products), 1)]
    return chances.by_chi_square(what, rows * len(products), rows * above.sum(), above.size)


def moment_rows(what: str, draws: int, powers, moments) -> Iterator[Row]:
    """Yield the rows of sums of powers 1, 2, ..., from the moments about 0."""
    for k, total in enumerate(powers, start=1):
        spread = math.sqrt((moments[2 * k] - moments[k] ** 2) * draws)
        yield chances.by_z(f"{what}, power {k}", draws, (total - draws * moments[k]) / spread)


def even(what: str, counts: np.ndarray) -> Row:
    """Return the row of 2^k equally likely counts, joined until each expects 25."""
    draws = int(counts.sum())
    while draws < 25 * counts.size > 50:
        counts = counts[::2] + counts[1::2]
    expected = draws / counts.size
    value = np.square(counts - expected).sum() / expected
    return chances.by_chi_square(what, draws, value, counts.size - 1)


def bit_scores(counts: np.ndarray) -> list[float]:
    """Return the z scores of the bits of a number, from the counts of its values."""
    values, draws = np.arange(counts.size), counts.sum()
    ones = [counts[values >> bit & 1 == 1].sum() for bit in range(counts.size.bit_length() - 1)]
    return [(2 * int(one) - draws) / math.sqrt(draws) for one in ones]


def signed_rows(what: str, blocks: Iterable[np.ndarray], bits: int) -> Iterator[Row]:
    """Yield the rows of a stream of uniforms on (-1, 1), half-integers over 2^bits."""
    powers, bins, lowest, products = gs.sum_signed(blocks, bits)
    draws = int(bins.sum())
    yield from moment_rows(what, draws, powers, SIGNED)
    yield even(f"{what}, bins", bins)
    yield even(f"{what}, lowest 16 bits", lowest)
    yield chances.by_largest(f"{what}, balance of these", draws, bit_scores(lowest))
    yield pairs_row(f"{what}, pairs of 64 in turn", draws // 64, products)


def word_rows(blocks: Iterable[np.ndarray]) -> Iterator[Row]:
    """Yield the rows of a stream of raw words."""
    quarters, layers = gs.sum_words(blocks)
    draws = int(quarters[0].sum())
    zs = [z for quarter in quarters for z in bit_scores(quarter)]
    yield chances.by_chi_square("words, balance of 64 bits", draws, np.square(zs).sum(), 64)
    yield chances.by_largest("words, balance of 64 bits", draws, zs)
    for k, counts in enumerate(quarters):
        yield even(f"words, pairs of bytes {2 * k} and {2 * k + 1}", counts)
    for name, counts in zip(("neighbours", "steps of a lane"), layers, strict=True):
        yield even(f"words, layers of {name}", counts)


def product_rows(what: str, blocks: Iterable[np.ndarray], columns: int) -> Iterator[Row]:
    """Yield the rows of normals (rows, columns), all of which should be independent."""
    rows, sums, products = gs.sum_products(blocks, columns)
    draws = rows * sums.size
    yield chances.by_chi_square(f"{what}, means", draws, sums @ sums / rows, sums.size)
    for (name, _), each in zip(KINDS, products, strict=True):
        yield pairs_row(f"{what}, {name}, pairs", rows, each)


def state_rows(what: str, states: np.ndarray) -> Iterator[Row]:
    """Yield the rows of the states of streams, (streams, WORDS): balanced bits, none twice."""
    ones = np.unpackbits(states.view(np.uint8), axis=1).sum(axis=0, dtype=np.int64)
    zs = (2 * ones - len(states)) / math.sqrt(len(states))
    yield chances.by_chi_square(f"{what}, bits of states", states.size, zs @ zs, zs.size)
    first = np.concatenate([states[:, : rng.LANES].ravel(), states[:, 4 * rng.LANES]])
    again = first.size - np.unique(first).size  # distinct first words: distinct states
    yield Row(f"{what}, generators alike", first.size, f"{again} for 0", float(again == 0))


def gamma_rows(shape: float, blocks: Iterable[np.ndarray]) -> Iterator[Row]:
    """Yield the rows of Gamma variates with mean 1."""
    edges = gamma_quantiles(shape)
    powers, bins = np.zeros(2), np.zeros(64, np.int64)
    for g in blocks:
        powers += gs.power_sums(g)[:2]
        bins += np.bincount(np.searchsorted(edges, g), minlength=64)
    moments = np.cumprod([1.0, *(1 + k / shape for k in range(4))])
    yield from moment_rows(f"Gamma, shape {shape:g}", int(bins.sum()), powers, moments)
    yield even(f"Gamma, shape {shape:g}, bins", bins)


def gamma_quantiles(shape: float) -> list[float]:
    """Return the 63 edges of 64 equally likely bins of Gamma with mean 1, by bisection."""
    edges, low = [], 0.0
    for k in range(1, 64):
        high = 100.0
        while high - low > 1e-14 * high:
            middle = (low + high) / 2
            below = chances.gamma_tails(shape, middle * shape)[0] < k / 64
            low, high = (middle, high) if below else (low, middle)
        edges.append(high)
    return edges
