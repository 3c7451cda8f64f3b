"""Composes configs with Hydra and turns them into checked Cells.

In: settings, each a key ('method.stepsize'), a value and the place it was written at. Out: a
Cell and an Estimate. Hydra composes once for each file of conf/ that is used; parts are then put
together, and single values set, which is a hundred times faster and lets an error name the keys
that exist.
"""

import copy
import functools
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from nrevu.cells.cell import Cell, from_config
from nrevu.core.user_files import KINDS
from nrevu.errors import Mistake, check_known, unknown
from nrevu.fields import build, integer, one_of
from nrevu.files import choices, conf_folder

GROUPS = ("distribution", "method", "u", "size")
PARTS = {"size": "run"}  # the part of a config that a group's file fills, if not that of its name
OPEN = tuple(KINDS)  # groups for which a user's Python file may stand instead of a choice
# Settings whose defaults do not fit every distribution.
FITTED = ("schedule.gibbs_every", "estimate.mean")


@dataclass(frozen=True)
class Setting:
    """One key set to one value."""

    key: str  # as in conf/config.yaml, with dots
    value: Any
    place: str  # "file:line" or "command line"


@dataclass(frozen=True)
class Estimate:
    """How autocorrelation times are estimated from a series; not part of a cell's identity."""

    # Lags are summed from 1 to this; 0: to the smallest K >= 5 tau(K), for each quantity.
    max_lag: int = integer(at_least=0)
    mean: str = one_of("known", "pooled")  # autocovariances about true means where known


@functools.cache
def compose(*overrides: str) -> dict[str, Any]:
    """Return the nested config that Hydra composes. Importing Hydra takes half a second."""
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    with initialize_config_dir(str(conf_folder()), version_base="1.3"):
        config: Any = OmegaConf.to_container(compose("config", [*overrides]), resolve=True)
    return config


def composed(**choice: str) -> dict[str, Any]:
    """Return the complete config for a choice of config groups: the default one, parts replaced."""
    config = dict(compose())
    for group, name in choice.items():
        part = PARTS.get(group, group)
        config[part] = compose(f"{group}={name}")[part]
    return copy.deepcopy(config)


@functools.cache
def default_size() -> str:
    """Return the size that is used unless another is chosen."""
    defaults = yaml.safe_load((conf_folder() / "config.yaml").read_text())["defaults"]
    return next(entry["size"] for entry in defaults if "size" in entry)


def parse(arguments: Iterable[str]) -> list[Setting]:
    """Return the settings of KEY=VALUE arguments of a command line, each with one value."""
    settings = []
    for several in map(parse_argument, arguments):
        if len(several) > 1:
            message = "takes one plain value here; `nrevu run` and experiments take several"
            raise Mistake(message, several[0].key, "command line")
        settings += several
    return settings


def parse_sweep(arguments: Iterable[str]) -> list[list[Setting]]:
    """Return the settings of each cell that KEY=VALUE arguments describe: all combinations."""
    return [list(each) for each in itertools.product(*map(parse_argument, arguments))]


def parse_argument(text: str) -> list[Setting]:
    """Return the settings of one KEY=VALUE, or KEY=VALUE,VALUE, as on Hydra's command line."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Transformer
    from hydra.errors import HydraException

    key, equals, _ = text.partition("=")
    if not equals:
        raise Mistake(f"'{text}' is not of the form KEY=VALUE", place="command line")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", key):
        raise unknown("key", key, [*GROUPS, *keys(compose())], key=key, place="command line")
    try:
        override = OverridesParser.create().parse_override(text)
        one = not override.is_sweep_override()
        values = [override.value()] if one else [*override.sweep_iterator(Transformer.identity)]
    except (HydraException, AssertionError):  # of other sweeps than lists and ranges
        message = "takes a plain value, or several: 1,2,3 or range(1,10,2)"
        raise Mistake(message, key, "command line") from None
    return [Setting(key, value, "command line") for value in values]


def resolve(
    settings: Iterable[Setting], objects: Mapping[str, Any] | None = None
) -> tuple[Cell, Estimate]:
    """Return the cell and the estimate that the settings describe; later ones win.

    `objects` are a distribution, a method or a rule for u that take the place of settings.
    """
    last = latest(settings)
    choice = {key: choose(last[key]) for key in GROUPS if key in last}
    config = composed(**choice)
    files = [group for group in OPEN if f"{group}.file" in last]
    config |= {group: {} for group in files}  # settings of the user's class, checked there
    for setting in last.values():
        group, _, name = setting.key.partition(".")
        if group in files and re.fullmatch(r"\w+", name):
            config[group][name] = setting.value
        elif setting.key not in GROUPS:
            set_value(config, setting)
    config |= objects or {}
    try:
        estimate = build(Estimate, config.pop("estimate"), "estimate")
        cell = from_config(config)
        check_lag(cell, estimate, last)
    except Mistake as mistake:
        raise mistake.at(place_of(mistake.key, last)) from None
    return cell, estimate


def latest(settings: Iterable[Setting]) -> dict[str, Setting]:
    """Return the last setting of each key; a group is a choice of conf/, or a user's file."""
    last: dict[str, Setting] = {}
    for setting in (part for each in settings for part in parts(each)):
        group, _, name = setting.key.partition(".")
        if setting.key in OPEN:
            last = {k: s for k, s in last.items() if k not in (f"{group}.file", f"{group}.name")}
        if group in OPEN and name == "file":
            last.pop(group, None)
        last[setting.key] = setting
    return last


def parts(setting: Setting) -> list[Setting]:
    """Return the settings inside a group that is set as keys and values: {name: pairs, dim: 4}."""
    inside = setting.value
    if not isinstance(inside, dict) or "." in setting.key:
        return [setting]
    user_file = setting.key in OPEN and "file" in inside
    keys = {name: f"{setting.key}.{name}" for name in inside}
    if "name" in inside and not user_file and setting.key in GROUPS:
        keys = {"name": setting.key} | keys | {"name": setting.key}
    return [Setting(key, inside[name], setting.place) for name, key in keys.items()]


def check_lag(cell: Cell, estimate: Estimate, settings: dict[str, Setting]) -> None:
    """Raise a Mistake if the chains are too short for the lags, with a key that was set."""
    shortest, lag = min(cell.run.lengths()), max(1, estimate.max_lag)
    if 2 * lag >= shortest:  # as many more show whether they are enough
        involved = ("estimate.max_lag", "run.groups", "run.chains", "size")
        raise Mistake(
            f"lag {lag} is too long for chains of {shortest} groups, which must be "
            "more than twice as long: lower estimate.max_lag or run.chains, or raise run.groups",
            key=next((key for key in involved if key in settings), involved[0]),
        )


def place_of(key: str | None, settings: dict[str, Setting]) -> str:
    """Return the place of a key; failing that of its group, or of what it must fit; or ""."""
    group = (key or "").partition(".")[0]
    starts = (f"{key}.", "distribution" if key in FITTED else group if group in OPEN else f"{key}.")
    inside = [name for name in settings if name.startswith(starts)]
    return next((settings[name].place for name in (key, group, *inside) if name in settings), "")


def choose(setting: Setting) -> str:
    """Return the name that a setting gives to a config group."""
    allowed = choices(setting.key)
    if setting.key in OPEN and str(setting.value).endswith(".py"):
        message = f"for a file of your own, give {setting.key}.file={setting.value}"
        raise Mistake(message, setting.key, setting.place)
    check_known("choice", setting.value, allowed, key=setting.key, place=setting.place)
    return setting.value


def set_value(config: dict[str, Any], setting: Setting) -> None:
    """Set one value, whose key must exist."""
    group, _, last = setting.key.rpartition(".")
    inner: Any = config
    for name in group.split(".") if group else ():
        inner = inner.get(name) if isinstance(inner, dict) else None
    where = {"key": setting.key, "place": setting.place}
    if not isinstance(inner, dict) or last not in inner or last == "name":
        owners = choices(group) if group in OPEN and last != "name" else []
        owners = [f"{group}={name}" for name in owners if last in compose(f"{group}={name}")[group]]
        if owners:
            message = f"belongs to {' or '.join(owners)}, not to {group}={config[group]['name']}"
            raise Mistake(message, **where)
        raise unknown("key", setting.key, [*GROUPS, *keys(config)], **where)
    if isinstance(inner[last], dict):
        raise Mistake(f"holds {', '.join(inner[last])}: set one of those", **where)
    inner[last] = setting.value


def keys(config: dict[str, Any], prefix: str = "") -> list[str]:
    """Return the dotted keys of all single values in a nested config."""
    found = []
    for name, value in config.items():
        key = f"{prefix}{name}"
        found += keys(value, f"{key}.") if isinstance(value, dict) else [key]
    return [key for key in found if not key.endswith(".name")]


def seed_setting(seed: int | None, place: str = "--seed") -> tuple:
    """Return the setting of a seed from the command line, if there is one."""
    return () if seed is None else (Setting("seed", seed, place),)
