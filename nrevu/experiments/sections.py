"""The sections of an experiment's file, each a dataclass: what a key holds is its field's type.

In: plain data that was checked (experiment_file.py), or that was written down before. Out: frozen
objects. Types that name columns or select cells are compared with the cells in checks.py. The
sections of figures are declared in nrevu/figures, one file for each kind.
"""

import dataclasses
import functools
import importlib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, Union

from nrevu.errors import Mistake
from nrevu.experiments.yaml_document import format_value, is_number
from nrevu.files import PACKAGE

Column = Annotated[str, "column"]  # any column of the table
Axis = Annotated[str, "axis"]  # a column that holds numbers, along an axis
Split = Annotated[str, "split"]  # a column whose values get a line, row or column of panels each
SettingColumn = Annotated[str, "setting"]  # a column that is no estimate
Estimate = Annotated[str, "estimate"]  # a column that holds an estimate with its standard error
Panel = Annotated[str, "panel"]  # an estimate, or `trace`: the u of single updates
Quantity = Annotated[str, "quantity"]  # a quantity whose mean is estimated
Numbers = Annotated[Mapping[str, float], "numbers"]  # values of estimates, by their columns
Selection = Annotated[Mapping[str, Any], "selection"]  # cells, by the values of their settings
Colour = Annotated[str, "colour"]  # "#RRGGBB"

RULES = ("published", "equal", "at_least", "best_at")  # a claim has one of them at most
TOLERANCE = 0.05  # the fraction up to which numbers are equal, unless `within` says otherwise


@dataclass(frozen=True)
class Bar:
    """Cells whose best one gets a bar, or an interval, of a figure."""

    label: str
    where: Selection


@dataclass(frozen=True)
class Confirm:
    """Which cells to run again, longer and with another seed."""

    best: Estimate  # run those cells again in which this column is lowest ...
    for_each: tuple[SettingColumn, ...]  # ... for each combination of values of these
    # How many of each combination, and by what the number of groups is multiplied; each 1 to
    # 1,000,000. A list has an entry for each round, which runs the best by all runs before it.
    cells: int | tuple[int, ...]
    longer: int | tuple[int, ...]

    def __post_init__(self) -> None:
        for key in ("cells", "longer"):
            for each in in_rounds(getattr(self, key)):
                if type(each) is not int or not 1 <= each <= 10**6:
                    message = f"must be a whole number from 1 to a million, not {each!r}"
                    raise Mistake(message, key)
        if not in_rounds(self.cells):
            raise Mistake("has no entries: say how many cells each round runs again", "cells")
        if len(in_rounds(self.cells)) != len(in_rounds(self.longer)):
            raise Mistake("must have as many entries as 'cells', one for each round", "longer")
        if not self.for_each:
            message = "has no entries: name the columns within which to take the best"
            raise Mistake(message, "for_each")

    @property
    def rounds(self) -> list[tuple[int, int]]:
        """Return the cells of each combination and the factor of groups, for each round."""
        return list(zip(in_rounds(self.cells), in_rounds(self.longer), strict=False))


def in_rounds(value: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return the entries of a key that may hold one number or a list of them."""
    return value if isinstance(value, tuple) else (value,)


@dataclass(frozen=True)
class Trace:
    """Which cells to follow update by update."""

    best: Estimate  # follow the cell in which this column is lowest ...
    for_each: SettingColumn  # ... for each value of this one, and the cells that differ in u alone


@dataclass(frozen=True)
class Published:
    """Numbers that were printed for one cell."""

    at: Selection  # the cell, by its settings
    groups: float  # recorded groups of the run that they are from, above 0
    numbers: Numbers  # in the file under the names of columns: rejection_rate, tau.log_prob, ...
    source: str = ""  # where they were printed

    def __post_init__(self) -> None:
        check_positive(groups=self.groups, **self.numbers)


@dataclass(frozen=True)
class Claim:
    """A statement on the cells of an experiment: a number of ours, and what it should be."""

    text: str  # what is stated
    quantity: Estimate  # the column that is compared
    of: Selection  # numerator: the best cell with these values
    over: Selection | None = None  # denominator, likewise; without it `of` alone is claimed
    matched: bool = False  # true: not the best cells, but all pairs that differ in nothing else
    # What our number should be: one of these, or none.
    published: float | None = None  # the number that was printed, above 0
    equal: float | None = None  # this number, above 0 ...
    at_least: float | None = None  # this number or more, above 0
    best_at: Selection | None = None  # of `of`, the cell with these values is as good as the best
    within: float | None = None  # ... up to this fraction of it, above 0; None: as TOLERANCE
    groups: int | None = None  # recorded groups of the published runs, if known, above 0
    section: str = ""  # the section of the paper that makes the statement
    assuming: str = ""  # what the comparison assumes

    def __post_init__(self) -> None:
        numbers = ("published", "equal", "at_least", "within", "groups")
        given = {key: getattr(self, key) for key in numbers}
        check_positive(**{key: value for key, value in given.items() if value is not None})
        rules = [key for key in RULES if getattr(self, key) is not None]
        if len(rules) > 1:
            message = f"cannot stand beside '{rules[0]}': a claim has one of {', '.join(RULES)}"
            raise Mistake(message, rules[1])
        if self.within is not None and self.equal is None:
            raise Mistake("belongs to 'equal', which is not given", "within")
        if self.within is not None and self.within > 1:
            message = f"{self.within:g} is not a fraction up to 1: write 0.5 for 50%"
            raise Mistake(message, "within")
        if self.matched and self.over is None:
            raise Mistake("needs 'over': the cells to match those of 'of' with", "matched")
        if self.best_at is not None and self.over is not None:
            raise Mistake("compares a cell of 'of' with the best of 'of': omit 'over'", "best_at")

    def sides(self) -> list[Mapping[str, Any]]:
        """Return the selections that are compared: `of`, and `over` if there is one.

        With `best_at` the published best cell, and `of`.
        """
        if self.best_at is not None:
            return [{**self.of, **self.best_at}, self.of]
        return [self.of] if self.over is None else [self.of, self.over]

    @property
    def exact(self) -> bool:
        """Tell whether all pairs should be equal, for which they have a joint test."""
        return self.matched and self.equal is not None and self.within is None

    @property
    def tested(self) -> bool:
        """Tell whether a p-value decides, so that the number of such claims matters."""
        return self.published is not None or self.exact


class Kind(NamedTuple):
    """What a field may hold."""

    type: Any  # of the value in YAML: str, int, float, dict or list; or a dataclass
    entry: Any = None  # of the entries of a list, or of a dict that is no Mapping of a file
    note: str = ""  # the name of an annotated type above, of the value or of a list's entries
    choices: tuple[str, ...] = ()


@functools.cache
def field_kinds(section: Any) -> dict[str, Kind]:
    """Return what each field of a section's dataclass may hold."""
    hints = typing.get_type_hints(section, include_extras=True)
    return {f.name: kind_of(hints[f.name]) for f in dataclasses.fields(section)}


def kind_of(hint: Any) -> Kind:
    """Return what a field with this type hint may hold."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        kinds = [kind_of(part) for part in arguments if part is not types.NoneType]
        return kinds[0] if len(kinds) == 1 else Kind(tuple(kind.type for kind in kinds))
    if origin is Annotated:
        return kind_of(arguments[0])._replace(note=arguments[1])
    if origin is Literal:
        return Kind(str, choices=arguments)
    if origin is tuple:
        entry = kind_of(arguments[0])
        return Kind(list, entry.type, entry.note)
    if origin is dict:
        return Kind(dict, arguments[1])
    return Kind(dict if origin is Mapping else hint)


def build(kind: Any, data: Any) -> Any:
    """Return plain data as an object of a type: mappings as dataclasses, lists as tuples."""
    if not hasattr(kind, "__dataclass_fields__") or not isinstance(data, Mapping):
        return data
    values: dict[str, Any] = {}
    for key, value in data.items():
        inner, entry, *_ = field_kinds(kind)[key]
        if isinstance(value, list):
            values[key] = tuple(build(entry, each) for each in value)
        elif inner is dict and entry:
            values[key] = {name: build(entry, each) for name, each in value.items()}
        else:
            values[key] = build(inner, value)
    return kind(**values)


@functools.cache
def figure_kinds() -> dict[str, Any]:
    """Return the dataclass `Settings` of each kind of figure.

    A kind is a file of nrevu/figures, but for shared ones (`_NAME.py`). Figures are a higher room:
    kinds are found by name, and only `Settings` is used. None imports matplotlib or pandas before
    it draws.
    """
    kinds = sorted(path.stem for path in (PACKAGE / "figures").glob("[!_]*.py"))
    return {kind: importlib.import_module(f"nrevu.figures.{kind}").Settings for kind in kinds}


def check_positive(**values: Any) -> None:
    """Raise a Mistake unless all values are positive numbers."""
    for key, value in values.items():
        if not is_number(value) or not value > 0:
            raise Mistake(f"{format_value(value)} is not a number above 0", key)
