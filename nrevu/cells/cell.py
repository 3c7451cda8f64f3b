"""A cell: one grid point, checked and frozen, with a readable name and a digest.

In: a nested mapping, as composed from conf/ or read from a file. Out: a Cell. The digest covers
everything that determines the cell's numbers and nothing else; the random numbers come from it.
"""

import dataclasses
import functools
import hashlib
import importlib
import inspect
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu import distributions
from nrevu.core.contracts import class_of, has, part
from nrevu.core.sources import source_hash
from nrevu.core.user_files import is_user_file, load_class, probe
from nrevu.errors import Mistake, check_known
from nrevu.fields import build, changed_fields, check, integer, real
from nrevu.files import read_json, relative_path
from nrevu.methods import METHODS, derived

# Raise it when a change to the code changes the numbers of some cell; tests/cells/test_chains.py
# has a few numbers of this version.
SAMPLING_VERSION = 4


@dataclass(frozen=True)
class U:
    """How v moves before each decision; delta 0 with noise 1 is the standard method."""

    delta: float = real(at_least=-1, at_most=1)  # translation of v; v has period 2
    noise: float = real(at_least=0, at_most=1, default=0.0)  # half-width of a uniform added to it

    def __post_init__(self):
        if self.delta == 0 and self.noise == 0:
            raise ValueError("delta 0 with noise 0 never moves v; for a fresh u: u=standard")

    @property
    def name(self) -> str:
        """Return the name of this choice in conf/u."""
        return "standard" if self == STANDARD else "nonreversible"


STANDARD = U(delta=0.0, noise=1.0)


@dataclass(frozen=True)
class Schedule:
    """How many updates there are in a recorded group, and between Gibbs scans."""

    group: int = integer(at_least=1, at_most=10**9)  # updates per recorded group
    # Updates between Gibbs scans; 0: none.
    gibbs_every: int = integer(at_least=0, at_most=10**9, default=0)


@dataclass(frozen=True)
class Run:
    """How long to run."""

    groups: int = integer(at_least=1)  # recorded groups, over all chains together
    burn_in: int = integer(at_least=0)  # groups left out at the start of each chain
    chains: int = integer(at_least=1)  # independent chains

    def __post_init__(self):
        if self.chains > self.groups:
            message = f"{self.chains} chains need at least as many groups, not {self.groups}"
            raise ValueError(message)

    def lengths(self) -> list[int]:
        """Return the recorded groups of each chain, which differ by at most one."""
        least, more = divmod(self.groups, self.chains)
        return [least + (chain < more) for chain in range(self.chains)]


@dataclass(frozen=True)
class Cell:
    """One grid point."""

    distribution: Any  # an instance of a distribution's class
    method: Any  # an instance of one of nrevu.methods.METHODS
    u: U
    schedule: Schedule
    run: Run
    seed: int = integer(at_least=0, at_most=None)

    @functools.cached_property
    def digest(self) -> str:
        """Return 16 hex digits of everything that determines the numbers."""
        text = json.dumps([SAMPLING_VERSION, identity(self)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """Return a name that a person can read."""
        own = identity(self)
        sections = (own["distribution"], own["method"], own["u"], own["schedule"] | own["run"])
        return " ".join([*map(format_section, sections), f"seed={self.seed}"])

    @property
    def derived(self) -> dict[str, float]:
        """Return the numbers that follow from the method's settings for this distribution."""
        return derived(self.method, self.distribution.dim)

    @property
    def updates(self) -> int:
        """Return the number of updates in all chains, burn-in included."""
        return (self.run.groups + self.run.burn_in * self.run.chains) * self.schedule.group


def format_section(section: Mapping[str, Any]) -> str:
    """Return 'metropolis(stepsize=1.8)' for {name: metropolis, stepsize: 1.8}."""
    inside = ",".join(f"{key}={value}" for key, value in section.items() if key != "name")
    return section.get("name", "") + (f"({inside})" if inside else "")


def identity(cell: Cell) -> dict[str, Any]:
    """Return what determines the cell's numbers, except the version of the code.

    Of a distribution from a user's file that is also its source.
    """
    own = cell.distribution
    source = {"source": source_hash(class_of(own))} if is_user_file(own) else {}
    settings = changed_fields(own) | part(own, "content")() | source
    return {
        "distribution": {"name": name_of(own), **settings},
        "method": {"name": name_of(cell.method), **changed_fields(cell.method)},
        "u": {"name": cell.u.name} | (changed_fields(cell.u) if cell.u != STANDARD else {}),
        "schedule": changed_fields(cell.schedule),
        "run": changed_fields(cell.run),
        "seed": cell.seed,
    }


def config(cell: Cell) -> dict[str, Any]:
    """Return the nested mapping that `from_config` turns back into the cell."""
    full = identity(cell)
    keys = {f.name for f in dataclasses.fields(cell.distribution)} | {"name", "source"}
    full["distribution"] = {k: v for k, v in full["distribution"].items() if k in keys}
    for section in ("distribution", "method", "schedule", "run"):
        full[section] |= dataclasses.asdict(getattr(cell, section))
    if cell.u != STANDARD:
        full["u"] |= dataclasses.asdict(cell.u)
    if is_user_file(cell.distribution):
        full["distribution"]["file"] = relative_path(inspect.getfile(type(cell.distribution)))
    return full


def parameters(cell: Cell) -> dict[str, Any]:
    """Return the cell flat, under the keys that `nrevu run` takes."""
    return flatten(config(cell))


def flatten(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nested mapping of a cell flat."""
    flat = {}
    for key, section in settings.items():
        for name, value in section.items() if isinstance(section, dict) else [("", section)]:
            flat[key if name in ("", "name") else f"{key}.{name}"] = value
    return flat


def from_config(values: Mapping[str, Any]) -> Cell:
    """Return the checked Cell of a nested mapping, or raise a Mistake that names the key."""
    distribution = build_distribution(values["distribution"])
    name, settings = choose(values["method"], "method", METHODS)
    method = build(METHODS[name], settings, "method")
    u = build_u(values["u"])
    schedule = build(Schedule, values["schedule"], "schedule")
    run = build(Run, values["run"], "run")
    check_gibbs(distribution, schedule)
    if method.update == "hamiltonian" and not has(distribution, "gradient"):
        message = f"'{name_of(distribution)}' has no gradient: only metropolis can sample it"
        raise Mistake(message, key="method")
    seed = check(Cell.__dataclass_fields__["seed"], values["seed"], "seed")
    return Cell(distribution, method, u, schedule, run, seed)


def load_cells(file: Path) -> list[Cell]:
    """Return the cells of a plan file, which holds their configs by digest."""
    cells = {digest: from_config(config) for digest, config in read_json(file)["cells"].items()}
    for digest, cell in cells.items():
        if cell.digest != digest:
            raise Mistake(f"{file}: cell {digest} is of another version; run the workflow again")
    return list(cells.values())


def check_gibbs(distribution: Any, schedule: Schedule) -> None:
    """Raise a Mistake unless there are Gibbs scans exactly if the distribution has `gibbs`."""
    needed = has(distribution, "gibbs")
    if needed != (schedule.gibbs_every > 0):
        says = "has variables that only Gibbs scans move: set it to 1 or more"
        says = says if needed else "has nothing to Gibbs-sample: it must be 0"
        raise Mistake(f"'{name_of(distribution)}' {says}", key="schedule.gibbs_every")


def choose(values: Mapping[str, Any], key: str, allowed: Collection[str]) -> tuple[str, dict]:
    """Return the name, which must be one of those allowed, and the settings beside it."""
    settings = dict(values)
    name = settings.pop("name", None)
    check_known("choice", name, allowed, key=key)
    return name, settings


def build_u(values: Mapping[str, Any]) -> U:
    """Return the U of {name: standard}, or of {name: nonreversible, settings}."""
    name, settings = choose(values, "u", ("standard", "nonreversible"))
    if name == "nonreversible":
        return build(U, settings, "u")
    if settings:
        key = f"u.{next(iter(settings))}"
        raise Mistake("u=standard takes no settings; use u=nonreversible", key=key)
    return STANDARD


def build_distribution(values: Mapping[str, Any]) -> Any:
    """Return the distribution of {name: ..., settings}, or of {file: ..., name: ..., settings}."""
    if "file" not in values:
        name, settings = choose(values, "distribution", built_in())
        module = importlib.import_module(f"nrevu.distributions.{name}")
        return build(getattr(module, name.title().replace("_", "")), settings, "distribution")
    if not isinstance(values["file"], str):
        raise Mistake("must be the path of a Python file", key="distribution.file")
    cls = load_class(values["file"], values.get("name"))
    settings = {k: v for k, v in values.items() if k not in ("file", "name", "source")}
    distribution = build(cls, settings, "distribution")
    probe(distribution)
    return distribution


@functools.cache
def built_in() -> set[str]:
    """Return the names of the built-in distributions: of the modules in nrevu/distributions."""
    return {path.stem for path in Path(distributions.__file__).parent.glob("[a-z]*.py")}


def name_of(obj: Any) -> str:
    """Return the name that selects this object's class in a config."""
    methods = {cls: name for name, cls in METHODS.items()}
    kind = type(obj)
    built_in = kind.__module__.rpartition(".")[2]  # student_t has StudentT
    return methods.get(kind) or (kind.__name__ if is_user_file(obj) else built_in)
