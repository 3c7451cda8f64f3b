"""The updates, each a kernel that runs one chain from its start to its last recorded group.

In: the start (x, p, v), a generator's `bits`, the distribution's `data`, the method's numbers.
Out: `rows` (groups, columns), what was recorded at the end of each group; `rejected` (groups),
how many of its updates were rejected; `trace`, see below; x and p, changed in place. These are
sources: `kernel.build` binds `energy`, `gradient` and `record` to a distribution's own functions.
"""

import math

import numpy as np

from nrevu.accept import decide, move
from nrevu.rng import SCRATCH, fill_normals, fill_signed, next_gamma

NORMALS = 2048  # made at a time, where a chain has fewer coordinates than that


FIXED_DIM = 0  # bound to the dimension of a class of distributions that has only one


def energy(x, data):
    """Return U(x) = -log pi(x) up to a constant. Bound to a distribution's own."""


def gradient(x, data, g):
    """Write the gradient of U at x into g and return U(x). Bound likewise."""


def record(x, U, data, row):
    """Write the recorded columns of state x with energy U into `row`. Bound likewise."""


def gibbs(x, data, bits):
    """Draw the variables that are kept in `data` given x. Bound likewise, or does nothing."""


def metropolis(
    x, p, v, bits, data, eta, delta, noise, group, gibbs_every, burn_in, rows, rejected, trace
):
    """Random-walk Metropolis, all coordinates at once: Section 3. It has no p.

    After every `gibbs_every` updates (0: never) comes a Gibbs scan, which leaves v alone. Returns
    the last v and, of the recorded groups, the density and gradient evaluations and the proposals
    whose energy was not finite. Row t of `trace` (any, 2) receives the u of recorded update t, as
    it was compared, and whether it accepted.
    """
    dim = FIXED_DIM if FIXED_DIM > 0 else x.size
    block = max(1, NORMALS // dim)
    words = np.empty(SCRATCH, np.uint64)
    normals = np.empty((block, dim))
    signed = np.zeros(block)
    proposal = np.empty(dim)
    gibbs(x, data, bits)  # given an exact draw of x, an exact draw of all there is
    U = energy(x, data)
    overflows, traced, since, scans = 0, 0, 0, 0
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
            used += 1
            u = abs(v)
            accepted, v = decide(v, U_proposal - U)
            if t >= 0 and traced < trace.shape[0]:
                trace[traced, 0], trace[traced, 1] = u, accepted
                traced += 1
            if accepted:
                for i in range(dim):
                    x[i] = proposal[i]
                U = U_proposal
            else:
                rejections += 1
                overflows += t >= 0 and not abs(U_proposal) < math.inf
            since += 1
            if since == gibbs_every:  # U depends on what it draws
                gibbs(x, data, bits)
                U = energy(x, data)
                scans += t >= 0
                since = 0
        if t >= 0:
            record(x, U, data, rows[t])
            rejected[t] = rejections
    density = rows.shape[0] * group + scans
    return v, density, 0, overflows


def hamiltonian(
    x, p, v, bits, data, eta, alpha, L, jitter, delta, noise, group, gibbs_every, burn_in, rows,
    rejected, trace,
):  # fmt: skip
    """Partial refreshment of p, L leapfrog steps, decision, negation: Section 4, steps 1 to 4.

    Alpha 0 and L 1 is Langevin, alpha near 1 and L 1 Langevin with persistent momentum, alpha 0
    and L large HMC. Where jitter n is not 0, each trajectory's stepsize is eta / sqrt(g), g from
    a Gamma distribution with mean 1 and shape n / 2. Returns as `metropolis` does.
    """
    dim = FIXED_DIM if FIXED_DIM > 0 else x.size
    block = max(1, NORMALS // dim)
    words = np.empty(SCRATCH, np.uint64)
    normals = np.empty((block, dim))
    signed = np.zeros(block)
    fresh = math.sqrt(1.0 - alpha * alpha)
    g, x_new, p_new, g_new = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(dim)
    gibbs(x, data, bits)  # given an exact draw of x, an exact draw of all there is
    U = gradient(x, data, g)
    overflows, traced, since, scans = 0, 0, 0, 0
    used = block
    step = eta
    for t in range(-burn_in, rows.shape[0]):
        rejections = 0
        for _ in range(group):
            if used == block:
                fill_normals(bits, words, normals.reshape(-1))
                if noise > 0:  # else the uniforms would be multiplied by zero
                    fill_signed(bits, words, signed)
                used = 0
            if jitter > 0:
                step = eta / math.sqrt(next_gamma(bits, 0.5 * jitter))
            # Step 1, and the first half step of step 2.
            normal = normals[used]
            kinetic = 0.0
            for i in range(dim):
                p[i] = alpha * p[i] + fresh * normal[i]
                kinetic += p[i] * p[i]
                p_new[i] = p[i] - 0.5 * step * g[i]
                x_new[i] = x[i] + step * p_new[i]
            U_new = gradient(x_new, data, g_new)
            for _ in range(L - 1):
                for i in range(dim):
                    p_new[i] -= step * g_new[i]
                    x_new[i] += step * p_new[i]
                U_new = gradient(x_new, data, g_new)
            kinetic_new = 0.0
            for i in range(dim):
                p_new[i] -= 0.5 * step * g_new[i]
                kinetic_new += p_new[i] * p_new[i]
            dH = (U_new + 0.5 * kinetic_new) - (U + 0.5 * kinetic)
            # Step 3. The proposal is (x_new, -p_new).
            v = move(v, delta, noise, signed[used])
            used += 1
            u = abs(v)
            accepted, v = decide(v, dH)
            if t >= 0 and traced < trace.shape[0]:
                trace[traced, 0], trace[traced, 1] = u, accepted
                traced += 1
            # Step 4 negates p in either case: accepted, p goes on; rejected, it is reversed.
            if accepted:  # copied: to swap the arrays would cost three times as much
                for i in range(dim):
                    x[i] = x_new[i]
                for i in range(dim):
                    p[i] = p_new[i]
                for i in range(dim):
                    g[i] = g_new[i]
                U = U_new
            else:
                for i in range(dim):
                    p[i] = -p[i]
                rejections += 1
                overflows += t >= 0 and not abs(dH) < math.inf
            since += 1
            if since == gibbs_every:  # U and g depend on what it draws
                gibbs(x, data, bits)
                U = gradient(x, data, g)
                scans += t >= 0
                since = 0
        if t >= 0:
            record(x, U, data, rows[t])
            rejected[t] = rejections
    updates = rows.shape[0] * group
    density, gradients = updates + scans, updates * L + scans
    return v, density, gradients, overflows
