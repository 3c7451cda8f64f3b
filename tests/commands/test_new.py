"""Files to start from: they are valid as they are."""

import shutil
from pathlib import Path

import pytest

import nrevu
from nrevu.experiments.experiment import expand
from nrevu.files import choices
from nrevu.pipeline.cost_model import confirm_costs, cost

SWEEP = Path(nrevu.__file__).parent / "templates/my_sweep.yaml"


@pytest.mark.parametrize("size", choices("size"))
def test_the_sweep_expands_at_every_size(tmp_path, monkeypatch, size):
    shutil.copy(SWEEP, tmp_path)  # where nothing of the repository is beside it
    monkeypatch.chdir(tmp_path)
    experiment = expand("my_sweep.yaml", size)
    assert len(experiment.cells) == 20 and experiment.figures and experiment.claims


def test_the_sweep_is_quick_at_size_quick():
    """By the plan's own estimate, of sampling; starting processes takes longer than that."""
    experiment = expand(str(SWEEP), "quick")
    assert sum(map(cost, experiment.cells)) + 4 * sum(confirm_costs(experiment)) < 10
