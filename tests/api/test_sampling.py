"""nrevu.sample: the same bits as `nrevu run` and workflows; classes and functions without a file.

Seeds are fixed; a tolerance of 5 standard errors means a false alarm of 6e-7 on a new seed.
"""

import json
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import REPO

import nrevu
from nrevu.api import sampling

SHORT = {"group": 4, "groups": 400, "chains": 8, "burn_in": 2}
DENSITY = """
from dataclasses import dataclass
import math

@dataclass(frozen=True)
class Bowl:
    dim: int
    power: float = 2.0

    @staticmethod
    def gradient(x, w, data, g):
        total = 0.0
        for i in range(x.size):
            size = abs(x[i]) ** (data[0] - 1.0)
            g[i] = math.copysign(size, x[i])
            total += size * abs(x[i]) / data[0]
        return total

    def data(self):
        return (self.power,)
"""


def define(text, **scope):
    """Return what a prompt has defined after it read a text: its code has no file."""
    scope |= {"__name__": "__main__"}
    exec(compile(text, "<prompt>", "exec"), scope)
    return scope


def test_the_same_bits_as_the_command(nrevu, tmp_path):
    import nrevu as package

    words = "distribution=pairs distribution.dim=6 method=hmc method.L=3 method.stepsize=0.2"
    words += (
        " u=nonreversible u.delta=0.1 schedule.group=4 run.groups=400 run.chains=8 run.burn_in=2"
    )
    printed = json.loads(nrevu("run", *words.split(), "seed=5", "--json", cwd=tmp_path).stdout)
    parts = {"name": "pairs", "dim": 6}, {"name": "hmc", "L": 3, "stepsize": 0.2}
    found = package.sample(*parts, {"name": "nonreversible", "delta": 0.1}, **SHORT, seed=5)
    for key in ("digest", "bits", "tau", "rejection_rate", "evaluations"):
        assert found.summary[key] == printed[key]


def test_an_object_of_a_class_is_the_cell_of_its_file(tmp_path, monkeypatch, nrevu):
    import nrevu as package

    (tmp_path / "bowl.py").write_text(DENSITY)
    monkeypatch.syspath_prepend(tmp_path)
    from bowl import Bowl

    found = package.sample(Bowl(3, power=4.0), {"name": "langevin", "stepsize": 0.5}, **SHORT)
    words = "distribution.file=bowl.py distribution.dim=3 distribution.power=4.0 method=langevin"
    words += " method.stepsize=0.5 schedule.group=4 run.groups=400 run.chains=8 run.burn_in=2"
    printed = json.loads(nrevu("run", *words.split(), "--json", cwd=tmp_path).stdout)
    assert (found.digest, found.summary["bits"]) == (printed["digest"], printed["bits"])


def test_a_class_of_a_prompt():
    """What differs in code or in a value that it refers to is another cell, with other chains."""
    one = nrevu.sample(define(DENSITY)["Bowl"](3), "langevin", **SHORT)
    again = nrevu.sample(define(DENSITY)["Bowl"](3), "langevin", **SHORT)
    other = nrevu.sample(
        define(DENSITY.replace("/ data[0]", "* 1.5"))["Bowl"](3), "langevin", **SHORT
    )
    assert one.digest == again.digest != other.digest
    assert one.summary["bits"] == again.summary["bits"] != other.summary["bits"]
    assert (one.values["log_prob"] != other.values["log_prob"]).any()


def test_plain_functions_with_arrays_outside():
    precision = np.array([1.0, 4.0, 0.25])

    def log_density(x):
        return -0.5 * np.sum(precision * x * x)

    def gradient(x):
        return -precision * x

    target = nrevu.density(
        log_density, gradient, dim=3, means={"coordinate": 0.0, "log_prob": -1.5}
    )
    how = {"groups": 40_000, "group": 2, "seed": 2, "keep": "x"}
    found = nrevu.sample(target, {"name": "langevin", "stepsize": 0.8}, "nonreversible", **how)
    assert found.x.shape == (40, 1000, 3) and found.rejected.shape == (40, 1000)
    assert found.values["coordinate"] == pytest.approx(found.x[..., 0])
    assert found.values["log_prob"] == pytest.approx(-0.5 * (found.x**2) @ precision, rel=1e-5)
    for i in range(3):
        squares = precision[i] * found.x[..., i] ** 2
        tau = nrevu.autocorrelation_time(squares, 1.0)
        assert abs(squares.mean() - 1) < 5 * np.sqrt(2 * tau.value / squares.size)
    before = found.digest
    precision[0] = 2.0
    again = nrevu.density(log_density, gradient, dim=3)
    assert nrevu.sample(again, "langevin", **SHORT).digest != before


MOVED = """
import numpy as np

centre = np.array([1.0, 2.0])


def distance(x):  # not compiled by its author
    return np.sum((x - centre) ** 2)


def log_density(x):
    return -0.5 * distance(x)


def gradient(x):
    return centre - x
"""
CENTRED = """
from dataclasses import dataclass
import numpy as np

centre = np.array([1.0, 2.0])

@dataclass(frozen=True)
class Centred:
    dim: int = 2

    @staticmethod
    def gradient(x, w, data, g):
        total = 0.0
        for i in range(2):
            g[i] = x[i] - centre[i]
            total += 0.5 * g[i] ** 2
        return total
"""


@pytest.mark.parametrize("text", [MOVED, CENTRED], ids=["functions", "class"])
@pytest.mark.parametrize("change", ["rebound", "in place"])
def test_data_that_change_make_another_cell_of_the_same_object(text, change):
    """Each mean is that of the data at the time, and a digest always has the same bits."""
    scope, bits = define(text), {}

    def target():
        if "Centred" in scope:
            return scope["Centred"]()
        return nrevu.density(scope["log_density"], scope["gradient"], dim=2)

    old, how = target(), {"group": 3, "groups": 8000, "keep": "x"}
    for shift in (0.0, 10.0, 0.0, -5.0):
        if change == "rebound":
            scope["centre"] = np.array([1.0, 2.0]) + shift
        else:
            scope["centre"][:] = np.array([1.0, 2.0]) + shift
        for each in (old, target()):
            found = nrevu.sample(each, {"name": "langevin", "stepsize": 0.9}, **how)
            assert np.abs(found.x.mean((0, 1)) - [1 + shift, 2 + shift]).max() < 0.15
            assert bits.setdefault(found.digest, found.summary["bits"]) == found.summary["bits"]
    assert len(bits) == 3


def test_what_density_refuses():
    def right(x):
        return -0.5 * np.sum(x * x)

    cases = [
        (lambda: nrevu.density(right, lambda x: x, dim=2), "gradient: is not that of log_density"),
        (lambda: nrevu.density(right, dim="3"), "dim: '3' is not a whole number, 1 or more"),
        (lambda: nrevu.density(right, dim=2, means={"x1": 0}), "means: unknown mean 'x1'"),
        (lambda: nrevu.density(3, dim=2), "log_density: must be a function of x, not 3"),
        (lambda: nrevu.sample(right), r"is a function: make a distribution of it by nrevu.density"),
    ]
    for call, says in cases:
        with pytest.raises(nrevu.Mistake, match=says):
            call()


def test_chains_that_never_move_have_no_time():
    found = nrevu.sample("gaussian", {"name": "metropolis", "stepsize": 1e6}, **SHORT)
    assert all(np.isnan(tau.value) for tau in found.tau.values())
    assert "no proposal was accepted, so no time is known: lower method.stepsize" in repr(found)


def test_functions_without_a_gradient():
    target = nrevu.density(lambda x: -abs(x[0]), dim=1, start=np.array([2.0]))
    found = nrevu.sample(target, {"name": "metropolis", "stepsize": 3.0}, **SHORT)
    assert 0.2 < found.rejection_rate.value < 0.8
    with pytest.raises(nrevu.Mistake, match="no gradient, and 'langevin' needs it"):
        nrevu.sample(target, "langevin", **SHORT)


@pytest.mark.parametrize("method", ["metropolis", "langevin", "hmc"])
@pytest.mark.parametrize("distribution, every", [("gaussian", 0), ("mixed", 2), ("pairs", 0)])
def test_draws_are_the_states_that_are_recorded(method, distribution, every):
    found = nrevu.sample(distribution, method, **SHORT, gibbs_every=every, keep="x")
    plain = nrevu.sample(distribution, method, **SHORT, gibbs_every=every)
    assert found.summary["bits"] == plain.summary["bits"] and plain.x is None
    assert (found.x[..., 0].astype(np.float32) == found.values["coordinate"]).all()


def test_wrong_arguments():
    bowl = define(DENSITY)["Bowl"]
    cases = [
        (
            ("gausian",),
            "nrevu.sample: distribution: unknown choice 'gausian'. Did you mean 'gaussian'",
        ),
        (("gaussian", "hmcc"), "nrevu.sample: method: unknown choice 'hmcc'. Did you mean 'hmc'"),
        ((bowl,), r"distribution: is the class 'Bowl': give an object, Bowl\(...\)"),
        ((bowl("three"),), "distribution.dim: 'three' is not allowed"),
        ((3,), "distribution: 'int' has no function 'gradient' or 'energy'"),
        (("gaussian", bowl(2)), "method: 'Bowl' has no function 'propose': it is no method"),
        (("gaussian", {"name": "hmc", "step": 2}), "nrevu.sample: method.step: .*method.stepsize"),
    ]
    for arguments, says in cases:
        with pytest.raises(nrevu.Mistake, match=says):
            nrevu.sample(*arguments)
    for key, value in {"groups": 0, "seed": -1, "mean": "true", "keep": "y", "group": 2.5}.items():
        with pytest.raises(nrevu.Mistake, match=f"nrevu.sample: .*{key}"):
            nrevu.sample("gaussian", **{key: value})


def test_a_function_that_cannot_be_compiled_is_named():
    def log_density(x):
        return open("file").read(x)

    with pytest.raises(nrevu.Mistake, match="log_density cannot be compiled") as found:
        nrevu.sample(nrevu.density(log_density, dim=2), **SHORT)
    assert "nrevu/" not in str(found.value)


def test_ctrl_c_ends_a_run(monkeypatch):
    monkeypatch.setattr(sampling.threading.Thread, "join", interrupted(threading.Thread.join))
    with pytest.raises(KeyboardInterrupt):
        nrevu.sample("pairs", "persistent_langevin", group=10, groups=10**7)
    assert threading.active_count() < 5


def interrupted(join):
    """Return a `join` that is interrupted the first time that it waits for a while."""
    calls = []

    def wait(thread, timeout=None):
        calls.append(timeout)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return join(thread, timeout)

    return wait


def test_progress_is_shown(monkeypatch, capsys):
    monkeypatch.setattr(sampling, "SHOWN_AFTER", 0.0)
    monkeypatch.setattr(sampling, "is_watched", lambda: True)
    nrevu.sample("gaussian", groups=100_000, group=40)
    shown = capsys.readouterr().err
    assert "nrevu: [" in shown and "s left" in shown and shown.endswith("\r")
    nrevu.sample("gaussian", groups=1000, progress=False)
    assert capsys.readouterr().err == ""


def test_for_arviz():
    arviz = pytest.importorskip("arviz")
    found = nrevu.sample("gaussian", **SHORT, keep="x")
    data = found.to_arviz()
    assert (data["posterior"]["log_prob"].values == found.values["log_prob"]).all()
    assert (data["posterior"]["x"].values == found.x).all()
    assert set(arviz.summary(data)["ess_bulk"].index) >= {"coordinate", "log_prob"}


def test_importing_nrevu_is_fast_and_names_are_listed():
    code = "import sys, nrevu; print(dir(nrevu)); print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO)
    assert run.stdout.splitlines()[1] == "False"
    assert "sample" in run.stdout
    with pytest.raises(AttributeError, match="no attribute 'sampel'"):
        nrevu.sampel  # noqa: B018
