"""Gradients and energies of a row of chains in numpy, and Gibbs sampling if there is any.

In: a distribution and a number of chains. Out: a Density, whose functions take x (dim, chains) and
w (chains), and write into arrays that are arguments or preallocated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Density:
    """What an update in numpy needs to know of a distribution."""

    slope: Callable  # (x, w, g): writes the gradient of U
    energy: Callable  # (x, w, g, U): writes U, given the gradient
    redraw: Callable | None = None  # (x, w, g, U): a Gibbs scan, which changes w, g and U


def density(distribution: Any, chains: int, rng: np.random.Generator) -> Density:
    """Return the functions of one of nrevu's distributions."""
    build = {"Gaussian": gaussian, "Pairs": pairs, "Mixed": mixed}[type(distribution).__name__]
    return build(distribution, chains, rng)


def half_product(x, w, g, U):
    """Write U of a Gaussian with mean zero, which is half of x times its gradient."""
    np.multiply(np.einsum("ij,ij->j", x, g, out=U), 0.5, out=U)


def gaussian(distribution: Any, chains: int, rng: np.random.Generator) -> Density:
    """Return the functions of a standard Gaussian."""
    return Density(lambda x, w, g: np.copyto(g, x), half_product)


def pairs(distribution: Any, chains: int, rng: np.random.Generator) -> Density:
    """Return the functions of correlated pairs, their members in two halves."""
    correlation, scale = distribution.data()
    half = distribution.dim // 2

    def slope(x, w, g):
        np.multiply(x[half:], correlation, out=g[:half])
        np.multiply(x[:half], correlation, out=g[half:])
        np.multiply(np.subtract(x, g, out=g), scale, out=g)

    return Density(slope, half_product)


def mixed(distribution: Any, chains: int, rng: np.random.Generator) -> Density:
    """Return the functions of the mixed problem; w is how many binaries are 1."""
    number, precision = distribution.data()
    gap, part, above = np.empty(chains), np.empty(chains), np.empty(chains)
    uniforms = np.empty((distribution.binaries, chains))
    below, ones = np.empty(uniforms.shape, bool), np.empty(chains)

    def slope(x, w, g):
        np.multiply(np.subtract(x[1], x[0], out=gap), precision, out=g[1])
        np.add(np.exp(x[0], out=above), 1.0, out=above)  # x[0] is far below 700
        np.divide(-number, above, out=part)
        np.subtract(np.add(x[0], part, out=g[0]), g[1], out=g[0])
        np.add(g[0], w, out=g[0])

    def energy(x, w, g, U):  # right after the slope, whose 1 + exp(x[0]) it uses
        np.multiply(gap, g[1], out=U)
        np.add(U, np.multiply(x[0], x[0], out=part), out=U)
        np.multiply(np.log(above, out=part), number, out=part)
        np.add(np.multiply(U, 0.5, out=U), part, out=U)
        np.multiply(np.subtract(number, w, out=part), x[0], out=part)
        np.subtract(U, part, out=U)

    def redraw(x, w, g, U):
        np.divide(1.0, np.add(np.exp(x[0], out=above), 1.0, out=above), out=part)
        np.less(rng.random(out=uniforms), part, out=below)
        np.sum(below, axis=0, out=ones)
        np.subtract(ones, w, out=part)
        np.add(g[0], part, out=g[0])
        np.add(U, np.multiply(part, x[0], out=part), out=U)
        w[:] = ones

    return Density(slope, energy, redraw)
