"""Sections as dataclasses: written down and read again, and what they import."""

import json
import subprocess
import sys

import pytest

from nrevu.experiments.columns import (
    Column,
    common,
    convert,
    error,
    is_estimated,
    is_time,
    parse,
    times,
)
from nrevu.experiments.experiment import expand, from_data, to_data
from nrevu.experiments.sections import field_kinds, figure_kinds
from nrevu.experiments.settings import seed_setting
from nrevu.files import PACKAGE, choices


@pytest.mark.parametrize("name", choices("experiment"))
def test_an_experiment_is_the_same_after_it_was_written_down(name):
    several = name.startswith("many_seeds")  # whose sweep has seeds: no other may replace them
    experiment = expand(name, "smoke", () if several else seed_setting(7))
    data = json.loads(json.dumps(to_data(experiment)))
    assert from_data(data, experiment.cells) == experiment and "cells" not in data
    assert from_data(data).cells == () and data["source"] == name
    assert data["seed"] == (None if several else 7)


def test_names_and_sources_of_experiments_beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "title: t\ncell: {distribution: gaussian}\nsweep: {method.stepsize: [1.0, 2.0]}\n"
    (tmp_path / "other.yaml").write_text(text)
    (tmp_path / "mine.yaml").write_text(text.replace("2.0", "3.0") + "beside: [fig1, other.yaml]\n")
    experiment = expand("./mine.yaml", "smoke")
    assert experiment.beside == {"fig1": "fig1", "other": "other.yaml"}
    assert experiment.source == "mine.yaml" and experiment.seed is None


def test_expanding_imports_nothing_slow():
    code = "import sys; from nrevu.experiments.experiment import expand; expand('fig2', 'smoke');"
    code += "print([m for m in ('matplotlib', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_kind_of_figure_is_a_file():
    """Each has what nrevu/figures/__init__.py lists."""
    files = {path.stem for path in (PACKAGE / "figures").glob("[a-z]*.py")}
    assert set(figure_kinds()) == files and "lines" in files
    for settings in figure_kinds().values():
        kinds = field_kinds(settings)
        notes = {kind.note for kind in kinds.values()}
        assert {"kind", "title"} <= kinds.keys() and settings.uses is not None
        assert "axis" not in notes or kinds["where"].note == "selection"
        assert "panel" not in notes or kinds["rows"].note == "split"


def test_columns():
    assert parse("tau.log_prob.longer.se") == Column("tau", "log_prob", "longer.se")
    assert parse("quantile.x.0.5") == Column("quantile", "x", "0.5")
    assert parse("rejection_rate.se") == Column("", "rejection_rate", "se")
    assert parse("method.stepsize") == Column("", "method.stepsize", "")
    assert is_time("cost.x") and not is_time("tau.x.se") and not is_time("mean.x")
    assert is_estimated("mean.x") and is_estimated("clustering") and not is_estimated("rhat.x")
    names = ["tau.x", "tau.x.se", "u.delta", "mean.x", "cost.x", "time.x", "time.x.se"]
    assert common(names) == times(names) == ["tau.x", "cost.x", "time.x"]
    assert convert("cost.x", "tau", "lag_too_short") == "tau.x.lag_too_short"
    assert convert("tau.x.lag_too_short", "cost") == "cost.x" and error("cost.x") == "cost.x.se"
