"""Bits: the same fresh and cached, on any target of the kind, and as in the reference run."""

import dataclasses
import functools
import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from conftest import REPO

from nrevu.analysis.result import summarise
from nrevu.analysis.table import table as table_of
from nrevu.cells import chains
from nrevu.cells.cell import SAMPLING_VERSION
from nrevu.core import driver
from nrevu.core.binding import FAST, bind, bound, driver_globals, key
from nrevu.core.target import FIXED, can_run_fixed, njit
from nrevu.errors import Mistake
from nrevu.experiments.experiment import default_set, expand
from nrevu.methods.guided_walk import GuidedWalk
from nrevu.methods.hamiltonian import HMC
from nrevu.methods.metropolis import Metropolis
from nrevu.pipeline.batches import kernel_name, spread_over_kernels
from nrevu.results import reference
from nrevu.results.provenance import provenance
from nrevu.u.gaussian_noise import GaussianNoise
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

BANANA = f"distribution.file={REPO}/nrevu/templates/my_density.py"
COMMON = "run.groups=60 run.chains=6 estimate.max_lag=2 method.scaling=0 schedule.group=5"
METHODS = (
    "method=metropolis method.stepsize=0.1",
    "method=langevin method.stepsize=0.1",
    "method=persistent_langevin method.stepsize=0.1 method.alpha_per=update u=nonreversible",
    "method=hmc method.stepsize=0.1 method.L=4",
    "method=metropolis_blocks method.stepsize=0.1 u=reversible",
    "method=guided_walk method.stepsize=0.1 u=gaussian_noise",
)
DISTRIBUTIONS = (
    "distribution=gaussian",
    "distribution=pairs",
    "distribution=mixed schedule.gibbs_every=2",
    "distribution=network estimate.mean=pooled schedule.gibbs_every=2",
    BANANA,
)
CELLS = [f"{d} {m} {COMMON}" for d in DISTRIBUTIONS for m in METHODS]
PROGRAM = """
import sys, json
from nrevu.cells.chains import sample
from nrevu.experiments.settings import parse
from nrevu.experiments.experiment import single_cell
from nrevu.cells.series import bits
cells = [single_cell(parse(words.split()))[0] for words in json.loads(sys.argv[1])]
print(json.dumps([bits(sample(cell)) for cell in cells]))
"""


def in_a_process(code, *words, **variables):
    """Return what a new Python process prints."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_CPU")} | variables
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_fresh_and_cached_kernels_give_the_same_bits(tmp_path):
    """From an empty cache folder; of all distributions, methods and rules, and a user's file."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    fresh, cached = (in_a_process(PROGRAM, json.dumps(CELLS), **cache) for _ in range(2))
    assert fresh == cached and len(set(json.loads(fresh))) == len(CELLS)
    assert list(tmp_path.rglob("*.nbc"))  # there was a cache to load from


@pytest.mark.slow
@pytest.mark.skipif(not can_run_fixed(), reason="this processor cannot run code for x86-64-v3")
@pytest.mark.parametrize("target", ["haswell", "znver3"])
def test_bits_do_not_depend_on_the_processor(target, tmp_path):
    """Processors with AVX2 and FMA that are tuned for in other ways than the fixed target."""
    some = json.dumps([CELLS[k] for k in (1, 5, 8, 15, 20)])
    variables = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_CPU_NAME": target}
    other = in_a_process(PROGRAM, some, NUMBA_CPU_FEATURES="", **variables)
    assert other == in_a_process(PROGRAM, some)


TELL = "from nrevu.core import target as t; print(t.TARGET, t.is_fixed(), t.target_note())"


@pytest.mark.skipif(not can_run_fixed(), reason="this processor cannot run code for x86-64-v3")
def test_the_target_is_fixed_and_another_one_is_reported():
    assert in_a_process(TELL).split() == [FIXED, "True"]
    chosen = in_a_process(TELL, NUMBA_CPU_NAME="haswell")
    assert chosen.startswith("haswell") and "NUMBA_CPU_NAME" in chosen
    for empty in ({"NUMBA_CPU_NAME": ""}, {"NUMBA_CPU_NAME": FIXED, "NUMBA_CPU_FEATURES": ""}):
        assert in_a_process(TELL, **empty).split() == [FIXED, "True"]
    mixed = in_a_process(TELL, NUMBA_CPU_NAME=FIXED)  # with this machine's features
    assert "with the features of" in mixed or mixed.split() == [FIXED, "True"]
    late = in_a_process(f"import numba; numba.njit(lambda x: x); {TELL}")
    assert "another library had used numba" in late and not late.startswith(FIXED)


LIBRARY = r"(llvm\.)?(exp|exp2|expm1|log|log2|log10|log1p|pow|powi|sin|cos|tan|tanh)f?(\.|$)"
EXPERIMENTS = {"gaussian": "fig1", "pairs": "fig2", "mixed": "mixed_hmc", "network": "network_hmc"}


METROPOLIS = (Metropolis(0.1), Standard())
OTHERS = [
    (HMC(0.1, 2, 0.0, 10.0), Nonreversible(0.1)),
    (GuidedWalk(0.1, 0.9), GaussianNoise(0.1, 0.1)),
]


@pytest.mark.slow
@pytest.mark.parametrize(  # each distribution, method and rule once: kernels are slow to compile
    "name, method, u",
    [
        ("gaussian", *METROPOLIS),
        ("network", *OTHERS[0]),  # with its gradient
        ("mixed", *OTHERS[0]),
        ("pairs", *OTHERS[0]),
        ("gaussian", *OTHERS[1]),
    ],
)
def test_kernels_call_nothing_of_the_c_library(name, method, u, monkeypatch):
    """No logarithm, power or the like, whose last bit depends on the library's version."""
    kernels = []

    @functools.cache  # a walk to the starts of the network calls its kernel many times
    def fresh(sampler, counts="uint8"):
        kernel = njit(**FAST)(bind(driver.drive, "drive", driver_globals(*key(sampler))))
        kernels.append(kernel)
        return bound(sampler, kernel)

    monkeypatch.setattr(chains, "bind_kernel", fresh)
    monkeypatch.setattr(chains, "settled", chains.settled.__wrapped__)
    cell = expand(EXPERIMENTS[name], "smoke").cells[0]
    chains.compile_kernel(dataclasses.replace(cell, method=method, u=u))
    text = "\n".join(text for kernel in kernels for text in kernel.inspect_llvm().values())
    called = set(re.findall(r"(?:call|invoke)[^@\n]*@\"?([\w.$]+)", text))
    assert called and not {each for each in called if re.match(LIBRARY, each)}


def same_as_reference():
    """Tell whether this environment should give the bits of the reference run."""
    about, here = reference.load("smoke")["about"], provenance()
    return all(about[key] == here[key] for key in reference.DECISIVE if key != "code")


def test_every_default_cell_is_in_the_reference_run():
    """A changed version of the sampling code, or changed settings: `nrevu reference` makes it."""
    for size in ("smoke", "quick", "paper"):
        known = reference.load(size)["cells"]
        cells = [cell for name in default_set() for cell in expand(name, size).cells]
        assert cells and all(cell.digest in known for cell in cells), (
            f"make it again: SAMPLING_VERSION {SAMPLING_VERSION}"
        )


def test_cells_of_all_kernels_are_as_in_the_reference_run():
    """A change of sampling code that changes a bit comes with another SAMPLING_VERSION.

    With other versions of numpy or numba, or elsewhere than on x86-64 with AVX2, bits may differ:
    then the numbers must agree, with a false-alarm rate of 1e-4.
    """
    experiments = [expand(name, "smoke") for name in default_set()]
    estimates = {cell.digest: e.estimate for e in experiments for cell in e.cells}
    chosen = spread_over_kernels([cell for e in experiments for cell in e.cells], 100)
    tables = [table_of([summarise(c, chains.sample(c), estimates[c.digest])]) for c in chosen]
    found = reference.compare(tables, "smoke")
    assert found.unknown == 0
    if same_as_reference():
        assert found.identical == 100, reference.describe(found, provenance())
    elif found.z:
        assert reference.chance_of_largest(found.p) > 1e-4


def test_cells_are_chosen_from_all_kernels():
    experiments = [expand(name, "smoke") for name in ("fig1", "fig2", "langevin")]
    cells = [cell for e in experiments for cell in e.cells]
    kernels = {kernel_name(cell) for cell in cells}
    for count in (len(kernels), 20, None):
        assert {kernel_name(cell) for cell in spread_over_kernels(cells, count)} == kernels
    assert len(spread_over_kernels(cells, 20)) == 20 and len(
        spread_over_kernels(cells, 10**6)
    ) == len(cells)


def table(**changes):
    """Return a table of two cells."""
    rows = {"digest": ["a", "b"], "bits": ["1", "2"], "rejection_rate": [0.5, 0.6]}
    rows |= {
        "run.chains": 40,
        "rejection_rate.se": 0.01,
        "tau.log_prob": [2.0, 3.0],
        "tau.log_prob.se": [0.1, None],
    }
    return pd.DataFrame(rows).assign(**changes)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Ship a reference run of the two cells."""
    monkeypatch.setattr(reference, "HERE", tmp_path)
    reference.load.cache_clear()
    about = {
        "nrevu": "9.9",
        "target": FIXED,
        "numba": "1",
        "llvmlite": "1",
        "numpy": "1",
        "code": "x",
    }
    reference.write("smoke", about, [table()])
    yield about
    reference.load.cache_clear()


def test_a_run_is_compared_bit_by_bit(shipped):
    (line,) = reference.describe(reference.compare([table()], "smoke"), {})
    assert line == "2 of 2 cells are bit-identical to the reference run of version 9.9"
    assert reference.compare([table()], "quick") is None
    other = reference.compare([table(digest=["a", "c"])], "smoke")
    assert "1 of 1 cells" in reference.describe(other, {})[0] and other.unknown == 1
    none = reference.compare([table(digest=["c", "d"])], "smoke")
    assert reference.describe(none, {})[0].startswith("none of the 2 cells")


def test_where_bits_differ_numbers_are_compared_and_the_reason_is_named(shipped):
    found = reference.compare([table(bits=["1", "9"], rejection_rate=[0.5, 0.7])], "smoke")
    assert found.differing == ("b",) and found.z == pytest.approx([0.1 / 0.01 / 2**0.5])
    lines = reference.describe(found, {**shipped, "target": "znver5"})
    assert lines[0].startswith("1 of 2 cells") and f"compiled for znver5, not {FIXED}" in lines[1]
    assert "+7.1 combined standard errors" in lines[2]
    changed = reference.describe(found, {**shipped, "code": "y"})
    assert "sampling code y, not x" in changed[1] and "numba" not in changed[1]
    assert "not known" in reference.describe(found, shipped)[1]


def test_a_damaged_reference_run_is_named(shipped, tmp_path):
    file = tmp_path / "smoke.json.gz"
    file.write_bytes(file.read_bytes()[:40])
    reference.load.cache_clear()
    with pytest.raises(Mistake, match=r"smoke\.json\.gz: cannot be read"):
        reference.compare([table()], "smoke")


def test_the_command_verifies(nrevu):
    done = nrevu("verify", "fig1", "langevin", "--cells", "3")
    assert "3 of 3 cells are bit-identical" in done.stdout and done.returncode == 0
    done = nrevu("verify", "fig1", "--seed", "5")
    assert done.returncode == 2 and "none of these cells" in done.stderr
    assert nrevu("verify", "fig1", "--cells", "0").returncode == 2
