"""The command line, run as a user would."""

import json
import signal
import subprocess
import sys
import time

import pytest
import yaml
from conftest import REPO

PUBLISHED = ["distribution=gaussian", "method=metropolis", "method.stepsize=1.8"]
PUBLISHED += ["u=nonreversible", "u.delta=0.3", "size=quick"]


def test_help_teaches_by_example(nrevu):
    top = nrevu("--help")
    assert top.returncode == 0 and "nrevu make my_sweep.yaml" in top.stdout
    run = nrevu("run", "--help").stdout
    assert "nrevu run" in run and "persistent_langevin" in run and "config.yaml" in run
    assert "nrevu cells fig1" in nrevu("cells", "--help").stdout


def test_run_prints_a_table_and_the_json_object(nrevu, tmp_path):
    text = nrevu("run", *PUBLISHED, cwd=tmp_path)
    assert text.returncode == 0, text.stderr
    assert "rejection rate" in text.stdout and "tau log_prob" in text.stdout
    plain = nrevu("run", *PUBLISHED, "--json", cwd=tmp_path)
    found = json.loads(plain.stdout)
    assert plain.stderr == "" and list(tmp_path.iterdir()) == []
    assert found.keys() >= {
        "name", "digest", "config", "rejection_rate", "tau", "evaluations", "cpu_seconds",
        "ns_per_update", "chains", "groups",
    }  # fmt: skip
    assert found["evaluations"] == {"density": 400_000, "gradient": 0}
    assert (found["groups"], found["chains"]) == (10_000, 40)
    # Published, from a run 100 times as long: within 5 standard errors, false alarm 6e-7 each.
    for value, published in [
        (found["rejection_rate"], 0.626545),
        (found["tau"]["coordinate"], 3.487568),
        (found["tau"]["log_prob"], 3.028137),
    ]:
        assert abs(value["value"] - published) < 5 * value["se"]
        assert 0 < value["se"] < 0.1 * published


def test_run_starts_from_an_experiments_settings(nrevu):
    words = ["distribution.dim=3", "size=smoke", "--json"]
    found = json.loads(nrevu("run", "experiment=fig1", *words).stdout)
    assert found["config"]["distribution"] == {"name": "gaussian", "dim": 3}
    assert found["config"]["schedule"]["group"] == 40


def test_run_takes_several_values(nrevu):
    words = ["method.stepsize=1,1.8", "u=standard,nonreversible", "run.groups=800", "seed=3"]
    lines = nrevu("run", *words).stdout.splitlines()
    assert lines[0].split()[:2] == ["method.stepsize", "u"] and "tau log_prob" in lines[0]
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["1", "standard"],
        ["1", "nonreversible"],
        ["1.8", "standard"],
        ["1.8", "nonreversible"],
    ]
    found = [json.loads(line) for line in nrevu("run", "--json", *words).stdout.splitlines()]
    alone = json.loads(
        nrevu("run", "u=standard", "method.stepsize=1.8", *words[2:], "--json").stdout
    )
    assert len(found) == 4 and found[2]["bits"] == alone["bits"]
    value, se = (alone["rejection_rate"][key] for key in ("value", "se"))
    assert f"{value:.5f} ± {se:.5f}" in lines[3]


def test_cfg_prints_the_settings_as_an_experiment_has_them(nrevu, tmp_path):
    text = nrevu("run", "method=hmc", "--cfg", "distribution=pairs", "seed=7", cwd=tmp_path).stdout
    cell = yaml.safe_load(text)
    assert cell["seed"] == 7 and cell["method"]["name"] == "hmc" and cell["estimate"]
    (tmp_path / "same.yaml").write_text(
        yaml.safe_dump({"title": "the same cell", "cell": cell, "sweep": {"u": "standard"}})
    )
    listed = nrevu("cells", "same.yaml", "--json", cwd=tmp_path)
    digest = json.loads(nrevu("run", "method=hmc", "distribution=pairs", "seed=7", "--json").stdout)
    assert digest["digest"] in listed.stdout, listed.stderr


def test_help_hides_the_steps_of_the_workflow(nrevu):
    listed = nrevu("--help").stdout
    assert "step of the workflow" not in listed and " confirmed" not in listed
    assert "A step of the workflow" in nrevu("sample", "--help").stdout


def test_docs_are_listed_and_printed(nrevu):
    assert "sweeps" in nrevu("docs").stdout
    assert nrevu("docs", "sweeps").stdout == (REPO / "docs/sweeps.md").read_text()


def test_one_chain_still_has_errors(nrevu):
    words = ["run.chains=1", "run.groups=2000", "distribution.dim=2", "--json"]
    found = json.loads(nrevu("run", *words).stdout)
    assert found["tau"]["log_prob"]["se"] > 0 and found["rejection_rate"]["se"] > 0


def test_cells_lists_what_would_run(nrevu):
    text = nrevu("cells", "fig1").stdout
    assert "55 cells at size paper" in text and "u.delta=0.3" in text
    data = json.loads(nrevu("cells", "fig1", "--size", "smoke", "--json").stdout)
    assert len(data["cells"]) == 55 and data["estimate"] == {"max_lag": 10, "mean": "known"}


@pytest.mark.parametrize(
    "words, says",
    [
        (["run", "method.stepsiz=1"], "Did you mean 'method.stepsize'?"),
        (["run", "experiment=figg1"], "Did you mean 'fig1'?"),
        (["run", "size=paper", "run.groups=5"], "chains need at least as many groups"),
        (["cells", "fgi1"], "Did you mean 'fig1'?"),
        (["cells", "fig1", "--size", "papper"], "Did you mean 'paper'?"),
        (["cells", "missing.yaml"], "missing.yaml: no such file"),
        (["rnu"], "command line: unknown command 'rnu'. Did you mean 'run'? Allowed: cells"),
        (["docs", "sweep"], "unknown page 'sweep'. Did you mean 'sweeps'?"),
        ([], "required: COMMAND"),
    ],
)
def test_mistakes_end_with_code_2_and_no_traceback(nrevu, words, says):
    found = nrevu(*words)
    assert found.returncode == 2 and says in found.stderr
    assert "Traceback" not in found.stderr and found.stdout == ""


@pytest.mark.slow
def test_ctrl_c_ends_a_cell(tmp_path):
    """A kernel call of minutes ends after a group; nothing is left running."""
    words = ["distribution=pairs", "method=hmc", "run.groups=400000000", "schedule.group=1"]
    command = [sys.executable, "-m", "nrevu", "run", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    time.sleep(15)  # it has compiled
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130 and said == "nrevu: interrupted\n"
