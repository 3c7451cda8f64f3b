"""The driver: runs chains from their start to their last recorded group, whatever the method.

It owns what all methods share: random numbers, evaluations of U and their counts, the moves of v
and the decisions, Gibbs scans, recording. A method is a few short stages that it calls:

    vary      the stepsize of this update
    propose   the proposal, and what the energy of the current state has besides U
    step      between two gradients of a trajectory
    finish    what the energy of the proposal has besides U
    settle    what becomes of p once it is decided whether the proposal is taken

A rule for u has two: `move`, equation (1) of the paper, and `rescale`, equation (2). Some chains
advance together, each stage for all of them before the next stage: the processor works on one chain
while another waits for its decision. This is a source: `binding.bind_kernel` replaces the names in
capitals and the placeholder functions, and compiles it; `binding.bind_plain` does not compile it.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nrevu.core.elementary import exp
from nrevu.core.rng import SCRATCH, aligned, fill_normals, fill_signed

NORMALS = 2048  # drawn at a time, if a chain has fewer coordinates than that
BUFFER = 128  # the same, for each of LANES chains
LANES = 1  # chains interleaved for SIMD; 1: one chain after the other in memory
FIXED_DIM = 0  # the dimension, if all distributions of a class have the same; else 0
SCALED = False  # whether the distribution has `scales`
GRADIENT = False  # whether the method uses gradients
RENEWS = False  # whether it does, and the distribution has `renew`
BLOCKS = False  # whether the method has `blocks`
STEPS = False  # whether the method has `step`
SETTLES = False  # whether the method has `settle`


class Chains(NamedTuple):
    """The states of some chains, which the driver changes: flat arrays, but for v and bits."""

    x: Any  # the coordinates; `lane` finds those of each chain
    p: Any  # as many momenta
    v: Any  # (chains, v of each); `separate_v` of the method, or 1
    w: Any  # the variables that Gibbs sampling draws
    bits: Any  # (chains, WORDS): the states of their generators


class Schedule(NamedTuple):
    """How many updates there are, and what happens between them."""

    group: int  # updates of a recorded group
    gibbs_every: int  # updates between Gibbs scans, which leave v alone; 0: no scans
    burn_in: int  # groups before the first one that is recorded


NO_DRAWS = np.empty((0, 0))
UNWATCHED = np.zeros(2, np.int64)  # nobody looks at it


class Output(NamedTuple):
    """What the driver fills."""

    first: Any  # (chains + 1): the rows of chain k are first[k] to first[k + 1]
    rows: Any  # (groups, columns): the recorded state at the end of each group
    rejected: Any  # (groups): how many of its updates were rejected
    trace: Any  # (chains, updates, 2): u and whether it accepted, of the first recorded updates
    draws: Any = NO_DRAWS  # (groups, dim): the coordinates at the end of each group; or (0, 0)
    watch: Any = UNWATCHED  # (2): groups done so far, by all chains at once; not 0: end now


class State(NamedTuple):
    """The coordinates, the momentum and the gradient: of one chain, or flat of all of them."""

    x: Any
    p: Any
    g: Any
    turn: Any  # which of the method's `blocks` this update is for


# What `binding.driver_globals` replaces. These functions stay where there is no other one.

Numbers: Any = None  # a NamedTuple of the method's numbers
RuleNumbers: Any = None  # the same of the rule for u
lane: Any = None  # `lane`, `drawn`, `stream`, `repeat`: one chain's part of an array: `lanes.views`
drawn = stream = repeat = vary = propose = finish = move = rescale = lane


def energy(x, w, data):
    """Return U(x) = -log pi(x) up to a constant, given w."""


def gradient(x, w, data, g):
    """Write the gradient of U at x into g and return U."""


def record(x, w, U, data, row):
    """Write the recorded columns of a state with energy U into `row`."""


def evaluate(x, w, data, g):
    """Return U at x, given w, and write its gradient into g if the method uses gradients."""


def gibbs(x, w, data, bits):
    """Draw w, the variables that no other update changes, given x."""


def renew(x, w, before, data, U, g):
    """Return U, and change g, for the new w, given w before."""


def scales(w, data, s):
    """Write the factors of the coordinates' stepsizes into s."""


def step(m, h, new):
    """Go on with a trajectory."""


def settle(m, taken, now, new):
    """Do what else a decision demands."""


def at(states, k, dim, turn):
    """Return the State of chain k."""
    return State(lane(states.x, k, dim), lane(states.p, k, dim), lane(states.g, k, dim), turn)


def stepsizes(h, s, k, dim):
    """Return the stepsizes of the coordinates of chain k: h[k] times its scales, or h[k] alone."""
    return lane(s, k, dim) if SCALED else repeat(h, k, dim)


def take(taken, now, new):
    """Copy the numbers of `new` to `now` if the proposal is taken."""
    for i in range(now.size):
        old, proposed = now[i], new[i]
        now[i] = proposed if taken else old


def drive(chains, data, settings, rule_settings, schedule, output):
    """Run the chains; return density and gradient evaluations and overflows of recorded groups.

    An overflow is a proposal whose energy is not finite.
    """
    chains, schedule, output = Chains(*chains), Schedule(*schedule), Output(*output)
    m, r = Numbers(*settings), RuleNumbers(*rule_settings)
    count = chains.v.shape[0]  # chains
    room = LANES if LANES > 1 else count  # places for chains
    dim = FIXED_DIM if FIXED_DIM > 0 else chains.x.size // room
    size, wide = dim * room, chains.w.size // room
    block = max(1, (NORMALS if LANES == 1 else BUFFER) // dim)  # updates per draw of normals
    bits, words = aligned(chains.bits), np.empty(SCRATCH, np.uint64)
    normals, signed = np.empty(block * size), np.zeros(block * room)
    arrays, numbers = np.zeros((8, size)), np.zeros((8, room))
    now = State(arrays[0], arrays[1], arrays[2], 0)
    new = State(arrays[3], arrays[4], arrays[5], 0)
    scale, s = arrays[6], arrays[7]
    u, U, U_new, dH = numbers[0], numbers[1], numbers[2], numbers[3]
    accepted, refused, overflowed, h = numbers[4], numbers[5], numbers[6], numbers[7]
    blocks = m.blocks if BLOCKS else 1
    every_v = np.zeros((chains.v.shape[1], room))
    w, w_before = chains.w, np.empty(chains.w.size)
    for j in range(size):  # not now.x[:] = chains.x: numba takes 2 s to compile that
        now.x[j], now.p[j] = chains.x[j], chains.p[j]
    for k in range(count):  # given an exact draw of x, Gibbs makes it one of (x, w)
        for i in range(chains.v.shape[1]):
            every_v[i, k] = chains.v[k, i]
        gibbs(lane(now.x, k, dim), lane(w, k, wide), data, stream(bits, k))
        scales(lane(w, k, wide), data, lane(scale, k, dim))
        U[k] = evaluate(lane(now.x, k, dim), lane(w, k, wide), data, lane(now.g, k, dim))
    h[:] = m.eta
    density, gradients, overflows = 0, 0, 0
    traced, since, used, longest, turn = 0, 0, block, 0, -1
    for k in range(count):
        longest = max(longest, output.first[k + 1] - output.first[k])
    for t in range(-schedule.burn_in, longest):
        refused[:] = 0.0
        overflowed[:] = 0.0
        scans = 0
        for _ in range(schedule.group):
            turn = turn + 1 if turn + 1 < blocks else 0
            v = every_v[turn % chains.v.shape[1]] if BLOCKS else every_v[0]
            if used == block:
                for k in range(count):
                    fill_normals(stream(bits, k), words, lane(normals, k, block * dim))
                    if r.uniforms:  # else nobody uses them
                        fill_signed(stream(bits, k), words, lane(signed, k, block))
                used = 0
            if m.varies:
                for k in range(count):
                    h[k] = vary(m, stream(bits, k))
            if SCALED:
                for k in range(count):
                    sizes, factors = lane(s, k, dim), lane(scale, k, dim)
                    for i in range(dim):
                        sizes[i] = h[k] * factors[i]
            for k in range(count):  # steps 1 and 2 of Section 4: refresh p, propose
                normal, sizes = drawn(normals, k, block, used, dim), stepsizes(h, s, k, dim)
                here, there = at(now, k, dim, turn), at(new, k, dim, turn)
                dH[k] = -(U[k] + propose(m, sizes, normal, here, there))
            if STEPS:
                for _ in range(m.L - 1):  # nobody uses these U, so the compiler drops them
                    for k in range(count):
                        x, g = lane(new.x, k, dim), lane(new.g, k, dim)
                        evaluate(x, lane(w, k, wide), data, g)
                    for k in range(count):
                        step(m, stepsizes(h, s, k, dim), at(new, k, dim, turn))
            for k in range(count):
                x, g = lane(new.x, k, dim), lane(new.g, k, dim)
                U_new[k] = evaluate(x, lane(w, k, wide), data, g)
            for k in range(count):
                sizes = stepsizes(h, s, k, dim)
                dH[k] += U_new[k] + finish(m, sizes, at(now, k, dim, turn), at(new, k, dim, turn))
            for k in range(count):  # step 3: u = |v| decides
                v[k] = move(r, v[k], lane(signed, k, block)[used], stream(bits, k))
            for k in range(count):  # strict, and not capped at 1; nan rejects
                u[k], ratio = abs(v[k]), exp(-dH[k])
                taken, rescaled = u[k] < ratio, rescale(r, v[k], ratio)
                v[k] = rescaled if taken else v[k]
                accepted[k] = 1.0 if taken else 0.0
                refused[k] += 0.0 if taken else 1.0
                overflowed[k] += 0.0 if abs(dH[k]) < math.inf else 1.0
                old, proposed = U[k], U_new[k]
                U[k] = proposed if taken else old
            if SETTLES:
                for k in range(count):  # step 4: p goes on, or is reversed
                    settle(m, accepted[k] > 0, at(now, k, dim, turn), at(new, k, dim, turn))
            for k in range(count):
                take(accepted[k] > 0, lane(now.x, k, dim), lane(new.x, k, dim))
            if GRADIENT:
                for k in range(count):
                    take(accepted[k] > 0, lane(now.g, k, dim), lane(new.g, k, dim))
            used += 1
            if t >= 0 and traced < output.trace.shape[1]:
                for k in range(output.trace.shape[0]):
                    output.trace[k, traced, 0], output.trace[k, traced, 1] = u[k], accepted[k]
                traced += 1
            since += 1
            if since == schedule.gibbs_every:  # a Gibbs scan; U and g depend on what it draws
                for j in range(w.size):
                    w_before[j] = w[j]
                for k in range(count):
                    gibbs(lane(now.x, k, dim), lane(w, k, wide), data, stream(bits, k))
                for k in range(count):
                    x, g, w_now = lane(now.x, k, dim), lane(now.g, k, dim), lane(w, k, wide)
                    scales(w_now, data, lane(scale, k, dim))
                    if RENEWS:
                        U[k] = renew(x, w_now, lane(w_before, k, wide), data, U[k], g)
                    else:
                        U[k] = evaluate(x, w_now, data, g)
                scans += 0 if RENEWS else 1
                since = 0
        for k in range(count):
            if 0 <= t < output.first[k + 1] - output.first[k]:
                row = output.first[k] + t
                record(lane(now.x, k, dim), lane(w, k, wide), U[k], data, output.rows[row])
                output.rejected[row] = refused[k]
                if output.draws.shape[0] > 0:
                    x = lane(now.x, k, dim)
                    for i in range(dim):
                        output.draws[row, i] = x[i]
                density += schedule.group + scans
                gradients += schedule.group * m.L + scans if GRADIENT else 0
                overflows += int(overflowed[k])
        output.watch[0] += 1
        if output.watch[1] != 0:
            break
    for j in range(size):
        chains.x[j], chains.p[j] = now.x[j], now.p[j]
    for k in range(count):
        for i in range(chains.v.shape[1]):
            chains.v[k, i] = every_v[i, k]
        for i in range(bits.shape[1]):
            chains.bits[k, i] = bits[k, i]
    return density, gradients, overflows
