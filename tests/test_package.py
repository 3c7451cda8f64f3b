"""What is installed: a wheel holds the configs, and works without the repository."""

import json
import os
import subprocess
import sys
import zipfile

import pytest
from conftest import REPO


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


def test_a_wheel_runs_from_any_directory(installed, tmp_path):
    assert (installed / "nrevu/conf/experiment/fig1.yaml").exists()
    assert (installed / "nrevu/templates/my_density.py").exists()
    words = [sys.executable, "-m", "nrevu", "run", "size=smoke", "distribution.dim=2", "--json"]
    env = {**os.environ, "PYTHONPATH": str(installed)}
    where = "import nrevu; print(nrevu.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", where], cwd=tmp_path, env=env, capture_output=True
    )
    assert str(installed) in found.stdout.decode()
    run = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["groups"] == 400
