"""The report: whole and in part, with wrong results, and what it needs from elsewhere: nothing."""

import dataclasses
import json
import re

import pandas as pd
import pytest
from bokeh.resources import Resources

from nrevu.chain import sample
from nrevu.experiment import expand
from nrevu.report import find_results, page
from nrevu.result import summarise


def analysed(folder, name, keep=lambda cell: True, wrong=1.0):
    """Write results of an experiment at smoke size as the workflow does, some left out."""
    experiment = expand(name, "smoke")
    results = []
    for cell in experiment.cells:
        if keep(cell):
            result = summarise(cell, sample(cell), experiment.estimate)
            result["rejection_rate"]["value"] *= wrong
            results.append(result | {"provenance": {"numpy": "9.9", "commit": "abc"}})
    file = folder / name / "tau/0001.json"
    file.parent.mkdir(parents=True)
    content = {"estimate": vars(experiment.estimate), "results": results}
    file.write_text(json.dumps(content))
    return find_results(experiment, name, folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return page([analysed(folder, name) for name in ("mixed_hmc", "fig2_delta")])


def test_it_holds_everything_and_needs_nothing(whole):
    for text in ("mixed_hmc", "fig2_delta", "published numbers compared", "arXiv:2001.11950"):
        assert text in whole
    assert whole.count('class="plot"') == 1 + 6  # a map, and three panels for each of two figures
    assert len(re.findall("nrevu run experiment=", whole)) > 2 * (15 + 18)
    own = whole.replace(Resources(mode="inline", components=["bokeh"], minified=True).render(), "")
    assert len(own) < len(whole) - 1e6  # what is left is the page without the library
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own) and "Not finished" not in own
    assert len(whole) < 3e6


def test_the_commands_run_the_very_cells(whole):
    from nrevu.config import parse, resolve
    from nrevu.experiment import shared_settings

    words = re.findall(r"<code>nrevu run (experiment=fig2_delta [^<]*)</code>", whole)
    settings = [parse(line.split()) for line in words]
    found = set()
    for given in settings:
        rest = [s for s in given if s.key != "experiment"]
        found.add(resolve([*shared_settings("fig2_delta", given), *rest])[0].digest)
    assert found == {cell.digest for cell in expand("fig2_delta", "smoke").cells}


def test_wrong_results_differ(tmp_path):
    text = page([analysed(tmp_path, "mixed_hmc", wrong=1.5)])
    assert 'class="differs">differs' in text and "not all as published" in text


def test_half_finished_work_says_what_is_missing_and_claims_nothing_from_it(tmp_path):
    found = analysed(tmp_path, "fig2_delta", keep=lambda cell: cell.u.delta != 0.03)
    text = page([found])
    assert "Not finished." in text and "8 of 18 cells are missing" in text
    assert "delta 0.03, noise 0.5" in text and "No published number was compared" in text


def test_nothing_that_could_be_confirmed(tmp_path):
    found = analysed(tmp_path, "mixed_hmc")
    empty = dataclasses.replace(found, confirmed=pd.DataFrame({"group": [], "best": []}))
    assert "0 to confirm best cells" in page([empty]) and "Selected, then" not in page([empty])


def test_nothing_at_all(tmp_path):
    text = page([find_results(expand("fig1", "smoke"), "fig1", tmp_path)])
    assert "55 of 55 cells are missing" in text and 'class="agrees"' not in text
