"""What several test files share: how to run the commands as a user would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parent.parent
LONGEST = ["test_slurm", "test_interruptions", "test_workflow", "test_browser", "test_examples"]
LONGEST += ["test_reference", "test_hamiltonian", "test_conformance", "test_driver"]
LONGEST += ["test_user_files", "test_chains", "test_coverage"]


@pytest.fixture(scope="session")
def nrevu():
    """Return a function that runs `nrevu WORDS` and returns the finished process."""

    def run(*words, cwd=None):
        command = [sys.executable, "-m", "nrevu", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=300)

    return run


@pytest.fixture(scope="session")
def snakemake_command():
    """Return a function that gives the command line of the workflow in a folder."""

    def command(folder, *config, cores=2, options=()):
        words = [sys.executable, "-m", "snakemake", "--snakefile", REPO / "Snakefile"]
        words += ["--directory", folder, "--cores", cores, *options]
        return [str(word) for word in (*words, "--config", *config)]

    return command


@pytest.fixture(scope="session")
def snakemake(snakemake_command):
    """Return a function that runs the workflow in a folder to its end."""

    def run(folder, *config, **how):
        command = snakemake_command(folder, *config, **how)
        env = {**os.environ, "COLUMNS": "200"}
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=600)

    return run


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Return one more than there are cores: tests of a cluster and of a browser mostly wait."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """Put the longest files first, so that no worker begins one when the others are done."""
    items.sort(key=lambda item: LONGEST.index(f) if (f := item.path.stem) in LONGEST else 99)
