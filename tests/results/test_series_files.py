"""The store: what is written comes back, and what is damaged is seen."""

import dataclasses

import numpy as np
import pytest

from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.cells.series import Series
from nrevu.distributions.gaussian import Gaussian
from nrevu.methods.metropolis import Metropolis
from nrevu.pipeline.cost_model import size_on_disk
from nrevu.results import series_files
from nrevu.u.nonreversible import Nonreversible

CELL = Cell(
    Gaussian(2), Metropolis(2.0, 0.5), Nonreversible(0.3), Schedule(4), Run(600, 0, 3), seed=1
)


@pytest.fixture
def kept(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((600, 2)).astype(np.float32)
    rejected = rng.integers(0, 5, 600).astype(np.uint8)
    lengths = tuple(CELL.run.lengths())
    series = Series(("coordinate", "log_prob"), rows, rejected, lengths, 2400, 0, 3, 0.5)
    path = series_files.write(tmp_path, CELL, series, {"nrevu": "test"})
    return tmp_path, path, series


def test_round_trip(kept):
    folder, path, series = kept
    found, meta = series_files.read(folder, CELL)
    assert found.rows.tobytes() == series.rows.tobytes()
    assert found.rejected.tobytes() == series.rejected.tobytes()
    assert dataclasses.replace(found, rows=None, rejected=None) == dataclasses.replace(
        series, rows=None, rejected=None
    )
    assert meta["config"]["method"]["stepsize"] == 2.0 and meta["provenance"] == {"nrevu": "test"}
    assert meta["derived"]["eta"] == pytest.approx(2 / 2**0.5)
    assert list(folder.iterdir()) == [path]  # nothing temporary is left


def test_files_are_smaller_than_what_they_hold(tmp_path):
    run = Run(100_000, 0, 1)
    cell = dataclasses.replace(CELL, run=run)
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((run.groups, 2)).astype(np.float32)
    rejected = rng.binomial(4, 0.6, run.groups).astype(np.uint8)
    series = Series(("coordinate", "log_prob"), rows, rejected, (run.groups,), 0, 0, 0, 0.5)
    size = series_files.write(tmp_path, cell, series, {}).stat().st_size
    assert size < 0.85 * (rows.nbytes + rejected.nbytes)
    assert size == pytest.approx(size_on_disk(cell), rel=0.1)


def test_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        series_files.read(tmp_path, CELL)


def test_a_flipped_bit_is_seen_or_does_no_harm(kept):
    folder, path, series = kept
    whole, seen = path.read_bytes(), 0
    for where in range(0, len(whole), 23):
        content = bytearray(whole)
        content[where] ^= 0x10
        path.write_bytes(content)
        try:
            found, meta = series_files.read(folder, CELL)
        except series_files.Damaged as damage:
            assert path.name in str(damage)
            seen += 1
        else:  # a name that nothing reads, say
            assert found.rows.tobytes() == series.rows.tobytes()
            assert found.rejected.tobytes() == series.rejected.tobytes()
            assert meta["digest"] == CELL.digest
    assert seen > 0.9 * len(whole) / 23


@pytest.mark.parametrize("left", [0, 1, 100, 3000])
def test_a_truncated_file_is_seen(kept, left):
    folder, path, _ = kept
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(series_files.Damaged, match=path.name):
        series_files.read(folder, CELL)


def test_a_foreign_file_is_seen(kept):
    folder, path, _ = kept
    other = dataclasses.replace(CELL, seed=2)
    path.rename(series_files.series_path(folder, other.digest))
    with pytest.raises(series_files.Damaged, match="holds another cell"):
        series_files.read(folder, other)
