"""`nrevu report`: which pages it writes, and that none is replaced by one that knows less."""

import json
import re
from pathlib import Path

import pytest

from nrevu.analysis.result import summarise
from nrevu.cells.chains import sample
from nrevu.commands.main import main
from nrevu.experiments.experiment import expand, read, source
from nrevu.pipeline.plan import jobs_of, plan_from_config
from nrevu.pipeline.plan_files import write_plan

SWEEP = """\
title: the sweep NAME
cell: {distribution: gaussian, distribution.dim: 2, method: METHOD}
sweep: {method.stepsize: [0.5, 1.0]}
"""
BESIDE = """\
beside: [first.yaml]
claims:
  - text: over the other
    published: 1.83
    quantity: tau.log_prob
    of: {method: metropolis}
    over: {method: langevin}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Go to a folder with two sweeps, of which the second makes a claim with the first."""
    monkeypatch.chdir(tmp_path)
    read.cache_clear()
    expand.cache_clear()
    for name, method, more in (("first", "metropolis", ""), ("second", "langevin", BESIDE)):
        text = SWEEP.replace("NAME", name).replace("METHOD", method) + more
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def ran(name, seed=None, cells=None):
    """Write the results of an experiment as the workflow does, of all cells or of the first few."""
    config = {"experiments": name, "size": "smoke", "batch": 1e9}
    plan = plan_from_config(config if seed is None else config | {"seed": seed})
    write_plan(plan, jobs_of(plan))
    e = plan.experiments[Path(name).stem]
    results = [summarise(cell, sample(cell), e.estimate) for cell in e.cells[:cells]]
    content = {"estimate": vars(e.estimate), "results": [r | {"provenance": {}} for r in results]}
    folder = Path("results") / plan.label / e.name / "tau"
    folder.mkdir(parents=True)
    (folder / "0001.json").write_text(json.dumps(content))


def sections(path):
    """Return the experiments that a page has a section on, in order."""
    found = re.findall(r'<h2 id="(\w+)"', path.read_text())
    return [name for name in found if name not in ("verdicts", "provenance")]


def test_a_page_for_each_label_with_all_that_was_planned_there(here, capsys):
    for name in ("second.yaml", "./first.yaml", "langevin"):
        ran(name)
    ran("first.yaml", seed=7, cells=1)
    assert main(["report"]) == 0
    pages = ["results/smoke/report.html", "results/smoke-seed7/report.html", "results/report.html"]
    assert capsys.readouterr().out.split() == [w for page in pages for w in ("report:", page)]
    assert sections(here / pages[0]) == ["langevin", "first", "second"]  # the paper's come first
    assert sections(here / pages[1]) == ["first"]
    assert "1 of 2 cells are missing" in (here / pages[1]).read_text()
    index = (here / pages[2]).read_text()
    assert "39 of 39" in index and "1 of 2" in index and 'href="smoke-seed7/report.html"' in index
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", index)


def test_size_and_seed_choose_the_pages(here, capsys):
    ran("first.yaml")
    ran("first.yaml", seed=7)
    for words, label in (("--size smoke", "smoke"), ("--seed 7", "smoke-seed7")):
        assert main(["report", *words.split()]) == 0
        assert capsys.readouterr().out.startswith(f"report: results/{label}/report.html\n")
    assert main(["report", "--size", "smoke", "--out", "one.html"]) == 0
    assert sections(here / "one.html") == ["first"]


def test_results_are_shown_as_planned_whatever_became_of_the_yaml_file(here):
    ran("first.yaml")
    ran("second.yaml")
    (here / "second.yaml").write_text("titel: x\n")
    (here / "first.yaml").rename(here / "moved.yaml")
    read.cache_clear()
    expand.cache_clear()
    assert main(["report"]) == 0
    assert sections(here / "results/smoke/report.html") == ["first", "second"]


def test_an_experiment_whose_plan_is_lost_is_named_with_the_reason(here):
    ran("first.yaml")
    ran("second.yaml")
    (here / "results/smoke/old/tau").mkdir(parents=True)  # by a version that wrote no plan
    plan = here / "results/plan/smoke/second/experiment.json"
    plan.write_text(plan.read_text()[:100])
    assert main(["report"]) == 0
    text = (here / "results/smoke/report.html").read_text()
    assert sections(here / "results/smoke/report.html") == ["first"]
    for name in ("second", "old"):
        assert f"{name}: its plan is missing or damaged" in text
    index = (here / "results/report.html").read_text()
    assert all(f"{name} (cannot be read)" in index for name in ("second", "old"))


def test_named_experiments_have_a_page_of_their_own(here, capsys):
    ran("first.yaml")
    ran("second.yaml")
    assert main(["report"]) == 0
    before = {path: path.read_text() for path in (here / "results").rglob("report.*")}
    assert main(["report", "second.yaml", "--size", "smoke"]) == 0
    page = here / "results/smoke/report-second.html"
    assert sections(page) == ["second"]
    assert "over the other" in page.read_text() and "1.83" in page.read_text()
    for kept in ("results/report.html", "results/smoke/report.html"):
        assert main(["report", "second.yaml", "--size", "smoke", "--out", kept]) == 2
    assert {path: path.read_text() for path in before} == before


@pytest.mark.parametrize(
    "words, says",
    [
        ("", "results: there are no results yet: `nrevu make`"),
        ("fig1", "results: there are no results yet"),
        ("fig1 --size smoke", "nothing of fig1 in smoke; there is smoke-seed7"),
        ("--size quick", "nothing of this size and seed; there is smoke-seed7"),
    ],
)
def test_without_results_nothing_is_written(here, capsys, words, says):
    if "smoke-seed7" in says:
        ran("first.yaml", seed=7, cells=1)
    before = sorted(here.rglob("*"))
    assert main(["report", *words.split()]) == 2
    assert says in capsys.readouterr().err and sorted(here.rglob("*")) == before


def test_an_experiment_has_one_name_however_it_is_given(here):
    names = (
        "first.yaml",
        "./first.yaml",
        str(here / "first.yaml"),
        "../" + here.name + "/first.yaml",
    )
    assert {source(name) for name in names} == {"first.yaml"}
    (here / "sub").mkdir()
    (here / "sub/inner.yaml").write_text("")
    assert source("sub/../sub/inner.yaml") == "sub/inner.yaml" and source("fig1") == "fig1"
