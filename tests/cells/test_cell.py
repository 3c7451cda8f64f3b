"""Cells: identity, names and the way back from a config."""

import dataclasses
import sys
from types import SimpleNamespace

import pytest

from nrevu.cells import cell as cells
from nrevu.cells.cell import Cell, Run, Schedule, config, from_config, parameters
from nrevu.distributions.gaussian import Gaussian
from nrevu.errors import Mistake
from nrevu.fields import changed_fields, real
from nrevu.methods.hamiltonian import HMC, Langevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

PLACE = "nrevu.distributions"


def cell(**changes):
    plain = {
        "distribution": Gaussian(40),
        "method": Metropolis(1.8, 0.5),
        "u": Nonreversible(0.3),
        "schedule": Schedule(40),
        "run": Run(1000, 5, 10),
        "seed": 1,
    }
    return Cell(**{**plain, **changes})


def test_the_file_of_a_built_in_distribution_may_have_a_name_of_two_words(tmp_path, monkeypatch):
    kind = dataclasses.make_dataclass("StudentT", [("dim", int)], bases=(Gaussian,), frozen=True)
    kind.__module__ = f"{PLACE}.student_t"
    module = SimpleNamespace(__name__=kind.__module__, Gaussian=Gaussian, StudentT=kind)
    monkeypatch.setitem(sys.modules, kind.__module__, module)
    (tmp_path / "distributions").mkdir()
    (tmp_path / "distributions/student_t.py").touch()
    monkeypatch.setattr(cells, "PACKAGE", tmp_path)
    monkeypatch.setattr(cells, "choices", lambda kind: ["student_t", "cauchy"])
    cells.built_in_class.cache_clear()
    found = cells.build_part("distribution", {"name": "student_t", "dim": 3})
    assert found == kind(3) and cells.name_of(found) == "student_t"
    with pytest.raises(LookupError, match=r"conf/distribution/cauchy\.yaml has no class"):
        cells.build_part("distribution", {"name": "cauchy"})
    cells.built_in_class.cache_clear()


def test_the_classes_of_one_file_are_told_apart_by_name():
    found = [cells.built_in_class("method", name) for name in ("hmc", "langevin", "metropolis")]
    assert found == [HMC, Langevin, Metropolis]
    assert [cells.name_of(u) for u in (Nonreversible(0.3), Standard())] == [
        "nonreversible",
        "standard",
    ]


def test_digest_is_stable():
    """If this fails, every user's finished cells would run again."""
    assert cell().digest == "bb5f22ce57133096"


def test_digest_covers_all_that_matters():
    changes = [
        {"distribution": Gaussian(41)},
        {"method": Metropolis(1.80001, 0.5)},
        {"method": Metropolis(1.8, 0.4)},
        {"u": Nonreversible(0.3, 0.01)},
        {"u": Standard()},
        {"schedule": Schedule(41)},
        {"schedule": Schedule(40, 10)},
        {"run": Run(1001, 5, 10)},
        {"run": Run(1000, 6, 10)},
        {"run": Run(1000, 5, 11)},
        {"seed": 2},
    ]
    assert len({cell().digest, *(cell(**change).digest for change in changes)}) == 12


def test_a_neutral_field_added_later_changes_no_digest():
    @dataclasses.dataclass(frozen=True)
    class Later(Metropolis):
        jitter: float = real(default=0.0)

    assert changed_fields(Later(1.8, 0.5)) == changed_fields(Metropolis(1.8, 0.5))
    assert changed_fields(Later(1.8, 0.5, 30.0))["jitter"] == 30


def test_numbers_that_are_equal_are_one_cell():
    written = config(cell(method=Metropolis(2.0, 0.5)))
    written["method"]["stepsize"] = 2
    assert from_config(written).digest == cell(method=Metropolis(2.0, 0.5)).digest


@pytest.mark.parametrize(
    "u", [Standard(), Nonreversible(0.3), Nonreversible(-0.2, 0.5), Nonreversible(0.0, 0.5)]
)
def test_config_round_trip(u):
    assert from_config(config(cell(u=u))) == cell(u=u)


def test_delta_0_with_noise_1_is_the_standard_method():
    written = config(cell())
    written["u"] = {"name": "nonreversible", "delta": 0, "noise": 1}
    assert from_config(written) == cell(u=Standard())
    assert parameters(cell(u=Standard()))["u"] == "standard"


def test_v_that_never_moves_is_refused():
    written = config(cell())
    written["u"] = {"name": "nonreversible", "delta": 0, "noise": 0}
    with pytest.raises(Mistake, match="u=standard"):
        from_config(written)


def test_lengths_add_up():
    assert Run(103, 0, 10).lengths() == [11] * 3 + [10] * 7
    assert sum(Run(1000, 0, 7).lengths()) == 1000


def test_name_is_readable():
    name = cell().name
    assert "gaussian(dim=40)" in name and "nonreversible(delta=0.3)" in name and "seed=1" in name
