"""`nrevu export`: a cell's chains for ArviZ, an experiment's tables in other forms."""

import json
import sys

import arviz
import numpy as np
import pandas as pd
import pytest
import xarray

from nrevu.analysis.autocorrelation import split_rhat
from nrevu.analysis.result import summarise
from nrevu.cells.chains import sample
from nrevu.commands.main import main
from nrevu.core.contracts import part
from nrevu.experiments.settings import parse, resolve
from nrevu.results import series_files
from nrevu.results.provenance import provenance

WORDS = ["distribution.dim=3", "schedule.group=4", "run.chains=4"]
FIG1 = ["experiment=fig1", "u=standard"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def keep(folder, *words):
    """Sample a cell and keep it, as the workflow does."""
    cell, estimate = resolve(parse(words))
    series = sample(cell)
    series_files.write(folder / "results/cells", cell, series, provenance())
    return cell, series, summarise(cell, series, estimate)


def said(capsys, *words):
    """Return what a command that is a mistake says."""
    assert main(["export", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    return err


def test_the_file_holds_the_series_as_it_is(here, capsys):
    cell, series, result = keep(here, *WORDS, "run.groups=402", "u=nonreversible")
    assert main(["export", "cell", cell.digest[:12]]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{cell.digest}.nc: 4 chains of 100 draws",
        "the last draw of 2 longer chains is omitted: all chains must have equal length",
    ]
    tree = xarray.open_datatree(here / f"{cell.digest}.nc", engine="h5netcdf")
    assert set(tree) == {"posterior", "sample_stats"}
    posterior, stats = tree["posterior"], tree["sample_stats"]
    starts = np.cumsum([0, *series.lengths[:-1]])
    columns = part(cell.distribution, "derive")(series.rows).T
    for name, values in zip(("coordinate", "log_prob"), columns, strict=True):
        assert posterior[name].dims == ("chain", "draw") and posterior[name].dtype == np.float64
        expected = [values[start : start + 100] for start in starts]
        assert np.array_equal(posterior[name], expected)
    rejected = [series.rejected[start : start + 100] for start in starts]
    assert np.array_equal(stats["rejected"], rejected)
    assert np.allclose(stats["acceptance_rate"], 1 - np.array(rejected) / 4)
    for group in (tree, posterior, stats):
        assert group.attrs["digest"] == cell.digest and group.attrs["name"] == cell.name
        assert group.attrs["inference_library"] == "nrevu" and group.attrs["created_at"]
        assert json.loads(group.attrs["config"]) == result["config"]
        assert json.loads(group.attrs["provenance"]) == provenance()


def test_arviz_finds_what_we_find(here):
    cell, series, result = keep(here, *WORDS, "run.groups=8000", "estimate.max_lag=20")
    assert main(["export", "cell", cell.digest, "--out", "deep/er.nc"]) == 0
    data = arviz.from_netcdf("deep/er.nc")
    rhat, effective = arviz.rhat(data, method="split"), arviz.ess(data, method="mean")
    summary = arviz.summary(data, kind="stats", round_to="none")
    columns = dict(zip(cell.distribution.means(), series.rows.T, strict=True))
    for name, values in columns.items():
        assert summary["mean"][name] == pytest.approx(values.mean(dtype=float), rel=1e-9)
        assert float(rhat[name]) == pytest.approx(split_rhat(values, series.lengths), rel=1e-9)
        # Of the same series by another rule for lags: were both independent, false alarm 6e-7.
        tau = result["tau"][name]
        theirs = values.size / float(effective[name])
        assert abs(theirs - tau["value"]) < 5 * 2**0.5 * tau["se"] < tau["value"]
    rate = float(data.sample_stats["acceptance_rate"].mean())
    assert rate == pytest.approx(1 - result["rejection_rate"]["value"])


def test_a_cell_by_its_settings(here, capsys):
    shared = ["distribution.dim=40", "method.scaling=0.5", "schedule.group=40", "size=smoke"]
    cell, _, _ = keep(here, *shared, "method.stepsize=1.8")
    assert main(["export", "cell", *FIG1, "size=smoke", "method.stepsize=1.8"]) == 0
    assert (here / f"{cell.digest}.nc").exists()
    capsys.readouterr()
    says = said(capsys, "cell", *FIG1, "size=quick", "method.stepsize=1.8", "seed=3")
    assert "To make it: nrevu make fig1 --size quick --seed 3" in says
    says = said(capsys, "cell", *FIG1, "size=smoke", "method.stepsize=1.85")
    assert "none of the cells of fig1" in says and "nrevu cells fig1" in says
    assert "go into a sweep" in said(capsys, "cell", "method.stepsize=1.8", "seed=4")
    assert "Did you mean 'method.stepsize'?" in said(capsys, "cell", "method.stepsiz=1.8")


def test_digests_that_are_not_there(here, capsys):
    assert "It holds none" in said(capsys, "cell", "3fa9")
    kept = [keep(here, *WORDS, "run.groups=400", f"seed={n}")[0].digest for n in range(17)]
    twice = next(d[0] for d in kept if sum(other.startswith(d[0]) for other in kept) > 1)
    says = said(capsys, "cell", twice)
    assert all(d in says for d in sorted(d for d in kept if d.startswith(twice))[:5])
    wrong = kept[0][:-1] + ("0" if kept[0][-1] != "0" else "1")
    assert kept[0] in said(capsys, "cell", wrong)
    assert "give one digest" in said(capsys, "cell", kept[0], kept[1])
    assert "unknown ending '.csv'" in said(capsys, "cell", kept[0], "--out", "x.csv")
    (here / "file").write_text("")
    assert "file/x.nc: cannot be written" in said(capsys, "cell", kept[0], "--out", "file/x.nc")


def test_a_file_that_cannot_be_used(here, capsys, monkeypatch):
    cell, _, _ = keep(here, *WORDS, "run.groups=400")
    path = here / f"results/cells/{cell.digest}.parquet"
    other = path.with_stem("f" * 16)
    other.write_bytes(path.read_bytes())
    assert "is damaged or holds another cell" in said(capsys, "cell", "f" * 16)
    with monkeypatch.context() as newer:
        newer.setattr("nrevu.cells.cell.SAMPLING_VERSION", 10**6)
        assert "another version of the code" in said(capsys, "cell", cell.digest)
    path.write_bytes(path.read_bytes()[:-200])
    assert f"{cell.digest}.parquet" in said(capsys, "cell", cell.digest)
    monkeypatch.setitem(sys.modules, "h5netcdf", None)
    assert "-m pip install 'nrevu[arviz]'" in said(capsys, "cell", cell.digest)


def test_tables_in_the_form_of_the_ending(here, capsys):
    made = here / "results/smoke/fig1"
    made.mkdir(parents=True)
    frame = pd.DataFrame({"digest": ["a", "b"], "tau.log_prob": [1.5, np.nan]})
    frame.to_parquet(made / "table.parquet")
    frame.to_csv(made / "comparison.csv", index=False)
    words = ["table", "fig1", "--size", "smoke"]
    assert main(["export", *words]) == 0
    told = capsys.readouterr().out
    assert "fig1_table.csv: 2 rows" in told and "the sweep has changed since" in told
    assert main(["export", *words, "--comparison", "--out", "deep/c.parquet"]) == 0
    assert main(["export", *words, "--out", "t.parquet"]) == 0
    for found in (pd.read_csv("fig1_table.csv"), pd.read_parquet("deep/c.parquet")):
        pd.testing.assert_frame_equal(found, frame, check_dtype=False)
    pd.testing.assert_frame_equal(pd.read_parquet("t.parquet"), frame, check_dtype=False)
    capsys.readouterr()
    assert "To make it: nrevu make fig1 --size smoke" in said(capsys, *words, "--confirmed")
    assert "seed5/fig1" in said(capsys, *words, "--seed", 5)
    says = said(capsys, "table", "fig2_delta", "--confirmed")
    assert "has no 'confirm'" in says
    assert "Allowed: .csv, .parquet" in said(capsys, *words, "--out", "t.xlsx")
    assert "Did you mean 'fig1'?" in said(capsys, "table", "fgi1")
