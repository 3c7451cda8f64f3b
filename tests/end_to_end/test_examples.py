"""The examples: they expand, run at smoke size as a user runs them, and show what they say.

The statistical tests have fixed seeds and tolerances of 4 standard errors: false alarm 6e-5 each.
"""

import dataclasses
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import REPO
from workflows import succeeded

from nrevu.analysis.autocorrelation import split_rhat
from nrevu.cells.cell import Run, config, from_config
from nrevu.cells.chains import sample
from nrevu.core.user_files import load_class
from nrevu.experiments.experiment import expand
from nrevu.files import choices

EXAMPLES = REPO / "examples"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if (path / f"{path.name}.yaml").is_file())


def file(name: str) -> Path:
    """Return the YAML file of an example."""
    return EXAMPLES / name / f"{name}.yaml"


@pytest.fixture(scope="module")
def logistic():
    """The distribution of the logistic regression, as its YAML file sets it."""
    return expand(str(file("logistic")), "smoke").cells[0].distribution


def test_there_are_examples():
    assert NAMES == ["few_values", "logistic", "pairs_gain", "wrong_variants"]


@pytest.mark.parametrize("size", choices("size"))
@pytest.mark.parametrize("name", NAMES)
def test_an_example_expands_at_every_size(name, size):
    experiment = expand(str(file(name)), size)
    assert experiment.cells and (experiment.figures or name == "wrong_variants")


@pytest.fixture(scope="module")
def made(tmp_path_factory, snakemake):
    """The folder in which all examples ran in one workflow, but for confirming their best cells.

    Those are a process each, which takes longer than its cells; test_workflow.py has some.
    """
    folder = tmp_path_factory.mktemp("examples")
    for name in NAMES:
        for path in (EXAMPLES / name).glob("*.[py]*"):
            text = path.read_text()
            (folder / path.name).write_text(re.sub(r"(?ms)^confirm:.*?\n\n", "", text))
    files = ",".join(f"{name}.yaml" for name in NAMES)
    succeeded(snakemake(folder, f"experiments={files}", "size=smoke", "batch=30"))
    return folder / "results"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_example_runs_at_smoke_size(name, made):
    experiment = expand(str(file(name)), "smoke")
    assert len(pd.read_parquet(made / "smoke" / name / "table.parquet")) == len(experiment.cells)
    for figure in experiment.figures:
        assert (made / "smoke" / name / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
    assert experiment.title in (made / "smoke/report.html").read_text()


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The folder of the example of a C library, compiled as its first lines say."""
    folder = tmp_path_factory.mktemp("library")
    for path in (EXAMPLES / "c_library").glob("*.*"):
        shutil.copy(path, folder)
    if not shutil.which("cc"):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("there is no C compiler")
    command = re.search(r"^ +(cc .*)$", (folder / "model.c").read_text(), re.MULTILINE)[1]
    subprocess.run(command.split(), cwd=folder, check=True)
    return folder


@pytest.mark.slow
def test_a_density_from_a_c_library(library, nrevu):
    assert "0 failed" in succeeded(nrevu("check", "c_model.py", cwd=library)).stdout
    words = ["distribution.file=c_model.py", "method=hmc", "method.L=8", "method.stepsize=0.5"]
    words += ["schedule.group=1", "run.groups=20000", "estimate.max_lag=10", "--json"]
    found = [json.loads(nrevu("run", *words, cwd=library).stdout) for _ in range(2)]
    assert found[0]["bits"] == found[1]["bits"]  # compiled, and from the cache
    energy = found[0]["posterior"]["log_prob"]["mean"]
    assert abs(energy["value"] - 2.5) < 4 * energy["se"]
    digest = found[0]["digest"]
    with (library / "model.so").open("ab") as file:
        file.write(b"another library")
    assert json.loads(nrevu("run", *words, cwd=library).stdout)["digest"] != digest
    (library / "model.so").unlink()
    assert "no such file; compile the library first" in nrevu("run", *words, cwd=library).stderr


def one_by_one(delta: float, noise: float, groups: int = 2000) -> tuple[np.ndarray, list[float]]:
    """Return `plateau` and `side` (2, chains, groups) of few_values, and R-hat of both."""
    cells = expand(str(file("few_values")), "smoke").cells
    cell = next(c for c in cells if (c.u.delta, c.u.noise, c.run.chains) == (delta, noise, 40))
    series = sample(dataclasses.replace(cell, run=Run(40 * groups, 0, 40)))
    rhat = [split_rhat(values, series.lengths) for values in series.rows.T]
    return series.rows.T.reshape(2, 40, groups), rhat


def away(means: np.ndarray, truth: float) -> float:
    """Return how far the mean over chains is from the truth, in standard errors."""
    return abs(means.mean() - truth) / (means.std(ddof=1) / np.sqrt(means.size))


@pytest.mark.slow
def test_without_noise_some_chains_never_leave_their_plateau():
    """Which, is settled by the first v: half of those that start on a plateau, 5 of 11 of all."""
    (plateau, side), rhat = one_by_one(0.4, 0.0)
    stuck = plateau.min(axis=1) == 1
    assert abs(stuck.sum() - 40 * 5 / 11) < 4 * np.sqrt(40 * 5 / 11 * 6 / 11)
    assert (np.abs(side[stuck].mean(axis=1)) == 1).all()
    assert away(plateau[~stuck].mean(axis=1), 5 / 6) < 4  # and not 10/11
    assert (plateau[~stuck].mean(axis=1) < 0.87).all() and rhat[1] > 1.2


@pytest.mark.slow
@pytest.mark.parametrize("delta, noise", [(0.4, 0.1), (0.1, 0.0), (0.41421356, 0.0)])
def test_noise_or_another_delta_mends_it(delta, noise):
    (plateau, side), rhat = one_by_one(delta, noise)
    assert (plateau.min(axis=1) == 0).all() and max(rhat) < 1.05
    assert away(plateau.mean(axis=1), 10 / 11) < 4 and away(side.mean(axis=1), 0) < 4


def test_the_plateaus_density_is_that_of_its_draws():
    """Of 4,000 exact draws, as many are on the floor as its height says."""
    kind = load_class("distribution", str(EXAMPLES / "few_values/plateaus.py"), "Plateaus")
    for floor in (0.1, 0.5):
        own, rng = kind(floor=floor), np.random.default_rng(1)
        x = np.array([own.draw(rng) for _ in range(4000)])
        energy = [kind.energy(each, np.zeros(0), own.data()) for each in x]
        grid = [kind.energy(np.array([at]), np.zeros(0), own.data()) for at in MIDPOINTS]
        share = np.exp(-np.array(grid))[np.abs(MIDPOINTS) < 1].sum() / np.exp(-np.array(grid)).sum()
        found = np.mean(np.array(energy) > 0)
        assert np.isfinite(energy).all()
        assert abs(found - share) < 4 * np.sqrt(share * (1 - share) / 4000)


MIDPOINTS = (np.arange(600) - 299.5) / 100  # from -3 to 3: some are outside, with density zero


def test_the_logistic_gradient_agrees_with_differences_of_the_energy(logistic):
    """Of fourth order, with a step of 1e-3: truncation and rounding are below 1e-8 of U'."""
    kind, data, w = type(logistic), logistic.data(), np.zeros(0)
    rng, h = np.random.default_rng(2), 1e-3
    for x in (logistic.start(rng), 0.1 * rng.standard_normal(logistic.dim)):
        g = np.empty(logistic.dim)
        U = kind.gradient(x, w, data, g)
        assert pytest.approx(kind.energy(x, w, data), rel=1e-12) == U
        for i, step in enumerate(h * np.eye(logistic.dim)):
            ahead, behind, twice, back = (
                kind.energy(x + k * step, w, data) for k in (1, -1, 2, -2)
            )
            slope = (8 * (ahead - behind) - (twice - back)) / (12 * h)
            assert g[i] == pytest.approx(slope, rel=1e-7, abs=1e-7)


def test_the_logistic_energy_is_that_of_prior_and_likelihood(logistic):
    inputs, classes, _, _ = logistic.data()
    x = 0.3 * np.random.default_rng(3).standard_normal(logistic.dim)
    chance = 1 / (1 + np.exp(-(x @ inputs)))
    likelihood = np.where(classes == 1, chance, 1 - chance)
    expected = 0.5 * np.sum((x / logistic.width) ** 2) - np.sum(np.log(likelihood))
    assert type(logistic).energy(x, np.zeros(0), logistic.data()) == pytest.approx(expected)
    assert inputs.shape == (31, 569) and inputs.flags.c_contiguous  # loops run over the cases


def test_the_logistic_chains_start_around_the_mode(logistic):
    """Where the gradient is zero; 500 starts have the mean 0 and twice the spread around it."""
    module = __import__(type(logistic).__module__)
    mode, precision = module.peak(logistic.dataset, logistic.width)
    g = np.empty(logistic.dim)
    type(logistic).gradient(mode, np.zeros(0), logistic.data(), g)
    assert np.abs(g).max() < 1e-9
    rng = np.random.default_rng(4)
    starts = np.array([logistic.start(rng) for _ in range(500)]) - mode
    squares = np.einsum("ni,ij,nj->n", starts, precision, starts) / 4  # chi-square, 31 degrees
    assert abs(squares.mean() - 31) < 4 * np.sqrt(2 * 31 / 500)


def test_the_logistic_cells_know_their_data(logistic):
    cell = expand(str(file("logistic")), "smoke").cells[0]
    assert from_config(config(cell)) == cell and len(logistic.content()["dataset"]) == 16


def test_the_logistic_squares_are_of_distances_from_the_mode(logistic):
    rows = np.random.default_rng(5).standard_normal((3, 32)).astype(np.float32)
    mode = __import__(type(logistic).__module__).peak(logistic.dataset, logistic.width)[0]
    found = logistic.derive(rows)
    assert found.shape == (3, 63) == (3, len(logistic.means()))
    assert (found[:, :32] == rows).all()
    np.testing.assert_allclose(found[:, 32:], (rows[:, :31] - mode) ** 2, rtol=1e-4, atol=1e-6)
