"""Methods and rules for u from a user's file: settings, identity, mistakes, and right numbers."""

import dataclasses

import pytest
from conftest import REPO
from workflows import project, series, succeeded

from nrevu.cells.cell import config, from_config, parameters
from nrevu.cells.chains import sample
from nrevu.core import sources, user_files
from nrevu.core.binding import bind_kernel
from nrevu.core.sampler import Sampler
from nrevu.distributions.gaussian import Gaussian
from nrevu.errors import Mistake
from nrevu.experiments.settings import parse, resolve
from nrevu.methods.hamiltonian import HMC, Langevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

# The built-in Metropolis method and the paper's rule, as a user would write them.
WALK = """\
from dataclasses import dataclass
from typing import ClassVar
from nrevu.methods import real


@dataclass(frozen=True)
class Walk:
    stepsize: float = real(above=0)
    scaling: float = real(default=0.0)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i]
        return 0.0
"""
RULE = """\
from dataclasses import dataclass
from nrevu.u import real, wrap


@dataclass(frozen=True)
class Rule:
    delta: float = real(at_least=-1, at_most=1)

    @staticmethod
    def move(r, v, uniform, bits):
        return wrap(v + r.delta)
"""
SWEEP = """\
title: walks
cell:
  distribution.dim: 3
  schedule.group: 4
sweep:
  method: [metropolis, {file: code/walk.py, name: Walk, stepsize: 1.5}]
  u: [standard, {file: code/rule.py, delta: 0.2}]
trace: {best: tau.log_prob, for_each: u}
confirm: {best: tau.log_prob, for_each: [method], cells: 1, longer: 2}
figures:
  walks: {kind: lines, x: method.stepsize, panels: [tau.log_prob, trace], line: method, rows: u}
claims:
  - {text: mine, quantity: tau.log_prob, of: {method: metropolis}, over: {method: Walk}}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a method and a rule, as a new process sees it."""
    for cached in (user_files.find_classes, sources.files_hash):
        cached.cache_clear()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.py").write_text(WALK)
    (tmp_path / "rule.py").write_text(RULE)
    return tmp_path


def cell_of(*words):
    return resolve(parse(words))[0]


OWN = ("method.file=walk.py", "method.stepsize=1.8", "method.scaling=0.5", "u.file=rule.py")


def test_a_users_file_gives_the_bits_of_what_is_built_in(here):
    """The same chains: only the digest, and so the random numbers, would differ."""
    own = cell_of(*OWN, "u.delta=0.3")
    same = dataclasses.replace(own, method=Metropolis(1.8, 0.5), u=Nonreversible(0.3))
    object.__setattr__(same, "digest", own.digest)  # a cached property: the same random numbers
    assert sample(same).rows.tobytes() == sample(own).rows.tobytes()


def test_a_config_leads_back_to_the_cell_and_paths_are_no_part_of_it(here):
    cell = cell_of(*OWN, "u.delta=0.3")
    assert from_config(config(cell)) == cell
    assert config(cell)["method"]["file"] == "walk.py" and config(cell)["u"]["file"] == "rule.py"
    flat = parameters(cell)
    assert (flat["method"], flat["u"], flat["u.delta"]) == ("Walk", "Rule", 0.3)
    (here / "other").mkdir()
    for name in ("walk.py", "rule.py"):
        (here / name).rename(here / "other" / name)
    words = [word.replace(".file=", ".file=other/") for word in OWN]
    assert cell_of(*words, "u.delta=0.3").digest == cell.digest


@pytest.mark.parametrize("file", ["walk.py", "rule.py"])
def test_the_source_is_part_of_the_digest(here, file):
    before = cell_of(*OWN, "u.delta=0.3").digest
    with (here / file).open("a") as text:
        text.write("# changed\n")
    for cached in (user_files.find_classes, sources.files_hash):
        cached.cache_clear()
    assert cell_of(*OWN, "u.delta=0.3").digest != before


def test_later_settings_win_over_earlier_ones(here):
    assert cell_of(OWN[0], "method=hmc").method == HMC(0.07, 16, 0.0, 30.0)
    assert type(cell_of("method=hmc", *OWN[:2]).method).__name__ == "Walk"
    assert cell_of("u.file=rule.py", "u=standard").u == Standard()


MISTAKES = [
    (["method.file=walk.py"], "method.stepsize: is missing: it must be a number above 0"),
    ([*OWN[:2], "method.stepsiz=2"], "Did you mean 'method.stepsize'?"),
    (["method=walk.py"], "for a file of your own, give method.file=walk.py"),
    (["u=rule.py"], "for a file of your own, give u.file=rule.py"),
    (["method.file=rule.py"], "has no class with a function 'propose' (Rule is a rule for u)"),
    (["u.file=walk.py"], "has no class with a function 'move' (Walk is a method)"),
    (["method.file=none.py"], "'none.py': no such file"),
    (["u.file=rule.py", "u.delta=2"], "u.delta: 2.0 is not allowed"),
    ([*OWN[:2], "method.name=Wolk"], "Did you mean 'Walk'?"),
]


@pytest.mark.parametrize("words, says", MISTAKES)
def test_mistakes_in_settings(here, words, says):
    with pytest.raises(Mistake) as caught:
        cell_of(*words)
    assert says in str(caught.value) and "command line" in str(caught.value)


EDITS = [
    ("@dataclass(frozen=True)\n", "", "put @dataclass(frozen=True) above the class"),
    ("    @staticmethod\n", "", "put @staticmethod above 'propose', which is compiled"),
    ("    stepsize: float = real(above=0)\n", "", "needs a setting 'stepsize', or 'derived'"),
    (
        "    @staticmethod\n",
        "    def derived(self, dim):\n        return {'eta': 1 / 0}\n\n    @staticmethod\n",
        "'derived' fails: ZeroDivisionError",
    ),
    (
        "    @staticmethod\n",
        "    def derived(self, dim):\n        return {'eta': float('inf')}\n\n    @staticmethod\n",
        "'derived' must return eta, a finite number above 0, not inf",
    ),
    ("real(default=0.0)\n", "real(default=0.0)\n    L: ClassVar[int] = 3\n", "'L' above 1 needs"),
    ("from nrevu.methods", "from nrevu.core.methods", "import what your file needs from"),
]


@pytest.mark.parametrize("old, new, says", EDITS, ids=[each[2] for each in EDITS])
def test_mistakes_in_a_method_are_named(here, old, new, says):
    text = WALK.replace(old, new)
    if "stepsize" in says:
        text = text.replace("h[i] *", "")
    (here / "walk.py").write_text(text)
    with pytest.raises(Mistake) as caught:
        cell_of("method.file=walk.py", *([] if "stepsize" in says else ["method.stepsize=1"]))
    assert says in str(caught.value) and "walk.py" in str(caught.value)


NEXT = "\n        pass\n\n    @staticmethod\n    def propose"
FLAG = "uses_gradent: ClassVar[bool] = True\n    stepsize:"
SPELLING = [
    ("def propose", f"def setle(m, taken, now, new):{NEXT}", "Did you mean 'settle'?"),
    ("stepsize:", FLAG, "Did you mean 'uses_gradient'?"),
    ("def propose", f"def step(m, h, new):{NEXT}", "'step' needs 'L'"),
]


@pytest.mark.parametrize("old, new, says", SPELLING, ids=[each[2] for each in SPELLING])
def test_misspelt_parts_are_not_ignored(here, old, new, says):
    (here / "walk.py").write_text(WALK.replace(old, new, 1))
    with pytest.raises(Mistake) as caught:
        cell_of("method.file=walk.py", "method.stepsize=1")
    assert says in str(caught.value)


def test_a_stage_that_returns_nothing_is_named(here):
    (here / "walk.py").write_text(WALK.replace("        return 0.0\n", ""))
    with pytest.raises(Mistake, match=r"Walk.propose: returns None: it must return a number"):
        sample(cell_of("method.file=walk.py", "method.stepsize=1"))


def test_what_cannot_be_compiled_is_named(here):
    (here / "rule.py").write_text(RULE.replace("wrap(v", "wrep(v"))
    with pytest.raises(Mistake, match=r"Rule.move cannot be compiled: NameError: name 'wrep'"):
        sample(cell_of("u.file=rule.py", "u.delta=0.1"))


def test_kernels_are_shared_by_what_shares_functions_and_by_nothing_else():
    """Two methods of a file may share some of their functions; then they have two kernels."""

    class Other(Langevin):
        settle = staticmethod(lambda m, taken, now, new: None)

    names = [
        Sampler(Gaussian(2), method, u).kernel_name
        for method, u in (
            (Langevin(1.0), Standard()),
            (HMC(1.0, 3), Nonreversible(0.1)),
            (Other(1.0), Standard()),
            (Metropolis(1.0), Standard()),
        )
    ]
    assert names[0] == names[1] and len(set(names)) == 3


@pytest.mark.slow
def test_own_method_and_rule_from_yaml_to_report(tmp_path, nrevu):
    """Sampled, traced, confirmed, compared, drawn and reported, as built-in ones are."""
    work = project(tmp_path / "first", SWEEP)
    (work / "code").mkdir()
    (work / "code/walk.py").write_text(WALK)
    (work / "code/rule.py").write_text(RULE)
    words = ("make", "mine.yaml", "--size", "smoke", "--cores", "2")
    first = succeeded(nrevu(*words, cwd=work))
    assert "compiling Walk, Rule" in first.stderr
    assert len(series(work)) == 6  # four cells, two of them again
    page = (work / "results/smoke/report.html").read_text()
    assert "Walk" in page and "Rule" in page
    assert (work / "results/smoke/mine/walks.png").exists()
    assert "Nothing to be done" in succeeded(nrevu(*words, cwd=work)).stderr
    one = ("method.file=code/walk.py", "method.stepsize=1.5", "u.file=code/rule.py", "u.delta=0.2")
    run = nrevu("run", *one, "distribution.dim=3", "schedule.group=4", "size=smoke", cwd=work)
    digest = succeeded(run).stdout.partition("digest ")[2][:16]
    assert (work / f"results/cells/{digest}.parquet").exists()


@pytest.mark.slow
def test_a_mistake_in_a_stage_is_reported_before_anything_runs(tmp_path, nrevu):
    work = project(tmp_path / "work", SWEEP)
    (work / "code").mkdir()
    (work / "code/walk.py").write_text(
        WALK.replace("0.0\n", "nothing\n").replace("=nothing", "=0.0")
    )
    (work / "code/rule.py").write_text(RULE)
    run = nrevu("make", "mine.yaml", "--size", "smoke", cwd=work)
    assert run.returncode == 2 and "Walk.propose cannot be compiled: NameError" in run.stderr
    assert not (work / "results/cells").exists()


def test_examples_and_templates_import_from_the_documented_modules_alone():
    rooms = ("nrevu.distributions", "nrevu.methods", "nrevu.u")
    for path in [*(REPO / "nrevu/templates").glob("*.py"), *(REPO / "docs").glob("*.md")]:
        for line in path.read_text().splitlines():
            if line.startswith("from nrevu"):
                assert line.split()[1] in rooms, (path, line)


def test_stepsizes_are_no_array(here):
    (here / "walk.py").write_text(WALK.replace("h[i] * normal[i]", "(h * normal)[i]"))
    with pytest.raises(Mistake, match=r"Walk.propose cannot be compiled.*; h works only as h\[i\]"):
        sample(cell_of("method.file=walk.py", "method.stepsize=1"))


FACTORY = """

def make(sign):
    def settle(m, taken, now, new):
        now.p[0] = sign * now.p[0]
    return settle


@dataclass(frozen=True)
class Made(Walk):
    settle = staticmethod(make(-1.0))
"""


def test_functions_that_a_function_makes_are_refused(here):
    """Two of them have one name, and the disk cache would take one for the other."""
    with (here / "walk.py").open("a") as text:
        text.write(FACTORY)
    with pytest.raises(Mistake, match="'settle': define it in the class or at the top of the file"):
        cell_of("method.file=walk.py", "method.name=Made", "method.stepsize=1")


@pytest.mark.parametrize("key", ["L", "seed", "method"])
def test_names_that_derived_may_not_return(here, key):
    derived = f"    def derived(self, dim):\n        return {{'{key}': 5}}\n\n    @staticmethod\n"
    (here / "walk.py").write_text(WALK.replace("    @staticmethod\n", derived))
    with pytest.raises(Mistake, match=f"'derived' must not return '{key}': that name is taken"):
        cell_of("method.file=walk.py", "method.stepsize=1")


def test_eta_need_not_be_derived_and_its_type_does_not_matter(here):
    derived = (
        "    def derived(self, dim):\n        return {'n': np.float32(0.5)}\n\n    @staticmethod\n"
    )
    text = WALK.replace("    @staticmethod\n", derived).replace(
        "from typing", "import numpy as np\nfrom typing"
    )
    (here / "walk.py").write_text(text)
    found = cell_of("method.file=walk.py", "method.stepsize=1").derived
    assert found == {"eta": 1.0, "n": 0.5} and type(found["n"]) is float


def test_folders_may_have_modules_of_the_same_name(here):
    """A file imports the module of its own folder, whatever was imported before."""
    walk = WALK.replace("h[i] *", "FACTOR * h[i] *").replace(
        "from typing", "from factor import FACTOR\nfrom typing"
    )
    for folder, factor in (("one", 1.0), ("two", 2.0)):
        (here / folder).mkdir()
        (here / folder / "walk.py").write_text(walk)
        (here / folder / "factor.py").write_text(f"FACTOR = {factor}\n")
    factors = [
        cell_of(f"method.file={folder}/walk.py", "method.stepsize=1").method.propose.__globals__[
            "FACTOR"
        ]
        for folder in ("one", "two")
    ]
    assert factors == [1.0, 2.0]


BLOCKS = "    blocks: ClassVar[int] = {}\n    separate_v: ClassVar[int] = {}\n"


@pytest.mark.parametrize("blocks, several", [(0, 1), (1, 0), (1, 2), (4, 3), (2, -1), (1.5, 1)])
def test_blocks_and_separate_v_have_to_fit(here, blocks, several):
    """A wrong number of v would make the compiled loop write outside an array."""
    fields = "real(default=0.0)\n"
    (here / "walk.py").write_text(WALK.replace(fields, fields + BLOCKS.format(blocks, several)))
    with pytest.raises(Mistake, match="'blocks' "):
        cell_of("method.file=walk.py", "method.stepsize=1")


def test_numbers_of_another_type_are_another_kernel(here):
    derived = "    def derived(self, dim):\n        eta = self.stepsize\n"
    derived += "        return {'eta': int(eta) if eta > 1 else eta}\n\n    @staticmethod\n"
    (here / "walk.py").write_text(WALK.replace("    @staticmethod\n", derived))
    cells = [cell_of("method.file=walk.py", f"method.stepsize={eta}") for eta in (0.5, 2.0)]
    names = {bind_kernel(cell.sampler).drive.__name__ for cell in cells}
    assert len(names) == 2
