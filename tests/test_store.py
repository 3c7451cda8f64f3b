"""The store: what is written comes back, and what is damaged is seen."""

import dataclasses
import os
import socket

import numpy as np
import pytest

from nrevu import store
from nrevu.cell import Cell, Run, Schedule, U
from nrevu.distributions.gaussian import Gaussian
from nrevu.method import Metropolis
from nrevu.series import Series

CELL = Cell(Gaussian(2), Metropolis(2.0, 0.5), U(0.3), Schedule(4), Run(600, 0, 3), seed=1)


@pytest.fixture
def kept(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((600, 2)).astype(np.float32)
    rejected = rng.integers(0, 5, 600).astype(np.uint8)
    lengths = tuple(CELL.run.lengths())
    series = Series(("coordinate", "log_prob"), rows, rejected, lengths, 2400, 0, 3, 0.5)
    path = store.write(tmp_path, CELL, series, {"nrevu": "test"})
    return tmp_path, path, series


def test_round_trip(kept):
    folder, path, series = kept
    found, meta = store.read(folder, CELL)
    assert found.rows.tobytes() == series.rows.tobytes()
    assert found.rejected.tobytes() == series.rejected.tobytes()
    assert dataclasses.replace(found, rows=None, rejected=None) == dataclasses.replace(
        series, rows=None, rejected=None
    )
    assert meta["config"]["method"]["stepsize"] == 2.0 and meta["provenance"] == {"nrevu": "test"}
    assert meta["derived"]["eta"] == pytest.approx(2 / 2**0.5)
    assert list(folder.iterdir()) == [path]  # nothing temporary is left


def test_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        store.read(tmp_path, CELL)


@pytest.mark.parametrize("where", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_flipped_bit_is_seen(kept, where):
    folder, path, _ = kept
    content = bytearray(path.read_bytes())
    content[int(where * len(content))] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(store.Damaged, match=path.name):
        store.read(folder, CELL)


@pytest.mark.parametrize("left", [0, 1, 100, 3000])
def test_a_truncated_file_is_seen(kept, left):
    folder, path, _ = kept
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(store.Damaged, match=path.name):
        store.read(folder, CELL)


def test_a_foreign_file_is_seen(kept):
    folder, path, _ = kept
    other = dataclasses.replace(CELL, seed=2)
    path.rename(store.path_of(folder, other.digest))
    with pytest.raises(store.Damaged, match="holds another cell"):
        store.read(folder, other)


def test_leftovers_of_dead_processes_are_removed(tmp_path):
    host = socket.gethostname()
    mine = tmp_path / f"aa.{host}.{os.getpid()}.tmp"
    dead = tmp_path / f"bb.{host}.999999999.tmp"
    elsewhere = tmp_path / "cc.another-machine.1.tmp"
    for path in (mine, dead, elsewhere):
        path.touch()
    store.remove_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, elsewhere])
