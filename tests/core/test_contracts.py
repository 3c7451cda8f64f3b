"""The contracts of distributions and methods: defaults; docs and template name each part."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest
from conftest import REPO

from nrevu.core.contracts import COMPILED, PAIRS, Distribution, Method, has, part
from nrevu.distributions.network import Network
from nrevu.methods import (
    HMC,
    METHODS,
    Langevin,
    Metropolis,
    PersistentLangevin,
    arguments,
    leapfrogs,
)  # fmt: skip

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


def test_methods_have_what_their_contract_requires():
    assert arguments(HMC(0.5, 7, jitter=30.0), 4) == (0.5, 0.0, 7, 30.0)
    assert arguments(PersistentLangevin(0.5, 0.9, "update", 0.5), 4) == (0.25, 0.9, 1, 0.0)
    assert arguments(Metropolis(0.5), 4) == (0.5,)
    assert [leapfrogs(m) for m in (Metropolis(0.5), Langevin(0.5), HMC(0.5, 7))] == [0, 1, 7]
    for cls in METHODS.values():
        fields = {field.name for field in dataclasses.fields(cls)}
        assert {"update", "stepsize"} <= {*vars(cls), *fields}
        assert {*part(cls, "arguments", Method)} <= {"eta", *vars(Method)}
