"""Runs that are killed, orphaned or doubled lose nothing; and everything at once at smoke size."""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from workflows import MADE, SWEEP, TABLE, project, succeeded, wait_for

from nrevu.experiments.experiment import default_set, expand
from nrevu.pipeline.locking import RUNNING

pytestmark = pytest.mark.slow


def test_a_killed_run_goes_on_and_loses_no_finished_cell(snakemake, snakemake_command, tmp_path):
    # Long enough cells, in one batch, to be caught in the middle of it.
    text = SWEEP + "sizes: {smoke: {run.groups: 400000}}\n"
    folder = project(tmp_path / "killed", text)
    config = ("experiments=mine.yaml", "size=smoke", "batch=1000")
    command = snakemake_command(folder, *config, options=[MADE])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    wait_for(lambda: len(series_files(folder)) >= 2, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = {path: path.stat().st_mtime_ns for path in series_files(folder)}
    assert 2 <= len(before) < 6 and not (folder / "results/smoke/mine/table.csv").exists()
    succeeded(snakemake(folder, *config, options=[MADE]))
    after = {path: path.stat().st_mtime_ns for path in series_files(folder)}
    assert len(after) == 6 + 4 and all(after[path] == stamp for path, stamp in before.items())
    assert not list((folder / "results/cells").glob("*.tmp"))
    assert (folder / MADE).exists()


def test_jobs_that_outlive_their_snakemake_leave_nothing_stale(
    snakemake, snakemake_command, tmp_path
):
    """Kill the main process only, let its job finish, change the settings, run again."""
    folder = project(tmp_path / "orphan", SWEEP + "sizes: {smoke: {run.groups: 200000}}\n")
    config = ("experiments=mine.yaml", "size=smoke", "batch=1000")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(snakemake_command(folder, *config, options=[TABLE]), **quiet)
    wait_for(lambda: len(series_files(folder)) >= 1, process)
    process.kill()
    process.wait()
    done = folder / "results/smoke/mine/tau/0001.json"
    deadline = time.monotonic() + 120
    while not done.exists() and time.monotonic() < deadline:  # the orphan goes on
        time.sleep(0.05)
    assert done.exists()
    text = SWEEP.replace("[1.0, 2.0, 3.0]", "[1.0, 2.5, 3.0]")
    project(folder, text + "sizes: {smoke: {run.groups: 200000}}\n")
    succeeded(snakemake(folder, *config, options=[TABLE]))
    table = pd.read_csv(folder / TABLE)
    assert list(table["method.stepsize"]) == [1.0, 2.5, 3.0] * 2


def test_a_file_edited_during_a_run_does_not_change_the_run(snakemake_command, tmp_path):
    folder = project(tmp_path / "edited", SWEEP + "sizes: {smoke: {run.groups: 100000}}\n")
    config = ("experiments=mine.yaml", "size=smoke", "batch=1000")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(snakemake_command(folder, *config, options=[MADE]), **quiet)
    wait_for(lambda: len(series_files(folder)) >= 1, process)
    (folder / "mine.yaml").write_text("not: an experiment\n")
    assert process.wait(timeout=300) == 0
    assert list(pd.read_csv(folder / TABLE)["method.stepsize"]) == [1.0, 2.0, 3.0] * 2
    assert (folder / MADE).exists()


def test_a_second_run_in_the_folder_is_refused(snakemake, snakemake_command, tmp_path):
    folder = project(tmp_path / "twice", SWEEP + "sizes: {smoke: {run.groups: 400000}}\n")
    config = ("experiments=mine.yaml", "size=smoke")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(snakemake_command(folder, *config, options=[TABLE]), **quiet)
    wait_for((folder / RUNNING).exists, process)
    second = snakemake(folder, *config)
    assert second.returncode != 0 and f"process {process.pid} is running" in second.stderr
    assert process.wait(timeout=300) == 0


FAILING = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Failing:
    dim = 2
    nanoseconds = 1000.0

    @staticmethod
    def gradient(x, w, data, g):
        g[0], g[1] = x[0], x[1]
        return 0.5 * (x[0] * x[0] + x[1] * x[1])

    def draw(self, rng):
        starts.append(rng)
        if len(starts) > 14:  # in the second cell of a process
            raise ValueError("no way to start")
        return rng.standard_normal(2)


starts = []
"""


def test_a_second_failure_names_the_cells(snakemake, tmp_path):
    own = "distribution: gaussian\n  distribution.dim: 3"
    folder = project(tmp_path, SWEEP.replace(own, "distribution: {file: failing.py}"))
    (folder / "failing.py").write_text(FAILING)
    config = ("experiments=mine.yaml", "size=smoke", "batch=1000")
    run = snakemake(folder, *config, options=["--retries", "1"])
    assert run.returncode == 1 and len(series_files(folder)) == 2  # one more each time
    told = "nrevu: results/smoke/mine/log/sample-0001.txt: ValueError: no way to start"
    assert run.stderr.count(told) == 1
    named = [line for line in run.stderr.splitlines() if line.startswith("nrevu: not run: ")]
    assert len(named) == 3 and "stepsize=3" in named[0] and "and 1 more of mine" in run.stderr


def series_files(folder):
    return sorted((folder / "results/cells").glob("*.parquet"))


def test_everything_at_smoke_size(snakemake, tmp_path):
    """All experiments, from configs to figures."""
    succeeded(snakemake(tmp_path, "size=smoke"))
    for name in default_set():
        folder = tmp_path / "results/smoke" / name
        experiment = expand(name, "smoke")
        digests = [cell.digest for cell in experiment.cells]
        for figure in experiment.figures:
            assert (folder / f"{figure}.png").stat().st_size > 10_000
        assert list(pd.read_parquet(folder / "table.parquet").digest) == digests
