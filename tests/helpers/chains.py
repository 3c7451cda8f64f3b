"""What tests of the kernels share: many short chains, advanced in place."""

import numpy as np

from nrevu.cells.chains import deinterleave, interleave
from nrevu.core import rng
from nrevu.core.binding import chains_at_once
from nrevu.core.contracts import part

NO_TRACE = np.empty((0, 0, 2), np.float32)


def advance(kernel, distribution, x, p, v, arguments, delta, noise, schedule, columns=2, seed=11):
    """Advance chains x, p (chains, dim) and v (chains) by one group; return w (chains, size)."""
    width, chains = chains_at_once(distribution), len(x)
    alternating = part(distribution, "lanes")
    size = part(distribution, "gibbs_variables")
    w = np.zeros((chains, size))
    bits = np.array([rng.streams(seed, "0", k)[1] for k in range(width)])
    rows, rejected = np.empty((width, columns), np.float32), np.empty(width, np.uint8)
    settings = (*arguments, delta, noise, *schedule, 0)
    for first in range(0, chains, width):
        some = slice(first, first + width)
        inside = [interleave(a[some], alternating) for a in (x, p, w)]
        now = len(x[some])
        output = (np.arange(now + 1), rows[:now], rejected[:now], NO_TRACE)
        kernel(
            *inside[:2],
            v[some],
            inside[2],
            bits[:now],
            part(distribution, "data")(),
            *settings,
            *output,
        )
        for a, flat in zip((x, p, w), inside, strict=True):
            a[some] = deinterleave(flat, alternating, now)
    return w


def single(kernel, x, p, v, bits, data, settings, rows, rejected, trace=NO_TRACE):
    """Run one chain of a kernel for one chain; return the last v and the counts."""
    v = np.array([v])
    first = np.array([0, len(rows)])
    output = (first, rows, rejected, trace)
    counts = kernel(x, p, v, np.zeros(0), bits[None], data, *settings, *output)
    return v[0], *counts
