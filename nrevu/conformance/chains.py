"""Runs many short chains from given points with the kernels, for the checks of invariance."""

from dataclasses import dataclass

import numpy as np

from nrevu.cells.chains import NO_TRACE, deinterleave, interleave
from nrevu.conformance.subject import Subject
from nrevu.conformance.timing import affordable
from nrevu.core.binding import bind_kernel, chains_at_once
from nrevu.core.contracts import part

BUDGET = 2.0  # seconds of sampling, about
EVALUATIONS = 1600  # of each chain, at most
FEWEST = 128  # chains
STEPS = 10  # leapfrog steps of a trajectory; jitter keeps them from being periodic
PILOTS = 64  # chains, at most, to choose the stepsize
LARGEST = {"metropolis": 0.6, "hamiltonian": 0.3}  # rejection rates to accept


@dataclass(frozen=True)
class Ends:
    """The first and last states of chains."""

    x: tuple[np.ndarray, np.ndarray]  # (chains, dim) each
    w: tuple[np.ndarray, np.ndarray]  # (chains, gibbs_variables) each
    rows: tuple[np.ndarray, np.ndarray]  # (chains, recorded columns) each
    rejected: float  # rate

    @property
    def correlation(self) -> float:
        """Return the largest correlation of a coordinate with itself at the other end."""
        a, b = (x - x.mean(axis=0) for x in self.x)
        with np.errstate(invalid="ignore", divide="ignore"):
            each = (a * b).sum(axis=0) / np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
        return float(np.nan_to_num(each, nan=1.0).max())


@dataclass(frozen=True)
class Settings:
    """How chains are run."""

    arguments: tuple  # the update's numbers, the stepsize first
    group: int  # updates of each chain
    chains: int


def settings(s: Subject, update: str, x: np.ndarray) -> Settings:
    """Return a stepsize with few enough rejections, and as many chains as time allows."""
    eta = 2.0 if "scales" in s.functions else 2.0 * float(s.spread.max())
    cost = s.cost["gradient" if update == "hamiltonian" else "energy"]
    cost += 1e-7 * (1 + s.w.shape[1]) + 5e-9 * x.shape[1]  # the rest of an update
    evaluations = affordable(BUDGET, 8 * FEWEST * cost, 40, EVALUATIONS)
    chains = affordable(BUDGET, evaluations * cost, FEWEST, len(x))
    pilots = x[: affordable(0.5, 4 * STEPS * cost, 16, PILOTS)]
    for _ in range(40):
        rate = run(s, update, pilots, numbers(update, eta), 4, "pilot").rejected
        if rate < LARGEST[update]:
            break
        eta /= 2
    group = evaluations // (STEPS if update == "hamiltonian" else 1)
    return Settings(numbers(update, eta), group, chains)


def numbers(update: str, eta: float) -> tuple:
    """Return the numbers that an update's kernel takes."""
    return (eta,) if update == "metropolis" else (eta, 0.0, STEPS, 30.0)


def run(s: Subject, update: str, x: np.ndarray, arguments: tuple, group: int, name: str) -> Ends:
    """Advance chains from x (chains, dim) by a group of updates with fresh u, and Gibbs scans."""
    kind, chains = type(s.distribution), len(x)
    kernel, lanes = bind_kernel(update, kind), part(kind, "lanes")
    width = chains_at_once(s.distribution)
    rng = s.rng(name)
    p, v = rng.standard_normal(x.shape), rng.uniform(-1, 1, chains)
    bits = s.bits(f"{name} bits", chains)
    before = first_scan(s, x, bits)
    x_end, w_end = np.empty_like(x), np.empty_like(before)
    rows = np.zeros((chains, len(part(s.distribution, "recorded"))), np.float32)
    rejected = np.empty(chains, np.uint32)
    every = 1 if "gibbs" in s.functions else 0
    for first in range(0, chains, width):
        some = slice(first, first + width)
        count = len(x[some])
        w = np.zeros((count, before.shape[1]))
        flat, momentum, w = (interleave(each, lanes) for each in (x[some], p[some], w))
        kernel(
            flat, momentum, v[some].copy(), w, bits[some].copy(), s.data, *arguments, 0.0, 1.0,
            group, every, 0, np.arange(count + 1), rows[some], rejected[some], NO_TRACE,
        )  # fmt: skip
        x_end[some], w_end[some] = (deinterleave(each, lanes, count) for each in (flat, w))
    both = (record_all(s, x, before), rows)
    return Ends((x, x_end), (before, w_end), both, float(rejected.mean() / group))


def first_scan(s: Subject, x: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Return the w (chains, gibbs_variables) that a kernel draws before its first update."""
    w = np.zeros((len(x), s.w.shape[1]))
    for point, drawn, stream in zip(x, w, bits, strict=True) if "gibbs" in s.functions else ():
        s.functions["gibbs"](point, drawn, s.data, stream.copy())
    return w


def record_all(s: Subject, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the recorded rows (chains, columns) of states."""
    rows = np.zeros((len(x), len(part(s.distribution, "recorded"))), np.float32)
    for *state, row in zip(x, w, rows, strict=True):
        s.functions["record"](*state, s.energy(*state), s.data, row)
    return rows


def gaps(s: Subject, ends: Ends) -> dict[str, np.ndarray]:
    """Return the differences of each mean and variance between the ends, chain by chain."""
    names = list(part(s.distribution, "means")())
    columns = [np.asarray(part(s.distribution, "derive")(rows), float) for rows in ends.rows]
    energies = [
        np.array([[s.energy(*state)] for state in zip(x, w, strict=True)])
        for x, w in zip(ends.x, ends.w, strict=True)
    ]
    names += ["U", *(f"x[{i}]" for i in range(ends.x[0].shape[1]))]
    names += [f"w[{i}]" for i in range(ends.w[0].shape[1])]
    old, new = (
        np.concatenate(parts, axis=1)
        for parts in zip(columns, energies, ends.x, ends.w, strict=True)
    )
    middle = old.mean(axis=0)
    found = {}
    for column, name in enumerate(names):
        a, b = old[:, column] - middle[column], new[:, column] - middle[column]
        found[f"mean of {name}"] = b - a
        found[f"variance of {name}"] = b * b - a * a
    return found
