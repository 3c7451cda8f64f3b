"""The examples in the documents: every YAML block is, or completes, an experiment that expands.

A block without a title is a part: what else a file needs is taken from the last whole one before
it on the page. A block after the line `<!-- not an experiment -->` is left alone. Python blocks
that begin with `# NAME.py` are the files that examples speak of.
"""

import re
import tomllib

import pytest
import results_page
import yaml
from conftest import REPO

from nrevu.analysis.verdict import headlines
from nrevu.experiments.experiment import expand
from nrevu.experiments.experiment_file import KEYS
from nrevu.experiments.sections import (
    Claim,
    Confirm,
    Published,
    Trace,
    field_kinds,
    figure_kinds,
)
from nrevu.experiments.yaml_document import Loader
from nrevu.files import choices

PAGES = [REPO / "README.md", *sorted((REPO / "docs").glob("*.md"))]
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
LEFT_ALONE = "<!-- not an experiment -->"


def blocks(page, language):
    """Yield the line and the text of each fenced block of a language."""
    text = page.read_text()
    for found in FENCE.finditer(text):
        before = text[: found.start()]
        if found[2] == language and not before.rstrip().endswith(LEFT_ALONE):
            yield before.count("\n") + 1, found[3]


def experiments():
    """Yield the page, the line and the data of each example, parts completed."""
    for page in PAGES:
        whole = {}
        for line, text in blocks(page, "yaml"):
            data = yaml.load(text, Loader)
            whole = data if "title" in data else whole
            needed = {key: whole[key] for key in ("title", "cell", "sweep") if key in whole}
            yield page, line, needed | data


EXAMPLES = list(experiments())


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in a folder that has the Python files of the documents, and those to start from."""
    for template in (REPO / "nrevu/templates").glob("*.py"):
        (tmp_path / template.name).write_text(template.read_text())
    for page in PAGES:
        for _, text in blocks(page, "python"):
            name = re.match(r"# (\w+\.py)\n", text)
            if name:
                (tmp_path / name[1]).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "page, line, data", EXAMPLES, ids=[f"{page.name}:{line}" for page, line, _ in EXAMPLES]
)
def test_every_example_expands_at_every_size(here, page, line, data):
    (here / "example.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    for size in choices("size"):
        assert expand(str(here / "example.yaml"), size).cells


def test_there_are_examples_of_everything():
    """Each key of the grammar, and each kind of figure, is in some example of docs/sweeps.md."""
    parts = [data for page, _, data in EXAMPLES if page.name == "sweeps.md"]
    figures = [figure for data in parts for figure in data.get("figures", {}).values()]
    kinds = {kind: field_kinds(each) for kind, each in figure_kinds().items()}
    assert {figure["kind"] for figure in figures} == kinds.keys()
    keys = {key for fields in kinds.values() for key in fields}
    assert {key for figure in figures for key in figure} == keys - {"columns"}
    for name, section in (("confirm", Confirm), ("trace", Trace)):
        assert {key for data in parts for key in data.get(name, {})} == field_kinds(section).keys()
    for name, section in (("claims", Claim), ("published", Published)):
        entries = [entry for data in parts for entry in data.get(name, ())]
        keys = {key for entry in entries for key in entry}
        assert keys >= field_kinds(section).keys() - {"numbers"}
    page = (REPO / "docs/sweeps.md").read_text()
    assert all(f"`{key}`" in page for key in (*KEYS, "columns"))


def test_the_page_counts_its_cells(here):
    _, _, data = next(e for e in EXAMPLES if e[0].name == "sweeps.md")
    (here / "first.yaml").write_text(yaml.safe_dump(data))
    page = (REPO / "docs/sweeps.md").read_text()
    assert "These are 5 + 10 cells" in page and len(expand("first.yaml", "smoke").cells) == 15


def test_the_results_have_the_digits_of_the_reference_run():
    """Both tables, and the headline's p, as the main command prints them.

    If this fails, `python tests/helpers/results_page.py` writes the tables that are expected.
    """
    text = (REPO / "docs/results.md").read_text()
    assert text.splitlines() == results_page.filled(text).splitlines()
    rows = results_page.compared()
    headline = headlines(rows[rows.kind == "number"])[0].partition(" (")[0]
    assert headline.partition(": ")[2] in text.replace("\n", " ")


def test_the_conda_environment_names_what_the_package_needs():
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    environment = yaml.safe_load((REPO / "workflow/envs/nrevu.yaml").read_text())
    names = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}
    listed = {line.split()[0]: line.split()[1:] for line in environment["dependencies"]}
    listed = {names.get(name, name): "".join(version) for name, version in listed.items()}
    required = [re.match(r"([a-z0-9-]+)(.*)", line).groups() for line in project["dependencies"]]
    assert listed.pop("python") == project["requires-python"] and listed.pop("pip") == ""
    assert listed == dict(required)
