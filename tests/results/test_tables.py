"""Tables of several experiments as one."""

import pandas as pd
import pytest
from artificial import made_up

from nrevu.analysis.matched import matched_numbers
from nrevu.experiments.experiment import expand
from nrevu.results.tables import joined, read_tables


@pytest.fixture
def fig1():
    experiment = expand("fig1", "smoke")
    return experiment, made_up(experiment, lambda cell: 3.0 + 0.1 * cell.method.stepsize)


def test_a_cell_that_two_experiments_share_counts_once(fig1, tmp_path):
    """Or its pairs would count four times, and errors would be too small."""
    experiment, table = fig1
    table.to_parquet(tmp_path / "table.parquet")
    both = read_tables([tmp_path / "table.parquet"] * 2)
    claim = next(c for c in experiment.claims if c.matched)
    once, twice = (matched_numbers(claim, found) for found in (table, both))
    assert len(both) == len(table) and twice["pairs"] == once["pairs"] == 44
    assert twice["se"] == once["se"]


def test_tables_without_cells_are_joined():
    assert list(joined([pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]})]).a) == [1, 1]
