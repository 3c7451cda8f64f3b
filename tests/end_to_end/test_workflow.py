"""The workflow end to end at smoke size, as a user runs it: what runs, what does not run again."""

import shutil
import subprocess
import sys

import pandas as pd
import pytest
from conftest import REPO
from workflows import SWEEP, WITHOUT_FIGURES, project, series, succeeded


def stamps(folder):
    """Return when each result was written."""
    kept = (folder / "results").rglob("*.*")
    return {p.relative_to(folder): p.stat().st_mtime_ns for p in kept if p.suffix != ".txt"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory, snakemake):
    """A finished run; tests that change it work on the same folder, in the order of this file."""
    folder = project(tmp_path_factory.mktemp("work"))
    run = succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    return folder, run


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
    folder, _ = finished
    made = folder / "results/smoke/mine"
    table, again = (pd.read_parquet(made / f"{n}.parquet") for n in ("table", "confirmed"))
    for u in ("standard", "nonreversible"):
        ranked = table[table.u == u].sort_values("tau.log_prob")
        confirmed = again[again.u == u]
        assert list(confirmed["selected.digest"]) == list(ranked.digest[:2])
        assert list(confirmed["method.stepsize"]) == list(ranked["method.stepsize"][:2])
    assert (again["run.groups"] == 800).all() and (again["groups"] == 600).all()
    assert (again["seed"] != table["seed"][0]).all() and not set(again.digest) & set(table.digest)
    best = [again.choosing[again.u == u].idxmin() for u in ("standard", "nonreversible")]
    ratio = again["tau.log_prob"][best[0]] / again["tau.log_prob"][best[1]]
    claim = pd.read_csv(made / "comparison.csv").iloc[-1]
    assert claim.ours == pytest.approx(ratio) and claim.basis == "confirmed"


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


def test_snakemakes_own_report_has_the_figures_with_captions(finished, snakemake):
    folder, _ = finished
    succeeded(
        snakemake(folder, "experiments=mine.yaml", "size=smoke", options=["--report", "sm.html"])
    )
    text = (folder / "sm.html").read_text()
    for words in ("figure.svg", "mechanism.svg", "table.csv", "comparison.csv", "report.html"):
        assert words in text
    assert "a small sweep" in text and "Bars are one standard error" in text


def test_running_again_runs_nothing(finished, snakemake):
    folder, _ = finished
    before = stamps(folder)
    again = succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    assert "Nothing to be done" in again.stderr and stamps(folder) == before


def pages(folder):
    """Return when each page, table and figure was written."""
    return {path: stamp for path, stamp in stamps(folder).items() if "kernels" not in path.parts}


def test_another_sweep_joins_the_page_and_another_seed_has_its_own(finished, snakemake):
    folder, _ = finished
    (folder / "second.yaml").write_text(WITHOUT_FIGURES[: WITHOUT_FIGURES.index("confirm:")])
    succeeded(snakemake(folder, "experiments=second.yaml", "size=smoke"))
    page = (folder / "results/smoke/report.html").read_text()
    assert page.index('<h2 id="mine"') < page.index('<h2 id="second"') and "gain" in page
    ran = succeeded(snakemake(folder, "experiments=second.yaml", "size=smoke", "seed=7"))
    assert "report: results/smoke-seed7/report.html" in ran.stderr
    index = (folder / "results/report.html").read_text()
    for label in ("smoke", "smoke-seed7"):
        assert f'href="{label}/report.html"' in index
    with (folder / "second.yaml").open("a") as file:
        file.write("# a comment\n")
    before = pages(folder)
    for name in ("./mine.yaml", "second.yaml"):  # whatever else is in the plan
        again = succeeded(snakemake(folder, f"experiments={name}", "size=smoke"))
        assert "Nothing to be done" in again.stderr and pages(folder) == before


def test_a_changed_experiment_changes_the_page_though_another_is_run(finished, snakemake):
    folder, _ = finished
    (folder / "second.yaml").unlink()
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    assert "second: second.yaml: no such file" in (folder / "results/smoke/report.html").read_text()
    for label in ("smoke", "smoke-seed7"):
        shutil.rmtree(folder / f"results/{label}/second")
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    assert 'id="second"' not in (folder / "results/smoke/report.html").read_text()
    assert "seed7" not in (folder / "results/report.html").read_text()


def test_a_changed_colour_runs_only_the_figure(finished, snakemake):
    folder, _ = finished
    before = stamps(folder)
    project(folder, SWEEP.replace("#0072B2", "#D55E00"))
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    changed = {path.name for path, stamp in stamps(folder).items() if before.get(path) != stamp}
    made = {"figure.png", "figure.svg", "figure.pdf", "report.html", "report.json"}
    assert changed == {*made, "experiment.json"}


def test_another_lag_samples_nothing(finished, snakemake):
    folder, _ = finished
    before = stamps(folder)
    text = WITHOUT_FIGURES.replace("group: 5", "group: 5\n  estimate.max_lag: 7")
    project(folder, text)
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    after = stamps(folder)
    unchanged = [p for p in before if p.suffix == ".npz"]
    assert all(after[path] == before[path] for path in unchanged)
    assert after != before


def test_a_changed_list_runs_only_the_new_cells(finished, snakemake):
    folder, _ = finished
    before = {p: s for p, s in stamps(folder).items() if p.suffix == ".npz"}
    project(folder, SHORTER)
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    after = {p: s for p, s in stamps(folder).items() if p.suffix == ".npz"}
    assert all(after[path] == stamp for path, stamp in before.items())
    table = pd.read_csv(folder / "results/smoke/mine/table.csv")
    sampled = {path.stem for path in after.keys() - before.keys()} & set(table.digest)
    assert len(sampled) == 2  # one for each u; others may be those that are now the best
    assert list(table["method.stepsize"]) == [1.0, 1.5, 3.0] * 2


SHORTER = WITHOUT_FIGURES.replace("[1.0, 2.0, 3.0]", "[1.0, 1.5, 3.0]")


def with_lag(lag):
    """Return the sweep with another lag, which needs every series again."""
    return SHORTER.replace("group: 5", f"group: 5\n  estimate.max_lag: {lag}")


def test_lost_and_damaged_series_are_made_again_when_needed(finished, snakemake):
    folder, _ = finished
    before = series(folder)
    table = pd.read_csv(folder / "results/smoke/mine/table.csv")
    lost, cut = (folder / f"results/cells/{digest}.npz" for digest in table.digest[:2])
    lost.unlink()
    cut.write_bytes(cut.read_bytes()[:500])
    again = succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    assert "Nothing to be done" in again.stderr  # whoever drops series keeps the tables
    project(folder, with_lag(6))
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    logs = "".join(p.read_text() for p in (folder / "results/smoke/mine/log").glob("sample*"))
    assert before.items() <= series(folder).items() and f"{cut.name} is damaged" in logs


def test_a_flipped_bit_is_seen_and_the_cell_made_again(finished, snakemake):
    folder, _ = finished
    before = series(folder)
    table = pd.read_csv(folder / "results/smoke/mine/table.csv")
    path = folder / f"results/cells/{table.digest[0]}.npz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    project(folder, with_lag(8))
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    logs = "".join(p.read_text() for p in (folder / "results/smoke/mine/log").glob("sample*"))
    assert f"{path.name} is damaged" in logs and path.with_suffix(".damaged").exists()
    assert before.items() <= series(folder).items()


def test_same_bits_for_any_cores_and_batches(finished, snakemake, tmp_path):
    folder, _ = finished
    project(folder, WITHOUT_FIGURES)
    succeeded(snakemake(folder, "experiments=mine.yaml", "size=smoke"))
    made = [pd.read_csv(folder / f"results/smoke/mine/{n}.csv") for n in ("table", "confirmed")]
    digests = {digest for table in made for digest in table.digest}
    expected = {d: h for d, h in series(folder).items() if d in digests}
    for cores, batch in ((1, 1000), (2, 0.000001)):
        other = project(tmp_path / f"{cores}", WITHOUT_FIGURES)
        config = ("experiments=mine.yaml", "size=smoke", f"batch={batch}")
        succeeded(snakemake(other, *config, cores=cores))
        batches = list((other / "results/smoke/mine/tau").iterdir())
        assert len(batches) == (1 if batch == 1000 else 6)
        assert series(other) == expected
    tables = [pd.read_csv(f / "results/smoke/mine/table.csv") for f in (folder, other)]
    tables = [table.drop(columns=["cpu_seconds", "ns_per_update"]) for table in tables]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@pytest.mark.parametrize(
    "config, says",
    [
        (["experiments=figg1"], "Did you mean 'fig1'?"),
        (["size=papr"], "Did you mean 'paper'?"),
        (["experimnts=fig1"], "Did you mean 'experiments'?"),
        (["batch=-1"], "seconds, above 0"),
        (["seed=-4"], "a whole number at least 0"),
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
        ("results/quick-seed7/fig1/fig1.png", "results/quick/fig1/fig1.png"),
        ("results/quick/fig1/fig2.png", "results/quick/fig1/fig1.png"),
        ("results/quick/fig2/table.csv", "results/quick/fig1/table.csv"),
        ("results/quick/fig1/tau/0999.json", "results/quick/fig1/tau/000"),
        ("tabel", "table"),
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
