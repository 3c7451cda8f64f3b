"""The report: whole and in part, with wrong results, and what it needs from elsewhere: nothing."""

import dataclasses
import json
import re

import pandas as pd
import pytest
from bokeh.resources import Resources

from nrevu.analysis.result import summarise
from nrevu.cells.chains import sample
from nrevu.experiments.experiment import expand
from nrevu.experiments.sections import build, figure_kinds
from nrevu.figures._style import METHOD_COLOURS
from nrevu.report import page as pages
from nrevu.report.content import Content, find_results
from nrevu.report.plots import figures_of


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
    return find_results(experiment, ["0001"], folder / name)


def page(found):
    """Return the page on some results."""
    return pages.page(Content("smoke", found))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return page([analysed(folder, name) for name in ("mixed_hmc", "fig2_delta")])


def test_it_holds_everything_and_needs_nothing(whole):
    for text in ("mixed_hmc", "fig2_delta", "sistent with the paper", "arXiv:2001.11950"):
        assert text in whole
    assert whole.count('class="plot"') == 1 + 6  # a map, and three panels for each of two figures
    assert len(re.findall("nrevu run experiment=", whole)) > 2 * (15 + 18)
    own = whole.replace(Resources(mode="inline", components=["bokeh"], minified=True).render(), "")
    assert len(own) < len(whole) - 1e6  # what is left is the page without the library
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own) and "Not finished" not in own
    assert len(whole) < 3e6


def test_the_commands_run_the_very_cells(whole):
    from nrevu.experiments.experiment import shared_settings
    from nrevu.experiments.settings import parse, resolve

    words = re.findall(r"<code>nrevu run (experiment=fig2_delta [^<]*)</code>", whole)
    settings = [parse(line.split()) for line in words]
    found = set()
    for given in settings:
        rest = [s for s in given if s.key != "experiment"]
        found.add(resolve([*shared_settings("fig2_delta", given), *rest])[0].digest)
    assert found == {cell.digest for cell in expand("fig2_delta", "smoke").cells}


def test_wrong_results_differ(tmp_path):
    text = page([analysed(tmp_path, "mixed_hmc", wrong=3.0)])
    assert 'class="differs">differs' in text and "Not consistent with the paper" in text


def test_half_finished_work_says_what_is_missing_and_claims_nothing_from_it(tmp_path):
    found = analysed(tmp_path, "fig2_delta", keep=lambda cell: cell.u.delta != 0.03)
    text = page([found])
    assert "Not finished." in text and "8 of 18 cells are missing" in text
    assert (
        "delta 0.03, noise 0.5" in text and "No published number of the paper was compared" in text
    )


def test_another_target_is_said(whole, tmp_path):
    """The results of `whole` do not say what they were compiled for; these do."""
    found = analysed(tmp_path, "mixed_hmc")
    usual, other = ({"target": name} for name in ("x86-64-v3", "armv8"))
    assert "may differ from those on other machines" in whole
    text = page([dataclasses.replace(found, provenance=(usual, other))])
    assert "Some cells were compiled for armv8, not for x86-64-v3" in text
    assert "on other machines" not in page([dataclasses.replace(found, provenance=(usual,))])


def test_damaged_results_count_as_missing(tmp_path):
    found = analysed(tmp_path, "mixed_hmc")
    file = tmp_path / "mixed_hmc/tau/0001.json"
    whole = file.read_text()
    for damage in (whole[:1000], "", "[1]", whole.replace('"longer"', '"lnoger"')):
        file.write_text(damage)
        again = find_results(found.experiment, ["0001"], tmp_path / "mixed_hmc")
        assert len(again.missing) == 15 and "Not finished" in page([again])


def test_confirmed_cells_at_an_edge_have_a_remark_and_cpu_time(tmp_path):
    found = analysed(tmp_path, "mixed_hmc")
    cells = found.table[:2].assign(group="g", best="tau.indicator", edge=["method.L lowest", ""])
    cells = cells.assign(round=1, last=True, cpu_seconds=[30.0, 45.0])
    cells = cells.assign(**{"selected": 2.0, "selected.se": 0.1, "selected.digest": cells.digest})
    text = page([dataclasses.replace(found, confirmed=cells)])
    assert text.count("at the edge of the grid: method.L lowest") == 1
    assert text.count("at the edge of the grid:") == 1 and "75 to confirm best cells" in text


def test_times_in_seconds_are_in_the_tables_with_a_caution(whole):
    head = re.search(r'id="t-mixed_hmc">.*?</thead>', whole, re.DOTALL)[0]
    for name in ("tau.indicator", "cost.indicator", "time.indicator"):
        assert f">{name}</th>" in head
    assert "CPU time depends on the machine and on the density" in whole


def test_nothing_that_could_be_confirmed(tmp_path):
    found = analysed(tmp_path, "mixed_hmc")
    empty = dataclasses.replace(found, confirmed=pd.DataFrame({"group": [], "best": []}))
    assert "0 to confirm best cells" in page([empty]) and "Selected, then" not in page([empty])


def test_nothing_at_all(tmp_path):
    text = page([find_results(expand("fig1", "smoke"), ["0001"], tmp_path)])
    assert "55 of 55 cells are missing" in text and 'class="agrees"' not in text


def by_length():
    """A made-up table of HMC with lengths in no order, and of Langevin, which has none."""
    cells = [("hmc", 16.0), ("hmc", 4.0), ("hmc", 32.0), ("langevin", None), ("hmc", 8.0)]
    steps = pd.DataFrame({"method.stepsize": [0.1, 0.2]})
    table = pd.DataFrame(cells, columns=["method", "method.L"]).merge(steps, how="cross")
    values = {"tau.relevant": 3.0, "tau.relevant.se": 0.1, "cost.indicator": 90.0}
    table = table.assign(u="standard", **values, **{"cost.indicator.se": 5.0})
    return table.assign(**{"tau.relevant.lag_too_short": table["method.stepsize"] < 0.15})


def plots(**settings):
    """Return the interactive figures of such a table, with made-up tips."""
    table = by_length()
    settings = {"kind": "lines", "x": "method.stepsize", "y_scale": "log", **settings}
    settings = build(figure_kinds()["lines"], settings)
    return figures_of(settings, table, pd.DataFrame({"settings": ""}, index=table.index))


def test_the_key_of_an_interactive_figure_is_in_the_order_of_numbers():
    (plot,) = plots(line="method.L", line_label="length L", panels=["tau.relevant"])
    (key,) = plot.legend
    names = ["Langevin", "length L 4", "length L 8", "length L 16", "length L 32"]
    assert [item.label.value for item in key.items] == names
    (drawn,) = key.items[0].renderers
    data = drawn.data_source.data
    for item, path in zip(key.items, plot.renderers[0].data_source.data["line_color"], strict=True):
        assert data["colour"][item.index] == data["fill"][item.index] == path  # and not hollow


def test_labels_of_an_interactive_figure_fit_its_height():
    tau, cost = plots(panels=["tau.relevant", "cost.indicator"])
    for plot, words in ((tau, "τ of the log σ of the plausibly"), (cost, "gradient evaluations")):
        label = plot.yaxis[0].axis_label
        assert label.startswith(words) and max(map(len, label.split("\n"))) <= 36
        assert type(plot.y_scale).__name__ == "LogScale"


def test_interactive_figures_have_the_colours_of_the_others():
    (plot,) = plots(line="method", panels=["tau.relevant"])
    expected = [METHOD_COLOURS[name][0] for name in ("hmc", "langevin")]
    assert plot.renderers[0].data_source.data["line_color"] == expected
    (plot,) = plots(line="method", panels=["tau.relevant"], colours=["#123456", "#abcdef"])
    assert plot.renderers[0].data_source.data["line_color"] == ["#123456", "#abcdef"]


def test_no_interactive_figure_of_no_cells():
    assert plots(line="method.L", panels=["tau.relevant"], where={"u": "nonreversible"}) == []


def rows_of_statements(text):
    """Return the cells' texts of each row of a page's table of statements."""
    table = text[text.index('<table id="claims">') : text.index('<table id="numbers">')]
    rows = re.findall(r"<tr>(<td>.*?)</tr>", table)
    return [[re.sub("<.*?>", " ", cell) for cell in re.findall(r"<td.*?</td>", r)] for r in rows]


def test_the_page_leads_with_the_statements_in_the_papers_order(tmp_path):
    found = [analysed(tmp_path, name) for name in ("fig1", "hmc_pairs")]
    rows = rows_of_statements(page(found))
    assert [row[0].strip() for row in rows][:4] == [
        "Abstract",
        "Abstract",
        "Section 2",
        "Section 3",
    ]
    assert len(rows) == 11 and all(row[2].strip() for row in rows)
    (matched,) = [row for row in rows if "keeps the rejection rate" in row[1]]
    assert "44 pairs, joint p" in matched[6] and " to " in matched[4]
    (absent,) = [
        row for row in rows if "standard u, is less efficient" in row[1]
    ]  # needs cells of fig2
    assert "not judged" in absent[7] and "missing" in absent[7]
