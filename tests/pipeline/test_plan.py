"""Plans and progress: batches, time left, whose lock it is."""

import base64
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from nrevu.errors import Mistake
from nrevu.experiments.experiment import expand
from nrevu.pipeline import jobs as job_log
from nrevu.pipeline import locking, priorities, processes, progress, resources
from nrevu.pipeline.batches import batch_seconds, kernel_name, pack
from nrevu.pipeline.cost_model import cost
from nrevu.pipeline.plan import from_workflow


def test_batches_hold_every_cell_once_in_order():
    cells = expand("fig1", "paper").cells
    for seconds in (0.001, 7.0, 20.0, 1e9):
        batches = pack(cells, seconds, cost)
        assert [cell for batch in batches.values() for cell in batch] == list(cells)
        assert all(batches.values()) and list(batches) == sorted(batches)
    assert len(pack(cells, 1e9, cost)) == 1 and len(pack(cells, 0.001, cost)) == 55
    sizes = [sum(map(cost, batch)) for batch in pack(cells, 20.0, cost).values()]
    assert max(sizes) < 30


def test_batches_are_the_same_whatever_else_is_in_the_plan():
    """Else a part of a finished whole would be made again."""
    everything, alone = from_workflow({}), from_workflow({"experiments": "fig1"})
    assert everything.batches["fig1"] == alone.batches["fig1"] and len(alone.batches["fig1"]) == 8
    assert everything.confirms["fig1"] == alone.confirms["fig1"]
    assert len(everything.batches["langevin"]) == 1


def test_what_others_wait_for_longest_comes_first():
    plan = from_workflow({})
    w = {name: SimpleNamespace(experiment=name, batch="0001") for name in plan.experiments}
    first = w["network_langevin"]
    samples = {name: priorities.sampling(plan, w[name]) for name in plan.experiments}
    assert samples["network_langevin"] > samples["fig1"] > samples["fig2_delta"] > 0
    kernels = {name: plan.kernels(name, "0001")[0].split("/")[-1][:-4] for name in w}
    kernels = {name: SimpleNamespace(kernel=kernel) for name, kernel in kernels.items()}
    urgent = [priorities.compiling(plan, kernels[n]) for n in ("network_langevin", "fig1")]
    assert urgent[0] > samples["network_langevin"] and urgent[0] > urgent[1]
    figures = [priorities.drawing(plan, w[name]) for name in plan.experiments]
    assert max(figures) < min(samples.values()) < priorities.tracing()
    assert priorities.tabulating(plan, first) > max(samples.values())
    assert priorities.confirming(plan, first) > samples["fig1"]


def test_the_limit_on_jobs_per_second_is_lifted_here_and_the_user_s_own_stays():
    def left(local, jobs, span):
        limit = SimpleNamespace(max_jobs=jobs, timespan=span)
        scheduler = SimpleNamespace(job_rate_limiter=limit)
        settings = SimpleNamespace(max_jobs_per_timespan=limit)
        priorities.unhurried(
            SimpleNamespace(local_exec=local, scheduler=scheduler, scheduling_settings=settings)
        )
        return scheduler.job_rate_limiter is not None

    assert not left(True, 100, 1)
    assert left(False, 100, 1) and left(True, 5, 60)


def jobs(plan):
    """Return how many jobs of a cluster a plan takes."""
    kernels = {kernel_name(cell) for cell in plan.cells().values()}
    batches = [b for kind in (plan.batches, plan.confirms) for e in kind.values() for b in e]
    return len(kernels) + len(batches) + sum(bool(e.trace) for e in plan.experiments.values())


def test_a_cluster_gets_few_jobs():
    assert jobs(from_workflow({}, least=120.0)) <= 40
    assert jobs(from_workflow({"size": "quick"}, least=120.0)) <= 30
    costs = [10.0] * 2000  # a large sweep
    batches = pack(costs, batch_seconds(2e4, 2e4, 120.0), lambda cost: cost)
    assert 150 < len(batches) <= 200 and batch_seconds(50.0, 50.0, 120.0) == 120.0


def test_jobs_ask_for_what_their_batch_costs():
    small, large = (from_workflow({"experiments": "fig1", "batch": b}) for b in (20, 400))
    first = SimpleNamespace(experiment="fig1", batch="0001")
    assert 5 < resources.sampling(small, first).minutes < 8
    assert 15 < resources.sampling(large, first).minutes < 21  # 255 s, on a node 3 times slower
    fig2 = from_workflow({"experiments": "fig2"})
    w = SimpleNamespace(experiment="fig2", batch="0001")
    one, other, third = (
        f(fig2, w) for f in (resources.sampling, resources.confirming, resources.tracing)
    )
    assert 1200 < one.megabytes < other.megabytes < third.megabytes < 2000  # longer; every update


@pytest.mark.parametrize("text, seconds", [("300", 300.0), (None, None), ("0", 0), ("x", 0)])
def test_a_profile_names_the_least_work_of_a_job(text, seconds):
    given = SimpleNamespace(args=["mem_mb=5"] + ([f"batch_seconds={text}"] if text else []))
    workflow = SimpleNamespace(resource_settings=SimpleNamespace(default_resources=given))
    if seconds == 0:
        with pytest.raises(Mistake, match="batch_seconds"):
            resources.least_seconds(workflow)
    else:
        assert resources.least_seconds(workflow) == seconds


def test_experiments_by_list_or_commas():
    one = from_workflow({"experiments": "fig1", "size": "smoke"})
    assert from_workflow({"experiments": ["fig1"], "size": "smoke"}) == one
    assert from_workflow({"experiments": "fig1,fig1", "size": "smoke"}) == one
    assert from_workflow({"size": "smoke", "seed": 5}).cells() != one.cells()
    assert from_workflow({}).size == "paper"


def test_progress_in_words():
    costs = {"a": 1.0, "b": 1.0, "c": 2.0}
    assert "1 of 3 done" in progress.describe(costs, {"a"}, {"a"}, 10.0)
    assert "about 30 s left" in progress.describe(costs, {"a"}, {"a"}, 10.0)
    assert "not known yet" in progress.describe(costs, {"a"}, set(), 10.0)
    assert progress.duration(125) == "2 min 05 s" and progress.duration(3725) == "1 h 02 min"


HOST = socket.gethostname()


@pytest.mark.parametrize(
    "text, holder",
    [
        ("{host} {pid} {start:.2f}", "{pid}"),
        ("{host} {pid} {later:.2f}", None),  # its number is another's now
        ("{host} {pid} unknown", "{pid}"),
        ("{host} {pid} 123456", "{pid}"),  # in clock ticks, by an earlier version
        ("{host} {pid} None", "{pid}"),
        ("{host} 999999999 {start:.2f}", None),
        ("{host} 999999999 123456", None),
        ("{host} 99999999999 1.00", None),
        ("elsewhere {pid} 1", "{pid} on elsewhere (seen 0 s ago)"),
        ("", "? (seen 0 s ago)"),
        ("{host} -1 1.00", "? (seen 0 s ago)"),
        ("{host} x 1.00", "? (seen 0 s ago)"),
        ("\udcff", "? (seen 0 s ago)"),
    ],
)
def test_a_run_is_known_to_be_alive_or_dead(tmp_path, monkeypatch, text, holder):
    monkeypatch.chdir(tmp_path)
    locking.RUNNING.parent.mkdir()
    assert locking.running_process() is None
    pid = os.getppid()
    start = processes.start_time(pid)
    facts = {"host": HOST, "pid": pid, "start": start, "later": start + 60}
    locking.RUNNING.write_bytes(text.format(**facts).encode(errors="surrogateescape"))
    assert locking.running_process() == (holder and holder.format(**facts))
    old = time.time() - 700
    os.utime(locking.RUNNING, (old, old))
    known = holder == "{pid}"
    assert bool(locking.running_process()) == known  # whoever is not here is dead when silent


HOLDER = """\
import sys, time
import psutil
psutil.PROCFS_PATH = sys.argv[1]
from nrevu.pipeline import locking
locking.note_running()
print("noted", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("proc", ["/proc", "missing"])
def test_a_second_run_is_refused_with_and_without_proc(tmp_path, monkeypatch, proc):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(psutil, "PROCFS_PATH", proc, raising=False)
    words = [sys.executable, "-c", HOLDER, proc]
    first = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    settings = SimpleNamespace(dryrun=False)
    workflow = SimpleNamespace(logger_manager=SimpleNamespace(settings=settings))
    lock = tmp_path / ".snakemake/locks/0.input.lock"
    try:
        assert first.stdout.readline() == "noted\n"
        lock.parent.mkdir()
        lock.touch()
        with pytest.raises(Mistake, match=f"process {first.pid} is running .*nrevu-running"):
            locking.prepare(workflow, None)
        assert lock.exists()
    finally:
        first.kill()
        first.wait()
    assert locking.running_process() is None


def test_a_run_elsewhere_is_dead_when_silent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    locking.RUNNING.parent.mkdir()
    for path in (locking.RUNNING, locking.PROGRESS):
        path.write_text("elsewhere 1 1")
    old = time.time() - 700
    os.utime(locking.RUNNING, (old, old))
    assert "1 on elsewhere (seen " in locking.running_process()  # its progress is new
    os.utime(locking.PROGRESS, (old, old))
    assert locking.running_process() is None


SQUEUE = """\
#!/bin/sh
echo "11|nrevu_one|$PWD"
echo "12|nrevu_one|/"
echo "13|another|$PWD"
echo "14|nrevu_two|$PWD/../here"
"""


def test_jobs_left_by_a_killed_run_are_cancelled_and_no_others(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, text in {"squeue": SQUEUE, "scancel": '#!/bin/sh\necho "$@" > cancelled\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    locking.cancel_jobs()
    assert Path("cancelled").read_text().split() == ["11", "14"]


def test_last_words_of_a_log(tmp_path):
    log = tmp_path / "log"
    assert job_log.last_words(log) == ["there is no log"]
    log.write_text("sampled a\nfailed: b: cell\nTraceback\nValueError: c\n\n")
    assert job_log.last_words(log) == ["failed: b: cell", "ValueError: c"]
    killed = "slurmstepd-n1: error: *** JOB 5 ON n1 CANCELLED DUE TO TIME LIMIT ***"
    log.write_text(f"Building DAG\n{killed}\nsrun: Job step aborted\n")
    assert job_log.last_words(log) == [killed, "srun: Job step aborted"]


def test_marks_of_a_killed_run_are_cleared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output, other = Path("results/smoke/x/table.csv"), Path("keep.txt")
    names = [base64.urlsafe_b64encode(str(p).encode()).decode() for p in (output, other)]
    marks = [tmp_path / ".snakemake/locks/0.input.lock"]
    marks += [tmp_path / ".snakemake/incomplete" / name for name in names]
    for mark in (*marks, output, other):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    locking.clear_marks()
    locking.note_running()
    assert not any(mark.exists() for mark in marks)
    assert not output.exists() and other.exists()  # only what the workflow itself makes
    assert locking.RUNNING.read_text().split()[1] == str(os.getpid())


def test_experiments_of_one_name_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    text = "title: t\ncell: {distribution.dim: 2}\nsweep: {method.stepsize: [1.0]}\n"
    for name in ("s.yaml", "sub/s.yaml", "fig1.yaml", "a b.yaml"):
        (tmp_path / name).write_text(text)
    for names, says in {
        "s.yaml,sub/s.yaml": "have the same name",
        "fig1.yaml": "is the name of an experiment",
        "a b.yaml": "use letters",
        ",": "names none",
    }.items():
        with pytest.raises(Mistake, match=says):
            from_workflow({"experiments": names, "size": "smoke"})


def test_another_seed_has_a_folder_of_its_own():
    assert from_workflow({"size": "smoke", "seed": 7}).label == "smoke-seed7"
