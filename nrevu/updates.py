"""The updates, each a kernel that runs one chain from its start to its last recorded group.

In: the start (x, v), a generator's `bits`, the distribution's `data`, numbers of the method.
Out: `rows` (groups, columns), what was recorded at the end of each group; `rejected` (groups),
how many of its updates were rejected; x, changed in place. These are sources: `kernel.build`
binds `energy` and `record` to a distribution's own functions and compiles the result.
"""

import numpy as np

from nrevu.accept import decide, move
from nrevu.rng import SCRATCH, fill_normals, fill_signed

NORMALS = 2048  # made at a time, where a chain has fewer coordinates than that


def energy(x, data):
    """Return U(x) = -log pi(x) up to a constant. Bound to a distribution's own."""


def record(x, U, data, row):
    """Write the recorded columns of state x with energy U into `row`. Bound likewise."""


def metropolis(x, v, bits, data, eta, delta, noise, group, burn_in, rows, rejected):
    """Random-walk Metropolis, all coordinates at once: Section 3.

    Returns the last v and the number of density evaluations in the recorded groups.
    """
    dim = x.size
    start = x
    block = max(1, NORMALS // dim)
    words = np.empty(SCRATCH, np.uint64)
    normals = np.empty((block, dim))
    signed = np.zeros(block)
    proposal = np.empty(dim)
    U = energy(x, data)
    density = 0
    used = block
    for t in range(-burn_in, rows.shape[0]):
        rejections = 0
        for _ in range(group):
            if used == block:
                fill_normals(bits, words, normals.reshape(-1))
                if noise > 0:  # else the uniforms would be multiplied by zero
                    fill_signed(bits, words, signed)
                used = 0
            normal = normals[used]
            for i in range(dim):
                proposal[i] = x[i] + eta * normal[i]
            U_proposal = energy(proposal, data)
            v = move(v, delta, noise, signed[used])
            accepted, v = decide(v, U_proposal - U)
            if accepted:
                x, proposal = proposal, x
                U = U_proposal
            else:
                rejections += 1
            used += 1
        if t >= 0:
            record(x, U, data, rows[t])
            rejected[t] = rejections
            density += group
    start[:] = x
    return v, density
