"""The end of a run: best cells at the edge of their grid are named."""

from types import SimpleNamespace

from nrevu.analysis import edges
from nrevu.pipeline import summary
from nrevu.results import layout


def test_best_cells_at_an_edge_are_named(monkeypatch):
    found = {"a": {"g1": "method.L lowest"}, "b": {"g0": "u.delta highest"}, "c": {}}
    plan = {"confirm": {"for_each": ["u"]}}
    monkeypatch.setattr(layout, "plan_data", lambda results, label, name: plan)
    monkeypatch.setattr(edges, "reported_edges", lambda table, runs, names: found[runs])
    jobs, names = SimpleNamespace(label="smoke"), {name: name for name in found}
    (line,) = summary.edge_lines(jobs, names, names)
    assert line == (
        "best cells at the edge of their grid: a g1: method.L lowest; b g0: u.delta highest"
    )
    assert summary.edge_lines(jobs, {"c": "c"}, {"c": "c"}) == []
    assert summary.edge_lines(jobs, {}, {}) == []
