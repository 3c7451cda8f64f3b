"""The workflow as jobs of a real Slurm: the same bits; what is cancelled or killed is recovered.

A private cluster of one node is started on loopback (tests/helpers/slurm.py) and stopped
afterwards. What ran is read from the cluster's own records. The runs go on at the same time,
since each mostly waits for the next look at the queue.
"""

import os
import subprocess
import sys
from collections import Counter

import pytest
import slurm
from conftest import REPO
from workflows import MADE, SWEEP, TABLE, WITHOUT_FIGURES, project, series, succeeded, wait_for

pytestmark = pytest.mark.slow

# Cells of some seconds, to be caught in the middle of a batch, also by a run that starts first;
# only a table is made of them.
LONG = SWEEP[: SWEEP.index("confirm:")] + "sizes: {smoke: {run.groups: 900000}}\n"
LONG = LONG.replace("group: 5", "group: 250")
CONFIG = ("experiments=mine.yaml", "size=smoke")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Give the environment and the folder of a running cluster."""
    lacking = slurm.missing()
    if lacking:
        message = f"no {', '.join(lacking)}: install slurm-wlm and munge to test with Slurm"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    folder = tmp_path_factory.mktemp("slurm")
    with slurm.cluster(folder) as env:
        yield env, folder


@pytest.fixture(scope="module")
def runs(cluster, tmp_path_factory, nrevu):
    """Start three runs, disturb two of them, and give the folder and the process of each.

    Of the one that is killed and given again: what was there then, and what `nrevu plan` said.
    """
    env, _ = cluster
    names = {"whole": WITHOUT_FIGURES, "cancelled": LONG, "killed": LONG}
    folders = {n: project(tmp_path_factory.mktemp(n), text) for n, text in names.items()}
    killed, cancelled = (submit(folders[n], env, TABLE, *CONFIG) for n in ("killed", "cancelled"))
    whole = submit(folders["whole"], env, MADE, *CONFIG, "batch=0.04")
    before = {}
    wait_for(lambda: finished_cells(folders["killed"]), killed)
    before["killed"], before["killed job"] = state_of(folders["killed"], env)
    before["plan"] = nrevu("plan", "mine.yaml", "--size", "smoke", cwd=folders["killed"]).stdout
    before["process"] = killed.pid
    killed.kill()  # as when the login node goes down: its job goes on
    killed.wait()
    again = submit(folders["killed"], env, TABLE, *CONFIG)
    wait_for(lambda: finished_cells(folders["cancelled"]), cancelled)
    before["cancelled"], before["cancelled job"] = state_of(folders["cancelled"], env)
    subprocess.run(["scancel", before["cancelled job"]], env=env, check=True)
    ended = {"whole": whole, "cancelled": cancelled, "killed": again}
    for name, process in ended.items():
        _, told = process.communicate(timeout=900)
        assert process.returncode == 0, f"{name}: {told}"
    return folders, before


def submit(folder, env, target, *config):
    """Start the workflow in a folder, its jobs going to the cluster."""
    words = ["snakemake", target, "--snakefile", REPO / "Snakefile", "--directory", folder]
    words += ["--workflow-profile", REPO / "workflow/profiles/slurm"]
    words += ["--slurm-init-seconds-before-status-checks", 1, "--config", *config]
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)


def finished_cells(folder):
    """Return when each cell's file was written."""
    return {p.name: p.stat().st_mtime_ns for p in (folder / "results/cells").glob("*.parquet")}


def state_of(folder, env):
    """Return the finished cells of a folder and the number of its one job in the cluster."""
    cells = finished_cells(folder)
    words = ["squeue", "-h", "-o", "%i %Z"]
    found = subprocess.run(words, env=env, capture_output=True, text=True).stdout.splitlines()
    (job,) = [line.split()[0] for line in found if line.split()[1] == str(folder)]
    return cells, job


def jobs_of(folder, cluster):
    """Return what the cluster wrote down of the jobs of a folder."""
    return [job for job in slurm.ended(cluster[1]) if job["WorkDir"] == str(folder)]


def test_jobs_of_slurm_give_the_same_bits_as_a_local_run(cluster, runs, snakemake, tmp_path):
    here, there = project(tmp_path / "here", WITHOUT_FIGURES), runs[0]["whole"]
    succeeded(snakemake(here, *CONFIG, options=[MADE]))
    assert len(series(here)) == 6 + 4 and series(there) == series(here)
    assert (here / MADE).read_text() == (there / MADE).read_text()
    jobs = jobs_of(there, cluster)
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    logs = [path.parent.parent.name for path in (there / "results/log/slurm").glob("*/*/*.log")]
    assert Counter(logs) == {"rule_compile": 1, "rule_sample": 2, "rule_confirm": 2}
    assert len(jobs) == len(logs)  # the log of each is kept


def test_a_cancelled_job_is_tried_again_with_more_time(cluster, runs):
    folders, before = runs
    after = finished_cells(folders["cancelled"])
    assert len(after) == 6 and before["cancelled"].items() <= after.items()
    compiled, first, second = jobs_of(folders["cancelled"], cluster)
    assert first["JobId"] == before["cancelled job"] and first["JobState"] == "CANCELLED"
    assert compiled["JobState"] == second["JobState"] == "COMPLETED"
    assert int(second["TimeLimit"]) == 2 * int(first["TimeLimit"])


def test_a_killed_snakemake_resumes_and_repeats_no_finished_cell(cluster, runs):
    folders, before = runs
    after = finished_cells(folders["killed"])
    assert len(after) == 6 and before["killed"].items() <= after.items()
    states = {job["JobId"]: job["JobState"] for job in jobs_of(folders["killed"], cluster)}
    # Its job was not left to run beside the one that took its place.
    assert states.pop(before["killed job"]) == "CANCELLED"
    assert list(states.values()) == ["COMPLETED", "COMPLETED"]


def test_plan_shows_what_is_done_and_what_runs(runs):
    _, before = runs
    assert f"process {before['process']} is running the workflow here" in before["plan"]
    assert "of 6 done, 1 batch running" in before["plan"]
