"""Plans and progress: batches, time left, whose lock it is."""

import os
import socket

import pytest

from nrevu import progress
from nrevu.experiment import expand
from nrevu.plan import cost, from_workflow, pack


def test_batches_hold_every_cell_once_in_order():
    cells = expand("fig1", "paper").cells
    for seconds in (0.001, 7.0, 20.0, 1e9):
        batches = pack(cells, seconds)
        assert [cell for batch in batches.values() for cell in batch] == list(cells)
        assert all(batches.values()) and list(batches) == sorted(batches)
    assert len(pack(cells, 1e9)) == 1 and len(pack(cells, 0.001)) == 55
    sizes = [sum(map(cost, batch)) for batch in pack(cells, 20.0).values()]
    assert max(sizes) < 30


def test_experiments_by_list_or_commas():
    one = from_workflow({"experiments": "fig1", "size": "smoke"})
    assert from_workflow({"experiments": ["fig1"], "size": "smoke"}) == one
    assert from_workflow({"experiments": "fig1,fig1", "size": "smoke"}) == one
    assert from_workflow({"size": "smoke", "seed": 5}).cells() != one.cells()
    assert from_workflow({}).size == "paper"


def test_progress_in_words():
    costs = {"a": 1.0, "b": 1.0, "c": 2.0}
    assert "1 of 3 cells done" in progress.describe(costs, {"a"}, {"a"}, 10.0)
    assert "about 30 s left" in progress.describe(costs, {"a"}, {"a"}, 10.0)
    assert "not known yet" in progress.describe(costs, {"a"}, set(), 10.0)
    assert progress.duration(125) == "2 min 05 s" and progress.duration(3725) == "1 h 02 min"


@pytest.mark.parametrize("holder, kept", [("alive", True), ("dead", False), ("elsewhere", True)])
def test_only_the_lock_of_a_dead_process_is_released(tmp_path, monkeypatch, holder, kept):
    monkeypatch.chdir(tmp_path)
    lock = tmp_path / ".snakemake/locks/0.input.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    host, pid = socket.gethostname(), os.getppid()
    born = progress.birth(pid)
    texts = {"alive": f"{host} {pid} {born}", "dead": f"{host} {pid} 1", "elsewhere": f"x {pid} 1"}
    progress.RUNNING.write_text(texts[holder])
    progress.take_over()
    assert lock.exists() == kept
