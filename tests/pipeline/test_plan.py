"""Plans: batches, what the rules ask of them, and the files they are written to."""

import json
from types import SimpleNamespace

import pytest
from workflows import SWEEP, project

from nrevu.errors import Mistake
from nrevu.experiments.experiment import expand, read
from nrevu.files import PACKAGE, code_hash
from nrevu.pipeline import jobs as planned
from nrevu.pipeline import plan_files
from nrevu.pipeline.batches import batch_seconds, pack
from nrevu.pipeline.cost_model import cost
from nrevu.pipeline.plan import jobs_of, plan_from_config, resolve
from nrevu.pipeline.plan_files import write_plan
from nrevu.pipeline.run import check_targets


def test_batches_hold_every_cell_once_in_order():
    cells = expand("fig1", "paper").cells
    costs = [cost(cell) for cell in cells]
    for seconds in (0.001, 7.0, 20.0, 1e9):
        batches = pack(cells, seconds, costs)
        assert [cell for batch in batches.values() for cell in batch] == list(cells)
        assert all(batches.values()) and list(batches) == sorted(batches)
    assert len(pack(cells, 1e9, costs)) == 1 and len(pack(cells, 0.001, costs)) == 55
    sizes = [sum(map(cost, batch)) for batch in pack(cells, 20.0, costs).values()]
    assert max(sizes) < 30


def test_batches_are_the_same_whatever_else_is_in_the_plan():
    """Else a part of a finished run would be made again."""
    everything, alone = plan_from_config({}), plan_from_config({"experiments": "fig1"})
    assert everything.batches["fig1"] == alone.batches["fig1"] and len(alone.batches["fig1"]) == 8
    assert everything.confirms["fig1"] == alone.confirms["fig1"]
    assert len(everything.batches["langevin"]) == 1


def test_what_others_wait_for_longest_comes_first():
    """The rules add to these: 2 for kernels and tables, 1 for confirmations, 0.5 for samples."""
    jobs = jobs_of(plan_from_config({}))
    urgency = {name: e.urgency for name, e in jobs.experiments.items()}
    assert urgency["network_langevin"] > urgency["fig1"] > urgency["fig2_delta"] >= 0
    kernels = {name: e.batches["0001"].kernels[0] for name, e in jobs.experiments.items()}
    users = ("network_langevin", "network_hmc", "network_controls")  # of the same kernel
    assert jobs.kernels[kernels["network_langevin"]] == max(urgency[name] for name in users)
    assert jobs.kernels[kernels["fig1"]] < urgency["network_langevin"]


def cluster_jobs(jobs):
    """Return how many jobs a cluster gets."""
    each = [len(e.batches) + len(e.confirms) + bool(e.trace) for e in jobs.experiments.values()]
    return len(jobs.kernels) + sum(each)


def test_a_cluster_gets_few_jobs():
    for size, most in (("paper", 40), ("quick", 30)):
        assert cluster_jobs(jobs_of(plan_from_config({"size": size}, least_seconds=120.0))) <= most
    costs = [10.0] * 2000  # a large sweep
    batches = pack(costs, batch_seconds(2e4, 2e4, 120.0), costs)
    assert 150 < len(batches) <= 200 and batch_seconds(50.0, 50.0, 120.0) == 120.0


def test_jobs_ask_for_what_their_batch_costs():
    def first(**config):
        return jobs_of(plan_from_config(config)).experiments[config["experiments"]]

    assert 5 < first(experiments="fig1", batch=20).batches["0001"].minutes < 8
    large = first(experiments="fig1", batch=400).batches["0001"]
    assert 15 < large.minutes < 21  # 255 s, on a node 3 times slower
    fig2 = first(experiments="fig2")
    sizes = [j.megabytes for j in (fig2.batches["0001"], fig2.confirms["1-0001"], fig2.trace)]
    assert 1200 < sizes[0] < sizes[1] < sizes[2] < 2000  # longer series; every update


def test_experiments_by_list_or_commas():
    one = plan_from_config({"experiments": "fig1", "size": "smoke"})
    assert plan_from_config({"experiments": ["fig1"], "size": "smoke"}) == one
    assert plan_from_config({"experiments": "fig1,fig1", "size": "smoke"}) == one
    assert plan_from_config({"size": "smoke", "seed": 5}).cells() != one.cells()
    assert plan_from_config({}).size == "paper"
    assert plan_from_config({"size": "smoke", "seed": 7}).label == "smoke-seed7"


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
            plan_from_config({"experiments": names, "size": "smoke"})


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that plans a sweep and returns which plan files that changed."""
    monkeypatch.chdir(tmp_path)

    def stamps():
        paths = (tmp_path / "results/plan").rglob("*.json")
        return {str(p.relative_to(tmp_path / "results/plan")): p.stat().st_mtime_ns for p in paths}

    def changed(text=SWEEP, running=None, **config):
        read.cache_clear()
        expand.cache_clear()
        project(tmp_path, text)
        before = stamps()
        plan = plan_from_config({"experiments": "mine.yaml", "size": "smoke", **config})
        write_plan(plan, jobs_of(plan), running)
        after = stamps()
        names = {
            name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
        }
        return {name.removeprefix("smoke/mine/") for name in names}

    return changed


def test_only_plan_files_whose_content_changes_are_written(write):
    assert {"sample-0001.json", "table.json", "figure-figure.json"} <= write()
    assert write() == set() == write(SWEEP + "# a comment\n")
    assert write(SWEEP.replace("#0072B2", "#D55E00")) == {"figure-figure.json", "experiment.json"}
    write()
    lag = SWEEP.replace("group: 5", "group: 5\n  estimate.max_lag: 7")
    assert {"sample-0001.json", "confirm-1-0001.json", "compare.json"} <= write(lag)
    write()
    assert "sample-0001.json" in write(SWEEP.replace("3.0]", "3.5]"))
    assert {"table.json", "sample-0002.json"} <= write(batch=1e-6)
    gone = {"sample-0002.json", "sample-0006.json"}
    assert gone <= write()  # what is not in the plan is deleted


def test_plan_files_name_the_code_that_makes_their_output(monkeypatch):
    """A changed step runs again, as a changed room does."""
    monkeypatch.setattr(plan_files, "code_hash", lambda *rooms: list(rooms))
    plan = plan_from_config({"experiments": "mixed_langevin,fig2", "size": "smoke"})
    files = plan_files.plan_files(plan, jobs_of(plan))
    code = {path.stem: json.loads(text).get("code") for path, text in files.items()}
    made = {step: rooms for step, rooms in code.items() if rooms}
    assert {"sample-0001", "confirm-1-0001", "trace", "figure-fig2", "report"} <= made.keys()
    for rooms in made.values():
        assert "pipeline/steps.py" in rooms and all((PACKAGE / room).exists() for room in rooms)
    assert code_hash("pipeline/steps.py") != code_hash("results/tables.py")


def test_the_plan_of_a_run_does_not_change_under_it(write):
    write()
    assert write(running="123") == set()
    with pytest.raises(Mistake, match="process 123 is running another plan"):
        write(SWEEP.replace("3.0]", "3.5]"), running="123")
    assert write() == set()


def test_other_processes_load_what_the_main_one_planned(write, tmp_path):
    write()
    plan = plan_from_config({"experiments": "mine.yaml", "size": "smoke"})
    loaded = planned.load(tmp_path / "results/plan/jobs.json")
    assert loaded == jobs_of(plan)
    w = SimpleNamespace(experiment="mine", batch="0001", figure="mechanism")
    assert loaded.batch(w).minutes == 6 and loaded.traces(w) == ["results/smoke/mine/traces.json"]


def test_wildcards_accept_only_what_the_plan_holds(write, tmp_path):
    write()
    jobs = planned.load(tmp_path / "results/plan/jobs.json")
    assert jobs.constraints()["figure"] == "figure|mechanism"
    assert jobs.constraints()["experiment"] == "mine" and jobs.constraints()["size"] == "smoke"
    check_targets(["results/smoke/mine/figure.png", "./results/report.html", "all"], jobs, ["all"])
    for target in ("results/quick/mine/figure.png", "results/smoke/mine/tau/0002.json", "al"):
        with pytest.raises(Mistake, match="is not a target of this run, which is of mine"):
            check_targets([target], jobs, ["all"])


def test_an_experiment_beside_another_is_expanded_once():
    expand.cache_clear()
    found = list(resolve(["network_langevin"], "smoke", 3))
    assert found == ["network_langevin", "network_hmc", "network_controls"]
    assert expand.cache_info().misses == 3
