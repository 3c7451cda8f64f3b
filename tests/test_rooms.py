"""The rooms of the house: imports flow down only, and each large library has one door."""

import ast
import re

import pytest
from conftest import REPO

from nrevu.files import PACKAGE

ORDER = "errors fields files core methods u distributions cells experiments analysis results api"
ORDER = f"{ORDER} figures report conformance pipeline commands __main__".split()


def imports(path):
    """Return the modules that a file imports, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import does not show its room"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


FILES = {str(path.relative_to(PACKAGE))[:-3]: imports(path) for path in PACKAGE.rglob("*.py")}
ROOMS = {name: name.split("/")[0] for name in FILES if not name.startswith(("templates", "__init"))}


def importers(package):
    return {name for name, found in FILES.items() if any(f.split(".")[0] == package for f in found)}


def test_imports_flow_down_only():
    for name, room in ROOMS.items():
        used = {f.split(".")[1] for f in FILES[name] if f.startswith("nrevu.")} - {"__version__"}
        assert all(ORDER.index(other) <= ORDER.index(room) for other in used), (name, used)


def test_each_large_library_has_one_door():
    doors = {"hydra": "experiments", "omegaconf": "experiments", "matplotlib": "figures"}
    doors |= {"bokeh": "report", "jinja2": "report", "snakemake": "pipeline", "psutil": "pipeline"}
    for library, room in doors.items():
        assert {ROOMS[name] for name in importers(library)} == {room}, library
    compiled = {"core", "distributions", "conformance"}
    assert {ROOMS[name] for name in importers("numba")} <= compiled


@pytest.mark.parametrize("folder", ["nrevu", "benchmarks", "examples"])
def test_everything_takes_njit_from_the_module_that_sets_the_target(folder):
    files = [path for path in (REPO / folder).rglob("*.py") if path.name != "target.py"]
    assert files
    for path in files:
        assert not imports(path) & {"numba.njit", "numba.jit"}, path
        assert not re.search(r"\bnumba\.n?jit\b", path.read_text()), path


def test_only_commands_and_the_pipeline_print():
    for name in (n for n, room in ROOMS.items() if room not in ("commands", "pipeline")):
        tree = ast.parse((PACKAGE / f"{name}.py").read_text())
        calls = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
        assert not any(isinstance(f, ast.Name) and f.id == "print" for f in calls), name


def test_what_numba_caches_is_named_by_a_hash_of_its_sources():
    """Numba compares one file only, and would go on using what another one had before."""
    cached = {n for n in FILES if "cache=True" in (PACKAGE / f"{n}.py").read_text()}
    assert cached == {"core/binding"}
