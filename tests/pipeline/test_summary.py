"""The end of a run: best cells at the edge of their grid are named."""

import pandas as pd

from nrevu.pipeline.summary import edge_lines


def confirmed(*edges):
    """Return a table of confirmed cells, one for each of some groups."""
    rows = {"group": [f"g{index}" for index in range(len(edges))], "edge": edges}
    numbers = {"best": "tau.x", "last": True, "tau.x": 2.0, "tau.x.se": 0.1}
    return pd.DataFrame(rows).assign(**numbers)


def test_best_cells_at_an_edge_are_named():
    tables = {"a": confirmed("", "method.L lowest"), "b": confirmed("u.delta highest")}
    tables["c"] = confirmed("")
    (line,) = edge_lines(tables)
    assert line == (
        "best cells at the edge of their grid: a g1: method.L lowest; b g0: u.delta highest"
    )
    assert edge_lines({"c": tables["c"]}) == edge_lines({}) == []
