"""Does an independent implementation agree? BlackJAX's generalised HMC at the paper's setting.

Runs Langevin with persistent momentum and non-reversible u on the 32-dimensional pairs with both,
compares rejection rates and autocorrelation times within errors, and prints ns per update of both
from the same run, interleaved. Needs the extra `peers`:

    pip install -e '.[peers]' && python benchmarks/peer_blackjax.py
"""

import argparse
import math
import time

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

from nrevu.autocorr import autocorrelation_time, rejection_rate
from nrevu.cell import Cell, Run, Schedule, U
from nrevu.chain import sample
from nrevu.distributions.pairs import Pairs
from nrevu.method import PersistentLangevin

jax.config.update("jax_enable_x64", True)

DISTRIBUTION = Pairs(32, 0.99)
METHOD = PersistentLangevin(stepsize=0.12, alpha=0.5, alpha_per="time", scaling=1 / 6)
DELTA, GROUP, LAG = 0.03, 31, 10


def peer(chains: int):
    """Return a function (key, groups) that runs the peer and returns energies and rejections."""
    correlation, scale = DISTRIBUTION.data()

    def log_density(x):
        a, b = x[: x.size // 2], x[x.size // 2 :]
        return -0.5 * scale * jnp.sum(a * a + b * b - 2 * correlation * a * b)

    cell = make_cell(chains, chains)
    eta, alpha = cell.derived["eta"], cell.derived["alpha"]
    kernel = blackjax.ghmc.build_kernel()
    settings = (log_density, eta, jnp.ones(32), 1 - alpha**2, DELTA)  # its alpha is 1 - alpha^2

    def group(state, key):
        def update(state, key):
            state, info = kernel(key, state, *settings)
            return state, info.is_accepted

        state, accepted = jax.lax.scan(update, state, jax.random.split(key, GROUP))
        return state, (-state.logdensity, GROUP - jnp.sum(accepted))

    def chain(key, x, groups):
        first, second = jax.random.split(key)
        state = blackjax.ghmc.init(x, log_density, rng_key=first)
        return jax.lax.scan(group, state, jax.random.split(second, groups))[1]

    run = jax.jit(jax.vmap(chain, in_axes=(0, 0, None)), static_argnums=2)

    def start(seed: int, groups: int):
        rng = np.random.default_rng(seed)
        x = jnp.array([DISTRIBUTION.draw(rng) for _ in range(chains)])
        energies, rejected = run(jax.random.split(jax.random.key(seed), chains), x, groups)
        return np.asarray(energies.block_until_ready()), np.asarray(rejected)

    return start


def make_cell(groups: int, chains: int) -> Cell:
    """Return the same experiment as a cell."""
    return Cell(DISTRIBUTION, METHOD, U(DELTA), Schedule(GROUP), Run(groups, 0, chains), seed=1)


def report(name: str, tau, rate) -> None:
    """Print what one of them found."""
    print(f"{name:10} tau log_prob {tau.value:.4f} ± {tau.se:.4f}", end="   ")
    print(f"rejection rate {rate.value:.5f} ± {rate.se:.5f}")


def agreement(groups: int) -> None:
    """Compare the two over as many recorded groups."""
    chains = 1024
    length = groups // chains
    energies, rejected = peer(chains)(2, length)
    lengths = [length] * chains
    mean = DISTRIBUTION.means()["log_prob"]
    theirs = autocorrelation_time(energies.ravel(), lengths, mean, LAG)
    their_rate = rejection_rate(rejected.ravel(), lengths, GROUP)
    cell = make_cell(length * chains, chains)
    series = sample(cell)
    ours = autocorrelation_time(series.rows[:, 1], series.lengths, mean, LAG)
    our_rate = rejection_rate(series.rejected, series.lengths, GROUP)
    report("BlackJAX", theirs, their_rate)
    report("nrevu", ours, our_rate)
    for what, a, b in (("tau", ours, theirs), ("rejection rate", our_rate, their_rate)):
        print(f"{what}: {(a.value - b.value) / math.hypot(a.se, b.se):+.2f} standard errors apart")


def speed(rounds: int) -> None:
    """Print ns per update of both, the best of some interleaved rounds."""
    runs = {chains: peer(chains) for chains in (1, 1024)}
    groups = {1: 2000, 1024: 20}
    best = dict.fromkeys(["nrevu", "BlackJAX, 1 chain", "BlackJAX, 1024 chains"], math.inf)
    cell = make_cell(20_000, 40)
    for round in range(rounds + 1):  # the first, which compiles, does not count
        timings = {"nrevu": sample(cell).cpu_seconds / cell.updates}
        for chains, run in runs.items():
            started = time.process_time()
            run(3, groups[chains])
            name = f"BlackJAX, {chains} chain" + ("s" if chains > 1 else "")
            spent = time.process_time() - started
            timings[name] = spent / (chains * groups[chains] * GROUP)
        if round > 0:
            best = {name: min(best[name], seconds) for name, seconds in timings.items()}
    for name, seconds in best.items():
        print(
            f"{name:24} {seconds * 1e9:8.0f} ns per update, {seconds / best['nrevu']:6.1f} x nrevu"
        )


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--groups", type=int, default=204_800, help="recorded groups of each")
    words.add_argument("--rounds", type=int, default=5, help="of timing")
    args = words.parse_args()
    agreement(args.groups)
    speed(args.rounds)
