"""The benchmarks: their pieces run, and what they compare with samples what it should.

No test looks at how long anything took. Statistical tests have fixed seeds and tolerances of 4.5
standard errors over chains: with 18 numbers a false alarm in 8,000.
"""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from conftest import REPO

sys.path.insert(0, str(REPO))

from benchmarks import child, dimension, figures, kernels, programs, sweeps, target, versions
from benchmarks.__main__ import parse as parse_command
from benchmarks.in_numpy import State, advance, leap
from benchmarks.numpy_densities import Density, density
from benchmarks.ours import Alone, kernel_call, normals_call, sized
from benchmarks.race import race
from benchmarks.settings import GAUSSIAN, MIXED, PAIRS, SETTINGS
from benchmarks.sizes import FULL, SMOKE, doubling
from nrevu.core.contracts import part
from nrevu.experiments.settings import parse, resolve

# Of the settings' cells as nrevu ran them for 80,000 groups or more, with standard errors.
REJECTION = {
    "metropolis40": (0.62659, 0.00022),
    "langevin40": (0.32448, 0.00029),
    "persistent32": (0.11947, 0.00029),
    "hmc32": (0.14165, 0.00033),
    "mixed_persistent": (0.09385, 0.00084),
    "mixed_hmc": (0.17170, 0.00040),
}


def apart(values, expected, error=0.0):
    """Return how many standard errors the mean of (groups, chains) is from what is expected."""
    means = values.mean(axis=0)
    return (means.mean() - expected) / math.hypot(means.std(ddof=1) / math.sqrt(means.size), error)


@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.key for setting in SETTINGS])
def test_numpy_samples_what_nrevu_does(setting):
    cell, chains = setting.cell, 200
    groups = 1200 // cell.schedule.group // max(1, setting.steps // 4)
    recorded, rejected = advance(cell, chains, seed=5)(groups)
    assert recorded.shape == rejected.shape == (groups, chains)
    assert abs(apart(rejected / cell.schedule.group, *REJECTION[setting.key])) < 4.5
    mean, square = (0, 1) if cell.distribution == MIXED else (cell.distribution.dim / 2,) * 2
    assert abs(apart(recorded, mean)) < 4.5
    assert abs(apart((recorded - mean) ** 2, square)) < 4.5
    moved = recorded[1:] * recorded[:-1] - mean**2  # a chain that stood still would keep it all
    assert moved.mean() < 0.97 * square


@pytest.mark.parametrize("own", [GAUSSIAN, PAIRS, MIXED], ids=["gaussian", "pairs", "mixed"])
def test_numpy_s_densities_are_nrevu_s(own):
    rng, chains = np.random.default_rng(3), 3
    x = np.array([own.draw(rng) for _ in range(chains)]).T.copy()
    g, U, w, there = np.empty_like(x), np.empty(chains), np.zeros(chains), density(own, chains, rng)
    there.slope(x, w, g)
    there.energy(x, w, g, U)
    if there.redraw:
        there.redraw(x, w, g, U)
        assert w.any()
    for k in range(chains):
        slope = np.empty(own.dim)
        assert U[k] == pytest.approx(own.gradient(x[:, k], w[k : k + 1], own.data(), slope))
        assert g[:, k] == pytest.approx(slope)


def test_numpy_leaps_as_often_as_it_should_and_back():
    slopes = []
    own = Density(lambda x, w, g: slopes.append(np.copyto(g, x)), lambda x, w, g, U: None)
    now, new, back = (State(*np.ones((3, 2, 4)), np.ones(4)) for _ in range(3))
    leap(now, new, own, None, 0.3, 5, np.empty((2, 4)))
    new.p *= -1
    leap(new, back, own, None, 0.3, 5, np.empty((2, 4)))
    assert len(slopes) == 10 and back.x == pytest.approx(now.x) and back.p == pytest.approx(-now.p)


def test_a_race_takes_turns_and_keeps_every_round():
    order = []
    times = race({name: lambda name=name: order.append(name) for name in "abc"}, rounds=6)
    assert order[:3] == ["a", "b", "c"]  # to compile; not counted
    rounds = [tuple(order[first : first + 3]) for first in range(3, 21, 3)]
    assert all(set(names) == set("abc") for names in rounds) and len(set(rounds)) > 1
    for clocks in times.values():
        assert all(len(clocks[clock]) == 6 for clock in ("cpu", "wall"))
        assert min(clocks["wall"]) > 0


def test_the_paper_s_programs_are_called_with_two_lengths(tmp_path, monkeypatch):
    monkeypatch.setenv(programs.VARIABLE, str(tmp_path))
    script = tmp_path / "metropolis40"
    script.write_text(f"#!/bin/sh\necho $1 >> {tmp_path}/called\n")
    script.chmod(0o755)
    assert programs.calls("langevin40") == {}
    calls = programs.calls("metropolis40")
    for call in calls.values():
        call()
    called = [int(line) for line in (tmp_path / "called").read_text().split()]
    assert called == [programs.SHORT, programs.LONG]
    times = {name: {"wall": [9.0, 1.0 + 3e-6 * n]} for name, n in zip(calls, called, strict=True)}
    assert programs.per_update(times, "metropolis40") == pytest.approx(3e-6)
    assert programs.per_update(times, "langevin40") is None
    script.write_text("#!/bin/sh\necho no data >&2\nexit 3\n")
    with pytest.raises(SystemExit, match="code 3: no data"):
        next(iter(calls.values()))()


def made_up(ours):
    """Return numbers of a race in which a normal takes 2 ns and an update of ours so many."""
    each = {"nrevu": ours, "numpy": 400.0, "one chain at a time": 2.5 * ours}
    return {
        "normal_ns": 2.0,
        "plain_ns": 2.5,
        "chains": 8,
        "ns": {setting.key: each for setting in SETTINGS},
    }


def test_targets_are_met_or_missed_or_not_measured():
    found = [t.verdict for t in kernels.targets(made_up(100.0))]
    assert found == ["met", "met", "missed", "met", "met", "not measured", "met", "met"]
    found = [t.verdict for t in kernels.targets(made_up(140.0))]
    assert found == ["missed", "missed", "missed", "missed", "missed", "not measured", "met", "met"]
    assert target.Target("", 3.0, 3.0, at_least=True).verdict == "met"
    text = "\n".join(kernels.lines(made_up(100.0)))
    assert "1.25" in text and "400 (4.0 x)" in text and "pip install -e '.[peers]'" in text


def test_our_kernels_and_the_floor_can_be_called_again_and_again():
    alone = Alone(20, 0.04)
    assert part(alone, "lanes") == 1 and part(MIXED, "lanes") > 1
    cells = [sized(setting.cell, 500) for setting in SETTINGS]
    assert [cell.run.chains for cell in cells] == [8, 8, 8, 8, 40, 40]
    call = kernel_call(cells[0])
    first, second = call(), call()
    assert first[0] == second[0] == cells[0].updates  # evaluations of the density
    normals_call(4096)()
    normals_call(4096, plainly=True)()


def test_dimensions_are_timed_stored_and_drawn(tmp_path):
    result = json.loads(json.dumps(dimension.measure(1, SMOKE)))
    numbers = [ns for each in result["ns"].values() for ns in each.values()]
    assert len(numbers) == 4 * len(SMOKE.dimensions) and np.all(np.isfinite(numbers))
    assert min(numbers) > 0 and "10,000" not in "".join(dimension.lines(result))
    machine = {"cpu": "some", "load": [0.1], "time": "2020-01-31T"}
    data = {"machine": machine, "smoke": True, "result": result}
    (tmp_path / "dimension.json").write_text(json.dumps(data))
    files = figures.draw(tmp_path)
    assert [file.name for file in files] == ["scaling.png", "scaling.svg"]
    assert all(file.stat().st_size > 10_000 for file in files)


def test_stages_are_timed_in_a_process_of_their_own(tmp_path):
    sweeps.write(tmp_path, 20, 400)
    spent = child.run(["benchmarks.stages", f"{sweeps.NAME}.yaml"], tmp_path)
    told = json.loads(spent.output)
    assert told["batches"] == 1 and set(told["seconds"]) == {"expand", "plan", "status", "files"}
    assert 0 < sum(told["seconds"].values()) < spent.cpu and 20 < spent.peak < 2000
    with pytest.raises(RuntimeError, match="No module named"):
        child.run(["no_such_module"], tmp_path)


def test_two_versions_are_timed_by_processes_of_their_own(monkeypatch):
    """Here they are the same one. Each setting is a cell that can be built, at both sizes."""
    few = ("Metropolis, 40-D Gaussian", "HMC with L = 40, mixed")
    for key in versions.SETTINGS:
        for share in (SMOKE.share, FULL.share):
            cell, _ = resolve(parse(versions.words(key, share).split()))
            assert cell.run.groups >= 3 * cell.run.chains and cell.run.burn_in == 0
    monkeypatch.setattr(versions, "SETTINGS", {key: versions.SETTINGS[key] for key in few})
    result = json.loads(json.dumps(versions.measure(3, SMOKE, REPO)))
    assert set(result["ratios"]) == set(few) and min(result["ratios"].values()) > 0
    assert all(len(each[name]) == 3 for each in result["times"].values() for name in each)
    text = "\n".join(versions.lines(result))
    assert all(key in text for key in few) and text.endswith(f"other: {REPO}")
    with pytest.raises(RuntimeError, match="was imported"):
        versions.run(REPO / "tests", 1, SMOKE.share)  # there is none, and another one is found


def test_versions_have_targets_and_are_left_out_without_another_one():
    ns = {"a": {"this": 98.0, "other": 100.0}, "b": {"this": 104.0, "other": 100.0}}
    found = versions.targets({"ratios": {"a": 0.98, "b": 1.04}, "ns": ns, "against": "old"})
    assert [(t.verdict, t.note) for t in found] == [("missed", "b"), ("missed", "")]
    found = versions.targets({"ratios": {"a": 0.97, "b": 1.03}, "ns": ns, "against": "old"})
    assert [t.verdict for t in found] == ["met", "met"]
    nothing = versions.measure(3, SMOKE)
    assert nothing == {} and versions.targets(nothing) == []
    assert "--against FOLDER" in versions.lines(nothing)[0]


def test_the_command_teaches_and_knows_its_parts():
    def run(*words):
        command = [sys.executable, "-m", "benchmarks", *words]
        return subprocess.run(command, cwd=REPO, capture_output=True, text=True)

    text = run("--help").stdout
    parts = ("kernels", "agreement", "cells", "startup", "versions")
    assert all(f"\n  {part} " in text for part in parts) and "--against OLD" in text
    assert "versions" not in parse_command([]).parts and "startup" in parse_command([]).parts
    wrong = run("versions", "--against", "tests")
    assert wrong.returncode == 2 and "there is no nrevu in it" in wrong.stderr
    wrong = run("kernel")
    assert wrong.returncode == 2 and "no part 'kernel'" in wrong.stderr
    assert run("--rounds", "0").returncode == 2
    assert doubling(1) == (1,) and doubling(2) == (1, 2) and doubling(6) == (1, 2, 4, 6)
