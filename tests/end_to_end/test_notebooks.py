"""The notebooks run from top to bottom, as a user runs them, and so does docs/python.md."""

import re

import nbformat
import numpy as np
import pytest
from conftest import REPO
from nbclient import NotebookClient
from workflows import succeeded

NOTEBOOKS = REPO / "examples/notebooks"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory, nrevu):
    """The folder of a run of Figure 1 at size quick."""
    folder = tmp_path_factory.mktemp("run")
    succeeded(nrevu("make", "fig1", "--size", "quick", cwd=folder))
    return folder


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, run):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": run}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    text = "".join(output.get("text", "") for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2
    if (
        path.stem == "method"
    ):  # rejections cluster, and u of 0.03 is better: by far more than errors
        standard, other = (float(n) for n in re.findall(r"u: ([\d.]+) of all updates", text))
        assert standard == pytest.approx(other, rel=0.1)
        assert abs(float(re.search(r"nrevu, HMC: .* z ([+-][\d.]+)", text)[1])) < 5


def test_the_page_on_python_runs(run, monkeypatch):
    """After the README's lines, from top to bottom; the regression's means are those of algebra."""
    monkeypatch.chdir(run)
    texts = [(REPO / name).read_text() for name in ("README.md", "docs/python.md")]
    page = [block for t in texts for block in re.findall(r"```python\n(.*?)```", t, re.DOTALL)]
    assert len(page) > 7
    scope = {"__name__": "__main__"}
    for text in page:
        exec(compile(text, "<notebook>", "exec"), scope)
    inputs, outputs = scope["inputs"], scope["outputs"]
    precision = np.eye(3) + 10 * inputs.T @ inputs
    exact = np.linalg.solve(precision, 10 * inputs.T @ outputs)
    errors = np.sqrt(np.diag(np.linalg.inv(precision)))
    assert np.abs(scope["result"].x.mean(axis=(0, 1)) - exact).max() < 0.3 * errors.min()
