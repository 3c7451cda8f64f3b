"""The same updates in BlackJAX, in float64: the speed of a library compiled by JAX.

In: a cell and a number of chains. Out: as from `in_numpy`, a function of a number of groups. Its
Metropolis, MALA and HMC draw a new u each time; its generalised HMC keeps u and moves it as
equation 1 does. BlackJAX has no Gibbs sampling; that runs between its updates. Needs the extra
`peers`.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from blackjax.mcmc import random_walk

from nrevu.cells.cell import Cell
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.standard import Standard

jax.config.update("jax_enable_x64", True)


def with_its_u(cell: Cell) -> Cell:
    """Return a cell with the u that BlackJAX has: only its generalised HMC keeps it."""
    keeps = isinstance(cell.method, PersistentLangevin)
    return cell if keeps else dataclasses.replace(cell, u=Standard())


def log_density(distribution: Any) -> Callable:
    """Return a function of (x, w) for one of nrevu's distributions, without constants."""
    data = distribution.data()

    def gaussian(x, w):
        return -0.5 * jnp.sum(x * x)

    def pairs(x, w):
        correlation, scale = data
        a, b = x[: x.size // 2], x[x.size // 2 :]
        return -0.5 * scale * jnp.sum(a * a + b * b - 2 * correlation * a * b)

    def mixed(x, w):
        number, precision = data
        square = 0.5 * (x[0] ** 2 + precision * (x[1] - x[0]) ** 2)
        return (number - w) * x[0] - square - number * jax.nn.softplus(x[0])

    known = {"Gaussian": gaussian, "Pairs": pairs, "Mixed": mixed}
    return known[type(distribution).__name__]


def algorithm(cell: Cell) -> tuple[Callable, Callable]:
    """Return what starts a chain (x, log density, key) and what updates it."""
    dim, method = cell.distribution.dim, cell.method
    numbers = {"alpha": 0.0, "jitter": 0.0} | cell.sampler.settings
    eta, alpha, L, jitter = (numbers[name] for name in ("eta", "alpha", "L", "jitter"))
    ones = jnp.ones(dim)

    def trajectory(key, state, density):
        first, second = jax.random.split(key)
        each = eta / jnp.sqrt(jax.random.gamma(first, jitter / 2) / (jitter / 2))
        return hmc(second, state, density, each if jitter else eta, ones, L)

    if isinstance(method, Metropolis):
        walk, draw = random_walk.build_additive_step(), random_walk.normal(eta * ones)
        return plain(random_walk.init), lambda key, s, density: walk(key, s, density, draw)
    if isinstance(method, Langevin):
        mala = blackjax.mala.build_kernel()
        return plain(blackjax.mala.init), lambda key, s, density: mala(key, s, density, eta**2 / 2)
    if isinstance(method, HMC):
        hmc = blackjax.hmc.build_kernel()
        return plain(blackjax.hmc.init), trajectory
    ghmc, share = blackjax.ghmc.build_kernel(), 1 - alpha**2  # which is what it calls alpha
    return blackjax.ghmc.init, lambda key, s, density: ghmc(
        key, s, density, eta, ones, share, cell.u.delta
    )


def plain(init: Callable) -> Callable:
    """Return an `init` that takes a key, which it does not need."""
    return lambda x, density, key: init(x, density)


def redraw(distribution: Any, key, state):
    """Return the number of ones after a Gibbs scan, and the state with its density and slope."""
    density, x = log_density(distribution), state.position
    chance = 1 / (1 + jnp.exp(x[0]))
    w = jnp.sum(jax.random.uniform(key, (distribution.binaries,)) < chance).astype(x.dtype)
    value, slope = jax.value_and_grad(density)(x, w)
    return w, state._replace(logdensity=value, logdensity_grad=slope)


def group_of(cell: Cell) -> Callable:
    """Return a function that does the updates, and the scans, of a group of one chain."""
    density, update = log_density(cell.distribution), algorithm(cell)[1]
    every = cell.schedule.gibbs_every
    parts = cell.schedule.group // every if every else 1
    keep = "coordinate" in getattr(cell.distribution, "recorded", ())

    def updates(carry, keys):
        def once(state, key):
            state, info = update(key, state, lambda x: density(x, carry[0]))
            return state, info.is_accepted

        state, accepted = jax.lax.scan(once, carry[1], keys[1:])
        carry = redraw(cell.distribution, keys[0], state) if every else (carry[0], state)
        return carry, jnp.sum(accepted)

    def group(carry, key):
        keys = jax.random.split(key, (parts, 1 + cell.schedule.group // parts))
        carry, accepted = jax.lax.scan(updates, carry, keys)
        value = carry[1].position[0] if keep else -carry[1].logdensity
        return carry, (value, cell.schedule.group - jnp.sum(accepted))

    return group


def advance(cell: Cell, chains: int, seed: int = 1) -> Callable:
    """Return the function that runs some groups of a cell."""
    density, start, group = log_density(cell.distribution), algorithm(cell)[0], group_of(cell)

    def begin(x, key):
        w = jnp.zeros(())
        state = start(x, lambda x: density(x, w), key)
        return redraw(cell.distribution, key, state) if cell.schedule.gibbs_every else (w, state)

    def chain(carry, key, groups):
        return jax.lax.scan(group, carry, jax.random.split(key, groups))

    def all_chains(key, carry, groups):
        key, own = jax.random.split(key)
        keys = jax.random.split(own, chains)
        return key, *jax.vmap(chain, in_axes=(0, 0, None))(carry, keys, groups)

    go_on = jax.jit(all_chains, static_argnums=2)
    rng, key = np.random.default_rng(seed), jax.random.key(seed)
    x = jnp.array([cell.distribution.draw(rng) for _ in range(chains)])
    carry = jax.jit(jax.vmap(begin))(x, jax.random.split(jax.random.fold_in(key, 1), chains))

    def run(groups: int) -> tuple[np.ndarray, np.ndarray]:
        nonlocal key, carry
        key, carry, recorded = go_on(key, carry, groups)
        return tuple(np.asarray(part).T for part in recorded)

    return run
