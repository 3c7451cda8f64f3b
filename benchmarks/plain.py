"""Plain normals: the same words, a ziggurat of 256 layers, the sign not part of the lookup.

Kernels used it when their targets were set. With the floor of the present generator it shows
which part of a ratio is due to the generator, and which to the kernel.
"""

import math

import numpy as np

from nrevu.core import rng
from nrevu.core.target import njit

LAYERS, TAIL, AREA = 256, 3.6541528853610088, 0.00492867323399


def edges() -> np.ndarray:
    """Return the right edges of the layers, widest first, and a last one of 0."""
    found = [AREA / math.exp(-0.5 * TAIL * TAIL), TAIL]
    while len(found) < LAYERS:
        height = AREA / found[-1] + math.exp(-0.5 * found[-1] * found[-1])
        found.append(math.sqrt(-2.0 * math.log(height)))
    return np.array([*found, 0.0])


EDGE = edges()
HEIGHT = np.exp(-0.5 * EDGE**2)
SCALE = EDGE[:-1] * 2.0**-52
INSIDE = np.floor(EDGE[1:] / EDGE[:-1] * 2.0**52).astype(np.int64)


@njit(error_model="numpy")
def slow_normal(bits, word):
    """Return one N(0,1) from a word (int64) outside the inner part of its layer."""
    while True:
        layer, j = word & (LAYERS - 1), word >> 11
        x = j * SCALE[layer]
        if abs(j) < INSIDE[layer]:
            return x
        if layer == 0:
            while True:
                beyond = -math.log(rng.next_uniform(bits)) / TAIL
                if -2 * math.log(rng.next_uniform(bits)) > beyond * beyond:
                    return math.copysign(TAIL + beyond, x)
        height = HEIGHT[layer] + rng.next_uniform(bits) * (HEIGHT[layer + 1] - HEIGHT[layer])
        if height < math.exp(-0.5 * x * x):
            return x
        word = np.int64(rng.next_word(bits))


@njit(error_model="numpy")
def fill_normals(bits, words, out):
    """Fill `out` with N(0,1), as `rng.fill_normals` does."""
    signed = words.view(np.int64)
    for first in range(0, out.size, rng.SCRATCH):
        part = out[first : first + rng.SCRATCH]
        rng.fill_words(bits, words[: (part.size + rng.LANES - 1) // rng.LANES * rng.LANES])
        for i in range(part.size):
            layer, j = signed[i] & (LAYERS - 1), signed[i] >> 11
            if abs(j) < INSIDE[layer]:
                part[i] = j * SCALE[layer]
            else:
                part[i] = slow_normal(bits, signed[i])
