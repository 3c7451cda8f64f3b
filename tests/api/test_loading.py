"""nrevu.load: tables and series from disk, and errors that say how to make them."""

import numpy as np
import pandas as pd
import pytest

import nrevu
from nrevu.results import series_files


@pytest.fixture
def results(tmp_path):
    """A folder of results with the series of one cell, and with tables of an experiment."""
    cell = nrevu.sample("gaussian", groups=200, chains=4)
    series_files.write(tmp_path / "cells", cell.cell, cell.series, {"nrevu": "test"})
    tables = tmp_path / "quick-seed3/fig1"
    tables.mkdir(parents=True)
    pd.DataFrame({"digest": [cell.digest], "tau.log_prob": [3.0]}).to_parquet(
        tables / "table.parquet"
    )
    return tmp_path, cell


def test_the_chains_of_a_cell(results):
    folder, cell = results
    found = nrevu.load(cell.digest[:7], results=folder)
    assert found.digest == cell.digest and found.tau == cell.tau and found.x is None
    for name, values in cell.values.items():
        assert (found.values[name] == values).all()
    frame = pd.read_parquet(folder / f"cells/{cell.digest}.parquet")
    assert list(frame) == ["chain", "coordinate", "log_prob", "rejected"]
    assert (np.stack(np.split(frame.log_prob, 4)) == cell.values["log_prob"]).all()


def test_the_tables_of_an_experiment(results):
    found = nrevu.load("fig1", size="quick", seed=3, results=results[0])
    assert found.table["tau.log_prob"].tolist() == [3.0]
    assert found.confirmed is None and found.comparison is None


@pytest.mark.parametrize(
    "name, how, says",
    [
        (
            "fig1",
            {},
            "no table of 'fig1' in .*paper. There is one at quick-seed3. To make it: nrevu",
        ),
        ("mine.yaml", {}, "no table of 'mine' in .*To make it: nrevu make FILE.yaml --size paper"),
        ("fig2", {"size": "quick", "seed": 3}, "To make it: nrevu make fig2 --size quick --seed 3"),
        ("0123", {}, "no series of a cell '0123' in .*The nearest of 1: "),
    ],
)
def test_what_is_missing(results, name, how, says):
    with pytest.raises(nrevu.Mistake, match=says):
        nrevu.load(name, results=results[0], **how)
