"""The same updates in numpy, vectorised over chains: the speed without a compiler.

In: a cell and a number of chains. Out: a function of a number of groups, which continues where it
stopped and returns the recorded values and the numbers of rejected updates, (groups, chains).
float64, SFC64 (numpy's fastest generator), preallocated arrays; after a decision, whichever
states are fewer are copied.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.numpy_densities import Density, density
from nrevu.cells.cell import Cell
from nrevu.methods.metropolis import Metropolis
from nrevu.u.standard import Standard

Advance = Callable[[int], tuple[np.ndarray, np.ndarray]]


@dataclass
class State:
    """Where chains are: x, p and the gradient g (dim, chains), the energy U (chains)."""

    x: np.ndarray
    p: np.ndarray
    g: np.ndarray
    U: np.ndarray


def advance(cell: Cell, chains: int, seed: int = 1) -> Advance:
    """Return the function that runs some groups of a cell."""
    rng = np.random.Generator(np.random.SFC64(seed))
    x = np.array([cell.distribution.draw(rng) for _ in range(chains)])
    build = metropolis if isinstance(cell.method, Metropolis) else hamiltonian
    update, scan, value = build(cell, x, rng)
    group, every = cell.schedule.group, cell.schedule.gibbs_every

    def run(groups: int) -> tuple[np.ndarray, np.ndarray]:
        recorded, rejected = np.empty((groups, chains)), np.zeros((groups, chains), np.int32)
        with np.errstate(over="ignore"):  # exp of an energy that falls by 710: surely accepted
            for t in range(groups):
                for number in range(1, group + 1):
                    np.subtract(rejected[t], update(), out=rejected[t], dtype=np.int32)
                    if every and number % every == 0:
                        scan()
                recorded[t] = value()
        return recorded, rejected + group

    return run


def deciding(cell: Cell, chains: int, rng: np.random.Generator) -> Callable:
    """Return a function of dH that decides which to accept: equations 1 and 2, or by a new u."""
    v, ratio, accepted = rng.uniform(-1, 1, chains), np.empty(chains), np.empty(chains, bool)
    size = np.empty(chains)

    def fresh(dH: np.ndarray) -> np.ndarray:
        np.exp(np.negative(dH, out=ratio), out=ratio)
        return np.less(rng.random(out=v), ratio, out=accepted)

    def moved(dH: np.ndarray) -> np.ndarray:
        np.add(v, cell.u.delta, out=v)
        np.rint(np.multiply(v, 0.5, out=size), out=size)
        np.subtract(v, np.multiply(size, 2.0, out=size), out=v)
        np.exp(np.negative(dH, out=ratio), out=ratio)
        np.less(np.abs(v, out=size), ratio, out=accepted)
        np.divide(v, ratio, out=v, where=accepted)
        return accepted

    return fresh if cell.u == Standard() else moved


def metropolis(cell: Cell, x: np.ndarray, rng: np.random.Generator) -> tuple:
    """Return functions for an update of a standard Gaussian, a scan and the recorded values.

    Here x is (chains, dim): few proposals are accepted, and a chain's is copied in one piece.
    """
    eta = cell.sampler.settings["eta"]
    x_new, chains = np.empty_like(x), len(x)
    U, U_new, dH = 0.5 * np.einsum("ij,ij->i", x, x), np.empty(chains), np.empty(chains)
    decide = deciding(cell, chains, rng)

    def update() -> np.ndarray:
        np.multiply(rng.standard_normal(out=x_new), eta, out=x_new)
        np.add(x, x_new, out=x_new)
        np.multiply(np.einsum("ij,ij->i", x_new, x_new, out=U_new), 0.5, out=U_new)
        accepted = decide(np.subtract(U_new, U, out=dH))
        moved = np.flatnonzero(accepted)
        x[moved] = x_new[moved]
        U[moved] = U_new[moved]
        return accepted

    return update, None, lambda: U


def hamiltonian(cell: Cell, x: np.ndarray, rng: np.random.Generator) -> tuple:
    """Return functions for an update, Section 4 steps 1 to 4, a scan and the recorded values."""
    numbers = cell.sampler.settings
    eta, alpha, L, jitter = (numbers[name] for name in ("eta", "alpha", "L", "jitter"))
    chains, own = len(x), density(cell.distribution, len(x), rng)
    now, new = (State(*np.zeros((3, *x.T.shape)), np.zeros(chains)) for _ in range(2))
    w, scratch, dH = np.zeros(chains), np.empty_like(now.x), np.empty(chains)
    now.x[:] = x.T
    rng.standard_normal(out=now.p)
    own.slope(now.x, w, now.g)
    own.energy(now.x, w, now.g, now.U)
    decide = deciding(cell, chains, rng)
    scan = (lambda: own.redraw(now.x, w, now.g, now.U)) if own.redraw else None
    if scan:
        scan()

    def update() -> np.ndarray:
        h = eta / np.sqrt(rng.standard_gamma(jitter / 2, chains) / (jitter / 2)) if jitter else eta
        refresh(now.p, alpha, rng, scratch)
        np.einsum("ij,ij->j", now.p, now.p, out=dH)
        leap(now, new, own, w, h, L, scratch)
        np.subtract(np.einsum("ij,ij->j", new.p, new.p), dH, out=dH)
        np.add(np.multiply(dH, 0.5, out=dH), new.U, out=dH)
        accepted = decide(np.subtract(dH, now.U, out=dH))
        settle(now, new, accepted, alpha != 0)
        return accepted

    return update, scan, lambda: now.x[0] if own.redraw else now.U


def refresh(p: np.ndarray, alpha: float, rng: np.random.Generator, scratch: np.ndarray) -> None:
    """Mix fresh noise into p: step 1."""
    if alpha == 0:
        rng.standard_normal(out=p)
        return
    np.multiply(rng.standard_normal(out=scratch), np.sqrt(1 - alpha**2), out=scratch)
    np.add(np.multiply(p, alpha, out=p), scratch, out=p)


def leap(now: State, new: State, own: Density, w, h, L: int, scratch: np.ndarray) -> None:
    """Do L leapfrog steps from now to new: step 2. The stepsize h is one, or one per chain."""
    half = 0.5 * h
    np.subtract(now.p, np.multiply(now.g, half, out=scratch), out=new.p)
    np.add(now.x, np.multiply(new.p, h, out=scratch), out=new.x)
    own.slope(new.x, w, new.g)
    for _ in range(L - 1):
        np.subtract(new.p, np.multiply(new.g, h, out=scratch), out=new.p)
        np.add(new.x, np.multiply(new.p, h, out=scratch), out=new.x)
        own.slope(new.x, w, new.g)
    np.subtract(new.p, np.multiply(new.g, half, out=scratch), out=new.p)
    own.energy(new.x, w, new.g, new.U)


def settle(now: State, new: State, accepted: np.ndarray, persists: bool) -> None:
    """Put the chains that stay, their p reversed, into new, and exchange the two: step 4."""
    stay = np.flatnonzero(~accepted)
    new.x[:, stay] = now.x[:, stay]
    if persists:
        new.p[:, stay] = -now.p[:, stay]
    new.g[:, stay] = now.g[:, stay]
    new.U[stay] = now.U[stay]
    for name in vars(now):
        mine, other = getattr(now, name), getattr(new, name)
        setattr(now, name, other)
        setattr(new, name, mine)
