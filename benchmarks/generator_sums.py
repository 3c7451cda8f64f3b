"""Sums and counts of a generator's numbers, for the long test, one block at a time.

In: any number of blocks of draws, arrays of BLOCK numbers. Out: the sums that the statistics
need, in constant memory. A block is ROWS rows of 64, four steps of the 16 lanes, so the matrix of
products of its columns holds the correlations between lanes and those at lags up to 64.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

from nrevu.core import rng
from nrevu.core.target import njit

ROWS = 256
BLOCK = 64 * ROWS
CUTS = (3.0, rng.TAIL, 4.0, 5.0, 5.5, 6.0)  # of tails
FINE, REACH = 256, 8  # a grid of 1/FINE from -REACH to REACH, to find bins by
CELLS = 64  # of equal probability, for pairs of draws


def bin_edges() -> np.ndarray:
    """Return the edges of 1024 bins of equal probability, of the layers and of the tails."""
    equal = [NormalDist().inv_cdf(k / 1024) for k in range(1, 1024)]
    own = np.concatenate([rng.EDGE[1:-1], CUTS])
    return np.unique(np.concatenate([equal, own, -own, [-np.inf, np.inf]]))


EDGES = bin_edges()
GUIDE = np.searchsorted(EDGES, np.arange(-REACH, REACH, 1 / FINE), "right") - 1
UPPER = np.array([0.5 * math.erfc(edge / math.sqrt(2)) for edge in EDGES])  # chance beyond each
CELL = np.minimum(CELLS * (1 - UPPER[:-1]) + 1e-9, CELLS - 1).astype(np.int64)  # of each bin


@dataclass
class Sums:
    """Of normals z, and where there are two, of z and of s = z^2 - 1."""

    draws: int = 0
    powers: np.ndarray = field(default_factory=lambda: np.zeros(6))  # sums of z^1 to z^6
    bins: np.ndarray = field(default_factory=lambda: np.zeros(EDGES.size - 1, np.int64))
    # Pairs of cells: of neighbours, and of neighbours within a lane.
    pairs: np.ndarray = field(default_factory=lambda: np.zeros((2, CELLS, CELLS), np.int64))
    # Products of columns within rows, and of columns with those of the next row.
    near: np.ndarray = field(default_factory=lambda: np.zeros((2, 64, 64)))
    next: np.ndarray = field(default_factory=lambda: np.zeros((2, 64, 64)))
    products: int = 0  # how many rows these are
    far: np.ndarray = field(default_factory=lambda: np.zeros(2))  # products at lag SCRATCH
    far_products: int = 0


def sum_normals(blocks: Iterable[np.ndarray]) -> Sums:
    """Return the sums over blocks of normals."""
    sums = Sums()
    for z in blocks:
        sums.draws += z.size
        sums.powers += power_sums(z)
        count_bins(z, EDGES, GUIDE, CELL, sums.bins, sums.pairs)
        for k, each in enumerate((z, z * z - 1)):
            rows = each.reshape(-1, 64)
            add_products(rows[:-1], rows[:-1], sums.near[k])
            add_products(rows[:-1], rows[1:], sums.next[k])
            sums.far[k] += np.sum(each[: -rng.SCRATCH] * each[rng.SCRATCH :])
        sums.products += len(rows) - 1
        sums.far_products += z.size - rng.SCRATCH
    return sums


def power_sums(x: np.ndarray) -> list[float]:
    """Return the sums of x^1 to x^6."""
    square = x * x
    fourth = square * square
    powers = (x, square, square * x, fourth, fourth * x, fourth * square)
    return [float(power.sum()) for power in powers]


# Not a matrix product of numpy's, whose threads wait for each other on a busy machine.
@njit(fastmath={"reassoc", "contract"})
def add_products(a, b, out):
    """Add to out[i, j] the products of columns i of `a` and j of `b`."""
    for row in range(len(a)):
        for i in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[row, i] * b[row, j]


@njit
def count_bins(z, edges, guide, cell, bins, pairs):
    """Count draws by bin, and pairs of them, no draw in two pairs, by their cells."""
    cells = np.empty(z.size, np.int64)
    for i in range(z.size):
        at = min(max(int((z[i] + REACH) * FINE), 0), guide.size - 1)
        k = guide[at]
        while k < bins.size - 1 and z[i] >= edges[k + 1]:
            k += 1
        bins[k] += 1
        cells[i] = cell[k]
    for i in range(0, z.size, 2):
        pairs[0, cells[i], cells[i + 1]] += 1
    for i in range(z.size):
        if i // rng.LANES % 2 == 0:
            pairs[1, cells[i], cells[i + rng.LANES]] += 1


def sum_signed(blocks: Iterable[np.ndarray], bits: int) -> tuple[np.ndarray, ...]:
    """Return the statistics of uniforms on (-1, 1), half-integers over 2^bits.

    The sums of powers 1 to 6, the counts of 1024 bins and of the values of the lowest 16 bits,
    and the products of columns, draws being in rows of 64.
    """
    powers, bins, products = np.zeros(6), np.zeros(1024, np.int64), np.zeros((64, 64))
    lowest = np.zeros(1 << 16, np.int64)
    for x in blocks:
        powers += power_sums(x)
        bins += np.bincount(((x + 1) * 512).astype(np.int64), minlength=1024)
        whole = (x * 2.0**bits - 0.5).astype(np.int64)  # exact
        lowest += np.bincount(whole & 0xFFFF, minlength=1 << 16)
        add_products(x.reshape(-1, 64), x.reshape(-1, 64), products)
    return powers, bins, lowest, products


def sum_words(blocks: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts of the 4 quarters of words (4, 2^16) and of pairs of layers (2, 2^16).

    A layer is here one of 256, bits 2 to 9: the sign and four layers together. Pairs are those of
    neighbours, and of neighbours within a lane.
    """
    quarters, layers = np.zeros((4, 1 << 16), np.int64), np.zeros((2, 1 << 16), np.int64)
    for words in blocks:
        count_words(words.view(np.uint16).reshape(-1, 4), quarters, layers)
    return quarters, layers


@njit
def layer(quarter):
    """Return bits 2 to 9 of a word's lowest quarter."""
    return quarter >> 2 & 255


@njit
def count_words(parts, quarters, layers):
    """Count the quarters of words, `parts` (words, 4), and pairs of layers, no word in two."""
    for i in range(len(parts)):
        for k in range(4):
            quarters[k, parts[i, k]] += 1
    for i in range(0, len(parts), 2):
        layers[0, layer(parts[i, 0]) << 8 | layer(parts[i + 1, 0])] += 1
    for i in range(len(parts)):
        if i // rng.LANES % 2 == 0:
            layers[1, layer(parts[i, 0]) << 8 | layer(parts[i + rng.LANES, 0])] += 1


def sum_products(blocks: Iterable[np.ndarray], columns: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Return, of blocks of normals (rows, columns), the rows and the columns' sums and products.

    The products are (2, columns, columns): of z and of z^2 - 1.
    """
    rows, sums, products = 0, np.zeros(columns), np.zeros((2, columns, columns))
    for z in blocks:
        rows += len(z)
        sums += z.sum(axis=0)
        for each, out in zip((z, z * z - 1), products, strict=True):
            add_products(each, each, out)
    return rows, sums, products
