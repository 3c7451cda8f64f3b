"""Chains: results depend on the cell alone. Their bits are held by the reference run."""

import dataclasses

import numpy as np
import pytest

from nrevu.cells import chains as running
from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.cells.chains import sample, trace
from nrevu.core import binding
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.mixed import Mixed
from nrevu.distributions.network import Network
from nrevu.distributions.pairs import Pairs
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

Alone = type("Alone", (Mixed,), {"lanes": 1, "__module__": Mixed.__module__})
CELL = Cell(
    Gaussian(5), Metropolis(2.0, 0.5), Nonreversible(0.3), Schedule(4), Run(50, 3, 6), seed=1
)


OTHERS = {
    "persistent Langevin": Cell(
        Pairs(6, 0.9),
        PersistentLangevin(0.4, 0.5, "time"),
        Nonreversible(0.1, 0.02),
        Schedule(3),
        Run(8, 2, 2),
        1,
    ),
    "HMC with jitter": Cell(
        Pairs(6, 0.9), HMC(0.3, 5, 0.0, 10.0), Standard(), Schedule(2), Run(8, 2, 2), 1
    ),
    "Langevin": Cell(
        Gaussian(7), Langevin(1.2, 0.2), Nonreversible(0.7), Schedule(2), Run(8, 2, 2), 1
    ),
    "mixed by Metropolis": Cell(
        Mixed(20, 0.1), Metropolis(0.2), Nonreversible(0.1), Schedule(4, 2), Run(8, 2, 2), 1
    ),
    "network": Cell(
        Network(3, 20, 1, 1, 5, 4.0, 0.5),
        PersistentLangevin(0.5, 0.9, "update"),
        Nonreversible(0.1),
        Schedule(4, 2),
        Run(8, 2, 2),
        1,
    ),
    "mixed": Cell(
        Mixed(20, 0.1),
        PersistentLangevin(0.1, 0.9, "update"),
        Nonreversible(0.1),
        Schedule(4, 2),
        Run(8, 2, 2),
        1,
    ),
}


def test_shapes_and_counts():
    series = sample(CELL)
    assert series.columns == ("coordinate", "log_prob")
    assert series.rows.shape == (50, 2) and series.rejected.shape == (50,)
    assert series.lengths == (9, 9, 8, 8, 8, 8)
    assert series.density == 50 * 4 and series.gradient == 0
    assert series.rejected.dtype == np.uint8 and series.rejected.max() <= 4
    assert np.all(np.isfinite(series.rows)) and np.all(series.rows[:, 1] > 0)


def test_a_cell_gives_the_same_bits_every_time_and_others_differ():
    first = sample(CELL)
    sample(dataclasses.replace(CELL, seed=3))
    again = sample(CELL)
    assert first.rows.tobytes() == again.rows.tobytes()
    assert first.rejected.tobytes() == again.rejected.tobytes()
    other = sample(dataclasses.replace(CELL, seed=2))
    assert first.rows.tobytes() != other.rows.tobytes()


FIXED = dataclasses.replace(OTHERS["mixed"], distribution=Alone(20, 0.1))


@pytest.mark.parametrize("name", [*OTHERS, "fixed dim"])
def test_a_chain_is_the_same_whoever_runs_beside_it(name, monkeypatch):
    """In lengths, starts, streams and roundings: one chain at a time, or some, or all of them."""
    cell = dataclasses.replace({**OTHERS, "fixed dim": FIXED}[name], run=Run(35, 2, 11))
    some = sample(cell)
    for at_once in (1, 4, 11):
        monkeypatch.setattr(running, "chains_at_once", lambda distribution, n=at_once: n)
        others = sample(cell)
        assert others.rows.tobytes() == some.rows.tobytes()
        assert others.rejected.tobytes() == some.rejected.tobytes()
        assert (others.density, others.gradient) == (some.density, some.gradient)


def test_chains_are_independent_streams():
    rows = sample(dataclasses.replace(CELL, run=Run(60, 0, 6))).rows.reshape(6, 10, 2)
    assert len({chain.tobytes() for chain in rows}) == 6


@pytest.mark.parametrize("group, kind", [(255, np.uint8), (256, np.uint16), (70_000, np.uint32)])
def test_counts_fit_their_type(group, kind):
    # A stepsize this large is always rejected, so that every count is the whole group.
    always = dataclasses.replace(CELL, method=Metropolis(1e6, 0.0), schedule=Schedule(group))
    series = sample(dataclasses.replace(always, run=Run(2, 0, 1)))
    assert series.rejected.dtype == kind and series.rejected.tolist() == [group, group]


@pytest.mark.parametrize("dim", [1, 3, 2048, 5000])
def test_any_dimension(dim):
    cell = dataclasses.replace(CELL, distribution=Gaussian(dim), run=Run(200, 0, 20))
    series = sample(cell)
    # The mean energy is dim / 2 with variance dim / 2 over 20 chains of correlated rows.
    assert abs(series.rows[:, 1].mean() - dim / 2) < 6 * (dim / 2 / 20) ** 0.5


@pytest.mark.parametrize("chains", [1, 5, 40, 70])
def test_chains_side_by_side(chains):
    """However many lanes a chain shares the kernel with, it starts and is traced as itself."""
    mixed = dataclasses.replace(OTHERS["mixed"], run=Run(3 * chains + 1, 1, chains))
    series = sample(mixed)
    assert series.gradient == (3 * chains + 1) * 4 and len({*series.rows[:, 0]}) > 2 * chains
    ends = np.cumsum([0, *series.lengths])
    for chain, (rows, decisions) in enumerate(trace(mixed)):
        part = slice(ends[chain], ends[chain + 1])
        assert rows.tobytes() == series.rows[part].tobytes()
        refused = (1 - decisions[:, 1]).reshape(-1, 4).sum(axis=1)
        assert refused.tolist() == series.rejected[part].tolist()


def test_a_cached_kernel_belongs_to_one_type_of_counts_and_one_target(monkeypatch):
    """Numba numbers the files of a function's variants, and two writers may use one number."""
    names = {binding.bind_kernel.__wrapped__(CELL.sampler, c).drive.__name__ for c in ("u1", "u2")}
    monkeypatch.setattr(binding, "target_hash", lambda: "other")
    names |= {binding.bind_kernel.__wrapped__(CELL.sampler, "u1").drive.__name__}
    assert len(names) == 3
