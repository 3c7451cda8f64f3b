"""Who may import what: the walls of the house."""

import ast
import re
from pathlib import Path

import nrevu

HERE = Path(nrevu.__file__).parent
SAMPLING = ("rng", "elementary", "accept", "lanes", "updates", "kernel", "chain", "target")


def is_sampling(name):
    return name in SAMPLING or name.startswith("distributions/")


def imports(path):
    """Return the modules that a file imports, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add(node.module)
            if node.module == "nrevu":
                found |= {f"nrevu.{alias.name}" for alias in node.names}
    return found


FILES = {str(path.relative_to(HERE))[:-3]: imports(path) for path in HERE.rglob("*.py")}


def importers(package):
    return {name for name, found in FILES.items() if any(f.split(".")[0] == package for f in found)}


def test_hydra_matplotlib_psutil_and_snakemake_have_one_door_each():
    assert importers("hydra") == importers("omegaconf") == {"composing"}
    assert {name.split("/")[0] for name in importers("matplotlib")} == {"figures"}
    assert importers("psutil") == {"processes"}
    assert importers("snakemake_interface_logger_plugins") == {"jobs", "progress"}
    assert importers("snakemake") == {"targets"}


def test_numba_stays_in_the_sampling_modules():
    """And in the checks of a distribution, which compile its functions one at a time."""
    assert all(is_sampling(n) or n.startswith("conformance/") for n in importers("numba"))


def test_everything_takes_njit_from_the_module_that_sets_the_target():
    for folder in (HERE, HERE.parent / "benchmarks", HERE.parent / "examples"):
        for path in (p for p in folder.rglob("*.py") if p.name != "target.py"):
            assert not re.search(r"from numba import .*njit|numba\.n?jit", path.read_text()), path


def test_sampling_modules_know_nothing_of_files_configs_or_tables():
    plain = ("cases", "cell", "distributions", "fields", "foreign", "method", "probing")
    allowed = {*SAMPLING, *plain, "mistake", "series", "sources"}
    for name, found in FILES.items():
        if is_sampling(name):
            own = {f.partition(".")[2].split(".")[0] for f in found if f.startswith("nrevu.")}
            assert own <= allowed, name
            assert not any(f.split(".")[0] in ("yaml", "pandas", "json") for f in found), name


def test_only_the_commands_print():
    for name in (n for n in FILES if not n.startswith(("cli", "commands/", "steps", "progress"))):
        tree = ast.parse((HERE / f"{name}.py").read_text())
        calls = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
        assert not any(isinstance(f, ast.Name) and f.id == "print" for f in calls), name


def test_what_numba_caches_calls_nothing_in_another_file():
    """It looks at the one file only, and would go on using what another one had before.

    Kernels carry a hash of all their sources in their names instead.
    """
    for name, found in FILES.items():
        text = (HERE / f"{name}.py").read_text()
        if name != "kernel" and ("cache=True" in text or '"cache": True' in text):
            assert not any(module.startswith("nrevu") for module in found), name
