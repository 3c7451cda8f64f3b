"""The checks of a distribution: each fails on what is broken in its way; what is right passes."""

import json
import re

import pytest
from conftest import REPO

from nrevu.cells.cell import build_part
from nrevu.commands.main import main
from nrevu.commands.new import KINDS
from nrevu.conformance import building, calls, chains, check, conditionals, paths, slopes
from nrevu.conformance.distribution import CHECKS
from nrevu.conformance.subject import prepare
from nrevu.core.contracts import Distribution, part
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.mixed import Mixed
from nrevu.distributions.network import Network
from nrevu.distributions.pairs import Pairs
from nrevu.experiments.experiment import expand

FLAWED, ARTIFICIAL = (str(REPO / f"tests/helpers/{name}.py") for name in ("flawed", "artificial"))
NETWORK = Network(2, 20, 1, 1, 1, 4.0, 0.5)


def flawed(name="Flawed", **settings):
    return build_part("distribution", {"file": FLAWED, "name": name, **settings})


def outcomes(distribution):
    return {verdict.name: verdict.outcome for verdict in check(distribution)}


@pytest.mark.parametrize(
    "distribution, skipped",
    [
        pytest.param(Gaussian(3), {"gibbs", "renew"}, marks=pytest.mark.slow),
        pytest.param(Pairs(4, 0.95), {"gibbs", "renew"}, marks=pytest.mark.slow),
        pytest.param(Mixed(5, 0.2), set(), marks=pytest.mark.slow),
        pytest.param(NETWORK, {"draws", "metropolis", "hamiltonian"}, marks=pytest.mark.slow),
        (flawed(), set()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_right_passes(distribution, skipped, monkeypatch):
    """Four statistical checks at most, each failing by chance once in 10,000; the seed is fixed."""
    monkeypatch.setattr(chains, "EVALUATIONS", 400)  # enough, and quicker
    monkeypatch.setattr(building, "BUDGET", 0.01)
    monkeypatch.setattr(chains, "DRAWS", 5000)
    found = outcomes(distribution)
    assert {name for name, outcome in found.items() if outcome == "skipped"} == skipped
    assert "FAILS" not in found.values() and len(found) == 17


FLAWS = [
    ("gradient", {"slope": 1.0001}, "12 of 24 derivatives are wrong; worst x[1]"),
    ("gradient", {"slope": -1.0}, "12 of 24 derivatives are wrong; worst x[1]"),
    ("gradient", {"grains": 0.5}, "do not settle"),
    ("same U", {"shift": 1e-9}, "1e-09 apart"),
    ("line", {"slope": 1.0001}, "integral of the gradient"),
    ("line", {"jump": 0.01}, "integral of the gradient"),
    ("leapfrog", {"slope": 1.01}, "it should fall 4 times"),
    ("leapfrog", {"slope": -1.0}, "it should fall 4 times"),
    ("finite", {"hole": 20.0}, "`energy` is nan"),
    ("finite", {"hole": 0.01}, "(draws)"),
    ("finite", {"wall": 0.01}, "`energy` is inf"),
    ("finite", {"memory": 1.0}, "leaves nan in g[0]"),
    ("repeatable", {"memory": 1.0}, "keeps state"),
    ("repeatable", {"touch": 1e-9}, "an evaluation changes x"),
    ("repeatable", {"drift": 1e-6}, "keeps state"),
    ("record", {"columns": 1.0}, "does not write log_prob"),
    ("draws", {"mean": 0.05}, "coordinate: mean"),
    ("draws", {"other": 1.0}, "the same `rng`"),
    ("metropolis", {"wide": 1.1}, "means and variances"),
    ("hamiltonian", {"wide": 1.1}, "means and variances"),
    ("metropolis", {"sticky": 0.5}, "mean of w[0]"),
    ("gibbs", {"rate": 1.3}, "w does not go with x"),
    ("renew", {"late": 1e-9}, "by `renew`"),
]


@pytest.mark.parametrize("name, flaw, says", FLAWS, ids=str)
def test_each_check_fails_on_its_flaw(name, flaw, says):
    verdict = CHECKS[name][1](prepare(flawed(**flaw), 1))
    assert verdict.outcome == "FAILS" and verdict.advice, verdict
    assert says in verdict.says


@pytest.mark.parametrize(
    "name, flaw",
    [
        ("gradient", {"kink": 1.0}),
        ("leapfrog", {"kink": 1.0}),
        ("line", {"kink": 1.0}),
        ("gradient", {"grains": 1e-7}),
        ("finite", {"wall": 20.0}),
        ("gradient", {"wall": 2.0}),
        ("metropolis", {"slope": 2.0}),
        ("hamiltonian", {"slope": 0.9}),
    ],
    ids=str,
)
def test_what_looks_odd_but_is_right_passes(name, flaw):
    """Kinks, walls, coarse arithmetic; with a wrong gradient chains are slower, but still right."""
    verdict = CHECKS[name][1](prepare(flawed(**flaw), 1))
    assert verdict.outcome == "ok", verdict


@pytest.mark.parametrize("seed", (1, 2))
def test_nothing_that_is_right_fails_with_other_points(seed):
    for distribution in (flawed("Box"), flawed(kink=2.0), flawed(wall=9.0), Pairs(4, 0.9999)):
        subject = prepare(distribution, seed)
        for each in (calls.finite, slopes.gradient, slopes.same_energy, paths.line, paths.leapfrog):
            assert each(subject).outcome != "FAILS", (each, distribution)


def test_verdicts_name_what_is_wrong_and_by_how_much():
    found = slopes.gradient(prepare(flawed(slope=-2.0), 1))
    assert found.numbers["coordinate"] == 1 and "look at g[1]" in found.advice
    assert found.numbers["given"] == pytest.approx(-2 * found.numbers["found"], rel=1e-9)
    assert "x[1]" in found.says and "12 of 24 derivatives" in found.says
    leapfrog = paths.leapfrog(prepare(flawed(), 1)).numbers["errors"]
    assert leapfrog[-2] / leapfrog[-1] == pytest.approx(4, rel=0.01)


def test_indices_are_looked_at_before_anything_else_runs():
    (only,) = check(flawed(columns=3.0))
    assert (only.name, only.outcome) == ("indices", "FAILS") and "`record`" in only.says
    (only,) = check(flawed("Silent"))
    assert "`gradient` returns None" in only.says
    *_, last = check(flawed("Raises"))
    assert last.outcome == "FAILS" and "ValueError: outside" in last.says


def test_what_is_missing_is_skipped_with_the_reason():
    found = {verdict.name: verdict for verdict in check(flawed("Plain", dim=2))}
    assert all(verdict.outcome != "FAILS" for verdict in found.values())
    for name in ("gradient", "same U", "line", "leapfrog", "hamiltonian"):
        assert found[name].outcome == "skipped" and "has no `gradient`" in found[name].says
    assert "burn-in" in found["draws"].says and "pooled" in found["draws"].says
    assert part(flawed("Gradients"), "energy") is Distribution.energy
    only = prepare(flawed("Gradients"), 1)
    assert slopes.gradient(only).outcome == paths.line(only).outcome == "ok"
    assert slopes.same_energy(only).outcome == "skipped"


def test_a_digest_needs_plain_content():
    distribution = flawed("Plain", dim=2)
    bad = type("Bad", (type(distribution),), {"content": lambda self: {"a": {1, 2}}})
    verdict = building.digest(prepare(bad(2), 1))
    assert verdict.outcome == "FAILS" and "`content`" in verdict.advice


def test_other_seeds_give_other_numbers_and_the_same_verdict():
    first, again, other = (
        conditionals.gibbs(prepare(flawed(), seed)).numbers["z"] for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.slow
def test_the_template_passes_and_says_so_in_json(nrevu, tmp_path):
    assert nrevu("new", "distribution", cwd=tmp_path).returncode == 0
    run = nrevu("check", "my_density.py", "--json", "distribution.curvature=3", cwd=tmp_path)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    found = json.loads(run.stdout)
    assert found["passed"] and found["name"] == "Banana" and found["settings"] == {"curvature": 3.0}
    assert {c["name"] for c in found["checks"] if c["outcome"] == "skipped"} == {"gibbs", "renew"}
    speed = found["checks"][-1]["numbers"]
    assert 0 < speed["energy_ns"] < speed["metropolis_ns"] < 10_000


def test_check_ends_with_1_if_something_fails(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["check", FLAWED, "--name", "Flawed", "columns=3.0"])
    out = capsys.readouterr().out
    assert ended.value.code == 1 and "FAILS    indices" in out and "1 failed" in out


@pytest.mark.parametrize(
    "words, says",
    [
        (["missing.py"], "missing.py: no such file"),
        ([FLAWED], "has several classes; choose one with --name: Flawed (distribution), "),
        ([ARTIFICIAL], "has no class with one of the functions"),
        ([FLAWED, "--name", "Flawd"], "Did you mean 'Flawed'?"),
        ([FLAWED, "--name", "Flawed", "slop=1"], "Did you mean 'distribution.slope'?"),
        ([FLAWED, "--name", "Plain"], "distribution.dim: is missing"),
        ([FLAWED, "--name", "Plain", "method.stepsize=1"], "only settings of the class"),
        ([FLAWED, "--name", "Untyped"], "Untyped.energy cannot be compiled"),
        ([FLAWED, "--seed", "-1"], "--seed: -1 is not allowed"),
    ],
)
def test_check_ends_with_2_for_a_mistake(capsys, words, says):
    assert main(["check", *words]) == 2
    assert says in capsys.readouterr().err


def test_new_writes_what_is_in_the_templates(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for kind, (template, name) in KINDS.items():
        assert main(["new", kind]) == 0
        assert (tmp_path / name).read_text() == template.read_text()
        assert f"{name} is written" in capsys.readouterr().out
    (tmp_path / "folder").mkdir()
    assert main(["new", "distribution", "folder"]) == 0
    assert (tmp_path / "folder" / "my_density.py").exists()
    assert main(["new", "distribution", "other.py"]) == 0
    assert "nrevu check other.py" in (tmp_path / "other.py").read_text()


@pytest.mark.parametrize(
    "words, says",
    [
        (["distribution"], "already exists"),
        (["distribution", "my_density.txt"], "must end with .py"),
        (["distribution", "nowhere/my_density.py"], "no such file or directory"),
        (["distributon"], "Did you mean 'distribution'?"),
    ],
)
def test_new_overwrites_nothing(tmp_path, monkeypatch, capsys, words, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_density.py").write_text("mine")
    assert main(["new", *words]) == 2
    assert says in capsys.readouterr().err
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_the_page_can_be_followed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (REPO / "docs" / "distributions.md").read_text()
    (tmp_path / "banana.yaml").write_text(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
    for command in re.findall(r"^nrevu (new .*|run .*)$", page, re.M):
        assert main(command.split()) == 0
    assert "tau coordinate" in capsys.readouterr().out
    assert len(expand("banana.yaml", "quick").cells) == 16
