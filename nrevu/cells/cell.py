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
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu.core.contracts import class_of, has, part
from nrevu.core.sampler import Sampler, derived
from nrevu.core.sources import file_of, source_hash
from nrevu.core.user_files import (
    KINDS,
    check_class,
    is_user_file,
    kind_of_class,
    load_class,
    probe_distribution,
    probe_sampler,
)
from nrevu.errors import Mistake, check_known
from nrevu.fields import build, changed_fields, check, integer
from nrevu.files import PACKAGE, choices, read_json, relative_path
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

# Raise it when a change to the code changes the numbers of some cell; tests/cells/test_chains.py
# has a few numbers of this version.
SAMPLING_VERSION = 5


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

    distribution: Any  # an instance of a distribution's class; the next two are
    method: Any  # of a method's
    u: Any  # of a rule's for u
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
    def sampler(self) -> Sampler:
        """Return what the cell's kernel is bound to."""
        return Sampler(self.distribution, self.method, self.u)

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

    Of what is from a user's file that is also its source.
    """
    return {
        "distribution": describe(cell.distribution) | part(cell.distribution, "content")(),
        "method": describe(cell.method),
        "u": describe(cell.u),
        "schedule": changed_fields(cell.schedule),
        "run": changed_fields(cell.run),
        "seed": cell.seed,
    }


def describe(thing: Any) -> dict[str, Any]:
    """Return the name of a distribution, method or rule for u, its settings, and its source."""
    source = {"source": source_hash(class_of(thing))} if is_user_file(thing) else {}
    return {"name": name_of(thing), **changed_fields(thing), **source}


def config(cell: Cell) -> dict[str, Any]:
    """Return the nested mapping that `from_config` turns back into the cell."""
    full = identity(cell)
    for section in KINDS:
        thing = getattr(cell, section)
        full[section] = describe(thing) | dataclasses.asdict(thing)
        if is_user_file(thing) and (file := file_of(class_of(thing))):
            full[section]["file"] = relative_path(str(file))
    for section in ("schedule", "run"):
        full[section] |= dataclasses.asdict(getattr(cell, section))
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
    distribution, method, u = (read_part(kind, values[kind]) for kind in KINDS)
    if u == Nonreversible(0.0, 1.0):
        u = Standard()
    schedule = build(Schedule, values["schedule"], "schedule")
    run = build(Run, values["run"], "run")
    check_gibbs(distribution, schedule)
    sampler = Sampler(distribution, method, u)
    if sampler.uses_gradient and not has(distribution, "gradient"):
        message = f"'{name_of(distribution)}' has no gradient, and '{name_of(method)}' needs it"
        raise Mistake(f"{message}; metropolis does not", key="method")
    probe_sampler(sampler)
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


def read_part(kind: str, values: Any) -> Any:
    """Return the distribution, method or rule of a mapping; or an object that is one, checked."""
    if isinstance(values, Mapping):
        return build_part(kind, values)
    cls = class_of(values)
    if isinstance(values, type):
        raise Mistake(
            f"is the class '{values.__name__}': give an object, {values.__name__}(...)", kind
        )
    if callable(values) and kind == "distribution" and not kind_of_class(cls):
        raise Mistake("is a function: make a distribution of it by nrevu.density(...)", kind)
    if kind_of_class(cls) != kind:
        functions = " or ".join(f"'{mark}'" for mark in KINDS[kind].marks)
        raise Mistake(
            f"'{cls.__name__}' has no function {functions}: it is no {KINDS[kind].noun}", kind
        )
    if is_user_file(values):
        check_class(cls, kind)
        if not file_of(cls):
            from nrevu.core.frozen import frozen_class  # brings numba

            cls = frozen_class(cls)
    thing = build(cls, {f.name: getattr(values, f.name) for f in dataclasses.fields(cls)}, kind)
    if kind == "distribution" and is_user_file(thing):
        probe_distribution(thing)
    return thing


def build_part(kind: str, values: Mapping[str, Any]) -> Any:
    """Return the distribution, method or rule of {name: ..., settings}, or of {file: ..., ...}.

    The `name` of a built-in one is that of a file in conf/, of one in a user's file its class's.
    """
    if "file" not in values:
        check_known("choice", values.get("name"), choices(kind), key=kind)
        cls = built_in_class(kind, values["name"])
        return build(cls, {k: v for k, v in values.items() if k != "name"}, kind)
    if not isinstance(values["file"], str):
        raise Mistake("must be the path of a Python file", key=f"{kind}.file")
    cls = load_class(kind, values["file"], values.get("name"))
    settings = {k: v for k, v in values.items() if k not in ("file", "name", "source")}
    thing = build(cls, settings, kind)
    if kind == "distribution":
        probe_distribution(thing)
    return thing


@functools.cache
def built_in_class(kind: str, name: str) -> type:
    """Return a built-in class: from the file of its name or, failing that, from any in the room."""
    room = f"nrevu.{KINDS[kind].room}"
    stems = sorted(path.stem for path in (PACKAGE / KINDS[kind].room).glob("[a-z]*.py"))
    for stem in [name] if name in stems else stems:
        module = importlib.import_module(f"{room}.{stem}")
        for cls in vars(module).values():
            own = inspect.isclass(cls) and cls.__module__ == module.__name__
            if own and config_name(cls) == name:
                return cls
    raise LookupError(f"conf/{kind}/{name}.yaml has no class in {room}")


def config_name(cls: type) -> str:
    """Return the name of a built-in class in a config: student_t of StudentT, hmc of HMC."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


def name_of(thing: Any) -> str:
    """Return the name that selects this object's class in a config."""
    return type(thing).__name__ if is_user_file(thing) else config_name(type(thing))
