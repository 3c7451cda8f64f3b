"""What a plan says is done, is to run and why, and how it estimates what that takes."""

import dataclasses
import json
import statistics

import pytest
from workflows import SWEEP, project

from nrevu.cells.cell import from_config
from nrevu.cells.chains import sample
from nrevu.experiments.experiment import expand, read
from nrevu.pipeline import preview
from nrevu.pipeline.cost_model import cost
from nrevu.pipeline.plan import plan_from_config
from nrevu.pipeline.progress import duration
from nrevu.results import series_files

DENSITY = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Mine:
    dim = 3

    @staticmethod
    def gradient(x, w, data, g):
        total = 0.0
        for i in range(x.size):
            g[i] = x[i]
            total += x[i] * x[i]
        return 0.5 * total
"""
OWN = SWEEP.replace(
    "distribution: gaussian\n  distribution.dim: 3",
    "distribution: {file: density.py}",
)


def planned(folder, text=SWEEP):
    """Return the plan of a sweep in a folder, read anew."""
    read.cache_clear()
    expand.cache_clear()
    project(folder, text)
    return plan_from_config({"experiments": "mine.yaml", "size": "smoke"})


def ran(plan, keep=lambda cell: True):
    """Run a plan's cells, some left out."""
    for cell in plan.cells().values():
        if keep(cell):
            series_files.write(plan.cell_folder, cell, sample(cell), {})


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def counts(plan):
    (share,) = preview.status(plan)
    return share.cells, share.done, dict(share.reasons)


def test_new_done_and_changed_cells(here):
    plan = planned(here)
    assert counts(plan) == (6, 0, {"new": 6})
    ran(plan, keep=lambda cell: cell.method.stepsize != 3.0)
    assert counts(plan) == (6, 4, {"new": 2})
    ran(plan)
    assert counts(plan) == (6, 6, {})
    more = planned(here, SWEEP.replace("[1.0, 2.0, 3.0]", "[1.0, 2.0, 3.0, 4.0]"))
    assert counts(more) == (8, 6, {"new": 2})
    longer = planned(here, SWEEP.replace("schedule.group: 5", "schedule.group: 6"))
    assert counts(longer) == (6, 0, {"settings changed": 6})


def test_damaged_cells_are_told_apart(here):
    plan = planned(here)
    ran(plan)
    first, second = sorted(plan.cell_folder.glob("*.parquet"))[:2]
    first.write_bytes(first.read_bytes()[:400])
    second.write_bytes(b"")
    assert counts(plan) == (6, 4, {"damaged": 2})


def test_a_changed_source_is_a_change_of_code(here):
    (here / "density.py").write_text(DENSITY)
    plan = planned(here, OWN)
    ran(plan)
    assert counts(plan) == (6, 6, {})
    (here / "density.py").write_text(DENSITY + "# another\n")
    fresh()
    assert counts(planned(here, OWN)) == (6, 0, {"code changed": 6})


def fresh():
    """Forget the modules and hashes of this process, as another process would know none."""
    from nrevu.core import sources, user_files

    for cached in (user_files.find_classes, user_files.probe_distribution, sources.files_hash):
        cached.cache_clear()


def test_times_are_those_of_like_cells(here):
    """An update took 2, 3 or 4 ms: cells of that kind take the median, others by the model."""
    plan = planned(here)
    for cell in plan.cells().values():
        seconds = cell.updates * 1e-3 * (1 + cell.method.stepsize)
        series = dataclasses.replace(sample(cell), cpu_seconds=seconds)
        series_files.write(here / "results/cells", cell, series, {})
    stored = list(series_files.read_metas(here / "results/cells").values())
    like = preview.measured_times(stored)
    other = planned(here, SWEEP.replace("dim: 3", "dim: 4"))
    for cell in planned(here, SWEEP.replace("[1.0, 2.0, 3.0]", "[1.5]")).cells().values():
        assert preview.estimate(cell, like, 9.0, plan) == pytest.approx(cell.updates * 3e-3)
    for cell in other.cells().values():
        assert preview.estimate(cell, like, 9.0, plan) == pytest.approx(9 * cost(cell, plan.speeds))
    factors = [meta["cpu_seconds"] / cost(from_config(meta["config"])) for meta in stored]
    assert preview.speed_factor(stored, plan) == pytest.approx(statistics.median(factors))


def test_the_estimate_of_disk_is_right(here):
    plan = planned(here)
    (share,) = preview.status(plan)
    ran(plan)
    taken = sum(path.stat().st_size for path in plan.cell_folder.glob("*.parquet"))
    (left,) = preview.status(plan)  # what is to be confirmed
    assert left.bytes > 0 and share.bytes - left.bytes == pytest.approx(taken, rel=0.2)


def test_the_command(here, nrevu):
    project(here)
    told = nrevu("plan", "mine.yaml", "--size", "smoke", "--cores", "3", cwd=here)
    assert told.returncode == 0 and "6 new" in told.stdout and "on 3 cores" in told.stdout
    found = json.loads(nrevu("plan", "mine.yaml", "--size=smoke", "--json", cwd=here).stdout)
    assert found["experiments"][0]["reasons"] == {"new": 6}
    assert found["cpu_seconds"] == pytest.approx(found["cores"] * found["wall_seconds"])
    bad = nrevu("plan", "mine.yaml", "--cores", "0", cwd=here)
    assert bad.returncode == 2 and "1 or more" in bad.stderr
    assert duration(61) == "1 min 01 s"
