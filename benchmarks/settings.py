"""The settings whose speed is compared, one cell each, as in the paper.

The key of a setting is also the name of the paper's program for it: see `programs`.
"""

import dataclasses
from dataclasses import dataclass

from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.mixed import Mixed
from nrevu.distributions.pairs import Pairs
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

CHAINS = 1024  # that numpy and BlackJAX run side by side
PAIRS, MIXED, GAUSSIAN = Pairs(32, 0.99), Mixed(20, 0.04), Gaussian(40)
PERSISTENT = PersistentLangevin(0.12, 0.5, "time", 1 / 6)


@dataclass(frozen=True)
class Setting:
    """A cell to run, and what to call it."""

    key: str  # in JSON, and the name of the paper's program
    title: str  # for people
    cell: Cell

    @property
    def steps(self) -> int:
        """Return the leapfrog steps of an update, 0 for Metropolis."""
        sampler = self.cell.sampler
        return sampler.settings["L"] if sampler.uses_gradient else 0


def setting(key: str, title: str, *parts) -> Setting:
    """Return a setting of a distribution, a method, a u and a schedule."""
    return Setting(key, title, Cell(*parts, Run(2000, 0, 1), seed=1))


SETTINGS = (
    setting(
        *("metropolis40", "Metropolis, 40-D Gaussian"),
        *(GAUSSIAN, Metropolis(1.8, 0.5), Nonreversible(0.3), Schedule(40)),
    ),
    setting(
        *("langevin40", "Langevin, 40-D Gaussian"),
        *(GAUSSIAN, Langevin(1.5, 1 / 6), Nonreversible(0.7), Schedule(40)),
    ),
    setting(
        *("persistent32", "persistent Langevin, 32-D pairs"),
        *(PAIRS, PERSISTENT, Nonreversible(0.03), Schedule(31)),
    ),
    setting(
        *("hmc32", "HMC with L = 16, 32-D pairs"),
        *(PAIRS, HMC(0.07, 16, 0.0, 30.0), Standard(), Schedule(2)),
    ),
    setting(
        *("mixed_persistent", "persistent Langevin, mixed"),
        *(MIXED, PersistentLangevin(0.03, 0.995, "update"), Nonreversible(0.01), Schedule(60, 10)),
    ),
    setting(
        *("mixed_hmc", "HMC with L = 40, mixed"),
        *(MIXED, HMC(0.035, 40, 0.0, 10.0), Standard(), Schedule(3, 1)),
    ),
)


def of_length(cell: Cell, groups: int, chains: int) -> Cell:
    """Return a cell with another number of recorded groups, over all chains together."""
    return dataclasses.replace(cell, run=Run(groups, 0, chains))
