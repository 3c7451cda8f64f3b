"""The checks of methods and rules for u: each mistake is found by the check that names it."""

import json

import numpy as np
import pytest
from conftest import REPO

from nrevu.cells.cell import Cell, Run, Schedule, build_part
from nrevu.commands.main import main
from nrevu.conformance import check, compiled, drivers, invariance, method, rule, stages
from nrevu.conformance.proposals import Probe
from nrevu.conformance.targets import Skewed
from nrevu.conformance.verdict import worst_score
from nrevu.core.elementary import wrap
from nrevu.core.sampler import Sampler
from nrevu.core.user_files import find_classes
from nrevu.distributions.pairs import Pairs
from nrevu.errors import Mistake
from nrevu.methods.guided_walk import GuidedWalk
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.methods.metropolis_blocks import MetropolisBlocks
from nrevu.u.gaussian_noise import GaussianNoise
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.reversible import Reversible
from nrevu.u.standard import Standard

WRONG_METHODS = str(REPO / "examples/wrong_variants/wrong_methods.py")
WRONG_RULES = str(REPO / "examples/wrong_variants/wrong_u.py")
FLAWED = str(REPO / "tests/helpers/flawed_methods.py")
METHODS = [
    Metropolis(1.0),
    Langevin(0.3),
    PersistentLangevin(0.3, 0.9, "update"),
    HMC(0.3, 5, jitter=10.0),
    GuidedWalk(0.5, 0.9),
    MetropolisBlocks(1.0, 2, "block"),
]
RULES = [Standard(), Nonreversible(0.3), GaussianNoise(0.1, 0.1), Reversible(0.1)]


def of_file(kind, file, name, **settings):
    return build_part(kind, {"file": file, "name": name, **settings})


def updates(given, distribution=None):
    return stages.Updates(Probe(Sampler(distribution or Skewed(3), given, Standard())), 1)


WRONG = [  # class, the check that fails, what it says
    ("AlphaSquared", "refreshment", "p is multiplied by alpha^2 in place of alpha"),
    ("NoSquareRoot", "refreshment", "the square root of 1 - alpha^2 is missing"),
    ("NegatedOnBoth", "way back", "taken, p goes on"),
    ("NegatedOnNone", "way back", "rejected, reverse it"),
    ("NoFirstHalfStep", "way back", "the first half step of p is missing"),
    ("NoLastHalfStep", "way back", "the last half step of p is missing"),
    ("NoKineticEnergy", "energy", "return |p|^2 / 2"),
    ("DriftWithoutDensity", "density", "the proposal's density is forgotten"),
    ("FactorWithoutDensity", "density", "the proposal's density is forgotten"),
]
WRONG_U = [
    ("NotRescaled", "rescale", "return v / ratio"),
    ("Capped", "rescale", "is not divided by"),
    ("Clipped", "uniform", "v is clipped"),
    ("WrappedByOne", "uniform", "add something to v"),
    ("Multiplied", "uniform", "never multiply"),
    ("Unmoved", "moves", "v does not move"),
]
RULE_CHECKS = {
    "range": rule.in_range, "moves": rule.moves, "uniform": rule.uniform, "rescale": rule.rescale,
}  # fmt: skip


@pytest.mark.parametrize("name, failing, says", WRONG)
def test_the_cause_of_a_wrong_method_is_named(name, failing, says):
    found = updates(of_file("method", WRONG_METHODS, name))
    verdicts = {check: function(found) for check, function in method.STAGES.items()}
    fails = [check for check, verdict in verdicts.items() if verdict.outcome == "FAILS"]
    assert fails == [failing]
    assert says in f"{verdicts[failing].says} {verdicts[failing].advice}"


@pytest.mark.parametrize("name, failing, says", WRONG_U)
def test_the_cause_of_a_wrong_rule_is_named(name, failing, says):
    wrong = of_file("u", WRONG_RULES, name)
    sampler = Sampler(Skewed(1), Metropolis(1.0), wrong)
    verdicts = {check: function(sampler, 1) for check, function in RULE_CHECKS.items()}
    fails = [check for check, verdict in verdicts.items() if verdict.outcome == "FAILS"]
    assert fails == [failing]
    assert says in f"{verdicts[failing].says} {verdicts[failing].advice}"


def test_every_wrong_variant_is_in_a_test():
    for file, wrong in ((WRONG_METHODS, [*WRONG, ("Right",)]), (WRONG_RULES, WRONG_U)):
        assert find_classes(REPO / file).keys() == {each[0] for each in wrong}


@pytest.mark.parametrize("given", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("distribution", [Skewed(3), Pairs(4, 0.9)], ids=["skewed", "pairs"])
def test_single_updates_of_what_is_right_pass(given, distribution):
    found = updates(given, distribution)
    outcomes = {name: function(found).outcome for name, function in method.STAGES.items()}
    assert "FAILS" not in outcomes.values()
    assert outcomes["energy"] == "ok" or outcomes["density"] == "ok"


@pytest.mark.parametrize("given", RULES, ids=lambda u: type(u).__name__)
def test_single_moves_of_what_is_right_pass(given):
    """Two statistical checks, each failing by chance once in 10,000; the seed is fixed."""
    sampler = Sampler(Skewed(1), Metropolis(1.0), given)
    assert {function(sampler, 1).outcome for function in RULE_CHECKS.values()} == {"ok"}


def test_a_rule_that_rounding_collapses_is_found():
    """Doubling keeps v uniform, until each v is 0 after some fifty moves."""

    class Doubling(Nonreversible):
        move = staticmethod(lambda r, v, uniform, bits: wrap(2.0 * v))

    verdict = rule.uniform(Sampler(Skewed(1), Metropolis(1.0), Doubling(0.3)), 1)
    assert verdict.outcome == "FAILS"


def test_a_rule_that_forgets_v_need_not_rescale_it():
    class Fresh(Standard):
        rescale = staticmethod(lambda r, v, ratio: v)

    verdict = rule.rescale(Sampler(Skewed(1), Metropolis(1.0), Fresh()), 1)
    assert verdict.outcome == "ok" and "a move forgets v" in verdict.says


FLAWS = [
    ("WritesNow", "leaves x", "changes now.x"),
    ("Unwritten", "leaves x", "no stage writes new.x[2]"),
    ("ReadsGradient", "leaves x", "uses_gradient: ClassVar[bool] = True"),
    ("Frozen", "moves", "x[0] never changes"),
]


@pytest.mark.parametrize("name, failing, says", FLAWS)
def test_other_mistakes_in_single_updates(name, failing, says):
    verdict = method.STAGES[failing](updates(of_file("method", FLAWED, name)))
    assert verdict.outcome == "FAILS" and says in f"{verdict.says} {verdict.advice}"


@pytest.mark.parametrize("sign, outcome", [(1.0, "ok"), (-1.0, "FAILS")])
def test_densities_of_a_proposal_that_is_not_symmetric(sign, outcome):
    verdict = stages.density(updates(of_file("method", FLAWED, "Drift", sign=sign)))
    assert verdict.outcome == outcome
    assert outcome == "ok" or "they are exchanged" in verdict.advice


@pytest.mark.parametrize(
    "name, says",
    [
        ("Silent", "TypeError: `propose` returns None, not a number"),
        ("Outside", "IndexError: index 3 is out of bounds"),
    ],
)
def test_what_stops_the_loop_in_python_ends_the_checks(name, says):
    verdicts = list(check(of_file("method", FLAWED, name)))
    assert [(v.name, v.outcome) for v in verdicts] == [("indices", "FAILS")]
    assert says in verdicts[0].says


def test_trajectories_need_a_step():
    from nrevu.cells.cell import config, from_config

    cell = Cell(Skewed(2), HMC(0.1, 5), Standard(), Schedule(1), Run(1, 0, 1), 1)
    values = config(cell) | {"distribution": {"name": "gaussian", "dim": 2}}
    values["method"] = {"file": FLAWED, "name": "NoStep"}
    with pytest.raises(Mistake, match="'L' above 1 needs 'step'"):
        from_config(values)


def test_a_helper_that_is_not_inlined_is_found():
    sampler = Sampler(Skewed(2), of_file("method", FLAWED, "Helped"), Standard())
    verdict = compiled.bits(sampler.method, compiled.stage_texts(sampler))
    assert verdict.outcome == "FAILS" and "not_inlined" in verdict.says


@pytest.mark.parametrize("given", [PersistentLangevin(0.3, 0.9, "update"), HMC(0.3, 5)], ids=str)
def test_evaluations_are_counted(given):
    assert drivers.counts(Sampler(Skewed(2), given, Standard()), 1).outcome == "ok"


def test_a_function_that_cannot_be_compiled_is_named():
    with pytest.raises(Mistake, match=r"Untyped.propose cannot be compiled"):
        list(check(of_file("method", FLAWED, "Untyped")))


@pytest.mark.parametrize(
    "file, says",
    [
        (WRONG_METHODS, "choose one with --name: Right (method), AlphaSquared (method)"),
        (str(REPO / "tests/none.py"), "no such file"),
        (str(REPO / "tests/conftest.py"), "has no class with one of the functions"),
    ],
)
def test_the_command_says_which_classes_there_are(file, says, capsys):
    assert main(["check", file]) == 2
    assert says in capsys.readouterr().err


def test_a_value_that_is_not_a_number_fails():
    values = np.random.default_rng(1).normal(0, 1, 1000)
    assert abs(invariance.z_score(values)) < 4.5
    values[3] = np.nan
    assert worst_score({"mean": invariance.z_score(values)}, 1000)[1] is False


@pytest.mark.parametrize("given", [HMC(2.0, 10), HMC(0.5, 30), Langevin(100.0)], ids=str)
def test_a_large_stepsize_is_no_mistake(given):
    probe = Probe(Sampler(Skewed(3), given, Standard())).gentle()
    for seed in range(5):
        found = stages.Updates(probe, seed)
        assert "FAILS" not in {function(found).outcome for function in method.STAGES.values()}


@pytest.mark.parametrize("name", ["BlockMomentum", "FreshUnsettled"])
def test_unusual_methods_that_are_right_pass(name):
    given = of_file("method", FLAWED, name)
    sampler = Sampler(Skewed(3), given, Standard())
    blocks = range(sampler.settings.get("blocks", 1))
    found = [stages.Updates(Probe(sampler, turn).gentle(), 1) for turn in blocks]
    for function in method.STAGES.values():
        assert method.first_failing(function, found).outcome != "FAILS"


# Complete checks, with chains: slow, since each compiles kernels.


@pytest.mark.slow
@pytest.mark.parametrize("given", [*METHODS, *RULES], ids=lambda each: type(each).__name__)
def test_what_is_built_in_passes_all_checks(given):
    """At most three statistical checks each, which fail by chance once in 10,000; fixed seed."""
    verdicts = list(check(given))
    assert [v.name for v in verdicts if v.outcome == "FAILS"] == [] and len(verdicts) >= 11


@pytest.mark.slow
@pytest.mark.parametrize("name, failing", [each[:2] for each in WRONG])
def test_chains_of_a_wrong_method_fail(name, failing, monkeypatch):
    monkeypatch.setattr(method, "TARGETS", {"skewed": Skewed(3)})
    found = {v.name: v.outcome for v in check(of_file("method", WRONG_METHODS, name))}
    assert found[failing] == found["skewed"] == "FAILS"
    assert found["same chains"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("name", [each[0] for each in WRONG_U if each[0] != "Unmoved"])
def test_chains_of_a_wrong_rule_fail(name, monkeypatch):
    one = {"metropolis": rule.METHODS["metropolis"]}
    monkeypatch.setattr(rule, "METHODS", one)
    found = {v.name: v.outcome for v in check(of_file("u", WRONG_RULES, name))}
    assert found["metropolis"] == "FAILS"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["method", "u"])
def test_the_template_passes_from_the_command_line(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["new", kind])
    assert f"nrevu check my_{kind}.py" in capsys.readouterr().out
    main(["check", f"my_{kind}.py", "--json"])
    assert json.loads(capsys.readouterr().out)["passed"] is True
