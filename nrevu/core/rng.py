"""Normals and uniforms for the compiled kernels, from a generator whose state is one array.

In: `bits`, uint64[68], seeded by `streams`: 16 interleaved lanes of xoshiro256++ (4 x 16), which
the processor advances together, and one more generator (4) for the rare slow draws.
Out: arrays filled with N(0,1) by a 512-layer ziggurat, or with uniforms on (-1,1).
"""

import hashlib
import math
from decimal import Decimal, localcontext

import numpy as np

from nrevu.core.elementary import exp, log
from nrevu.core.target import njit

LANES = 16
WORDS = 4 * LANES + 4  # length of a generator's state
SCRATCH = 1024  # raw words drawn at a time; a multiple of LANES

LAYERS = 512
TAIL = 3.852046150368391  # where the lowest of the layers ends and the tail begins
AREA = 0.002456766351541356  # of each layer, under exp(-x^2/2)


def _layers() -> tuple[np.ndarray, np.ndarray]:
    """Return the right edges of the layers, widest first, and the density exp(-x^2/2) there.

    Both end with an edge of 0. Computed in decimal arithmetic, the same on all machines.
    """
    with localcontext(prec=28):
        area, edges = Decimal(AREA), [Decimal(TAIL)]
        heights = [(-edges[0] * edges[0] / 2).exp()]
        while len(edges) < LAYERS - 1:
            heights.append(area / edges[-1] + heights[-1])
            edges.append((-2 * heights[-1].ln()).sqrt())
        widest = area / heights[0]
        lowest = (-widest * widest / 2).exp()
    return np.array([widest, *edges, 0], float), np.array([lowest, *heights, 1], float)


EDGE, HEIGHT = _layers()
# The lowest 10 bits of a raw word are a layer and, before it, a sign, the highest 52 an integer j;
# the candidate j * SCALE[those 10] is accepted at once if j < INSIDE[those 10], as 99.2% are.
SIDES = np.int64(2 * LAYERS - 1)
SCALE = np.concatenate([EDGE[:-1], -EDGE[:-1]]) * 2.0**-52
INSIDE = np.tile(np.floor(EDGE[1:] / EDGE[:-1] * 2.0**52).astype(np.int64), 2)


def streams(seed: int, digest: str, chain: int) -> tuple[np.random.Generator, np.ndarray]:
    """Return a numpy generator for the start of a chain and the `bits` of its kernel.

    Both come from SHAKE-256 of (seed, digest, chain) alone, all 68 words, so that two streams share
    a generator only with probability 2^-200: docs/generator.md.
    """
    if seed < 0:
        raise ValueError(f"seed {seed} is negative")
    hashed = hashlib.shake_256(f"{seed} {digest} {chain}".encode()).digest(32 + 8 * WORDS)
    start = np.random.default_rng(int.from_bytes(hashed[:32], "little"))
    return start, np.frombuffer(hashed[32:], "<u8").astype(np.uint64)


@njit(error_model="numpy")
def aligned(bits):
    """Return a copy of generators' states, each of which begins at a multiple of 32 bytes.

    numpy aligns arrays to 16 bytes, and a vector across two cache lines takes twice as long.
    """
    copy = np.empty(bits.shape, np.uint64)
    for k in range(bits.shape[0]):
        for i in range(bits.shape[1]):
            copy[k, i] = bits[k, i]
    return copy


@njit(error_model="numpy")
def step(s0, s1, s2, s3):
    """Advance one xoshiro256++ state and return (output, new state)."""
    out = s0 + s3
    out = ((out << np.uint64(23)) | (out >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    return out, s0, s1, s2, (s3 << np.uint64(45)) | (s3 >> np.uint64(19))


@njit(error_model="numpy")
def fill_words(bits, words):
    """Fill `words`, whose length is a multiple of LANES, lane by lane."""
    for first in range(0, words.size, LANES):
        out = words[first : first + LANES]
        for k in range(LANES):
            out[k], bits[k], bits[LANES + k], bits[2 * LANES + k], bits[3 * LANES + k] = step(
                bits[k], bits[LANES + k], bits[2 * LANES + k], bits[3 * LANES + k]
            )


@njit(error_model="numpy")
def next_word(bits):
    """Return one raw word from the generator for slow draws."""
    s = bits[4 * LANES :]
    out, s[0], s[1], s[2], s[3] = step(s[0], s[1], s[2], s[3])
    return out


@njit(error_model="numpy")
def next_uniform(bits):
    """Return one uniform on (0,1), neither end included."""
    return (np.float64(next_word(bits) >> np.uint64(12)) + 0.5) * 2.0**-52


@njit(error_model="numpy")
def tail(bits):
    """Return one N(0,1) given that it exceeds TAIL (Marsaglia's exponential method)."""
    while True:
        beyond = -log(next_uniform(bits)) / TAIL
        if -2 * log(next_uniform(bits)) > beyond * beyond:
            return TAIL + beyond


@njit(error_model="numpy")
def slow_normal(bits, word):
    """Return one N(0,1) from a raw word, whether or not it is in the inner part of its layer."""
    while True:
        side = np.int64(word) & SIDES
        j = np.int64(word >> np.uint64(12))
        x = j * SCALE[side]
        if j < INSIDE[side]:
            return x
        layer = side % LAYERS
        if layer == 0:
            return math.copysign(tail(bits), x)
        height = HEIGHT[layer] + next_uniform(bits) * (HEIGHT[layer + 1] - HEIGHT[layer])
        if height < exp(-0.5 * x * x):
            return x
        word = next_word(bits)


@njit(error_model="numpy")
def next_normal(bits):
    """Return one N(0,1) from the generator for slow draws."""
    return slow_normal(bits, next_word(bits))


@njit(error_model="numpy")
def fill_normals(bits, words, out):
    """Fill `out` (any length) with N(0,1), through the scratch array `words`, uint64[SCRATCH]."""
    for first in range(0, out.size, SCRATCH):
        part = out[first : first + SCRATCH]
        fill_words(bits, words[: (part.size + LANES - 1) // LANES * LANES])
        for i in range(part.size):
            side = np.int64(words[i]) & SIDES
            j = np.int64(words[i] >> np.uint64(12))
            if j < INSIDE[side]:
                part[i] = j * SCALE[side]
            else:
                part[i] = slow_normal(bits, words[i])


@njit(error_model="numpy")
def fill_signed(bits, words, out):
    """Fill `out` (any length) with uniforms on (-1,1), through the scratch array `words`."""
    signed = words.view(np.int64)
    for first in range(0, out.size, SCRATCH):
        part = out[first : first + SCRATCH]
        fill_words(bits, words[: (part.size + LANES - 1) // LANES * LANES])
        for i in range(part.size):
            part[i] = ((signed[i] >> 11) + 0.5) * 2.0**-52


@njit(error_model="numpy")
def next_gamma(bits, shape):
    """Return one Gamma variate with mean 1 and this shape (Marsaglia and Tsang's method)."""
    d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = next_normal(bits)
        root, square = 1.0 + c * x, x * x
        cube = root * root * root
        if cube <= 0:
            continue
        u = next_uniform(bits)
        if u < 1.0 - 0.0331 * square * square:  # surely within the bound below, of logarithms
            break
        if log(u) < 0.5 * square + d * (1.0 - cube + log(cube)):
            break
    if shape < 1.0:  # a variate of shape + 1, carried down by a power of a uniform
        cube *= exp(log(next_uniform(bits)) / shape)
    return d * cube / shape
