"""What is installed: a wheel holds the configs, and works without the repository."""

import ast
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
import snakemake.report
from conftest import REPO
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder with the contents of a wheel, as an install would lay them out."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=REPO, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.fixture
def python(installed, tmp_path):
    """Return a function that runs Python with that install, in an empty folder."""

    def run(*words):
        env = {**os.environ, "PYTHONPATH": str(installed)}
        command = [sys.executable, *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)

    return run


@pytest.mark.slow
def test_a_wheel_runs_from_any_directory(installed, python):
    assert str(installed) in python("-c", "import nrevu; print(nrevu.__file__)").stdout
    run = python("-m", "nrevu", "run", "size=smoke", "distribution.dim=2", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["groups"] == 400


def test_a_wheel_brings_the_workflow_and_files_to_start_from(python, tmp_path):
    assert "Sweeps" in python("-m", "nrevu", "docs").stdout
    for kind in ("sweep", "distribution"):
        assert python("-m", "nrevu", "new", kind).returncode == 0
    assert (tmp_path / "my_density.py").exists()
    run = python("-m", "nrevu", "make", "my_sweep.yaml", "--size", "smoke", "--dry-run")
    assert run.returncode == 0, run.stderr
    assert "sample" in run.stdout and "report" in run.stdout


def installed_with_nrevu():
    """Return the distributions that a plain installation brings, by canonical name."""
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    found, waiting = set(), list(project["dependencies"])
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and name not in found:
            found.add(name)
            try:
                waiting += requires(name) or []
            except PackageNotFoundError:  # for another platform or Python
                continue
    return found


def test_all_that_snakemakes_own_report_imports_is_installed():
    """Also what it imports inside functions, and does not declare."""
    names = set()
    for path in Path(snakemake.report.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            if isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    providers = packages_distributions()
    needed = {canonicalize_name(d) for n in names - sys.stdlib_module_names for d in providers[n]}
    assert "pygments" in needed and needed <= installed_with_nrevu()
