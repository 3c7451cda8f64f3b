"""Distributions from a user's file: what is filled in, what digests cover, and right numbers."""

import textwrap

import pytest
from workflows import project, series, succeeded

from nrevu.analysis.result import summarise
from nrevu.cells.cell import config, from_config, identity, parameters
from nrevu.cells.chains import sample
from nrevu.core import sources, user_files
from nrevu.core.binding import driver_globals, key
from nrevu.errors import Mistake
from nrevu.experiments.settings import parse, resolve

BOWL = """\
from dataclasses import dataclass
from scale import SCALE


@dataclass(frozen=True)
class Bowl:
    dim: int = 4

    @staticmethod
    def gradient(x, w, data, g):
        total = 0.0
        for i in range(x.size):
            g[i] = x[i] / SCALE**2
            total += x[i] * g[i]
        return 0.5 * total
"""
SWEEP = """\
title: bowls
cell:
  distribution: {file: density/bowl.py, name: Bowl}
  schedule.group: 4
sweep:
  distribution.dim: [2, 3]
  method.stepsize: [1.0, 2.0]
figures:
  bowls: {kind: lines, x: method.stepsize, panels: [tau.log_prob], line: distribution.dim}
"""


def fresh():
    """Forget the classes and hashes of this process, as another process would know none."""
    for cached in (user_files.find_classes, user_files.probe_distribution, sources.files_hash):
        cached.cache_clear()


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a distribution and the module that it imports, as a new process sees it."""
    fresh()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "scale", raising=False)
    (tmp_path / "bowl.py").write_text(BOWL)
    (tmp_path / "scale.py").write_text("SCALE = 2.0\n")
    return tmp_path


def cell_of(*words):
    return resolve(parse(["distribution.file=bowl.py", *words]))


def test_what_is_left_out_is_filled_in_and_the_numbers_are_right(here):
    """Means of N(0, 2^2): 0 and, of U, dim / 2; 4.5 standard errors, 1e-5 for both together."""
    cell, estimate = cell_of("method=hmc", "method.stepsize=1.0", "method.L=3", "schedule.group=2")
    result = summarise(cell, sample(cell), estimate)
    assert set(result["tau"]) == {"coordinate", "log_prob"} == set(result["posterior"])
    for quantity, truth in (("coordinate", 0.0), ("log_prob", 2.0)):
        mean = result["posterior"][quantity]["mean"]
        assert abs(mean["value"] - truth) < 4.5 * mean["se"]
    assert result["not_converged"] == []


def test_the_energy_made_from_the_gradient_is_the_energy(here):
    import numpy as np

    cell, _ = cell_of()
    compiled = driver_globals(*key(cell.sampler))["energy"]
    assert compiled(np.array([2.0, 0.0, 2.0, 0.0]), np.zeros(0), ()) == pytest.approx(1.0)
    result = summarise(cell, sample(cell), resolve(parse([]))[1])  # Metropolis needs it alone
    assert result["evaluations"]["gradient"] == 0 and 0 < result["rejection_rate"]["value"] < 1


def test_a_config_leads_back_to_the_cell_and_the_path_is_no_part_of_it(here):
    cell, _ = cell_of("distribution.dim=3")
    assert from_config(config(cell)) == cell and config(cell)["distribution"]["file"] == "bowl.py"
    assert parameters(cell)["distribution"] == "Bowl" and "bowl.py" not in cell.name
    for name in ("bowl.py", "scale.py"):
        (here / "elsewhere").mkdir(exist_ok=True)
        (here / "elsewhere" / name).write_text((here / name).read_text())
    moved, _ = resolve(parse(["distribution.file=elsewhere/bowl.py", "distribution.dim=3"]))
    assert moved.digest == cell.digest


@pytest.mark.parametrize("file, text", [("bowl.py", BOWL + "\n"), ("scale.py", "SCALE = 3.0\n")])
def test_the_source_and_what_it_imports_are_part_of_the_digest(here, file, text):
    before = cell_of()[0].digest
    (here / file).write_text(text)
    fresh()
    assert cell_of()[0].digest != before


def test_what_content_adds_is_in_the_digest_and_not_in_the_config(here):
    plain = cell_of()[0]
    adds = "dim: int = 4\n\n    def content(self):\n        return {'data': 'abc'}\n"
    (here / "bowl.py").write_text(BOWL.replace("dim: int = 4\n", adds))
    fresh()
    cell = cell_of()[0]
    assert cell.digest != plain.digest and "data" in identity(cell)["distribution"]
    assert from_config(config(cell)) == cell


def test_a_setting_of_ones_own_is_checked_like_any_other(here):
    for words, says in {
        "distribution.dims=3": "Did you mean 'distribution.dim'?",
        "distribution.dim=many": "it must be a whole number",
        "distribution.dim=0": "'dim' must be a whole number, 1 or more",
        "distribution.name=Bow": "Did you mean 'Bowl'?",
    }.items():
        with pytest.raises(Mistake) as caught:
            cell_of(words)
        assert says in str(caught.value)


@pytest.mark.parametrize(
    "old, new, says",
    [
        ("@dataclass(frozen=True)\n", "", "put @dataclass(frozen=True) above the class"),
        ("(frozen=True)", "", "put @dataclass(frozen=True) above the class"),
        ("    dim: int = 4\n", "", "needs 'dim'"),
        ("    @staticmethod\n", "", "put @staticmethod above 'gradient'"),
        ("from scale", "from scales", "ModuleNotFoundError: No module named 'scales' (line 2)"),
        ("def gradient", "def slope", "has no class with a function 'gradient' or 'energy'"),
        ("class Bowl", "class Bowl(", "SyntaxError"),
        ("dim: int = 4", "dim: int = 4\n    def means(self):\n        return {}", "needs 'record'"),
        ("dim: int = 4", "dim: int = 4\n    def data(self):\n        return 3", "return a tuple"),
        (
            "dim: int = 4",
            "dim: int = 4\n    def draw(self, rng):\n        return rng.normal(size=self.dim + 1)",
            "'draw' must return a numpy array of 4 floats",
        ),
        (
            "dim: int = 4",
            "dim: int = 4\n    def start(self, rng):\n        return 1 / 0",
            "'start' fails: ZeroDivisionError: division by zero (line 9)",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_name(here, old, new, says):
    (here / "bowl.py").write_text(BOWL.replace(old, new))
    with pytest.raises(Mistake) as caught:
        cell_of()
    assert says in str(caught.value) and "bowl.py" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "from nrevu.rng import next_gamma",
        "from nrevu.elementary import exp",
        "from nrevu.kernel import OPTIONS",
        "import nrevu.target",
        "from nrevu import elementary",
        "from nrevu.distributions import lined_up",
    ],
)
def test_modules_that_moved_are_reported_with_the_one_to_import_from(here, line):
    (here / "bowl.py").write_text(f"{line}\n{BOWL}")
    with pytest.raises(Mistake) as caught:
        cell_of()
    says = str(caught.value)
    assert "bowl.py: cannot be imported" in says and "(line 1)" in says
    doors = "nrevu.distributions, nrevu.methods, nrevu.u"
    assert says.endswith(f": import what your file needs from {doors}")


def test_what_users_files_import(here):
    lines = ["from nrevu.distributions import *", "from nrevu.fields import real, whole, word"]
    (here / "bowl.py").write_text("\n".join([*lines, "exp, njit, OPTIONS, integer, text", BOWL]))
    assert cell_of()


def test_what_cannot_be_compiled_is_told_with_function_and_reason(here):
    (here / "bowl.py").write_text(BOWL.replace("0.5 * total", "0.5 * totl"))
    with pytest.raises(Mistake) as caught:
        sample(cell_of("method=langevin")[0])
    assert "Bowl.gradient cannot be compiled: NameError: name 'totl'" in str(caught.value)


def test_without_a_gradient_there_is_metropolis_only(here):
    text = BOWL.replace("def gradient(x, w, data, g)", "def energy(x, w, data)")
    text = text.replace("g[i] = x[i] / SCALE**2\n", "").replace("g[i]", "x[i]")
    (here / "bowl.py").write_text(text)
    assert sample(cell_of()[0]).density > 0
    with pytest.raises(Mistake, match="no gradient, and 'hmc' needs it; metropolis does not"):
        cell_of("method=hmc")


@pytest.mark.slow
def test_from_yaml_to_report_in_any_folder(tmp_path, nrevu):
    """As a new user does: the file below the sweep, the sweep given by path, another folder."""
    work = project(tmp_path / "first", SWEEP)
    (work / "density").mkdir()
    (work / "density/bowl.py").write_text(BOWL)
    (work / "density/scale.py").write_text("SCALE = 2.0\n")
    words = ("make", "mine.yaml", "--size", "smoke", "--cores", "2")
    first = succeeded(nrevu(*words, cwd=work))
    assert "compiling Bowl, to see how fast it is" in first.stderr
    assert len(series(work)) == 4 and (work / "results/smoke/report.html").exists()
    assert (work / "results/smoke/mine/bowls.png").exists()
    again = succeeded(nrevu(*words, cwd=work))
    assert "Nothing to be done" in again.stderr
    other = tmp_path / "other"
    other.mkdir()
    succeeded(nrevu("make", "../first/mine.yaml", *words[2:], "--until", "sample", cwd=other))
    assert series(other) == series(work)  # bit for bit, wherever it runs from


@pytest.mark.slow
def test_a_failing_job_names_the_cell_and_the_error(tmp_path, nrevu):
    work = project(tmp_path / "work", SWEEP.replace("density/", ""))
    fails = textwrap.dedent("""\
            def start(self, rng):
                x = rng.standard_normal(self.dim)
                if x[0] > 0.5:
                    raise RuntimeError("too far out")
                return x
        """)
    dim = "    dim: int = 4\n"
    text = BOWL.replace(dim, f"{dim}\n{textwrap.indent(fails, '    ')}")
    (work / "bowl.py").write_text(text)
    (work / "scale.py").write_text("SCALE = 2.0\n")
    run = nrevu("make", "mine.yaml", "--size", "smoke", cwd=work)
    assert run.returncode == 1 and "nrevu report --size smoke" in run.stderr
    assert "failed: " in run.stderr and "RuntimeError: too far out" in run.stderr
    succeeded(nrevu("report", "--size", "smoke", cwd=work))
    assert "Not finished." in (work / "results/smoke/report.html").read_text()
