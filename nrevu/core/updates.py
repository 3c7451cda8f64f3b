"""The updates, each a kernel that runs chains from their start to their last recorded group.

In: the starts of some chains, which advance together: flat x, p and w, in which `lane` finds the
part of each chain, and v; the `bits` of their generators, the distribution's `data`, the method's
numbers. Out: `rows` and `rejected`, the recorded state at the end of each group and how many of its
updates were rejected; x, p, v, w and bits, changed in place. These are sources:
`binding.bind_kernel` replaces the names in capitals, and the placeholder functions, for a class of
distributions.
"""

import math

import numpy as np

from nrevu.core.rng import SCRATCH, aligned, fill_normals, fill_signed, next_gamma
from nrevu.core.u import decide, move

NORMALS = 2048  # drawn at a time, if a chain has fewer coordinates than that
BUFFER = 128  # the same, for each of LANES chains
LANES = 1  # chains interleaved for SIMD; 1: one chain after the other in memory
FIXED_DIM = 0  # the dimension, if all distributions of a class have the same; else 0
SCALED = False  # whether the class has `scales`
RENEWS = False  # whether the class has `renew`


def lane(array, k, size):
    """Return the `size` numbers of chain k in a flat array. Replaced by that of `lanes.views`."""


def drawn(array, k, block, used, size):
    """Return row `used` of chain k in an array with `block` rows for each chain. Replaced."""


def energy(x, w, data):
    """Return U(x) = -log pi(x) up to a constant, given w. Replaced by the distribution's."""


def gradient(x, w, data, g):
    """Write the gradient of U at x into g and return U(x). Replaced."""


def record(x, w, U, data, row):
    """Write the recorded columns of a state with energy U into `row`. Replaced."""


def gibbs(x, w, data, bits):
    """Draw w, the variables that no other update changes, given x. Replaced if there is any."""


def renew(x, w, before, data, U, g):
    """Return U, and change g, for the new w, given w before. Replaced if RENEWS."""


def scales(w, data, s):
    """Write the factors of the coordinates' stepsizes into s. Replaced if SCALED."""


def metropolis(
    x_out, p_out, v_out, w, bits_out, data, eta, delta, noise, group, gibbs_every, burn_in, first,
    rows, rejected, trace,
):  # fmt: skip
    """Random-walk Metropolis, all coordinates at once: Section 3. It has no p.

    After every `gibbs_every` updates (0: never) comes a Gibbs scan, which leaves v alone. The rows
    of chain k are first[k] to first[k + 1]. Returns, of the recorded groups, the density and
    gradient evaluations and the proposals whose energy was not finite. Row t of trace[k], if it has
    that many, receives the u of recorded update t of chain k, and whether it accepted.
    """
    count = v_out.size
    room = LANES if LANES > 1 else count
    dim = FIXED_DIM if FIXED_DIM > 0 else x_out.size // room
    size, wide = dim * room, w.size // room
    block = max(1, (NORMALS if LANES == 1 else BUFFER) // dim)
    bits, words = aligned(bits_out), np.empty(SCRATCH, np.uint64)
    normals, signed = np.empty(block * size), np.zeros(block * room)
    state, chains = np.zeros((3, size)), np.zeros((7, room))
    x, x_new, s = state[0], state[1], state[2]
    v, u, U, U_new = chains[0], chains[1], chains[2], chains[3]
    accepted, refused, overflowed = chains[4], chains[5], chains[6]
    for j in range(size):  # not x[:] = x_out: numba takes 2 s to compile that
        x[j] = x_out[j]
    for k in range(count):  # given an exact draw of x, Gibbs makes it one of all there is
        v[k] = v_out[k]
        gibbs(lane(x, k, dim), lane(w, k, wide), data, bits[k])
        scales(lane(w, k, wide), data, lane(s, k, dim))
        U[k] = energy(lane(x, k, dim), lane(w, k, wide), data)
    density, gradients, overflows = 0, 0, 0
    traced, since, used = 0, 0, block
    longest = 0
    for k in range(count):
        longest = max(longest, first[k + 1] - first[k])
    for t in range(-burn_in, longest):
        refused[:] = 0.0
        overflowed[:] = 0.0
        scans = 0
        for _ in range(group):
            if used == block:
                for k in range(count):
                    fill_normals(bits[k], words, lane(normals, k, block * dim))
                    if noise > 0:  # else the uniforms would be multiplied by zero
                        fill_signed(bits[k], words, lane(signed, k, block))
                used = 0
            for k in range(count):
                here, there, scale = lane(x, k, dim), lane(x_new, k, dim), lane(s, k, dim)
                normal = drawn(normals, k, block, used, dim)
                for i in range(dim):
                    there[i] = here[i] + (eta * scale[i] if SCALED else eta) * normal[i]
            for k in range(count):
                U_new[k] = energy(lane(x_new, k, dim), lane(w, k, wide), data)
            for k in range(count):
                v[k] = move(v[k], delta, noise, lane(signed, k, block)[used])
            for k in range(count):
                u[k] = abs(v[k])
                old, new = U[k], U_new[k]
                taken, v[k] = decide(v[k], new - old)
                accepted[k] = 1.0 if taken else 0.0
                refused[k] += 0.0 if taken else 1.0
                overflowed[k] += 0.0 if abs(new) < math.inf else 1.0
                U[k] = new if taken else old
            for k in range(count):
                taken, here, there = accepted[k] > 0, lane(x, k, dim), lane(x_new, k, dim)
                for i in range(dim):
                    old, new = here[i], there[i]
                    here[i] = new if taken else old
            used += 1
            if t >= 0 and traced < trace.shape[1]:
                for k in range(trace.shape[0]):
                    trace[k, traced, 0], trace[k, traced, 1] = u[k], accepted[k]
                traced += 1
            since += 1
            if since == gibbs_every:  # U depends on what it draws
                for k in range(count):
                    gibbs(lane(x, k, dim), lane(w, k, wide), data, bits[k])
                for k in range(count):
                    scales(lane(w, k, wide), data, lane(s, k, dim))
                    U[k] = energy(lane(x, k, dim), lane(w, k, wide), data)
                scans += 1
                since = 0
        for k in range(count):
            if 0 <= t < first[k + 1] - first[k]:
                record(lane(x, k, dim), lane(w, k, wide), U[k], data, rows[first[k] + t])
                rejected[first[k] + t] = refused[k]
                density += group + scans
                overflows += int(overflowed[k])
    for j in range(size):
        x_out[j] = x[j]
    for k in range(count):
        v_out[k] = v[k]
        for i in range(bits.shape[1]):
            bits_out[k, i] = bits[k, i]
    return density, gradients, overflows


def hamiltonian(
    x_out, p_out, v_out, w, bits_out, data, eta, alpha, L, jitter, delta, noise, group, gibbs_every,
    burn_in, first, rows, rejected, trace,
):  # fmt: skip
    """Partial refreshment of p, L leapfrog steps, decision, negation: Section 4, steps 1 to 4.

    Alpha 0 and L 1 is Langevin, alpha near 1 and L 1 Langevin with persistent momentum, alpha 0
    and L large HMC. Where jitter n is not 0, each trajectory's stepsize is eta / sqrt(g), g from
    a Gamma distribution with mean 1 and shape n / 2. The rest is as for `metropolis`.
    """
    count = v_out.size
    room = LANES if LANES > 1 else count
    dim = FIXED_DIM if FIXED_DIM > 0 else x_out.size // room
    size, wide = dim * room, w.size // room
    block = max(1, (NORMALS if LANES == 1 else BUFFER) // dim)
    bits, words = aligned(bits_out), np.empty(SCRATCH, np.uint64)
    normals, signed = np.empty(block * size), np.zeros(block * room)
    state, chains = np.zeros((7, size)), np.zeros((9, room))
    x, p, g, s = state[0], state[1], state[2], state[3]
    x_new, p_new, g_new = state[4], state[5], state[6]
    v, u, U, U_new, dH = chains[0], chains[1], chains[2], chains[3], chains[4]
    accepted, refused, overflowed, step = chains[5], chains[6], chains[7], chains[8]
    before = np.empty(w.size)
    fresh = math.sqrt(1.0 - alpha * alpha)
    step[:] = eta
    for j in range(size):  # not x[:] = x_out: numba takes 2 s to compile that
        x[j], p[j] = x_out[j], p_out[j]
    for k in range(count):  # given an exact draw of x, Gibbs makes it one of all there is
        v[k] = v_out[k]
        gibbs(lane(x, k, dim), lane(w, k, wide), data, bits[k])
        scales(lane(w, k, wide), data, lane(s, k, dim))
        U[k] = gradient(lane(x, k, dim), lane(w, k, wide), data, lane(g, k, dim))
    density, gradients, overflows = 0, 0, 0
    traced, since, used = 0, 0, block
    longest = 0
    for k in range(count):
        longest = max(longest, first[k + 1] - first[k])
    for t in range(-burn_in, longest):
        refused[:] = 0.0
        overflowed[:] = 0.0
        scans = 0
        for _ in range(group):
            if used == block:
                for k in range(count):
                    fill_normals(bits[k], words, lane(normals, k, block * dim))
                    if noise > 0:  # else the uniforms would be multiplied by zero
                        fill_signed(bits[k], words, lane(signed, k, block))
                used = 0
            if jitter > 0:
                for k in range(count):
                    step[k] = eta / math.sqrt(next_gamma(bits[k], 0.5 * jitter))
            # Step 1, and the first half step of step 2.
            for k in range(count):
                h, kinetic, scale = step[k], 0.0, lane(s, k, dim)
                normal = drawn(normals, k, block, used, dim)
                x_old, p_old, force = lane(x, k, dim), lane(p, k, dim), lane(g, k, dim)
                x_end, p_end = lane(x_new, k, dim), lane(p_new, k, dim)
                for i in range(dim):
                    each = h * scale[i] if SCALED else h
                    p_old[i] = alpha * p_old[i] + fresh * normal[i]
                    kinetic += p_old[i] * p_old[i]
                    p_end[i] = p_old[i] - 0.5 * each * force[i]
                    x_end[i] = x_old[i] + each * p_end[i]
                dH[k] = -(U[k] + 0.5 * kinetic)
            for _ in range(L - 1):  # U on the way is not kept, and what it alone takes not computed
                for k in range(count):
                    gradient(lane(x_new, k, dim), lane(w, k, wide), data, lane(g_new, k, dim))
                for k in range(count):
                    h, scale, force = step[k], lane(s, k, dim), lane(g_new, k, dim)
                    x_end, p_end = lane(x_new, k, dim), lane(p_new, k, dim)
                    for i in range(dim):
                        each = h * scale[i] if SCALED else h
                        p_end[i] -= each * force[i]
                        x_end[i] += each * p_end[i]
            for k in range(count):
                x_end, force = lane(x_new, k, dim), lane(g_new, k, dim)
                U_new[k] = gradient(x_end, lane(w, k, wide), data, force)
            for k in range(count):  # the last half step
                h, kinetic, scale = step[k], 0.0, lane(s, k, dim)
                p_end, force = lane(p_new, k, dim), lane(g_new, k, dim)
                for i in range(dim):
                    each = h * scale[i] if SCALED else h
                    p_end[i] -= 0.5 * each * force[i]
                    kinetic += p_end[i] * p_end[i]
                dH[k] += U_new[k] + 0.5 * kinetic
            # Step 3. The proposal is (x_new, -p_new).
            for k in range(count):
                v[k] = move(v[k], delta, noise, lane(signed, k, block)[used])
            for k in range(count):
                u[k] = abs(v[k])
                taken, v[k] = decide(v[k], dH[k])
                accepted[k] = 1.0 if taken else 0.0
                refused[k] += 0.0 if taken else 1.0
                overflowed[k] += 0.0 if abs(dH[k]) < math.inf else 1.0
                old, new = U[k], U_new[k]
                U[k] = new if taken else old
            # Step 4 negates p in either case: accepted, p goes on; rejected, it is reversed.
            for k in range(count):
                taken, here, there = accepted[k] > 0, lane(p, k, dim), lane(p_new, k, dim)
                for i in range(dim):
                    old, new = here[i], there[i]
                    here[i] = new if taken else -old
            for k in range(count):
                taken, here, there = accepted[k] > 0, lane(x, k, dim), lane(x_new, k, dim)
                for i in range(dim):
                    old, new = here[i], there[i]
                    here[i] = new if taken else old
            for k in range(count):
                taken, here, there = accepted[k] > 0, lane(g, k, dim), lane(g_new, k, dim)
                for i in range(dim):
                    old, new = here[i], there[i]
                    here[i] = new if taken else old
            used += 1
            if t >= 0 and traced < trace.shape[1]:
                for k in range(trace.shape[0]):
                    trace[k, traced, 0], trace[k, traced, 1] = u[k], accepted[k]
                traced += 1
            since += 1
            if since == gibbs_every:  # U and g depend on what it draws
                for j in range(w.size):
                    before[j] = w[j]
                for k in range(count):
                    gibbs(lane(x, k, dim), lane(w, k, wide), data, bits[k])
                for k in range(count):
                    now, then = lane(w, k, wide), lane(before, k, wide)
                    x_old, force = lane(x, k, dim), lane(g, k, dim)
                    scales(now, data, lane(s, k, dim))
                    if RENEWS:
                        U[k] = renew(x_old, now, then, data, U[k], force)
                    else:
                        U[k] = gradient(x_old, now, data, force)
                scans += 0 if RENEWS else 1
                since = 0
        for k in range(count):
            if 0 <= t < first[k + 1] - first[k]:
                record(lane(x, k, dim), lane(w, k, wide), U[k], data, rows[first[k] + t])
                rejected[first[k] + t] = refused[k]
                density += group + scans
                gradients += group * L + scans
                overflows += int(overflowed[k])
    for j in range(size):
        x_out[j], p_out[j] = x[j], p[j]
    for k in range(count):
        v_out[k] = v[k]
        for i in range(bits.shape[1]):
            bits_out[k, i] = bits[k, i]
    return density, gradients, overflows
