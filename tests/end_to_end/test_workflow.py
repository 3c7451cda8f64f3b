"""The workflow end to end at smoke size, as a user runs it: what runs, what does not run again."""

import shutil
import subprocess
import sys

import pandas as pd
import pytest
from conftest import REPO
from workflows import SWEEP, TABLE, WITHOUT_FIGURES, project, series, succeeded

from nrevu.analysis.confirmation import candidates
from nrevu.analysis.sides import best_side
from nrevu.experiments.columns import error, times
from nrevu.experiments.sections import Confirm

CONFIG = ("experiments=mine.yaml", "size=smoke")
SERIES = (".parquet",)
RESULTS = (*SERIES, ".parquet", ".csv", ".png", ".svg", ".pdf", ".html")  # what users look at


def stamps(folder, suffixes=RESULTS):
    """Return when each file with one of the suffixes was written."""
    files = [path for path in (folder / "results").rglob("*.*") if path.suffix in suffixes]
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in files}


def changed(folder, before, suffixes=RESULTS):
    """Return the names of the files that are new or were written again."""
    return {
        path.name for path, stamp in stamps(folder, suffixes).items() if before.get(path) != stamp
    }


def slow(*values):
    """Return the parameters of a case that only the slow suite runs."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def finished(tmp_path_factory, snakemake):
    """A finished run, to be read only: its folder and its process."""
    folder = project(tmp_path_factory.mktemp("finished"))
    return folder, succeeded(snakemake(folder, *CONFIG))


@pytest.fixture(scope="module")
def joined(tmp_path_factory, finished, snakemake):
    """A folder with another sweep's results as well, at two seeds, to be read only."""
    folder = shutil.copytree(finished[0], tmp_path_factory.mktemp("joined") / "work")
    (folder / "second.yaml").write_text(WITHOUT_FIGURES[: WITHOUT_FIGURES.index("confirm:")])
    succeeded(snakemake(folder, "experiments=second.yaml", "size=smoke"))
    return folder, succeeded(snakemake(folder, "experiments=second.yaml", "size=smoke", "seed=7"))


@pytest.fixture
def copied(tmp_path):
    """Return a function that copies a folder, with the times of its files, for one test."""
    return lambda source: shutil.copytree(source[0], tmp_path / "work")


def test_from_yaml_to_figure(finished):
    folder, _ = finished
    made = folder / "results/smoke/mine"
    table = pd.read_parquet(made / "table.parquet")
    assert len(table) == 6 == len(pd.read_csv(made / "table.csv"))
    assert list(table["method.stepsize"]) == [1.0, 2.0, 3.0] * 2
    for column in ("eta", "rejection_rate", "rejection_rate.se", "tau.log_prob", "tau.log_prob.se"):
        assert table[column].notna().all()
    assert (table["evaluations.density"] == 400 * 5).all() and table["digest"].is_unique
    assert (table["tau.log_prob"] > 0).all() and (table["cpu_seconds"] >= 0).all()
    for form, start in {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}.items():
        assert (made / f"figure.{form}").read_bytes().startswith(start)


def test_the_best_cells_are_confirmed_and_claims_rest_on_them(finished):
    folder, run = finished
    made = folder / "results/smoke/mine"
    table, again = (pd.read_parquet(made / f"{n}.parquet") for n in ("table", "confirmed"))
    settings = Confirm("tau.log_prob", ("u",), cells=2, longer=2)
    for u in ("standard", "nonreversible"):
        ranked = table.loc[candidates(table, None, settings, {"u": u})]
        confirmed = again[again.u == u]
        assert list(confirmed["selected.digest"]) == list(ranked.digest[:2])
        assert list(confirmed["method.stepsize"]) == list(ranked["method.stepsize"][:2])
    ends = {1.0: "method.stepsize lowest", 2.0: "", 3.0: "method.stepsize highest"}
    assert list(again["edge"]) == [ends[stepsize] for stepsize in again["method.stepsize"]]
    assert (again["run.groups"] == 800).all() and again["last"].all()
    assert (again["seed"] != table["seed"][0]).all() and not set(again.digest) & set(table.digest)
    names = ("standard", "nonreversible")
    sides = [best_side(table, again, {"u": u}, "tau.log_prob") for u in names]
    edges = [side.cell["edge"] for side in sides]
    said = " ".join(run.stderr.replace("nrevu: ", "").split())
    assert all(edge in said for edge in edges) and any(edges) == ("at the edge of" in said)
    claim = pd.read_csv(made / "comparison.csv").iloc[-1]
    assert claim.ours == pytest.approx(sides[0].value / sides[1].value, rel=1e-6)
    assert claim.basis.startswith("confirmed")


def test_progress_can_be_read_and_logs_are_in_files(finished):
    folder, run = finished
    assert " of " in run.stderr and "report: results/smoke/report.html; the rest" in run.stderr
    assert "nrevu: CPU seconds: " in run.stderr and "start-up of" in run.stderr
    assert "rule sample" not in run.stderr and "sampled" not in run.stderr
    assert "sampled" in (folder / "results/smoke/mine/log/sample-0001.txt").read_text()


def test_the_summary_fits_a_screen(finished):
    _, run = finished
    end = run.stderr[run.stderr.index("done, 0 batches running, 0 to go, done") :]
    lines = [line for line in end.splitlines()[1:] if line.startswith("nrevu: ")]
    assert len(lines) <= 20 and any("gain" in line and "published 1.1" in line for line in lines)


@pytest.mark.slow
def test_snakemakes_own_report_has_the_figures_with_captions(finished, copied, snakemake):
    folder = copied(finished)
    succeeded(snakemake(folder, *CONFIG, options=["--report", "sm.html"]))
    text = (folder / "sm.html").read_text()
    for words in ("figure.svg", "mechanism.svg", "table.csv", "comparison.csv", "report.html"):
        assert words in text
    assert "a small sweep" in text and "Error bars are one standard error" in text


def test_running_again_runs_nothing(finished, copied, snakemake):
    folder = copied(finished)
    before = stamps(folder)
    again = succeeded(snakemake(folder, *CONFIG))
    assert "Nothing to be done" in again.stderr and stamps(folder) == before


@pytest.mark.slow
def test_another_sweep_joins_the_page_and_another_seed_has_its_own(joined):
    folder, ran = joined
    page = (folder / "results/smoke/report.html").read_text()
    assert page.index('<h2 id="mine"') < page.index('<h2 id="second"') and "gain" in page
    assert "report: results/smoke-seed7/report.html" in ran.stderr
    index = (folder / "results/report.html").read_text()
    for label in ("smoke", "smoke-seed7"):
        assert f'href="{label}/report.html"' in index


@pytest.mark.slow
def test_neither_a_comment_nor_another_sweep_runs_anything(joined, copied, snakemake):
    folder = copied(joined)
    with (folder / "second.yaml").open("a") as file:
        file.write("# a comment\n")
    before = stamps(folder)
    for name in ("./mine.yaml", "second.yaml"):  # whatever else is in the plan
        again = succeeded(snakemake(folder, f"experiments={name}", "size=smoke"))
        assert "Nothing to be done" in again.stderr and stamps(folder) == before


@pytest.mark.slow
def test_a_page_shows_experiments_as_planned_until_their_results_are_deleted(
    joined, copied, snakemake
):
    folder = copied(joined)
    (folder / "second.yaml").unlink()
    again = succeeded(snakemake(folder, *CONFIG))
    assert "Nothing to be done" in again.stderr
    assert 'id="second"' in (folder / "results/smoke/report.html").read_text()
    for label in ("smoke", "smoke-seed7"):
        shutil.rmtree(folder / f"results/{label}/second")
    succeeded(snakemake(folder, *CONFIG))
    assert 'id="second"' not in (folder / "results/smoke/report.html").read_text()
    assert "seed7" not in (folder / "results/report.html").read_text()


@pytest.mark.slow
def test_a_changed_colour_draws_one_figure(finished, copied, snakemake):
    folder = copied(finished)
    before = stamps(folder)
    project(folder, SWEEP.replace("#0072B2", "#D55E00"))
    succeeded(snakemake(folder, *CONFIG))
    drawn = {"figure.png", "figure.svg", "figure.pdf", "report.html"}
    assert changed(folder, before) == drawn


@pytest.mark.slow
def test_another_lag_samples_nothing(finished, copied, snakemake):
    folder = copied(finished)
    before = stamps(folder)
    table = pd.read_csv(folder / TABLE)
    project(folder, with_lag(7))
    succeeded(snakemake(folder, *CONFIG))
    again = pd.read_csv(folder / TABLE)
    assert list(again.digest) == list(table.digest)
    assert not changed(folder, before, SERIES) & {f"{digest}.parquet" for digest in again.digest}
    assert (again["tau.log_prob"] != table["tau.log_prob"]).all()


@pytest.mark.slow
def test_a_changed_list_runs_only_the_new_cells(finished, copied, snakemake):
    folder = copied(finished)
    before = stamps(folder)
    project(folder, WITHOUT_FIGURES.replace("[1.0, 2.0, 3.0]", "[1.0, 1.5, 3.0]"))
    succeeded(snakemake(folder, *CONFIG))
    table = pd.read_csv(folder / TABLE)
    assert list(table["method.stepsize"]) == [1.0, 1.5, 3.0] * 2
    # Others may be those that are now the best, run again to confirm them.
    new = changed(folder, before, SERIES) & {f"{digest}.parquet" for digest in table.digest}
    assert new == {f"{digest}.parquet" for digest in table.digest[table["method.stepsize"] == 1.5]}
    old = {path.name for path in before if path.parent.name == "cells"}
    assert old and not changed(folder, before, SERIES) & old


def with_lag(lag):
    """Return the sweep with another lag, which needs every series again."""
    return WITHOUT_FIGURES.replace("group: 5", f"group: 5\n  estimate.max_lag: {lag}")


def logged(folder):
    """Return what the jobs that sample wrote into their logs."""
    return "".join(p.read_text() for p in (folder / "results/smoke/mine/log").glob("sample*"))


@pytest.mark.slow
def test_lost_and_damaged_series_are_made_again_when_needed(finished, copied, snakemake):
    folder = copied(finished)
    before = series(folder)
    table = pd.read_csv(folder / TABLE)
    lost, cut = (folder / f"results/cells/{digest}.parquet" for digest in table.digest[:2])
    lost.unlink()
    cut.write_bytes(cut.read_bytes()[:500])
    again = succeeded(snakemake(folder, *CONFIG))
    assert "Nothing to be done" in again.stderr  # whoever drops series keeps the tables
    project(folder, with_lag(6))
    succeeded(snakemake(folder, *CONFIG))
    assert before.items() <= series(folder).items() and f"{cut.name} is damaged" in logged(folder)


@pytest.mark.slow
def test_a_flipped_bit_is_seen_and_the_cell_made_again(finished, copied, snakemake):
    folder = copied(finished)
    before = series(folder)
    table = pd.read_csv(folder / TABLE)
    path = folder / f"results/cells/{table.digest[0]}.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    project(folder, with_lag(8))
    succeeded(snakemake(folder, *CONFIG))
    assert f"{path.name} is damaged" in logged(folder) and path.with_suffix(".damaged").exists()
    assert before.items() <= series(folder).items()


@pytest.mark.slow
@pytest.mark.parametrize("cores, batch, batches", [(1, 1000, 1), (2, 0.000001, 6)])
def test_same_bits_for_any_cores_and_batches(finished, snakemake, tmp_path, cores, batch, batches):
    folder, _ = finished
    other = project(tmp_path / "other", WITHOUT_FIGURES)
    succeeded(snakemake(other, *CONFIG, f"batch={batch}", cores=cores))
    assert len(list((other / "results/smoke/mine/tau").iterdir())) == batches
    assert series(other) == series(folder) and len(series(other)) == 6 + 4
    tables = [pd.read_csv(each / TABLE) for each in (folder, other)]
    clocked = ["cpu_seconds", "ns_per_update", *times(tables[0], "time")]
    clocked += [error(name) for name in times(tables[0], "time")]
    tables = [table.drop(columns=clocked) for table in tables]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@pytest.mark.parametrize(
    "config, says",
    [
        (["experiments=figg1"], "Did you mean 'fig1'?"),
        (["seed=-4"], "a whole number at least 0"),
        slow(["size=papr"], "Did you mean 'paper'?"),
        slow(["experimnts=fig1"], "Did you mean 'experiments'?"),
        slow(["batch=-1"], "seconds, above 0"),
    ],
)
def test_mistakes_are_told_before_anything_runs(snakemake, tmp_path, config, says):
    found = snakemake(tmp_path, *config)
    assert found.returncode != 0 and says in found.stderr and "Traceback" not in found.stderr
    assert not (tmp_path / "results").exists()


QUICK = ("experiments=fig1", "size=quick")


@pytest.mark.parametrize(
    "target, nearest",
    [
        ("results/smoke/fig1/fig1.png", "results/quick/fig1/fig1.png"),
        ("tabel", "table"),
        slow("results/quick-seed7/fig1/fig1.png", "results/quick/fig1/fig1.png"),
        slow("results/quick/fig1/fig2.png", "results/quick/fig1/fig1.png"),
        slow("results/quick/fig2/table.csv", "results/quick/fig1/table.csv"),
        slow("results/quick/fig1/tau/0999.json", "results/quick/fig1/tau/000"),
    ],
)
def test_a_target_of_another_run_is_refused(snakemake, tmp_path, target, nearest):
    found = snakemake(tmp_path, *QUICK, options=[target])
    assert found.returncode == 2 and "Traceback" not in found.stderr
    for words in (f"'{target}'", "of fig1 at size quick", f"Did you mean '{nearest}"):
        assert words in found.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("target", ["./results/quick/fig1/fig1.png", "report", "all"])
def test_files_and_rules_of_the_run_are_targets(snakemake, tmp_path, target):
    found = succeeded(snakemake(tmp_path, *QUICK, options=["--dry-run", target]))
    assert "sample" in found.stdout


def test_a_program_that_calls_snakemake_makes_nothing_under_another_name(tmp_path):
    words = ["--snakefile", str(REPO / "Snakefile"), "--cores", "1", "results/smoke/fig1/table.csv"]
    code = f"from snakemake.cli import main; main({[*words, '--config', *QUICK]})"
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert found.returncode == 1 and "No rule to produce results/smoke" in found.stderr
