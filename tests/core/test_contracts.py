"""The contracts of distributions, methods and rules for u: defaults; docs name each part."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from conftest import REPO

from nrevu.cells.cell import built_in_class
from nrevu.core.contracts import (
    COMPILED,
    MOVES,
    PAIRS,
    STAGES,
    Distribution,
    Method,
    Rule,
    has,
    part,
)  # fmt: skip
from nrevu.core.sampler import Sampler
from nrevu.core.user_files import KINDS
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.network import Network
from nrevu.files import choices
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

PARTS = [name for name in vars(Distribution) if not name.startswith("_")]


@dataclass(frozen=True)
class Least:
    dim: int = 3

    @staticmethod
    def gradient(x, w, data, g):
        return 0.0


def test_docs_and_template_have_each_part():
    page = (REPO / "docs/distributions.md").read_text()
    template = (REPO / "nrevu/templates/my_density.py").read_text()
    assert len(PARTS) == 19
    for name in PARTS:
        assert f"\n| `{name}" in page, name
        assert name in template, name


@pytest.mark.parametrize("contract, file, count", [(Method, "my_method", 13), (Rule, "my_u", 4)])
def test_the_page_and_templates_of_methods_and_rules_have_each_part(contract, file, count):
    """Templates leave out what few classes need."""
    names = [name for name in vars(contract) if not name.startswith("_")]
    page = (REPO / "docs/methods.md").read_text()
    template = (REPO / f"nrevu/templates/{file}.py").read_text()
    assert len(names) == count
    for name in names:
        assert f"\n| `{name}" in page, name
        assert name in template or (contract, name) in ((Method, "varies"), (Rule, "derived")), name


def test_what_a_class_leaves_out_is_the_default_and_the_class_stays_as_it_is():
    before = dict(vars(Least))
    least = Least(2)
    assert part(least, "means")() == {"coordinate": None, "log_prob": None}
    assert part(least, "recorded") == ("coordinate", "log_prob") and part(least, "data")() == ()
    assert part(least, "start")(np.random.default_rng(1)).shape == (2,)
    assert part(least, "nanoseconds") == 0.8 and part(least, "draw") is None
    assert part(Least, "energy") is Distribution.energy and part(Least, "lanes") == 1
    assert part(Least, "gradient") is Least.gradient and has(Least, "gradient")
    assert dict(vars(Least)) == before and not has(least, "means")


def test_parts_that_a_class_has_are_its_own():
    network = Network(2, 20, 1, 1, 1, 4.0, 0.5)
    assert all(
        has(network, name) for name in PARTS if name not in ("draw", "recorded", "derive", "lanes")
    )
    assert part(network, "recorded") == tuple(network.means())
    assert part(network, "gibbs_variables") == 7 and part(network, "settling") == network.settling


def test_a_field_without_a_default_counts_as_a_part_of_the_class():
    @dataclass(frozen=True)
    class Sized:
        gibbs_variables: int

    assert has(Sized, "gibbs_variables") and not hasattr(Sized, "gibbs_variables")


def test_there_is_no_part_that_the_contract_does_not_list():
    with pytest.raises(KeyError):
        part(Least(), "temperature")
    assert {*COMPILED, *(name for pair in PAIRS for name in pair[:2])} <= {*PARTS}


def settings(method, dim=4):
    """Return the numbers of a method by name."""
    return Sampler(Gaussian(dim), method, Standard()).settings


def test_the_numbers_of_methods_are_settings_class_variables_and_what_follows():
    hmc = {"L": 7, "alpha": 0.0, "eta": 0.5, "jitter": 30.0, "scaling": 0.0, "stepsize": 0.5}
    assert settings(HMC(0.5, 7, jitter=30.0)) == hmc | {"uses_gradient": 1, "varies": 1}
    assert settings(HMC(0.5, 7)) == hmc | {"uses_gradient": 1, "varies": 0, "jitter": 0.0}
    assert settings(HMC(0.5, 7, jitter=0.5))["varies"] == 1
    found = settings(PersistentLangevin(0.5, 0.9, "update", 0.5))
    assert [found[name] for name in ("eta", "alpha", "L", "jitter")] == [0.25, 0.9, 1, 0.0]
    assert settings(PersistentLangevin(0.5, 0.81, "time"))["alpha"] == pytest.approx(0.9)
    least = {"L": 1, "eta": 0.25, "scaling": 0.5, "stepsize": 0.5, "varies": 0}
    assert settings(Metropolis(0.5, 0.5)) == least
    assert [settings(m)["L"] for m in (Langevin(0.5), HMC(0.5, 7))] == [1, 7]
    assert list(found) == sorted(found)


def test_the_numbers_of_rules_are_those_and_whether_they_use_uniforms():
    sampler = Sampler(Gaussian(4), Metropolis(0.5), Nonreversible(0.3, 0.1))
    assert sampler.rule_settings == {"delta": 0.3, "noise": 0.1, "uniforms": 1}


def test_numbers_keep_their_kind():
    """An int stays one, for loops; a bool is one; an int of numpy too; text is no number."""

    @dataclass(frozen=True)
    class Many:
        steps: ClassVar = np.int32(3)
        flag: ClassVar[bool] = True
        share: ClassVar = np.float32(0.5)
        words: ClassVar[str] = "none"
        stepsize: float = 2.0

    kinds = {name: type(value) for name, value in settings(Many()).items()}
    assert kinds["steps"] is kinds["flag"] is kinds["L"] is int
    assert kinds["share"] is kinds["eta"] is float and "words" not in kinds


def test_what_a_method_and_a_rule_leave_out_is_the_default():
    assert part(Metropolis, "vary", Method) is Method.vary
    assert part(Metropolis, "finish", Method) is Method.finish
    assert part(Metropolis(0.5), "derived", Method)(4) == {"eta": 0.5}
    for name in ("step", "settle"):
        assert part(Metropolis, name, Method) is None
    assert not part(Metropolis, "uses_gradient", Method)
    assert part(Metropolis, "separate_v", Method) == part(Metropolis, "blocks", Method) == 1

    class Least:
        pass

    assert part(Least, "rescale", Rule) is Rule.rescale and not part(Least, "uniforms", Rule)
    assert part(Least(), "derived", Rule)(4) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_built_in_has_what_its_contract_requires(kind):
    """Each choice of conf/ has a class, whose compiled functions are static and without `self`."""
    assert {*STAGES} <= {*vars(Method)} and {*MOVES} <= {*vars(Rule)}
    for name in choices(kind):
        cls = built_in_class(kind, name)
        assert cls.__dataclass_params__.frozen and any(has(cls, m) for m in KINDS[kind].marks)
        assert kind != "method" or has(cls, "stepsize") or has(cls, "derived")
        for function in KINDS[kind].compiled:
            if function in vars(cls):
                assert isinstance(vars(cls)[function], staticmethod), (cls, function)
        assert cls.__module__.startswith(f"nrevu.{KINDS[kind].room}.")
